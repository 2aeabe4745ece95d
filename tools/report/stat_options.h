/* SPDX-License-Identifier: MIT */
/*
 * stat_options.h - the options of hprof-stat, and which exclude each other.
 */
#ifndef TOOLS_REPORT_STAT_OPTIONS_H
#define TOOLS_REPORT_STAT_OPTIONS_H

#include <stdbool.h>

#include "tools/common/cli.h"
#include "tools/common/input.h"
#include "tools/common/screen.h"

struct stat_options {
	struct input_words input;
	struct screen_words screen;

	struct cli_number top;
	struct cli_choice sort;
	struct cli_choice by;
	struct cli_list match;

	bool records;
	bool roots;
	bool threads;
	bool properties;
	bool profile;
	bool retained;
	bool leaks;
	struct cli_limit threshold;
	struct cli_number paths;
	bool unreachable;
	bool allocations;
	bool native;
	bool waste;
	bool loaders;

	bool json;
	bool csv;
	bool html;
	bool stats;

	char *const *argv; /* the command, for the page */
	int argc;
};

extern const struct cli_program hprof_stat_program;

/* Is a section asked for, in place of the class table? */
bool stat_options_sections(const struct stat_options *options);

/* Ends the program with a usage error. */
void stat_options_check(const struct stat_options *options);

#endif
