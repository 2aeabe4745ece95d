/* SPDX-License-Identifier: MIT */
/*
 * samples_async.c - see samples_async.h.
 *
 * Handlers take stacks and put them into a ring, which a thread of the agent
 * empties. There is one handler in a process, see cpu_signal.h, so there is one
 * such sampler, and its state is static. The JVM must have made the ids of all
 * methods beforehand, since AsyncGetCallTrace cannot: they are asked for when a
 * class is prepared.
 */
#include "agent/sampling/samples_async.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/common/agent_thread.h"
#include "agent/common/environment.h"
#include "agent/sampling/async_stack.h"
#include "agent/sampling/code_events.h"
#include "agent/sampling/code_map.h"
#include "agent/sampling/cpu_signal.h"
#include "agent/sampling/cpu_timers.h"
#include "agent/sampling/sample_ring.h"
#include "base/mem.h"

enum { EMPTY_MS = 10, DEPTH_MOST = 1024 };

static struct {
	JavaVM *vm;
	jvmtiEnv *jvmti; /* NULL: not loaded */
	struct ag_sample_sink sink;
	struct ag_sample_ring *ring;
	jvmtiFrameInfo *frames; /* of the sample that is handed on */
	bool running;	      /* it has a ring, and a thread that empties it */
	bool stop;	      /* for the thread */
	bool ended;	      /* by the thread */
	pthread_mutex_t lock; /* of these, and of the one who empties */
	pthread_cond_t changed;
} the = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- the handler --------------------------------------------------------- */

static void take_sample(void *context, uint64_t weight)
{
	struct ag_sample *s = ag_ring_claim(the.ring);

	if (!s) {
		ag_ring_lose(the.ring, weight);
		return;
	}
	s->weight = weight;
	s->tid = (int32_t)syscall(SYS_gettid);
	s->count = ag_async_stack(context, s->frames, the.sink.depth, &s->pc);
	ag_ring_put(s);
}

/* ---- emptying the ring --------------------------------------------------- */

/*
 * A stack that was had from the caller on lacks the method that was entered or
 * left; the address tells which one it is. With as many frames as may be, the
 * outermost gives way.
 */
static jint add_lost_frame(const struct ag_sample *s)
{
	const jmethodID method = s->pc ? ag_code_method(s->pc) : NULL;

	if (!method)
		return 0;
	the.frames[0].method = method;
	the.frames[0].location = 0;
	return 1;
}

static void hand_on(const struct ag_sample *s, JNIEnv *jni)
{
	const struct ag_sample_sink *to = &the.sink;
	jint count;

	if (s->count <= 0) {
		if (s->count == AG_ASYNC_DETACHED)
			ag_timers_remove(s->tid);
		else
			to->unknown(to->user, ag_async_reason(s->count),
				    s->weight);
		return;
	}
	count = add_lost_frame(s);
	for (jint i = 0; i < s->count && count < to->depth; i++) {
		const struct ag_async_frame *f = &s->frames[i];

		the.frames[count].method = f->method;
		the.frames[count++].location =
			f->location == AG_ASYNC_NATIVE ? -1 : f->location;
	}
	to->stack(to->user, jni, the.frames, count, ag_timers_serial(s->tid),
		  s->weight);
}

/* With the lock. */
static void empty(JNIEnv *jni)
{
	struct ag_sample *s;
	uint64_t lost;

	while ((s = ag_ring_take(the.ring)) != NULL) {
		hand_on(s, jni);
		ag_ring_give_back(the.ring, s);
	}
	lost = ag_ring_lost(the.ring);
	if (lost)
		the.sink.unknown(the.sink.user, "no room for samples", lost);
}

static void JNICALL run(jvmtiEnv *jvmti, JNIEnv *jni, void *unused)
{
	(void)jvmti;
	(void)unused;
	pthread_mutex_lock(&the.lock);
	while (!the.stop) {
		struct timespec until;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += EMPTY_MS * 1000000L;
		if (until.tv_nsec >= 1000000000L) {
			until.tv_nsec -= 1000000000L;
			until.tv_sec++;
		}
		pthread_cond_timedwait(&the.changed, &the.lock, &until);
		empty(jni);
	}
	the.ended = true;
	pthread_cond_broadcast(&the.changed);
	pthread_mutex_unlock(&the.lock);
}

void ag_async_flush(JNIEnv *jni)
{
	pthread_mutex_lock(&the.lock);
	if (the.running)
		empty(jni);
	pthread_mutex_unlock(&the.lock);
}

/* ---- loading ------------------------------------------------------------- */

const char *ag_async_load(JavaVM *vm)
{
	const char *why = ag_async_prepare(vm);
	jvmtiEnv *jvmti;

	if (why || the.jvmti)
		return why;
	jvmti = ag_environment(vm);
	if (!jvmti)
		return "there is no tool interface";
	why = ag_code_events_enable(jvmti);
	if (why) {
		(*jvmti)->DisposeEnvironment(jvmti);
		return why;
	}
	the.vm = vm;
	the.jvmti = jvmti;
	return NULL;
}

/* ---- starting and stopping ----------------------------------------------- */

/* The JVM's compilers are threads of Java to it, but run no Java. */
static bool is_compiler(const char *tid)
{
	char path[64], name[32] = "";
	FILE *file;

	snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", tid);
	file = fopen(path, "re");
	if (!file)
		return true;
	if (!fgets(name, sizeof name, file))
		name[0] = '\0';
	fclose(file);
	return !strncmp(name, "C1 Comp", 7) || !strncmp(name, "C2 Comp", 7);
}

/*
 * The threads that run already. Those that turn out not to be Java's lose their
 * timers again.
 */
static void add_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *entry;

	if (!tasks)
		return;
	while ((entry = readdir(tasks)) != NULL) {
		const long tid = strtol(entry->d_name, NULL, 10);

		if (tid > 0 && !is_compiler(entry->d_name))
			ag_timers_add((pid_t)tid, 0);
	}
	closedir(tasks);
}

static bool make_ring(jint depth)
{
	the.ring = ag_ring_new((unsigned)depth);
	the.frames = hp_calloc((size_t)depth, sizeof *the.frames);
	return the.ring && the.frames;
}

static void free_ring(void)
{
	ag_ring_free(the.ring);
	hp_free(the.frames);
	the.ring = NULL;
	the.frames = NULL;
}

/* False, with a message logged, on failure. */
static bool start_thread(JNIEnv *jni)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&the.changed, &attributes);
	pthread_condattr_destroy(&attributes);
	the.stop = the.ended = false;
	return ag_thread_run(the.jvmti, jni, run, NULL);
}

static const char *start(JNIEnv *jni)
{
	const char *why;

	if (!make_ring(the.sink.depth))
		return "out of memory";
	why = ag_cpu_signal_start(the.sink.interval_ns, take_sample);
	if (why)
		return why;
	return start_thread(jni) ? NULL : "it has no thread";
}

const char *ag_async_start(JNIEnv *jni, const struct ag_sample_sink *sink)
{
	const char *why;

	if (!the.jvmti)
		return "it was not loaded";
	if (the.running)
		return "it runs already";
	the.sink = *sink;
	if (the.sink.depth > DEPTH_MOST)
		the.sink.depth = DEPTH_MOST;
	ag_code_events_catch_up(the.jvmti, jni);
	why = start(jni);
	if (why) {
		ag_cpu_signal_stop();
		free_ring();
		return why;
	}
	pthread_mutex_lock(&the.lock);
	the.running = true;
	pthread_mutex_unlock(&the.lock);
	add_threads();
	return NULL;
}

void ag_async_thread_start(jthread thread)
{
	if (ag_cpu_signal_is_on())
		ag_timers_add((pid_t)syscall(SYS_gettid),
			      the.sink.thread(the.sink.user, thread));
}

/* What it left in the ring must be taken out while its serial is known. */
void ag_async_thread_end(JNIEnv *jni)
{
	const pid_t tid = (pid_t)syscall(SYS_gettid);

	if (ag_timers_serial(tid))
		ag_async_flush(jni);
	ag_timers_remove(tid);
}

void ag_async_stop(JNIEnv *jni)
{
	if (!the.running)
		return;
	ag_cpu_signal_stop();
	pthread_mutex_lock(&the.lock);
	the.stop = true;
	pthread_cond_broadcast(&the.changed);
	while (!the.ended)
		pthread_cond_wait(&the.changed, &the.lock);
	empty(jni);
	the.running = false;
	pthread_mutex_unlock(&the.lock);
	pthread_cond_destroy(&the.changed);
	free_ring();
}
