/* SPDX-License-Identifier: MIT */
/*
 * input.h - opens a dump, its heap and its graph for the programs, and says
 * why when that fails.
 */
#ifndef TOOLS_INPUT_H
#define TOOLS_INPUT_H

#include <hprof.h>
#include <sys/stat.h>

#include "tools/common/cli.h"
#include "tools/common/progress.h"

struct input_options {
	const char *program;
	bool quiet;
	enum progress_when progress;
	const char *member;
	unsigned threads;
	struct hprof_heap_options heap;	  /* without size */
	struct hprof_graph_options graph; /* without size and progress */
};

/* What users say of it: a part of the options of programs that read heaps. */
struct input_words {
	const char *member;
	struct cli_number jobs;
	bool strict;
	bool quiet;
	struct cli_choice progress;

	bool soft, weak; /* references hold */
	struct cli_number memory;

	struct cli_choice sizes, ref_width;
	struct cli_number header, alignment;
};

/* Ends the program with a usage error if they make no sense. */
void input_words_check(const struct input_words *words);
struct input_options input_words_take(const struct input_words *words,
				      const char *program);

/* The message for a failure about PATH. */
void input_print_failure(const char *path, enum hprof_status status,
			 const struct hprof_error *error);

/* Says that PATH, which is USER, is being copied. */
void input_say_copying(void *user, const char *folder);

/*
 * Is the dump argument PATH a regular file? Of FILE#2 it is FILE, unless there
 * is one of the whole name.
 */
bool input_is_file(const char *path, struct stat *ret_info);

/* PATH as the options say, without progress. */
struct hprof_input input_make(const char *path,
			      const struct input_options *options);

/* NULL after a message. */
struct hprof_heap *input_heap(const char *path,
			      const struct input_options *options);
struct hprof_graph *input_graph(const char *path, const struct hprof_heap *heap,
				const struct input_options *options);

/* What --soft and --weak stand for. */
unsigned input_hold(bool soft, bool weak);

#endif
