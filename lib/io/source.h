/* SPDX-License-Identifier: MIT */
/*
 * source.h - where bytes come from: file, pipe, memory, callback, and the
 * decompressors stacked on them.
 *
 * A source is read in order by read(), or, if it has pread, at random and
 * from several threads. Data always comes before trouble: a cut gzip file
 * first yields all that can be inflated, then its status.
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
	 * Up to ROOM bytes to BUFFER, *RET_N > 0 unless ROOM is 0. HPROF_END at
	 * the end with *RET_N 0. A failure (E_SYS, E_NOMEM; E_TRUNCATED,
	 * E_CORRUPT, E_LIMIT, E_UNSUPPORTED from a decompressor) fills
	 * source->error; it comes only after all good bytes were handed out,
	 * and is sticky.
	 */
	enum hprof_status (*read)(struct hp_source *source, void *buffer,
				  size_t room, size_t *ret_n);
	/*
	 * The same at OFFSET, thread-safe, short only at the end; NULL if the
	 * source is a stream. Does not touch source->error: it fills *ERROR.
	 * It neither moves the place of read() nor counts in file_used.
	 */
	enum hprof_status (*pread)(struct hp_source *source, uint64_t offset,
				   void *buffer, size_t room, size_t *ret_n,
				   struct hprof_error *error);
	/* Frees the source and those below it. */
	void (*close)(struct hp_source *source);
};

/* Embedded as the first member of each kind of source. */
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
	 * Bottom sources: bytes of the file that read() has taken so far. Of a
	 * whole stack: hp_source_used.
	 */
	_Atomic uint64_t file_used;
	struct hprof_error error;
	bool threaded; /* works ahead of the caller by threads of its own */
	/*
	 * Something odd that lost nothing: HP_DIAG_TRAILING_GARBAGE behind a
	 * compressed file, HP_DIAG_SEVERAL_MEMBERS of an archive that could be
	 * looked through only by reading it. Set before HPROF_END; there is
	 * none while the text is empty.
	 */
	enum hp_diag_code warning_code;
	char warning[256];
	/* Bytes that hp_source_peek took and read() gives again. */
	unsigned char *peeked;
	size_t peeked_at, peeked_end;
};

/* Bottom sources. The descriptor is closed at the end if OWNED. */
enum hprof_status hp_source_fd(int fd, bool owned, struct hp_source **ret,
			       struct hprof_error *error);
enum hprof_status hp_source_memory(const void *bytes, size_t size,
				   struct hp_source **ret,
				   struct hprof_error *error);
enum hprof_status hp_source_callback(int64_t (*read)(void *, void *, size_t),
				     void *user, struct hp_source **ret,
				     struct hprof_error *error);

/*
 * Looks at the first bytes of BOTTOM and puts the decompressors on it that
 * it needs (several layers if need be). MEMBER chooses an archive member.
 * Owns BOTTOM from here on, also on failure. With 2 THREADS or more the
 * decompressors work beside the caller; plain input has no use for them.
 */
enum hprof_status hp_source_open(struct hp_source *bottom, const char *member,
				 unsigned threads, struct hp_source **ret,
				 struct hprof_error *error);

/* Bytes of the file at the bottom that were taken so far; for progress. */
uint64_t hp_source_used(const struct hp_source *source);

void hp_source_close(struct hp_source *source); /* NULL is fine */

/* ---- layers: all own BELOW from here on, also on failure ---------------- */

/*
 * Gzip, the same bytes and the same end for any input as by hp_source_stream.
 * Inflates by THREADS (2 or more, the caller's is one) if the input is made
 * of small members as HotSpot's, else in one thread beside the caller's.
 */
enum hprof_status hp_source_gzip_parallel(struct hp_source *below,
					  unsigned threads,
					  struct hp_source **ret,
					  struct hprof_error *error);
/*
 * How the content of an archive's member is opened: STACK puts at most LEFT
 * layers on it. It is passed down, since an archive may hold what the function
 * that opens archives has to unpack.
 */
struct hp_layers {
	unsigned left;
	enum hprof_status (*stack)(struct hp_source *below, const char *member,
				   unsigned threads, unsigned layers,
				   struct hp_source **ret,
				   struct hprof_error *error);
};

/* Chooses a member and stacks on it what its content needs. */
enum hprof_status hp_source_archive(struct hp_source *below, const char *member,
				    struct hp_layers layers,
				    struct hp_source **ret,
				    struct hprof_error *error);
/*
 * One of the compressors that libarchive does, told by its first bytes HEAD:
 * lz4, lzip, and those whose own library was not there at build time.
 */
bool hp_source_is_filter(const void *head, size_t size);
enum hprof_status hp_source_filter(struct hp_source *below, const void *head,
				   size_t head_size, struct hp_source **ret,
				   struct hprof_error *error);
/*
 * Reads BELOW ahead in a thread of its own; gives BELOW itself if that has
 * threads already, or if there is none to be had. hp_source_open does it
 * wherever it helps.
 */
enum hprof_status hp_read_ahead(struct hp_source *below, struct hp_source **ret,
				struct hprof_error *error);

/* ---- for those who write a source --------------------------------------- */

/* SOURCE is all zero but for its own members. BELOW may be NULL. */
void hp_source_init(struct hp_source *source, const struct hp_source_ops *ops,
		    struct hp_source *below, const char *container);

/* Closes what is below and frees what the members above own and SOURCE. */
void hp_source_free(struct hp_source *source);

/*
 * The start of every read(): true if the call is answered already (a sticky
 * failure, no room, peeked bytes).
 */
bool hp_source_early(struct hp_source *source, void *buffer, size_t room,
		     size_t *ret_n, enum hprof_status *ret_status);

/*
 * Up to WANT of the first bytes; a stream gives them again. Fewer only at the
 * end or at a failure, which comes again behind them. Before the first read.
 */
enum hprof_status hp_source_peek(struct hp_source *source, void *buffer,
				 size_t want, size_t *ret_n);

/* Makes the failure or the warning of the source below SOURCE's own. */
enum hprof_status hp_source_inherit(struct hp_source *source);

/* "gzip" becomes "gzip (HotSpot)" in the container's name. */
void hp_source_set_hotspot(struct hp_source *source);

/* True if BYTES are the start of an HPROF dump. */
bool hp_is_hprof(const void *bytes, size_t size);

#endif
