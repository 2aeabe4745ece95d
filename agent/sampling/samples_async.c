/* SPDX-License-Identifier: MIT */
/*
 * samples_async.c - see samples_async.h.
 *
 * Handlers take stacks and put them into a ring, which a thread of the agent
 * empties. There is one handler in a process, so there is one such sampler: the
 * state is static, and so a late signal finds it whatever has ended. The JVM
 * must have made the ids of all methods beforehand, since AsyncGetCallTrace
 * cannot: they are asked for when a class is prepared.
 *
 * The signal is SIGPROF, which HotSpot leaves to profilers. A handler that is
 * there already stays: then this sampler refuses to start. In the end the
 * signal is ignored rather than given back its default, which would end the
 * process when a late one arrives.
 */
#include "agent/sampling/samples_async.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/common/agent_thread.h"
#include "agent/common/environment.h"
#include "agent/sampling/async_stack.h"
#include "agent/sampling/code_map.h"
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
	atomic_bool armed;	/* handlers may use the ring */
	atomic_uint inside;	/* handlers that run */
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

static void on_signal(int number, siginfo_t *info, void *context)
{
	const int saved = errno;

	(void)number;
	atomic_fetch_add(&the.inside, 1);
	if (atomic_load(&the.armed)) {
		const uint64_t weight = ag_timers_weight(info);

		if (weight) {
			take_sample(context, weight);
			ag_timers_rearm(info);
		}
	}
	atomic_fetch_sub(&the.inside, 1);
	errno = saved;
}

static const char *set_handler(void)
{
	struct sigaction old, ours;

	if (sigaction(SIGPROF, NULL, &old))
		return "SIGPROF cannot be handled";
	if ((old.sa_flags & SA_SIGINFO)
		    ? old.sa_sigaction != on_signal
		    : old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN)
		return "the program has a handler of SIGPROF already";
	memset(&ours, 0, sizeof ours);
	ours.sa_sigaction = on_signal;
	ours.sa_flags = SA_SIGINFO | SA_RESTART;
	sigemptyset(&ours.sa_mask);
	return sigaction(SIGPROF, &ours, NULL) ? "SIGPROF cannot be handled"
					       : NULL;
}

/* Whoever has replaced our handler meanwhile keeps theirs. */
static void ignore_signal(void)
{
	struct sigaction now;

	if (sigaction(SIGPROF, NULL, &now) || !(now.sa_flags & SA_SIGINFO) ||
	    now.sa_sigaction != on_signal)
		return;
	memset(&now, 0, sizeof now);
	now.sa_handler = SIG_IGN;
	sigaction(SIGPROF, &now, NULL);
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

/* ---- events -------------------------------------------------------------- */

static void make_method_ids(jvmtiEnv *jvmti, jclass class)
{
	jmethodID *methods;
	jint count;

	if (!(*jvmti)->GetClassMethods(jvmti, class, &count, &methods))
		(*jvmti)->Deallocate(jvmti, (unsigned char *)methods);
}

/* AsyncGetCallTrace wants somebody to listen to this event. */
static void JNICALL on_class_load(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
				  jclass class)
{
	(void)jvmti;
	(void)jni;
	(void)thread;
	(void)class;
}

static void JNICALL on_class_prepare(jvmtiEnv *jvmti, JNIEnv *jni,
				     jthread thread, jclass class)
{
	(void)jni;
	(void)thread;
	make_method_ids(jvmti, class);
}

static void JNICALL on_code(jvmtiEnv *jvmti, jmethodID method, jint size,
			    const void *code, jint count,
			    const jvmtiAddrLocationMap *map, const void *info)
{
	(void)jvmti;
	(void)count;
	(void)map;
	(void)info;
	ag_async_know_code(code, (uintptr_t)size);
	ag_code_add(method, code, (uintptr_t)size);
}

static void JNICALL on_code_gone(jvmtiEnv *jvmti, jmethodID method,
				 const void *code)
{
	(void)jvmti;
	(void)method;
	ag_code_remove(code);
}

/* The interpreter and stubs. */
static void JNICALL on_stub(jvmtiEnv *jvmti, const char *name, const void *code,
			    jint size)
{
	(void)jvmti;
	(void)name;
	ag_async_know_code(code, (uintptr_t)size);
}

static const jvmtiEvent events[] = {
	JVMTI_EVENT_CLASS_LOAD,
	JVMTI_EVENT_CLASS_PREPARE,
	JVMTI_EVENT_COMPILED_METHOD_LOAD,
	JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
	JVMTI_EVENT_DYNAMIC_CODE_GENERATED,
};
static bool subscribe(jvmtiEnv *jvmti)
{
	jvmtiEventCallbacks callbacks;
	jvmtiCapabilities want;

	memset(&want, 0, sizeof want);
	want.can_generate_compiled_method_load_events = 1;
	memset(&callbacks, 0, sizeof callbacks);
	callbacks.ClassLoad = on_class_load;
	callbacks.ClassPrepare = on_class_prepare;
	callbacks.CompiledMethodLoad = on_code;
	callbacks.CompiledMethodUnload = on_code_gone;
	callbacks.DynamicCodeGenerated = on_stub;
	return !(*jvmti)->AddCapabilities(jvmti, &want) &&
	       !(*jvmti)->SetEventCallbacks(jvmti, &callbacks,
					    (jint)sizeof callbacks);
}

const char *ag_async_load(JavaVM *vm)
{
	const char *why = ag_async_prepare(vm);
	jvmtiEnv *jvmti;

	if (why || the.jvmti)
		return why;
	jvmti = ag_environment(vm);
	if (!jvmti)
		return "there is no tool interface";
	if (!subscribe(jvmti)) {
		(*jvmti)->DisposeEnvironment(jvmti);
		return "this JVM does not tell what it compiles";
	}
	the.vm = vm;
	the.jvmti = jvmti;
	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		(*the.jvmti)
			->SetEventNotificationMode(the.jvmti, JVMTI_ENABLE,
						   events[i], NULL);
	return NULL;
}

/* ---- starting and stopping ----------------------------------------------- */

/* What was there before the events were enabled. */
static void catch_up(JNIEnv *jni)
{
	jvmtiEnv *jvmti = the.jvmti;
	jclass *classes;
	jint count;

	(*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
	(*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_COMPILED_METHOD_LOAD);
	if ((*jvmti)->GetLoadedClasses(jvmti, &count, &classes))
		return;
	for (jint i = 0; i < count; i++) {
		make_method_ids(jvmti, classes[i]);
		(*jni)->DeleteLocalRef(jni, classes[i]);
	}
	(*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
}

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
	why = set_handler();
	if (why)
		return why;
	ag_timers_init(SIGPROF, the.sink.interval_ns);
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
	catch_up(jni);
	why = start(jni);
	if (why) {
		ignore_signal();
		free_ring();
		return why;
	}
	pthread_mutex_lock(&the.lock);
	the.running = true;
	pthread_mutex_unlock(&the.lock);
	atomic_store(&the.armed, true);
	add_threads();
	return NULL;
}

void ag_async_thread_start(jthread thread)
{
	if (atomic_load(&the.armed))
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

/* Handlers that run now come to their end; later ones do nothing. */
static void disarm(void)
{
	const struct timespec moment = { 0, 1000000 };

	atomic_store(&the.armed, false);
	ag_timers_remove_all();
	while (atomic_load(&the.inside))
		nanosleep(&moment, NULL);
	ignore_signal();
}

void ag_async_stop(JNIEnv *jni)
{
	if (!the.running)
		return;
	disarm();
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
