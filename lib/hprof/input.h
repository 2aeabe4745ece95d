/* SPDX-License-Identifier: MIT */
/*
 * hprof/input.h - where a dump is read from, with progress and cancellation.
 *
 * Every function that opens a dump takes a struct hprof_input. For the usual
 * cases, one of the functions at the end of this header makes it:
 *
 *	struct hprof_input input = hprof_input_path("my.hprof");
 *
 *	input.threads = 1;
 *	status = hprof_summary_read(&input, NULL, &summary, &error);
 *
 * The function copies the struct, which is not needed after it has returned.
 * Strings and functions are used until the object that it made is freed. The
 * bytes of HPROF_INPUT_MEMORY and the descriptor of HPROF_INPUT_FD belong to
 * the caller and must outlive that object.
 *
 * For every kind of input the format is recognized by content: plain, gzip,
 * zstd, xz, bzip2, lz4, zip and tar.
 *
 * An input that cannot be used is HPROF_E_USAGE, and the error's text names the
 * member: "argument input: path is NULL".
 */
#ifndef HPROF_INPUT_H
#define HPROF_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <hprof/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum hprof_input_kind {
	/*
	 * A dump argument: a path, or "-" for standard input, optionally with
	 * "#N" at the end for the Nth dump. If a file of the whole name exists,
	 * that is read.
	 */
	HPROF_INPUT_PATH,
	/*
	 * An open descriptor. A regular file at offset 0 is read with pread,
	 * which does not move its offset; anything else is read in order from
	 * its current offset.
	 */
	HPROF_INPUT_FD,
	HPROF_INPUT_MEMORY,
	HPROF_INPUT_CALLBACK
};

/*
 * Fills BUFFER with up to ROOM bytes and returns their number, 0 at the end, -1
 * with errno set on failure. Never called by two threads at once. Unless the
 * input's threads is 1, it may be called from a thread of the library.
 */
typedef int64_t hprof_read_fn(void *user, void *buffer, size_t room);

/*
 * Called periodically from the calling thread, never twice at the same time.
 * PHASE is a short static word for the current work, of which DONE of TOTAL (0:
 * not known) is complete, in units that depend on the phase. Return false to
 * cancel: the library function then returns HPROF_E_CANCELLED as soon as it
 * can.
 */
typedef bool hprof_progress_fn(void *user, const char *phase, uint64_t done,
			       uint64_t total);

/* Zero is the default of every member but size. */
struct hprof_input {
	size_t size; /* sizeof(struct hprof_input) */
	enum hprof_input_kind kind;
	int fd; /* HPROF_INPUT_FD */
	/*
	 * Which dump of a file that holds several, counted from 1. 0: the one
	 * that the end of the path names ("#2"), else the first.
	 */
	unsigned dump;
	/*
	 * How many threads may work, the caller's included; 0: as many as CPUs
	 * that the process may use, at most 8. With 1, no thread is started.
	 */
	unsigned threads;
	const char *path;    /* HPROF_INPUT_PATH */
	uint64_t byte_count; /* HPROF_INPUT_MEMORY */
	const void *bytes;   /* may be NULL if byte_count is 0 */
	hprof_read_fn *read; /* HPROF_INPUT_CALLBACK */
	void *read_user;
	/* The archive member to read; NULL: the only one that is a dump. */
	const char *member;
	hprof_progress_fn *progress; /* may be NULL */
	void *progress_user;
	/*
	 * An input that can be read only once (a pipe, a callback) is copied to
	 * an unlinked temporary file, in $TMPDIR or else /var/tmp, by functions
	 * that read it several times. Functions that read at random, such as
	 * those of a heap, copy the uncompressed bytes unless the input allows
	 * random access. With no_copy nothing is copied: each function says
	 * what it does then.
	 */
	bool no_copy;
	unsigned char reserved[7]; /* must be 0 */
};

static inline struct hprof_input hprof_input_make(enum hprof_input_kind kind)
{
	struct hprof_input input;

	memset(&input, 0, sizeof input);
	input.size = sizeof input;
	input.kind = kind;
	return input;
}

/* PATH is a dump argument, see HPROF_INPUT_PATH. */
static inline struct hprof_input hprof_input_path(const char *path)
{
	struct hprof_input input = hprof_input_make(HPROF_INPUT_PATH);

	input.path = path;
	return input;
}

static inline struct hprof_input hprof_input_fd(int fd)
{
	struct hprof_input input = hprof_input_make(HPROF_INPUT_FD);

	input.fd = fd;
	return input;
}

static inline struct hprof_input hprof_input_memory(const void *bytes,
						    size_t size)
{
	struct hprof_input input = hprof_input_make(HPROF_INPUT_MEMORY);

	input.bytes = bytes;
	input.byte_count = size;
	return input;
}

static inline struct hprof_input hprof_input_callback(hprof_read_fn *read,
						      void *user)
{
	struct hprof_input input = hprof_input_make(HPROF_INPUT_CALLBACK);

	input.read = read;
	input.read_user = user;
	return input;
}

#ifdef __cplusplus
}
#endif

#endif
