/* SPDX-License-Identifier: MIT */
/* stat_options.c - see stat_options.h. */
#include "tools/report/stat_options.h"

#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "tools/report/rollup.h"

#define PATHS_MOST 8

#define AT(member) offsetof(struct stat_options, member)

static const struct cli_option option_table[] = {
	{ .kind = CLI_HEADING, .help = "The class table" },
	{ .kind = CLI_NUMBER,
	  .name = "top",
	  .argument = "N",
	  .offset = AT(top),
	  .most = UINT64_MAX,
	  .help = "print N rows, 0 for all (default 25, with --json and "
		  "--csv all)" },
	{ .kind = CLI_CHOICE,
	  .name = "sort",
	  .argument = ROLLUP_SORT_CHOICES "|retained|cpu|id",
	  .offset = AT(sort),
	  .help = "order of the rows (default bytes); of threads retained, "
		  "the default, cpu, name or id" },
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

	{ .kind = CLI_HEADING,
	  .help = "Sections, in place of the class "
		  "table" },
	{ .kind = CLI_FLAG,
	  .name = "records",
	  .offset = AT(records),
	  .help = "records by tag: count, bytes, share of the file" },
	{ .kind = CLI_FLAG,
	  .name = "roots",
	  .offset = AT(roots),
	  .help = "GC roots by kind" },
	{ .kind = CLI_FLAG,
	  .name = "threads",
	  .offset = AT(threads),
	  .help = "threads, their stacks, and what they retain" },
	{ .kind = CLI_FLAG,
	  .name = "properties",
	  .offset = AT(properties),
	  .help = "version of the JVM and its system properties" },
	{ .kind = CLI_FLAG,
	  .name = "profile",
	  .offset = AT(profile),
	  .help = "what the JDK's old hprof agent measured: allocation sites, "
		  "CPU samples" },

	{ .kind = CLI_FLAG,
	  .name = "retained",
	  .offset = AT(retained),
	  .help = "the objects, classes, packages and loaders that retain "
		  "most" },
	{ .kind = CLI_FLAG,
	  .name = "leaks",
	  .offset = AT(leaks),
	  .help = "leak suspects: what accumulates where, and why it is "
		  "alive" },
	{ .kind = CLI_FLAG,
	  .name = "unreachable",
	  .offset = AT(unreachable),
	  .help = "unreachable objects by class" },
	{ .kind = CLI_FLAG,
	  .name = "allocations",
	  .offset = AT(allocations),
	  .help = "where live objects were allocated, if an agent noted it "
		  "(heap=all)" },
	{ .kind = CLI_FLAG,
	  .name = "native",
	  .offset = AT(native),
	  .help = "memory outside of the heap: direct and mapped buffers, "
		  "and who holds them" },
	{ .kind = CLI_FLAG,
	  .name = "waste",
	  .offset = AT(waste),
	  .help = "what could be saved: equal strings, empty collections, "
		  "boxes, zeros" },
	{ .kind = CLI_FLAG,
	  .name = "loaders",
	  .offset = AT(loaders),
	  .help = "the tree of class loaders: what each keeps, which leak and "
		  "by what" },

	{ .kind = CLI_HEADING, .help = "Leak suspects" },
	{ .kind = CLI_LIMIT,
	  .name = "threshold",
	  .argument = "LIMIT",
	  .offset = AT(threshold),
	  .most = UINT64_MAX,
	  .help = "the least that a suspect keeps: like 5% of the live heap, "
		  "or like 20M (default 10%)" },
	{ .kind = CLI_NUMBER,
	  .name = "paths",
	  .argument = "N",
	  .offset = AT(paths),
	  .least = 1,
	  .most = PATHS_MOST,
	  .help = "at most N paths to each suspect (default 1)" },

	CLI_OPTIONS_GRAPH(AT(input.soft), AT(input.weak), AT(input.memory)),
	CLI_OPTION_CACHE(AT(input.cache)),

	CLI_OPTIONS_SIZES(AT(input.sizes), AT(input.ref_width),
			  AT(input.header), AT(input.alignment)),

	{ .kind = CLI_HEADING, .help = "Output" },
	CLI_OPTION_JSON(AT(json)),
	{ .kind = CLI_FLAG,
	  .name = "csv",
	  .offset = AT(csv),
	  .help = "the class table as CSV" },
	{ .kind = CLI_FLAG,
	  .name = "html",
	  .offset = AT(html),
	  .help = "a page with these sections, as hprof-report makes it" },
	CLI_OPTION_QUIET(AT(input.quiet), CLI_QUIET_READ),
	{ .kind = CLI_FLAG,
	  .name = "stats",
	  .offset = AT(stats),
	  .help = "print the time and memory of each phase on stderr" },
	CLI_OPTIONS_SCREEN(AT(screen.width), AT(screen.wide)),
	CLI_OPTION_PROGRESS(AT(input.progress)),

	{ .kind = CLI_HEADING, .help = "Input" },
	CLI_OPTION_MEMBER(AT(input.member)),
	{ .kind = CLI_FLAG,
	  .name = "strict",
	  .offset = AT(input.strict),
	  .help = "stop at the first error in the dump" },
	CLI_OPTION_JOBS(AT(input.jobs), CLI_JOBS_READ),

	CLI_OPTIONS_HELP,
};

const struct cli_program hprof_stat_program = {
	.name = "hprof-stat",
	.operands = "FILE",
	.summary = "Say what is in a Java heap dump (HPROF).\n\n"
		   "FILE may be compressed or in an archive; '-' is standard "
		   "input, FILE#2 the\nsecond dump of a file.",
	.epilog = "Exit status: 0 success, 1 the dump is damaged (the report "
		  "covers what could be\nread), 2 trouble.",
	.options = option_table,
	.option_count = sizeof(option_table) / sizeof(option_table[0]),
};

bool stat_options_sections(const struct stat_options *options)
{
	return options->records || options->roots || options->threads ||
	       options->properties || options->profile || options->retained ||
	       options->leaks || options->unreachable || options->native ||
	       options->waste || options->loaders || options->allocations;
}

static void check_page_options(const struct stat_options *options)
{
	if (options->json || options->csv)
		cli_usage_error("--html excludes --json and --csv");
	if (options->by.given || options->sort.given || options->match.count)
		cli_usage_error("--html has all classes, and the reader of the "
				"page sorts and filters them: it goes without "
				"--by, --sort and --match");
	if (options->records || options->unreachable)
		cli_usage_error("a page has no --records and no --unreachable");
	if (isatty(STDOUT_FILENO))
		cli_usage_error("a page is not for a terminal: give > FILE");
}

void stat_options_check(const struct stat_options *options)
{
	if (options->json && options->csv)
		cli_usage_error("--json and --csv exclude each other");
	if (options->html)
		check_page_options(options);
	if (options->sort.value > ROLLUP_SORT_NAME && !options->threads)
		cli_usage_error("--sort retained, cpu and id are for "
				"--threads");
	if (options->csv && stat_options_sections(options))
		cli_usage_error("--csv gives the class table only, no "
				"other sections");
	if (!options->leaks &&
	    (options->paths.given || options->threshold.share ||
	     options->threshold.size.given))
		cli_usage_error("--threshold and --paths need --leaks");
	input_words_check(&options->input);
}
