/* SPDX-License-Identifier: MIT */
/*
 * 03_objects - what a method makes: at the end of the program, the objects of
 * each class that were allocated in its calls, and in calls from there, and how
 * many of them the collector has not taken back.
 *
 *	java -agentpath:/path/03_objects.so=CLASS.METHOD ...
 *
 * The hook says whether this thread is inside of the method. JVMTI tells of the
 * objects: of allocations, of which it samples every one at an interval of 0, and
 * of the end of those that have a tag, here the number of their class's row.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hprof/prof.h>

enum { CLASSES = 4096, NAME = 1000 };

static jvmtiProfEnv *prof;
static char class_name[NAME];
static const char *method;
static _Thread_local int inside;
static atomic_int primed; /* an object was told of */

/* What comes when there is no room is counted in row 0. */
static struct row {
	char *class_name;
	atomic_llong made, bytes, gone;
} rows[CLASSES];
static int row_count = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- the method ------------------------------------------------------------ */

static void JNICALL on_entry(jvmtiProfEnv *env, jvmtiEnv *jvmti, JNIEnv *jni,
			     jthread thread, jint hook)
{
	(void)env, (void)jvmti, (void)jni, (void)thread, (void)hook;
	inside++;
}

static void JNICALL on_exit_(jvmtiProfEnv *env, jvmtiEnv *jvmti, JNIEnv *jni,
			     jthread thread, jint hook)
{
	(void)env, (void)jvmti, (void)jni, (void)thread, (void)hook;
	inside--;
}

/* ---- its objects ----------------------------------------------------------- */

/* The row of a class; takes NAME if it is a new one. */
static int find_row(char *name)
{
	int i = 1;

	pthread_mutex_lock(&lock);
	while (i < row_count && strcmp(rows[i].class_name, name))
		i++;
	if (i == row_count && i < CLASSES)
		rows[row_count++].class_name = strdup(name);
	pthread_mutex_unlock(&lock);
	return i < CLASSES ? i : 0;
}

static void JNICALL on_object(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			      jobject object, jclass class, jlong size)
{
	char *name;
	int row;

	(void)jni, (void)thread;
	atomic_store(&primed, 1);
	if (inside <= 0 ||
	    (*jvmti)->GetClassSignature(jvmti, class, &name, NULL))
		return;
	row = find_row(name);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)name);
	if ((*jvmti)->SetTag(jvmti, object, row + 1))
		return;
	atomic_fetch_add(&rows[row].made, 1);
	atomic_fetch_add(&rows[row].bytes, size);
}

static void JNICALL on_end(jvmtiEnv *jvmti, jlong tag)
{
	(void)jvmti;
	atomic_fetch_add(&rows[tag - 1].gone, 1);
}

static void JNICALL on_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
	(void)jvmti, (void)jni;
	printf("    made      bytes     left  class\n");
	for (int i = 0; i < row_count; i++) {
		const long long made = atomic_load(&rows[i].made);

		if (made)
			printf("%8lld %10lld %8lld  %s\n", made,
			       (long long)atomic_load(&rows[i].bytes),
			       made - (long long)atomic_load(&rows[i].gone),
			       i ? rows[i].class_name : "others");
	}
}

/* ---- the beginning --------------------------------------------------------- */

/*
 * A thread first uses up the memory that it had before the event was enabled.
 * Arrays are made until one is told of: from then on, nothing is missed.
 */
static void JNICALL on_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	(void)jvmti, (void)thread;
	for (int i = 0; i < 1000 && !atomic_load(&primed); i++)
		(*jni)->DeleteLocalRef(jni, (*jni)->NewByteArray(jni, 65536));
}

static int listen_to_objects(jvmtiEnv *jvmti)
{
	static const jvmtiEvent events[] = { JVMTI_EVENT_VM_INIT,
					     JVMTI_EVENT_VM_DEATH,
					     JVMTI_EVENT_SAMPLED_OBJECT_ALLOC,
					     JVMTI_EVENT_OBJECT_FREE };
	const jvmtiCapabilities can = {
		.can_tag_objects = 1,
		.can_generate_object_free_events = 1,
		.can_generate_sampled_object_alloc_events = 1,
	};
	const jvmtiEventCallbacks callbacks = { .VMInit = on_init,
						.VMDeath = on_death,
						.SampledObjectAlloc = on_object,
						.ObjectFree = on_end };
	int failed = (*jvmti)->AddCapabilities(jvmti, &can) ||
		     (*jvmti)->SetHeapSamplingInterval(jvmti, 0) ||
		     (*jvmti)->SetEventCallbacks(jvmti, &callbacks,
						 sizeof callbacks);

	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		failed |= (*jvmti)->SetEventNotificationMode(
				  jvmti, JVMTI_ENABLE, events[i], NULL) != 0;
	return failed;
}

static int listen_to_method(JavaVM *vm, jvmtiEnv *jvmti)
{
	const jvmtiProfCapabilities can = { .can_intercept_methods = 1 };
	const jvmtiProfEventCallbacks callbacks = {
		.SpecificMethodEntry = on_entry,
		.SpecificMethodExit = on_exit_,
	};

	return jvmtiProf_Create(vm, jvmti, &prof, JVMTIPROF_VERSION) ||
	       (*prof)->AddCapabilities(prof, &can) ||
	       (*prof)->SetEventCallbacks(prof, &callbacks, sizeof callbacks) ||
	       (*prof)->SetEventNotificationMode(
		       prof, JVMTI_ENABLE,
		       JVMTIPROF_EVENT_SPECIFIC_METHOD_ENTRY, NULL) ||
	       (*prof)->SetEventNotificationMode(
		       prof, JVMTI_ENABLE, JVMTIPROF_EVENT_SPECIFIC_METHOD_EXIT,
		       NULL) ||
	       (*prof)->SetMethodEventFlag(prof, class_name, method, NULL,
					   JVMTIPROF_METHOD_EVENT_ENTRY |
						   JVMTIPROF_METHOD_EVENT_EXIT,
					   JNI_TRUE, NULL);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	jvmtiEnv *jvmti;
	char *dot;

	(void)reserved;
	snprintf(class_name, sizeof class_name, "%s", options ? options : "");
	dot = strrchr(class_name, '.');
	if (!dot) {
		fputs("03_objects: the option is CLASS.METHOD\n", stderr);
		return 1;
	}
	*dot = '\0';
	method = dot + 1;
	if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) ||
	    listen_to_objects(jvmti) || listen_to_method(vm, jvmti)) {
		fputs("03_objects: not in this JVM\n", stderr);
		return 1;
	}
	return 0;
}
