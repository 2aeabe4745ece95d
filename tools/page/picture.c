/* SPDX-License-Identifier: MIT */
/*
 * picture.c - see picture.h.
 *
 * The number of nodes and the length of all names are limited; those of the largest
 * nodes come first. A node that is left out counts for the one before it, as a part
 * that has no name. If that is still too long in the page, as numbers of 20 digits
 * are and names of characters that must be escaped there, half of it is tried.
 */
#include "tools/page/picture.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/escape.h"

enum {
	NODES_MOST = 1500,
	DEEPEST = 200,
	NAME_LONGEST = 160,
	NAMES_MOST = 64 * 1024, /* bytes of all of them */
	LESS_THAN_SIGN = 6	/* bytes of one in the page */
};

#define NOT_SHOWN UINT32_MAX

/* A name that is wanted, and the size of the largest node that has it. */
struct wish {
	uint64_t size;
	uint32_t function;
};

struct picture {
	const struct stack_tree *tree;
	size_t measure;
	uint32_t nodes_most;
	size_t names_most;
	uint32_t *node_number;	   /* of each node in the picture */
	uint32_t *function_number; /* of each function among the names */
	uint32_t node_count, name_count;
};

static uint32_t *numbers(size_t count)
{
	uint32_t *numbers = cli_calloc(count + 1, sizeof(*numbers));

	for (size_t i = 0; i <= count; i++)
		numbers[i] = NOT_SHOWN;
	return numbers;
}

static bool is_shown(const struct picture *p, size_t i, uint64_t least)
{
	const struct stack_node *node = &p->tree->nodes[i];

	return node->total[p->measure] >= least && node->depth <= DEEPEST &&
	       p->node_number[node->parent] != NOT_SHOWN;
}

static int compare_wishes(const void *left, const void *right)
{
	const struct wish *a = left, *b = right;

	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

/* Marks the names for which there is room. */
static void choose_names(struct picture *p, struct wish *wishes)
{
	const struct stack_tree *tree = p->tree;
	size_t bytes = 0;

	qsort(wishes, tree->function_count, sizeof(*wishes), compare_wishes);
	for (size_t i = 0; i < tree->function_count && wishes[i].size; i++) {
		uint32_t function = wishes[i].function;
		char *name = escape_copy(tree->functions[function].name,
					 NAME_LONGEST);

		/* Some characters need more room as JSON. */
		bytes += 2 * strlen(name) + 4;
		free(name);
		if (bytes >= p->names_most)
			return;
		p->function_number[function] = 0;
	}
}

/* Numbers the nodes that are shown. */
static void choose(struct picture *p)
{
	const struct stack_tree *tree = p->tree;
	uint64_t least = stack_tree_least(tree, p->measure, p->nodes_most);
	struct wish *wishes =
		cli_calloc(tree->function_count + 1, sizeof(*wishes));

	for (size_t i = 0; i < tree->function_count; i++)
		wishes[i].function = (uint32_t)i;
	p->node_number[0] = 0;
	for (size_t i = 1; i < tree->count; i++) {
		const struct stack_node *node = &tree->nodes[i];
		struct wish *wish = &wishes[node->function];

		if (!is_shown(p, i, least))
			continue;
		p->node_number[i] = 0;
		if (node->total[p->measure] > wish->size)
			wish->size = node->total[p->measure];
	}
	choose_names(p, wishes);
	free(wishes);
	p->node_count = 1;
	for (size_t i = 1; i < tree->count; i++) {
		bool named = p->function_number[tree->nodes[i].function] !=
			     NOT_SHOWN;

		p->node_number[i] = named && is_shown(p, i, least)
					    ? p->node_count++
					    : NOT_SHOWN;
	}
}

static void put_names(struct picture *p, struct json *json)
{
	json_begin_array(json, "names", JSON_LINE);
	json_string(json, NULL, "");
	p->name_count = 1;
	for (size_t i = 0; i < p->tree->function_count; i++) {
		char *name;

		if (p->function_number[i] == NOT_SHOWN)
			continue;
		name = escape_copy(p->tree->functions[i].name, NAME_LONGEST);
		json_string(json, NULL, name);
		p->function_number[i] = p->name_count++;
		free(name);
	}
	json_end(json);
}

static void put_node(const struct picture *p, struct json *json, size_t i)
{
	const struct stack_node *node = &p->tree->nodes[i];
	bool objects = p->tree->measure_count == 2 && p->measure == 0;

	json_number(json, NULL, i ? p->node_number[node->parent] : 0);
	json_number(json, NULL, i ? p->function_number[node->function] : 0);
	json_number(json, NULL, node->total[p->measure]);
	json_number(json, NULL, node->self[p->measure]);
	json_number(json, NULL, objects ? node->total[1] : 0);
}

const char *picture_unit(const struct stack_measure *measure)
{
	/* A count is of what its type says. */
	return strcmp(measure->unit, "count") ? measure->unit : measure->type;
}

static void put_picture(struct picture *p, struct json *json, const char *label)
{
	const struct stack_tree *tree = p->tree;

	p->node_number = numbers(tree->count);
	p->function_number = numbers(tree->function_count);
	choose(p);
	json_begin_object(json, NULL, JSON_BLOCK);
	json_string(json, "label", label);
	json_string(json, "unit", picture_unit(&tree->measures[p->measure]));
	put_names(p, json);
	json_begin_array(json, "nodes", JSON_LINE);
	for (size_t i = 0; i < tree->count; i++)
		if (p->node_number[i] != NOT_SHOWN)
			put_node(p, json, i);
	json_end(json);
	json_end(json);
	free(p->node_number);
	free(p->function_number);
}

/* Bytes of the text of a picture in the page. */
static size_t size_of(const char *text)
{
	size_t size = strlen(text);

	for (; (text = strchr(text, '<')) != NULL; text++)
		size += LESS_THAN_SIGN - 1;
	return size;
}

/* The picture as text, which is freed by the caller. */
static char *make_picture(const struct stack_tree *tree, size_t measure,
			  const char *label, unsigned part)
{
	struct picture p = {
		.tree = tree,
		.measure = measure,
		.nodes_most = NODES_MOST / part,
		.names_most = NAMES_MOST / part,
	};
	struct json json;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		cli_out_of_memory();
	json_start(&json, out);
	put_picture(&p, &json, label);
	if (!cli_close_text(out, &text))
		cli_out_of_memory();
	text[size - 1] = '\0'; /* the end of the line */
	return text;
}

void picture_put(struct json *json, const char *key, const char *label,
		 const struct stack_tree *tree, size_t measure)
{
	unsigned part = 1;
	char *text;

	assert(measure < tree->measure_count);
	text = make_picture(tree, measure, label, part);
	while (size_of(text) >= PICTURE_MOST) {
		free(text);
		part *= 2;
		text = make_picture(tree, measure, label, part);
	}
	json_raw(json, key, text);
	free(text);
}
