/* SPDX-License-Identifier: MIT */
/*
 * test_source_gzip.c - gzip, good and bad. The reference is zlib, told to go
 * as far as it can.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "fixture.h"
#include "sourcing.h"

/* ---- gzip, good ---------------------------------------------------------- */

Test(source_gzip, headers)
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
		bytes_drop(&packed);
	}
	bytes_drop(&dump);
}

Test(source_gzip, members)
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
		bytes_drop(&plain);
		bytes_drop(&first);
		bytes_drop(&later);
	}
	bytes_drop(&big);
}

/* Members that hold nothing, and what is between and behind members. */
Test(source_gzip, between)
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
		bytes_add(&packed, between[i].bytes, between[i].size);
		result = check_ways(packed, "between");
		cr_assert(result.status == HPROF_END &&
			  result.error.status >= 0);
		cr_assert(bytes_same(result.bytes, dump));
		cr_assert_str_eq(result.warning_code, between[i].warning);
		if (between[i].warning[0] != '\0')
			cr_assert(strstr(result.warning, place) != NULL, "%s",
				  result.warning);
		result_drop(&result);
		bytes_drop(&packed);
	}
	bytes_drop(&dump);
}

Test(source_gzip, zeros_between)
{
	struct bytes dump = make_dump(2000);
	struct bytes packed = { NULL, 0, 0 };
	struct gzip how = { .level = 6 };
	static const char zeros[600000];

	add_gzip(&packed, dump.at, 500, &how);
	bytes_add(&packed, zeros, 700);
	add_gzip(&packed, dump.at + 500, 500, &how);
	bytes_add(&packed, zeros, sizeof(zeros));
	add_gzip(&packed, dump.at + 1000, 1000, &how);
	bytes_add(&packed, zeros, sizeof(zeros));
	check_good(packed, dump, "gzip");
	bytes_drop(&packed);
	bytes_drop(&dump);
}

/* The pattern of a header in stored data must not mislead the cutting. */
Test(source_gzip, false_headers)
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
	bytes_drop(&packed);
	bytes_drop(&dump);
}

/* ---- gzip, bad ----------------------------------------------------------- */

/* The bytes that zlib gets; the status is ours. */
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
			  ? bytes_start(expected.bytes, result.bytes)
			  : bytes_same(expected.bytes, result.bytes),
		  "%s: %zu bytes of %zu", text, result.bytes.size,
		  expected.bytes.size);
	cr_assert(result.status == expected.status, "%s: %d of %d", text,
		  result.status, expected.status);
	cr_assert(result.error.status >= 0 ||
		  result.error.offset == result.bytes.size);
	result_drop(&result);
	result_drop(&expected);
}

Test(source_gzip, cut_everywhere, .timeout = 1800)
{
	struct bytes dump = make_dump(2000);
	struct bytes one = make_gzip(dump, 6);
	struct bytes many = make_hotspot(dump, 700, 0);

	for (size_t size = 3; size < one.size; size++)
		check_damaged((struct bytes){ one.at, size, 0 }, "cut", size);
	for (size_t size = 3; size < many.size; size++)
		check_damaged((struct bytes){ many.at, size, 0 }, "cut", size);
	bytes_drop(&many);
	bytes_drop(&one);
	bytes_drop(&dump);
}

/* Long enough that the marks in the ISA-L part have to work. */
Test(source_gzip, cut_long, .timeout = 1800)
{
	struct bytes dump = make_dump(6000000);
	struct bytes one = make_gzip(dump, 1);
	struct bytes many = make_hotspot(dump, 1 << 20, 0);

	for (size_t size = 50001; size < one.size; size += sweep_step(70009, 3))
		check_damaged((struct bytes){ one.at, size, 0 }, "cut", size);
	for (size_t size = 50001; size < many.size;
	     size += sweep_step(150017, 3))
		check_damaged((struct bytes){ many.at, size, 0 }, "cut", size);
	bytes_drop(&many);
	bytes_drop(&one);
	bytes_drop(&dump);
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

Test(source_gzip, flipped, .timeout = 1800)
{
	struct bytes dump = make_dump(4000000);
	struct bytes small = { dump.at, 2000, 0 };
	struct bytes one = make_gzip(small, 6);
	struct bytes long_one = make_gzip(dump, 6);
	struct bytes many = make_hotspot(dump, 1 << 20, SIZE_MAX);

	check_flips(one, 1);
	check_flips(long_one, sweep_step(60011, 3));
	check_flips(many, sweep_step(90013, 3));
	bytes_drop(&many);
	bytes_drop(&long_one);
	bytes_drop(&one);
	bytes_drop(&dump);
}

Test(source_gzip, bad_trailer)
{
	struct bytes dump = make_dump(9000);

	for (size_t back = 1; back <= 8; back++) {
		struct bytes packed = make_gzip(dump, 6);
		struct result result;

		packed.at[packed.size - back] ^= 0x10;
		result = check_ways(packed, "trailer");
		cr_assert(result.status == HPROF_E_CORRUPT);
		cr_assert(bytes_same(result.bytes, dump));
		cr_assert(strstr(result.error.text, "checksum") != NULL);
		result_drop(&result);
		bytes_drop(&packed);
	}
	bytes_drop(&dump);
}

Test(source_gzip, unknown_flags)
{
	struct bytes dump = make_dump(100);
	struct bytes packed = make_gzip(dump, 6);
	struct result result;

	packed.at[3] |= 0x20;
	result = check_ways(packed, "flags");
	cr_assert(result.status == HPROF_E_CORRUPT && result.bytes.size == 0);
	result_drop(&result);
	bytes_drop(&packed);
	bytes_drop(&dump);
}
