/* SPDX-License-Identifier: MIT */
/*
 * test_visit_stack.c - what was visited goes from the stack of a search when there is no
 * more room.
 */
#include <criterion/criterion.h>

#include "graph/visit_stack.h"

enum { ITEMS = 1 << 18, LIST = 1 << 10, WORDS = 2 * ITEMS / 64 };

struct made {
	struct hp_build build;
	struct hprof_error error;
	struct hp_visit_stack stack;
	uint64_t state[WORDS];
};

/*
 * A full stack of ITEMS nodes, pushed in lists. Of each list the places from BEGIN to END
 * have been visited meanwhile.
 */
static struct made *make(unsigned begin, unsigned end)
{
	struct made *m = calloc(1, sizeof *m);
	uint64_t top = 0;

	cr_assert_not_null(m);
	m->build.error = &m->error;
	cr_assert_eq(
		hp_visit_stack_make(&m->build, 4 * ITEMS, ITEMS, &m->stack),
		HPROF_OK);
	cr_assert_eq(hp_visit_stack_room(&m->stack, m->state, &top, 1),
		     HPROF_OK);
	cr_assert_eq(m->stack.backed, ITEMS);
	for (uint32_t i = 0; i < ITEMS; i++) {
		m->stack.items[i] = (struct hp_visit){ .node = i };
		if (i % LIST >= begin && i % LIST < end)
			hp_bit_set(m->state, 2 * (uint64_t)i);
	}
	return m;
}

static void drop(struct made *m)
{
	hp_visit_stack_done(&m->stack);
	free(m);
}

/* Wherever in the lists those are that were visited: no memory is taken for them. */
Test(visit_stack, sweeps_what_is_visited_of_lists)
{
	enum { SOME = LIST / 4 + 8 };

	for (unsigned begin = 0; begin + SOME <= LIST; begin += LIST / 8) {
		struct made *m = make(begin, begin + SOME);
		uint64_t top = ITEMS;

		cr_assert_eq(hp_visit_stack_room(&m->stack, m->state, &top, 1),
			     HPROF_OK);
		cr_assert_eq(top, ITEMS / LIST * (LIST - SOME),
			     "visited: from %u on", begin);
		cr_assert_eq(m->stack.backed, ITEMS);
		for (uint64_t i = 0; i < top; i++)
			cr_assert_not(hp_is_visited(m->state,
						    m->stack.items[i].node));
		drop(m);
	}
}

/* With little to drop there is more memory, and all stays as it is. */
Test(visit_stack, grows_where_little_is_visited)
{
	struct made *m = make(0, LIST / 32);
	uint64_t top = ITEMS;

	cr_assert_eq(hp_visit_stack_room(&m->stack, m->state, &top, 1),
		     HPROF_OK);
	cr_assert_eq(top, ITEMS);
	cr_assert_gt(m->stack.backed, ITEMS);
	for (uint32_t i = 0; i < ITEMS; i++)
		cr_assert_eq(m->stack.items[i].node, i);
	drop(m);
}
