/* SPDX-License-Identifier: MIT */
/*
 * hprof-query.c - answers SQL statements about heap dumps, as they lie.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/cli.h"
#include "tools/common/input.h"
#include "tools/common/screen.h"
#include "tools/query/prompt.h"
#include "tools/query/session.h"
#include "tools/query/shell.h"

struct options {
	struct input_words input;
	struct screen_words screen;

	struct cli_choice format;
	struct cli_list attach, parameters, files;
	struct cli_number seconds;
	bool json;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option option_table[] = {
	{ .kind = CLI_HEADING, .help = "What is asked" },
	{ .kind = CLI_LIST,
	  .name = "attach",
	  .argument = "NAME=FILE",
	  .offset = AT(attach),
	  .help = "another dump, whose tables are NAME.class and so on; may be "
		  "given several times" },
	{ .kind = CLI_LIST,
	  .letter = 'f',
	  .name = "read",
	  .argument = "FILE",
	  .offset = AT(files),
	  .help = "run the statements of FILE first (-: standard input)" },
	{ .kind = CLI_LIST,
	  .name = "param",
	  .argument = "NAME=VALUE",
	  .offset = AT(parameters),
	  .help = "what :NAME stands for in statements" },
	{ .kind = CLI_NUMBER,
	  .name = "timeout",
	  .argument = "SECONDS",
	  .offset = AT(seconds),
	  .least = 1,
	  .most = 1000000000,
	  .help = "end a statement that takes longer" },

	CLI_OPTIONS_GRAPH(AT(input.soft), AT(input.weak), AT(input.memory)),
	CLI_OPTION_CACHE(AT(input.cache)),

	CLI_OPTIONS_SIZES(AT(input.sizes), AT(input.ref_width),
			  AT(input.header), AT(input.alignment)),

	{ .kind = CLI_HEADING, .help = "Output" },
	{ .kind = CLI_CHOICE,
	  .name = "format",
	  .argument = "table|csv|json|lines",
	  .offset = AT(format),
	  .help = "how rows are printed (default table)" },
	{ .kind = CLI_FLAG,
	  .name = "json",
	  .offset = AT(json),
	  .help = "the same as --format json" },
	CLI_OPTION_QUIET(AT(input.quiet), CLI_QUIET_READ),
	CLI_OPTIONS_SCREEN(AT(screen.width), AT(screen.wide)),
	CLI_OPTION_PROGRESS(AT(input.progress)),

	CLI_OPTIONS_INPUT(AT(input.member), AT(input.jobs)),

	CLI_OPTIONS_HELP,
};

static const struct cli_program hprof_query = {
	.name = "hprof-query",
	.operands = "FILE [STATEMENT...]",
	.summary = "Answer SQL statements about a Java heap dump (HPROF).\n\n"
		   "The tables are those of hprof-tables(7), and one for each "
		   "class:\n"
		   "  hprof-query heap.hprof 'SELECT * FROM histogram LIMIT "
		   "10'\n"
		   "  hprof-query heap.hprof 'SELECT object, size FROM "
		   "\"java.util.HashMap\"\n"
		   "      ORDER BY size DESC LIMIT 10'\n"
		   "Without a statement they are asked for.",
	.epilog = "Exit status: 0 success, 1 the dump is damaged, 2 trouble, "
		  "or a statement failed.",
	.options = option_table,
	.option_count = sizeof(option_table) / sizeof(option_table[0]),
};

/* NAME=FILE; the name is copied to NAME. */
static const char *split(const char *text, char *name, size_t room)
{
	const char *equals = strchr(text, '=');
	size_t size = equals ? (size_t)(equals - text) : 0;

	if (size == 0 || size >= room)
		cli_usage_error("option '--attach': NAME=FILE, not '%s'", text);
	memcpy(name, text, size);
	name[size] = '\0';
	for (size_t i = 0; i < size; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz_0123456789", name[i]))
			cli_usage_error("option '--attach': the name '%s' has "
					"other characters than a-z, 0-9, _",
					name);
	if (strcmp(name, "main") == 0 || strcmp(name, "temp") == 0)
		cli_usage_error("option '--attach': the name '%s' is taken",
				name);
	return equals + 1;
}

/* The worse of two exit statuses. */
static int worse(int a, int b)
{
	return a > b ? a : b;
}

static int open_dumps(struct query_session *session, const char *path,
		      const struct options *options)
{
	int status = query_session_open(session, "main", path);
	char name[64];

	for (size_t i = 0; i < options->attach.count; i++) {
		const char *file =
			split(options->attach.items[i], name, sizeof(name));

		if (status != CLI_TROUBLE)
			status = worse(status,
				       query_session_open(session, name, file));
	}
	return status;
}

static bool run(struct query_shell *shell, char **statements,
		const struct options *options)
{
	bool asked = options->files.count || *statements;

	for (size_t i = 0; i < options->files.count; i++)
		if (!query_shell_read(shell, options->files.items[i]))
			return false;
	for (; *statements; statements++)
		if (!query_shell_run(shell, *statements))
			return false;
	if (asked)
		return true;
	if (!isatty(STDIN_FILENO))
		return query_shell_read(shell, "-");
	query_prompt(shell);
	return true;
}

static int answer(const char *path, char **statements,
		  const struct options *options)
{
	struct input_options input =
		input_words_take(&options->input, hprof_query.name);
	const struct query_session_options how = {
		.input = &input,
		.memory = options->input.memory.value,
		.seconds = options->seconds.value,
	};
	struct query_shell shell = {
		.session = query_session_new(&how),
		.format = options->json
				  ? QUERY_JSON
				  : (enum query_format)options->format.value,
		.parameters = &options->parameters,
	};
	int status = open_dumps(shell.session, path, options);

	if (status != CLI_TROUBLE && !run(&shell, statements, options))
		status = CLI_TROUBLE;
	query_session_free(shell.session);
	return status;
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	int first, status;

	cli_start(&hprof_query);
	first = cli_parse(argc, argv, &options);
	screen_set(&options.screen);
	if (first == argc)
		cli_usage_error("FILE is missing");
	if (options.json && options.format.given)
		cli_usage_error("options '--json' and '--format' exclude each "
				"other");
	for (size_t i = 0; i < options.parameters.count; i++)
		if (!strchr(options.parameters.items[i], '='))
			cli_usage_error("option '--param': NAME=VALUE, not "
					"'%s'",
					options.parameters.items[i]);
	input_words_check(&options.input);
	status = answer(argv[first], argv + first + 1, &options);
	cli_list_free(&options.attach);
	cli_list_free(&options.parameters);
	cli_list_free(&options.files);
	return cli_finish(status);
}
