/* SPDX-License-Identifier: MIT */
/*
 * test_dominator_children.c - the lists of children below some tops are those that a
 * look at each object gives: in random heaps, and in lists that are so long that the
 * way down is found in another way.
 */
#include <criterion/criterion.h>

#include "base/mem.h"
#include "leaks/dominator_children.h"
#include "heaps.h"
#include "maker.h"
#include "random_heap.h"

static uint32_t dominator(const struct opened *o, uint32_t node)
{
	return hp_graph_dominator_node(o->graph, node);
}

static uint64_t retained(const struct opened *o, uint32_t node)
{
	return hprof_graph_retained(o->graph, node);
}

/* Whether NODE is a top, or is below one and retains half of what that does. */
static bool is_wanted(const struct opened *o, const uint32_t *tops,
		      size_t count, uint32_t node)
{
	if (!hprof_graph_is_reachable(o->graph, node))
		return false;
	for (size_t i = 0; i < count; i++)
		for (uint32_t at = node; at != HP_NO_NODE;
		     at = dominator(o, at))
			if (at == tops[i])
				return at == node ||
				       retained(o, node) >= retained(o, at) / 2;
	return false;
}

static void check_list(const struct opened *o,
		       const struct hp_dominator_children *k, uint32_t node)
{
	const uint32_t *end, *child = hp_dominator_children_get(k, node, &end);

	for (uint32_t i = 0; i < hprof_heap_count(o->heap); i++) {
		if (!hprof_graph_is_reachable(o->graph, i) ||
		    dominator(o, i) != node)
			continue;
		cr_assert(child < end);
		cr_assert_eq(*child++, i);
	}
	cr_assert(child == end);
}

/* Returns how many lists there are. */
static unsigned check_tops(const struct opened *o, const uint32_t *tops,
			   size_t count)
{
	struct hp_dominator_children k;
	unsigned lists = 0;

	cr_assert_eq(
		hp_dominator_children_of_tops(&k, o->graph, tops, count, NULL),
		HPROF_OK);
	for (uint32_t i = 0; i < hprof_heap_count(o->heap); i++) {
		bool has = hp_dominator_children_has(&k, i);
		cr_assert_eq(has, is_wanted(o, tops, count, i), "object %u", i);
		if (has)
			check_list(o, &k, i);
		lists += has;
	}
	hp_dominator_children_done(&k);
	return lists;
}

/* What no other object dominates, up to COUNT: none is below another one. */
static size_t find_tops(const struct opened *o, uint32_t *tops, size_t count)
{
	size_t found = 0;

	for (uint32_t i = 0; i < hprof_heap_count(o->heap) && found < count;
	     i++)
		if (hprof_graph_is_reachable(o->graph, i) &&
		    dominator(o, i) == HP_NO_NODE)
			tops[found++] = i;
	return found;
}

Test(dominator_children, of_random_heaps)
{
	unsigned lists = 0, all = 0;

	for (uint64_t seed = 0; seed < 60; seed++) {
		uint32_t tops[RANDOM_OBJECTS];
		struct opened o;

		open_random(&o, seed * 1000);
		for (size_t most = 1; most <= RANDOM_OBJECTS; most *= 4) {
			size_t count = find_tops(&o, tops, most);
			lists += check_tops(&o, tops, count);
			all += (unsigned)count;
		}
		close_opened(&o);
	}
	cr_expect_gt(lists, all);
}

/* Lists of the lengths from 1 on, each held by a root. */
static void open_lists(struct opened *o, uint32_t longest)
{
	struct maker m = maker_begin(8);

	maker_load(&m, 0x10, "java/lang/Object");
	maker_load(&m, 0x20, "app/Node");
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_class(&m, &(struct maker_class){ .class_id = 0x10 });
	maker_class(&m, &(struct maker_class){ .class_id = 0x20,
					       .super_id = 0x10,
					       .instance_size = 8,
					       .fields = "L" });
	for (uint32_t length = 1; length <= longest; length++) {
		uint64_t id = 0x10000 * (uint64_t)length;

		maker_root(&m, id);
		for (uint32_t i = 1; i <= length; i++, id += 0x10) {
			uint8_t data[8] = { 0 };

			if (i < length)
				maker_id(data, id + 0x10);
			maker_fields(&m, id, 0x20, data, sizeof data);
		}
	}
	maker_heap_end(&m);
	cr_assert(open_bytes(o, m.out.bytes, m.out.size, 2));
	buffer_free(&m.out);
}

Test(dominator_children, of_short_and_long_lists)
{
	enum { LONGEST = 40 };
	uint32_t tops[LONGEST + 2];
	struct opened o;

	open_lists(&o, LONGEST);
	for (size_t most = 2; most <= LONGEST + 2; most++) {
		size_t count = find_tops(&o, tops, most);
		cr_expect_geq(check_tops(&o, tops, count), count);
	}
	close_opened(&o);
}

Test(dominator_children, without_memory)
{
	uint32_t tops[RANDOM_OBJECTS];
	struct hp_dominator_children k;
	int64_t after = 0;
	struct opened o;

	open_random(&o, 3);
	size_t count = find_tops(&o, tops, RANDOM_OBJECTS);
	for (;; after++) {
		hp_mem_fail_after(after);
		enum hprof_status status = hp_dominator_children_of_tops(
			&k, o.graph, tops, count, NULL);
		hp_mem_fail_after(-1);
		hp_dominator_children_done(&k);
		if (status == HPROF_OK)
			break;
		cr_assert_eq(status, HPROF_E_NOMEM);
	}
	cr_expect_gt(after, 5);
	close_opened(&o);
}
