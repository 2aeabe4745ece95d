/* SPDX-License-Identifier: MIT */
/*
 * input.h - struct hprof_input from inside: checks it, opens it, and makes it
 * one that can be read twice.
 */
#ifndef HP_INPUT_H
#define HP_INPUT_H

#include "hprof/input.h"
#include "io/source.h"

/*
 * Copies GIVEN to *RET, threads resolved to at least 1. HPROF_E_USAGE names
 * what is wrong with it.
 */
enum hprof_status hp_input_take(const struct hprof_input *given,
				struct hprof_input *ret,
				struct hprof_error *error);

/*
 * The path and the dump that INPUT names: "FILE#2" names a dump unless a file
 * of that very name exists. *RET_PATH is the caller's to free; NULL: standard
 * input, or no path. *RET_DUMP is 0 if none is named.
 */
enum hprof_status hp_input_split(const struct hprof_input *input,
				 char **ret_path, unsigned *ret_dump,
				 struct hprof_error *error);

/* The bytes of INPUT, whose path is PATH as by hp_input_split. */
enum hprof_status hp_input_bottom(const struct hprof_input *input,
				  const char *path, struct hp_source **ret,
				  struct hprof_error *error);

/*
 * Whether INPUT, taken, gives the same bytes each time that it is opened. Looks
 * without reading; what cannot be looked at does not. HPROF_E_NOMEM.
 */
enum hprof_status hp_input_repeatable(const struct hprof_input *input,
				      bool *ret_repeatable,
				      struct hprof_error *error);

/*
 * Reads all of INPUT, which is not repeatable, to an unlinked temporary file,
 * and makes INPUT the descriptor of that, *RET_FD, which the caller closes when
 * done. Its other members stay as they are, with the dump that the path named.
 */
enum hprof_status hp_input_copy(struct hprof_input *input, int *ret_fd,
				struct hprof_error *error);

/* Calls progress, if there is one. HPROF_E_CANCELLED if it said so. */
enum hprof_status hp_input_progress(const struct hprof_input *input,
				    const char *phase, uint64_t done,
				    uint64_t total, struct hprof_error *error);

/*
 * "FILE#2" names a dump unless a file of that very name exists: the number is
 * cut off and *DUMP set.
 */
void hp_input_split_number(char *path, unsigned *dump);

#endif
