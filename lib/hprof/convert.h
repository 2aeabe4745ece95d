/*
 * hprof/convert.h - a dump to another dump: compressed, with other
 * identifiers, in another version of the format.
 */
#ifndef HPROF_CONVERT_H
#define HPROF_CONVERT_H

#include <hprof/error.h>
#include <hprof/reader.h>
#include <hprof/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hprof_convert_options {
	size_t size; /* sizeof(struct hprof_convert_options) */
	/* As in struct hprof_reader_options. */
	unsigned dump;
	const char *member;
	unsigned threads; /* for decompression */
	hprof_diagnostic_fn *diagnostic;
	void *user;
	/* Called now and then; total 0: not known. */
	void (*progress)(void *user, uint64_t done, uint64_t total);
	void *progress_user;
};

struct hprof_convert_result {
	uint64_t errors, warnings, notes; /* of the input */
	uint64_t size;			  /* of the dump, not compressed */
	bool exact;			  /* the same bytes */
};

/*
 * Converts the dump argument PATH (see hprof_reader_open) to the file OUT, or
 * with NULL to the descriptor FD, as OUTPUT (may be NULL) says; its "exact" is
 * set here. Damage is no failure: what can be read is in the result.
 *
 * Where nothing is to be changed, a file that is not damaged gives the same
 * bytes, all its dumps included. For that it may be read twice. Else, and from
 * a pipe, the result is the one dump that was chosen, in heap segments of the
 * writer's own making.
 */
HPROF_API enum hprof_status
hprof_convert(const char *path, const char *out, int fd,
	      const struct hprof_writer_options *output,
	      const struct hprof_convert_options *options,
	      struct hprof_convert_result *ret_result,
	      struct hprof_error *ret_error);

#ifdef __cplusplus
}
#endif

#endif
