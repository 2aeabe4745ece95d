/* SPDX-License-Identifier: MIT */
/*
 * dump_options.h - the options of hprof-dump, and which exclude each other.
 *
 * The checks end the program with a usage error.
 */
#ifndef DUMP_OPTIONS_H
#define DUMP_OPTIONS_H

#include <stdbool.h>
#include <sys/types.h>

#include "tools/capture/request.h"
#include "tools/common/cli.h"
#include "tools/common/screen.h"

struct dump_options {
	struct screen_words screen;
	struct cli_choice engine; /* enum dump_wish, in dump_choice.h */
	bool live, all;
	const char *agent;
	struct cli_number max_pause, timeout, limit;
	const char *output;
	struct cli_choice compress;
	struct cli_number compress_level;
	struct cli_choice level;
	struct cli_number jobs;
	bool force;
	struct cli_choice redact;
	const char *listen, *token_file;
	bool wait;
	struct cli_number object, monitor;
	const char *thread, *instances;
	bool list, json;
	bool quiet, verbose;
	struct cli_choice progress;
};

extern const struct cli_program hprof_dump_program;

/* The one operand, and a PID that it is. */
const char *dump_operand(int argc, char **argv, int first);
pid_t dump_pid(const char *text);

void dump_options_check(const struct dump_options *options);

/* Of a dump from an agent elsewhere. */
void dump_options_check_remote(const struct dump_options *options);

/* Is one object, monitor or thread asked for? Then of that, and which. */
bool dump_options_request(const struct dump_options *options);
void dump_options_check_request(const struct dump_options *options);
struct request dump_options_take_request(const struct dump_options *options);

#endif
