/* SPDX-License-Identifier: MIT */
/*
 * hprof-convert.c - converts a heap dump to another form.
 *
 * This file has the command line. Each form has a file of its own, see
 * export.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hprof.h>

#include "tools/common/cli.h"
#include "tools/common/compression.h"
#include "tools/common/dump_level.h"
#include "tools/common/input.h"
#include "tools/common/output_file.h"
#include "tools/export/export.h"
#include "tools/stacks/stack_source.h"

struct options {
	const char *to;
	struct cli_choice compress;
	struct cli_number compress_level;
	struct cli_choice level;
	bool force;
	const char *table;
	bool raw_text;
	bool no_values;
	bool retained;
	bool waste;
	bool soft;
	bool weak;
	struct cli_choice weight;
	struct cli_number memory;
	struct cli_choice id_size;
	struct cli_choice format;
	bool live;
	bool no_zygote;
	bool repair;
	struct cli_choice redact;
	struct cli_list keep;
	const char *obfuscate;
	const char *deobfuscate;
	bool quiet;
	struct cli_choice progress;
	struct cli_choice from;
	const char *member;
	struct cli_number jobs;
};

#define AT(member) offsetof(struct options, member)

/* The first one is used for names without a known suffix. */
static const struct export_form *const forms[] = {
	&export_hprof,	   &export_recipe, &export_text,
	&export_json,	   &export_csv,	   &export_sqlite,
	&export_collapsed, &export_pprof,  &export_flamegraph,
};

enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

static const struct cli_option option_table[] = {
	{ .kind = CLI_HEADING, .help = "Output" },
	{ .kind = CLI_TEXT,
	  .letter = 't',
	  .name = "to",
	  .argument = "hprof|recipe|text|json|csv|sqlite|collapsed|pprof|"
		      "flamegraph",
	  .offset = AT(to),
	  .help = "what OUT will be (default: by its suffix)" },
	{ .kind = CLI_FLAG,
	  .letter = 'f',
	  .name = "force",
	  .offset = AT(force),
	  .help = "replace OUT if it exists" },
	CLI_OPTION_COMPRESS(AT(compress), "OUT"),
	CLI_OPTION_COMPRESS_LEVEL(AT(compress_level)),

	{ .kind = CLI_HEADING, .help = "Output as a dump: hprof" },
	{ .kind = CLI_CHOICE,
	  .name = "id-size",
	  .argument = "4|8",
	  .offset = AT(id_size),
	  .help = "identifiers of 4 or 8 bytes" },
	{ .kind = CLI_CHOICE,
	  .name = "format",
	  .argument = "1.0.1|1.0.2",
	  .offset = AT(format),
	  .help = "version of the format; Android's dumps become standard "
		  "ones" },
	{ .kind = CLI_FLAG,
	  .name = "no-zygote",
	  .offset = AT(no_zygote),
	  .help = "Android: leave out the objects of the zygote" },
	{ .kind = CLI_FLAG,
	  .name = "repair",
	  .offset = AT(repair),
	  .help = "make a dump that every reader opens; joins HotSpot's part "
		  "files FILE.p0 ..." },
	{ .kind = CLI_FLAG,
	  .name = "live",
	  .offset = AT(live),
	  .help = "keep only what the garbage collector would keep" },
	{ .kind = CLI_CHOICE,
	  .name = "redact",
	  .argument = "strings|primitives|all",
	  .offset = AT(redact),
	  .help = "blank all text, all numbers, or both; lengths and "
		  "references stay" },
	{ .kind = CLI_LIST,
	  .name = "keep",
	  .argument = "CLASS[#FIELD]",
	  .offset = AT(keep),
	  .help = "what --redact does not blank; '*' at either end matches "
		  "anything; may be repeated" },
	CLI_OPTION_LEVEL(AT(level)),
	{ .kind = CLI_TEXT,
	  .name = "obfuscate",
	  .argument = "MAP",
	  .offset = AT(obfuscate),
	  .help = "rename classes, fields and methods, and write the old names "
		  "to the file MAP" },
	{ .kind = CLI_TEXT,
	  .name = "deobfuscate",
	  .argument = "MAP",
	  .offset = AT(deobfuscate),
	  .help = "restore the old names from the file MAP" },

	{ .kind = CLI_HEADING, .help = "Output as tables: sqlite, csv" },
	{ .kind = CLI_TEXT,
	  .name = "table",
	  .argument = "NAME",
	  .offset = AT(table),
	  .help = "csv: only this table, to the file OUT or '-'" },
	{ .kind = CLI_FLAG,
	  .name = "raw-text",
	  .offset = AT(raw_text),
	  .help = "csv: text as it is, for programs: nothing is escaped" },
	{ .kind = CLI_FLAG,
	  .name = "no-values",
	  .offset = AT(no_values),
	  .help = "leave out the table of the values of primitive fields" },
	{ .kind = CLI_FLAG,
	  .name = "retained",
	  .offset = AT(retained),
	  .help = "add the dominator, depth and retained size of each "
		  "reachable object" },
	{ .kind = CLI_FLAG,
	  .name = "waste",
	  .offset = AT(waste),
	  .help = "add what could be saved: empty collections, equal strings "
		  "and so on" },

	{ .kind = CLI_HEADING,
	  .help = "Output as stacks: collapsed, pprof, flamegraph" },
	{ .kind = CLI_CHOICE,
	  .name = "weight",
	  .argument = STACK_WEIGHTS,
	  .offset = AT(weight),
	  .help = "what stacks weigh (default: samples if there are any, else "
		  "live-bytes of sites, else retained)" },

	{ .kind = CLI_HEADING, .help = "The graph of objects" },
	CLI_OPTION_SOFT(AT(soft)),
	CLI_OPTION_WEAK(AT(weak)),
	CLI_OPTION_MEMORY(AT(memory)),

	{ .kind = CLI_HEADING, .help = "Messages" },
	CLI_OPTION_QUIET(AT(quiet), "print errors only, no warnings or notes"),
	CLI_OPTION_PROGRESS(AT(progress)),

	{ .kind = CLI_HEADING, .help = "Input" },
	{ .kind = CLI_CHOICE,
	  .name = "from",
	  .argument = "auto|hprof|recipe",
	  .offset = AT(from),
	  .help = "what FILE is (default auto: by its content; a pipe is taken "
		  "to be a dump)" },
	CLI_OPTION_MEMBER(AT(member)),
	CLI_OPTION_JOBS(AT(jobs), "compress and decompress with N threads "
				  "(default: one for each CPU)"),

	CLI_OPTIONS_HELP,
};

static const struct cli_program hprof_convert_program = {
	.name = "hprof-convert",
	.operands = "FILE OUT",
	.summary = "Convert a Java heap dump (HPROF) to another form.\n\n"
		   "FILE may be compressed or in an archive; '-' is standard "
		   "input, FILE#2 the\nsecond dump of a file. OUT may be '-', "
		   "standard output.",
	.epilog = "Exit status: 0 converted, 1 FILE is damaged and what could "
		  "be read is converted,\n2 trouble.",
	.options = option_table,
	.option_count = sizeof(option_table) / sizeof(option_table[0]),
};

/* ---- the form ------------------------------------------------------------ */

static bool ends_with(const char *text, size_t length, const char *suffix,
		      size_t size)
{
	return length > size && memcmp(text + length - size, suffix, size) == 0;
}

/*
 * Does OUT end in a suffix of LIST (".json .jsonl")? A suffix that stands for a
 * compression (".gz") is ignored.
 */
static bool has_suffix(const char *out, const char *list)
{
	size_t length = compression_stem(out);

	while (*list) {
		size_t size = strcspn(list, " ");
		if (ends_with(out, length, list, size))
			return true;
		list += size;
		list += strspn(list, " ");
	}
	return false;
}

static const struct export_form *form_named(const char *name)
{
	for (unsigned i = 0; i < FORMS; i++)
		if (strcmp(forms[i]->name, name) == 0)
			return forms[i];
	cli_usage_error("option '--to': '%s' is not a form", name);
}

/*
 * The form that --to names; without it, the one that the suffix of OUT stands
 * for. The default is a dump.
 */
static const struct export_form *choose_form(const struct options *options,
					     const char *out)
{
	const char *name = strrchr(out, '/');

	if (options->to)
		return form_named(options->to);
	for (unsigned i = 0; i < FORMS; i++)
		if (has_suffix(out, forms[i]->suffixes))
			return forms[i];
	if (strcmp(out, "-") == 0)
		cli_usage_error("the form cannot be told from '-': use --to");
	name = name ? name + 1 : out;
	if (!strchr(name, '.') || name[compression_stem(name)])
		return forms[0];
	cli_usage_error("the form cannot be told from '%s': use --to", out);
}

static struct hprof_writer_options
choose_compression(const struct options *options,
		   const struct export_form *form, const char *out)
{
	enum hprof_compression compression =
		compression_of(&options->compress, out);

	if (compression != HPROF_PLAIN && !form->packs)
		cli_usage_error("the form %s is not compressed", form->name);
	if (form->gzip && compression != HPROF_PLAIN &&
	    compression != HPROF_GZIP)
		cli_usage_error("the form %s is compressed with gzip",
				form->name);
	if (form->gzip)
		compression = HPROF_GZIP;
	return compression_options(compression, &options->compress_level,
				   &options->jobs);
}

/*
 * The result has the permission bits of the dump, since it has the same
 * secrets. What comes from a pipe is readable by the user alone.
 */
static unsigned choose_mode(const char *in)
{
	struct stat info;
	unsigned owner = 0600;

	return input_is_file(in, &info) ? (info.st_mode & 0666) | owner : owner;
}

/* ---- a dump again -------------------------------------------------------- */

static bool wants_changes(const struct options *o)
{
	return o->id_size.given || o->format.given || o->live || o->no_zygote ||
	       o->repair || o->redact.given || o->keep.count ||
	       o->level.given || o->obfuscate || o->deobfuscate;
}

/* Options that only the form hprof has. */
static void choose_changes(const struct options *o,
			   const struct export_form *form,
			   struct hprof_convert_options *ret)
{
	static const unsigned redact[] = { HPROF_REDACT_STRINGS,
					   HPROF_REDACT_PRIMITIVES,
					   HPROF_REDACT_STRINGS |
						   HPROF_REDACT_PRIMITIVES };

	if (wants_changes(o) && form != &export_hprof)
		cli_usage_error("the form %s is made of the dump as it is: "
				"convert it to a dump first",
				form->name);
	if (o->keep.count && !o->redact.given)
		cli_usage_error("'--keep' needs '--redact'");
	if (o->obfuscate && o->deobfuscate)
		cli_usage_error("'--obfuscate' and '--deobfuscate' exclude "
				"each other");
	*ret = (struct hprof_convert_options){
		.size = sizeof(*ret),
		.id_size = o->id_size.given ? 4 + 4 * o->id_size.value : 0,
		.format = o->format.given ? HPROF_FORMAT_101 + o->format.value
					  : HPROF_FORMAT_SAME,
		.no_zygote = o->no_zygote,
		.repair = o->repair,
		.live = o->live,
		.memory = o->memory.value,
		.redact = o->redact.given ? redact[o->redact.value] : 0,
		.keep = o->keep.items,
		.keep_count = o->keep.count,
		.omit = dump_level_omits(&o->level),
		.obfuscate = o->obfuscate,
		.deobfuscate = o->deobfuscate,
	};
}

/* Options that only the forms csv and sqlite have. */
static void check_tables(const struct options *o,
			 const struct export_form *form)
{
	bool tables = form == &export_sqlite || form == &export_csv;

	if (!tables && (o->no_values || o->retained || o->waste))
		cli_usage_error("the form %s has no tables: '--no-values', "
				"'--retained' and '--waste' are not for it",
				form->name);
	if (o->table && form != &export_csv)
		cli_usage_error("'--table' needs the form csv");
	if (o->raw_text && form != &export_csv)
		cli_usage_error("'--raw-text' needs the form csv");
}

static bool has_stacks(const struct export_form *form)
{
	return form == &export_collapsed || form == &export_pprof ||
	       form == &export_flamegraph;
}

static int choose_weight(const struct options *o,
			 const struct export_form *form)
{
	if (o->weight.given && !has_stacks(form))
		cli_usage_error("'--weight' needs the form collapsed, pprof or "
				"flamegraph");
	return o->weight.given ? (int)o->weight.value : -1;
}

/* ---- the run ------------------------------------------------------------- */

enum from { FROM_AUTO, FROM_HPROF, FROM_RECIPE };

/*
 * A recipe is assembled to a dump. It can be converted to another form, or with
 * changes, only after that.
 */
static bool is_recipe(const struct export_job *job,
		      const struct export_form *form,
		      const struct options *options)
{
	if (options->from.value == FROM_HPROF ||
	    (options->from.value == FROM_AUTO && !export_is_recipe(job)))
		return false;
	if (form != &export_hprof)
		cli_usage_error("'%s' is a recipe: convert it to a dump first",
				job->in);
	if (wants_changes(options))
		cli_usage_error("'%s' is a recipe, which becomes a dump as it "
				"is: convert it to a dump first, then that "
				"with these options",
				job->in);
	return true;
}

static int convert(const char *in, const char *out,
		   const struct options *options)
{
	const struct export_form *form = choose_form(options, out);
	struct progress progress;
	struct export_job job = {
		.in = in,
		.out = out,
		.member = options->member,
		.threads =
			options->jobs.given ? (unsigned)options->jobs.value : 0,
		.quiet = options->quiet,
		.force = options->force,
		.table = options->table,
		.raw_text = options->raw_text,
		.no_values = options->no_values,
		.retained = options->retained,
		.waste = options->waste,
		.weight = choose_weight(options, form),
		.hold = input_hold(options->soft, options->weak),
		.memory = options->memory.value,
		.packing = choose_compression(options, form, out),
		.progress = &progress,
	};
	int status;

	job.packing.mode = choose_mode(in);
	choose_changes(options, form, &job.changes);
	check_tables(options, form);
	if (strcmp(out, "-") == 0 && isatty(STDOUT_FILENO) == 1 &&
	    (!form->text || job.packing.compression != HPROF_PLAIN))
		cli_usage_error("the form %s is not written to a terminal",
				form->name);
	if (output_file_is_input(in, out))
		return CLI_TROUBLE;
	output_file_signals(out, export_part_remove);
	progress_begin(&progress, hprof_convert_program.name,
		       (enum progress_when)options->progress.value);
	status = is_recipe(&job, form, options) ? export_assemble(&job)
						: form->run(&job);
	progress_end(&progress);
	return status;
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	int first, status;

	cli_start(&hprof_convert_program);
	first = cli_parse(argc, argv, &options);
	cli_operands(argc, argv, first, 2, "FILE and OUT");
	status = convert(argv[first], argv[first + 1], &options);
	cli_list_free(&options.keep);
	return cli_finish(status);
}
