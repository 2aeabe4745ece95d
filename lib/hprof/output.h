/* SPDX-License-Identifier: MIT */
/*
 * hprof/output.h - bytes that are no dump, to a file that appears whole or
 * not at all: what programs make of a dump.
 *
 * The same manners as hprof/writer.h, without records: PATH.part that is
 * renamed when it is whole, compressors, descriptors, functions.
 *
 * Threads: one output, one thread at a time.
 */
#ifndef HPROF_OUTPUT_H
#define HPROF_OUTPUT_H

#include <hprof/error.h>
#include <hprof/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hprof_output;

/*
 * As hprof_writer_create, for any bytes. Of OPTIONS (may be NULL) all but
 * exact and keep_part count.
 */
HPROF_API enum hprof_status hprof_output_create(
	const char *path, const struct hprof_writer_options *options,
	struct hprof_output **ret_output, struct hprof_error *ret_error);

/* To an open, blocking descriptor, which stays the caller's. */
HPROF_API enum hprof_status
hprof_output_open_fd(int fd, const struct hprof_writer_options *options,
		     struct hprof_output **ret_output,
		     struct hprof_error *ret_error);

/*
 * The next SIZE bytes. HPROF_E_SYS, HPROF_E_NOMEM: the output is dead, every
 * further call returns the same.
 */
HPROF_API enum hprof_status hprof_output_write(struct hprof_output *output,
					       const void *bytes, size_t size);

/*
 * Ends the file: compressors are flushed, PATH.part is synced to the disk and
 * renamed.
 */
HPROF_API enum hprof_status hprof_output_finish(struct hprof_output *output);

/* Frees the output; NULL is fine. Unless finished, no file is left. */
HPROF_API void hprof_output_free(struct hprof_output *output);

/* Why the last call failed. Lives as long as the output. */
HPROF_API const struct hprof_error *
hprof_output_error(const struct hprof_output *output);

/* Bytes so far, before compression. */
HPROF_API uint64_t hprof_output_size(const struct hprof_output *output);

#ifdef __cplusplus
}
#endif

#endif
