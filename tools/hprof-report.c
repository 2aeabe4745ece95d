/* SPDX-License-Identifier: MIT */
/*
 * hprof-report.c - makes one HTML page of a heap dump.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hprof.h>

#include "tools/common/cli.h"
#include "tools/common/diagnostics.h"
#include "tools/common/input.h"
#include "tools/common/output_file.h"
#include "tools/diff/diff.h"
#include "tools/page/redact.h"
#include "tools/page/section_growth.h"
#include "tools/page/sections.h"
#include "tools/page/write.h"
#include "tools/report/report_data.h"

/* Objects of the pictures; the tables show fewer. */
enum { OBJECTS = 1500 };

struct options {
	struct input_words input;
	const char *output;
	bool force;
	const char *title;
	const char *sections;
	struct cli_number top;
	bool redact;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option option_table[] = {
	{ .kind = CLI_HEADING, .help = "The page" },
	{ .kind = CLI_TEXT,
	  .letter = 'o',
	  .name = "output",
	  .argument = "OUT",
	  .offset = AT(output),
	  .help = "write the page to OUT (default: standard output)" },
	{ .kind = CLI_FLAG,
	  .letter = 'f',
	  .name = "force",
	  .offset = AT(force),
	  .help = "replace OUT if it exists" },
	{ .kind = CLI_TEXT,
	  .name = "title",
	  .argument = "TEXT",
	  .offset = AT(title),
	  .help = "the title of the page (default, also if it is blank: the "
		  "name of FILE, or those of the first and the last)" },
	{ .kind = CLI_TEXT,
	  .name = "sections",
	  .argument = "LIST",
	  .offset = AT(sections),
	  .help = "only these, like overview,suspects,tree (default: all); "
		  "what is not shown is not computed" },
	{ .kind = CLI_NUMBER,
	  .name = "top",
	  .argument = "N",
	  .offset = AT(top),
	  .least = 1,
	  .most = 100000,
	  .help = "at most N rows in a table (default: 25 to 500, as fits)" },
	{ .kind = CLI_FLAG,
	  .name = "redact",
	  .offset = AT(redact),
	  .help = "leave out what strings say: values of properties, equal "
		  "strings, keys, names of threads and loaders" },

	CLI_OPTIONS_GRAPH(AT(input.soft), AT(input.weak), AT(input.memory)),
	CLI_OPTION_CACHE(AT(input.cache)),

	CLI_OPTIONS_SIZES(AT(input.sizes), AT(input.ref_width),
			  AT(input.header), AT(input.alignment)),

	{ .kind = CLI_HEADING, .help = "Messages" },
	CLI_OPTION_QUIET(AT(input.quiet), CLI_QUIET_READ),
	CLI_OPTION_PROGRESS(AT(input.progress)),

	CLI_OPTIONS_INPUT(AT(input.member), AT(input.jobs)),

	CLI_OPTIONS_HELP,
};

static const struct cli_program hprof_report = {
	.name = "hprof-report",
	.operands = "FILE...",
	.summary = "Make one HTML page of Java heap dumps (HPROF), to look at "
		   "and to pass on.\n\n"
		   "The page needs no network and is at most 2 MB long. FILE "
		   "may be compressed or in\nan archive; '-' is standard "
		   "input. Of several, oldest first, the page shows what\n"
		   "grew, and all about the last.",
	.epilog = "Exit status: 0 success, 1 the dump is damaged (the page "
		  "says so and covers what\ncould be read), 2 trouble.",
	.options = option_table,
	.option_count = sizeof(option_table) / sizeof(option_table[0]),
};

static bool wants(unsigned parts, enum page_part part)
{
	return parts & 1u << part;
}

static struct report_data_wanted wanted_data(unsigned parts)
{
	bool tree = wants(parts, PAGE_TREE);

	return (struct report_data_wanted){
		.threads = wants(parts, PAGE_THREADS),
		.properties = wants(parts, PAGE_PROPERTIES) ||
			      wants(parts, PAGE_OVERVIEW),
		.profile = wants(parts, PAGE_PROFILES),
		.allocations = wants(parts, PAGE_PROFILES),
		.retained = tree || wants(parts, PAGE_CLASSES) ||
			    wants(parts, PAGE_BIGGEST),
		.tree = tree,
		.kinds = tree,
		.leaks = wants(parts, PAGE_SUSPECTS),
		.resources = wants(parts, PAGE_SUSPECTS),
		.leak_options = { .size = sizeof(struct hprof_leak_options) },
		.waste = wants(parts, PAGE_WASTE) || wants(parts, PAGE_STRINGS),
		.loader_use = tree || wants(parts, PAGE_LOADERS),
		.native = wants(parts, PAGE_OVERVIEW),
		.biggest = OBJECTS,
	};
}

static void fill_page(struct page *page, const char *path,
		      const struct report_data *data)
{
	const struct rollup_options how = { .by = ROLLUP_CLASS };
	struct rollup_table *groups = rollup_table_new(data->summary, &how);
	const struct report report = {
		.path = path,
		.summary = data->summary,
		.groups = groups,
		.threads = data->threads,
		.properties = data->properties,
		.profile = data->profile,
		.outside = data->outside,
		.graph = data->graph ? hprof_graph_totals(data->graph) : NULL,
		.retained = data->retained,
		.tree = data->tree,
		.kinds = data->kinds,
		.leaks = data->leaks,
		.resources = data->resources,
		.allocations = data->allocations,
		.leak_sites = data->leak_sites,
		.native = data->native,
		.waste = data->waste,
		.loaders = data->loader_use,
		.locals = data->locals,
		.names = data->names,
	};

	sections_add(page, &report);
	rollup_table_free(groups);
}

/* ---- several dumps ------------------------------------------------------- */

/* Names of loaders are contents: without them, classes of one name are one row. */
static void add_differences(struct page *page, const struct dump_inputs *dumps)
{
	const struct cli_list none = { 0 };
	const struct diff_options how = {
		.by = ROLLUP_CLASS,
		.retained = true,
		.measure = HPROF_DIFF_BYTES,
		.match = &none,
	};
	struct hprof_diff_table *table =
		diff_table(dumps, ROLLUP_CLASS, &none, !page->options.redact);
	struct hprof_diff_path_table *paths = diff_paths(dumps);
	struct diff_report report;

	diff_report_make(&report, dumps, &how, table, paths);
	section_growth(page, &report);
	diff_report_done(&report);
	hprof_diff_path_table_free(paths);
	hprof_diff_table_free(table);
}

/* Also says whether one of the dumps is damaged. */
static int add_growth(struct page *page, char *const *paths, size_t count,
		      const struct input_options *input)
{
	const struct dump_inputs_wanted wanted = {
		.retained = true,
		.groups = 1U << ROLLUP_CLASS,
	};
	struct dump_inputs dumps;
	int status = CLI_TROUBLE;

	if (dump_inputs_read(&dumps, paths, count, &wanted, input)) {
		if (!input->quiet)
			dump_inputs_warn_of_order(&dumps);
		add_differences(page, &dumps);
		status = CLI_FINE;
		for (size_t i = 0; i < count; i++)
			if (dumps.items[i].summary->errors)
				status = CLI_NO;
	}
	dump_inputs_done(&dumps);
	return status;
}

/* ---- the page ------------------------------------------------------------ */

/* Of COUNT dumps at PATHS, to OUTPUT. */
static int make_page(char *const *paths, size_t count,
		     const struct options *options,
		     const struct page_options *how,
		     struct hprof_output *output)
{
	const char *path = paths[count - 1];
	struct input_options input =
		input_words_take(&options->input, hprof_report.name);
	struct report_data_wanted wanted = wanted_data(how->parts);
	struct report_data data;
	struct page page;
	int status = CLI_TROUBLE;

	if (report_data_open(&data, path, &wanted, &input)) {
		const struct hprof_summary *summary = data.summary;

		diagnostics_print(path, summary->diagnostics,
				  summary->diagnostic_count,
				  options->input.quiet);
		report_data_read(&data, path, &wanted, &input);
		if (how->redact)
			redact_report(&data);
		page_begin(&page, how);
		status = data.failed	   ? CLI_TROUBLE
			 : summary->errors ? CLI_NO
					   : CLI_FINE;
		if (count > 1 && wants(how->parts, PAGE_GROWTH)) {
			int compared = add_growth(&page, paths, count, &input);

			status = compared > status ? compared : status;
		}
		fill_page(&page, path, &data);
		if (!options->input.quiet)
			sections_print_missing(&page, path);
		/* Nobody must take an incomplete page for a complete one. */
		if (status != CLI_TROUBLE &&
		    !page_write(&page, path, options->output, output))
			status = CLI_TROUBLE;
		page_done(&page);
	}
	report_data_done(&data);
	return status;
}

/* A page needs a name, in lists of a browser and for who cannot see it. */
static bool is_blank(const char *title)
{
	return !title || !title[strspn(title, " \t\r\n")];
}

static bool is_stdout(const struct options *options)
{
	return !options->output || strcmp(options->output, "-") == 0;
}

static int run(char *const *paths, size_t count, const struct options *options,
	       const struct page_options *how)
{
	struct hprof_output *output = NULL;
	int status = CLI_TROUBLE;

	if (!is_stdout(options)) {
		if (output_file_is_one_of(paths, count, options->output))
			return CLI_TROUBLE;
		output_file_signals(options->output, output_file_remove);
	}
	if (page_output_open(options->output, options->force, &output))
		status = make_page(paths, count, options, how, output);
	hprof_output_free(output); /* which leaves nothing unfinished */
	return status;
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	struct page_options how;
	char **command = page_command(argc, argv);
	int first, status;

	cli_start(&hprof_report);
	first = cli_parse(argc, argv, &options);
	if (first == argc)
		cli_usage_error("FILE is missing");
	input_words_check(&options.input);
	if (is_stdout(&options) && isatty(STDOUT_FILENO))
		cli_usage_error("a page is not for a terminal: give -o OUT");
	how = (struct page_options){
		.title = is_blank(options.title) ? NULL : options.title,
		.since = argc - first > 1 ? argv[first] : NULL,
		.parts = page_parts(options.sections),
		.named = options.sections ? page_parts(options.sections) : 0,
		.top = (size_t)options.top.value,
		.redact = options.redact,
		.soft = options.input.soft,
		.weak = options.input.weak,
		.argv = command,
		.argc = argc,
	};
	status = run(argv + first, (size_t)(argc - first), &options, &how);
	free(command);
	return cli_finish(status);
}
