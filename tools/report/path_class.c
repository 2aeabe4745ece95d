/* SPDX-License-Identifier: MIT */
/*
 * path_class.c - why the objects of a class are alive: the paths to all of them
 * as one tree, or the loaders of a class that has none.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/json_graph.h"
#include "tools/common/prose.h"
#include "tools/common/screen.h"
#include "tools/common/table.h"
#include "tools/common/units.h"
#include "tools/report/definers.h"
#include "tools/report/path_question.h"
#include "tools/report/render.h"

#define TOP_DEFAULT 40
#define LOADERS_SHOWN 5

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
node_strength(const struct path_question *q,
	      const struct hprof_merged_paths *table,
	      const struct hprof_merged_path_node *node)
{
	return describe_referent_strength(q->heap,
					  table->nodes[node->parent].class_row);
}

/* What keeps a node at the top; of a class that is no root, its loader does. */
static const char *describe_top(const struct path_question *q,
				const struct hprof_merged_path_node *node)
{
	if (node->root.tag)
		return hprof_root_name(node->root.tag);
	return hprof_graph_is_root(q->graph, node->first) ? "system class"
							  : "loaded class";
}

/* The same, of a stack the method. */
static char *describe_root_node(const struct path_question *q,
				const struct hprof_merged_path_node *node)
{
	const struct hprof_stack_frame *frame = &node->root.frame;
	char *class_name, *method, *text;

	if (!node->root.has_frame)
		return describe_format("(%s)", describe_top(q, node));
	class_name = describe_kind(frame->class_name, false);
	method = describe_kind(frame->method, false);
	text = describe_format("(%s of %s.%s)",
			       node->root.tag == HPROF_ROOT_JAVA_FRAME
				       ? "local"
				       : describe_top(q, node),
			       class_name, method);
	free(class_name);
	free(method);
	return text;
}

static char *describe_node(const struct path_question *q,
			   const struct hprof_merged_paths *table,
			   const struct hprof_merged_path_node *node)
{
	char *name = describe_kind(node->class_name,
				   node->kind == HPROF_OBJECT_CLASS);
	char *how, *label, *local = NULL;

	if (node->depth && node->edge == HPROF_EDGE_REFERENT)
		how = describe_reference(node->field,
					 node_strength(q, table, node));
	else if (node->depth)
		how = describe_edge(node->edge, node->field, 0, false);
	else
		how = describe_root_node(q, node);
	if (node->local_class)
		local = render_path_local(node->local_class, node->local_field);
	label = describe_format("%*s%s %s%s%s%s", (int)(2 * node->depth), "",
				how, name, node->repeats ? " ..." : "",
				local ? " " : "", local ? local : "");
	free(local);
	free(name);
	free(how);
	return label;
}

static void put_tree(const struct path_question *q,
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
static void print_class(const struct path_question *q,
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
		put_tree(q, table, q->top_given ? q->top : TOP_DEFAULT);
}

static void put_node_json(struct json *json,
			  const struct hprof_merged_path_node *node)
{
	char word[32];

	json_begin_object(json, NULL, JSON_LINE);
	json_number(json, "depth", node->depth);
	if (node->root.tag)
		json_string(json, "root",
			    hprof_root_word(node->root.tag, word));
	else if (!node->depth)
		json_null(json, "root");
	else
		json_string(json, "by", describe_edge_word(node->edge));
	if (node->field)
		json_string(json, "field", node->field);
	if (node->local_class)
		json_string(json, "thread_local_class", node->local_class);
	if (node->local_field)
		json_string(json, "thread_local_field", node->local_field);
	if (node->root.has_frame)
		json_frame(json, "frame", &node->root.frame);
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
		json_number(json, hprof_strength_name((enum hprof_strength)i),
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

static void print_class_json(struct path_question *q,
			     const struct hprof_merged_paths *table,
			     enum hprof_strength strength,
			     const uint64_t *weaker,
			     const struct definers *definers)
{
	const struct hprof_summary *summary = hprof_heap_summary(q->heap);
	uint64_t top = q->top_given ? q->top : 0;
	bool *chosen = choose_nodes(table, top);

	path_begin_json(q);
	json_string(&q->json, q->selector.pattern ? "match" : "class",
		    q->selector.pattern
			    ? q->selector.pattern
			    : summary->class_rows[q->selector.rows[0]].name);
	json_number(&q->json, "classes", q->selector.row_count);
	json_number(&q->json, "objects", table->targets);
	json_number(&q->json, "unreachable", table->unreachable);
	json_string(&q->json, "strength", hprof_strength_name(strength));
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
static bool read_class(struct path_question *q, struct hprof_merged_paths **ret,
		       enum hprof_strength *ret_strength,
		       uint64_t weaker[HPROF_STRENGTHS])
{
	struct hprof_error error = { 0 };
	enum hprof_strength strength;

	if (hprof_merged_paths_read(q->graph, q->selector.rows,
				    q->selector.row_count, ret, &error) < 0)
		return path_print_failure(q, &error) == CLI_FINE;
	memcpy(weaker, (*ret)->by_strength, sizeof((*ret)->by_strength));
	*ret_strength = HPROF_STRENGTH_STRONG;
	strength = strongest(weaker);
	if ((*ret)->targets || !path_holds[strength])
		return true;
	hprof_merged_paths_free(*ret);
	*ret = NULL;
	if (!path_hold_weaker(q, strength))
		return false; /* a message was printed */
	if (hprof_merged_paths_read(q->graph, q->selector.rows,
				    q->selector.row_count, ret, &error) < 0)
		return path_print_failure(q, &error) == CLI_FINE;
	weaker[strength] = 0;
	*ret_strength = strength;
	return true;
}

/* A class without objects is alive by its loader: says which, and why. */
static void print_definers(const struct path_question *q,
			   const struct definers *d)
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
	put_tree(q, d->paths, q->top_given ? q->top : TOP_DEFAULT);
	free(loaders);
}

/* Loaders are wanted if no object of the class is alive. */
static bool find_definers(const struct path_question *q,
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
	path_print_failure(q, &error);
	return false;
}

int path_report_class(struct path_question *q)
{
	struct hprof_merged_paths *table = NULL;
	uint64_t weaker[HPROF_STRENGTHS];
	enum hprof_strength strength;
	struct definers definers;
	int status = CLI_TROUBLE;

	if (!read_class(q, &table, &strength, weaker))
		return CLI_TROUBLE;
	if (find_definers(q, table, &definers)) {
		if (q->as_json)
			print_class_json(q, table, strength, weaker, &definers);
		else
			print_class(q, table, strength, weaker);
		if (!q->as_json && definers.count)
			print_definers(q, &definers);
		status = strength == HPROF_STRENGTH_STRONG && table->targets
				 ? CLI_FINE
				 : CLI_NO;
	}
	definers_done(&definers);
	hprof_merged_paths_free(table);
	return status;
}
