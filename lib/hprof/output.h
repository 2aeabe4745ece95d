/* SPDX-License-Identifier: MIT */
/*
 * hprof/output.h - writes arbitrary bytes, such as reports on a dump, to a file
 * that appears complete or not at all.
 *
 * Works like hprof/writer.h, but without records: PATH.part is renamed when it
 * is complete; there are compressors, descriptors and callbacks.
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
 * Like hprof_writer_create, for any bytes. OPTIONS may be NULL; its members
 * exact and keep_part are ignored.
 */
HPROF_API enum hprof_status hprof_output_create(
	const char *path, const struct hprof_writer_options *options,
	struct hprof_output **ret_output, struct hprof_error *ret_error);

/* Writes to an open, blocking descriptor, which the caller still owns. */
HPROF_API enum hprof_status
hprof_output_open_fd(int fd, const struct hprof_writer_options *options,
		     struct hprof_output **ret_output,
		     struct hprof_error *ret_error);

/*
 * Writes the next SIZE bytes. HPROF_E_SYS and HPROF_E_NOMEM are final: every
 * further call returns the same.
 */
HPROF_API enum hprof_status hprof_output_write(struct hprof_output *output,
					       const void *bytes, size_t size);

/*
 * Ends the file: compressors are flushed, PATH.part is synced to the disk and
 * renamed.
 */
HPROF_API enum hprof_status hprof_output_finish(struct hprof_output *output);

/* Frees the output; NULL is fine. An unfinished file is removed. */
HPROF_API void hprof_output_free(struct hprof_output *output);

/* Why the last call failed. Lives as long as the output. */
HPROF_API const struct hprof_error *
hprof_output_error(const struct hprof_output *output);

/* The number of bytes written so far, before compression. */
HPROF_API uint64_t hprof_output_size(const struct hprof_output *output);

#ifdef __cplusplus
}
#endif

#endif
