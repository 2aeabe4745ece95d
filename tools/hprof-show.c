/* SPDX-License-Identifier: MIT */
/*
 * hprof-show.c - shows one object or class: its contents, its size, and what
 * refers to it.
 */
#include <stdio.h>
#include <stdlib.h>

#include <hprof.h>

#include "tools/common/cli.h"
#include "tools/common/diagnostics.h"
#include "tools/common/input.h"
#include "tools/common/screen.h"
#include "tools/report/show.h"

#define TOP_DEFAULT 25

struct options {
	struct input_words input;
	struct screen_words screen;

	struct cli_number top;
	bool json;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option option_table[] = {
	{ .kind = CLI_HEADING, .help = "What is shown" },
	{ .kind = CLI_NUMBER,
	  .name = "top",
	  .argument = "N",
	  .offset = AT(top),
	  .most = UINT64_MAX,
	  .help = "show N elements, entries, referrers and instances, 0 for "
		  "all (default 25)" },

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

static const struct cli_program hprof_show = {
	.name = "hprof-show",
	.operands = "FILE CLASS|@ID",
	.summary = "Show an object or a class of a Java heap dump (HPROF).\n\n"
		   "@ID selects an object, as in java.lang.Thread@0x7f0010; "
		   "CLASS selects a class,\nby its whole name, without the "
		   "package, or by a pattern that fits no other.",
	.epilog = "Exit status: 0 success, 1 the dump is damaged, 2 trouble, "
		  "or no such object.",
	.options = option_table,
	.option_count = sizeof(option_table) / sizeof(option_table[0]),
};

static int show_target(struct show *show, const char *path,
		       const struct input_options *input, const char *text)
{
	struct object_selector selector;
	int status = CLI_TROUBLE;

	if (object_selector_find(&selector, show->heap, text, false))
		show->graph = input_graph(path, show->heap, input);
	if (show->graph)
		status = show_report(show, &selector);
	object_selector_done(&selector);
	hprof_graph_free(show->graph);
	return status;
}

static int report(const char *path, const char *text,
		  const struct options *options)
{
	struct input_options input =
		input_words_take(&options->input, hprof_show.name);
	struct show show = { .path = path,
			     .top = options->top.given ? options->top.value
						       : TOP_DEFAULT,
			     .as_json = options->json };
	const struct hprof_summary *summary;
	int status;

	input.graph.dominators = input.graph.edges = true;
	input.graph.strengths = true;
	show.heap = input_heap(path, &input);
	if (!show.heap)
		return CLI_TROUBLE;
	summary = hprof_heap_summary(show.heap);
	diagnostics_print(path, summary->diagnostics, summary->diagnostic_count,
			  options->input.quiet);
	status = show_target(&show, path, &input, text);
	if (status == CLI_FINE && summary->errors)
		status = CLI_NO;
	hprof_heap_close(show.heap);
	return status;
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	int first;

	cli_start(&hprof_show);
	first = cli_parse(argc, argv, &options);
	screen_set(&options.screen);
	cli_operands(argc, argv, first, 2, "FILE and CLASS or @ID");
	return cli_finish(report(argv[first], argv[first + 1], &options));
}
