/* SPDX-License-Identifier: MIT */
/*
 * export_pprof.c - a profile for pprof: a protocol buffer, message Profile of
 * its profile.proto, in gzip. A sample is a stack with a value for each measure
 * that the profile has; a location is a function and a line of it.
 *
 * The encoding needs but two kinds of fields: numbers, of seven bits a byte,
 * and runs of bytes with their length before them.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/common/escape.h"
#include "tools/export/export_stacks.h"

/* Numbers of fields in profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRINGS = 6,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DEFAULT_TYPE = 14,

	TYPE_TYPE = 1,
	TYPE_UNIT = 2,
	SAMPLE_LOCATIONS = 1,
	SAMPLE_VALUES = 2,
	LOCATION_ID = 1,
	LOCATION_LINE = 4,
	LINE_FUNCTION = 1,
	LINE_LINE = 2,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_FILE = 4
};

enum { WIRE_NUMBER = 0, WIRE_BYTES = 2, NUMBER_MOST = 10 };

/* A message that is being made. Memory that runs out ends the program. */
struct message {
	uint8_t *bytes;
	size_t size, room;
};

static void put_bytes(struct message *m, const void *bytes, size_t size)
{
	if (m->room - m->size < size) {
		m->room = (m->size + size) * 2;
		m->bytes = cli_realloc(m->bytes, m->room, 1);
	}
	if (size > 0)
		memcpy(m->bytes + m->size, bytes, size);
	m->size += size;
}

static void put_raw(struct message *m, uint64_t number)
{
	uint8_t bytes[NUMBER_MOST];
	size_t size = 0;

	for (; number >= 0x80; number >>= 7)
		bytes[size++] = (uint8_t)(number | 0x80);
	bytes[size++] = (uint8_t)number;
	put_bytes(m, bytes, size);
}

/* 0 is what a field that is not there has. */
static void put_number(struct message *m, unsigned field, uint64_t number)
{
	if (number == 0)
		return;
	put_raw(m, field << 3 | WIRE_NUMBER);
	put_raw(m, number);
}

static void put_run(struct message *m, unsigned field, const void *bytes,
		    size_t size)
{
	put_raw(m, field << 3 | WIRE_BYTES);
	put_raw(m, size);
	put_bytes(m, bytes, size);
}

/* Puts PART, which is empty afterwards. */
static void put_message(struct message *m, unsigned field, struct message *part)
{
	put_run(m, field, part->bytes, part->size);
	part->size = 0;
}

/* ---- strings ------------------------------------------------------------- */

/*
 * The string table: "", the measures' types and units, then each function's
 * name and file, whether equal to others or not. So numbers follow from places.
 */
static uint64_t type_string(size_t measure)
{
	return 1 + 2 * measure;
}

static uint64_t name_string(const struct stack_tree *tree, size_t function)
{
	return 1 + 2 * tree->measure_count + 2 * function;
}

/* Strings have to be UTF-8; what is unsafe to print is escaped. */
static void put_string(struct message *m, struct message *text,
		       const char *string)
{
	size_t size = strlen(string);
	char piece[ESCAPE_MAX];

	while (size > 0) {
		size_t n = escape_next(&string, &size, ESCAPE_TERMINAL, piece);
		put_bytes(text, piece, n);
	}
	put_message(m, PROFILE_STRINGS, text);
}

static void put_strings(struct message *m, const struct stack_tree *tree)
{
	struct message text = { 0 };

	put_string(m, &text, "");
	for (size_t i = 0; i < tree->measure_count; i++) {
		put_string(m, &text, tree->measures[i].type);
		put_string(m, &text, tree->measures[i].unit);
	}
	for (size_t i = 0; i < tree->function_count; i++) {
		const struct stack_function *f = &tree->functions[i];

		put_string(m, &text, f->name);
		put_string(m, &text, f->file ? f->file : "");
	}
	free(text.bytes);
}

/* ---- functions and locations --------------------------------------------- */

static void put_functions(struct message *m, const struct stack_tree *tree)
{
	struct message part = { 0 };

	for (size_t i = 0; i < tree->function_count; i++) {
		put_number(&part, FUNCTION_ID, i + 1);
		put_number(&part, FUNCTION_NAME, name_string(tree, i));
		if (tree->functions[i].file)
			put_number(&part, FUNCTION_FILE,
				   name_string(tree, i) + 1);
		put_message(m, PROFILE_FUNCTION, &part);
	}
	free(part.bytes);
}

struct place {
	uint32_t node, function;
	int32_t line;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/*
 * Puts a location for each function and line. RET_LOCATIONS gets its number for
 * each node.
 */
static void put_locations(struct message *m, const struct stack_tree *tree,
			  uint32_t *ret_locations)
{
	const size_t count = tree->count - 1;
	struct place *places = cli_calloc(count + 1, sizeof(*places));
	struct message part = { 0 }, line = { 0 };
	uint32_t id = 0;

	for (size_t i = 0; i < count; i++)
		places[i] = (struct place){
			.node = (uint32_t)i + 1,
			.function = tree->nodes[i + 1].function,
			.line = tree->nodes[i + 1].line,
		};
	qsort(places, count, sizeof(*places), compare_places);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || compare_places(&places[i - 1], &places[i]) != 0) {
			put_number(&line, LINE_FUNCTION,
				   (uint64_t)places[i].function + 1);
			put_number(&line, LINE_LINE, (uint64_t)places[i].line);
			put_number(&part, LOCATION_ID, ++id);
			put_message(&part, LOCATION_LINE, &line);
			put_message(m, PROFILE_LOCATION, &part);
		}
		ret_locations[places[i].node] = id;
	}
	free(part.bytes);
	free(line.bytes);
	free(places);
}

/* ---- samples ------------------------------------------------------------- */

static bool has_value(const struct stack_tree *tree, size_t node)
{
	for (size_t v = 0; v < tree->measure_count; v++)
		if (tree->nodes[node].self[v])
			return true;
	return false;
}

/* Writes what M has so far, which may be a gigabyte for all samples. */
static enum hprof_status flush(struct hprof_output *output, struct message *m)
{
	enum hprof_status status =
		hprof_output_write(output, m->bytes, m->size);

	m->size = 0;
	return status;
}

static enum hprof_status put_samples(struct hprof_output *output,
				     struct message *m,
				     const struct stack_tree *tree,
				     const uint32_t *locations)
{
	uint32_t *path = cli_calloc(STACK_DEEPEST + 1, sizeof(*path));
	struct message part = { 0 }, packed = { 0 };
	enum hprof_status status = HPROF_OK;

	for (size_t i = 1; i < tree->count && status == HPROF_OK; i++) {
		size_t count;

		if (!has_value(tree, i))
			continue;
		count = stack_tree_path(tree, (uint32_t)i, path);
		for (size_t n = 0; n < count; n++) /* the innermost first */
			put_raw(&packed, locations[path[n]]);
		put_message(&part, SAMPLE_LOCATIONS, &packed);
		for (size_t v = 0; v < tree->measure_count; v++)
			put_raw(&packed, tree->nodes[i].self[v]);
		put_message(&part, SAMPLE_VALUES, &packed);
		put_message(m, PROFILE_SAMPLE, &part);
		status = flush(output, m);
	}
	free(part.bytes);
	free(packed.bytes);
	free(path);
	return status;
}

/* ---- the profile --------------------------------------------------------- */

static void put_types(struct message *m, const struct export_stacks *stacks)
{
	struct message part = { 0 };

	for (size_t i = 0; i < stacks->tree.measure_count; i++) {
		put_number(&part, TYPE_TYPE, type_string(i));
		put_number(&part, TYPE_UNIT, type_string(i) + 1);
		put_message(m, PROFILE_SAMPLE_TYPE, &part);
	}
	free(part.bytes);
	put_number(m, PROFILE_DEFAULT_TYPE, type_string(stacks->measure));
	if (stacks->time_ms < INT64_MAX / 1000000)
		put_number(m, PROFILE_TIME_NANOS, stacks->time_ms * 1000000);
}

static enum hprof_status write_pprof(struct hprof_output *output,
				     const struct export_stacks *stacks)
{
	const struct stack_tree *tree = &stacks->tree;
	uint32_t *locations = cli_calloc(tree->count, sizeof(*locations));
	struct message m = { 0 };
	enum hprof_status status;

	put_types(&m, stacks);
	put_strings(&m, tree);
	put_functions(&m, tree);
	put_locations(&m, tree, locations);
	status = put_samples(output, &m, tree, locations);
	if (status == HPROF_OK)
		status = flush(output, &m);
	free(m.bytes);
	free(locations);
	return status;
}

static int run_pprof(struct export_job *job)
{
	return export_stacks_run(job, true, write_pprof);
}

const struct export_form export_pprof = {
	.name = "pprof",
	.suffixes = ".pprof .pb",
	.packs = true,
	.gzip = true,
	.run = run_pprof,
};
