/* SPDX-License-Identifier: MIT */
/*
 * sourcing.c - see sourcing.h.
 */
#include "sourcing.h"

#include <archive_entry.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- bytes --------------------------------------------------------------- */

void bytes_add(struct bytes *bytes, const void *more, size_t size)
{
	if (bytes->room < bytes->size + size + 1) {
		bytes->room = 2 * (bytes->size + size + 1);
		bytes->at = realloc(bytes->at, bytes->room);
	}
	if (size > 0)
		memcpy(bytes->at + bytes->size, more, size);
	bytes->size += size;
}

void bytes_drop(struct bytes *bytes)
{
	free(bytes->at);
	bytes->at = NULL;
	bytes->size = bytes->room = 0;
}

/* Compresses about as well as a dump. */
struct bytes make_dump(size_t size)
{
	struct bytes bytes = { malloc(size + 64), 0, size + 64 };
	uint32_t seed = 1;

	memcpy(bytes.at, "JAVA PROFILE 1.0.2", 19);
	for (bytes.size = 19; bytes.size < size; bytes.size += 8) {
		seed = seed * 1103515245 + 12345;
		memset(bytes.at + bytes.size, 0, 8);
		bytes.at[bytes.size + 5] = (unsigned char)(seed >> 28);
		if ((seed >> 16) % 5 == 0)
			memcpy(bytes.at + bytes.size, &seed, 4);
	}
	bytes.size = size;
	return bytes;
}

/* ---- gzip ---------------------------------------------------------------- */

void add_gzip(struct bytes *out, const void *in, size_t size,
	      const struct gzip *how)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)in,
		       .avail_in = (uInt)size };
	gz_header header = { .os = how->os,
			     .name = (Bytef *)(uintptr_t)how->name,
			     .comment = (Bytef *)(uintptr_t)how->comment,
			     .extra = (Bytef *)(how->extra ? "extra" : NULL),
			     .extra_len = how->extra ? 5 : 0,
			     .hcrc = how->header_crc };
	size_t room = compressBound((uLong)size) + 1000;
	Bytef *buffer = malloc(room);

	cr_assert(deflateInit2(&z, how->level, Z_DEFLATED, 31, 8,
			       Z_DEFAULT_STRATEGY) == Z_OK);
	deflateSetHeader(&z, &header);
	z.next_out = buffer;
	z.avail_out = (uInt)room;
	cr_assert(deflate(&z, Z_FINISH) == Z_STREAM_END);
	bytes_add(out, buffer, room - z.avail_out);
	deflateEnd(&z);
	free(buffer);
}

struct bytes make_gzip(struct bytes in, int level)
{
	struct bytes out = { NULL, 0, 0 };

	add_gzip(&out, in.at, in.size, &(struct gzip){ .level = level });
	return out;
}

/* As HotSpot does: members of BLOCK bytes, the FIRSTth with the comment. */
struct bytes make_hotspot(struct bytes in, size_t block, size_t first)
{
	struct bytes out = { NULL, 0, 0 };
	size_t at = 0;

	for (size_t i = 0; at < in.size || i == 0; i++) {
		struct gzip how = { .level = 1, .os = i == first ? 0 : 3 };
		size_t n = in.size - at < block ? in.size - at : block;

		if (i == first)
			how.comment = "HPROF BLOCKSIZE=1048576";
		add_gzip(&out, in.at + at, n, &how);
		at += n;
	}
	return out;
}

/* ---- reading ------------------------------------------------------------- */

void result_drop(struct result *result)
{
	bytes_drop(&result->bytes);
}

int64_t read_drops(void *user, void *buffer, size_t room)
{
	struct drops *drops = user;
	size_t left = drops->bytes.size - drops->at;
	size_t n;

	drops->seed = drops->seed * 1103515245 + 12345;
	n = 1 + (drops->seed >> 8) % drops->most;
	if (n > room)
		n = room;
	if (n > left)
		n = left;
	if (n == 0 && drops->fail != 0) {
		errno = drops->fail;
		return -1;
	}
	if (n > 0)
		memcpy(buffer, drops->bytes.at + drops->at, n);
	drops->at += n;
	return (int64_t)n;
}

void read_all(struct hp_source *source, size_t room, struct result *result)
{
	unsigned char *buffer = malloc(room);
	size_t n;

	while ((result->status = source->ops->read(source, buffer, room, &n)) ==
	       HPROF_OK) {
		cr_assert(n > 0 && n <= room);
		bytes_add(&result->bytes, buffer, n);
	}
	cr_assert(n == 0);
	cr_assert(source->ops->read(source, buffer, room, &n) ==
		  result->status);
	free(buffer);
	result->error = source->error;
	snprintf(result->warning_code, sizeof(result->warning_code), "%s",
		 source->warning[0] ? hp_diag_word(source->warning_code) : "");
	snprintf(result->warning, sizeof(result->warning), "%s",
		 source->warning);
}

const struct way ways[WAYS] = {
	{ false, 1, 1 << 20 }, { true, 1, 1000 },    { false, 2, 1 << 20 },
	{ true, 2, 300000 },   { false, 4, 200000 },
};

struct result open_and_read(struct bytes in, const char *member,
			    const struct way *way)
{
	struct drops drops = { .bytes = in, .most = 70000, .seed = 1 };
	struct result result;
	struct hp_source *source;

	memset(&result, 0, sizeof(result));
	if (way->stream)
		result.status = hp_source_callback(read_drops, &drops, &source,
						   &result.error);
	else
		result.status = hp_source_memory(in.at, in.size, &source,
						 &result.error);
	if (result.status == HPROF_OK)
		result.status = hp_source_open(source, member, way->threads,
					       &source, &result.error);
	if (result.status < 0)
		return result;
	read_all(source, way->room, &result);
	snprintf(result.container, sizeof(result.container), "%s",
		 source->container);
	snprintf(result.member, sizeof(result.member), "%s",
		 source->member != NULL ? source->member : "");
	hp_source_close(source);
	return result;
}

struct result read_simply(struct bytes in)
{
	return open_and_read(in, NULL, &ways[0]);
}

bool bytes_same(struct bytes a, struct bytes b)
{
	return a.size == b.size &&
	       (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

bool bytes_start(struct bytes part, struct bytes whole)
{
	return part.size <= whole.size &&
	       (part.size == 0 || memcmp(part.at, whole.at, part.size) == 0);
}

/* All ways give the bytes and the final status of the first. */
struct result check_ways(struct bytes in, const char *what)
{
	struct result first = read_simply(in);

	for (size_t i = 1; i < WAYS; i++) {
		struct result other = open_and_read(in, NULL, &ways[i]);

		cr_assert(bytes_same(other.bytes, first.bytes),
			  "%s, way %zu: %zu bytes of %zu", what, i,
			  other.bytes.size, first.bytes.size);
		cr_assert(other.status == first.status, "%s, way %zu: %d, %d",
			  what, i, other.status, first.status);
		cr_assert_str_eq(other.error.text, first.error.text);
		cr_assert_str_eq(other.warning, first.warning);
		result_drop(&other);
	}
	return first;
}

void check_good(struct bytes in, struct bytes expected, const char *container)
{
	struct result result = check_ways(in, container);

	cr_assert(result.status == HPROF_END, "%s: %s", container,
		  result.error.text);
	cr_assert(bytes_same(result.bytes, expected), "%s: bytes", container);
	cr_assert_str_eq(result.container, container);
	cr_assert_str_eq(result.warning_code, "");
	result_drop(&result);
}

/* ---- compressors and archives -------------------------------------------- */

const struct compressor compressors[COMPRESSORS] = {
	{ "zstd", archive_write_add_filter_zstd },
	{ "xz", archive_write_add_filter_xz },
	{ "bzip2", archive_write_add_filter_bzip2 },
	{ "lz4", archive_write_add_filter_lz4 },
	{ "lzip", archive_write_add_filter_lzip },
	{ "gzip", archive_write_add_filter_gzip },
};

/* The format is "raw" with one file, "zip", or "tar". */
struct bytes make_archive(const char *format,
			  const struct compressor *compressor,
			  const struct file *files, size_t count)
{
	struct archive *a = archive_write_new();
	struct bytes out = { malloc(64 << 20), 0, 64 << 20 };
	bool ok;

	archive_write_set_bytes_in_last_block(a, 1);
	ok = strcmp(format, "raw") == 0 ? archive_write_set_format_raw(a) == 0
	     : strcmp(format, "zip") == 0
		     ? archive_write_set_format_zip(a) == 0
		     : archive_write_set_format_pax_restricted(a) == 0;
	if (compressor != NULL)
		ok = ok && compressor->add(a) == ARCHIVE_OK;
	ok = ok &&
	     archive_write_open_memory(a, out.at, 64 << 20, &out.size) == 0;
	for (size_t i = 0; ok && i < count; i++) {
		struct archive_entry *entry = archive_entry_new();

		archive_entry_set_pathname(entry, files[i].name);
		archive_entry_set_size(entry, (la_int64_t)files[i].bytes.size);
		archive_entry_set_filetype(entry, AE_IFREG);
		archive_entry_set_perm(entry, 0644);
		ok = archive_write_header(a, entry) == ARCHIVE_OK &&
		     archive_write_data(a, files[i].bytes.at,
					files[i].bytes.size) ==
			     (la_ssize_t)files[i].bytes.size;
		archive_entry_free(entry);
	}
	ok = archive_write_close(a) == ARCHIVE_OK && ok;
	archive_write_free(a);
	if (!ok)
		bytes_drop(&out); /* this libarchive does not support it */
	return out;
}

struct bytes pack(struct bytes bytes, const struct compressor *with)
{
	struct file file = { "data", bytes };

	return make_archive("raw", with, &file, 1);
}
