/* SPDX-License-Identifier: MIT */
/*
 * input.h - the internal side of struct hprof_input: checks it, opens it, and
 * converts it to one that can be read twice.
 */
#ifndef HP_INPUT_H
#define HP_INPUT_H

#include "hprof/input.h"
#include "io/source.h"

/*
 * Checks GIVEN and copies it to *RET, with threads resolved to at least 1. The
 * text of HPROF_E_USAGE says which member is wrong.
 */
enum hprof_status hp_input_take(const struct hprof_input *given,
				struct hprof_input *ret,
				struct hprof_error *error);

/*
 * The path and the dump that INPUT names: "FILE#2" names a dump unless a file
 * of exactly that name exists. The caller frees *RET_PATH, which is NULL for
 * standard input and inputs without a path. *RET_DUMP is 0 if no dump is named.
 */
enum hprof_status hp_input_split(const struct hprof_input *input,
				 char **ret_path, unsigned *ret_dump,
				 struct hprof_error *error);

/* Opens the bytes of INPUT; PATH is what hp_input_split returned. */
enum hprof_status hp_input_bottom(const struct hprof_input *input,
				  const char *path, struct hp_source **ret,
				  struct hprof_error *error);

/*
 * Whether INPUT, as copied by hp_input_take, gives the same bytes each time it
 * is opened. Found out by stat, without reading; false if that fails. Fails
 * only with HPROF_E_NOMEM.
 */
enum hprof_status hp_input_repeatable(const struct hprof_input *input,
				      bool *ret_repeatable,
				      struct hprof_error *error);

/*
 * Reads all of INPUT, which is not repeatable, to an unlinked temporary file,
 * and makes INPUT refer to its descriptor *RET_FD, which the caller closes when
 * done. Other members do not change, but dump becomes the one that the path
 * named.
 */
enum hprof_status hp_input_copy(struct hprof_input *input, int *ret_fd,
				struct hprof_error *error);

/* Calls progress, if set. HPROF_E_CANCELLED if it returned false. */
enum hprof_status hp_input_progress(const struct hprof_input *input,
				    const char *phase, uint64_t done,
				    uint64_t total, struct hprof_error *error);

/*
 * "FILE#2" names a dump unless a file of exactly that name exists: cuts off the
 * number and sets *DUMP.
 */
void hp_input_split_number(char *path, unsigned *dump);

#endif
