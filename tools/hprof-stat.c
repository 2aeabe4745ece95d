/* SPDX-License-Identifier: MIT */
/*
 * hprof-stat.c - shows what is in a heap dump.
 *
 * The library reads the dump once and returns tables. This program decides
 * which of them are needed, and prints them.
 */
#include <stdio.h>
#include <stdlib.h>

#include <hprof.h>

#include "tools/common/cli.h"
#include "tools/common/diagnostics.h"
#include "tools/report/rollup.h"
#include "tools/common/input.h"
#include "tools/common/screen.h"
#include "tools/page/sections.h"
#include "tools/page/write.h"
#include "tools/report/render.h"
#include "tools/report/report_data.h"
#include "tools/report/stat_options.h"
#include "tools/report/thread_groups.h"

#define TOP_DEFAULT 25
#define BIGGEST_MAX 100000
/* Objects of a page's pictures; its tables show fewer. */
#define PICTURE_OBJECTS 1500

/* ---- reading ------------------------------------------------------------ */

/* --sort concerns the class table, threads, or by name both. */
static enum thread_sort thread_sort(const struct stat_options *options)
{
	static const enum thread_sort sorts[] = {
		THREAD_SORT_RETAINED,
		THREAD_SORT_CPU,
		THREAD_SORT_ID,
	};

	if (options->sort.value > ROLLUP_SORT_NAME)
		return sorts[options->sort.value - ROLLUP_SORT_NAME - 1];
	return options->sort.given && options->sort.value == ROLLUP_SORT_NAME
		       ? THREAD_SORT_NAME
		       : THREAD_SORT_RETAINED;
}

/* --top 0 asks for all rows. All objects of a heap would be too many. */
static struct report_data_wanted
report_data_wanted(const struct stat_options *options)
{
	uint64_t top = options->top.given ? options->top.value : TOP_DEFAULT;

	if (options->html)
		top = PICTURE_OBJECTS;
	return (struct report_data_wanted){
		.loaders = options->by.value == ROLLUP_LOADER,
		.threads = options->threads,
		.properties = options->properties ||
			      (options->html &&
			       (options->roots || options->native ||
				!stat_options_sections(options))),
		.profile = options->profile ||
			   thread_sort(options) == THREAD_SORT_CPU,
		.retained = options->retained,
		.tree = options->retained && !options->json,
		.kinds = options->retained && options->html,
		.match = &options->match,
		.leaks = options->leaks,
		.leak_options = {
			.size = sizeof(struct hprof_leak_options),
			.bytes = options->threshold.size.value,
			.share = options->threshold.share,
			.paths = (uint32_t)options->paths.value,
		},
		.garbage = options->unreachable,
		.allocations = options->allocations,
		.native = options->native,
		.waste = options->waste,
		.outside = !stat_options_sections(options) && !options->csv,
		.resources = options->leaks ||
			     (!stat_options_sections(options) && !options->csv),
		.loader_use = options->loaders ||
			      (options->html && options->retained),
		.biggest = top && top < BIGGEST_MAX ? (size_t)top : BIGGEST_MAX,
	};
}

/* ---- printing ----------------------------------------------------------- */

static uint64_t row_limit(const struct stat_options *options)
{
	if (options->top.given)
		return options->top.value;
	return options->json || options->csv ? 0 : TOP_DEFAULT;
}

/* An option that changes the class table also asks for it. */
static bool wants_class_table(const struct stat_options *options)
{
	/* Other tables that --match, or that --top concerns as well. */
	bool matched =
		options->retained || options->unreachable || options->loaders;
	bool limited = matched || options->profile || options->threads ||
		       options->native || options->waste ||
		       options->allocations;

	/* Words of --sort that do not concern threads. */
	bool sorted =
		options->sort.given &&
		(!options->threads || options->sort.value < ROLLUP_SORT_NAME);

	return (options->top.given && !limited) || sorted ||
	       options->by.given || (options->match.count && !matched);
}

static void print_text(FILE *out, const struct report *report,
		       const struct stat_options *options)
{
	render_head(out, report);
	if (!stat_options_sections(options))
		render_totals(out, report);
	render_properties(out, report);
	if (options->records)
		render_records(out, report);
	if (options->roots)
		render_roots(out, report);
	render_threads(out, report);
	render_profile(out, report);
	render_strengths(out, report);
	render_native_line(out, report);
	render_leak_overview(out, report);
	render_resources(out, report);
	render_backlogs(out, report);
	render_leaks(out, report);
	render_retained(out, report);
	render_garbage(out, report);
	render_allocations(out, report);
	render_native(out, report);
	render_waste(out, report);
	render_loaders(out, report);
	if (!stat_options_sections(options) || wants_class_table(options))
		render_classes(out, report);
}

/* The parts of a page that show what the options ask for. */
static unsigned page_parts_wanted(const struct stat_options *options)
{
	const struct {
		bool wanted;
		unsigned parts;
	} parts[] = {
		{ options->roots || options->native, 1u << PAGE_OVERVIEW },
		{ options->leaks, 1u << PAGE_SUSPECTS },
		{ options->retained,
		  1u << PAGE_TREE | 1u << PAGE_CLASSES | 1u << PAGE_BIGGEST },
		{ options->threads, 1u << PAGE_THREADS },
		{ options->loaders, 1u << PAGE_LOADERS },
		{ options->waste, 1u << PAGE_WASTE | 1u << PAGE_STRINGS },
		{ options->properties, 1u << PAGE_PROPERTIES },
		{ options->profile || options->allocations,
		  1u << PAGE_PROFILES },
		{ !stat_options_sections(options),
		  1u << PAGE_OVERVIEW | 1u << PAGE_CLASSES },
	};
	unsigned wanted = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i].wanted)
			wanted |= parts[i].parts;
	return wanted;
}

static bool print_page(const struct report *report,
		       const struct stat_options *options)
{
	const struct page_options how = {
		.parts = page_parts_wanted(options),
		/* Equal strings are but a part of what --waste asks for. */
		.named = stat_options_sections(options)
				 ? page_parts_wanted(options) &
					   ~(1u << PAGE_STRINGS)
				 : 0,
		.top = (size_t)options->top.value,
		.soft = options->input.soft,
		.weak = options->input.weak,
		.argv = options->argv,
		.argc = options->argc,
	};
	struct page page;
	bool done;

	page_begin(&page, &how);
	sections_add(&page, report);
	if (!options->input.quiet)
		sections_print_missing(&page, report->path);
	done = page_print(&page, report->path);
	page_done(&page);
	return done;
}

/* False after a message. */
static bool print_report(const char *path, const struct stat_options *options,
			 const struct report_data *data)
{
	struct rollup_options how = {
		.by = (enum rollup_by)options->by.value,
		.sort = options->sort.value > ROLLUP_SORT_NAME
				? ROLLUP_SORT_BYTES
				: (enum rollup_sort)options->sort.value,
		.match = &options->match,
		.loaders = data->loaders,
	};
	struct rollup_table *groups = rollup_table_new(data->summary, &how);
	struct report report = {
		.path = path,
		.summary = data->summary,
		.groups = groups,
		.top = row_limit(options),
		.threads = data->threads,
		.properties = data->properties,
		.thread_sort = thread_sort(options),
		.cpu = thread_sort(options) == THREAD_SORT_CPU ? data->profile
							       : NULL,
		.profile = options->profile ? data->profile : NULL,
		.outside = data->outside,
		.graph = data->graph ? hprof_graph_totals(data->graph) : NULL,
		.retained = data->retained,
		.tree = data->tree,
		.kinds = data->kinds,
		.leaks = data->leaks,
		.garbage = data->garbage,
		.allocations = data->allocations,
		.leak_sites = data->leak_sites,
		.native = data->native,
		.all_native = options->native,
		.resources = data->resources,
		.waste = data->waste,
		.loaders = data->loader_use,
		.match = &options->match,
		.locals = data->locals,
		.names = data->names,
	};
	bool done = true;

	if (options->html)
		done = print_page(&report, options);
	else if (options->json)
		render_json(stdout, &report);
	else if (options->csv)
		render_csv(stdout, &report);
	else
		print_text(stdout, &report, options);
	rollup_table_free(groups);
	return done;
}

static int report_dump(const char *path, const struct stat_options *options)
{
	struct input_options how =
		input_words_take(&options->input, hprof_stat_program.name);
	struct report_data_wanted wanted = report_data_wanted(options);
	struct report_data data;
	bool written = true;
	int status = CLI_TROUBLE;

	if (report_data_open(&data, path, &wanted, &how)) {
		const struct hprof_summary *summary = data.summary;

		diagnostics_print(path, summary->diagnostics,
				  summary->diagnostic_count,
				  options->input.quiet);
		report_data_read(&data, path, &wanted, &how);
		if (thread_sort(options) == THREAD_SORT_CPU &&
		    !thread_groups_have_cpu(data.profile))
			cli_message("%s: has no CPU samples by thread, which "
				    "only the JDK's old hprof agent took; "
				    "--sort cpu leaves the order of the dump",
				    path);
		/*
		 * A program must not take an incomplete report for a complete
		 * one.
		 */
		if (!data.failed || (!options->json && !options->html))
			written = print_report(path, options, &data);
		if (options->stats && data.graph)
			render_stats(stderr, data.graph);
		status = data.failed || !written ? CLI_TROUBLE
			 : summary->errors	 ? CLI_NO
						 : CLI_FINE;
	}
	report_data_done(&data);
	return status;
}

int main(int argc, char **argv)
{
	struct stat_options options = { 0 };
	char **command = page_command(argc, argv);
	const char *path;
	int status;

	cli_start(&hprof_stat_program);
	options.argv = command;
	options.argc = argc;
	path = cli_only_operand(argc, argv, cli_parse(argc, argv, &options));
	stat_options_check(&options);
	screen_set(&options.screen);
	status = report_dump(path, &options);
	cli_list_free(&options.match);
	free(command);
	return cli_finish(status);
}
