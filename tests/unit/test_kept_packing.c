/* SPDX-License-Identifier: MIT */
/*
 * test_kept_packing.c - the references that a graph packs are those that one with all
 * of them chooses, in the same order: for each object of heaps that are made at random,
 * with long arrays, class objects and what is not in the dump among the targets. Nor
 * does it matter for dominators which of both their edges are taken from.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "graph/kept_references.h"
#include "heaps.h"
#include "maker.h"

enum { FIELDS = 3, ID = 0x10000, NODE = 0x200, ARRAY = 0x300, MOST = 400 };

/* Nothing, a class, what is not there, or any object. */
static uint64_t any(struct maker *m, uint64_t count)
{
	switch (maker_random(m, 20)) {
	case 0:
		return maker_random(m, 2) ? NODE : ARRAY;
	case 1:
		return 8;
	default:
		return maker_random(m, 2) ? 0
					  : ID + 16 * maker_random(m, count);
	}
}

static void put_object(struct maker *m, uint64_t i, uint64_t count)
{
	uint8_t ids[8 * MOST] = { 0 };
	unsigned length = FIELDS;

	if (maker_random(m, 200) == 0)
		length = (unsigned)maker_random(m, MOST);
	for (unsigned k = 0; k < length; k++)
		maker_id(ids + 8 * k, any(m, count));
	if (length == FIELDS)
		maker_fields(m, ID + 16 * i, NODE, ids, 8 * FIELDS);
	else
		maker_elements(m, ID + 16 * i, ARRAY, ids, length);
}

static struct hprof_heap *make_heap(uint64_t seed, uint64_t count)
{
	struct maker m = maker_begin(8);
	struct hprof_heap *heap;

	m.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	maker_load(&m, 0x100, "java/lang/Object");
	maker_load(&m, NODE, "app/Node");
	maker_load(&m, ARRAY, "[Lapp/Node;");
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_class(&m, &(struct maker_class){ .class_id = 0x100 });
	maker_class(&m, &(struct maker_class){ .class_id = NODE,
					       .super_id = 0x100,
					       .instance_size = 8 * FIELDS,
					       .fields = "LLL" });
	maker_class(&m, &(struct maker_class){ .class_id = ARRAY,
					       .super_id = 0x100 });
	for (uint64_t i = 0; i < count; i++)
		put_object(&m, i, count);
	for (uint64_t i = 0; i <= count / 100; i++)
		maker_root(&m, ID + 16 * maker_random(&m, count));
	if (seed % 2)
		maker_root(&m, NODE);
	maker_heap_end(&m);
	cr_assert_eq(heap_of_bytes(m.out.bytes, m.out.size, 1, &heap),
		     HPROF_OK);
	buffer_free(&m.out);
	return heap;
}

static struct hprof_graph *build(const struct hprof_heap *heap, bool edges,
				 bool unreachable, unsigned threads)
{
	struct hprof_graph_options options = { .size = sizeof options,
					       .threads = threads,
					       .dominators = true,
					       .unreachable = unreachable,
					       .paths = true,
					       .edges = edges };
	struct hprof_graph *graph;

	cr_assert_eq(hprof_graph_build(heap, &options, &graph, NULL), HPROF_OK);
	cr_assert_eq(graph->packed.bytes.at == NULL, edges);
	return graph;
}

/* What was seen, so that nothing is tested in vain. */
struct seen {
	unsigned references, own, first_own, left_out, objects_left_out;
};

/* ALL has all references of OBJECT; WALK has to come to those that are kept. */
static void check_object(const struct hprof_graph *all, uint32_t object,
			 struct hp_kept_walk walk, struct seen *seen)
{
	const struct hp_packed_edges *kept = &all->packed;
	const uint32_t *to = NULL;
	uint64_t count = hp_graph_targets(all, object, &to);
	const uint32_t of = hp_packed_edges_class(kept, &all->edges, object);
	uint32_t got;
	bool own;

	if (hp_graph_leaves_out(all, object)) {
		seen->objects_left_out++;
		count = 0;
	}
	for (uint64_t k = 0; k < count; k++) {
		if (to[k] == HP_NONE || !hp_packed_edges_have(kept, to[k])) {
			seen->left_out++;
			continue;
		}
		cr_assert(hp_kept_walk_next(&walk, &got, &own));
		cr_assert_eq(got, to[k], "reference %u of %u", (unsigned)k,
			     object);
		cr_assert_eq(own, k + 1 == count && to[k] == of);
		seen->references++;
		seen->own += own;
		seen->first_own += to[k] == of && !own;
	}
	cr_assert_not(hp_kept_walk_next(&walk, &got, &own));
}

static void check_heap(uint64_t seed, uint64_t count, bool unreachable,
		       struct seen *seen)
{
	struct hprof_heap *heap = make_heap(seed, count);
	struct hprof_graph *all = build(heap, true, unreachable, 1);

	for (unsigned threads = 1; threads <= 4; threads += 3) {
		struct hprof_graph *packed =
			build(heap, false, unreachable, threads);

		for (uint32_t i = 0; i < hprof_heap_count(heap); i++) {
			check_object(all, i, hp_kept_references_of(all, i),
				     seen);
			check_object(all, i, hp_kept_references_of(packed, i),
				     seen);
			cr_assert_eq(hprof_graph_dominator(packed, i),
				     hprof_graph_dominator(all, i));
			cr_assert_eq(hprof_graph_retained(packed, i),
				     hprof_graph_retained(all, i));
		}
		hprof_graph_free(packed);
	}
	hprof_graph_free(all);
	hprof_heap_close(heap);
}

Test(kept_packing, same_references)
{
	struct seen seen = { 0 };

	for (uint64_t seed = 0; seed < 30; seed++)
		check_heap(seed, 20 + 30 * seed, seed % 3 == 0, &seen);
	cr_expect_gt(seen.references, 10000);
	cr_expect_gt(seen.own, 1000);
	cr_expect_gt(seen.first_own, 1000);
	cr_expect_gt(seen.left_out, 100);
	cr_expect_gt(seen.objects_left_out, 100);
}

/* So many objects that each thread takes parts of its own. */
Test(kept_packing, many_objects_in_threads)
{
	struct seen seen = { 0 };

	check_heap(1, 60000, false, &seen);
	check_heap(2, 60000, true, &seen);
	cr_expect_gt(seen.references, 100000);
}
