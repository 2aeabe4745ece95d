/* SPDX-License-Identifier: MIT */
/*
 * test_traces.c - the table of traces: equal stacks have one serial, and methods are
 * known when their class is gone.
 */
#include <criterion/criterion.h>
#include <pthread.h>

#include "base/mem.h"
#include "tracing.h"

static jvmtiEnv jvmti = &tracing_jvmti;
static JNIEnv jni = &tracing_jni;

TestSuite(traces, .init = tracing_set_up, .fini = tracing_tear_down);

/* A trace of one frame. */
static uint32_t add_one(unsigned number, jlocation location, uint32_t thread)
{
	const jvmtiFrameInfo frame = { method(number), location };

	return ag_traces_add(traces, &jni, &frame, 1, thread);
}

Test(traces, a_stack_has_one_serial)
{
	const jvmtiFrameInfo two[] = { { method(0), 1 }, { method(1), 2 } };
	uint32_t serials[5];

	cr_assert_eq(ag_traces_add(traces, &jni, NULL, 0, 0), AG_TRACE_EMPTY);
	serials[0] = add_one(0, 1, 0);
	serials[1] = add_one(0, 2, 0);
	serials[2] = add_one(0, 1, 7);
	serials[3] = ag_traces_add(traces, &jni, two, 2, 0);
	serials[4] = ag_traces_add(traces, &jni, NULL, 0, 7);
	cr_assert_eq(serials[0], AG_TRACE_FIRST);
	for (int i = 1; i < 5; i++)
		cr_assert_eq(serials[i], serials[i - 1] + 1);
	cr_assert_eq(add_one(0, 1, 0), serials[0]);
	cr_assert_eq(add_one(0, 1, 7), serials[2]);
	cr_assert_eq(ag_traces_add(traces, &jni, two, 2, 0), serials[3]);
}

Test(traces, without_lines_a_place_is_a_method)
{
	ag_traces_free(traces);
	traces = ag_traces_new(&jvmti, classes, false);
	cr_assert_eq(add_one(0, 1, 0), add_one(0, 9, 0));
	cr_assert_neq(add_one(0, 1, 0), add_one(1, 1, 0));
}

/* What is known of a method was asked before its class was unloaded. */
Test(traces, methods_outlive_their_classes)
{
	const struct ag_method *m;

	add_one(1, 5, 0);
	add_one(3, 0, 0);
	methods[1].unloaded = true;
	m = ag_traces_method(traces, method(1));
	cr_assert_str_eq(m->name, "sell");
	cr_assert_str_eq(m->source, "Shop.java");
	cr_assert_eq(ag_method_line(m, 7), 20);
	cr_assert_str_eq(ag_class_list_signature(classes, m->class_serial),
			 "LShop;");
	cr_assert_null(ag_traces_method(traces, method(3))->name);
	cr_assert_null(ag_traces_method(traces, method(2))->name);
	methods[1].unloaded = false;
}

/* As another loader defines it: equal in all that is known. */
static struct class shop_again = { .signature = "LShop;",
				   .source = "Shop.java" };
static struct class booth = { .signature = "LBooth;", .source = "Shop.java" };

/* A program that loads a class for ever has as many traces as one that does so once. */
Test(traces, equal_methods_are_one_in_traces)
{
	static struct method copies[] = {
		{ "sell", &shop_again, false, false },
		{ "sell", &booth, false, false },
		{ "sell", &shop_again, true, false },
	};
	jvmtiFrameInfo stack[] = { { method(0), 1 }, { method(1), 2 } };
	const uint32_t first = ag_traces_add(traces, &jni, stack, 2, 0);
	struct ag_trace_list list;

	stack[1].method = (jmethodID)(void *)&copies[0];
	cr_assert_eq(ag_traces_add(traces, &jni, stack, 2, 0), first);
	cr_assert_eq(ag_traces_add(traces, &jni, stack, 2, 0), first);
	cr_assert_neq(ag_traces_add(traces, &jni, stack, 2, 7), first);
	cr_assert_str_eq(ag_traces_method(traces, stack[1].method)->name,
			 "sell");
	for (unsigned i = 1; i < 3; i++) {
		stack[1].method = (jmethodID)(void *)&copies[i];
		cr_assert_eq(ag_traces_add(traces, &jni, stack, 2, 0),
			     first + 1 + i);
	}
	cr_assert(ag_traces_list(traces, &list));
	cr_assert_eq(list.count, 4);
	/* Shop, Booth, and the other Shop, for what it has of its own. */
	cr_assert_eq(ag_class_list_count(classes), 3);
	hp_free(list.all);
}

Test(traces, a_full_table_knows_what_it_has)
{
	const uint32_t first = add_one(0, 0, 0);
	uint32_t last = first;

	cr_assert_not(ag_traces_full(traces));
	ag_traces_limit(traces, 10000);
	for (jlocation i = 1; i < 1000 && last; i++)
		last = add_one(0, i, 0);
	cr_assert_eq(last, 0);
	cr_assert(ag_traces_full(traces));
	cr_assert_eq(add_one(0, 0, 0), first);
	cr_assert_eq(add_one(1, 0, 0), 0);
}

Test(traces, traces_are_listed_by_serial)
{
	struct ag_trace_list list;

	for (jlocation i = 0; i < 100; i++)
		add_one(0, i, 0);
	cr_assert(ag_traces_list(traces, &list));
	cr_assert_eq(list.count, 100);
	for (uint32_t i = 0; i < 100; i++) {
		cr_assert_eq(list.all[i]->serial, AG_TRACE_FIRST + i);
		cr_assert_eq(ag_trace_find(&list, AG_TRACE_FIRST + i),
			     list.all[i]);
	}
	cr_assert_null(ag_trace_find(&list, AG_TRACE_EARLY));
	cr_assert_null(ag_trace_find(&list, AG_TRACE_FIRST + 100));
	hp_free(list.all);
}

enum { THREADS = 4, STACKS = 3000 };

static void *add_all(void *serials)
{
	for (unsigned i = 0; i < STACKS; i++)
		((uint32_t *)serials)[i] = add_one(i % 3, (jlocation)i / 3, 0);
	return NULL;
}

/* Threads that add the same stacks at the same time get the same serials. */
Test(traces, threads_agree)
{
	static uint32_t serials[THREADS][STACKS];
	pthread_t threads[THREADS];
	struct ag_trace_list list;

	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(
			pthread_create(&threads[i], NULL, add_all, serials[i]),
			0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 1; i < THREADS; i++)
		cr_assert_arr_eq(serials[i], serials[0], sizeof serials[0]);
	cr_assert(ag_traces_list(traces, &list));
	cr_assert_eq(list.count, STACKS);
	hp_free(list.all);
}

Test(traces, a_trace_without_memory_is_none)
{
	cr_assert_eq(add_one(0, 1, 0), AG_TRACE_FIRST);
	for (int i = 0; i < 2; i++) { /* the trace, its method */
		hp_mem_fail_after(i);
		cr_assert_eq(add_one(1, 1, 0), 0);
	}
	hp_mem_fail_after(0);
	cr_assert_eq(add_one(0, 1, 0), AG_TRACE_FIRST, "it is known");
	hp_mem_fail_after(-1);
	cr_assert_eq(add_one(1, 1, 0), AG_TRACE_FIRST + 1);
}
