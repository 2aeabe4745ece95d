/* SPDX-License-Identifier: MIT */
/*
 * output_file.h - the files that programs write: never over the dump that they
 * read, and no unfinished one is left behind.
 */
#ifndef TOOLS_OUTPUT_FILE_H
#define TOOLS_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Is OUT, or the part file that becomes it, the same file as the dump argument IN,
 * maybe by another name? Prints a message if so. OUT "-" is standard output.
 */
bool output_file_is_input(const char *in, const char *out);
bool output_file_is_one_of(char *const *in, size_t count, const char *out);

/* Is OUT a pipe or a device, which is written to, not replaced? */
bool output_file_is_special(const char *out);

/* The name that OUT gets in the end, links followed. Free it. */
char *output_file_final(const char *out);

/* The name that it has until then. Free it. */
char *output_file_part(const char *out);

/* Removes what is at PART; a folder with what may be in it. */
typedef bool output_file_remove_fn(const char *part, bool is_folder);

/*
 * From here on a signal that ends the program removes the part file of OUT first,
 * by REMOVE, if this process has it open. Called once, while there is one thread.
 */
void output_file_signals(const char *out, output_file_remove_fn *remove);

/* REMOVE for programs that write no folders. */
bool output_file_remove(const char *part, bool is_folder);

#endif
