/* SPDX-License-Identifier: MIT */
/*
 * profile_top.c - see profile_top.h. A row is a method, or a class and the method
 * that allocated it, however it was called.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/escape.h"
#include "tools/common/table.h"
#include "tools/common/units.h"
#include "tools/report/profile_top.h"
#include "tools/stacks/monitor_stacks.h"
#include "tools/stacks/stack_source.h"

struct top_row {
	uint32_t function,
		below; /* BELOW: the method that allocates, or none */
	uint64_t weight, count;
};

enum { NOBODY = UINT32_MAX };

struct top {
	struct stack_tree own;
	const struct stack_tree *tree; /* that one, or the caller's */
	enum stack_weight weight;
	struct top_row *rows;
	size_t count;
	uint64_t total;
};

/* ---- rows ---------------------------------------------------------------- */

static int by_function(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return (x->below > y->below) - (x->below < y->below);
}

static int by_weight(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return by_function(a, b);
}

static void merge(struct top *top)
{
	size_t kept = 0;

	qsort(top->rows, top->count, sizeof(*top->rows), by_function);
	for (size_t i = 0; i < top->count; i++) {
		struct top_row *last = &top->rows[kept ? kept - 1 : 0];

		if (kept && by_function(last, &top->rows[i]) == 0) {
			last->weight += top->rows[i].weight;
			last->count += top->rows[i].count;
		} else {
			top->rows[kept++] = top->rows[i];
		}
	}
	top->count = kept;
	qsort(top->rows, top->count, sizeof(*top->rows), by_weight);
}

/* Objects from before the profile were not allocated in it. */
static bool is_early(const struct stack_tree *tree,
		     const struct stack_node *node)
{
	const struct stack_node *caller = &tree->nodes[node->parent];

	return node->parent &&
	       strstr(tree->functions[caller->function].name, ".<before ");
}

static void add_rows(struct top *top, size_t measure)
{
	const struct stack_tree *tree = top->tree;
	/* Sites and monitors; what they count follows what they weigh. */
	const bool is_site = tree->measure_count > 1;

	top->rows = cli_calloc(tree->count + 1, sizeof(*top->rows));
	for (size_t i = 1; i < tree->count; i++) {
		const struct stack_node *node = &tree->nodes[i];

		if (node->self[measure] == 0 ||
		    (top->weight == STACK_ALLOCATED_BYTES &&
		     is_early(tree, node)))
			continue;
		top->rows[top->count++] = (struct top_row){
			.function = node->function,
			.below = is_site && node->parent
					 ? tree->nodes[node->parent].function
					 : NOBODY,
			.weight = node->self[measure],
			.count = node->self[is_site ? measure + 1 : measure],
		};
		top->total += node->self[measure];
	}
	if (top->count)
		merge(top);
}

/* False if there is no such profile. */
static bool make(struct top *top, const struct hprof_profile_table *profile,
		 enum stack_weight weight)
{
	size_t measure;

	*top = (struct top){ .weight = weight };
	stack_tree_init(&top->own, false);
	top->tree = &top->own;
	if (!stack_source_profile(&top->own, profile, weight, &measure)) {
		stack_tree_free(&top->own);
		return false;
	}
	add_rows(top, measure);
	return true;
}

static void done(struct top *top)
{
	free(top->rows);
	stack_tree_free(&top->own);
}

static const char *name_of(const struct top *top, uint32_t function)
{
	return function == NOBODY ? NULL : top->tree->functions[function].name;
}

static size_t shown(const struct top *top, size_t rows)
{
	return rows && rows < top->count ? rows : top->count;
}

/* ---- text ---------------------------------------------------------------- */

static void put_name(struct table *table, const char *name)
{
	char *text = escape_copy(name ? name : "", 0);

	table_text(table, text);
	free(text);
}

static void put_samples(FILE *out, const struct top *top, size_t rows)
{
	static const struct table_column columns[] = {
		{ "share", TABLE_RIGHT },
		{ "samples", TABLE_RIGHT },
		{ "method", TABLE_LEFT },
	};
	struct table *table = table_new(columns, 3);
	char all[UNITS_MAX];

	fprintf(out, "CPU, %s samples\n", units_count(top->total, all));
	for (size_t i = 0; i < shown(top, rows); i++) {
		const struct top_row *row = &top->rows[i];

		table_share(table, row->weight, top->total);
		table_count(table, row->weight);
		put_name(table, name_of(top, row->function));
	}
	table_print(table, out, 0);
	table_free(table);
}

static void put_sites(FILE *out, const struct top *top, size_t rows)
{
	static const struct table_column columns[] = {
		{ "share", TABLE_RIGHT },	{ "bytes", TABLE_RIGHT },
		{ "objects", TABLE_RIGHT },	{ "class", TABLE_LEFT },
		{ "allocated by", TABLE_LEFT },
	};
	struct table *table = table_new(columns, 5);
	char all[UNITS_MAX];

	fprintf(out, "%s, %s\n", top->tree->title,
		units_bytes(top->total, all));
	for (size_t i = 0; i < shown(top, rows); i++) {
		const struct top_row *row = &top->rows[i];

		table_share(table, row->weight, top->total);
		table_count(table, row->weight);
		table_count(table, row->count);
		put_name(table, name_of(top, row->function));
		put_name(table, name_of(top, row->below));
	}
	table_print(table, out, 0);
	table_free(table);
}

static enum stack_weight weight_of_sites(bool live)
{
	return live ? STACK_LIVE_BYTES : STACK_ALLOCATED_BYTES;
}

void profile_top_text(FILE *out, const struct hprof_profile_table *profile,
		      size_t rows, bool live)
{
	struct top top;
	bool first = true;

	if (make(&top, profile, STACK_SAMPLES)) {
		put_samples(out, &top, rows);
		done(&top);
		first = false;
	}
	if (make(&top, profile, weight_of_sites(live))) {
		if (!first)
			putc('\n', out);
		put_sites(out, &top, rows);
		done(&top);
		first = false;
	}
	if (first)
		fputs("nothing was seen yet\n", out);
}

/* ---- JSON ---------------------------------------------------------------- */

static void put_json(struct json *json, const struct top *top, size_t rows)
{
	const bool is_site = top->weight != STACK_SAMPLES;

	json_begin_object(json, is_site ? "alloc" : "cpu", JSON_BLOCK);
	json_number(json, is_site ? "bytes" : "samples", top->total);
	json_begin_array(json, "top", JSON_BLOCK);
	for (size_t i = 0; i < shown(top, rows); i++) {
		const struct top_row *row = &top->rows[i];

		json_begin_object(json, NULL, JSON_LINE);
		json_string(json, is_site ? "class" : "method",
			    name_of(top, row->function));
		if (is_site)
			json_string(json, "method", name_of(top, row->below));
		json_number(json, is_site ? "bytes" : "samples", row->weight);
		if (is_site)
			json_number(json, "objects", row->count);
		json_end(json);
	}
	json_end(json);
	json_end(json);
}

void profile_top_json(struct json *json,
		      const struct hprof_profile_table *profile, size_t rows,
		      bool live)
{
	struct top top;

	if (make(&top, profile, STACK_SAMPLES)) {
		put_json(json, &top, rows);
		done(&top);
	}
	if (make(&top, profile, weight_of_sites(live))) {
		put_json(json, &top, rows);
		done(&top);
	}
}

/* ---- monitors ------------------------------------------------------------ */

static struct top monitors_of(const struct stack_tree *tree)
{
	struct top top = { .tree = tree, .weight = STACK_LIVE_BYTES };

	add_rows(&top, MONITOR_NS);
	return top;
}

void profile_top_monitors(FILE *out, const struct stack_tree *tree, size_t rows)
{
	static const struct table_column columns[] = {
		{ "share", TABLE_RIGHT },	 { "ms", TABLE_RIGHT },
		{ "times", TABLE_RIGHT },	 { "monitor", TABLE_LEFT },
		{ "waited for in", TABLE_LEFT },
	};
	struct table *table = table_new(columns, 5);
	struct top top = monitors_of(tree);
	char all[UNITS_MAX];

	fprintf(out, "%s, %s ms\n", tree->title,
		units_count(top.total / 1000000, all));
	for (size_t i = 0; i < shown(&top, rows); i++) {
		const struct top_row *row = &top.rows[i];

		table_share(table, row->weight, top.total);
		table_count(table, row->weight / 1000000);
		table_count(table, row->count);
		put_name(table, name_of(&top, row->function));
		put_name(table, name_of(&top, row->below));
	}
	table_print(table, out, 0);
	table_free(table);
	free(top.rows);
}

void profile_top_monitors_json(struct json *json, const struct stack_tree *tree,
			       size_t rows)
{
	struct top top = monitors_of(tree);

	json_begin_object(json, "monitor", JSON_BLOCK);
	json_number(json, "milliseconds", top.total / 1000000);
	json_begin_array(json, "top", JSON_BLOCK);
	for (size_t i = 0; i < shown(&top, rows); i++) {
		const struct top_row *row = &top.rows[i];

		json_begin_object(json, NULL, JSON_LINE);
		json_string(json, "class", name_of(&top, row->function));
		json_string(json, "method", name_of(&top, row->below));
		json_number(json, "milliseconds", row->weight / 1000000);
		json_number(json, "times", row->count);
		json_end(json);
	}
	json_end(json);
	json_end(json);
	free(top.rows);
}
