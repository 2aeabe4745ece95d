/* SPDX-License-Identifier: MIT */
/*
 * test_marks.c - the marks of objects while their tags are places in a dump. The heap is
 * an array of tags.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "agent/profile/marks.h"
#include "agent/profile/trace_table.h"
#include "base/mem.h"

/* The tags of all objects that have one, which the heap is for marks. */
static jlong heap[8];

static jvmtiError JNICALL iterate(jvmtiEnv *jvmti, jint filter, jclass class,
				  const jvmtiHeapCallbacks *callbacks,
				  const void *user)
{
	(void)jvmti;
	(void)class;
	cr_assert_eq(filter, JVMTI_HEAP_FILTER_UNTAGGED);
	for (size_t i = 0; i < sizeof heap / sizeof *heap; i++)
		if (heap[i])
			callbacks->heap_iteration_callback(0, 16, &heap[i], -1,
							   (void *)user);
	return JVMTI_ERROR_NONE;
}

static const struct jvmtiInterface_1_ jvmti_functions = {
	.IterateThroughHeap = iterate,
};
static jvmtiEnv jvmti = &jvmti_functions;

static uint32_t trace_of[] = { 900, 901, 902 };

static struct ag_marks marks_of_objects(void)
{
	struct ag_marks m = { .jvmti = &jvmti,
			      .trace_of = trace_of,
			      .site_count = 3 };

	ag_marks_note(&m, 2, AG_MARK | 1);
	ag_marks_note(&m, 3, AG_MARK);		 /* our own */
	ag_marks_note(&m, 4, 0);		 /* unknown */
	ag_marks_note(&m, 5, AG_MARK_CLASS | 2); /* no site */
	ag_marks_note(&m, 6, AG_MARK | AG_MARK_SEEN | 3);
	ag_marks_note(&m, 9, AG_MARK | 4); /* newer than the report */
	return m;
}

Test(marks, marks_are_found_by_place)
{
	struct ag_marks m = marks_of_objects();

	cr_assert_eq(ag_marks_trace(&m, 2), 900);
	cr_assert_eq(ag_marks_trace(&m, 6), 902);
	for (uint32_t place = 3; place < 6; place++)
		cr_assert_eq(ag_marks_trace(&m, place), AG_TRACE_EMPTY);
	cr_assert_eq(ag_marks_trace(&m, 9), AG_TRACE_EMPTY);
	cr_assert_eq(ag_marks_trace(&m, 10), AG_TRACE_EMPTY);
	hp_free(m.noted);
}

/* The tags of a dump are places; those of the sites come back. */
Test(marks, marks_are_put_back)
{
	struct ag_marks m = marks_of_objects();
	const jlong before[8] = { 2, 3, 6, 9, (jlong)(AG_MARK | 2) };
	const jlong after[8] = { (jlong)(AG_MARK | 1), 0, (jlong)(AG_MARK | 3),
				 (jlong)(AG_MARK | 4), (jlong)(AG_MARK | 2) };

	memcpy(heap, before, sizeof heap);
	ag_marks_restore(&m);
	cr_assert_arr_eq(heap, after, sizeof heap);
	cr_assert_null(m.noted);
	cr_assert_eq(m.count, 0);
}

Test(marks, marks_without_memory_are_counted)
{
	struct ag_marks m = { .jvmti = &jvmti,
			      .trace_of = trace_of,
			      .site_count = 3 };

	hp_mem_fail_after(0);
	ag_marks_note(&m, 2, AG_MARK | 1);
	hp_mem_fail_after(-1);
	ag_marks_note(&m, 3, AG_MARK | 2);
	cr_assert_eq(m.lost, 1);
	cr_assert_eq(ag_marks_trace(&m, 2), AG_TRACE_EMPTY);
	cr_assert_eq(ag_marks_trace(&m, 3), 901);
	hp_free(m.noted);
}
