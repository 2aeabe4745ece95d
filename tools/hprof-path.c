/* SPDX-License-Identifier: MIT */
/*
 * hprof-path.c - shows why objects are alive: their paths from the GC roots.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hprof.h>

#include "tools/common/cli.h"
#include "tools/common/diagnostics.h"
#include "tools/common/input.h"
#include "tools/common/prose.h"
#include "tools/common/screen.h"
#include "tools/common/json_graph.h"
#include "tools/common/describe.h"
#include "tools/report/definers.h"
#include "tools/report/render.h"
#include "tools/common/table.h"
#include "tools/common/object_selector.h"
#include "tools/common/units.h"

#define PATHS_DEFAULT 3
#define PATHS_MAX 1000
#define TOP_DEFAULT 40
#define SCHEMA 1
#define LOADERS_SHOWN 5

struct options {
	struct input_words input;
	struct screen_words screen;

	struct cli_number paths;
	bool alike;
	struct cli_number top;
	bool json;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option option_table[] = {
	{ .kind = CLI_HEADING, .help = "Paths" },
	{ .kind = CLI_NUMBER,
	  .letter = 'n',
	  .name = "paths",
	  .argument = "N",
	  .offset = AT(paths),
	  .least = 1,
	  .most = PATHS_MAX,
	  .help = "for an object: at most N different paths (default 3)" },
	{ .kind = CLI_FLAG,
	  .name = "alike",
	  .offset = AT(alike),
	  .help = "for an object: also paths through objects of the same "
		  "classes" },
	{ .kind = CLI_NUMBER,
	  .name = "top",
	  .argument = "N",
	  .offset = AT(top),
	  .most = UINT64_MAX,
	  .help = "for a class: the N lines that lead to most bytes, 0 for all "
		  "(default 40, with --json all)" },

	CLI_OPTIONS_GRAPH(AT(input.soft), AT(input.weak), AT(input.memory)),
	CLI_OPTION_CACHE(AT(input.cache)),

	{ .kind = CLI_HEADING, .help = "Output" },
	CLI_OPTION_JSON(AT(json)),
	CLI_OPTION_QUIET(AT(input.quiet), "no warnings and notes on stderr"),
	CLI_OPTIONS_SCREEN(AT(screen.width), AT(screen.wide)),
	CLI_OPTION_PROGRESS(AT(input.progress)),

	{ .kind = CLI_HEADING, .help = "Input" },
	CLI_OPTION_MEMBER(AT(input.member)),
	CLI_OPTION_JOBS(AT(input.jobs), CLI_JOBS_READ),

	CLI_OPTIONS_HELP,
};

static const struct cli_program hprof_path = {
	.name = "hprof-path",
	.operands = "FILE CLASS|@ID",
	.summary = "Say why objects in a Java heap dump (HPROF) are alive.\n\n"
		   "@ID selects an object, as in java.lang.Thread@0x7f0010; "
		   "CLASS selects all direct\ninstances of a class, by its "
		   "whole name, without the package, or by a pattern like\n"
		   "'java.util.*'.",
	.epilog = "Exit status: 0 there is a path, 1 there is none or the dump "
		  "is damaged,\n2 trouble.",
	.options = option_table,
	.option_count = sizeof(option_table) / sizeof(option_table[0]),
};

/* What the report is about. */
struct question {
	const char *path;
	const char *text;
	const struct options *options;
	struct input_options input;
	struct hprof_heap *heap;
	struct hprof_graph *graph;
	struct object_selector selector;
	struct json json;
};

/* What must hold so that an object of a strength has a path. */
static const unsigned holds[HPROF_STRENGTHS] = {
	[HPROF_STRENGTH_SOFT] = HPROF_HOLD_SOFT,
	[HPROF_STRENGTH_FINALIZER] = HPROF_HOLD_SOFT | HPROF_HOLD_FINAL,
	[HPROF_STRENGTH_WEAK] =
		HPROF_HOLD_SOFT | HPROF_HOLD_FINAL | HPROF_HOLD_WEAK,
	[HPROF_STRENGTH_PHANTOM] = HPROF_HOLD_SOFT | HPROF_HOLD_FINAL |
				   HPROF_HOLD_WEAK | HPROF_HOLD_PHANTOM,
};

/* What becomes of an object that is held so. */
static const char *const fates[HPROF_STRENGTHS] = {
	[HPROF_STRENGTH_SOFT] = "it goes when memory runs short",
	[HPROF_STRENGTH_FINALIZER] = "it stays until finalizers have run",
	[HPROF_STRENGTH_WEAK] = "it goes with the next collection",
	[HPROF_STRENGTH_PHANTOM] = "only what cleans up after it is left to do",
};

/*
 * Called when nothing can fail any more, so that the JSON is either complete or
 * missing.
 */
static void begin_json(struct question *q)
{
	json_start(&q->json, stdout);
	json_begin_object(&q->json, NULL, JSON_BLOCK);
	json_string(&q->json, "tool", hprof_path.name);
	json_number(&q->json, "schema", SCHEMA);
	json_string(&q->json, "file", q->path);
}

static int print_failure(const struct question *q,
			 const struct hprof_error *error)
{
	cli_message("%s: %s", q->path, error->text);
	return CLI_TROUBLE;
}

static size_t paths_wanted(const struct options *options)
{
	return options->paths.given ? (size_t)options->paths.value
				    : PATHS_DEFAULT;
}

/* ---- one object --------------------------------------------------------- */

static void put_paths(const struct hprof_path_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		putchar('\n');
		render_path(stdout, &table->paths[i],
			    i ? &table->paths[0] : NULL, 0);
	}
}

/* "3 paths", "3 of 12 different paths"; MOST is how many were asked for. */
static char *describe_paths(const struct hprof_path_table *table, size_t most,
			    bool alike)
{
	char shown[UNITS_MAX], all[UNITS_MAX];

	if (most == 1)
		return cli_strdup("one path");
	if (!table->others)
		return describe_count(table->count, "path", "paths");
	units_count(table->count, shown);
	units_count(table->count + table->others, all);
	return describe_format("%s of %s %spaths", shown, all,
			       alike ? "" : "different ");
}

static void print_object(const struct question *q,
			 const struct hprof_object_info *info,
			 const struct hprof_path_table *table,
			 enum hprof_strength strength)
{
	char *object = describe_object(info), *paths, *text;
	char retained[UNITS_MAX];

	if (strength == HPROF_STRENGTH_STRONG) {
		paths = describe_paths(table, paths_wanted(q->options),
				       q->options->alike);
		text = describe_format(
			"%s is alive and retains %s; %s from GC roots:", object,
			units_bytes(info->retained, retained), paths);
		free(paths);
	} else if (table->count) {
		text = describe_format("%s is only %s: %s.", object,
				       describe_strength(strength),
				       fates[strength]);
	} else {
		text = describe_format(
			"%s is unreachable: no path leads to it.", object);
	}
	prose_lines(stdout, 0, text);
	free(text);
	free(object);
	put_paths(table);
}

static void print_object_json(struct question *q,
			      const struct hprof_object_info *info,
			      const struct hprof_path_table *table,
			      enum hprof_strength strength)
{
	bool alive = strength == HPROF_STRENGTH_STRONG;

	begin_json(q);
	json_object_info(&q->json, "object", info);
	json_bool(&q->json, "alive", alive);
	json_bool(&q->json, "weakly", table->count && !alive);
	json_string(&q->json, "strength", describe_strength_word(strength));
	json_paths(&q->json, "paths", table->paths, table->count);
	json_number(&q->json, "others", table->others);
	json_end(&q->json);
}

/* Builds the graph again, so that objects of STRENGTH are reachable. */
static bool hold_weaker(struct question *q, enum hprof_strength strength)
{
	hprof_graph_free(q->graph);
	q->input.graph.hold |= holds[strength];
	q->graph = input_graph(q->path, q->heap, &q->input);
	return q->graph != NULL;
}

/*
 * Searches again with references of the object's STRENGTH, which explain why it
 * is still in the heap.
 */
static enum hprof_status read_weak_paths(struct question *q,
					 enum hprof_strength strength,
					 const struct hprof_path_options *how,
					 struct hprof_path_table **ret,
					 struct hprof_error *error)
{
	hprof_path_table_free(*ret);
	*ret = NULL;
	if (!hold_weaker(q, strength))
		return HPROF_E_NOMEM; /* a message was printed */
	return hprof_paths_read(q->graph, q->selector.object, how, ret, error);
}

static int report_object(struct question *q)
{
	struct hprof_path_options how = {
		.size = sizeof(how),
		.count = paths_wanted(q->options),
		.alike = q->options->alike,
	};
	struct hprof_error error = { 0 };
	struct hprof_path_table *table = NULL;
	struct hprof_cursor *cursor = NULL;
	struct hprof_object_info info;
	enum hprof_strength strength =
		hprof_graph_strength(q->graph, q->selector.object);
	enum hprof_status status;
	int result;

	status = hprof_cursor_new(q->heap, &cursor, &error);
	if (status < 0)
		return print_failure(q, &error);
	status = hprof_object_info_get(cursor, q->graph, q->selector.object,
				       &info, &error);
	if (status >= 0)
		status = hprof_paths_read(q->graph, q->selector.object, &how,
					  &table, &error);
	if (status >= 0 && holds[strength])
		status = read_weak_paths(q, strength, &how, &table, &error);
	hprof_cursor_free(cursor);
	if (status < 0)
		return q->graph ? print_failure(q, &error) : CLI_TROUBLE;
	if (q->options->json)
		print_object_json(q, &info, table, strength);
	else
		print_object(q, &info, table, strength);
	result = strength == HPROF_STRENGTH_STRONG ? CLI_FINE : CLI_NO;
	hprof_path_table_free(table);
	return result;
}

/* ---- a class ------------------------------------------------------------ */

/*
 * Orders nodes by the bytes that they lead to; of equal ones, the one nearer to
 * the roots comes first.
 */
struct rank {
	uint64_t shallow, targets;
	size_t node;
};

static int compare_ranks(const void *left, const void *right)
{
	const struct rank *a = left, *b = right;

	if (a->shallow != b->shallow)
		return a->shallow > b->shallow ? -1 : 1;
	if (a->targets != b->targets)
		return a->targets > b->targets ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static bool *choose_nodes(const struct hprof_merged_paths *table, uint64_t top)
{
	bool *chosen = cli_calloc(table->count, sizeof(*chosen));
	struct rank *ranks = cli_calloc(table->count, sizeof(*ranks));

	for (size_t i = 0; i < table->count; i++)
		ranks[i] = (struct rank){ table->nodes[i].shallow,
					  table->nodes[i].targets, i };
	if (table->count)
		qsort(ranks, table->count, sizeof(*ranks), compare_ranks);
	for (size_t i = 0; i < table->count && (!top || i < top); i++)
		chosen[ranks[i].node] = true;
	free(ranks);
	return chosen;
}

/* How the node before NODE, a Reference, holds its referent. */
static enum hprof_strength
node_strength(const struct question *q, const struct hprof_merged_paths *table,
	      const struct hprof_merged_path_node *node)
{
	return describe_referent_strength(q->heap,
					  table->nodes[node->parent].class_row);
}

static char *describe_node(const struct question *q,
			   const struct hprof_merged_paths *table,
			   const struct hprof_merged_path_node *node)
{
	char *name = describe_kind(node->class_name,
				   node->kind == HPROF_OBJECT_CLASS);
	char *how, *label;

	if (node->depth && node->edge == HPROF_EDGE_REFERENT)
		how = describe_reference(node->field,
					 node_strength(q, table, node));
	else if (node->depth)
		how = describe_edge(node->edge, node->field, 0, false);
	else
		how = describe_format(
			"(%s)", node->root ? describe_root_name(node->root)
					   : "system class");
	label = describe_format("%*s%s %s%s", (int)(2 * node->depth), "", how,
				name, node->repeats ? " ..." : "");
	free(name);
	free(how);
	return label;
}

static void put_tree(const struct question *q,
		     const struct hprof_merged_paths *table, uint64_t top)
{
	static const struct table_column columns[] = {
		{ "bytes", TABLE_RIGHT },   { "share", TABLE_RIGHT },
		{ "objects", TABLE_RIGHT }, { "through", TABLE_RIGHT },
		{ "path", TABLE_LEFT },
	};
	struct table *text = table_new(columns, 5);
	bool *chosen = choose_nodes(table, top);
	size_t left_out = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct hprof_merged_path_node *node = &table->nodes[i];
		char *label;

		if (!chosen[i]) {
			left_out++;
			continue;
		}
		label = describe_node(q, table, node);
		table_count(text, node->shallow);
		table_share(text, node->shallow, table->shallow);
		table_count(text, node->targets);
		table_count(text, node->objects);
		table_text(text, label);
		free(label);
	}
	putchar('\n');
	table_print(text, stdout, 0);
	if (left_out) {
		char *lines = describe_count(left_out, "line", "lines");

		printf("(%s left out)\n", lines);
		free(lines);
	}
	table_free(text);
	free(chosen);
}

/* STRENGTH is that of the objects in TABLE, WEAKER counts all others. */
static void print_class(const struct question *q,
			const struct hprof_merged_paths *table,
			enum hprof_strength strength, const uint64_t *weaker)
{
	const struct hprof_summary *summary = hprof_heap_summary(q->heap);
	const char *pattern = q->selector.pattern;
	char *name = describe_kind(
		pattern ? pattern
			: summary->class_rows[q->selector.rows[0]].name,
		false);
	char *objects = describe_count(table->targets, "object", "objects");
	char shallow[UNITS_MAX], retained[UNITS_MAX], count[UNITS_MAX];
	char *text;

	text = describe_format("%s of %s %s %s %s%s: %s, retaining %s", objects,
			       pattern ? "classes like" : "class", name,
			       table->targets == 1 ? "is" : "are",
			       strength == HPROF_STRENGTH_STRONG ? "" : "only ",
			       strength == HPROF_STRENGTH_STRONG
				       ? "alive"
				       : describe_strength(strength),
			       units_bytes(table->shallow, shallow),
			       units_bytes(table->retained, retained));
	prose_lines(stdout, 0, text);
	free(text);
	if (q->selector.row_count > 1)
		printf("%zu classes %s\n", q->selector.row_count,
		       pattern ? "match that" : "have that name");
	for (unsigned i = 0; i < HPROF_STRENGTHS; i++)
		if (weaker[i])
			printf("%s more %s %s\n", units_count(weaker[i], count),
			       weaker[i] == 1 ? "is" : "are",
			       i == HPROF_STRENGTH_GARBAGE
				       ? "unreachable"
				       : describe_strength(
						 (enum hprof_strength)i));
	free(objects);
	free(name);
	if (table->targets)
		put_tree(q, table,
			 q->options->top.given ? q->options->top.value
					       : TOP_DEFAULT);
}

static void put_node_json(struct json *json,
			  const struct hprof_merged_path_node *node)
{
	char word[32];

	json_begin_object(json, NULL, JSON_LINE);
	json_number(json, "depth", node->depth);
	if (node->root)
		json_string(json, "root", json_root_word(node->root, word));
	else if (!node->depth)
		json_null(json, "root");
	else
		json_string(json, "by", describe_edge_word(node->edge));
	if (node->field)
		json_string(json, "field", node->field);
	json_string(json, "kind", describe_kind_word(node->kind));
	json_string(json, "class", node->class_name);
	json_number(json, "through", node->objects);
	json_bool(json, "repeats", node->repeats);
	json_number(json, "objects", node->targets);
	json_number(json, "shallow", node->shallow);
	json_end(json);
}

static void put_strengths_json(struct json *json, const uint64_t *weaker)
{
	json_begin_object(json, "weaker", JSON_LINE);
	for (unsigned i = HPROF_STRENGTH_SOFT; i < HPROF_STRENGTHS; i++)
		json_number(json,
			    describe_strength_word((enum hprof_strength)i),
			    weaker[i]);
	json_end(json);
}

static void put_definers_json(struct json *json, const struct definers *d)
{
	json_begin_array(json, "loaders", JSON_BLOCK);
	for (size_t i = 0; i < d->count; i++)
		json_object_info(json, NULL, &d->loaders[i]);
	json_end(json);
	json_begin_array(json, "loader_tree", JSON_BLOCK);
	for (size_t i = 0; i < d->paths->count; i++)
		put_node_json(json, &d->paths->nodes[i]);
	json_end(json);
}

static void print_class_json(struct question *q,
			     const struct hprof_merged_paths *table,
			     enum hprof_strength strength,
			     const uint64_t *weaker,
			     const struct definers *definers)
{
	const struct hprof_summary *summary = hprof_heap_summary(q->heap);
	uint64_t top = q->options->top.given ? q->options->top.value : 0;
	bool *chosen = choose_nodes(table, top);

	begin_json(q);
	json_string(&q->json, q->selector.pattern ? "match" : "class",
		    q->selector.pattern
			    ? q->selector.pattern
			    : summary->class_rows[q->selector.rows[0]].name);
	json_number(&q->json, "classes", q->selector.row_count);
	json_number(&q->json, "objects", table->targets);
	json_number(&q->json, "unreachable", table->unreachable);
	json_string(&q->json, "strength", describe_strength_word(strength));
	put_strengths_json(&q->json, weaker);
	json_number(&q->json, "shallow", table->shallow);
	json_number(&q->json, "retained", table->retained);
	json_begin_array(&q->json, "tree", JSON_BLOCK);
	for (size_t i = 0; i < table->count; i++)
		if (chosen[i])
			put_node_json(&q->json, &table->nodes[i]);
	json_end(&q->json);
	if (definers->count)
		put_definers_json(&q->json, definers);
	json_end(&q->json);
	free(chosen);
}

/* The strongest of the objects that are not strongly reachable. */
static enum hprof_strength strongest(const uint64_t *counts)
{
	unsigned i = HPROF_STRENGTH_SOFT;

	while (i < HPROF_STRENGTH_GARBAGE && !counts[i])
		i++;
	return (enum hprof_strength)i;
}

/*
 * Reads the paths to all objects that are reachable; if none is, to those of
 * the greatest strength.
 */
static bool read_class(struct question *q, struct hprof_merged_paths **ret,
		       enum hprof_strength *ret_strength,
		       uint64_t weaker[HPROF_STRENGTHS])
{
	struct hprof_error error = { 0 };
	enum hprof_strength strength;

	if (hprof_merged_paths_read(q->graph, q->selector.rows,
				    q->selector.row_count, ret, &error) < 0)
		return print_failure(q, &error) == CLI_FINE;
	memcpy(weaker, (*ret)->by_strength, sizeof((*ret)->by_strength));
	*ret_strength = HPROF_STRENGTH_STRONG;
	strength = strongest(weaker);
	if ((*ret)->targets || !holds[strength])
		return true;
	hprof_merged_paths_free(*ret);
	*ret = NULL;
	if (!hold_weaker(q, strength))
		return false; /* a message was printed */
	if (hprof_merged_paths_read(q->graph, q->selector.rows,
				    q->selector.row_count, ret, &error) < 0)
		return print_failure(q, &error) == CLI_FINE;
	weaker[strength] = 0;
	*ret_strength = strength;
	return true;
}

/* A class without objects is alive by its loader: says which, and why. */
static void print_definers(const struct question *q, const struct definers *d)
{
	char *loaders = describe_count(d->count, "loader", "loaders");
	char bytes[UNITS_MAX];

	printf("\n%s %s defined it:\n", loaders,
	       d->count == 1 ? "has" : "have");
	for (size_t i = 0; i < d->count && i < LOADERS_SHOWN; i++) {
		char *object = describe_object(&d->loaders[i]);
		char *line = describe_format(
			"%s  %s", units_bytes(d->loaders[i].retained, bytes),
			object);

		screen_line(stdout, 2, line);
		free(line);
		free(object);
	}
	if (d->count > LOADERS_SHOWN)
		printf("  (%zu more)\n", d->count - LOADERS_SHOWN);
	printf("\nWhy loaders of %s are alive:\n",
	       d->count == 1 ? "that class" : "these classes");
	put_tree(q, d->paths,
		 q->options->top.given ? q->options->top.value : TOP_DEFAULT);
	free(loaders);
}

/* Loaders are wanted if no object of the class is alive. */
static bool find_definers(const struct question *q,
			  const struct hprof_merged_paths *table,
			  struct definers *ret)
{
	struct hprof_error error = { 0 };

	*ret = (struct definers){ 0 };
	if (table->targets || (q->selector.row_count < 2 && table->unreachable))
		return true;
	if (definers_read(ret, q->graph, q->selector.rows,
			  q->selector.row_count, &error) >= 0)
		return true;
	print_failure(q, &error);
	return false;
}

static int report_class(struct question *q)
{
	struct hprof_merged_paths *table = NULL;
	uint64_t weaker[HPROF_STRENGTHS];
	enum hprof_strength strength;
	struct definers definers;
	int status = CLI_TROUBLE;

	if (!read_class(q, &table, &strength, weaker))
		return CLI_TROUBLE;
	if (find_definers(q, table, &definers)) {
		if (q->options->json)
			print_class_json(q, table, strength, weaker, &definers);
		else
			print_class(q, table, strength, weaker);
		if (!q->options->json && definers.count)
			print_definers(q, &definers);
		status = strength == HPROF_STRENGTH_STRONG && table->targets
				 ? CLI_FINE
				 : CLI_NO;
	}
	definers_done(&definers);
	hprof_merged_paths_free(table);
	return status;
}

/* ---- all of it ---------------------------------------------------------- */

static int report(struct question *q)
{
	return q->selector.object == HPROF_NO_OBJECT ? report_class(q)
						     : report_object(q);
}

static int answer(struct question *q)
{
	const struct hprof_summary *summary;
	int status = CLI_TROUBLE;

	q->heap = input_heap(q->path, &q->input);
	if (!q->heap)
		return CLI_TROUBLE;
	summary = hprof_heap_summary(q->heap);
	diagnostics_print(q->path, summary->diagnostics,
			  summary->diagnostic_count, q->options->input.quiet);
	if (object_selector_find(&q->selector, q->heap, q->text, true)) {
		q->graph = input_graph(q->path, q->heap, &q->input);
		if (q->graph)
			status = report(q);
	}
	if (status == CLI_FINE && summary->errors)
		status = CLI_NO;
	object_selector_done(&q->selector);
	hprof_graph_free(q->graph);
	hprof_heap_close(q->heap);
	return status;
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	struct question q = { .options = &options };
	int first;

	cli_start(&hprof_path);
	first = cli_parse(argc, argv, &options);
	screen_set(&options.screen);
	cli_operands(argc, argv, first, 2, "FILE and CLASS or @ID");
	q.path = argv[first];
	q.text = argv[first + 1];
	q.input = input_words_take(&options.input, hprof_path.name);
	q.input.graph.dominators = q.input.graph.edges = true;
	q.input.graph.strengths = true;
	return cli_finish(answer(&q));
}
