/* SPDX-License-Identifier: MIT */
/*
 * hprof-check.c - checks whether a heap dump is intact.
 *
 * The library finds the faults. This program prints them as lines for a person,
 * in the form of a compiler's errors for an editor, or as JSON for a program.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hprof.h>

#include "tools/common/cli.h"
#include "tools/common/diagnostics.h"
#include "tools/common/escape.h"
#include "tools/common/json.h"
#include "tools/common/progress.h"

struct options {
	struct cli_list readers;
	bool warnings;
	bool json;
	bool quiet;
	const char *member;
	struct cli_number jobs;
	struct cli_choice progress;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option option_table[] = {
	{ .kind = CLI_HEADING, .help = "What counts as an error" },
	{ .kind = CLI_LIST,
	  .name = "for",
	  .argument = "jdk|mat|visualvm",
	  .offset = AT(readers),
	  .help = "also what that reader rejects or misreads; several are "
		  "separated by commas, or the option is repeated" },
	{ .kind = CLI_FLAG,
	  .letter = 'w',
	  .name = "warnings",
	  .offset = AT(warnings),
	  .help = "exit with status 1 after warnings, too" },

	{ .kind = CLI_HEADING, .help = "Output" },
	CLI_OPTION_JSON(AT(json)),
	CLI_OPTION_QUIET(AT(quiet),
			 "print errors only, no warnings, notes or summary"),
	CLI_OPTION_PROGRESS(AT(progress)),

	{ .kind = CLI_HEADING, .help = "Input" },
	CLI_OPTION_MEMBER(AT(member)),
	CLI_OPTION_JOBS(AT(jobs), "decompress with N threads (default 2)"),

	CLI_OPTIONS_HELP,
};

static const struct cli_program hprof_check_program = {
	.name = "hprof-check",
	.operands = "FILE",
	.summary = "Check a Java heap dump (HPROF) for errors.\n\nFILE may be "
		   "compressed or in an archive; '-' is standard input, FILE#2 "
		   "the\nsecond dump of a file.",
	.epilog = "Exit status: 0 no errors, 1 errors (with --warnings also "
		  "warnings), 2 trouble.",
	.options = option_table,
	.option_count = sizeof(option_table) / sizeof(option_table[0]),
};

/* ---- options ------------------------------------------------------------ */

static unsigned reader_named(const char *name, size_t size)
{
	static const char *const names[] = { "jdk", "mat", "visualvm" };

	for (unsigned i = 0; i < 3; i++)
		if (size == strlen(names[i]) && !strncmp(name, names[i], size))
			return 1U << i;
	cli_usage_error("option '--for': '%.*s' is not one of jdk, mat, "
			"visualvm",
			(int)size, name);
}

/* Words of one option ("jdk,mat") and of repeated options are combined. */
static unsigned wanted_readers(const struct cli_list *list)
{
	unsigned readers = 0;

	for (size_t i = 0; i < list->count; i++) {
		const char *p = list->items[i];
		for (;;) {
			size_t size = strcspn(p, ",");
			readers |= reader_named(p, size);
			if (p[size] == '\0')
				break;
			p += size + 1;
		}
	}
	return readers;
}

/* ---- output ------------------------------------------------------------- */

struct output {
	const char *path;
	bool quiet;
	struct json *json; /* NULL: lines of text are printed */
};

static void print_diagnostic(void *user,
			     const struct hprof_diagnostic *diagnostic)
{
	const struct output *output = user;
	const char *severity = diagnostics_severity(diagnostic->severity);

	if (output->quiet && diagnostic->severity != HPROF_ERROR)
		return;
	escape_write(stdout, output->path, ESCAPE_TERMINAL);
	if (diagnostic->offset != UINT64_MAX)
		printf(": 0x%" PRIx64, diagnostic->offset);
	printf(": %s: %s: ", severity, diagnostic->code);
	escape_write(stdout, diagnostic->text, ESCAPE_TERMINAL);
	putchar('\n');
}

static void json_diagnostic(void *user,
			    const struct hprof_diagnostic *diagnostic)
{
	const struct output *output = user;
	const struct hprof_kept_diagnostic kept = {
		.severity = diagnostic->severity,
		.number = diagnostic->number,
		.code = diagnostic->code,
		.offset = diagnostic->offset,
		.text = diagnostic->text,
	};

	diagnostics_json(output->json, &kept);
}

static void print_count(uint64_t count, const char *what)
{
	printf("%" PRIu64 " %s%s", count, what, count == 1 ? "" : "s");
}

/* Prints how many diagnostics of each code were not shown, and the result. */
static void print_summary(const char *path,
			  const struct hprof_check_result *result)
{
	for (size_t i = 0; i < result->code_count; i++) {
		const struct hprof_check_count *code = &result->codes[i];
		if (code->count <= 10)
			continue;
		escape_write(stdout, path, ESCAPE_TERMINAL);
		printf(": %s: %s: %" PRIu64 " in all, the first 10 shown\n",
		       diagnostics_severity(code->severity), code->code,
		       code->count);
	}
	escape_write(stdout, path, ESCAPE_TERMINAL);
	printf(": ");
	print_count(result->errors, "error");
	printf(", ");
	print_count(result->warnings, "warning");
	printf(", ");
	print_count(result->notes, "note");
	printf(" (");
	print_count(result->objects, "object");
	printf(", ");
	print_count(result->references, "reference");
	printf(")\n");
}

static void json_summary(struct json *json,
			 const struct hprof_check_result *result)
{
	json_end(json); /* diagnostics */
	json_begin_array(json, "codes", JSON_BLOCK);
	for (size_t i = 0; i < result->code_count; i++) {
		json_begin_object(json, NULL, JSON_LINE);
		json_string(json, "code", result->codes[i].code);
		json_string(json, "severity",
			    diagnostics_severity(result->codes[i].severity));
		json_number(json, "count", result->codes[i].count);
		json_end(json);
	}
	json_end(json);
	json_number(json, "errors", result->errors);
	json_number(json, "warnings", result->warnings);
	json_number(json, "notes", result->notes);
	json_number(json, "objects", result->objects);
	json_number(json, "references", result->references);
	json_string(json, "member", result->input.member);
	json_string(json, "container", result->input.container);
	json_number(json, "dump", result->input.dump);
	json_number(json, "dump_count", result->input.dump_count);
	json_bool(json, "truncated", result->input.truncated);
	json_end(json);
}

static void json_head(struct json *json, const char *path)
{
	json_start(json, stdout);
	json_begin_object(json, NULL, JSON_BLOCK);
	json_string(json, "tool", hprof_check_program.name);
	json_number(json, "schema", 1);
	json_string(json, "file", path);
	json_begin_array(json, "diagnostics", JSON_BLOCK);
}

/* ---- the check ---------------------------------------------------------- */

static int status_of(const struct hprof_check_result *result,
		     const struct options *options)
{
	if (result->errors || (options->warnings && result->warnings))
		return CLI_NO;
	return CLI_FINE;
}

static int check_dump(const char *path, const struct options *options)
{
	struct progress progress;
	struct json json;
	struct output output = { path, options->quiet, NULL };
	struct hprof_check_result *result;
	struct hprof_error error = { 0 };
	struct hprof_input input = hprof_input_path(path);
	struct hprof_check_options how = {
		.size = sizeof(how),
		.readers = wanted_readers(&options->readers),
	};
	enum hprof_status status;
	int exit_status;

	if (options->json)
		output.json = &json;
	input.member = options->member;
	input.threads = options->jobs.given ? (unsigned)options->jobs.value : 2;
	input.progress = progress_bytes;
	input.progress_user = &progress;
	input.no_copy = true; /* notes tell what cannot be checked in a pipe */
	progress_begin(&progress, hprof_check_program.name,
		       (enum progress_when)options->progress.value);
	status = hprof_check(&input, &how, &result, &error);
	progress_end(&progress);
	if (status < 0) {
		cli_message("%s: %s%s", path, error.text,
			    status == HPROF_E_AMBIGUOUS ? " (by --member)"
							: "");
		return CLI_TROUBLE;
	}
	if (options->json)
		json_head(&json, path);
	hprof_check_result_list(
		result, options->json ? json_diagnostic : print_diagnostic,
		&output);
	if (options->json)
		json_summary(&json, result);
	else if (!options->quiet)
		print_summary(path, result);
	exit_status = status_of(result, options);
	hprof_check_result_free(result);
	return exit_status;
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	int first, status;

	cli_start(&hprof_check_program);
	first = cli_parse(argc, argv, &options);
	status = check_dump(cli_only_operand(argc, argv, first), &options);
	cli_list_free(&options.readers);
	return cli_finish(status);
}
