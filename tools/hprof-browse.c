/* SPDX-License-Identifier: MIT */
/*
 * hprof-browse.c - a heap to walk through in a terminal.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tools/browse/browser.h"
#include "tools/browse/commands.h"
#include "tools/common/cli.h"
#include "tools/common/diagnostics.h"
#include "tools/common/input.h"

enum { WIDTH_DEFAULT = 80, HEIGHT_DEFAULT = 24 };

struct options {
	struct input_words input;
	const char *keys;
	struct cli_number width, height;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option option_table[] = {
	CLI_OPTIONS_GRAPH(AT(input.soft), AT(input.weak), AT(input.memory)),
	CLI_OPTION_CACHE(AT(input.cache)),

	CLI_OPTIONS_SIZES(AT(input.sizes), AT(input.ref_width),
			  AT(input.header), AT(input.alignment)),

	{ .kind = CLI_HEADING, .help = "Without a terminal" },
	{ .kind = CLI_TEXT,
	  .name = "keys",
	  .argument = "KEYS",
	  .offset = AT(keys),
	  .help = "press these keys, like '<Down><Enter>p', and print the last "
		  "screen as text" },
	{ .kind = CLI_NUMBER,
	  .name = "width",
	  .argument = "N",
	  .offset = AT(width),
	  .least = COLUMN_LEAST,
	  .most = 1000,
	  .help = "columns of that screen (default 80)" },
	{ .kind = CLI_NUMBER,
	  .name = "height",
	  .argument = "N",
	  .offset = AT(height),
	  .least = SCREEN_LINES_LEAST,
	  .most = 1000,
	  .help = "its lines (default 24)" },

	{ .kind = CLI_HEADING, .help = "Input" },
	CLI_OPTION_QUIET(AT(input.quiet), CLI_QUIET_READ),
	CLI_OPTION_PROGRESS(AT(input.progress)),
	CLI_OPTION_MEMBER(AT(input.member)),
	CLI_OPTION_JOBS(AT(input.jobs), CLI_JOBS_READ),

	CLI_OPTIONS_HELP,
};

static const struct cli_program hprof_browse = {
	.name = "hprof-browse",
	.operands = "FILE",
	.summary = "Walk through a Java heap dump (HPROF) in a terminal.\n\n"
		   "Enter opens what a row is about, Left goes back, ? shows "
		   "all keys.",
	.epilog = "Exit status: 0 success, 1 the dump is damaged, 2 trouble.",
	.options = option_table,
	.option_count = sizeof(option_table) / sizeof(option_table[0]),
};

static struct terminal *open_terminal(const struct options *options)
{
	size_t width = options->width.given ? (size_t)options->width.value
					    : WIDTH_DEFAULT;
	size_t height = options->height.given ? (size_t)options->height.value
					      : HEIGHT_DEFAULT;

	return options->keys ? terminal_script(options->keys, width, height)
			     : terminal_curses();
}

/* STATUS is that of the program, should it end at once. */
static void run(const char *path, struct hprof_heap *heap,
		const struct input_options *input, struct terminal *terminal,
		int status)
{
	struct marks marks = { 0 };
	struct model *model = model_new(path, heap, input, &marks);
	struct browser browser;

	model_ask(model, PART_GRAPH);
	browser_init(&browser, model, terminal, &marks);
	commands_loop(&browser);
	terminal->close(terminal);
	if (!model_end(model)) {
		fflush(stdout);
		_Exit(status);
	}
	browser_done(&browser);
	model_free(model);
	marks_done(&marks);
}

static int browse(const char *path, const struct options *options)
{
	struct input_options input =
		input_words_take(&options->input, hprof_browse.name);
	const struct hprof_summary *summary;
	struct hprof_heap *heap = input_heap(path, &input);
	struct terminal *terminal;
	int status;

	if (!heap)
		return CLI_TROUBLE;
	summary = hprof_heap_summary(heap);
	status = summary->errors ? CLI_NO : CLI_FINE;
	diagnostics_print(path, summary->diagnostics, summary->diagnostic_count,
			  input.quiet);
	terminal = open_terminal(options);
	if (!terminal) {
		hprof_heap_close(heap);
		return CLI_TROUBLE;
	}
	run(path, heap, &input, terminal, status);
	return status;
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	int first;

	cli_start(&hprof_browse);
	first = cli_parse(argc, argv, &options);
	input_words_check(&options.input);
	return cli_finish(
		browse(cli_only_operand(argc, argv, first), &options));
}
