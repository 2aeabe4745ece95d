/* SPDX-License-Identifier: MIT */
/*
 * jvmpi_agent.c - for jvmpi.sh: those events of JVMPI that JVMTI has under the same
 * name, in an environment that one of libhprof-prof is beside, with all that it can
 * do; the receiver of a method that is entered; and sleeps. At the end of the JVM it
 * prints how often each was told of Jvmpi.java; of the dump it tells at once.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <hprof/prof.h>

enum {
	THREAD_START,
	THREAD_END,
	COMPILED_LOAD,
	COMPILED_UNLOAD,
	CLASS_HOOK,
	DATA_DUMP,
	INIT,
	RECEIVER,
	SLEEP,
	KINDS
};

static const char *const names[KINDS] = {
	"THREAD_START",		  "THREAD_END",	     "COMPILED_METHOD_LOAD",
	"COMPILED_METHOD_UNLOAD", "CLASS_LOAD_HOOK", "DATA_DUMP_REQUEST",
	"JVM_INIT_DONE",	  "METHOD_ENTRY2",   "SLEEP",
};

static atomic_long told[KINDS];
static jint sleep_hook, method_hook;
static _Atomic(jmethodID) compiled;

static int is_known(jvmtiEnv *jvmti, jthread thread)
{
	jvmtiThreadInfo info;
	int is;

	if ((*jvmti)->GetThreadInfo(jvmti, thread, &info))
		return 0;
	is = strcmp(info.name, "known") == 0;
	(*jvmti)->Deallocate(jvmti, (unsigned char *)info.name);
	return is;
}

static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *jni,
				    jthread thread)
{
	(void)jni;
	atomic_fetch_add(&told[THREAD_START], is_known(jvmti, thread));
}

static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	(void)jni;
	atomic_fetch_add(&told[THREAD_END], is_known(jvmti, thread));
}

static void JNICALL on_compiled(jvmtiEnv *jvmti, jmethodID method, jint size,
				const void *code, jint count,
				const jvmtiAddrLocationMap *map,
				const void *info)
{
	char *name = NULL;

	(void)size, (void)code, (void)count, (void)map, (void)info;
	if (!(*jvmti)->GetMethodName(jvmti, method, &name, NULL, NULL) &&
	    strcmp(name, "compiledMethod") == 0) {
		atomic_fetch_add(&told[COMPILED_LOAD], 1);
		atomic_store(&compiled, method);
	}
	(*jvmti)->Deallocate(jvmti, (unsigned char *)name);
}

static void JNICALL on_uncompiled(jvmtiEnv *jvmti, jmethodID method,
				  const void *code)
{
	(void)jvmti, (void)code;
	if (method == atomic_load(&compiled))
		atomic_fetch_add(&told[COMPILED_UNLOAD], 1);
}

static void JNICALL on_class_file(jvmtiEnv *jvmti, JNIEnv *jni, jclass class,
				  jobject loader, const char *name,
				  jobject domain, jint size,
				  const unsigned char *bytes, jint *new_size,
				  unsigned char **new_bytes)
{
	(void)jvmti, (void)jni, (void)class, (void)loader, (void)domain;
	(void)size, (void)bytes, (void)new_size, (void)new_bytes;
	if (name && strcmp(name, "Jvmpi$Compiled") == 0)
		atomic_fetch_add(&told[CLASS_HOOK], 1);
}

static void JNICALL on_data_dump(jvmtiEnv *jvmti)
{
	(void)jvmti;
	atomic_fetch_add(&told[DATA_DUMP], 1);
	fputs("told of the dump\n", stderr);
}

static void JNICALL on_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	(void)jvmti, (void)jni, (void)thread;
	atomic_fetch_add(&told[INIT], 1);
}

/* Between the method and the callback are two frames. */
static void JNICALL on_entry(jvmtiProfEnv *env, jvmtiEnv *jvmti, JNIEnv *jni,
			     jthread thread, jint hook)
{
	jobject receiver = NULL;
	jclass class;
	char *signature = NULL;

	(void)env;
	if (hook == sleep_hook)
		atomic_fetch_add(&told[SLEEP], 1);
	if (hook != method_hook ||
	    (*jvmti)->GetLocalInstance(jvmti, thread, 2, &receiver))
		return;
	class = (*jni)->GetObjectClass(jni, receiver);
	if (!(*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) &&
	    strcmp(signature, "LJvmpi$Receiver;") == 0)
		atomic_fetch_add(&told[RECEIVER], 1);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
}

static void JNICALL on_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
	(void)jvmti, (void)jni;
	for (int i = 0; i < KINDS; i++)
		printf("%s %ld\n", names[i], atomic_load(&told[i]));
	printf("JVM_SHUT_DOWN 1\n");
	fflush(stdout);
}

/* The program waits for what comes when it likes. */
JNIEXPORT jlong JNICALL Java_Jvmpi_told(JNIEnv *jni, jclass class, jint kind);
JNIEXPORT jlong JNICALL Java_Jvmpi_told(JNIEnv *jni, jclass class, jint kind)
{
	(void)jni, (void)class;
	return atomic_load(&told[kind]);
}

static int listen(jvmtiEnv *jvmti)
{
	static const jvmtiEvent wanted[] = {
		JVMTI_EVENT_THREAD_START,
		JVMTI_EVENT_THREAD_END,
		JVMTI_EVENT_COMPILED_METHOD_LOAD,
		JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
		JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
		JVMTI_EVENT_DATA_DUMP_REQUEST,
		JVMTI_EVENT_VM_INIT,
		JVMTI_EVENT_VM_DEATH,
	};
	const jvmtiEventCallbacks events = {
		.ThreadStart = on_thread_start,
		.ThreadEnd = on_thread_end,
		.CompiledMethodLoad = on_compiled,
		.CompiledMethodUnload = on_uncompiled,
		.ClassFileLoadHook = on_class_file,
		.DataDumpRequest = on_data_dump,
		.VMInit = on_init,
		.VMDeath = on_death,
	};
	const jvmtiCapabilities can = {
		.can_generate_compiled_method_load_events = 1,
		.can_generate_all_class_hook_events = 1,
		.can_access_local_variables = 1,
	};

	if ((*jvmti)->AddCapabilities(jvmti, &can) ||
	    (*jvmti)->SetEventCallbacks(jvmti, &events, sizeof events))
		return 1;
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		if ((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE,
						       wanted[i], NULL))
			return 1;
	return 0;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	const jvmtiProfEventCallbacks callbacks = { .SpecificMethodEntry =
							    on_entry };
	jvmtiProfCapabilities all;
	jvmtiProfEnv *prof;
	jvmtiEnv *jvmti;

	(void)options, (void)reserved;
	return (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) ||
	       jvmtiProf_Create(vm, jvmti, &prof, JVMTIPROF_VERSION) ||
	       (*prof)->GetPotentialCapabilities(prof, &all) ||
	       (*prof)->AddCapabilities(prof, &all) ||
	       (*prof)->SetEventCallbacks(prof, &callbacks, sizeof callbacks) ||
	       (*prof)->SetEventNotificationMode(
		       prof, JVMTI_ENABLE,
		       JVMTIPROF_EVENT_SPECIFIC_METHOD_ENTRY, NULL) ||
	       (*prof)->SetMethodEventFlag(prof, "Jvmpi$Receiver", "go", NULL,
					   JVMTIPROF_METHOD_EVENT_ENTRY,
					   JNI_TRUE, &method_hook) ||
	       (*prof)->SetMethodEventFlag(prof, "java.lang.Thread", "sleep",
					   "(J)V", JVMTIPROF_METHOD_EVENT_ENTRY,
					   JNI_TRUE, &sleep_hook) ||
	       listen(jvmti);
}
