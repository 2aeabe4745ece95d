/* SPDX-License-Identifier: MIT */
/*
 * 01_sample - where a Java program spends its CPU time: at its end, the methods
 * that were on top of the stack in samples.
 *
 *	java -agentpath:/path/01_sample.so=MILLISECONDS ...
 *
 * The callback runs in a signal handler, so it only stores what it finds into
 * room that is there. Names are asked for in the end.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <hprof/prof.h>

enum { MOST = 100000, SHOWN = 10 };

static jvmtiProfEnv *prof;
static jmethodID tops[MOST]; /* NULL: no stack */
static atomic_int count;

static void JNICALL on_sample(jvmtiProfEnv *env, jvmtiEnv *jvmti, JNIEnv *jni,
			      jthread thread)
{
	int i = atomic_fetch_add(&count, 1);
	jvmtiProfFrameInfo top;
	jint depth;

	(void)jvmti;
	(void)jni;
	(void)thread;
	if (i < MOST && (*env)->GetStackTraceAsync(env, 1, 1, &top, &depth) ==
				JVMTIPROF_ERROR_NONE)
		tops[i] = top.method;
}

/* ---- the end --------------------------------------------------------------- */

static void print_method(jvmtiEnv *jvmti, jmethodID method)
{
	char *class_name, *name;
	jclass class;

	if (!method ||
	    (*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) ||
	    (*jvmti)->GetClassSignature(jvmti, class, &class_name, NULL)) {
		puts("unknown");
		return;
	}
	if ((*jvmti)->GetMethodName(jvmti, method, &name, NULL, NULL) == 0) {
		printf("%s %s\n", class_name, name);
		(*jvmti)->Deallocate(jvmti, (unsigned char *)name);
	}
	(*jvmti)->Deallocate(jvmti, (unsigned char *)class_name);
}

static int by_address(const void *a, const void *b)
{
	jmethodID left = *(const jmethodID *)a, right = *(const jmethodID *)b;

	return (left > right) - (left < right);
}

struct row {
	jmethodID method;
	int samples;
};

static int by_samples(const void *a, const void *b)
{
	return ((const struct row *)b)->samples -
	       ((const struct row *)a)->samples;
}

static void JNICALL on_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
	static struct row rows[MOST];
	int n, used = 0;

	(void)jni;
	(*prof)->SetEventNotificationMode(
		prof, JVMTI_DISABLE, JVMTIPROF_EVENT_SAMPLE_EXECUTION, NULL);
	n = atomic_load(&count) < MOST ? atomic_load(&count) : MOST;
	qsort(tops, (size_t)n, sizeof *tops, by_address);
	for (int i = 0; i < n; i++) {
		if (i == 0 || tops[i] != tops[i - 1])
			rows[used++].method = tops[i];
		rows[used - 1].samples++;
	}
	qsort(rows, (size_t)used, sizeof *rows, by_samples);
	printf("%d samples\n", n);
	for (int i = 0; i < used && i < SHOWN; i++) {
		printf("%6d %5.1f%% ", rows[i].samples,
		       100.0 * rows[i].samples / n);
		print_method(jvmti, rows[i].method);
	}
}

/* ---- the beginning --------------------------------------------------------- */

static int begin(JavaVM *vm, jvmtiEnv *jvmti, jlong interval)
{
	const jvmtiProfCapabilities can = {
		.can_generate_sample_execution_events = 1,
		.can_get_stack_trace_asynchronously = 1,
	};
	const jvmtiProfEventCallbacks callbacks = { .SampleExecution =
							    on_sample };

	return jvmtiProf_Create(vm, jvmti, &prof, JVMTIPROF_VERSION) ||
	       (*prof)->AddCapabilities(prof, &can) ||
	       (*prof)->SetEventCallbacks(prof, &callbacks, sizeof callbacks) ||
	       (*prof)->SetExecutionSamplingInterval(prof, interval) ||
	       (*prof)->SetEventNotificationMode(
		       prof, JVMTI_ENABLE, JVMTIPROF_EVENT_SAMPLE_EXECUTION,
		       NULL);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	const jvmtiEventCallbacks callbacks = { .VMDeath = on_death };
	jlong ms = options && *options ? strtol(options, NULL, 10) : 10;
	jvmtiEnv *jvmti;

	(void)reserved;
	if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) ||
	    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) ||
	    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE,
					       JVMTI_EVENT_VM_DEATH, NULL) ||
	    begin(vm, jvmti, ms * 1000000)) {
		fputs("01_sample: no samples in this JVM\n", stderr);
		return 1;
	}
	return 0;
}
