/* SPDX-License-Identifier: MIT */
/*
 * test_retained_promise.c - reports in several threads go over all objects once: who
 * asks for sums that another one is about to find waits for these, and finds them alone
 * if they do not come.
 */
#include <criterion/criterion.h>

#include <pthread.h>
#include <sched.h>

#include <hprof.h>

#include "base/mem.h"
#include "graph/graph.h"
#include "random_heap.h"
#include "report/retained_sets.h"

enum { SEED = 7, LOOKS = 1000 };

/* A thread that asks for what classes retain, or for the dominator tree by kinds. */
struct asking {
	const struct hprof_graph *graph;
	bool kinds;
	pthread_t thread;
	bool began, ended; /* atomic */
	enum hprof_status status;
	uint64_t objects;
};

static void ask_for_kinds(struct asking *a)
{
	struct hprof_dominator_kinds *kinds;

	a->status = hprof_dominator_kinds_read(a->graph, &kinds, NULL);
	if (a->status < 0)
		return;
	for (size_t i = 0; i < kinds->count; i++)
		a->objects += kinds->rows[i].objects;
	hprof_dominator_kinds_free(kinds);
}

static void ask_for_classes(struct asking *a)
{
	struct hprof_retained_table *table;

	a->status = hprof_retained_read(a->graph, NULL, &table, NULL);
	if (a->status < 0)
		return;
	for (size_t i = 0; i < table->class_count; i++)
		a->objects += table->classes[i].objects;
	hprof_retained_table_free(table);
}

static void *ask(void *user)
{
	struct asking *a = user;

	__atomic_store_n(&a->began, true, __ATOMIC_RELEASE);
	if (a->kinds)
		ask_for_kinds(a);
	else
		ask_for_classes(a);
	__atomic_store_n(&a->ended, true, __ATOMIC_RELEASE);
	return NULL;
}

static bool has_ended(const struct asking *a)
{
	return __atomic_load_n(&a->ended, __ATOMIC_ACQUIRE);
}

static void begin_asking(struct asking *a, const struct hprof_graph *graph,
			 bool kinds)
{
	*a = (struct asking){ .graph = graph, .kinds = kinds };
	cr_assert_eq(pthread_create(&a->thread, NULL, ask, a), 0);
	while (!__atomic_load_n(&a->began, __ATOMIC_ACQUIRE))
		sched_yield();
	for (unsigned i = 0; i < LOOKS; i++) {
		cr_assert(!has_ended(a));
		sched_yield();
	}
}

static void end_asking(struct asking *a)
{
	cr_assert_eq(pthread_join(a->thread, NULL), 0);
	cr_expect_eq(a->status, HPROF_OK);
	cr_expect_eq(a->objects, hprof_graph_totals(a->graph)->reachable);
}

static const struct hprof_leak_options all_sums = { .size = sizeof all_sums,
						    .bytes = 1,
						    .sums = true };

static void check(bool kinds, bool keeps)
{
	struct hprof_leak_table *leaks = NULL;
	struct asking asking;
	struct opened o;

	open_random(&o, SEED);
	/* That is not ended if the search for suspects leaves what it finds. */
	cr_assert(hp_retained_paths_promise(o.graph));
	begin_asking(&asking, o.graph, kinds);
	if (keeps)
		cr_assert_eq(hprof_leaks_read(o.graph, &all_sums, &leaks, NULL),
			     HPROF_OK);
	else
		hp_retained_paths_end_promise(o.graph);
	end_asking(&asking);
	cr_expect(!keeps || o.graph->memo->found);
	hprof_leak_table_free(leaks);
	close_opened(&o);
}

Test(retained_promise, who_asks_waits, .timeout = 120)
{
	check(false, true);
	check(true, true);
}

Test(retained_promise, who_has_waited_in_vain_finds_it_alone, .timeout = 120)
{
	check(false, false);
	check(true, false);
}

/* Several who ask at once: each has all, and no promise is left. */
Test(retained_promise, each_of_several_has_all, .timeout = 120)
{
	enum { ASKING = 4 };
	struct asking asking[ASKING];
	struct opened o;

	open_random(&o, SEED);
	cr_assert(hp_retained_paths_promise(o.graph));
	for (unsigned i = 0; i < ASKING; i++)
		begin_asking(&asking[i], o.graph, true);
	hp_retained_paths_end_promise(o.graph);
	for (unsigned i = 0; i < ASKING; i++)
		end_asking(&asking[i]);
	cr_expect_not_null(o.graph->memo->found);
	cr_expect_eq(o.graph->memo->finders, 0);
	close_opened(&o);
}

/* They would wait for what cannot come. */
Test(retained_promise, is_not_made_for_too_many_paths, .timeout = 120)
{
	struct hprof_leak_table *leaks = NULL;
	struct opened o;

	open_random(&o, SEED);
	o.graph->memo->many_paths = true;
	cr_expect(!hp_retained_paths_promise(o.graph));
	cr_assert_eq(hprof_leaks_read(o.graph, &all_sums, &leaks, NULL),
		     HPROF_OK);
	cr_expect_null(o.graph->memo->found);
	cr_expect_eq(o.graph->memo->finders, 0);
	hprof_leak_table_free(leaks);
	close_opened(&o);
}

/* Or else others would wait for ever. */
Test(retained_promise, ends_without_memory, .timeout = 120)
{
	struct hprof_leak_table *leaks = NULL;
	struct asking asking;
	struct opened o;
	int64_t n = 0;

	open_random(&o, SEED);
	for (hp_mem_fail_after(0);
	     !had_memory(hprof_leaks_read(o.graph, &all_sums, &leaks, NULL));
	     hp_mem_fail_after(++n))
		cr_assert_eq(o.graph->memo->finders, 0, "allocation %d",
			     (int)n);
	cr_expect_gt(n, 10);
	cr_expect_eq(o.graph->memo->finders, 0);
	asking = (struct asking){ .graph = o.graph };
	ask(&asking);
	cr_expect_eq(asking.objects, hprof_graph_totals(o.graph)->reachable);
	hprof_leak_table_free(leaks);
	close_opened(&o);
}

Test(retained_promise, of_kinds_ends_without_memory, .timeout = 120)
{
	struct hprof_dominator_kinds *kinds = NULL;
	struct opened o;
	int64_t n = 0;

	open_random(&o, SEED);
	for (hp_mem_fail_after(0);
	     !had_memory(hprof_dominator_kinds_read(o.graph, &kinds, NULL));
	     hp_mem_fail_after(++n))
		cr_assert_eq(o.graph->memo->finders, 0, "allocation %d",
			     (int)n);
	cr_expect_gt(n, 5);
	cr_expect_not_null(o.graph->memo->found);
	cr_expect_eq(o.graph->memo->finders, 0);
	hprof_dominator_kinds_free(kinds);
	close_opened(&o);
}
