/* SPDX-License-Identifier: MIT */
/*
 * tracker.c - defines the tracker's classes and calls its private methods.
 */
#include "agent/instrument/tracker.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/instrument/method_numbers.h"
#include "agent/instrument/tracker_class.h"
#include "base/mem.h"

/* The class and its methods, once it is defined. */
static struct {
	jclass class; /* a global reference */
	jmethodID engage, disengage, clear, end_thread, collect;
} tracker;

static _Atomic(uint32_t (*)(JNIEnv *)) thread_serial;
static unsigned depth_now;

/* ---- what the tracker calls ---------------------------------------------- */

static jlong JNICALL processor_time(JNIEnv *jni, jclass class)
{
	struct timespec t = { 0 };

	(void)jni;
	(void)class;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (jlong)t.tv_sec * 1000000000 + t.tv_nsec;
}

static jlong JNICALL serial(JNIEnv *jni, jclass class)
{
	uint32_t (*ask)(JNIEnv *) = atomic_load(&thread_serial);

	(void)class;
	return ask ? (jlong)ask(jni) : 0;
}

/* ---- defining it --------------------------------------------------------- */

static bool find_method(JNIEnv *jni, const char *name, const char *descriptor,
			jmethodID *ret)
{
	*ret = (*jni)->GetStaticMethodID(jni, tracker.class, name, descriptor);
	return ag_jni_went_well(jni, *ret);
}

static bool register_natives(JNIEnv *jni)
{
	char time_name[] = "processorTime", serial_name[] = "threadSerial";
	char descriptor[] = "()J";
	const JNINativeMethod natives[] = {
		{ time_name, descriptor, (void *)processor_time },
		{ serial_name, descriptor, (void *)serial },
	};

	jclass class = (*jni)->FindClass(jni, AG_TRACKER_NATIVES);
	bool done;

	if (!ag_jni_went_well(jni, class))
		return false;
	done = (*jni)->RegisterNatives(jni, class, natives, 2) == 0;
	(*jni)->DeleteLocalRef(jni, class);
	return done;
}

static bool find_class(JNIEnv *jni)
{
	jclass class = (*jni)->FindClass(jni, AG_TRACKER_CLASS);

	if (!ag_jni_went_well(jni, class))
		return false;
	tracker.class = (*jni)->NewGlobalRef(jni, class);
	(*jni)->DeleteLocalRef(jni, class);
	return tracker.class != NULL;
}

bool ag_tracker_define(JNIEnv *jni)
{
	if (tracker.class)
		return true;
	if (!ag_class_files_define(jni, &ag_tracker_files) || !find_class(jni))
		return false;
	if (register_natives(jni) &&
	    find_method(jni, "engage", "(IZLjava/lang/Class;)V",
			&tracker.engage) &&
	    find_method(jni, "disengage", "()V", &tracker.disengage) &&
	    find_method(jni, "clear", "()V", &tracker.clear) &&
	    find_method(jni, "endThread", "()V", &tracker.end_thread) &&
	    find_method(jni, "collect", "()[J", &tracker.collect))
		return true;
	ag_jni_went_well(jni, NULL);
	(*jni)->DeleteGlobalRef(jni, tracker.class);
	tracker.class = NULL;
	return false;
}

/* ---- calling it ---------------------------------------------------------- */

bool ag_tracker_engage(JNIEnv *jni, unsigned depth, uint32_t (*ask)(JNIEnv *))
{
	jclass virtual_thread =
		(*jni)->FindClass(jni, "java/lang/VirtualThread");

	ag_jni_went_well(jni, virtual_thread); /* before JDK 19 there is none */
	atomic_store(&thread_serial, ask);
	depth_now = depth;
	(*jni)->CallStaticVoidMethod(jni, tracker.class, tracker.engage,
				     (jint)depth, (jboolean)(ask != NULL),
				     virtual_thread);
	if (virtual_thread)
		(*jni)->DeleteLocalRef(jni, virtual_thread);
	return ag_jni_went_well(jni, tracker.class);
}

static void call(JNIEnv *jni, jmethodID method)
{
	if (!tracker.class)
		return;
	(*jni)->CallStaticVoidMethod(jni, tracker.class, method);
	ag_jni_went_well(jni, NULL);
}

void ag_tracker_disengage(JNIEnv *jni)
{
	call(jni, tracker.disengage);
}

void ag_tracker_clear(JNIEnv *jni)
{
	call(jni, tracker.clear);
}

void ag_tracker_end_thread(JNIEnv *jni)
{
	call(jni, tracker.end_thread);
}

/* ---- rows ---------------------------------------------------------------- */

/* As the tracker has them: count, total, self, thread, methods. */
enum { COUNT, TOTAL, SELF, THREAD, METHODS };

static void read_row(const jlong *from, unsigned depth, struct ag_time_row *row,
		     uint32_t *methods)
{
	*row = (struct ag_time_row){ .count = (uint64_t)from[COUNT],
				     .total_ns = from[TOTAL],
				     .self_ns = from[SELF],
				     .thread = (uint32_t)from[THREAD],
				     .methods = methods };
	for (unsigned i = 0; i < depth; i++)
		methods[i] = (uint32_t)from[METHODS + i] &
			     ~AG_METHOD_SWITCHES_THREAD;
}

/* qsort has no room for it; reports are made one at a time. */
static _Thread_local unsigned depth_of_rows;

static int by_trace(const void *left, const void *right)
{
	const struct ag_time_row *a = left, *b = right;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	for (unsigned i = 0; i < depth_of_rows; i++)
		if (a->methods[i] != b->methods[i])
			return a->methods[i] < b->methods[i] ? -1 : 1;
	return 0;
}

/* Different threads had the same traces. */
static void merge(struct ag_times *t)
{
	size_t kept = 0;

	depth_of_rows = t->depth;
	qsort(t->rows, t->count, sizeof *t->rows, by_trace);
	for (size_t i = 0; i < t->count; i++) {
		struct ag_time_row *last = kept ? &t->rows[kept - 1] : NULL;
		if (!last || by_trace(last, &t->rows[i]) != 0) {
			t->rows[kept++] = t->rows[i];
			continue;
		}
		last->count += t->rows[i].count;
		last->total_ns += t->rows[i].total_ns;
		last->self_ns += t->rows[i].self_ns;
	}
	t->count = kept;
}

static bool read_rows(const jlong *from, size_t count, unsigned depth,
		      struct ag_times *ret)
{
	struct ag_times t = { .depth = depth };
	size_t width = METHODS + (size_t)depth;

	t.rows = hp_calloc(count + 1, sizeof *t.rows);
	t.methods = hp_calloc(count * depth + 1, sizeof *t.methods);
	if (!t.rows || !t.methods) {
		ag_times_done(&t);
		return false;
	}
	/* The rest is empty, and a row without frames was being made. */
	for (size_t i = 0; i < count && from[i * width + COUNT] > 0; i++)
		if (depth == 0 || from[i * width + METHODS] != 0) {
			read_row(from + i * width, depth, &t.rows[t.count],
				 t.methods + t.count * depth);
			t.count++;
		}
	merge(&t);
	*ret = t;
	return true;
}

bool ag_tracker_collect(JNIEnv *jni, struct ag_times *ret)
{
	jlongArray array;
	jlong *numbers;
	size_t size;
	bool done;

	if (!tracker.class)
		return false;
	array = (*jni)->CallStaticObjectMethod(jni, tracker.class,
					       tracker.collect);
	if (!ag_jni_went_well(jni, array))
		return false;
	size = (size_t)(*jni)->GetArrayLength(jni, array);
	numbers = hp_calloc(size + 1, sizeof *numbers);
	if (numbers)
		(*jni)->GetLongArrayRegion(jni, array, 0, (jsize)size, numbers);
	done = numbers &&
	       read_rows(numbers, size / (METHODS + depth_now), depth_now, ret);
	hp_free(numbers);
	(*jni)->DeleteLocalRef(jni, array);
	return done;
}

void ag_times_done(struct ag_times *times)
{
	hp_free(times->rows);
	hp_free(times->methods);
}
