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
#include <string.h>

#include "agent/profile/class_list.h"
#include "agent/profile/clones.h"
#include "agent/profile/site_counts.h"
#include "agent/profile/site_scale.h"

/* In a callback, or allocating for the agent itself. */
static _Thread_local bool busy;
/* Between the calls of prime: has the JVM reported something? */
static _Thread_local bool reported;

bool ag_allocations_prepare(jvmtiEnv *jvmti)
{
	jvmtiCapabilities want;

	memset(&want, 0, sizeof want);
	want.can_generate_sampled_object_alloc_events = 1;
	return (*jvmti)->AddCapabilities(jvmti, &want) == JVMTI_ERROR_NONE;
}

bool ag_allocations_enable(const struct ag_allocations *a, bool on)
{
	jvmtiEnv *jvmti = a->jvmti;

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

void ag_allocations_prime(JNIEnv *jni, jvmtiEnv *marks, jlong mark)
{
	enum { ARRAY = 64 << 10, MOST = 2000 };

	busy = true;
	reported = false;
	for (int i = 0; i < MOST && !reported; i++) {
		jbyteArray array = (*jni)->NewByteArray(jni, ARRAY);

		if (!array)
			break;
		if (marks)
			(*marks)->SetTag(marks, array, mark);
		(*jni)->DeleteLocalRef(jni, array);
	}
	(*jni)->ExceptionClear(jni);
	busy = false;
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
	trace = ag_traces_add(a->traces, jni, ret_stack->frames,
			      ret_stack->count, thread);
	if (number == 0 || trace == 0) {
		ag_site_counts_lose(a->counts, parts);
		return 0;
	}
	return ag_site_counts_add(a->counts, trace, number, parts,
				  ag_site_bytes(interval, size));
}
