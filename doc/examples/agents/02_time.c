/* SPDX-License-Identifier: MIT */
/*
 * 02_time - how long calls of a method take: at the end of the program, how many
 * there were, and their time on average and at most.
 *
 *	java -agentpath:/path/02_time.so=CLASS.METHOD ...
 *
 * Both names may have * and ?. Calls inside of others are counted as well.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <hprof/prof.h>

enum { DEPTH = 256, NAME = 1000 };

static jvmtiProfEnv *prof;
static char class_name[NAME];
static const char *method;
static atomic_llong calls, total_ns, most_ns;

/* When the calls of this thread began; those that are deeper are not timed. */
static _Thread_local long long begun[DEPTH];
static _Thread_local int depth;

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void JNICALL on_entry(jvmtiProfEnv *env, jvmtiEnv *jvmti, JNIEnv *jni,
			     jthread thread, jint hook)
{
	(void)env;
	(void)jvmti;
	(void)jni;
	(void)thread;
	(void)hook;
	if (depth++ < DEPTH)
		begun[depth - 1] = now();
}

static void JNICALL on_exit_(jvmtiProfEnv *env, jvmtiEnv *jvmti, JNIEnv *jni,
			     jthread thread, jint hook)
{
	long long ns, most = atomic_load(&most_ns);

	(void)env;
	(void)jvmti;
	(void)jni;
	(void)thread;
	(void)hook;
	if (depth == 0 || --depth >= DEPTH)
		return;
	ns = now() - begun[depth];
	atomic_fetch_add(&calls, 1);
	atomic_fetch_add(&total_ns, ns);
	while (ns > most && !atomic_compare_exchange_weak(&most_ns, &most, ns))
		;
}

static void JNICALL on_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
	const long long n = atomic_load(&calls);

	(void)jvmti;
	(void)jni;
	printf("%s.%s: %lld calls", class_name, method, n);
	if (n)
		printf(", %.3f ms each, %.3f ms at most",
		       1e-6 * (double)atomic_load(&total_ns) / (double)n,
		       1e-6 * (double)atomic_load(&most_ns));
	putchar('\n');
}

/* ---- the beginning --------------------------------------------------------- */

static int read_options(const char *options)
{
	char *dot;

	if (!options || strlen(options) >= sizeof class_name)
		return 1;
	strcpy(class_name, options);
	dot = strrchr(class_name, '.');
	if (!dot)
		return 1;
	*dot = '\0';
	method = dot + 1;
	return 0;
}

static jvmtiProfError enable(jvmtiProfEvent event)
{
	return (*prof)->SetEventNotificationMode(prof, JVMTI_ENABLE, event,
						 NULL);
}

static int begin(JavaVM *vm, jvmtiEnv *jvmti)
{
	const jvmtiProfCapabilities can = { .can_intercept_methods = 1 };
	const jvmtiProfEventCallbacks callbacks = {
		.SpecificMethodEntry = on_entry,
		.SpecificMethodExit = on_exit_,
	};

	return jvmtiProf_Create(vm, jvmti, &prof, JVMTIPROF_VERSION) ||
	       (*prof)->AddCapabilities(prof, &can) ||
	       (*prof)->SetEventCallbacks(prof, &callbacks, sizeof callbacks) ||
	       enable(JVMTIPROF_EVENT_SPECIFIC_METHOD_ENTRY) ||
	       enable(JVMTIPROF_EVENT_SPECIFIC_METHOD_EXIT) ||
	       (*prof)->SetMethodEventFlag(prof, class_name, method, NULL,
					   JVMTIPROF_METHOD_EVENT_ENTRY |
						   JVMTIPROF_METHOD_EVENT_EXIT,
					   JNI_TRUE, NULL);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	const jvmtiEventCallbacks callbacks = { .VMDeath = on_death };
	jvmtiEnv *jvmti;

	(void)reserved;
	if (read_options(options)) {
		fputs("02_time: the option is CLASS.METHOD\n", stderr);
		return 1;
	}
	if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) ||
	    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) ||
	    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE,
					       JVMTI_EVENT_VM_DEATH, NULL) ||
	    begin(vm, jvmti)) {
		fputs("02_time: no method can be timed in this JVM\n", stderr);
		return 1;
	}
	return 0;
}
