/* SPDX-License-Identifier: MIT */
/*
 * hprof-diff.c - shows what changed between heap dumps, and judges the change
 * by the limits of --fail-if.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hprof.h>

#include "tools/common/cli.h"
#include "tools/common/cpus.h"
#include "tools/diff/diff.h"
#include "tools/diff/diff_profile.h"
#include "tools/diff/thresholds.h"
#include "tools/common/input.h"
#include "tools/common/output_file.h"
#include "tools/common/screen.h"
#include "tools/diff/dump_inputs.h"
#include "tools/page/section_growth.h"
#include "tools/page/write.h"

#define TOP_DEFAULT 25
#define THREADS_DEFAULT 8

struct options {
	struct input_words input;
	struct screen_words screen;

	struct cli_number top;
	struct cli_choice sort;
	struct cli_choice by;
	struct cli_list match;
	bool retained;
	bool growing;
	struct cli_choice profile;

	struct cli_list fail_if;
	bool allow_damaged;
	const char *junit;

	bool json;
	bool csv;
	bool html;

	char *const *argv; /* the command, for the page */
	int argc;
};

#define AT(member) offsetof(struct options, member)

/* In the order of enum hprof_diff_measure. */
enum { SORT_NAME = HPROF_DIFF_MEASURES };

static const struct cli_option option_table[] = {
	{ .kind = CLI_HEADING, .help = "What is compared" },
	{ .kind = CLI_CHOICE,
	  .name = "by",
	  .argument = ROLLUP_BY_CHOICES,
	  .offset = AT(by),
	  .help = "what a row stands for (default class)" },
	{ .kind = CLI_LIST,
	  .name = "match",
	  .argument = "GLOB",
	  .offset = AT(match),
	  .help = "only classes whose name matches GLOB, like 'java.util.*'; "
		  "may be repeated" },
	{ .kind = CLI_FLAG,
	  .name = "retained",
	  .offset = AT(retained),
	  .help = "reachable objects only, and what they retain" },
	{ .kind = CLI_FLAG,
	  .name = "growing",
	  .offset = AT(growing),
	  .help = "only what grew from each dump to the next" },
	{ .kind = CLI_CHOICE,
	  .name = "profile",
	  .argument = DIFF_PROFILES,
	  .offset = AT(profile),
	  .help = "the profiles of two dumps instead, by stack: CPU samples, "
		  "allocation sites, or where live objects were allocated" },
	{ .kind = CLI_NUMBER,
	  .name = "top",
	  .argument = "N",
	  .offset = AT(top),
	  .most = UINT64_MAX,
	  .help = "print N rows, 0 for all (default 25, with --json and "
		  "--csv all)" },
	{ .kind = CLI_CHOICE,
	  .name = "sort",
	  .argument = "instances|bytes|retained|name",
	  .offset = AT(sort),
	  .help = "order of the rows: growth of instances, bytes (default) or "
		  "retained bytes (default with --retained), or the name" },

	{ .kind = CLI_HEADING, .help = "Limits" },
	{ .kind = CLI_LIST,
	  .name = "fail-if",
	  .argument = "EXPR",
	  .offset = AT(fail_if),
	  .help = "exit with status 1 if EXPR is true, like 'bytes > +10%' or "
		  "'class com.acme.* instances > +1000'; may be repeated" },
	{ .kind = CLI_FLAG,
	  .name = "allow-damaged",
	  .offset = AT(allow_damaged),
	  .help = "accept dumps that are damaged or have no end, which "
		  "otherwise give exit status 2" },
	{ .kind = CLI_TEXT,
	  .name = "junit",
	  .argument = "FILE",
	  .offset = AT(junit),
	  .help = "write the results of the limits to FILE, as JUnit XML" },

	CLI_OPTIONS_GRAPH(AT(input.soft), AT(input.weak), AT(input.memory)),

	CLI_OPTIONS_SIZES(AT(input.sizes), AT(input.ref_width),
			  AT(input.header), AT(input.alignment)),

	{ .kind = CLI_HEADING, .help = "Output" },
	CLI_OPTION_JSON(AT(json)),
	{ .kind = CLI_FLAG,
	  .name = "csv",
	  .offset = AT(csv),
	  .help = "the rows as CSV" },
	{ .kind = CLI_FLAG,
	  .name = "html",
	  .offset = AT(html),
	  .help = "a page of what grew, as hprof-report makes it, with the "
		  "limits" },
	CLI_OPTION_QUIET(AT(input.quiet), CLI_QUIET_READ),
	CLI_OPTIONS_SCREEN(AT(screen.width), AT(screen.wide)),
	CLI_OPTION_PROGRESS(AT(input.progress)),

	CLI_OPTIONS_INPUT(AT(input.member), AT(input.jobs)),

	CLI_OPTIONS_HELP,
};

static const struct cli_program hprof_diff = {
	.name = "hprof-diff",
	.operands = "FILE FILE...",
	.summary = "Say what changed between Java heap dumps (HPROF), oldest "
		   "first.\n\n"
		   "FILE may be compressed or in an archive; '-' is standard "
		   "input, FILE#2 the\nsecond dump of a file.",
	.epilog = "Exit status: 0 success, 1 a limit was exceeded, 2 trouble, "
		  "or a dump is damaged.",
	.options = option_table,
	.option_count = sizeof(option_table) / sizeof(option_table[0]),
};

/* ---- options ------------------------------------------------------------- */

static void check_page_options(const struct options *options)
{
	if (options->json || options->csv || options->profile.given)
		cli_usage_error("--html excludes --json, --csv and --profile");
	if (options->by.value != ROLLUP_CLASS)
		cli_usage_error("a page has classes: --html goes without --by");
	if (isatty(STDOUT_FILENO))
		cli_usage_error("a page is not for a terminal: give > FILE");
}

static void check_options(struct options *options,
			  const struct thresholds *thresholds)
{
	if (options->json && options->csv)
		cli_usage_error("--json and --csv exclude each other");
	if (options->html)
		check_page_options(options);
	if (options->profile.given &&
	    (options->csv || options->retained || options->growing ||
	     options->by.given || options->sort.given || options->match.count ||
	     thresholds->count))
		cli_usage_error("--profile goes with --top and --json, and "
				"with no other way to compare");
	input_words_check(&options->input);
	if (thresholds_needs_retained(thresholds))
		options->retained = true;
	if (options->retained && options->by.value == ROLLUP_SUPER)
		cli_usage_error("what superclasses retain is not known: "
				"--retained cannot be combined with --by "
				"super");
	if (options->retained && options->match.count &&
	    options->by.value != ROLLUP_CLASS)
		cli_usage_error("with --retained, --match needs --by class");
	if (options->sort.given && options->sort.value == HPROF_DIFF_RETAINED &&
	    !options->retained)
		cli_usage_error("--sort retained needs --retained");
	if (options->retained && thresholds_needs(thresholds, FAIL_IF_SUPER))
		cli_usage_error("--fail-if: 'super' cannot be combined with "
				"retained sizes");
	if (options->junit && !thresholds->count)
		cli_usage_error("--junit needs a --fail-if");
}

static struct input_options input_options(const struct options *options)
{
	struct input_options how =
		input_words_take(&options->input, hprof_diff.name);

	if (!options->input.jobs.given)
		how.threads = how.graph.threads = cpu_count(THREADS_DEFAULT);
	return how;
}

static struct diff_options diff_options(const struct options *options)
{
	struct diff_options how = {
		.by = (enum rollup_by)options->by.value,
		.retained = options->retained,
		.measure = options->retained ? HPROF_DIFF_RETAINED
					     : HPROF_DIFF_BYTES,
		.growing = options->growing,
		.match = &options->match,
		.top = TOP_DEFAULT,
		.top_given = options->top.given,
	};

	if (options->top.given)
		how.top = options->top.value;
	else if (options->json || options->csv || options->html)
		how.top = 0;
	if (options->sort.given && options->sort.value == SORT_NAME)
		how.by_name = true;
	else if (options->sort.given)
		how.measure = (enum hprof_diff_measure)options->sort.value;
	return how;
}

/* ---- the limits ---------------------------------------------------------- */

/* Each subject is judged by a table of its own, which has all rows. */
static void check_limits(struct thresholds *thresholds,
			 const struct dump_inputs *dumps)
{
	for (unsigned subject = 0; subject <= FAIL_IF_TOTAL; subject++) {
		enum rollup_by by = subject == FAIL_IF_TOTAL
					    ? ROLLUP_CLASS
					    : (enum rollup_by)subject;
		struct hprof_diff_table *table;

		if (!thresholds_needs(thresholds,
				      (enum fail_if_subject)subject))
			continue;
		table = diff_table(dumps, by, NULL, false);
		thresholds_check(thresholds, (enum fail_if_subject)subject,
				 table);
		hprof_diff_table_free(table);
	}
}

static void print_limits(const struct thresholds *thresholds, bool quiet)
{
	for (size_t i = 0; i < thresholds->count; i++) {
		const struct verdict *verdict = &thresholds->verdicts[i];

		if (verdict->failed)
			cli_message("--fail-if '%s': %s",
				    verdict->expression->text,
				    verdict->sentence);
		if (verdict->unmatched && !quiet)
			cli_message("--fail-if '%s': warning: no name matches",
				    verdict->expression->text);
	}
}

/* Returns how many dumps cannot be judged, and why in FAULTS. */
static size_t find_faults(const struct dump_inputs *dumps,
			  struct thresholds_fault *faults)
{
	size_t count = 0;

	for (size_t i = 0; i < dumps->count; i++) {
		const char *text = dump_input_fault(&dumps->items[i]);

		if (text)
			faults[count++] =
				(struct thresholds_fault){ dumps->items[i].path,
							   text };
	}
	return count;
}

static void print_sizes(const struct dump_inputs *dumps,
			const struct options *options)
{
	if (dumps->like != SIZE_MAX && options->csv && !options->input.quiet)
		cli_message("sizes of all dumps are computed by the layout "
			    "of '%s'",
			    dumps->items[dumps->like].path);
	if (dumps->mixed && !options->input.quiet)
		cli_message("warning: the sizes of these dumps cannot be "
			    "compared");
}

static int judge(const struct dump_inputs *dumps,
		 const struct thresholds *thresholds,
		 const struct options *options)
{
	struct thresholds_fault *faults =
		cli_calloc(dumps->count + 1, sizeof(*faults));
	size_t count = options->allow_damaged ? 0 : find_faults(dumps, faults);
	int status = thresholds->failed ? CLI_NO : CLI_FINE;

	print_limits(thresholds, options->input.quiet);
	print_sizes(dumps, options);
	for (size_t i = 0; i < count; i++)
		cli_message("%s %s; its figures may be incomplete "
			    "(--allow-damaged accepts that)",
			    faults[i].path, faults[i].text);
	if (dumps->mixed && thresholds_needs_sizes(thresholds)) {
		faults[count++] =
			(struct thresholds_fault){ "sizes",
						   "cannot be compared" };
		cli_message("the sizes of these dumps cannot be compared, nor "
			    "checked against a limit");
	}
	if (count)
		status = CLI_TROUBLE;
	if (options->junit &&
	    !thresholds_junit(thresholds, options->junit, faults, count))
		status = CLI_TROUBLE;
	free(faults);
	return status;
}

/* ---- the report ---------------------------------------------------------- */

static bool print_page(const struct diff_report *report,
		       const struct options *options)
{
	const struct page_options how = {
		.since = report->dumps->items[0].path,
		.parts = 1u << PAGE_GROWTH,
		.top = (size_t)report->how.top,
		.soft = options->input.soft,
		.weak = options->input.weak,
		.argv = options->argv,
		.argc = options->argc,
	};
	const struct dump_inputs *dumps = report->dumps;
	struct page page;
	bool done;

	if (!options->input.quiet)
		dump_inputs_warn_of_order(dumps);
	page_begin(&page, &how);
	section_growth(&page, report);
	done = page_print(&page, dumps->items[dumps->count - 1].path);
	page_done(&page);
	return done;
}

/* False after a message. */
static bool print_report(const struct dump_inputs *dumps,
			 const struct thresholds *thresholds,
			 const struct options *options)
{
	struct diff_options how = diff_options(options);
	struct hprof_diff_table *table =
		diff_table(dumps, how.by, &options->match, true);
	struct hprof_diff_path_table *paths =
		how.retained ? diff_paths(dumps) : NULL;
	struct diff_report report;
	bool done = true;

	diff_report_make(&report, dumps, &how, table, paths);
	report.thresholds = thresholds;
	if (options->html)
		done = print_page(&report, options);
	else if (options->json)
		render_diff_json(stdout, &report);
	else if (options->csv)
		render_diff_csv(stdout, &report);
	else
		render_diff(stdout, &report);
	diff_report_done(&report);
	hprof_diff_path_table_free(paths);
	hprof_diff_table_free(table);
	return done;
}

/* The tables that the report and the limits need; bits 1 << enum rollup_by. */
static unsigned wanted_groups(const struct options *options,
			      const struct thresholds *thresholds)
{
	unsigned groups = 1U << options->by.value;

	if (thresholds_needs(thresholds, FAIL_IF_TOTAL))
		groups |= 1U << ROLLUP_CLASS;
	for (unsigned by = 0; by <= ROLLUP_LOADER; by++)
		if (thresholds_needs(thresholds, (enum fail_if_subject)by))
			groups |= 1U << by;
	return groups;
}

static int compare(char *const *paths, size_t count,
		   struct thresholds *thresholds, const struct options *options)
{
	struct input_options how = input_options(options);
	struct dump_inputs_wanted wanted = {
		.loaders = options->by.value == ROLLUP_LOADER ||
			   thresholds_needs(thresholds, FAIL_IF_LOADER),
		.retained = options->retained,
		.allocations = options->by.value == ROLLUP_CLASS &&
			       !options->csv && count > 1,
		.groups = wanted_groups(options, thresholds),
		.pattern_count = thresholds->pattern_count,
		.patterns = thresholds->patterns,
	};
	struct dump_inputs dumps;
	int status = CLI_TROUBLE;

	if (dump_inputs_read(&dumps, paths, count, &wanted, &how)) {
		thresholds->pattern_retained[0] =
			dumps.items[0].pattern_retained;
		thresholds->pattern_retained[1] =
			dumps.items[count - 1].pattern_retained;
		check_limits(thresholds, &dumps);
		bool done = print_report(&dumps, thresholds, options);

		fflush(stdout);
		status = judge(&dumps, thresholds, options);
		if (!done)
			status = CLI_TROUBLE;
	} else if (options->junit) {
		const struct thresholds_fault fault = { "dumps",
							"cannot be compared" };
		const struct thresholds none = { .count = 0 };

		thresholds_junit(&none, options->junit, &fault, 1);
	}
	dump_inputs_done(&dumps);
	return status;
}

/* PATHS are two. */
static int compare_profiles(char *const *paths, const struct options *options)
{
	const struct input_options input = input_options(options);
	const struct diff_profile_options how = {
		.what = options->profile.value,
		.top = diff_options(options).top,
		.as_json = options->json,
	};

	return diff_profile(paths, &how, &input);
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	struct thresholds thresholds;
	char **command = page_command(argc, argv);
	int first, status;

	cli_start(&hprof_diff);
	options.argv = command;
	options.argc = argc;
	first = cli_parse(argc, argv, &options);
	screen_set(&options.screen);
	/*
	 * A wrong expression ends the process. The old file must be gone by
	 * then.
	 */
	if (options.junit &&
	    (output_file_is_one_of(argv + first, (size_t)(argc - first),
				   options.junit) ||
	     !thresholds_junit_begin(options.junit))) {
		status = CLI_TROUBLE;
	} else {
		thresholds_make(&thresholds, &options.fail_if);
		check_options(&options, &thresholds);
		if (argc - first < 2)
			cli_usage_error("at least two dumps must be given");
		if (options.profile.given && argc - first > 2)
			cli_usage_error("--profile compares two dumps");
		status = options.profile.given
				 ? compare_profiles(argv + first, &options)
				 : compare(argv + first, (size_t)(argc - first),
					   &thresholds, &options);
		thresholds_done(&thresholds);
	}
	cli_list_free(&options.match);
	cli_list_free(&options.fail_if);
	free(command);
	return cli_finish(status);
}
