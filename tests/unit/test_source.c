/*
 * test_source.c - files, pipes and memory, the decompressors on them, and
 * what comes of damaged input.
 *
 * All compressed data is made here. The reference for gzip is zlib, told to
 * go as far as it can; other decompressors are held against themselves: what
 * a cut file yields is the start of the whole.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <archive.h>
#include <archive_entry.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "error.h"
#include "mem.h"
#include "source.h"

/* ---- bytes --------------------------------------------------------------- */

struct bytes {
	unsigned char *at;
	size_t size;
	size_t room;
};

static void add(struct bytes *bytes, const void *more, size_t size)
{
	if (bytes->room < bytes->size + size + 1) {
		bytes->room = 2 * (bytes->size + size + 1);
		bytes->at = realloc(bytes->at, bytes->room);
	}
	if (size > 0)
		memcpy(bytes->at + bytes->size, more, size);
	bytes->size += size;
}

static void drop(struct bytes *bytes)
{
	free(bytes->at);
	bytes->at = NULL;
	bytes->size = bytes->room = 0;
}

/* What a dump looks like to a compressor: more or less. */
static struct bytes make_dump(size_t size)
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

struct gzip {
	int level;
	const char *name;
	const char *comment;
	bool extra, header_crc;
	int os;
};

static void add_gzip(struct bytes *out, const void *in, size_t size,
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
	add(out, buffer, room - z.avail_out);
	deflateEnd(&z);
	free(buffer);
}

static struct bytes make_gzip(struct bytes in, int level)
{
	struct bytes out = { NULL, 0, 0 };

	add_gzip(&out, in.at, in.size, &(struct gzip){ .level = level });
	return out;
}

/* As HotSpot does: members of BLOCK bytes, the FIRSTth with the comment. */
static struct bytes make_hotspot(struct bytes in, size_t block, size_t first)
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

struct result {
	struct bytes bytes;
	enum hprof_status status;
	struct hprof_error error;
	char warning_code[32], warning[256];
	char container[64], member[128];
};

static void result_drop(struct result *result)
{
	drop(&result->bytes);
}

/* A stream that gives its bytes in pieces of all sizes. */
struct drops {
	struct bytes bytes;
	size_t at;
	size_t most;
	uint32_t seed;
	int fail; /* errno at the end, or 0 */
};

static int64_t read_drops(void *user, void *buffer, size_t room)
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

static void read_all(struct hp_source *source, size_t room,
		     struct result *result)
{
	unsigned char *buffer = malloc(room);
	size_t n;

	while ((result->status = source->ops->read(source, buffer, room, &n)) ==
	       HPROF_OK) {
		cr_assert(n > 0 && n <= room);
		add(&result->bytes, buffer, n);
	}
	cr_assert(n == 0);
	cr_assert(source->ops->read(source, buffer, room, &n) ==
		  result->status);
	free(buffer);
	result->error = source->error;
	snprintf(result->warning_code, sizeof(result->warning_code), "%s",
		 source->warning_code);
	snprintf(result->warning, sizeof(result->warning), "%s",
		 source->warning);
}

struct way {
	bool stream;
	unsigned threads;
	size_t room;
};

static const struct way ways[] = {
	{ false, 1, 1 << 20 }, { true, 1, 1000 },    { false, 2, 1 << 20 },
	{ true, 2, 300000 },   { false, 4, 200000 },
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static struct result open_and_read(struct bytes in, const char *member,
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

static struct result simple(struct bytes in)
{
	return open_and_read(in, NULL, &ways[0]);
}

static bool same(struct bytes a, struct bytes b)
{
	return a.size == b.size &&
	       (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

static bool is_start(struct bytes part, struct bytes whole)
{
	return part.size <= whole.size &&
	       (part.size == 0 || memcmp(part.at, whole.at, part.size) == 0);
}

/* All ways lead to the bytes and the end of the first. */
static struct result check_ways(struct bytes in, const char *what)
{
	struct result first = simple(in);

	for (size_t i = 1; i < WAYS; i++) {
		struct result other = open_and_read(in, NULL, &ways[i]);

		cr_assert(same(other.bytes, first.bytes),
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

static void check_good(struct bytes in, struct bytes expected,
		       const char *container)
{
	struct result result = check_ways(in, container);

	cr_assert(result.status == HPROF_END, "%s: %s", container,
		  result.error.text);
	cr_assert(same(result.bytes, expected), "%s: bytes", container);
	cr_assert_str_eq(result.container, container);
	cr_assert_str_eq(result.warning_code, "");
	result_drop(&result);
}

/* ---- the bottom ---------------------------------------------------------- */

static int make_file(struct bytes bytes)
{
	char name[] = "/tmp/test_source.XXXXXX";
	int fd = mkstemp(name);

	cr_assert(fd >= 0 && unlink(name) == 0);
	cr_assert(write(fd, bytes.at, bytes.size) == (ssize_t)bytes.size);
	cr_assert(lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

Test(source, plain)
{
	struct bytes dump = make_dump(300000);
	struct bytes nothing = { NULL, 0, 0 };

	check_good(dump, dump, "plain");
	check_good(nothing, nothing, "plain");
	drop(&dump);
}

Test(source, file)
{
	struct bytes dump = make_dump(5000);
	int fd = make_file(dump);
	struct hprof_error error;
	struct result result = { .status = HPROF_OK };
	struct hp_source *source;
	char middle[100];
	size_t n;

	cr_assert(hp_source_fd(fd, false, &source, &error) == HPROF_OK);
	cr_assert(hp_source_open(source, NULL, 1, &source, NULL) == HPROF_OK);
	cr_assert(source->size == 5000 && source->file_size == 5000);
	read_all(source, 999, &result);
	cr_assert(same(result.bytes, dump));
	cr_assert(hp_source_used(source) == 5000);
	cr_assert(source->ops->pread(source, 4950, middle, 100, &n, &error) ==
		  HPROF_OK);
	cr_assert(n == 50 && memcmp(middle, dump.at + 4950, 50) == 0);
	cr_assert(source->ops->pread(source, 5000, middle, 100, &n, &error) ==
		  HPROF_END);
	cr_assert(source->ops->pread(source, UINT64_MAX, middle, 100, &n,
				     &error) == HPROF_END);
	hp_source_close(source);
	cr_assert(lseek(fd, 0, SEEK_CUR) == 0, "the place was moved");
	close(fd);
	result_drop(&result);
	drop(&dump);
}

/* Somebody has read the first line of what we get as standard input. */
Test(source, file_from_the_middle)
{
	struct bytes dump = make_dump(5000);
	struct bytes all = { NULL, 0, 0 };
	struct result result = { .status = HPROF_OK };
	struct hprof_error error;
	struct hp_source *source;
	int fd;

	add(&all, "hello\n", 6);
	add(&all, dump.at, dump.size);
	fd = make_file(all);
	lseek(fd, 6, SEEK_SET);
	cr_assert(hp_source_fd(fd, true, &source, &error) == HPROF_OK);
	cr_assert(source->ops->pread == NULL && source->size == UINT64_MAX);
	cr_assert(hp_source_open(source, NULL, 1, &source, &error) == HPROF_OK);
	read_all(source, 999, &result);
	cr_assert(same(result.bytes, dump));
	hp_source_close(source);
	cr_assert(fcntl(fd, F_GETFD) == -1, "an owned descriptor stays open");
	result_drop(&result);
	drop(&all);
	drop(&dump);
}

Test(source, pipe)
{
	struct bytes dump = make_dump(5000);
	struct result result = { .status = HPROF_OK };
	struct hprof_error error;
	struct hp_source *source;
	int ends[2];

	cr_assert(pipe(ends) == 0);
	cr_assert(write(ends[1], dump.at, dump.size) == (ssize_t)dump.size);
	close(ends[1]);
	cr_assert(hp_source_fd(ends[0], true, &source, &error) == HPROF_OK);
	cr_assert(hp_source_open(source, NULL, 1, &source, &error) == HPROF_OK);
	cr_assert(source->file_size == 0 && source->ops->pread == NULL);
	read_all(source, 999, &result);
	cr_assert(same(result.bytes, dump));
	hp_source_close(source);
	result_drop(&result);
	drop(&dump);
}

Test(source, directory)
{
	struct hprof_error error;
	struct hp_source *source;
	int fd = open("/", O_RDONLY);

	cr_assert(hp_source_fd(fd, true, &source, &error) == HPROF_OK);
	cr_assert(hp_source_open(source, NULL, 1, &source, &error) ==
		  HPROF_E_SYS);
	cr_assert(error.sys_errno == EISDIR);
}

static int64_t read_too_much(void *user, void *buffer, size_t room)
{
	(void)user;
	(void)buffer;
	return (int64_t)room + 1;
}

Test(source, callback_failures)
{
	struct bytes dump = make_dump(5000);
	struct bytes packed = make_gzip(dump, 6);
	struct bytes inputs[] = { dump, packed };
	struct hprof_error error;
	struct hp_source *source;

	for (size_t i = 0; i < 2 * WAYS; i++) {
		struct drops drops = { inputs[i % 2], 0, 500, 1, ECONNRESET };
		struct result result = { .status = HPROF_OK };

		hp_source_callback(read_drops, &drops, &source, &error);
		cr_assert(hp_source_open(source, NULL, ways[i / 2].threads,
					 &source, &error) == HPROF_OK);
		read_all(source, ways[i / 2].room, &result);
		cr_assert(same(result.bytes, dump), "case %zu", i);
		cr_assert(result.status == HPROF_E_SYS, "case %zu", i);
		cr_assert(result.error.sys_errno == ECONNRESET);
		hp_source_close(source);
		result_drop(&result);
	}
	hp_source_callback(read_too_much, NULL, &source, &error);
	cr_assert(hp_source_open(source, NULL, 1, &source, &error) ==
		  HPROF_E_USAGE);
	cr_assert(hp_source_callback(NULL, NULL, &source, NULL) ==
		  HPROF_E_USAGE);
	cr_assert(hp_source_memory(NULL, 1, &source, NULL) == HPROF_E_USAGE);
	drop(&packed);
	drop(&dump);
}

/* ---- gzip, good ---------------------------------------------------------- */

Test(source, gzip_headers)
{
	static const struct gzip how[] = {
		{ .level = 6 },
		{ .level = 0 },
		{ .level = 9, .name = "dump.hprof" },
		{ .level = 1, .comment = "made by hand" },
		{ .level = 1, .extra = true },
		{ .level = 1, .header_crc = true },
		{ .level = 1,
		  .name = "x",
		  .comment = "",
		  .extra = true,
		  .header_crc = true,
		  .os = 255 },
	};
	struct bytes dump = make_dump(300000);

	for (size_t i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
		struct bytes packed = { NULL, 0, 0 };

		add_gzip(&packed, dump.at, dump.size, &how[i]);
		check_good(packed, dump, "gzip");
		drop(&packed);
	}
	drop(&dump);
}

Test(source, gzip_members)
{
	static const size_t blocks[] = { 1, 7, 1000, 65536, 1 << 20, 3 << 20 };
	struct bytes big = make_dump(5000000);
	struct bytes small = { big.at, 400, 0 };

	for (size_t i = 0; i < 6; i++) {
		struct bytes dump = blocks[i] < 100 ? small : big;
		struct bytes plain = make_hotspot(dump, blocks[i], SIZE_MAX);
		struct bytes first = make_hotspot(dump, blocks[i], 0);
		struct bytes later = make_hotspot(dump, blocks[i], 1);

		check_good(plain, dump, "gzip");
		check_good(first, dump, "gzip (HotSpot)");
		check_good(later, dump, "gzip (HotSpot)");
		drop(&plain);
		drop(&first);
		drop(&later);
	}
	drop(&big);
}

/* Members that hold nothing, and what is between and behind members. */
Test(source, gzip_between)
{
	static const struct between {
		const char *bytes;
		size_t size;
		const char *warning;
	} between[] = {
		{ "", 0, "" },
		{ "\0\0\0\0\0", 5, "" },
		{ "x", 1, "trailing-garbage" },
		{ "\0\0x", 3, "trailing-garbage" },
		{ "\x1f\x8b\x07xxxxxxxxxxxxxx", 17, "trailing-garbage" },
	};
	struct bytes dump = make_dump(2000);
	struct gzip how = { .level = 6 };

	for (size_t i = 0; i < 5; i++) {
		struct bytes packed = { NULL, 0, 0 };
		struct result result;
		char place[64];

		add_gzip(&packed, dump.at, 0, &how);
		add_gzip(&packed, dump.at, dump.size, &how);
		add_gzip(&packed, dump.at, 0, &how);
		snprintf(place, sizeof(place), "from byte %zu of",
			 packed.size + (i == 3 ? 2 : 0));
		add(&packed, between[i].bytes, between[i].size);
		result = check_ways(packed, "between");
		cr_assert(result.status == HPROF_END &&
			  result.error.status >= 0);
		cr_assert(same(result.bytes, dump));
		cr_assert_str_eq(result.warning_code, between[i].warning);
		if (between[i].warning[0] != '\0')
			cr_assert(strstr(result.warning, place) != NULL, "%s",
				  result.warning);
		result_drop(&result);
		drop(&packed);
	}
	drop(&dump);
}

Test(source, gzip_zeros_between)
{
	struct bytes dump = make_dump(2000);
	struct bytes packed = { NULL, 0, 0 };
	struct gzip how = { .level = 6 };
	static const char zeros[600000];

	add_gzip(&packed, dump.at, 500, &how);
	add(&packed, zeros, 700);
	add_gzip(&packed, dump.at + 500, 500, &how);
	add(&packed, zeros, sizeof(zeros));
	add_gzip(&packed, dump.at + 1000, 1000, &how);
	add(&packed, zeros, sizeof(zeros));
	check_good(packed, dump, "gzip");
	drop(&packed);
	drop(&dump);
}

/* The pattern of a header in stored data must not mislead the cutting. */
Test(source, gzip_false_headers)
{
	static const char header[10] = "\x1f\x8b\x08\0\0\0\0\0\4\3";
	struct bytes dump = make_dump(3000000);
	struct bytes packed = { NULL, 0, 0 };
	struct gzip how = { .level = 0, .os = 3 };

	for (size_t at = 1000; at < 2500000; at += at < 100000 ? 7000 : 99999)
		memcpy(dump.at + at, header, sizeof(header));
	for (size_t at = 0; at < 3000000; at += 500000) {
		how.level = at % 1000000 == 0 ? 0 : 1;
		add_gzip(&packed, dump.at + at, 500000, &how);
	}
	check_good(packed, dump, "gzip");
	drop(&packed);
	drop(&dump);
}

/* ---- gzip, bad ----------------------------------------------------------- */

/* As far as zlib can go; the status is ours. */
static struct result by_zlib(struct bytes in)
{
	struct result result = { .status = HPROF_OK };
	z_stream z = { .next_in = in.at, .avail_in = (uInt)in.size };
	size_t room = in.size * 20 + 100000;
	int code;

	result.bytes.at = malloc(room);
	z.next_out = result.bytes.at;
	z.avail_out = (uInt)room;
	inflateInit2(&z, 31);
	while (result.status == HPROF_OK) {
		code = inflate(&z, Z_NO_FLUSH);
		if (code == Z_STREAM_END && z.avail_in == 0)
			result.status = HPROF_END;
		else if (code == Z_STREAM_END)
			inflateReset(&z);
		else if (code == Z_BUF_ERROR)
			result.status = HPROF_E_TRUNCATED;
		else if (code != Z_OK)
			result.status = HPROF_E_CORRUPT;
	}
	result.bytes.size = room - z.avail_out;
	inflateEnd(&z);
	return result;
}

/* ISA-L takes some incomplete sets of codes that zlib calls invalid. */
static void check_damaged(struct bytes in, const char *what, size_t place)
{
	char text[80];
	struct result expected = by_zlib(in);
	struct result result;

	snprintf(text, sizeof(text), "%s at %zu", what, place);
	result = check_ways(in, text);
	cr_assert(result.status == HPROF_E_CORRUPT
			  ? is_start(expected.bytes, result.bytes)
			  : same(expected.bytes, result.bytes),
		  "%s: %zu bytes of %zu", text, result.bytes.size,
		  expected.bytes.size);
	cr_assert(result.status == expected.status, "%s: %d of %d", text,
		  result.status, expected.status);
	cr_assert(result.error.status >= 0 ||
		  result.error.offset == result.bytes.size);
	result_drop(&result);
	result_drop(&expected);
}

Test(source, gzip_cut_everywhere, .timeout = 120)
{
	struct bytes dump = make_dump(2000);
	struct bytes one = make_gzip(dump, 6);
	struct bytes many = make_hotspot(dump, 700, 0);

	for (size_t size = 3; size < one.size; size++)
		check_damaged((struct bytes){ one.at, size, 0 }, "cut", size);
	for (size_t size = 3; size < many.size; size++)
		check_damaged((struct bytes){ many.at, size, 0 }, "cut", size);
	drop(&many);
	drop(&one);
	drop(&dump);
}

/* Long enough that the marks in the ISA-L part have to work. */
Test(source, gzip_cut_long, .timeout = 120)
{
	struct bytes dump = make_dump(6000000);
	struct bytes one = make_gzip(dump, 1);
	struct bytes many = make_hotspot(dump, 1 << 20, 0);

	for (size_t size = 50001; size < one.size; size += 70009)
		check_damaged((struct bytes){ one.at, size, 0 }, "cut", size);
	for (size_t size = 50001; size < many.size; size += 150017)
		check_damaged((struct bytes){ many.at, size, 0 }, "cut", size);
	drop(&many);
	drop(&one);
	drop(&dump);
}

static void check_flips(struct bytes in, size_t step)
{
	for (size_t at = 10; at < in.size; at += step) {
		unsigned char bit = (unsigned char)(1 << (at * 7 % 8));

		/* The magic of a later member makes it garbage, see there. */
		if (in.at[at] == 0x1f || in.at[at] == 0x8b || in.at[at] == 8)
			continue;
		in.at[at] ^= bit;
		check_damaged(in, "bit flipped", at);
		in.at[at] ^= bit;
	}
}

Test(source, gzip_flipped, .timeout = 120)
{
	struct bytes dump = make_dump(4000000);
	struct bytes small = { dump.at, 2000, 0 };
	struct bytes one = make_gzip(small, 6);
	struct bytes long_one = make_gzip(dump, 6);
	struct bytes many = make_hotspot(dump, 1 << 20, SIZE_MAX);

	check_flips(one, 1);
	check_flips(long_one, 60011);
	check_flips(many, 90013);
	drop(&many);
	drop(&long_one);
	drop(&one);
	drop(&dump);
}

Test(source, gzip_bad_trailer)
{
	struct bytes dump = make_dump(9000);

	for (size_t back = 1; back <= 8; back++) {
		struct bytes packed = make_gzip(dump, 6);
		struct result result;

		packed.at[packed.size - back] ^= 0x10;
		result = check_ways(packed, "trailer");
		cr_assert(result.status == HPROF_E_CORRUPT);
		cr_assert(same(result.bytes, dump));
		cr_assert(strstr(result.error.text, "checksum") != NULL);
		result_drop(&result);
		drop(&packed);
	}
	drop(&dump);
}

Test(source, gzip_unknown_flags)
{
	struct bytes dump = make_dump(100);
	struct bytes packed = make_gzip(dump, 6);
	struct result result;

	packed.at[3] |= 0x20;
	result = check_ways(packed, "flags");
	cr_assert(result.status == HPROF_E_CORRUPT && result.bytes.size == 0);
	result_drop(&result);
	drop(&packed);
	drop(&dump);
}

/* ---- other compressors --------------------------------------------------- */

struct compressor {
	const char *name;
	int (*add)(struct archive *archive);
};

static const struct compressor compressors[] = {
	{ "zstd", archive_write_add_filter_zstd },
	{ "xz", archive_write_add_filter_xz },
	{ "bzip2", archive_write_add_filter_bzip2 },
	{ "lz4", archive_write_add_filter_lz4 },
	{ "lzip", archive_write_add_filter_lzip },
	{ "gzip", archive_write_add_filter_gzip },
};
#define COMPRESSORS (sizeof(compressors) / sizeof(compressors[0]))

struct file {
	const char *name;
	struct bytes bytes;
};

/* The format is "raw" with one file, "zip", or "tar". */
static struct bytes make_archive(const char *format,
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
		drop(&out); /* this libarchive cannot */
	return out;
}

static struct bytes pack(struct bytes bytes, const struct compressor *with)
{
	struct file file = { "data", bytes };

	return make_archive("raw", with, &file, 1);
}

Test(source, compressors, .timeout = 120)
{
	struct bytes dump = make_dump(700000);

	for (size_t i = 0; i < COMPRESSORS; i++) {
		struct bytes packed = pack(dump, &compressors[i]);

		if (packed.size > 0)
			check_good(packed, dump, compressors[i].name);
		drop(&packed);
	}
	drop(&dump);
}

/* Two in a row, zeros in between where that is padding. */
Test(source, compressors_in_a_row)
{
	struct bytes dump = make_dump(300000);
	struct bytes half = { dump.at, 100000, 0 };
	struct bytes other = { dump.at + 100000, 200000, 0 };

	for (size_t i = 0; i < 3; i++) {
		struct bytes packed = pack(half, &compressors[i]);
		struct bytes second = pack(other, &compressors[i]);

		if (packed.size > 0) {
			add(&packed, "\0\0\0\0", i == 1 ? 4 : 0);
			add(&packed, second.at, second.size);
			check_good(packed, dump, compressors[i].name);
		}
		drop(&second);
		drop(&packed);
	}
	drop(&dump);
}

Test(source, compressors_with_garbage)
{
	struct bytes dump = make_dump(300000);

	for (size_t i = 0; i < 3; i++) {
		struct bytes packed = pack(dump, &compressors[i]);
		struct result result;

		if (packed.size == 0)
			continue;
		add(&packed, "garbage", 7);
		result = check_ways(packed, compressors[i].name);
		cr_assert(is_start(result.bytes, dump));
#if defined(HAVE_ZSTD) && defined(HAVE_LZMA) && defined(HAVE_BZIP2)
		cr_assert(same(result.bytes, dump), "%s", compressors[i].name);
		cr_assert_str_eq(result.warning_code, "trailing-garbage");
#endif
		result_drop(&result);
		drop(&packed);
	}
	drop(&dump);
}

/*
 * Cut and damaged: the start of the whole, never more, and of cut ones not
 * much less than the part of the file.
 */
static void check_cut(struct bytes packed, struct bytes dump, const char *name)
{
	for (size_t size = 16; size < packed.size; size += packed.size / 15) {
		struct bytes cut = { packed.at, size, 0 };
		struct result result = check_ways(cut, name);

		cr_assert(result.status == HPROF_E_TRUNCATED, "%s, %zu: %d %s",
			  name, size, result.status, result.error.text);
		cr_assert(is_start(result.bytes, dump), "%s, %zu", name, size);
		result_drop(&result);
	}
}

/* How much of a bad block comes out may depend on the room. */
static void check_changed(struct bytes packed, struct bytes dump,
			  const char *name)
{
	for (size_t at = 16; at < packed.size; at += packed.size / 15) {
		struct result first, other;
		struct bytes less;

		packed.at[at] ^= 0x40;
		first = simple(packed);
		cr_assert(first.bytes.size <= 2 * dump.size);
		for (size_t w = 1; w < WAYS; w++) {
			other = open_and_read(packed, NULL, &ways[w]);
			less = first.bytes;
			if (less.size > other.bytes.size)
				less.size = other.bytes.size;
			cr_assert(other.status == first.status,
				  "%s, %zu, way %zu: %d, %d", name, at, w,
				  other.status, first.status);
			cr_assert(is_start(less, other.bytes));
			result_drop(&other);
		}
		result_drop(&first);
		packed.at[at] ^= 0x40;
	}
}

Test(source, compressors_damaged, .timeout = 300)
{
	struct bytes dump = make_dump(400000);

	for (size_t i = 0; i < 3; i++) {
		struct bytes packed = pack(dump, &compressors[i]);

		if (packed.size > 0) {
			check_cut(packed, dump, compressors[i].name);
			check_changed(packed, dump, compressors[i].name);
		}
		drop(&packed);
	}
	drop(&dump);
}

#ifdef HAVE_ZSTD

/* A window of 256 MiB claimed by nine bytes. */
Test(source, zstd_window)
{
	static unsigned char claim[] = "\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00";
	struct result result =
		check_ways((struct bytes){ claim, 9, 0 }, "window");

	cr_assert(result.status == HPROF_E_LIMIT, "%d", result.status);
	cr_assert(result.bytes.size == 0);
	result_drop(&result);
}

#endif

/* ---- layers -------------------------------------------------------------- */

Test(source, layers)
{
	struct bytes dump = make_dump(50000);
	struct bytes packed = { NULL, 0, 0 };
	static const char *const names[] = { "plain", "gzip", "gzip in gzip",
					     "gzip in gzip in gzip",
					     "gzip in gzip in gzip in gzip" };

	add(&packed, dump.at, dump.size);
	for (int i = 0; i <= 5; i++) {
		struct result result = check_ways(packed, "layers");
		struct bytes more = make_gzip(packed, 6);

		if (i <= 4) {
			cr_assert(same(result.bytes, dump));
			cr_assert_str_eq(result.container, names[i]);
		} else {
			cr_assert(result.status == HPROF_E_LIMIT);
		}
		result_drop(&result);
		drop(&packed);
		packed = more;
	}
	drop(&packed);
	drop(&dump);
}

/* ---- archives ------------------------------------------------------------ */

struct archive_case {
	const char *format;
	int compressor; /* or -1 */
	const char *container;
	bool random; /* can be looked through before a member is chosen */
};

static const struct archive_case archives[] = {
	{ "zip", -1, "zip", true },	     { "tar", -1, "tar", true },
	{ "tar", 0, "tar in zstd", false },  { "tar", 1, "tar in xz", false },
	{ "tar", 2, "tar in bzip2", false }, { "tar", 3, "tar in lz4", false },
	{ "tar", 5, "tar in gzip", false },  { "zip", 5, "zip in gzip", false },
};
#define ARCHIVES (sizeof(archives) / sizeof(archives[0]))

static struct bytes make_case(const struct archive_case *c,
			      const struct file *files, size_t count)
{
	const struct compressor *with =
		c->compressor < 0 ? NULL : &compressors[c->compressor];

	return make_archive(c->format, with, files, count);
}

static struct bytes text_bytes(const char *text)
{
	return (struct bytes){ (unsigned char *)(uintptr_t)text, strlen(text),
			       0 };
}

Test(source, archive_one, .timeout = 120)
{
	struct bytes dump = make_dump(500000);
	struct file files[] = { { "readme", text_bytes("hello") },
				{ "dir/a.bin", dump },
				{ "empty", { NULL, 0, 0 } } };

	for (size_t i = 0; i < ARCHIVES; i++) {
		struct bytes packed = make_case(&archives[i], files, 3);
		struct result result;

		if (packed.size == 0)
			continue;
		check_good(packed, dump, archives[i].container);
		result = simple(packed);
		cr_assert_str_eq(result.member, "dir/a.bin");
		result_drop(&result);
		drop(&packed);
	}
	drop(&dump);
}

Test(source, archive_several, .timeout = 120)
{
	struct bytes dump = make_dump(50000);
	struct bytes second = make_dump(40000);
	struct file files[] = { { "one", dump },
				{ "other", text_bytes("hello") },
				{ "two\n", second } };

	for (size_t i = 0; i < 2 * ARCHIVES; i++) {
		const struct archive_case *c = &archives[i / 2];
		struct way way = { .stream = i % 2,
				   .threads = 1 + i % 2,
				   .room = 9999 };
		struct bytes packed = make_case(c, files, 3);
		struct result result;

		if (packed.size == 0)
			continue;
		result = open_and_read(packed, NULL, &way);
		if (c->random && !way.stream) {
			cr_assert(result.status == HPROF_E_AMBIGUOUS);
			cr_assert(strstr(result.error.text, "one, two\\x0a") !=
					  NULL,
				  "%s", result.error.text);
		} else {
			cr_assert(same(result.bytes, dump), "%s", c->container);
			cr_assert_str_eq(result.warning_code,
					 "several-members");
		}
		result_drop(&result);
		result = open_and_read(packed, "two\n", &way);
		cr_assert(same(result.bytes, second), "%s", c->container);
		cr_assert_str_eq(result.member, "two\\x0a");
		cr_assert_str_eq(result.warning_code, "");
		result_drop(&result);
		result = open_and_read(packed, "three", &way);
		cr_assert(result.status == HPROF_E_USAGE);
		cr_assert(strstr(result.error.text, "one, other, two") != NULL);
		drop(&packed);
	}
	drop(&second);
	drop(&dump);
}

Test(source, archive_many_names)
{
	struct bytes dump = make_dump(100);
	struct file files[100];
	char names[100][64];
	struct bytes packed;
	struct result result;

	for (int i = 0; i < 100; i++) {
		snprintf(names[i], sizeof(names[i]), "directory/dump-%d", i);
		files[i] = (struct file){ names[i], dump };
	}
	packed = make_archive("tar", NULL, files, 100);
	result = simple(packed);
	cr_assert(result.status == HPROF_E_AMBIGUOUS);
	cr_assert(strstr(result.error.text, "100 dumps") != NULL);
	cr_assert(strstr(result.error.text, "dump-7, ") != NULL);
	cr_assert_str_eq(result.error.text + strlen(result.error.text) - 3,
			 "...");
	drop(&packed);
	drop(&dump);
}

Test(source, archive_none)
{
	struct file files[] = { { "one", text_bytes("hello") },
				{ "two", text_bytes("\x1f\x8b\x08 cut") } };

	for (size_t i = 0; i < ARCHIVES; i++) {
		struct bytes packed = make_case(&archives[i], files, 2);

		if (packed.size == 0)
			continue;
		for (size_t w = 0; w < WAYS; w++) {
			struct result result =
				open_and_read(packed, NULL, &ways[w]);

			cr_assert(result.status == HPROF_E_FORMAT, "%s: %d %s",
				  archives[i].container, result.status,
				  result.error.text);
		}
		drop(&packed);
	}
}

Test(source, archive_of_compressed)
{
	struct bytes dump = make_dump(2500000);
	struct bytes packed = make_hotspot(dump, 1 << 20, 0);
	struct file files[] = { { "readme", text_bytes("hello") },
				{ "a.gz", packed } };
	struct bytes zip = make_archive("zip", NULL, files, 2);
	struct bytes tar = make_archive("tar", &compressors[5], files, 2);
	struct file outer[] = { { "inner.tar.gz", tar } };
	struct bytes both = make_archive("zip", NULL, outer, 1);

	check_good(zip, dump, "gzip (HotSpot) in zip");
	check_good(tar, dump, "gzip (HotSpot) in tar in gzip");
	check_good(both, dump, "gzip (HotSpot) in tar in gzip in zip");
	drop(&both);
	drop(&tar);
	drop(&zip);
	drop(&packed);
	drop(&dump);
}

Test(source, member_without_archive)
{
	struct bytes dump = make_dump(1000);
	struct bytes packed = make_gzip(dump, 6);
	struct bytes inputs[] = { dump, packed };

	for (size_t i = 0; i < 2 * WAYS; i++) {
		struct result result =
			open_and_read(inputs[i % 2], "member", &ways[i / 2]);

		cr_assert(result.status == HPROF_E_USAGE);
	}
	drop(&packed);
	drop(&dump);
}

/* Whatever is cut off, the data comes first. */
Test(source, archive_cut, .timeout = 300)
{
	struct bytes dump = make_dump(300000);
	struct file files[] = { { "readme", text_bytes("hello") },
				{ "a", dump } };

	for (size_t i = 0; i < ARCHIVES; i++) {
		struct bytes packed = make_case(&archives[i], files, 2);

		for (size_t size = 1000; size < packed.size;
		     size += packed.size / 20) {
			struct result result =
				simple((struct bytes){ packed.at, size, 0 });

			cr_assert(result.bytes.size == dump.size ||
					  result.status == HPROF_E_TRUNCATED,
				  "%s, %zu: %d %s", archives[i].container, size,
				  result.status, result.error.text);
			cr_assert(is_start(result.bytes, dump));
			cr_assert(i != 1 || size < 4000 ||
				  result.bytes.size + 4096 > size);
			result_drop(&result);
		}
		drop(&packed);
	}
	drop(&dump);
}

Test(source, archive_changed, .timeout = 300)
{
	struct bytes dump = make_dump(30000);
	struct file files[] = { { "readme", text_bytes("hello") },
				{ "a", dump } };

	for (size_t i = 0; i < 2; i++) {
		struct bytes packed = make_case(&archives[i], files, 2);

		for (size_t at = 0; at < packed.size;
		     at += at < 2000 ? 1 : 97) {
			packed.at[at] ^= 0x55;
			for (size_t w = 0; w < 2; w++) {
				struct result result =
					open_and_read(packed, NULL, &ways[w]);

				cr_assert(result.bytes.size <=
					  packed.size + 70000);
				result_drop(&result);
			}
			packed.at[at] ^= 0x55;
		}
		drop(&packed);
	}
	drop(&dump);
}

/* ---- reading ahead ------------------------------------------------------- */

static int64_t read_for_ever(void *user, void *buffer, size_t room)
{
	(void)user;
	memset(buffer, 'x', room);
	return (int64_t)room;
}

Test(source, ahead_closed_early)
{
	for (int i = 0; i < 50; i++) {
		struct hp_source *source;
		char buffer[100];
		size_t n;

		hp_source_callback(read_for_ever, NULL, &source, NULL);
		cr_assert(hp_source_ahead(source, &source, NULL) == HPROF_OK);
		if (i % 2 == 1)
			source->ops->read(source, buffer, 100, &n);
		hp_source_close(source);
	}
}

Test(source, parallel_closed_early)
{
	struct bytes dump = make_dump(9000000);
	struct bytes packed = make_hotspot(dump, 300000, 0);

	for (int i = 0; i < 30; i++) {
		struct hp_source *source;
		char buffer[100];
		size_t n;

		hp_source_memory(packed.at, packed.size, &source, NULL);
		cr_assert(hp_source_open(source, NULL, 1 + (unsigned)i % 5,
					 &source, NULL) == HPROF_OK);
		if (i % 2 == 1)
			source->ops->read(source, buffer, 100, &n);
		hp_source_close(source);
	}
	drop(&packed);
	drop(&dump);
}

/* ---- no memory ----------------------------------------------------------- */

/* The Nth allocation fails, for all N: good bytes, and E_NOMEM if not all. */
static void check_memory(struct bytes in, struct bytes dump, const char *name)
{
	for (size_t w = 0; w < WAYS; w++) {
		bool failed = true;

		for (int64_t n = 0; failed && n < 200; n++) {
			struct result result;

			hp_mem_fail_after(n);
			result = open_and_read(in, NULL, &ways[w]);
			hp_mem_fail_after(-1);
			failed = result.status != HPROF_END;
			cr_assert(!failed || result.status == HPROF_E_NOMEM,
				  "%s, way %zu, %d: %d %s", name, w, (int)n,
				  result.status, result.error.text);
			cr_assert(is_start(result.bytes, dump));
			cr_assert(failed || same(result.bytes, dump));
			result_drop(&result);
		}
		cr_assert(!failed, "%s", name);
	}
}

Test(source, no_memory, .timeout = 300)
{
	struct bytes dump = make_dump(2500000);
	struct bytes less = { dump.at, 200000, 0 };
	struct file file = { "a", dump };
	struct bytes packed;

	check_memory(dump, dump, "plain");
	packed = make_hotspot(dump, 500000, 0);
	check_memory(packed, dump, "many");
	drop(&packed);
	packed = make_archive("zip", NULL, &file, 1);
	check_memory(packed, dump, "zip");
	drop(&packed);
	for (size_t i = 0; i < COMPRESSORS; i++) {
		packed = pack(less, &compressors[i]);
		if (packed.size > 0)
			check_memory(packed, less, compressors[i].name);
		drop(&packed);
	}
	drop(&dump);
}
