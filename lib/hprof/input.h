/* SPDX-License-Identifier: MIT */
/*
 * hprof/input.h - where a dump comes from, and how its reading is watched.
 *
 * Every entry that reads a dump takes a struct hprof_input. One of the
 * functions at the end of this header makes it for the usual cases:
 *
 *	struct hprof_input input = hprof_input_path("my.hprof");
 *
 *	input.threads = 1;
 *	status = hprof_summary_read(&input, NULL, &summary, &error);
 *
 * The entry copies the struct, which may go when it returns. Strings and
 * functions are used until the object that the entry made is freed; the bytes
 * of HPROF_INPUT_MEMORY and the descriptor of HPROF_INPUT_FD stay the caller's
 * and must outlive that object.
 *
 * The form is told by content, whatever the kind: plain, gzip, and through
 * libarchive zstd, xz, bzip2, lz4, zip, tar.
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
	 * A dump argument: a path, "-" for standard input, with "#N" at the
	 * end for the Nth dump. An existing file of the whole name wins.
	 */
	HPROF_INPUT_PATH,
	/*
	 * An open descriptor. A regular file that stands at its start is read
	 * by pread, and its position stays; anything else is read in order
	 * from where it stands.
	 */
	HPROF_INPUT_FD,
	HPROF_INPUT_MEMORY,
	HPROF_INPUT_CALLBACK
};

/*
 * Fills BUFFER with up to ROOM bytes and returns their number, 0 at the end, -1
 * with errno set on failure. Never called by two threads at once; unless the
 * input's threads is 1, it may be called by another thread than the caller's.
 */
typedef int64_t hprof_read_fn(void *user, void *buffer, size_t room);

/*
 * Called now and then from the calling thread, never two at once. PHASE is a
 * short static word for what is being done; DONE of TOTAL (0: not known) says
 * how much of it, in units that depend on the phase. Returns false to cancel:
 * the entry gives HPROF_E_CANCELLED as soon as it can.
 */
typedef bool hprof_progress_fn(void *user, const char *phase, uint64_t done,
			       uint64_t total);

/* Zero is the default of every member but size. */
struct hprof_input {
	size_t size; /* sizeof(struct hprof_input) */
	enum hprof_input_kind kind;
	int fd; /* HPROF_INPUT_FD */
	/*
	 * Which dump of a file that holds several, from 1. 0: the one that the
	 * path names by "#2" at its end, else the first.
	 */
	unsigned dump;
	/*
	 * How many threads may work, the caller's included; 0: the CPUs that
	 * the process may use, at most 8. With 1 there is only the caller's.
	 */
	unsigned threads;
	const char *path;    /* HPROF_INPUT_PATH */
	uint64_t byte_count; /* HPROF_INPUT_MEMORY */
	const void *bytes;   /* NULL only if there are none */
	hprof_read_fn *read; /* HPROF_INPUT_CALLBACK */
	void *read_user;
	/* The member of an archive to read; NULL: the only HPROF one. */
	const char *member;
	hprof_progress_fn *progress; /* may be NULL */
	void *progress_user;
	/*
	 * What an entry reads more than once is copied to an unlinked temporary
	 * file, in $TMPDIR or else /var/tmp, if it can be read but once (a
	 * pipe, a callback); of what is read at random, as objects of a heap,
	 * the uncompressed bytes, if they cannot be had so. With no_copy
	 * nothing is copied: the entry says what it does then.
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
