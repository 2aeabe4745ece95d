/* SPDX-License-Identifier: MIT */
/*
 * tempfile.h - a temporary file without a name.
 */
#ifndef HP_TEMPFILE_H
#define HP_TEMPFILE_H

#include "hprof/error.h"

/* $TMPDIR, else /var/tmp, since /tmp is often memory. */
const char *hp_tempfile_folder(void);

/* Opens a new unlinked file in that folder. The caller closes *RET_FD. */
enum hprof_status hp_tempfile_open(int *ret_fd, struct hprof_error *error);

/*
 * Reports that the folder has no room for BYTES (0: not known how many). The
 * reason is in errno.
 */
enum hprof_status hp_tempfile_full(uint64_t bytes, struct hprof_error *error);

/* Bytes that are free in the folder; UINT64_MAX: not known. */
uint64_t hp_tempfile_room(void);

#endif
