/* SPDX-License-Identifier: MIT */
/*
 * sourcing.h - shared by the tests of sources, which compress their own data.
 */
#ifndef SOURCING_H
#define SOURCING_H

#include <archive.h>

#include "base/error.h"
#include "io/source.h"

/* ---- bytes --------------------------------------------------------------- */

struct bytes {
	unsigned char *at;
	size_t size;
	size_t room;
};

void bytes_add(struct bytes *bytes, const void *more, size_t size);
void bytes_drop(struct bytes *bytes);
bool bytes_same(struct bytes a, struct bytes b);
bool bytes_start(struct bytes part, struct bytes whole);

/* Bytes that compress about as well as a dump. */
struct bytes make_dump(size_t size);

/* ---- compressed ---------------------------------------------------------- */

struct gzip {
	int level;
	const char *name;
	const char *comment;
	bool extra, header_crc;
	int os;
};

void add_gzip(struct bytes *out, const void *in, size_t size,
	      const struct gzip *how);
struct bytes make_gzip(struct bytes in, int level);
/*
 * Compresses as HotSpot does, in gzip members of BLOCK bytes; member FIRST has
 * the comment.
 */
struct bytes make_hotspot(struct bytes in, size_t block, size_t first);

struct compressor {
	const char *name;
	int (*add)(struct archive *archive);
};

enum { COMPRESSORS = 6 };
extern const struct compressor compressors[COMPRESSORS];
struct bytes pack(struct bytes bytes, const struct compressor *with);

struct file {
	const char *name;
	struct bytes bytes;
};

/*
 * FORMAT is "raw" (with one file), "zip" or "tar". The result is empty if this
 * libarchive does not support it.
 */
struct bytes make_archive(const char *format,
			  const struct compressor *compressor,
			  const struct file *files, size_t count);

/* ---- reading ------------------------------------------------------------- */

struct result {
	struct bytes bytes;
	enum hprof_status status;
	struct hprof_error error;
	char warning_code[32], warning[256];
	char container[64], member[128];
};

void result_drop(struct result *result);

/* Ways to read the same input; the first is the simplest. */
struct way {
	bool stream;
	unsigned threads;
	size_t room;
};

enum { WAYS = 5 };
extern const struct way ways[WAYS];
struct result open_and_read(struct bytes in, const char *member,
			    const struct way *way);
struct result read_simply(struct bytes in);
/* Reads to the end, in pieces of ROOM bytes. */
void read_all(struct hp_source *source, size_t room, struct result *result);

/* A stream that returns its bytes in pieces of various sizes. */
struct drops {
	struct bytes bytes;
	size_t at;
	size_t most;
	uint32_t seed;
	int fail; /* errno at the end, or 0 */
};
int64_t read_drops(void *user, void *buffer, size_t room);

/* Checks that all ways give the same bytes and status as the first. */
struct result check_ways(struct bytes in, const char *what);
/* The same, and checks the bytes, the container and success. */
void check_good(struct bytes in, struct bytes expected, const char *container);

#endif
