/* SPDX-License-Identifier: MIT */
/*
 * cli.h - the command line: options, messages, exit statuses.
 *
 * A program describes its options in one table. The parser, --help and the
 * usage line are made from it. A test compares the table with the manual page
 * and the completion.
 */
#ifndef TOOLS_CLI_H
#define TOOLS_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Exit statuses, the same for every program. */
enum cli_exit {
	CLI_FINE = 0,
	CLI_NO = 1,	/* the input is damaged, or the answer is no */
	CLI_TROUBLE = 2 /* wrong usage, or the work could not be done */
};

enum cli_kind {
	CLI_FLAG, /* bool */
	/* const char *; NULL: not given. "" if the argument is optional. */
	CLI_TEXT,
	CLI_NUMBER,  /* struct cli_number */
	CLI_SIZE,    /* struct cli_number; accepts 512M, 2G */
	CLI_LIMIT,   /* struct cli_limit; accepts 5%, 0.5%, 20M */
	CLI_CHOICE,  /* struct cli_choice */
	CLI_LIST,    /* struct cli_list: may be given several times */
	CLI_HELP,    /* prints the help and exits */
	CLI_VERSION, /* prints the versions and exits */
	CLI_HEADING  /* not an option: a heading in --help */
};

struct cli_number {
	bool given;
	uint64_t value;
};

/* A share of something, or a size. */
struct cli_limit {
	uint32_t share; /* in millionths; 0: it is a size */
	struct cli_number size;
};

struct cli_choice {
	bool given;
	unsigned value; /* index among the words of the argument */
};

struct cli_list {
	size_t count;
	const char **items; /* borrowed from argv */
};

struct cli_option {
	enum cli_kind kind;
	char letter;	  /* 0: none */
	const char *name; /* long name; NULL: none */
	/* "N"; for CLI_CHOICE "auto|always|never"; "[=DIR]": optional */
	const char *argument;
	size_t offset;	      /* of the value in the caller's struct */
	uint64_t least, most; /* of CLI_NUMBER */
	const char *help;
};

/*
 * Options that several programs have, as rows for their tables. AT is the
 * offset of the value, TEXT the help where programs differ.
 */
#define CLI_OPTION_JSON(at)                                                    \
	{ .kind = CLI_FLAG,                                                    \
	  .name = "json",                                                      \
	  .offset = (at),                                                      \
	  .help = "everything as one JSON object" }
#define CLI_OPTION_QUIET(at, text)                                             \
	{ .kind = CLI_FLAG,                                                    \
	  .letter = 'q',                                                       \
	  .name = "quiet",                                                     \
	  .offset = (at),                                                      \
	  .help = (text) }
#define CLI_OPTION_JOBS(at, text)                                              \
	{ .kind = CLI_NUMBER,                                                  \
	  .letter = 'j',                                                       \
	  .name = "jobs",                                                      \
	  .argument = "N",                                                     \
	  .offset = (at),                                                      \
	  .least = 1,                                                          \
	  .most = 256,                                                         \
	  .help = (text) }
#define CLI_JOBS_READ                                                          \
	"read with N threads (default: one for each CPU, at most 8)"
#define CLI_OPTION_PROGRESS(at)                                                \
	{ .kind = CLI_CHOICE,                                                  \
	  .name = "progress",                                                  \
	  .argument = "auto|always|never",                                     \
	  .offset = (at),                                                      \
	  .help = "show progress (default auto: on a terminal, after one "     \
		  "second)" }
#define CLI_OPTION_MEMBER(at)                                                  \
	{ .kind = CLI_TEXT,                                                    \
	  .name = "member",                                                    \
	  .argument = "NAME",                                                  \
	  .offset = (at),                                                      \
	  .help = "read this member of an archive that holds several dumps" }
/* Of the programs that read a dump with several threads. */
#define CLI_QUIET_READ "no warnings and notes on stderr"
#define CLI_OPTIONS_INPUT(member, jobs)                                        \
	{ .kind = CLI_HEADING, .help = "Input" }, CLI_OPTION_MEMBER(member),   \
		CLI_OPTION_JOBS(jobs, CLI_JOBS_READ)
/* Options of the programs that build the object graph. */
#define CLI_OPTION_SOFT(at)                                                    \
	{ .kind = CLI_FLAG,                                                    \
	  .name = "soft",                                                      \
	  .offset = (at),                                                      \
	  .help = "treat soft references as strong" }
#define CLI_OPTION_WEAK(at)                                                    \
	{ .kind = CLI_FLAG,                                                    \
	  .name = "weak",                                                      \
	  .offset = (at),                                                      \
	  .help = "treat soft, weak, phantom and final references as strong" }
#define CLI_OPTION_MEMORY(at)                                                  \
	{ .kind = CLI_SIZE,                                                    \
	  .most = INT64_MAX,                                                   \
	  .name = "memory",                                                    \
	  .argument = "SIZE",                                                  \
	  .offset = (at),                                                      \
	  .help = "use SIZE bytes of memory (like 512M, 2G) and temporary "    \
		  "files for the rest of the object graph (default: no "       \
		  "limit)" }
#define CLI_OPTION_CACHE(at)                                                   \
	{ .kind = CLI_TEXT,                                                    \
	  .name = "cache",                                                     \
	  .argument = "[=DIR]",                                                \
	  .offset = (at),                                                      \
	  .help = "keep the object graph in DIR for the next question about "  \
		  "FILE (default: hprof in the user's cache folder; beside: "  \
		  "where FILE is)" }
#define CLI_OPTIONS_GRAPH(soft, weak, memory)                                  \
	{ .kind = CLI_HEADING, .help = "The object graph" },                   \
		CLI_OPTION_SOFT(soft), CLI_OPTION_WEAK(weak),                  \
		CLI_OPTION_MEMORY(memory)
/* The option that says how shallow sizes are computed. */
#define CLI_OPTION_SIZES(at)                                                   \
	{ .kind = CLI_CHOICE,                                                  \
	  .name = "sizes",                                                     \
	  .argument = "jvm|mat|data",                                          \
	  .offset = (at),                                                      \
	  .help = "as the JVM lays objects out (default), by the rule of "     \
		  "Eclipse MAT, or only the bytes of the values" }
#define CLI_OPTION_REF_WIDTH(at)                                               \
	{ .kind = CLI_CHOICE,                                                  \
	  .name = "ref-width",                                                 \
	  .argument = "4|8",                                                   \
	  .offset = (at),                                                      \
	  .help = "bytes of a reference (default: detected)" }
#define CLI_OPTION_HEADER(at)                                                  \
	{ .kind = CLI_NUMBER,                                                  \
	  .name = "header",                                                    \
	  .argument = "N",                                                     \
	  .offset = (at),                                                      \
	  .least = 1,                                                          \
	  .most = 64,                                                          \
	  .help = "bytes of an object's header (default: detected)" }
#define CLI_OPTION_ALIGN(at)                                                   \
	{ .kind = CLI_NUMBER,                                                  \
	  .name = "align",                                                     \
	  .argument = "N",                                                     \
	  .offset = (at),                                                      \
	  .least = 1,                                                          \
	  .most = 256,                                                         \
	  .help = "alignment of objects (default: detected)" }
#define CLI_OPTIONS_SIZES(sizes, ref_width, header, align)                     \
	{ .kind = CLI_HEADING, .help = "Shallow sizes" },                      \
		CLI_OPTION_SIZES(sizes), CLI_OPTION_REF_WIDTH(ref_width),      \
		CLI_OPTION_HEADER(header), CLI_OPTION_ALIGN(align)
/*
 * Options for the compression of FILE, the operand or argument that is written.
 */
#define CLI_OPTION_COMPRESS(at, file)                                          \
	{ .kind = CLI_CHOICE,                                                  \
	  .letter = 'c',                                                       \
	  .name = "compress",                                                  \
	  .argument = "auto|none|gz|zst|xz",                                   \
	  .offset = (at),                                                      \
	  .help = "how to compress (default auto: by the suffix of " file ")" }
#define CLI_OPTION_COMPRESS_LEVEL(at)                                          \
	{ .kind = CLI_NUMBER,                                                  \
	  .name = "compress-level",                                            \
	  .argument = "N",                                                     \
	  .offset = (at),                                                      \
	  .least = 1,                                                          \
	  .most = 19,                                                          \
	  .help = "compression level, 1 to 9, for zst 1 to 19" }
/* How much of the objects a dump has; see dump_level.h. */
#define CLI_OPTION_LEVEL(at)                                                   \
	{ .kind = CLI_CHOICE,                                                  \
	  .name = "level",                                                     \
	  .argument = "0|1|2",                                                 \
	  .offset = (at),                                                      \
	  .help = "contents of objects: 0 none, 1 references, 2 all (default)" }
#define CLI_OPTIONS_HELP                                                       \
	{ .kind = CLI_HEADING, .help = "Help" },                               \
		{ .kind = CLI_HELP,                                            \
		  .letter = 'h',                                               \
		  .name = "help",                                              \
		  .help = "print this and exit" },                             \
	{                                                                      \
		.kind = CLI_VERSION, .letter = 'V', .name = "version",         \
		.help = "print the versions of program and library and exit"   \
	}

struct cli_program {
	const char *name;
	const char *operands; /* "FILE" */
	const char *summary;  /* one line under the usage line */
	const char *epilog;   /* last lines of --help; may be NULL */
	const struct cli_option *options;
	size_t option_count;
};

/*
 * Must be called first. Makes descriptors 0 to 2 safe to use and ignores
 * SIGPIPE. PROGRAM must be valid until the process ends.
 */
void cli_start(const struct cli_program *program);

/*
 * Parses ARGV into the struct at VALUES, which must be zeroed. Returns the
 * index of the first operand. Wrong usage ends the process with status 2.
 */
int cli_parse(int argc, char **argv, void *values);

/*
 * Returns the only operand, at index FIRST. Another number of operands is wrong
 * usage.
 */
const char *cli_only_operand(int argc, char **argv, int first);

/*
 * Ends the process unless there are exactly COUNT operands from index FIRST on.
 * WHAT names them in the message.
 */
void cli_operands(int argc, char **argv, int first, int count,
		  const char *what);

/*
 * Prints "NAME: text" on standard error. The whole line is escaped for a
 * terminal.
 */
void cli_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same with the usage line. Does not return: exit status 2. */
void cli_usage_error(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));

/*
 * Closes standard output. Returns STATUS, or CLI_TROUBLE after a message if not
 * everything could be written. If the reader of a pipe has gone, there is no
 * message.
 */
int cli_finish(int status);

/* Frees the array of a list. */
void cli_list_free(struct cli_list *list);

/* Prints that there is no memory and ends the process. */
void cli_out_of_memory(void) __attribute__((noreturn));
/*
 * Closes OUT, which open_memstream made with TEXT. False if memory ran out before, or does
 * now: fclose alone says so of neither, and *TEXT is cut, or none.
 */
bool cli_close_text(FILE *out, char *const *text);

/* Like realloc, for an array. Ends the process if there is no memory. */
void *cli_realloc(void *old, size_t count, size_t size);

/* Allocates a zeroed array. Ends the process if there is no memory. */
void *cli_calloc(size_t count, size_t size);

char *cli_strdup(const char *text);

#endif
