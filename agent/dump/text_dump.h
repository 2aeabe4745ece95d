/* SPDX-License-Identifier: MIT */
/*
 * text_dump.h - a heap dump as the text of format=a. The walk writes the binary
 * format, to a file without a name beside the text; that is read again, since a
 * text begins with totals, and each object has the names and sizes of its class.
 */
#ifndef AG_TEXT_DUMP_H
#define AG_TEXT_DUMP_H

#include "agent/common/output.h"
#include "agent/profile/profile.h"

struct ag_session;

/*
 * Opens the file for the binary dump that becomes the text of OUTPUT, whose claim
 * it is; RET gets a writer and the path of OUTPUT. Its file is gone once RET is
 * closed, however the process ends.
 */
enum hprof_status ag_text_dump_open(const struct ag_output *output,
				    struct ag_output *ret,
				    struct hprof_error *ret_error);

/*
 * Finishes BINARY and writes it as text to OUTPUT, which it finishes. SESSION and
 * PROFILE are NULL, or a profile that is in the dump. *RET_BYTES is the size of
 * the text. On failure *RET_ERROR has the reason.
 */
enum hprof_status
ag_text_dump_write(struct ag_output *binary, struct ag_output *output,
		   struct ag_session *session, const struct ag_profile *profile,
		   uint64_t *ret_bytes, struct hprof_error *ret_error);

#endif
