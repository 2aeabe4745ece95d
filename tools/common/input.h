/* SPDX-License-Identifier: MIT */
/*
 * input.h - opens a dump, its heap and its graph for the programs, and prints
 * why that failed.
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
	const char *cache; /* as in struct input_words */
	/* size and cache are set by input.c */
	struct hprof_heap_options heap;
	/* size and progress are set by input.c */
	struct hprof_graph_options graph;
};

/*
 * What the command line says about it: part of the options of each program that
 * reads heaps.
 */
struct input_words {
	const char *member;
	struct cli_number jobs;
	bool strict;
	bool quiet;
	struct cli_choice progress;

	bool soft, weak; /* such references keep objects alive */
	struct cli_number memory;
	const char *cache; /* "": in the user's cache folder */

	struct cli_choice sizes, ref_width;
	struct cli_number header, alignment;
};

/* Ends the process with a usage error if they contradict each other. */
void input_words_check(const struct input_words *words);
struct input_options input_words_take(const struct input_words *words,
				      const char *program);

/* Prints the message for a failure that concerns PATH. */
void input_print_failure(const char *path, enum hprof_status status,
			 const struct hprof_error *error);

/* Prints that PATH, which is USER, is being copied. */
void input_say_copying(void *user, const char *folder);

/*
 * Is the dump argument PATH a regular file? FILE#2 stands for FILE, unless a
 * file has the whole name.
 */
bool input_is_file(const char *path, struct stat *ret_info);

/* The input for PATH with these options, without progress. */
struct hprof_input input_make(const char *path,
			      const struct input_options *options);

/* Returns NULL after printing a message. */
struct hprof_heap *input_heap(const char *path,
			      const struct input_options *options);
struct hprof_graph *input_graph(const char *path, const struct hprof_heap *heap,
				const struct input_options *options);

/*
 * Says once that something could not be kept for option --cache. The functions
 * above call it; to be called before the heap is closed if paths were asked for.
 */
void input_note_cache(const struct hprof_heap *heap);

/* The bits of enum hprof_hold that --soft and --weak stand for. */
unsigned input_hold(bool soft, bool weak);

#endif
