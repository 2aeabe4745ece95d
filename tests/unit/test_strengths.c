/* SPDX-License-Identifier: MIT */
/*
 * test_strengths.c - the strength of each object against a slow definition: the
 * references that a cursor reports are relaxed until nothing changes any more.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "graph/strength.h"
#include "heaps.h"
#include "maker.h"

/* ---- the slow definition ------------------------------------------------- */

struct slow {
	const struct hprof_heap *heap;
	const struct hprof_graph *graph; /* for its roots */
	unsigned hold;
	size_t count;
	unsigned char *strength; /* of each object */
	unsigned char *edge; /* of the reference from one to another; 0: none */
};

static bool is_a(const struct hprof_heap *heap, size_t row, const char *name)
{
	size_t of = 0;

	for (; (of = hprof_heap_class_named(heap, name, of)) != SIZE_MAX; of++)
		if (hprof_heap_class_is(heap, row, of))
			return true;
	return false;
}

static unsigned referent_strength(const struct slow *s, size_t row)
{
	static const struct {
		const char *name;
		unsigned hold, strength;
	} kinds[] = {
		{ "java.lang.ref.SoftReference", HPROF_HOLD_SOFT,
		  HPROF_STRENGTH_SOFT },
		{ "java.lang.ref.WeakReference", HPROF_HOLD_WEAK,
		  HPROF_STRENGTH_WEAK },
		{ "java.lang.ref.PhantomReference", HPROF_HOLD_PHANTOM,
		  HPROF_STRENGTH_PHANTOM },
		{ "java.lang.ref.FinalReference", HPROF_HOLD_FINAL,
		  HPROF_STRENGTH_FINALIZER },
		{ "java.lang.ref.FinalizerReference", HPROF_HOLD_FINAL,
		  HPROF_STRENGTH_FINALIZER },
	};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (is_a(s->heap, row, kinds[i].name))
			return s->hold & kinds[i].hold ? HPROF_STRENGTH_STRONG
						       : kinds[i].strength;
	return HPROF_STRENGTH_STRONG;
}

static void take_edges(struct slow *s, struct hprof_cursor *cursor, uint64_t i)
{
	struct hprof_object object;
	struct hprof_edge edge;

	cr_assert(hprof_cursor_seek(cursor, i, &object) == HPROF_OK);
	for (uint64_t k = 0; hprof_cursor_edge(cursor, k, &edge) == HPROF_OK;
	     k++) {
		unsigned how = edge.kind == HPROF_EDGE_REFERENT
				       ? referent_strength(s, object.class_row)
				       : HPROF_STRENGTH_STRONG;
		unsigned char *to;

		if (edge.to == HPROF_NO_OBJECT)
			continue;
		to = &s->edge[i * s->count + edge.to];
		if (*to == 0 || how < *to)
			*to = (unsigned char)how;
	}
}

static bool relax(struct slow *s, size_t from, size_t to)
{
	unsigned char how = s->edge[from * s->count + to];

	if (how < s->strength[from])
		how = s->strength[from];
	if (s->edge[from * s->count + to] == 0 || how >= s->strength[to])
		return false;
	s->strength[to] = how;
	return true;
}

static void find_slowly(struct slow *s)
{
	bool changed = true;

	for (size_t i = 0; i < s->count; i++)
		s->strength[i] = hprof_graph_is_root(s->graph, i)
					 ? HPROF_STRENGTH_STRONG
					 : HPROF_STRENGTH_GARBAGE;
	while (changed) {
		changed = false;
		for (size_t i = 0; i < s->count * s->count; i++)
			changed |= relax(s, i / s->count, i % s->count);
	}
}

/* ---- comparing ----------------------------------------------------------- */

static void compare(const struct slow *s, const char *name)
{
	const struct hprof_graph_totals *t = hprof_graph_totals(s->graph);
	struct hprof_strength_total sums[HPROF_STRENGTHS] = { { 0, 0 } };

	for (size_t i = 0; i < s->count; i++) {
		unsigned strength = hprof_graph_strength(s->graph, i);

		cr_assert(strength == s->strength[i],
			  "%s, hold %u, object %zu: %u, not %u", name, s->hold,
			  i, strength, s->strength[i]);
		cr_assert_eq(hprof_graph_is_reachable(s->graph, i),
			     strength == HPROF_STRENGTH_STRONG);
		sums[strength].objects++;
		sums[strength].shallow += hprof_graph_shallow(s->graph, i);
	}
	for (unsigned i = 0; i < HPROF_STRENGTHS; i++) {
		cr_assert_eq(t->by_strength[i].objects, sums[i].objects);
		cr_assert_eq(t->by_strength[i].shallow, sums[i].shallow);
	}
}

struct told {
	const struct hprof_graph *graph;
	enum hprof_strength strength;
	unsigned char *times;
};

static void tell(void *user, uint32_t reference, uint32_t object)
{
	struct told *t = user;

	cr_assert_eq(hp_graph_weakness(t->graph, reference), t->strength);
	cr_assert_leq(hprof_graph_strength(t->graph, reference), t->strength);
	cr_assert_eq(hprof_graph_strength(t->graph, object), t->strength);
	t->times[object]++;
}

/* Each object is told once, of no other strength. */
static void check_each(const struct slow *s)
{
	struct told t = { .graph = s->graph, .times = calloc(s->count + 1, 1) };

	for (unsigned i = HPROF_STRENGTH_SOFT; i < HPROF_STRENGTH_GARBAGE;
	     i++) {
		t.strength = (enum hprof_strength)i;
		cr_assert_eq(hp_graph_strength_each(s->graph, t.strength, tell,
						    &t, NULL),
			     HPROF_OK);
	}
	for (size_t i = 0; i < s->count; i++)
		cr_assert_eq(t.times[i],
			     s->strength[i] > HPROF_STRENGTH_STRONG &&
				     s->strength[i] < HPROF_STRENGTH_GARBAGE);
	free(t.times);
}

static void check(const struct hprof_heap *heap, const char *name,
		  unsigned hold, unsigned variant, unsigned seen[])
{
	struct hprof_graph_options o = {
		.size = sizeof o,
		.hold = hold,
		.threads = 1 + variant % 3,
		.edges = variant & 1,
		.dominators = variant & 2,
		.strengths = true,
	};
	struct slow s = { .heap = heap, .hold = hold };
	struct hprof_cursor *cursor = cursor_of(heap);
	struct hprof_graph *graph;

	cr_assert(hprof_graph_build(heap, &o, &graph, NULL) == HPROF_OK);
	s.graph = graph;
	s.count = (size_t)hprof_heap_count(heap);
	s.strength = calloc(s.count + 1, 1);
	s.edge = calloc(s.count + 1, s.count + 1);
	for (uint64_t i = 0; i < s.count; i++)
		take_edges(&s, cursor, i);
	find_slowly(&s);
	compare(&s, name);
	check_each(&s);
	for (size_t i = 0; i < s.count; i++)
		seen[s.strength[i]]++;
	free(s.edge);
	free(s.strength);
	hprof_graph_free(graph);
	hprof_cursor_free(cursor);
}

/* ---- random heaps with all kinds of references --------------------------- */

enum {
	OBJECTS = 70,
	OBJECT = 0x100,
	REFERENCE = 0x200,
	NODE = 0x300,
	ARRAY = 0x310,
	FIRST = 0x400, /* the reference classes follow */
	KINDS = 6,
	BASE = 0x10000
};

static void put_classes(struct maker *m)
{
	static const char *const names[KINDS] = {
		"java/lang/ref/SoftReference",
		"java/lang/ref/WeakReference",
		"java/lang/ref/PhantomReference",
		"java/lang/ref/FinalReference",
		"java/lang/ref/Finalizer",
		"app/Entry",
	};
	/* The classes that they extend; the last two have none of their own. */
	static const uint64_t supers[KINDS] = {
		REFERENCE, REFERENCE,	   REFERENCE,
		REFERENCE, FIRST + 3 * 16, FIRST + 1 * 16,
	};
	uint64_t referent = maker_string(m, "referent");
	uint64_t next = maker_string(m, "next");

	cr_assert_eq(next, referent + 1);
	maker_load(m, OBJECT, "java/lang/Object");
	maker_load(m, REFERENCE, "java/lang/ref/Reference");
	maker_load(m, NODE, "app/Node");
	maker_load(m, ARRAY, "[Ljava/lang/Object;");
	for (unsigned i = 0; i < KINDS; i++)
		maker_load(m, FIRST + 16 * i, names[i]);
	maker_heap(m, HPROF_HEAP_DUMP_SEGMENT);
	maker_class(m, &(struct maker_class){ .class_id = OBJECT });
	maker_class(m, &(struct maker_class){ REFERENCE, OBJECT, 16, "LL", "",
					      referent });
	maker_class(m, &(struct maker_class){ NODE, OBJECT, 16, "LL", "",
					      referent });
	maker_class(m, &(struct maker_class){ .class_id = ARRAY,
					      .super_id = OBJECT });
	for (unsigned i = 0; i < KINDS; i++)
		maker_class(m,
			    &(struct maker_class){ .class_id = FIRST + 16 * i,
						   .super_id = supers[i],
						   .instance_size = 16 });
}

static uint64_t some_id(struct maker *m, unsigned null_in)
{
	return maker_random(m, null_in)
		       ? BASE + 64 * maker_random(m, OBJECTS + 2)
		       : 0;
}

/* Half of the objects are references, others nodes and arrays. */
static void put_random(struct maker *m, unsigned i)
{
	uint64_t id = BASE + 64 * (uint64_t)i, of = maker_random(m, 2 * KINDS);
	uint8_t data[5 * 8];

	for (unsigned k = 0; k < 5; k++)
		maker_id(data + 8 * k, some_id(m, k ? 2 : 20));
	if (of < KINDS)
		maker_fields(m, id, FIRST + 16 * of, data, 16);
	else if (of < 2 * KINDS - 2)
		maker_fields(m, id, NODE, data, 16);
	else
		maker_elements(m, id, ARRAY, data, 5);
}

static struct maker random_references(unsigned seed)
{
	struct maker m = maker_begin(8);

	m.random = seed;
	put_classes(&m);
	for (unsigned i = 0; i < OBJECTS; i++)
		put_random(&m, seed % 2 ? i : OBJECTS - 1 - i);
	for (unsigned i = 0; i < 3; i++)
		maker_root(&m, BASE + 64 * maker_random(&m, OBJECTS));
	maker_put(&m,
		  &(struct hprof_record){ .tag = HPROF_ROOT_STICKY_CLASS,
					  .id_size = 8,
					  .u.root = { .object_id = OBJECT } });
	maker_heap_end(&m);
	return m;
}

Test(strengths, random_references)
{
	unsigned seen[HPROF_STRENGTHS] = { 0 };

	for (unsigned seed = 1; seed <= 160; seed++) {
		struct maker m = random_references(seed);
		struct hprof_heap *heap;

		cr_assert(heap_of_bytes(m.out.bytes, m.out.size, 1 + seed % 3,
					&heap) >= 0);
		buffer_free(&m.out);
		check(heap, "random", seed % 2 ? 0 : seed / 2 % 16, seed, seen);
		check(heap, "random", seed % 16, seed / 2, seen);
		hprof_heap_close(heap);
	}
	for (unsigned i = HPROF_STRENGTH_STRONG; i < HPROF_STRENGTHS; i++)
		cr_assert(seen[i] > 20, "strength %u: %u objects", i, seen[i]);
}

/* ---- other heaps --------------------------------------------------------- */

Test(strengths, fixtures)
{
	unsigned seen[HPROF_STRENGTHS] = { 0 }, variant = 0;

	for (char **name = fixture_names(); *name; name++) {
		struct fixture f = fixture_load(*name);
		struct hprof_heap *heap;

		if (heap_of_bytes(f.bytes, f.size, 2, &heap) >= 0) {
			if (hprof_heap_count(heap) <= 400)
				for (unsigned hold = 0; hold < 16; hold += 5)
					check(heap, *name, hold, variant++,
					      seen);
			hprof_heap_close(heap);
		}
		fixture_free(&f);
	}
}

/*
 * A long chain of references to references takes time in proportion to its
 * length, and no stack; so does one object that many refer to.
 */
Test(strengths, long_chain)
{
	enum { LINKS = 200000 };
	struct maker m = maker_begin(8);
	struct hprof_graph_options o = { .size = sizeof o, .strengths = true };
	struct hprof_graph *graph;
	struct hprof_heap *heap;
	uint8_t data[16];

	put_classes(&m);
	for (unsigned i = 0; i < LINKS; i++) {
		maker_id(data, BASE + 64 * ((uint64_t)i + 1));
		maker_id(data + 8, BASE + 64 * (uint64_t)LINKS);
		maker_fields(&m, BASE + 64 * (uint64_t)i, FIRST + 16, data, 16);
	}
	maker_instance(&m, BASE + 64 * (uint64_t)LINKS, NODE, 16);
	maker_root(&m, BASE);
	maker_heap_end(&m);
	cr_assert(heap_of_bytes(m.out.bytes, m.out.size, 1, &heap) >= 0);
	buffer_free(&m.out);
	for (unsigned edges = 0; edges < 2; edges++) {
		o.edges = edges;
		cr_assert(hprof_graph_build(heap, &o, &graph, NULL) ==
			  HPROF_OK);
		cr_assert_eq(hprof_graph_totals(graph)
				     ->by_strength[HPROF_STRENGTH_WEAK]
				     .objects,
			     LINKS - 1);
		hprof_graph_free(graph);
	}
	hprof_heap_close(heap);
}

Test(strengths, without_the_option)
{
	struct hprof_graph_options o = { .size = sizeof o };
	struct maker m = random_references(1);
	struct hprof_graph *graph;
	struct hprof_heap *heap;

	cr_assert(heap_of_bytes(m.out.bytes, m.out.size, 1, &heap) >= 0);
	buffer_free(&m.out);
	cr_assert(hprof_graph_build(heap, &o, &graph, NULL) == HPROF_OK);
	cr_assert_eq(hprof_graph_strength(graph, 0), HPROF_STRENGTH_UNKNOWN);
	cr_assert_eq(hprof_graph_totals(graph)
			     ->by_strength[HPROF_STRENGTH_STRONG]
			     .objects,
		     0);
	hprof_graph_free(graph);
	hprof_heap_close(heap);
}
