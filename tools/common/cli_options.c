/* SPDX-License-Identifier: MIT */
/*
 * cli_options.c - help and parsing.
 *
 * getopt_long does the parsing, so that everything people expect works:
 * bundled letters, --name=value, unambiguous prefixes, options behind
 * operands, "--". Its messages are replaced: they start with argv[0] and
 * repeat bytes from the command line unescaped.
 */
#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hprof.h>

#include "tools/common/cli_parts.h"

/* Column of the help texts, and where they are wrapped. */
#define HELP_COLUMN 26
#define HELP_WIDTH 79

/* For a long option, getopt_long returns LONG_BASE plus its index. */
#define LONG_BASE 256

/* ---- help --------------------------------------------------------------- */

/*
 * Prints what follows the option, from column BEFORE on, and returns its width. A
 * list of words that is too long goes on in further lines, each but the last one with
 * a "|" at its end: by that the completions find what belongs together.
 */
static int print_argument(const char *argument, int before)
{
	const int indent = before + 1;
	int column = before;

	column += printf("%s", *argument == '[' ? "" : " ");
	while (*argument) {
		int length = (int)strcspn(argument, "|");

		length += argument[length] == '|';
		if (column + length > HELP_WIDTH && column > indent) {
			printf("\n%*s", indent, "");
			column = indent;
		}
		column += printf("%.*s", length, argument);
		argument += length;
	}
	return column - before;
}

/* Prints "  -j, --jobs N" and returns its width. */
static int print_option_name(const struct cli_option *option)
{
	int width = 0;

	if (option->letter)
		width = printf("  -%c", option->letter);
	else
		width = printf("    ");
	if (option->name)
		width += printf("%s --%s", option->letter ? "," : " ",
				option->name);
	if (option->argument)
		width += print_argument(option->argument, width);
	return width;
}

/* Prints TEXT from COLUMN on, wrapped between words. */
static void print_wrapped(const char *text, int column)
{
	while (*text) {
		int length = (int)strcspn(text, " ");

		if (column + 1 + length > HELP_WIDTH) {
			printf("\n%*s", HELP_COLUMN, "");
			column = HELP_COLUMN;
		} else if (column > HELP_COLUMN) {
			column += printf(" ");
		}
		column += printf("%.*s", length, text);
		text += length;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void print_option(const struct cli_option *option)
{
	int width;

	if (option->kind == CLI_HEADING) {
		printf("\n%s:\n", option->help);
		return;
	}
	width = print_option_name(option);
	if (width > HELP_COLUMN - 2) {
		putchar('\n');
		width = 0;
	}
	printf("%*s", HELP_COLUMN - width, "");
	print_wrapped(option->help, HELP_COLUMN);
}

static void print_help(void)
{
	printf("Usage: %s [OPTION]... %s\n%s\n", cli_program->name,
	       cli_program->operands, cli_program->summary);
	for (size_t i = 0; i < cli_program->option_count; i++)
		print_option(&cli_program->options[i]);
	if (cli_program->epilog)
		printf("\n%s\n", cli_program->epilog);
	exit(cli_finish(CLI_FINE));
}

static void print_version(void)
{
	printf("%s %s\nlibhprof %s\n", cli_program->name, PACKAGE_VERSION,
	       hprof_version());
	exit(cli_finish(CLI_FINE));
}

/* ---- parsing ------------------------------------------------------------ */

enum { OPTIONS_MAX = 64 };

/* The option table in the two forms that getopt_long needs. */
struct getopt_tables {
	char letters[2 * OPTIONS_MAX + 2];
	struct option names[OPTIONS_MAX + 1];
};

static int needs_argument(const struct cli_option *option)
{
	if (!option->argument)
		return no_argument;
	return *option->argument == '[' ? optional_argument : required_argument;
}

static void fill_tables(struct getopt_tables *tables)
{
	char *letter = tables->letters;
	struct option *name = tables->names;

	assert(cli_program->option_count <= OPTIONS_MAX);
	/* ':' tells a missing argument from an unknown option. */
	*letter++ = ':';
	for (size_t i = 0; i < cli_program->option_count; i++) {
		const struct cli_option *option = &cli_program->options[i];

		if (option->letter) {
			*letter++ = option->letter;
			if (option->argument)
				*letter++ = ':';
		}
		if (option->name) {
			name->name = option->name;
			name->has_arg = needs_argument(option);
			name->val = LONG_BASE + (int)i;
			name++;
		}
	}
	*letter = 0;
}

static const struct cli_option *find_option(int code)
{
	if (code >= LONG_BASE)
		return &cli_program->options[code - LONG_BASE];
	for (size_t i = 0; code && i < cli_program->option_count; i++)
		if (cli_program->options[i].letter == code)
			return &cli_program->options[i];
	return NULL;
}

/*
 * True if TEXT, such as "--na" or "--na=value", is the prefix of a long option.
 */
static bool is_prefix(const char *text)
{
	size_t length = strlen(text) > 2 ? strcspn(text + 2, "=") : 0;

	for (size_t i = 0; length && i < cli_program->option_count; i++) {
		const char *name = cli_program->options[i].name;

		if (name && !strncmp(name, text + 2, length))
			return true;
	}
	return false;
}

static void reject_option(int code, char **argv)
{
	const struct cli_option *option = find_option(optopt);

	if (code == ':' && option)
		cli_usage_error("option %s needs a value",
				cli_option_label(option));
	if (optopt >= LONG_BASE && option)
		cli_usage_error("option %s takes no value",
				cli_option_label(option));
	if (optopt)
		cli_usage_error("unknown option '-%c'", optopt);
	cli_usage_error("%s option '%s'",
			is_prefix(argv[optind - 1]) ? "ambiguous" : "unknown",
			argv[optind - 1]);
}

/*
 * The operand "-#2" is the second dump on standard input, but getopt_long would
 * take it for two options. So it is passed "#2" instead. These are the operands
 * that were hidden in that way, up to a NULL.
 */
static char **hidden;

static void hide_operands(int argc, char **argv)
{
	size_t count = 0;

	hidden = cli_calloc((size_t)argc + 1, sizeof(*hidden));
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (argv[i][0] == '-' && argv[i][1] == '#')
			hidden[count++] = argv[i]++;
}

/* The operand that hide_operands replaced by TEXT; TEXT itself if none. */
static char *unhide(char *text)
{
	for (char **h = hidden; text && *h; h++)
		if (*h + 1 == text)
			return *h;
	return text;
}

static void take_option(const struct cli_option *option, void *values,
			const char *text)
{
	if (option->kind == CLI_HELP)
		print_help();
	else if (option->kind == CLI_VERSION)
		print_version();
	else
		cli_set_value(option, values, text);
}

int cli_parse(int argc, char **argv, void *values)
{
	struct getopt_tables tables = { 0 };
	int code;

	hide_operands(argc, argv);
	fill_tables(&tables);
	opterr = 0;
	while ((code = getopt_long(argc, argv, tables.letters, tables.names,
				   NULL)) != -1) {
		if (code == '?' || code == ':')
			reject_option(code, argv);
		take_option(find_option(code), values, unhide(optarg));
	}
	for (int i = optind; i < argc; i++)
		argv[i] = unhide(argv[i]);
	free(hidden);
	return optind;
}

const char *cli_only_operand(int argc, char **argv, int first)
{
	if (first >= argc)
		cli_usage_error("no FILE given");
	if (first + 1 < argc)
		cli_usage_error("only one FILE can be given; '%s' is one too "
				"many",
				argv[first + 1]);
	return argv[first];
}

void cli_operands(int argc, char **argv, int first, int count, const char *what)
{
	if (argc - first < count)
		cli_usage_error("%s must be given", what);
	if (argc - first > count)
		cli_usage_error("%s only, '%s' is one too many", what,
				argv[first + count]);
}
