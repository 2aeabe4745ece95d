/*
 * hprof-stat.c - says what is in a heap dump.
 *
 * The library reads the dump once and returns tables; what is here decides
 * which of them are wanted, and prints them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hprof.h>

#include "cli.h"
#include "diagnostics.h"
#include "group.h"
#include "progress.h"
#include "render.h"

#define TOP_DEFAULT 25

struct options {
	struct cli_choice sizes;
	struct cli_choice ref_width;
	struct cli_number header;
	struct cli_number alignment;

	struct cli_number top;
	struct cli_choice sort;
	struct cli_choice by;
	struct cli_list match;

	bool records;
	bool roots;
	bool threads;
	bool properties;
	bool profile;

	bool json;
	bool csv;

	struct cli_number jobs;
	const char *member;
	bool strict;
	bool quiet;
	struct cli_choice progress;
};

#define AT(member) offsetof(struct options, member)

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
	  .argument = GROUP_SORT_CHOICES,
	  .offset = AT(sort),
	  .help = "order of the rows (default bytes)" },
	{ .kind = CLI_CHOICE,
	  .name = "by",
	  .argument = GROUP_BY_CHOICES,
	  .offset = AT(by),
	  .help = "what a row is (default class)" },
	{ .kind = CLI_LIST,
	  .name = "match",
	  .argument = "GLOB",
	  .offset = AT(match),
	  .help = "only classes whose name fits, like 'java.util.*'; may be "
		  "given several times" },

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
	  .help = "threads and their stacks" },
	{ .kind = CLI_FLAG,
	  .name = "properties",
	  .offset = AT(properties),
	  .help = "version of the JVM and its system properties" },
	{ .kind = CLI_FLAG,
	  .name = "profile",
	  .offset = AT(profile),
	  .help = "what the JDK's old hprof agent measured: allocation sites, "
		  "CPU samples" },

	{ .kind = CLI_HEADING, .help = "Shallow sizes" },
	{ .kind = CLI_CHOICE,
	  .name = "sizes",
	  .argument = "jvm|mat|data",
	  .offset = AT(sizes),
	  .help = "as the JVM lays objects out (default), by the rule of "
		  "Eclipse MAT, or only the bytes of the values" },
	{ .kind = CLI_CHOICE,
	  .name = "ref-width",
	  .argument = "4|8",
	  .offset = AT(ref_width),
	  .help = "bytes of a reference (default: found out)" },
	{ .kind = CLI_NUMBER,
	  .name = "header",
	  .argument = "N",
	  .offset = AT(header),
	  .least = 1,
	  .most = 64,
	  .help = "bytes of an object's header (default: found out)" },
	{ .kind = CLI_NUMBER,
	  .name = "align",
	  .argument = "N",
	  .offset = AT(alignment),
	  .least = 1,
	  .most = 256,
	  .help = "alignment of objects (default: found out)" },

	{ .kind = CLI_HEADING, .help = "Output" },
	CLI_OPTION_JSON(AT(json)),
	{ .kind = CLI_FLAG,
	  .name = "csv",
	  .offset = AT(csv),
	  .help = "the class table as CSV" },
	CLI_OPTION_QUIET(AT(quiet), "no warnings and notes on stderr"),
	CLI_OPTION_PROGRESS(AT(progress)),

	{ .kind = CLI_HEADING, .help = "Input" },
	CLI_OPTION_MEMBER(AT(member)),
	{ .kind = CLI_FLAG,
	  .name = "strict",
	  .offset = AT(strict),
	  .help = "give up at the first error in the dump" },
	CLI_OPTION_JOBS(AT(jobs),
			"read with N threads (default: the CPUs there are, "
			"at most 8)"),

	CLI_OPTIONS_HELP,
};

static const struct cli_program hprof_stat = {
	.name = "hprof-stat",
	.operands = "FILE",
	.summary = "Say what is in a Java heap dump (HPROF).\n\n"
		   "FILE may be compressed or in an archive; '-' is standard "
		   "input, FILE#2 the\nsecond dump of a file.",
	.epilog = "Exit status: 0 fine, 1 the dump is damaged (the report "
		  "covers what could be\nread), 2 trouble.",
	.options = option_table,
	.option_count = sizeof(option_table) / sizeof(option_table[0]),
};

static void check_options(const struct options *options)
{
	uint64_t alignment = options->alignment.value;
	bool sections = options->records || options->roots ||
			options->threads || options->properties ||
			options->profile;

	if (options->json && options->csv)
		cli_usage_error("--json and --csv exclude each other");
	if (options->csv && sections)
		cli_usage_error("--csv gives the class table only, no "
				"other sections");
	if (alignment & (alignment - 1))
		cli_usage_error("option '--align': %llu is no power of two",
				(unsigned long long)alignment);
}

/* ---- reading ------------------------------------------------------------ */

static void print_failure(const char *path, enum hprof_status status,
			  const struct hprof_error *error)
{
	bool in_dump = status == HPROF_E_CORRUPT || status == HPROF_E_TRUNCATED;

	if (in_dump && error->offset != UINT64_MAX)
		cli_message("%s: 0x%" PRIx64 ": error: %s", path, error->offset,
			    error->text);
	else
		cli_message("%s: %s%s", path, error->text,
			    status == HPROF_E_AMBIGUOUS ? " (by --member)"
							: "");
}

/* It may take as much room as the dump when inflated. */
static void say_copying(void *user, const char *folder)
{
	cli_message("%s: it is copied to a temporary file in '%s', to be read "
		    "twice",
		    (const char *)user, folder);
}

static struct hprof_summary *read_dump(const char *path,
				       const struct options *options)
{
	struct progress progress;
	struct hprof_error error = { 0 };
	struct hprof_summary *summary = NULL;
	struct hprof_summary_options how = {
		.size = sizeof(how),
		.member = options->member,
		.strict = options->strict,
		.threads = (unsigned)options->jobs.value,
		.sizes = (enum hprof_sizes)options->sizes.value,
		.header = (unsigned)options->header.value,
		.alignment = (unsigned)options->alignment.value,
		.objects = options->threads || options->properties ||
			   options->by.value == GROUP_LOADER,
		.progress = progress_update,
		.progress_user = &progress,
		.copying = options->quiet ? NULL : say_copying,
		.copying_user = (void *)(uintptr_t)path,
	};
	enum hprof_status status;

	if (options->ref_width.given)
		how.ref_width = options->ref_width.value ? 8 : 4;
	progress_begin(&progress, hprof_stat.name,
		       (enum progress_when)options->progress.value);
	status = hprof_summary_read(path, &how, &summary, &error);
	progress_end(&progress);
	if (status < 0) {
		print_failure(path, status, &error);
		return NULL;
	}
	return summary;
}

/* Tables beside the summary, and what became of them. */
struct extras {
	struct hprof_loader_table *loaders;
	struct hprof_thread_table *threads;
	struct hprof_property_table *properties;
	struct hprof_profile_table *profile;
	bool failed;
};

static void note_failure(struct extras *extras, enum hprof_status status,
			 const char *path, const char *what,
			 const struct hprof_error *error)
{
	if (status >= 0)
		return;
	extras->failed = true;
	cli_message("%s: %s: %s", path, what, error->text);
}

static struct extras read_extras(const char *path,
				 const struct options *options,
				 const struct hprof_summary *summary)
{
	struct extras extras = { 0 };
	struct hprof_error error = { 0 };

	if (options->by.value == GROUP_LOADER)
		note_failure(
			&extras,
			hprof_summary_loaders(summary, &extras.loaders, &error),
			path, "class loaders", &error);
	if (options->threads)
		note_failure(
			&extras,
			hprof_summary_threads(summary, &extras.threads, &error),
			path, "threads", &error);
	if (options->properties)
		note_failure(&extras,
			     hprof_summary_properties(
				     summary, &extras.properties, &error),
			     path, "system properties", &error);
	if (options->profile)
		note_failure(
			&extras,
			hprof_summary_profile(summary, &extras.profile, &error),
			path, "profile", &error);
	return extras;
}

static void free_extras(struct extras *extras)
{
	hprof_loader_table_free(extras->loaders);
	hprof_thread_table_free(extras->threads);
	hprof_property_table_free(extras->properties);
	hprof_profile_table_free(extras->profile);
}

/* ---- printing ----------------------------------------------------------- */

static uint64_t row_limit(const struct options *options)
{
	if (options->top.given)
		return options->top.value;
	return options->json || options->csv ? 0 : TOP_DEFAULT;
}

/* Asking for how it looks is asking for the table. */
static bool wants_class_table(const struct options *options)
{
	/* --top also limits the rows of a profile. */
	return (options->top.given && !options->profile) ||
	       options->sort.given || options->by.given ||
	       options->match.count;
}

static void print_text(FILE *out, const struct report *report,
		       const struct options *options)
{
	bool sections = options->records || options->roots ||
			options->threads || options->properties ||
			options->profile;

	render_head(out, report);
	if (!sections)
		render_totals(out, report);
	render_properties(out, report);
	if (options->records)
		render_records(out, report);
	if (options->roots)
		render_roots(out, report);
	render_threads(out, report);
	render_profile(out, report);
	if (!sections || wants_class_table(options))
		render_classes(out, report);
}

static void print_report(const char *path, const struct options *options,
			 const struct hprof_summary *summary,
			 const struct extras *extras)
{
	struct group_options how = {
		.by = (enum group_by)options->by.value,
		.sort = (enum group_sort)options->sort.value,
		.match = &options->match,
		.loaders = extras->loaders,
	};
	struct group_table *groups = group_table_new(summary, &how);
	struct report report = {
		.path = path,
		.summary = summary,
		.groups = groups,
		.top = row_limit(options),
		.threads = extras->threads,
		.properties = extras->properties,
		.profile = extras->profile,
	};

	if (options->json)
		render_json(stdout, &report);
	else if (options->csv)
		render_csv(stdout, &report);
	else
		print_text(stdout, &report, options);
	group_table_free(groups);
}

static int report_dump(const char *path, const struct options *options)
{
	struct hprof_summary *summary = read_dump(path, options);
	struct extras extras;
	int status;

	if (!summary)
		return CLI_TROUBLE;
	diagnostics_print(path, summary->diagnostics, summary->diagnostic_count,
			  options->quiet);
	extras = read_extras(path, options, summary);
	print_report(path, options, summary, &extras);
	status = extras.failed	   ? CLI_TROUBLE
		 : summary->errors ? CLI_NO
				   : CLI_FINE;
	free_extras(&extras);
	hprof_summary_free(summary);
	return status;
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	const char *path;
	int status;

	cli_start(&hprof_stat);
	path = cli_only_operand(argc, argv, cli_parse(argc, argv, &options));
	check_options(&options);
	status = report_dump(path, &options);
	cli_list_free(&options.match);
	return cli_finish(status);
}
