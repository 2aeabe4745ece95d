/* SPDX-License-Identifier: MIT */
/*
 * cli.c - options, messages, exit.
 *
 * getopt_long does the parsing, so that everything people expect works:
 * bundled letters, --name=value, unambiguous prefixes, options behind
 * operands, "--". Its messages are replaced: they start with argv[0] and
 * repeat bytes from the command line unescaped.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hprof.h>

#include "tools/common/cli.h"
#include "tools/common/escape.h"

/* Column of the help texts, and where they are wrapped. */
#define HELP_COLUMN 26
#define HELP_WIDTH 79

/* For a long option, getopt_long returns LONG_BASE plus its index. */
#define LONG_BASE 256

static const struct cli_program *program;

/* ---- messages and exit -------------------------------------------------- */

static void print_message(const char *format, va_list arguments)
	__attribute__((format(printf, 1, 0)));

static void print_message(const char *format, va_list arguments)
{
	va_list again;
	char small[512], *text = small;
	int length;

	va_copy(again, arguments);
	length = vsnprintf(small, sizeof(small), format, arguments);
	if (length >= (int)sizeof(small)) {
		text = malloc((size_t)length + 1);
		if (text)
			vsnprintf(text, (size_t)length + 1, format, again);
		else
			text = small;
	}
	va_end(again);
	fprintf(stderr, "%s: ", program->name);
	escape_write(stderr, text, ESCAPE_TERMINAL);
	putc('\n', stderr);
	if (text != small)
		free(text);
}

void cli_message(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_message(format, arguments);
	va_end(arguments);
}

void cli_usage_error(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_message(format, arguments);
	va_end(arguments);
	fprintf(stderr,
		"Usage: %s [OPTION]... %s\n"
		"Try '%s --help' for the options.\n",
		program->name, program->operands, program->name);
	exit(CLI_TROUBLE);
}

/* Is standard output a pipe whose reader is gone? */
static bool nobody_reads(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&out, 1, 0) == 1 && out.revents & POLLERR;
}

int cli_finish(int status)
{
	/* Why an earlier write failed is not known any more. */
	bool failed = ferror(stdout) != 0, closed = failed && nobody_reads();

	errno = 0;
	if (fclose(stdout) == 0 && !failed)
		return status;
	if (errno == EPIPE || closed)
		return CLI_TROUBLE;
	cli_message("standard output: %s",
		    errno ? strerror(errno) : "write error");
	return CLI_TROUBLE;
}

/*
 * If standard output is closed, the next file that is opened gets its number,
 * and the report would be written into that file. So each free descriptor is
 * opened on /dev/null in the mode in which it cannot be used: reading what
 * should be written, writing what should be read.
 */
static void fill_descriptors(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)open("/dev/null", fd ? O_RDONLY : O_WRONLY);
}

void cli_start(const struct cli_program *new_program)
{
	static char buffer[1 << 16];

	program = new_program;
	fill_descriptors();
	signal(SIGPIPE, SIG_IGN); /* writing then fails with EPIPE */
	signal(SIGXFSZ, SIG_IGN); /* and with EFBIG, like a full disk */
	/* Most output is written at the end, when its errors can be told. */
	if (!isatty(STDOUT_FILENO))
		setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
}

/* ---- memory ------------------------------------------------------------- */

void cli_out_of_memory(void)
{
	cli_message("out of memory");
	exit(CLI_TROUBLE);
}

void *cli_realloc(void *old, size_t count, size_t size)
{
	void *memory = NULL;

	if (size && count > SIZE_MAX / size)
		errno = ENOMEM;
	else
		memory = realloc(old, count && size ? count * size : 1);
	if (!memory)
		cli_out_of_memory();
	return memory;
}

void *cli_calloc(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size ? size : 1);

	if (!memory)
		cli_out_of_memory();
	return memory;
}

char *cli_strdup(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(cli_realloc(NULL, size, 1), text, size);
}

/* ---- help --------------------------------------------------------------- */

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
		width += printf("%s%s", *option->argument == '[' ? "" : " ",
				option->argument);
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
	printf("Usage: %s [OPTION]... %s\n%s\n", program->name,
	       program->operands, program->summary);
	for (size_t i = 0; i < program->option_count; i++)
		print_option(&program->options[i]);
	if (program->epilog)
		printf("\n%s\n", program->epilog);
	exit(cli_finish(CLI_FINE));
}

static void print_version(void)
{
	printf("%s %s\nlibhprof %s\n", program->name, PACKAGE_VERSION,
	       hprof_version());
	exit(cli_finish(CLI_FINE));
}

/* ---- values ------------------------------------------------------------- */

/* "'--name'" or "'-x'" for messages; static storage. */
static const char *option_label(const struct cli_option *option)
{
	static char label[64];

	if (option->name)
		snprintf(label, sizeof(label), "'--%s'", option->name);
	else
		snprintf(label, sizeof(label), "'-%c'", option->letter);
	return label;
}

static void set_number(const struct cli_option *option,
		       struct cli_number *number, const char *text)
{
	char *end = NULL;
	unsigned long long value = 0;

	errno = 0;
	/*
	 * strtoull would accept leading blanks and signs, and read -1 as 2^64 -
	 * 1.
	 */
	if (*text >= '0' && *text <= '9')
		value = strtoull(text, &end, 10);
	if (!end || *end || errno)
		cli_usage_error("option %s: '%s' is not a number",
				option_label(option), text);
	if (value < option->least || value > option->most)
		cli_usage_error("option %s: %s is not from %llu to %llu",
				option_label(option), text,
				(unsigned long long)option->least,
				(unsigned long long)option->most);
	number->given = true;
	number->value = value;
}

/* A number of bytes, which may end in a letter for a power of 1024: "512M". */
static void set_size(const struct cli_option *option, struct cli_number *number,
		     const char *text)
{
	static const char letters[] = "KMGT";
	size_t length = strlen(text);
	const char *letter =
		length > 1 ? strchr(letters, text[length - 1] & ~0x20) : NULL;
	char digits[32];
	unsigned shift = 0;

	if (letter && *letter && length <= sizeof(digits)) {
		shift = 10 * (unsigned)(letter - letters + 1);
		memcpy(digits, text, length - 1);
		digits[length - 1] = 0;
	}
	set_number(option, number, shift ? digits : text);
	if (number->value > option->most >> shift)
		cli_usage_error("option %s: %s is too large",
				option_label(option), text);
	number->value <<= shift;
}

static void set_limit(const struct cli_option *option, struct cli_limit *limit,
		      const char *text)
{
	const double million = 1000000;
	size_t digits = strspn(text, "0123456789.");
	double percent;

	*limit = (struct cli_limit){ 0 };
	if (!digits || strcmp(text + digits, "%") != 0) {
		set_size(option, &limit->size, text);
		if (!limit->size.value)
			cli_usage_error("option %s: 0 is too small",
					option_label(option));
		return;
	}
	percent = strtod(text, NULL);
	if (percent > 100 || percent * million / 100 < 1)
		cli_usage_error("option %s: %s is no share of a whole",
				option_label(option), text);
	limit->share = (uint32_t)(percent * million / 100);
}

static void set_choice(const struct cli_option *option,
		       struct cli_choice *choice, const char *text)
{
	const char *word = option->argument;
	size_t size = strlen(text);

	for (unsigned index = 0; *word; index++) {
		size_t length = strcspn(word, "|");

		if (length == size && !memcmp(word, text, size)) {
			choice->given = true;
			choice->value = index;
			return;
		}
		word += length;
		word += *word == '|';
	}
	cli_usage_error("option %s: '%s' is not one of %s",
			option_label(option), text, option->argument);
}

static void add_item(struct cli_list *list, const char *text)
{
	list->items = cli_realloc((void *)list->items, list->count + 1,
				  sizeof(list->items[0]));
	list->items[list->count++] = text;
}

void cli_list_free(struct cli_list *list)
{
	free((void *)list->items);
	*list = (struct cli_list){ 0 };
}

static void set_value(const struct cli_option *option, void *values,
		      const char *text)
{
	void *value = (char *)values + option->offset;

	switch (option->kind) {
	case CLI_FLAG:
		*(bool *)value = true;
		break;
	case CLI_TEXT:
		*(const char **)value = text ? text : "";
		break;
	case CLI_NUMBER:
		set_number(option, value, text);
		break;
	case CLI_SIZE:
		set_size(option, value, text);
		break;
	case CLI_LIMIT:
		set_limit(option, value, text);
		break;
	case CLI_CHOICE:
		set_choice(option, value, text);
		break;
	case CLI_LIST:
		add_item(value, text);
		break;
	case CLI_HELP:
		print_help();
		break;
	case CLI_VERSION:
		print_version();
		break;
	case CLI_HEADING:
		break;
	}
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

	assert(program->option_count <= OPTIONS_MAX);
	/* ':' tells a missing argument from an unknown option. */
	*letter++ = ':';
	for (size_t i = 0; i < program->option_count; i++) {
		const struct cli_option *option = &program->options[i];

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
		return &program->options[code - LONG_BASE];
	for (size_t i = 0; code && i < program->option_count; i++)
		if (program->options[i].letter == code)
			return &program->options[i];
	return NULL;
}

/*
 * True if TEXT, such as "--na" or "--na=value", is the prefix of a long option.
 */
static bool is_prefix(const char *text)
{
	size_t length = strlen(text) > 2 ? strcspn(text + 2, "=") : 0;

	for (size_t i = 0; length && i < program->option_count; i++) {
		const char *name = program->options[i].name;

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
				option_label(option));
	if (optopt >= LONG_BASE && option)
		cli_usage_error("option %s takes no value",
				option_label(option));
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
		set_value(find_option(code), values, unhide(optarg));
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
