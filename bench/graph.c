/* SPDX-License-Identifier: MIT */
/*
 * graph.c - measures the computation of dominators and retained sizes.
 *
 *   graph shapes [MILLIONS [NAME]]      graphs of that many nodes (10), made
 *                                       here: shapes that are easy or hard
 *   graph dump FILE [THREADS [MEMORY]]  a dump, phase by phase
 *
 * Prints CPU time, which other programs on the machine influence least: of a
 * dump, of all threads, and on the way that would take the time if each thread
 * had a processor (critical_path.h).
 */
#include <hprof.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "../tests/inputs.h"
#include "bench/critical_path.h"
#include "graph/retained_sizes.h"

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fail(const char *what)
{
	fprintf(stderr, "graph: %s\n", what);
	exit(2);
}

/* ---- a dump -------------------------------------------------------------- */

static unsigned long peak_kib(void)
{
	char line[256];
	unsigned long kib = 0;
	FILE *file = fopen("/proc/self/status", "r");

	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, "VmHWM: %lu", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib;
}

enum { PHASES = 32 };

/* When each phase of a graph begins, on the critical path. */
struct starts {
	const char *names[PHASES];
	double at[PHASES];
	size_t count;
};

static bool note_start(void *user, const char *phase, uint64_t done,
		       uint64_t total)
{
	struct starts *s = user;

	(void)total;
	if (done == 0 && s->count < PHASES &&
	    (s->count == 0 || strcmp(s->names[s->count - 1], phase) != 0)) {
		s->names[s->count] = phase;
		s->at[s->count++] = critical_path_seconds();
	}
	return true;
}

/* The time of phase NAME on the critical path; the last one ends at END. */
static double path_of(const struct starts *s, const char *name, double end)
{
	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->names[i], name) == 0)
			return (i + 1 < s->count ? s->at[i + 1] : end) -
			       s->at[i];
	return 0;
}

static void print_row(const char *name, double cpu, double path, double objects,
		      double bytes)
{
	printf("| %s | %.2f | %.2f | %.2f |\n", name, cpu * 1e9 / objects,
	       path * 1e9 / objects, bytes / objects);
}

static void measure_dump(const char *path, unsigned threads, uint64_t memory)
{
	struct starts starts = { 0 };
	struct hprof_graph_options options = {
		.size = sizeof options,
		.threads = threads,
		.dominators = true,
		.memory = memory,
		.progress = note_start,
		.progress_user = &starts,
	};
	struct hprof_error error = { 0 };
	const struct hprof_phase *phases;
	struct hprof_heap *heap;
	struct hprof_graph *graph;
	double begin = cpu_seconds(), path_begin = critical_path_seconds();

	if (hprof_heap_open(INPUT(.path = path, .threads = threads), NULL,
			    &heap, &error) < 0)
		fail(error.text);
	double opened = cpu_seconds(), path_opened = critical_path_seconds();
	if (hprof_graph_build(heap, &options, &graph, &error) < 0)
		fail(error.text);
	double built = cpu_seconds(), path_built = critical_path_seconds();
	double objects = (double)hprof_heap_count(heap);
	size_t count = hprof_graph_phases(graph, &phases);
	printf("%.0f objects, %.2f references each, %u threads; for each "
	       "object:\n\n"
	       "| phase | CPU ns | on the critical path | bytes |\n"
	       "| --- | ---: | ---: | ---: |\n",
	       objects, (double)hprof_graph_totals(graph)->edges / objects,
	       threads);
	print_row("open", opened - begin, path_opened - path_begin, objects, 0);
	for (size_t i = 0; i < count; i++)
		print_row(phases[i].name, phases[i].cpu,
			  path_of(&starts, phases[i].name, path_built), objects,
			  (double)phases[i].bytes);
	print_row("all", built - begin, path_built - path_begin, objects,
		  (double)peak_kib() * 1024);
	hprof_graph_free(graph);
	hprof_heap_close(heap);
}

/* ---- shapes -------------------------------------------------------------- */

/* Edges in ascending order of FROM. */
struct making {
	uint32_t count;
	uint8_t *degree;
	uint32_t *target, *referrer;
	uint64_t used, room;
	struct hp_edges *e;
	uint32_t last; /* the object whose targets come */
	uint64_t from_at;
};

static void *must(void *memory)
{
	if (!memory)
		fail("out of memory");
	return memory;
}

static void finish(struct making *m, uint32_t next)
{
	uint64_t degree = m->used - m->from_at;

	if (degree < HP_DEGREE_LIST) {
		m->degree[m->last] = (uint8_t)degree;
	} else {
		m->e->lists = must(hp_realloc(m->e->lists, m->e->list_count + 1,
					      sizeof *m->e->lists));
		m->e->lists[m->e->list_count++] = (struct hp_edge_list){
			.from = m->last, .at = m->from_at, .count = degree
		};
		m->degree[m->last] = HP_DEGREE_LIST;
	}
	m->last = next;
	m->from_at = m->used;
}

static void link_to(struct making *m, uint32_t from, uint32_t to)
{
	if (from != m->last)
		finish(m, from);
	if (m->used == m->room)
		fail("too many edges");
	m->target[m->used++] = to;
	hp_edges_refer(m->referrer, from, to);
}

static uint64_t random_state = 88172645463325252;

static uint32_t below(uint32_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)((random_state >> 32) * n >> 32);
}

static void list(struct making *m)
{
	for (uint32_t i = 0; i + 1 < m->count; i++)
		link_to(m, i, i + 1);
}

static void double_list(struct making *m)
{
	for (uint32_t i = 0; i < m->count; i++) {
		if (i > 0)
			link_to(m, i, i - 1);
		if (i + 1 < m->count)
			link_to(m, i, i + 1);
	}
}

static void array(struct making *m)
{
	for (uint32_t i = 1; i < m->count; i++)
		link_to(m, 0, i);
}

/* The items are also in an array, which is the last object and a root. */
static void list_in_array(struct making *m)
{
	for (uint32_t i = 0; i + 2 < m->count; i++)
		link_to(m, i, i + 1);
	for (uint32_t i = 0; i + 1 < m->count; i++)
		link_to(m, m->count - 1, i);
}

/* The end of a list refers to an object to which its start refers, too. */
static void tail(struct making *m)
{
	uint32_t half = m->count / 2;

	for (uint32_t i = 0; i < half; i++) {
		link_to(m, i, i + 1);
		for (uint32_t k = half + 1; i == 0 && k < m->count; k++)
			link_to(m, 0, k);
	}
	for (uint32_t k = half + 1; k < m->count; k++)
		link_to(m, half, k);
}

static void grid(struct making *m)
{
	uint32_t side = 1;

	while ((uint64_t)(side + 1) * (side + 1) <= m->count)
		side++;
	for (uint32_t i = 0; i < side * side; i++) {
		if (i % side + 1 < side)
			link_to(m, i, i + 1);
		if (i + side < side * side)
			link_to(m, i, i + side);
	}
}

static void tree(struct making *m)
{
	for (uint32_t i = 0; i < m->count; i++) {
		if (i > 0)
			link_to(m, i, (i - 1) / 2);
		for (uint64_t k = 2 * (uint64_t)i + 1;
		     k <= 2 * (uint64_t)i + 2 && k < m->count; k++)
			link_to(m, i, (uint32_t)k);
	}
}

static void random_graph(struct making *m)
{
	for (uint32_t i = 0; i < m->count; i++)
		for (int k = 0; k < 3; k++)
			link_to(m, i, below(m->count));
}

/* All objects refer to one object, which refers to others. */
static void shared(struct making *m)
{
	for (uint32_t i = 0; i + 2 < m->count; i++) {
		link_to(m, i, i + 1);
		link_to(m, i, m->count - 1);
	}
}

static const struct shape {
	const char *name;
	void (*make)(struct making *m);
	unsigned edges; /* an object, at most */
} shapes[] = {
	{ "list", list, 1 },
	{ "double list", double_list, 2 },
	{ "array", array, 1 },
	{ "tree with parents", tree, 3 },
	{ "list in an array", list_in_array, 2 },
	{ "tail", tail, 2 },
	{ "shared object", shared, 2 },
	{ "grid", grid, 2 },
	{ "random, 3 references", random_graph, 3 },
};

static void make_tables(struct hp_build *build, struct hp_edges *e,
			const struct shape *shape)
{
	uint64_t rows = (uint64_t)e->count * shape->edges + HP_SPARE;

	if (hp_build_table(build, &e->referrer, e->count, sizeof(uint32_t),
			   HP_MAPPED_TABLE_CLEAR) < 0 ||
	    hp_build_table(build, &e->degree, e->count, 1,
			   HP_MAPPED_TABLE_CLEAR) < 0 ||
	    hp_build_table(build, &e->shallow, e->count, 1,
			   HP_MAPPED_TABLE_CLEAR) < 0 ||
	    hp_build_table(build, &e->target, rows, sizeof(uint32_t),
			   HP_MAPPED_TABLE_CLEAR) < 0)
		fail("out of memory");
	e->roots = must(hp_calloc(hp_bit_words(e->count), sizeof *e->roots));
	e->runs = must(hp_calloc(1, sizeof *e->runs));
	e->run_count = 1;
	memset(e->shallow.at, 2, e->count);
	e->size_bits = 16;
	e->shallow_total = 16 * (uint64_t)e->count;
}

static void make_edges(struct hp_build *build, struct hp_edges *e,
		       const struct shape *shape)
{
	make_tables(build, e, shape);
	struct making m = {
		.count = e->count,
		.degree = e->degree.at,
		.target = e->target.at,
		.referrer = e->referrer.at,
		.room = (uint64_t)e->count * shape->edges,
		.e = e,
	};
	shape->make(&m);
	finish(&m, m.last);
	e->target_count = m.used;
	hp_bit_set(e->roots, 0);
	m.referrer[0] = HP_NONE;
	if (shape->make == list_in_array) {
		hp_bit_set(e->roots, e->count - 1);
		m.referrer[e->count - 1] = HP_NONE;
	}
}

static void measure_shape(const struct shape *shape, uint32_t count)
{
	struct hp_build build = { .threads = 1 };
	struct hp_edges e = { .count = count, .unit = 8 };
	struct hp_reduction reduction = { 0 };
	struct hp_dominators dom = { 0 };
	struct hp_retained_sizes sums = { 0 };

	make_edges(&build, &e, shape);
	double begin = cpu_seconds(), edges = (double)e.target_count;
	if (hp_reduction_graph(&build, &e, false, false, &reduction, NULL,
			       &dom) < 0 ||
	    hp_dominators_find(&build, &dom) < 0 ||
	    hp_retained_sizes_find(&build, &e, &reduction, &dom, NULL, &sums) <
		    0)
		fail("out of memory");
	double ns = (cpu_seconds() - begin) * 1e9 / count;
	printf("| %s | %.1f | %.1f | %.1f |\n", shape->name, edges / count, ns,
	       (double)build.tables.most / count);
	fflush(stdout);
	hp_dominators_done(&build, &dom);
	hp_reduction_done(&build, &reduction);
	hp_retained_sizes_done(&build, &sums);
	hp_edges_done(&build, &e);
	hp_mapped_tables_release(&build.tables);
}

int main(int argc, char **argv)
{
	if (argc >= 2 && strcmp(argv[1], "shapes") == 0) {
		double millions = argc > 2 ? atof(argv[2]) : 10;
		printf("| shape | references an object | ns an object | "
		       "bytes an object |\n| --- | ---: | ---: | ---: |\n");
		for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
			if (argc < 4 || strstr(shapes[i].name, argv[3]))
				measure_shape(&shapes[i],
					      (uint32_t)(millions * 1e6));
		return 0;
	}
	if (argc >= 3 && strcmp(argv[1], "dump") == 0) {
		measure_dump(argv[2], argc > 3 ? (unsigned)atoi(argv[3]) : 1,
			     argc > 4 ? strtoull(argv[4], NULL, 10) : 0);
		return 0;
	}
	fputs("usage: graph shapes [MILLIONS [NAME]]\n"
	      "       graph dump FILE [THREADS [MEMORY]]\n",
	      stderr);
	return 2;
}
