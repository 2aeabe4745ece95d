/* SPDX-License-Identifier: MIT */
/*
 * source.h - where bytes are read from: file, pipe, memory, callback, and the
 * decompressors stacked on them.
 *
 * A source is read in order by read(), or, if it has pread, at random and from
 * several threads. Good data always comes before a failure: a truncated gzip
 * file first yields all that can be inflated, then its status.
 */
#ifndef HP_SOURCE_H
#define HP_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag_codes.h"
#include "hprof/error.h"

struct hp_source;

struct hp_source_ops {
	/*
	 * Reads up to ROOM bytes into BUFFER; *RET_N > 0 unless ROOM is 0. At
	 * the end returns HPROF_END with *RET_N 0. A failure (E_SYS, E_NOMEM;
	 * E_TRUNCATED, E_CORRUPT, E_LIMIT, E_UNSUPPORTED from a decompressor)
	 * fills source->error; it is returned only after all good bytes, and is
	 * sticky.
	 */
	enum hprof_status (*read)(struct hp_source *source, void *buffer,
				  size_t room, size_t *ret_n);
	/*
	 * Reads at OFFSET; NULL if the source is a stream. Thread-safe. Reads
	 * less than ROOM only at the end. Fills *ERROR, not source->error.
	 * Neither moves the position of read() nor counts in file_used.
	 */
	enum hprof_status (*pread)(struct hp_source *source, uint64_t offset,
				   void *buffer, size_t room, size_t *ret_n,
				   struct hprof_error *error);
	/* Frees the source and those below it. */
	void (*close)(struct hp_source *source);
};

/* The first member of each kind of source. */
struct hp_source {
	const struct hp_source_ops *ops;
	struct hp_source *below; /* owned; NULL at the bottom */
	/*
	 * "plain", "gzip", "tar in gzip", ...; "gzip" may grow to "gzip
	 * (HotSpot)" during a read().
	 */
	char container[64];
	char *member;	    /* archive member, escaped, owned; or NULL */
	uint64_t file_size; /* bytes of the file at the bottom, 0 unknown */
	uint64_t size;	    /* uncompressed, UINT64_MAX unknown */
	/*
	 * In bottom sources: bytes of the file that read() has consumed so far.
	 * For a whole stack see hp_source_used.
	 */
	_Atomic uint64_t file_used;
	struct hprof_error error;
	bool threaded; /* works ahead of the caller in threads of its own */
	/*
	 * An oddity by which nothing is lost: HP_DIAG_TRAILING_GARBAGE behind a
	 * compressed file, HP_DIAG_SEVERAL_MEMBERS in an archive that can only
	 * be read in order. Set before HPROF_END; if the text is empty there is
	 * no warning.
	 */
	enum hp_diag_code warning_code;
	char warning[256];
	/* Bytes that hp_source_peek read and that read() returns again. */
	unsigned char *peeked;
	size_t peeked_at, peeked_end;
};

/* Bottom sources. FD is closed with the source if OWNED. */
enum hprof_status hp_source_fd(int fd, bool owned, struct hp_source **ret,
			       struct hprof_error *error);
enum hprof_status hp_source_memory(const void *bytes, size_t size,
				   struct hp_source **ret,
				   struct hprof_error *error);
enum hprof_status hp_source_callback(int64_t (*read)(void *, void *, size_t),
				     void *user, struct hp_source **ret,
				     struct hprof_error *error);

/*
 * Examines the first bytes of BOTTOM and stacks the decompressors on it that it
 * needs, in several layers if necessary. MEMBER selects an archive member.
 * Takes ownership of BOTTOM, even on failure. With 2 THREADS or more the
 * decompressors run in parallel with the caller; plain input does not use them.
 */
enum hprof_status hp_source_open(struct hp_source *bottom, const char *member,
				 unsigned threads, struct hp_source **ret,
				 struct hprof_error *error);

/* Bytes of the file at the bottom that were read so far; for progress. */
uint64_t hp_source_used(const struct hp_source *source);

void hp_source_close(struct hp_source *source); /* NULL is fine */

/* ---- layers: they take ownership of BELOW, even on failure -------------- */

/*
 * Gzip. For any input it gives the same bytes and the same final status as
 * hp_source_stream. Inflates with THREADS (2 or more, the caller's included) if
 * the input consists of small members like HotSpot's, else in one thread beside
 * the caller's.
 */
enum hprof_status hp_source_gzip_parallel(struct hp_source *below,
					  unsigned threads,
					  struct hp_source **ret,
					  struct hprof_error *error);
/*
 * How the content of an archive member is opened: STACK puts at most LEFT
 * layers on it. This is a callback because a member may itself be compressed or
 * an archive, and only source_open.c can handle all formats.
 */
struct hp_layers {
	unsigned left;
	enum hprof_status (*stack)(struct hp_source *below, const char *member,
				   unsigned threads, unsigned layers,
				   struct hp_source **ret,
				   struct hprof_error *error);
};

/* Chooses a member and stacks on it the layers that its content needs. */
enum hprof_status hp_source_archive(struct hp_source *below, const char *member,
				    struct hp_layers layers,
				    struct hp_source **ret,
				    struct hprof_error *error);
/*
 * True if HEAD, the first bytes, are those of a format that only libarchive
 * decompresses: lz4, lzip, and those whose own library was missing at build
 * time.
 */
bool hp_source_is_filter(const void *head, size_t size);
enum hprof_status hp_source_filter(struct hp_source *below, const void *head,
				   size_t head_size, struct hp_source **ret,
				   struct hprof_error *error);
/*
 * Reads BELOW ahead in a thread of its own. *RET is BELOW itself if that has
 * threads already, or if no thread can be started. hp_source_open does this
 * wherever it helps.
 */
enum hprof_status hp_read_ahead(struct hp_source *below, struct hp_source **ret,
				struct hprof_error *error);

/* ---- for implementations of sources ------------------------------------- */

/* SOURCE must be zeroed, except members of its own kind. BELOW may be NULL. */
void hp_source_init(struct hp_source *source, const struct hp_source_ops *ops,
		    struct hp_source *below, const char *container);

/* Closes the source below and frees what the common members own, and SOURCE. */
void hp_source_free(struct hp_source *source);

/*
 * To be called first in every read(): true if that completes the call (a sticky
 * failure, no room, peeked bytes).
 */
bool hp_source_early(struct hp_source *source, void *buffer, size_t room,
		     size_t *ret_n, enum hprof_status *ret_status);

/*
 * Copies the first WANT bytes, which read() will return again; must be called
 * before the first read(). Fewer only at the end or at a failure, which read()
 * returns after these bytes.
 */
enum hprof_status hp_source_peek(struct hp_source *source, void *buffer,
				 size_t want, size_t *ret_n);

/* Copies the failure or the warning of the source below to SOURCE. */
enum hprof_status hp_source_inherit(struct hp_source *source);

/* Changes "gzip" to "gzip (HotSpot)" in the container's name. */
void hp_source_set_hotspot(struct hp_source *source);

/* True if BYTES are the start of an HPROF dump. */
bool hp_is_hprof(const void *bytes, size_t size);

#endif
