/* SPDX-License-Identifier: MIT */
/*
 * render_diff_dumps.c - which dumps are compared, and how they count sizes.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/diff/diff.h"
#include "tools/common/describe.h"
#include "tools/common/escape.h"
#include "tools/common/prose.h"
#include "tools/common/screen.h"
#include "tools/common/table.h"
#include "tools/common/units.h"

#define SIZES_WIDTH 7
#define DOTS "..."

/* ---- names of files ------------------------------------------------------ */

static bool all_fit(char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (escape_width(names[i], strlen(names[i])) > screen_width())
			return false;
	return true;
}

/* The length of what all names begin with. */
static size_t common_head(char *const *names, size_t count)
{
	size_t length = strlen(names[0]);

	for (size_t i = 1; i < count; i++) {
		size_t k = 0;

		while (k < length && names[i][k] == names[0][k])
			k++;
		length = k;
	}
	return length;
}

/* The length of what all names end with, behind the first HEAD bytes. */
static size_t common_tail(char *const *names, size_t count, size_t head)
{
	size_t length = strlen(names[0]) - head;

	for (size_t i = 1; i < count; i++) {
		size_t size = strlen(names[i]), k = 0;
		size_t own = strlen(names[0]);

		while (k < length && k < size - head &&
		       names[i][size - 1 - k] == names[0][own - 1 - k])
			k++;
		length = k;
	}
	return length;
}

static bool joins(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/*
 * Leaves out the directories in which all files are and, where that is not
 * enough, what all names end with: what is left tells the files apart.
 */
static void leave_out_common(char **names, size_t count)
{
	size_t head = common_head(names, count), tail;
	bool end;

	while (head && names[0][head - 1] != '/')
		head--;
	for (size_t i = 0; head > 1 && i < count; i++) {
		char *rest = describe_format(DOTS "/%s", names[i] + head);

		free(names[i]);
		names[i] = rest;
	}
	if (all_fit(names, count))
		return;
	tail = common_tail(names, count, common_head(names, count));
	end = tail > strlen(DOTS);
	for (size_t i = 0; end && i < count; i++) {
		size_t size = strlen(names[i]) - tail;

		while (joins(names[i][size]))
			size++;
		memcpy(names[i] + size, DOTS, strlen(DOTS) + 1);
	}
}

/* What to print for each file; free them all. */
static char **make_names(const struct dump_inputs *dumps)
{
	char **names = cli_calloc(dumps->count, sizeof(*names));

	for (size_t i = 0; i < dumps->count; i++)
		names[i] = escape_copy(dumps->items[i].path, 0);
	if (!all_fit(names, dumps->count))
		leave_out_common(names, dumps->count);
	return names;
}

/* ---- the dumps ----------------------------------------------------------- */

/* What a dump is called in the report; free it. */
static char *dump_label(const struct dump_inputs *dumps, size_t i)
{
	if (dumps->count == 2)
		return cli_strdup(i ? "after" : "before");
	return describe_format("%zu", i + 1);
}

static void dump_row(struct table *table, const struct dump_inputs *dumps,
		     size_t i, const char *name)
{
	const struct dump_input *dump = &dumps->items[i];
	char text[UNITS_MAX], *label = dump_label(dumps, i);
	const char *time =
		hprof_time_text(dump->summary->header.time_ms, ' ', text);

	table_words(table, label);
	table_words(table, time ? time : "unknown");
	table_count(table,
		    dump->tree ? dump->tree->objects : dump->summary->objects);
	table_count(table,
		    dump->tree ? dump->tree->shallow : dump->summary->shallow);
	table_file(table, name);
	free(label);
}

static void put_faults(FILE *out, const struct dump_inputs *dumps)
{
	for (size_t i = 0; i < dumps->count; i++) {
		const char *fault = dump_input_fault(&dumps->items[i]);

		if (fault)
			fprintf(out, "dump %zu %s\n", i + 1, fault);
	}
}

static void put_sizes(FILE *out, const struct dump_inputs *dumps)
{
	fprintf(out, "\n%-*s", SIZES_WIDTH, "sizes");
	prose_wrap(out, SIZES_WIDTH, dumps->convention);
	if (dumps->like != SIZE_MAX) {
		char *text = describe_format(
			"Sizes are not to be had in the same way from all "
			"dumps. Those of all are computed by the layout of "
			"dump %zu.",
			dumps->like + 1);

		fprintf(out, "%*s", SIZES_WIDTH, "");
		prose_wrap(out, SIZES_WIDTH, text);
		free(text);
	}
	if (!dumps->mixed)
		return;
	fprintf(out, "%*s", SIZES_WIDTH, "");
	prose_wrap(out, SIZES_WIDTH,
		   "THE SIZES OF THESE DUMPS CANNOT BE COMPARED: there is no "
		   "common convention.");
}

void render_diff_dumps(FILE *out, const struct dump_inputs *dumps)
{
	static const struct table_column columns[] = {
		{ "dump", TABLE_LEFT },	    { "taken", TABLE_LEFT },
		{ "objects", TABLE_RIGHT }, { "bytes", TABLE_RIGHT },
		{ "file", TABLE_LEFT },
	};
	struct table *table = table_new(columns, 5);
	char **names = make_names(dumps);

	for (size_t i = 0; i < dumps->count; i++) {
		dump_row(table, dumps, i, names[i]);
		free(names[i]);
	}
	free((void *)names);
	table_print(table, out, 0);
	table_free(table);
	put_faults(out, dumps);
	put_sizes(out, dumps);
}
