/* SPDX-License-Identifier: MIT */
/*
 * toggle_agent.c - an agent that is linked with libhprof-prof, for "toggled" of
 * cases.bash: a thread of it has hooks, samples and events of memory come and go, as
 * long as the JVM lives. After each round it says so on standard error. While there
 * is a file "hold" it rests, with everything off, and says so. Option: only those of
 * which it names the first letter, "hsm".
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <hprof/prof.h>

enum { DEPTH = 8, EVENTS = JVMTIPROF_EVENT_MONITOR + 1, PAUSES = 50 };

static jvmtiEnv *jvmti;
static jvmtiProfEnv *prof;
static atomic_long told[EVENTS];
static atomic_bool over;
static bool has_hooks = true, has_samples = true, has_memory = true;

/* ---- callbacks ------------------------------------------------------------- */

static void count(jvmtiProfEvent event)
{
	atomic_fetch_add_explicit(&told[event], 1, memory_order_relaxed);
}

static void JNICALL on_sample(jvmtiProfEnv *env, jvmtiEnv *user, JNIEnv *jni,
			      jthread thread)
{
	jvmtiProfFrameInfo frames[DEPTH];
	jint frame_count;

	(void)user, (void)jni, (void)thread;
	if (!(*env)->GetStackTraceAsync(env, DEPTH, DEPTH, frames,
					&frame_count))
		count(JVMTIPROF_EVENT_SAMPLE_EXECUTION);
}

static void JNICALL on_entry(jvmtiProfEnv *env, jvmtiEnv *user, JNIEnv *jni,
			     jthread thread, jint hook)
{
	(void)env, (void)user, (void)jni, (void)thread, (void)hook;
	count(JVMTIPROF_EVENT_SPECIFIC_METHOD_ENTRY);
}

static void JNICALL on_leave(jvmtiProfEnv *env, jvmtiEnv *user, JNIEnv *jni,
			     jthread thread, jint hook)
{
	(void)env, (void)user, (void)jni, (void)thread, (void)hook;
	count(JVMTIPROF_EVENT_SPECIFIC_METHOD_EXIT);
}

static void JNICALL on_alloc(jvmtiProfEnv *env, jvmtiEnv *user, JNIEnv *jni,
			     jthread thread, const jvmtiProfObject *object)
{
	(void)env, (void)user, (void)jni, (void)thread, (void)object;
	count(JVMTIPROF_EVENT_OBJECT_ALLOC);
}

static void JNICALL on_free(jvmtiProfEnv *env, jvmtiEnv *user,
			    const jvmtiProfRelease *release)
{
	(void)env, (void)user, (void)release;
	count(JVMTIPROF_EVENT_OBJECT_FREE);
}

static void JNICALL on_start(jvmtiProfEnv *env, jvmtiEnv *user, jlong number)
{
	(void)env, (void)user, (void)number;
	count(JVMTIPROF_EVENT_COLLECTION_START);
}

static void JNICALL on_finish(jvmtiProfEnv *env, jvmtiEnv *user, JNIEnv *jni,
			      const jvmtiProfCollection *collection)
{
	(void)env, (void)user, (void)jni, (void)collection;
	count(JVMTIPROF_EVENT_COLLECTION_FINISH);
}

static void JNICALL on_load(jvmtiProfEnv *env, jvmtiEnv *user, JNIEnv *jni,
			    jthread thread, const jvmtiProfClass *loaded)
{
	(void)env, (void)user, (void)jni, (void)thread, (void)loaded;
	count(JVMTIPROF_EVENT_CLASS_LOAD);
}

static void JNICALL on_unload(jvmtiProfEnv *env, jvmtiEnv *user,
			      const jvmtiProfClass *unloaded)
{
	(void)env, (void)user, (void)unloaded;
	count(JVMTIPROF_EVENT_CLASS_UNLOAD);
}

static void JNICALL on_reference(jvmtiProfEnv *env, jvmtiEnv *user, JNIEnv *jni,
				 const jvmtiProfReference *reference)
{
	(void)env, (void)user, (void)jni, (void)reference;
	count(JVMTIPROF_EVENT_REFERENCE);
}

static void JNICALL on_monitor(jvmtiProfEnv *env, jvmtiEnv *user, JNIEnv *jni,
			       jthread thread, const jvmtiProfMonitor *monitor)
{
	(void)env, (void)user, (void)jni, (void)thread, (void)monitor;
	count(JVMTIPROF_EVENT_MONITOR);
}

/* ---- rounds ---------------------------------------------------------------- */

static void check(jvmtiProfError error, const char *what)
{
	/* The JVM may end at any time. */
	if (error && error != JVMTIPROF_ERROR_WRONG_PHASE)
		fprintf(stderr, "toggle: %s: error %d\n", what, (int)error);
}

static void hook(const char *class_name, const char *method, bool on)
{
	check((*prof)->SetMethodEventFlag(prof, class_name, method, NULL,
					  JVMTIPROF_METHOD_EVENT_ENTRY |
						  JVMTIPROF_METHOD_EVENT_EXIT,
					  on, NULL),
	      method);
}

static void all_hooks(bool on)
{
	if (!has_hooks)
		return;
	hook("Workload", "sum", on);
	hook("Workload$Dropped", "*", on);
	hook("java.util.HashMap", "*", on);
	hook("java.lang.Thread", "start*", on);
}

static void all_events(bool on)
{
	const jvmtiEventMode mode = on ? JVMTI_ENABLE : JVMTI_DISABLE;

	for (int event = JVMTIPROF_EVENT_SAMPLE_EXECUTION; event < EVENTS;
	     event++)
		if (event >= JVMTIPROF_EVENT_OBJECT_ALLOC	? has_memory
		    : event == JVMTIPROF_EVENT_SAMPLE_EXECUTION ? has_samples
								: has_hooks)
			check((*prof)->SetEventNotificationMode(
				      prof, mode, (jvmtiProfEvent)event, NULL),
			      "an event");
}

/* A while, in which the program works. */
static void wait_ms(long ms)
{
	const struct timespec time = { .tv_nsec = ms * 1000000 };

	nanosleep(&time, NULL);
}

/* Each event that a program has all the time, or so long that it is at rest. */
static void await_events(void)
{
	static const jvmtiProfEvent wanted[] = {
		JVMTIPROF_EVENT_SAMPLE_EXECUTION,
		JVMTIPROF_EVENT_SPECIFIC_METHOD_ENTRY,
		JVMTIPROF_EVENT_SPECIFIC_METHOD_EXIT,
		JVMTIPROF_EVENT_OBJECT_ALLOC,
		JVMTIPROF_EVENT_CLASS_LOAD,
	};
	const size_t n = sizeof wanted / sizeof *wanted;
	long before[EVENTS];

	for (int i = 0; i < EVENTS; i++)
		before[i] = atomic_load(&told[i]);
	for (size_t i = 0, waited = 0; i < n && waited < PAUSES; waited++) {
		while (i < n &&
		       atomic_load(&told[wanted[i]]) != before[wanted[i]])
			i++;
		if (i < n)
			wait_ms(4);
	}
}

/* What is told of allocations changes from round to round. */
static void next_round(long round)
{
	static const jint intervals[] = { 512 << 10, 4096, 0, 65536 };
	jvmtiProfSite *sites;
	jint n;

	check((*prof)->SetAllocationSampling(prof, intervals[round % 4],
					     (jint)(round % 3 * DEPTH / 2)),
	      "the interval");
	all_hooks(true);
	all_events(true);
	await_events();
	if (round % 16 == 0) {
		check((*prof)->GetAllocationSites(prof, &n, &sites), "sites");
		(*jvmti)->Deallocate(jvmti, (unsigned char *)sites);
	}
	if (round % 2)
		all_events(false);
	all_hooks(false);
	if (round % 2 == 0)
		all_events(false);
}

static void rest(void)
{
	if (access("hold", F_OK))
		return;
	fprintf(stderr, "held\n");
	while (!access("hold", F_OK) && !atomic_load(&over))
		wait_ms(4);
}

static void JNICALL toggle(jvmtiEnv *env, JNIEnv *jni, void *user)
{
	(void)env, (void)jni, (void)user;
	for (long round = 1; !atomic_load(&over); round++) {
		next_round(round);
		fprintf(stderr, "toggled %ld\n", round);
		rest();
	}
}

static void JNICALL on_init(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
	jclass class = (*jni)->FindClass(jni, "java/lang/Thread");
	jmethodID make = (*jni)->GetMethodID(jni, class, "<init>", "()V");
	jobject own = (*jni)->NewObject(jni, class, make);

	(void)thread;
	if ((*env)->RunAgentThread(env, own, toggle, NULL,
				   JVMTI_THREAD_NORM_PRIORITY))
		fprintf(stderr, "toggle: no thread\n");
}

/* Says how often each event was told. */
static void JNICALL on_death(jvmtiEnv *env, JNIEnv *jni)
{
	(void)env, (void)jni;
	atomic_store(&over, true);
	fprintf(stderr, "told");
	for (int i = 1; i < EVENTS; i++)
		fprintf(stderr, " %ld", atomic_load(&told[i]));
	fprintf(stderr, "\n");
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	static const jvmtiProfEventCallbacks callbacks = {
		on_sample, on_entry,	 on_leave,   on_alloc,
		on_free,   on_start,	 on_finish,  on_load,
		on_unload, on_reference, on_monitor,
	};
	const jvmtiEventCallbacks events = { .VMInit = on_init,
					     .VMDeath = on_death };
	jvmtiProfCapabilities can;

	(void)reserved;
	if (options && *options) {
		has_hooks = strchr(options, 'h') != NULL;
		has_samples = strchr(options, 's') != NULL;
		has_memory = strchr(options, 'm') != NULL;
	}
	if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) ||
	    jvmtiProf_Create(vm, jvmti, &prof, JVMTIPROF_VERSION) ||
	    (*prof)->GetPotentialCapabilities(prof, &can) ||
	    (*prof)->AddCapabilities(prof, &can) ||
	    (*prof)->SetEventCallbacks(prof, &callbacks, sizeof callbacks) ||
	    (*prof)->SetExecutionSamplingInterval(prof, 1000000) ||
	    (*prof)->SetReferenceDepth(prof, DEPTH) ||
	    (*jvmti)->SetEventCallbacks(jvmti, &events, sizeof events) ||
	    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE,
					       JVMTI_EVENT_VM_INIT, NULL) ||
	    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE,
					       JVMTI_EVENT_VM_DEATH, NULL))
		return 1;
	return 0;
}
