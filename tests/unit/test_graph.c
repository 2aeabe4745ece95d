/* SPDX-License-Identifier: MIT */
/*
 * test_graph.c - graphs of heaps: each fixture against the slow reference
 * with every policy; what is refused; memory with a limit.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/mapped_table.h"
#include "../slow_heap.h"
#include "heaps.h"
#include "maker.h"
#include "together.h"

/* ---- every fixture ------------------------------------------------------- */

static void check_fixture(const char *name, unsigned threads)
{
	struct fixture f = fixture_load(name);
	struct hprof_heap *heap;
	uint64_t at = 0;

	if (heap_of_bytes(f.bytes, f.size, threads, &heap) >= 0) {
		for (unsigned hold = 0; hold < 16; hold++) {
			struct hprof_graph_options o = {
				.size = sizeof o,
				.threads = threads,
				.hold = hold,
				.unreachable = hold & 1,
			};
			if (hprof_heap_count(heap) > SLOW_MOST)
				break;
			const char *wrong = graph_wrong(heap, &o, &at);
			cr_assert(wrong == NULL, "%s, hold %u, object %d: %s",
				  name, hold, (int)at, wrong);
		}
		hprof_heap_close(heap);
	}
	fixture_free(&f);
}

Test(graph, fixtures)
{
	for (char **name = fixture_names(); *name; name++) {
		check_fixture(*name, 1);
		check_fixture(*name, 3);
	}
}

/* ---- dumps with random references ---------------------------------------- */

enum { OBJECT = 0x600000, NODE = 0x700000, ARRAY = 0x700100, FIRST = 0x800000 };

static void put_id(uint8_t *to, unsigned id_size, uint64_t id)
{
	for (unsigned i = id_size; i > 0; i--, id >>= 8)
		to[i - 1] = (uint8_t)id;
}

/* Mostly an object, sometimes null or an id without an object. */
static uint64_t random_id(struct maker *m, unsigned count)
{
	unsigned of = (unsigned)maker_random(m, 20);

	if (of == 0)
		return 0;
	if (of == 1)
		return FIRST + 8 * (count + 1 + maker_random(m, 9));
	if (of == 2)
		return NODE;
	return FIRST + 32 * maker_random(m, count);
}

static void put_object(struct maker *m, unsigned i, unsigned count, uint64_t id)
{
	uint8_t bytes[300 * 8];
	unsigned n = i % 3 == 0	   ? 2
		     : i % 50 == 1 ? 299
				   : (unsigned)maker_random(m, 4);
	struct hprof_record r;

	for (unsigned k = 0; k < n; k++)
		put_id(bytes + k * m->id_size, m->id_size, random_id(m, count));
	if (i % 3 == 0)
		r = (struct hprof_record){
			.tag = HPROF_INSTANCE_DUMP,
			.u.instance_dump = { .object_id = id,
					     .class_id = NODE,
					     .data_size = n * m->id_size,
					     .data = { bytes, n * m->id_size } }
		};
	else
		r = (struct hprof_record){
			.tag = HPROF_OBJ_ARRAY_DUMP,
			.u.obj_array_dump = { .object_id = id,
					      .class_id = ARRAY,
					      .count = n,
					      .elements = { bytes,
							    n * m->id_size } }
		};
	r.id_size = (uint8_t)m->id_size;
	maker_put(m, &r);
}

/* ASCENDING: ids ascend; otherwise every second one comes later. */
static struct maker random_dump(unsigned id_size, unsigned count,
				bool ascending, uint64_t seed)
{
	struct maker m = maker_begin(id_size);
	const struct maker_class classes[] = {
		{ OBJECT, 0, 0, "", "", 1 },
		{ NODE, OBJECT, 2 * id_size, "LL", "LL", 1 },
		{ ARRAY, OBJECT, 0, "", "", 1 },
	};

	m.random = seed;
	maker_load(&m, OBJECT, "java/lang/Object");
	maker_load(&m, NODE, "graph/Node");
	maker_load(&m, ARRAY, "[Lgraph/Node;");
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	for (unsigned i = 0; i < 3; i++)
		maker_class(&m, &classes[i]);
	for (unsigned i = 0; i < count; i++) {
		unsigned at = ascending	      ? i
			      : i < count / 2 ? 2 * i
					      : 2 * (count - i) - 1;
		if (at < count)
			put_object(&m, at, count, FIRST + 32 * (uint64_t)at);
	}
	for (unsigned i = 0; i < 4; i++)
		maker_put(&m,
			  &(struct hprof_record){
				  .tag = i ? HPROF_ROOT_JNI_GLOBAL
					   : HPROF_ROOT_STICKY_CLASS,
				  .u.root = { .object_id =
						      i ? random_id(&m, count)
							: OBJECT } });
	maker_heap_end(&m);
	return m;
}

static void check_dump(const struct maker *m, unsigned threads,
		       bool unreachable)
{
	struct hprof_graph_options o = { .size = sizeof o,
					 .threads = threads,
					 .unreachable = unreachable };
	struct hprof_heap *heap;
	uint64_t at = 0;

	cr_assert(heap_of_bytes(m->out.bytes, m->out.size, threads, &heap) >=
		  0);
	const char *wrong = graph_wrong(heap, &o, &at);
	cr_assert(wrong == NULL, "object %d: %s", (int)at, wrong);
	hprof_heap_close(heap);
}

Test(graph, random_dumps)
{
	for (unsigned i = 0; i < 60; i++) {
		struct maker m = random_dump(i % 2 ? 4 : 8, 20 + 3 * i,
					     i % 3 != 0, i + 1);
		check_dump(&m, 1 + i % 2, i & 4);
		buffer_free(&m.out);
	}
}

/* ---- large dumps --------------------------------------------------------- */

/* A hash of all dominators and sizes. */
static uint64_t hash(const struct hprof_heap *heap,
		     const struct hprof_graph_options *o)
{
	struct hprof_error error = { 0 };
	struct hprof_graph *g;
	uint64_t hash = 0, live = 0;

	cr_assert(hprof_graph_build(heap, o, &g, &error) == HPROF_OK, "%s",
		  error.text);
	for (uint64_t i = 0; i < hprof_heap_count(heap); i++) {
		uint64_t above = hprof_graph_dominator(g, i);
		if (above == HPROF_NO_OBJECT && hprof_graph_is_reachable(g, i))
			live += hprof_graph_retained(g, i);
		hash = (hash ^ above ^ hprof_graph_retained(g, i) << 20) *
		       0x9e3779b97f4a7c15;
	}
	cr_assert_eq(live, hprof_graph_totals(g)->reachable_shallow);
	hprof_graph_free(g);
	return hash;
}

/* Threads, kept edges and temporary files make no difference. */
static void check_large(const struct hprof_heap *heap, bool unreachable)
{
	struct hprof_graph_options o = { .size = sizeof o,
					 .threads = 1,
					 .unreachable = unreachable,
					 .dominators = true };
	uint64_t first = hash(heap, &o);

	o.threads = 3;
	cr_assert_eq(hash(heap, &o), first, "threads");
	o.edges = true;
	cr_assert_eq(hash(heap, &o), first, "edges");
	/* Memory is enough for only some of the tables. */
	o.memory = hp_resident() + ((uint64_t)20 << 20);
	cr_assert_eq(hash(heap, &o), first, "memory");
	o.threads = 1;
	o.edges = false;
	cr_assert_eq(hash(heap, &o), first, "memory, one thread");
}

Test(graph, large_dumps)
{
	enum { MANY = 400000 };

	for (unsigned i = 0; i < 2; i++) {
		struct maker m = random_dump(8, MANY, i == 0, 7);
		struct hprof_heap *heap;
		cr_assert(heap_of_bytes(m.out.bytes, m.out.size, 2, &heap) >=
			  0);
		buffer_free(&m.out);
		check_large(heap, i);
		hprof_heap_close(heap);
	}
}

/* ---- one graph, several threads ------------------------------------------ */

enum { THREADS = 2, QUESTIONS = 40 };

struct asking {
	const struct hprof_graph *graph;
	uint64_t objects; /* a hash of all answers */
	bool good;
};

static bool take_object(void *user, uint64_t object)
{
	struct asking *a = user;

	a->objects = (a->objects ^ object) * UINT64_C(0x100000001b3);
	return true;
}

/* More questions than any table that is made later would wait for. */
static void ask(void *user)
{
	struct asking *a = user;
	struct hprof_shortest_paths *paths = NULL;
	uint64_t count = hprof_graph_totals(a->graph)->objects;

	a->good = true;
	for (uint64_t i = 0; i < QUESTIONS; i++) {
		uint64_t object = i * (count / QUESTIONS);

		a->good &= hprof_graph_referrers(a->graph, object, take_object,
						 a, NULL) == HPROF_OK;
		a->good &=
			hprof_graph_retained_set(a->graph, object, take_object,
						 a, NULL) == HPROF_OK;
		take_object(a, hprof_graph_retained(a->graph, object));
	}
	a->good &=
		hprof_shortest_paths_build(a->graph, &paths, NULL) == HPROF_OK;
	for (uint64_t i = 0; i < count; i++)
		take_object(a, hprof_shortest_paths_parent(paths, i));
	hprof_shortest_paths_free(paths);
}

/* The answers that threads sharing a graph got, which must be equal. */
static uint64_t ask_together(const struct hprof_graph *graph)
{
	struct asking asking[THREADS];

	for (unsigned i = 0; i < THREADS; i++)
		asking[i] = (struct asking){ graph, 0, false };
	together(ask, asking, THREADS, sizeof *asking);
	for (unsigned i = 0; i < THREADS; i++) {
		cr_assert(asking[i].good);
		cr_assert_eq(asking[i].objects, asking[0].objects);
	}
	return asking[0].objects;
}

/* For ThreadSanitizer: no call may change a graph that is shared. */
Test(graph, shared_by_threads)
{
	struct maker m = random_dump(8, 100000, true, 7);
	struct hprof_graph_options o = { .size = sizeof o,
					 .unreachable = true,
					 .dominators = true,
					 .edges = true };
	uint64_t first = 0;
	struct hprof_heap *heap;

	cr_assert(heap_of_bytes(m.out.bytes, m.out.size, 2, &heap) >= 0);
	buffer_free(&m.out);
	for (unsigned with = 0; with < 4; with++) {
		struct hprof_graph *g = NULL;
		uint64_t answers;

		o.referrers = with & 1;
		/* The previous graph may not have freed all memory yet. */
		o.memory = with & 2 ? hp_resident() + ((uint64_t)10 << 20) : 0;
		cr_assert_eq(hprof_graph_build(heap, &o, &g, NULL), HPROF_OK);
		answers = ask_together(g);
		if (!with)
			first = answers;
		cr_assert_eq(answers, first);
		hprof_graph_free(g);
	}
	hprof_heap_close(heap);
}

/* ---- what is refused ----------------------------------------------------- */

Test(graph, memory_that_cannot_do)
{
	struct hprof_heap *heap = heap_of("shop_id8");
	struct hprof_graph_options o = { .size = sizeof o, .memory = 1000 };
	struct hprof_error error = { 0 };
	struct hprof_graph *g = NULL;

	cr_assert_eq(hprof_graph_build(heap, &o, &g, &error), HPROF_E_LIMIT);
	cr_assert(strstr(error.text, "MiB of memory"), "%s", error.text);
	cr_assert_null(g);
	hprof_heap_close(heap);
}

/* As on a full disk, at every place where a table needs room in a file. */
Test(graph, files_that_find_no_room)
{
	struct maker m = random_dump(8, 400000, true, 7);
	struct hprof_heap *heap;
	struct hprof_graph_options o = { .size = sizeof o,
					 .threads = 2,
					 .edges = true,
					 .dominators = true };
	unsigned refused = 0;
	struct rlimit most;
	bool good = false;

	cr_assert(heap_of_bytes(m.out.bytes, m.out.size, 2, &heap) >= 0);
	buffer_free(&m.out);
	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(getrlimit(RLIMIT_FSIZE, &most), 0);
	for (rlim_t size = 1 << 16; !good; size += size / 4) {
		struct rlimit limit = { size, most.rlim_max };
		struct hprof_error error = { 0 };
		struct hprof_graph *g = NULL;
		enum hprof_status status;

		cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
		o.memory = hp_resident() + ((uint64_t)20 << 20);
		status = hprof_graph_build(heap, &o, &g, &error);
		good = status == HPROF_OK;
		refused += !good;
		cr_assert(good || status == HPROF_E_SYS, "%s", error.text);
		cr_expect(good || strstr(error.text, "no room for"), "%s",
			  error.text);
		hprof_graph_free(g);
	}
	cr_assert(refused > 0);
	setrlimit(RLIMIT_FSIZE, &most);
	hprof_heap_close(heap);
}

static bool any(void *user, uint64_t object)
{
	(void)user;
	(void)object;
	return true;
}

Test(graph, wrong_arguments)
{
	struct hprof_heap *heap = heap_of("shop_id8");
	struct hprof_graph_options o = { .size = sizeof o, .hold = 16 };
	uint64_t count = hprof_heap_count(heap), child;
	struct hprof_graph *g = NULL;
	struct hprof_shortest_paths *ways;

	cr_assert_eq(hprof_graph_build(heap, &o, &g, NULL), HPROF_E_USAGE);
	cr_assert_eq(hprof_graph_build(NULL, NULL, &g, NULL), HPROF_E_USAGE);
	cr_assert_eq(hprof_graph_build(heap, NULL, &g, NULL), HPROF_OK);
	cr_assert_eq(hprof_graph_dominator(g, 0), HPROF_NO_OBJECT);
	cr_assert_eq(hprof_graph_retained(g, 0), 0);
	cr_assert_not(hprof_graph_is_reachable(g, count));
	cr_assert_not(hprof_graph_is_root(g, HPROF_NO_OBJECT));
	cr_assert_eq(hprof_graph_shallow(g, count), 0);
	cr_assert_eq(hprof_graph_children(g, HPROF_NO_OBJECT, 1, &child), 0);
	cr_assert_eq(hprof_graph_referrers(g, 0, any, NULL, NULL),
		     HPROF_E_USAGE);
	cr_assert_eq(hprof_graph_retained_set(g, 0, any, NULL, NULL),
		     HPROF_E_USAGE);
	cr_assert_eq(hprof_shortest_paths_build(g, &ways, NULL), HPROF_E_USAGE);
	hprof_graph_free(g);
	hprof_graph_free(NULL);
	hprof_shortest_paths_free(NULL);
	hprof_heap_close(heap);
}

/* ---- phases -------------------------------------------------------------- */

Test(graph, phases)
{
	struct hprof_heap *heap = heap_of("shop_id8");
	struct hprof_graph_options o = { .size = sizeof o, .dominators = true };
	const struct hprof_phase *phases;
	struct hprof_graph *g;

	cr_assert_eq(hprof_graph_build(heap, &o, &g, NULL), HPROF_OK);
	size_t count = hprof_graph_phases(g, &phases);
	cr_assert_geq(count, 6);
	for (size_t i = 0; i < count; i++) {
		cr_assert(phases[i].name && *phases[i].name);
		cr_assert_geq(phases[i].seconds, 0);
	}
	hprof_graph_free(g);
	hprof_heap_close(heap);
}
