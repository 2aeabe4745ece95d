/* SPDX-License-Identifier: MIT */
/*
 * allocations.c - see allocations.h.
 *
 * A thread that lives when the event is enabled first uses up the buffer that
 * it allocates in, and on JDK 17 a gap that was drawn for the default interval.
 * Enabling the event before VMInit closes the first hole, and priming the
 * second: the main thread allocates arrays until the first one is reported.
 */
#include "agent/profile/allocations.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "agent/profile/class_list.h"
#include "agent/profile/clones.h"
#include "agent/profile/site_counts.h"
#include "agent/profile/site_scale.h"

/* In a callback, or allocating for the agent itself. */
static _Thread_local bool busy;
/* Between the calls of prime: has the JVM reported something? */
static _Thread_local bool reported;

/* The JVM gives the capability to one environment at a time. */
static _Atomic(const struct ag_allocations *) active;

static void JNICALL on_alloc(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			     jobject object, jclass class, jlong size)
{
	const struct ag_allocations *a = atomic_load(&active);

	(void)jvmti;
	if (!ag_allocations_enter())
		return;
	if (a)
		a->told(a->user, jni, thread, object, class, (uint64_t)size);
	ag_allocations_leave();
}

bool ag_allocations_prepare(const struct ag_allocations *a,
			    jvmtiEventCallbacks *callbacks)
{
	jvmtiCapabilities want;

	memset(&want, 0, sizeof want);
	want.can_generate_sampled_object_alloc_events = 1;
	if ((*a->jvmti)->AddCapabilities(a->jvmti, &want) != JVMTI_ERROR_NONE)
		return false;
	callbacks->SampledObjectAlloc = on_alloc;
	return true;
}

static bool is_before_17(jvmtiEnv *jvmti)
{
	char *version = NULL;
	bool is;

	if ((*jvmti)->GetSystemProperty(jvmti, "java.vm.specification.version",
					&version))
		return false;
	is = strtol(version, NULL, 10) < 17;
	(*jvmti)->Deallocate(jvmti, (unsigned char *)version);
	return is;
}

bool ag_allocations_enable(struct ag_allocations *a, bool on)
{
	jvmtiEnv *jvmti = a->jvmti;

	a->forgets = is_before_17(jvmti);
	if (on)
		atomic_store(&active, a);
	if (on && (*jvmti)->SetHeapSamplingInterval(
			  jvmti, (jint)atomic_load(&a->interval)))
		return false;
	return (*jvmti)->SetEventNotificationMode(
		       jvmti, on ? JVMTI_ENABLE : JVMTI_DISABLE,
		       JVMTI_EVENT_SAMPLED_OBJECT_ALLOC,
		       NULL) == JVMTI_ERROR_NONE;
}

bool ag_allocations_enter(void)
{
	reported = true;
	if (busy)
		return false;
	busy = true;
	return true;
}

void ag_allocations_leave(void)
{
	assert(busy);
	busy = false;
}

/* Makes arrays until an allocation of the thread is reported. */
static void allocate_until_reported(JNIEnv *jni, jsize size, int most,
				    jvmtiEnv *marks, jlong mark)
{
	reported = false;
	for (int i = 0; i < most && !reported; i++) {
		jbyteArray array = (*jni)->NewByteArray(jni, size);

		if (!array)
			break;
		if (marks)
			(*marks)->SetTag(marks, array, mark);
		(*jni)->DeleteLocalRef(jni, array);
	}
	(*jni)->ExceptionClear(jni);
}

enum { SMALL = 1 << 10, LARGE = 64 << 10, MOST = 4000 };

/*
 * Large ones end the wait for a sample that a JVM had begun. One that has no room
 * in the thread's buffer is reported by itself, though, while the buffer may still
 * be one without samples: what fits into it tells.
 */
void ag_allocations_prime(JNIEnv *jni, jvmtiEnv *marks, jlong mark)
{
	busy = true;
	allocate_until_reported(jni, LARGE, MOST, marks, mark);
	allocate_until_reported(jni, SMALL, MOST, marks, mark);
	busy = false;
}

/*
 * JDK 11 forgets, when it has tried in vain to put a large object into the
 * thread's buffer, that allocations there are to be reported, until the buffer is
 * full. In a callback.
 */
static void remind(const struct ag_allocations *a, JNIEnv *jni, uint64_t size)
{
	if (a->forgets && size >= SMALL && atomic_load(&a->interval) == 0)
		allocate_until_reported(jni, SMALL, MOST, NULL, 0);
}

/* The stack of the current thread. */
static void get_stack(const struct ag_allocations *a,
		      struct ag_allocation_stack *ret)
{
	const uint32_t depth = atomic_load(&a->depth);
	jint count = 0;

	assert(depth <= AG_MOST_FRAMES);
	if ((*a->jvmti)->GetStackTrace(a->jvmti, NULL, 0,
				       depth ? (jint)depth : 1, ret->frames,
				       &count) != JVMTI_ERROR_NONE)
		count = 0;
	ret->clone = count > 0 && ag_clones_is(ret->frames[0].method);
	ret->count = depth ? (uint32_t)count : 0;
}

uint32_t ag_allocations_count(const struct ag_allocations *a, JNIEnv *jni,
			      uint32_t thread, jclass class, uint64_t size,
			      struct ag_allocation_stack *ret_stack)
{
	const uint64_t interval = atomic_load(&a->interval);
	const uint64_t parts = ag_site_parts(interval, size);
	const uint32_t number = ag_class_list_number(a->classes, class);
	uint32_t trace;

	get_stack(a, ret_stack);
	remind(a, jni, size);
	trace = ag_traces_add(a->traces, jni, ret_stack->frames,
			      ret_stack->count, thread);
	if (number == 0 || trace == 0) {
		ag_site_counts_lose(a->counts, parts);
		return 0;
	}
	return ag_site_counts_add(a->counts, trace, number, parts,
				  ag_site_bytes(interval, size));
}
