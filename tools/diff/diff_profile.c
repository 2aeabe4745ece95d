/* SPDX-License-Identifier: MIT */
/*
 * diff_profile.c - see diff_profile.h.
 *
 * The stacks of both dumps are put into one tree, in which equal stacks are one
 * node; lines do not tell them apart, since the source may have changed in
 * between. The node's first value is that of the first dump.
 */
#include "tools/diff/diff_profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/escape.h"
#include "tools/common/json.h"
#include "tools/common/units.h"
#include "tools/stacks/stack_source.h"

enum { SCHEMA = 1, BEFORE = 0, AFTER = 1 };

static const char *const words[] = {
	"samples",	   "live-bytes",	"live-objects",
	"allocated-bytes", "allocated-objects", "allocations",
};
enum { ALLOCATIONS = 5 };

struct comparison {
	char *const *paths;
	const struct diff_profile_options *how;
	struct stack_tree both;
	size_t count; /* rows that differ */
	uint32_t *rows;
	bool damaged;
};

/* ---- reading ------------------------------------------------------------- */

static bool read_profile(const struct comparison *c, const char *path,
			 const struct hprof_summary *summary,
			 struct stack_tree *tree, size_t *ret_measure)
{
	struct hprof_profile_table *profile;
	struct hprof_error error = { 0 };
	enum hprof_status status =
		hprof_summary_profile(summary, &profile, &error);
	bool found;

	if (status < 0) {
		input_print_failure(path, status, &error);
		return false;
	}
	found = stack_source_profile(
		tree, profile, (enum stack_weight)c->how->what, ret_measure);
	if (!found)
		cli_message("%s: there are no %s in it", path,
			    c->how->what == STACK_SAMPLES ? "CPU samples"
							  : "allocation sites");
	hprof_profile_table_free(profile);
	return found;
}

static bool read_allocations(const char *path, const struct hprof_heap *heap,
			     const struct input_options *input,
			     struct stack_tree *tree)
{
	struct hprof_graph *graph = input_graph(path, heap, input);
	struct hprof_allocation_table *sites;
	struct hprof_error error = { 0 };
	enum hprof_status status;

	if (!graph)
		return false;
	status = hprof_allocations_read(graph, HPROF_NO_OBJECT, &sites, &error);
	if (status < 0) {
		input_print_failure(path, status, &error);
	} else {
		if (sites->count == 0)
			cli_message("%s does not say where objects were "
				    "allocated",
				    path);
		else
			stack_source_allocations(tree, sites);
		status = sites->count ? HPROF_OK : HPROF_E_UNSUPPORTED;
		hprof_allocation_table_free(sites);
	}
	hprof_graph_free(graph);
	return status == HPROF_OK;
}

/* Adds what TREE has by MEASURE as value SIDE. */
static void graft(struct stack_tree *both, const struct stack_tree *tree,
		  size_t measure, unsigned side)
{
	uint32_t *nodes = cli_calloc(tree->count, sizeof(*nodes));

	both->title = tree->title;
	both->measures[side] = tree->measures[measure];
	for (size_t i = 1; i < tree->count; i++) {
		const struct stack_node *node = &tree->nodes[i];

		nodes[i] = stack_tree_node(both, nodes[node->parent],
					   tree->functions[node->function].name,
					   NULL, 0);
		both->nodes[nodes[i]].self[side] += node->self[measure];
	}
	free(nodes);
}

static bool read_side(struct comparison *c, unsigned side,
		      const struct input_options *input)
{
	const char *path = c->paths[side];
	struct hprof_heap *heap = input_heap(path, input);
	struct stack_tree tree;
	size_t measure = 0;
	bool done;

	if (!heap)
		return false;
	stack_tree_init(&tree, false);
	done = c->how->what == ALLOCATIONS
		       ? read_allocations(path, heap, input, &tree)
		       : read_profile(c, path, hprof_heap_summary(heap), &tree,
				      &measure);
	if (done)
		graft(&c->both, &tree, measure, side);
	c->damaged = c->damaged || hprof_heap_summary(heap)->errors;
	stack_tree_free(&tree);
	hprof_heap_close(heap);
	return done;
}

/* ---- rows ---------------------------------------------------------------- */

static const struct stack_tree *sorted; /* by compare_rows */

static uint64_t distance(const struct stack_node *node)
{
	return node->self[AFTER] > node->self[BEFORE]
		       ? node->self[AFTER] - node->self[BEFORE]
		       : node->self[BEFORE] - node->self[AFTER];
}

/* What changed most comes first. */
static int compare_rows(const void *left, const void *right)
{
	uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
	uint64_t a = distance(&sorted->nodes[x]);
	uint64_t b = distance(&sorted->nodes[y]);

	if (a != b)
		return a > b ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void find_rows(struct comparison *c)
{
	const struct stack_tree *both = &c->both;

	c->rows = cli_calloc(both->count, sizeof(*c->rows));
	for (size_t i = 1; i < both->count; i++)
		if (distance(&both->nodes[i]) > 0)
			c->rows[c->count++] = (uint32_t)i;
	sorted = both;
	qsort(c->rows, c->count, sizeof(*c->rows), compare_rows);
}

static size_t shown(const struct comparison *c)
{
	return c->how->top && c->how->top < c->count ? (size_t)c->how->top
						     : c->count;
}

/* ---- printing ------------------------------------------------------------ */

static void print_row(const struct comparison *c, size_t i, uint32_t *path)
{
	const struct stack_node *node = &c->both.nodes[c->rows[i]];
	size_t count = stack_tree_path(&c->both, c->rows[i], path);
	char before[UNITS_MAX], after[UNITS_MAX], change[UNITS_MAX];

	printf("\n%3zu. %s%s, from %s to %s\n", i + 1,
	       node->self[AFTER] > node->self[BEFORE] ? "+" : "-",
	       units_count(distance(node), change),
	       units_count(node->self[BEFORE], before),
	       units_count(node->self[AFTER], after));
	for (size_t n = 0; n < count; n++) {
		fputs("     ", stdout);
		escape_write(
			stdout,
			c->both.functions[c->both.nodes[path[n]].function].name,
			ESCAPE_TERMINAL);
		putchar('\n');
	}
}

static void print_text(const struct comparison *c)
{
	static const char *const labels[] = { "before", "after" };
	uint32_t *path = cli_calloc(STACK_DEEPEST + 1, sizeof(*path));

	printf("%s, %s\n", c->both.title, c->both.measures[0].unit);
	for (unsigned side = 0; side < 2; side++) {
		char total[UNITS_MAX];

		printf("%-8s ", labels[side]);
		escape_write(stdout, c->paths[side], ESCAPE_TERMINAL);
		printf(": %s\n",
		       units_count(c->both.nodes[0].total[side], total));
	}
	if (c->count == 0)
		puts("\nno stack differs");
	for (size_t i = 0; i < shown(c); i++)
		print_row(c, i, path);
	if (shown(c) < c->count)
		printf("(%zu more stacks differ)\n", c->count - shown(c));
	free(path);
}

static void put_side(struct json *json, const struct comparison *c,
		     const char *key, unsigned side)
{
	json_begin_object(json, key, JSON_LINE);
	json_string(json, "file", c->paths[side]);
	json_number(json, "total", c->both.nodes[0].total[side]);
	json_end(json);
}

static void put_row(struct json *json, const struct comparison *c, uint32_t row,
		    uint32_t *path)
{
	const struct stack_tree *both = &c->both;
	size_t count = stack_tree_path(both, row, path);

	json_begin_object(json, NULL, JSON_BLOCK);
	json_number(json, "before", both->nodes[row].self[BEFORE]);
	json_number(json, "after", both->nodes[row].self[AFTER]);
	json_begin_array(json, "frames", JSON_BLOCK);
	for (size_t n = 0; n < count; n++)
		json_string(
			json, NULL,
			both->functions[both->nodes[path[n]].function].name);
	json_end(json);
	json_end(json);
}

static void print_json(const struct comparison *c)
{
	uint32_t *path = cli_calloc(STACK_DEEPEST + 1, sizeof(*path));
	struct json json;

	json_start(&json, stdout);
	json_begin_object(&json, NULL, JSON_BLOCK);
	json_string(&json, "tool", "hprof-diff");
	json_number(&json, "schema", SCHEMA);
	json_string(&json, "profile", words[c->how->what]);
	json_string(&json, "unit", c->both.measures[0].unit);
	put_side(&json, c, "before", BEFORE);
	put_side(&json, c, "after", AFTER);
	json_number(&json, "differing", c->count);
	json_begin_array(&json, "stacks", JSON_BLOCK);
	for (size_t i = 0; i < shown(c); i++)
		put_row(&json, c, c->rows[i], path);
	json_end(&json);
	json_end(&json);
	free(path);
}

int diff_profile(char *const paths[2], const struct diff_profile_options *how,
		 const struct input_options *input)
{
	struct comparison c = { .paths = paths, .how = how };
	int status = CLI_TROUBLE;

	stack_tree_init(&c.both, false);
	c.both.measure_count = 2;
	if (read_side(&c, BEFORE, input) && read_side(&c, AFTER, input)) {
		stack_tree_sum(&c.both);
		find_rows(&c);
		if (how->as_json)
			print_json(&c);
		else
			print_text(&c);
		status = c.damaged ? CLI_TROUBLE : CLI_FINE;
	}
	free(c.rows);
	stack_tree_free(&c.both);
	return status;
}
