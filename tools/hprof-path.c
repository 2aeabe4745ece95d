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
#include "tools/report/path_question.h"
#include "tools/report/render.h"
#include "tools/common/units.h"

#define PATHS_DEFAULT 3
#define PATHS_MAX 1000

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
	CLI_OPTION_QUIET(AT(input.quiet), CLI_QUIET_READ),
	CLI_OPTIONS_SCREEN(AT(screen.width), AT(screen.wide)),
	CLI_OPTION_PROGRESS(AT(input.progress)),

	CLI_OPTIONS_INPUT(AT(input.member), AT(input.jobs)),

	CLI_OPTIONS_HELP,
};

static const struct cli_program hprof_path = {
	.name = "hprof-path",
	.operands = "FILE CLASS|@ID",
	.summary = "Say why objects in a Java heap dump (HPROF) are alive.\n\n"
		   "@ID selects an object, as in java.lang.Thread@0x7f0010; "
		   "CLASS selects all direct\ninstances of a class, by its "
		   "whole name, without the package, or by a pattern\n"
		   "like 'java.util.*'.",
	.epilog = "Exit status: 0 there is a path, 1 there is none or the dump "
		  "is damaged,\n2 trouble.",
	.options = option_table,
	.option_count = sizeof(option_table) / sizeof(option_table[0]),
};

/* What becomes of an object that is held so. */
static const char *const fates[HPROF_STRENGTHS] = {
	[HPROF_STRENGTH_SOFT] = "it goes when memory runs short",
	[HPROF_STRENGTH_FINALIZER] = "it stays until finalizers have run",
	[HPROF_STRENGTH_WEAK] = "it goes with the next collection",
	[HPROF_STRENGTH_PHANTOM] = "only what cleans up after it is left to do",
};

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

static void print_object(const struct path_question *q,
			 const struct hprof_object_info *info,
			 const struct hprof_path_table *table,
			 enum hprof_strength strength)
{
	char *object = describe_object(info), *paths, *text;
	char retained[UNITS_MAX];

	if (strength == HPROF_STRENGTH_STRONG) {
		paths = describe_paths(table, q->paths, q->alike);
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

static void print_object_json(struct path_question *q,
			      const struct hprof_object_info *info,
			      const struct hprof_path_table *table,
			      enum hprof_strength strength)
{
	bool alive = strength == HPROF_STRENGTH_STRONG;

	path_begin_json(q);
	json_object_info(&q->json, "object", info);
	json_bool(&q->json, "alive", alive);
	json_bool(&q->json, "weakly", table->count && !alive);
	json_string(&q->json, "strength", hprof_strength_name(strength));
	json_paths(&q->json, "paths", table->paths, table->count);
	json_number(&q->json, "others", table->others);
	json_end(&q->json);
}

/*
 * Searches again with references of the object's STRENGTH, which explain why it
 * is still in the heap.
 */
static enum hprof_status read_weak_paths(struct path_question *q,
					 enum hprof_strength strength,
					 const struct hprof_path_options *how,
					 struct hprof_path_table **ret,
					 struct hprof_error *error)
{
	hprof_path_table_free(*ret);
	*ret = NULL;
	if (!path_hold_weaker(q, strength))
		return HPROF_E_NOMEM; /* a message was printed */
	return hprof_paths_read(q->graph, q->selector.object, how, ret, error);
}

static int report_object(struct path_question *q)
{
	struct hprof_path_options how = {
		.size = sizeof(how),
		.count = q->paths,
		.alike = q->alike,
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
		return path_print_failure(q, &error);
	status = hprof_object_info_get(cursor, q->graph, q->selector.object,
				       &info, &error);
	if (status >= 0)
		status = hprof_paths_read(q->graph, q->selector.object, &how,
					  &table, &error);
	if (status >= 0 && path_holds[strength])
		status = read_weak_paths(q, strength, &how, &table, &error);
	hprof_cursor_free(cursor);
	if (status < 0)
		return q->graph ? path_print_failure(q, &error) : CLI_TROUBLE;
	if (q->as_json)
		print_object_json(q, &info, table, strength);
	else
		print_object(q, &info, table, strength);
	result = strength == HPROF_STRENGTH_STRONG ? CLI_FINE : CLI_NO;
	hprof_path_table_free(table);
	return result;
}

/* ---- all of it ---------------------------------------------------------- */

static int report(struct path_question *q)
{
	return q->selector.object == HPROF_NO_OBJECT ? path_report_class(q)
						     : report_object(q);
}

static int answer(struct path_question *q)
{
	const struct hprof_summary *summary;
	int status = CLI_TROUBLE;

	q->heap = input_heap(q->path, &q->input);
	if (!q->heap)
		return CLI_TROUBLE;
	summary = hprof_heap_summary(q->heap);
	diagnostics_print(q->path, summary->diagnostics,
			  summary->diagnostic_count, q->quiet);
	if (object_selector_find(&q->selector, q->heap, q->text, true)) {
		q->graph = input_graph(q->path, q->heap, &q->input);
		if (q->graph)
			status = report(q);
	}
	if (status == CLI_FINE && summary->errors)
		status = CLI_NO;
	object_selector_done(&q->selector);
	hprof_graph_free(q->graph);
	input_note_cache(q->heap);
	hprof_heap_close(q->heap);
	return status;
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	struct path_question q = { 0 };
	int first;

	cli_start(&hprof_path);
	first = cli_parse(argc, argv, &options);
	screen_set(&options.screen);
	cli_operands(argc, argv, first, 2, "FILE and CLASS or @ID");
	q.path = argv[first];
	q.text = argv[first + 1];
	q.paths = options.paths.given ? (size_t)options.paths.value
				      : PATHS_DEFAULT;
	q.alike = options.alike;
	q.top_given = options.top.given;
	q.top = options.top.value;
	q.as_json = options.json;
	q.quiet = options.input.quiet;
	q.input = input_words_take(&options.input, hprof_path.name);
	q.input.graph.dominators = q.input.graph.edges = true;
	q.input.graph.strengths = true;
	return cli_finish(answer(&q));
}
