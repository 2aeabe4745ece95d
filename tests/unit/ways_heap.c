/* SPDX-License-Identifier: MIT */
/* ways_heap.c - see ways_heap.h. */
#include "ways_heap.h"

#include <criterion/criterion.h>

#include "heaps.h"

enum { ELEMENTS = 300 };

void put_object(struct maker *m, uint64_t i, uint64_t count, bool near)
{
	uint8_t data[8 * WAYS_FIELDS] = { 0 };

	for (unsigned k = 0; k < WAYS_FIELDS; k++) {
		uint64_t to = near && maker_random(m, 8)
				      ? (i + maker_random(m, 9) + 1) % count
				      : maker_random(m, count);

		if (maker_random(m, 3))
			maker_id(data + 8 * k, WAYS_ID + 16 * to);
	}
	maker_fields(m, WAYS_ID + 16 * i, 0x200, data, sizeof data);
}

/* One with so many references that their length is stored apart. */
static void put_array(struct maker *m, uint64_t i, uint64_t count)
{
	uint8_t ids[8 * ELEMENTS] = { 0 };

	for (unsigned k = 0; k < ELEMENTS; k++)
		maker_id(ids + 8 * k, WAYS_ID + 16 * maker_random(m, count));
	maker_elements(m, WAYS_ID + 16 * i, 0x300, ids, ELEMENTS);
}

static void put_roots(struct maker *m, uint64_t count, unsigned roots)
{
	for (unsigned i = 0; i < roots; i++)
		maker_root(m, WAYS_ID + 16 * maker_random(m, count));
}

static struct hprof_heap *make_heap(uint64_t seed)
{
	struct maker m = maker_begin(8);
	struct hprof_heap *heap;
	uint64_t count;

	m.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	count = 20 + maker_random(&m, WAYS_OBJECTS_MOST - 20);
	maker_load(&m, 0x100, "java/lang/Object");
	maker_load(&m, 0x200, "app/Node");
	maker_load(&m, 0x300, "[Lapp/Node;");
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_class(&m, &(struct maker_class){ .class_id = 0x100 });
	maker_class(&m, &(struct maker_class){ .class_id = 0x200,
					       .super_id = 0x100,
					       .instance_size = 8 * WAYS_FIELDS,
					       .fields = "LLL" });
	maker_class(&m, &(struct maker_class){ .class_id = 0x300,
					       .super_id = 0x100 });
	for (uint64_t i = 0; i < count; i++)
		if (seed % 3 == 0 && i == count / 2)
			put_array(&m, i, count);
		else
			put_object(&m, i, count, seed % 2);
	put_roots(&m, count, 1 + (unsigned)(seed % 5));
	maker_heap_end(&m);
	cr_assert_eq(heap_of_bytes(m.out.bytes, m.out.size, 1, &heap),
		     HPROF_OK);
	buffer_free(&m.out);
	return heap;
}

struct made open_heap(uint64_t seed)
{
	struct made o = { .heap = make_heap(seed) };
	struct hprof_graph_options options = { .size = sizeof options,
					       .threads = 1,
					       .dominators = true,
					       .edges = true };

	cr_assert_eq(hprof_graph_build(o.heap, &options, &o.graph, NULL),
		     HPROF_OK);
	cr_assert_eq(hprof_shortest_paths_build(o.graph, &o.ways, NULL),
		     HPROF_OK);
	options.edges = false;
	options.paths = true;
	cr_assert_eq(hprof_graph_build(o.heap, &options, &o.packed, NULL),
		     HPROF_OK);
	cr_assert_eq(hp_root_paths_init(&o.paths, o.graph, &o.arena, NULL),
		     HPROF_OK);
	return o;
}

void close_heap(struct made *o)
{
	hp_root_paths_done(&o->paths);
	hp_arena_done(&o->arena);
	hprof_shortest_paths_free(o->ways);
	hprof_graph_free(o->packed);
	hprof_graph_free(o->graph);
	hprof_heap_close(o->heap);
}
