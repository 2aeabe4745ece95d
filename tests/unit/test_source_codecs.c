/* SPDX-License-Identifier: MIT */
/*
 * test_source_codecs.c - the other compressors, held against themselves: what
 * a cut file yields is the start of the whole.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "sourcing.h"

Test(source_codecs, good, .timeout = 1800)
{
	struct bytes dump = make_dump(700000);

	for (size_t i = 0; i < COMPRESSORS; i++) {
		struct bytes packed = pack(dump, &compressors[i]);

		if (packed.size > 0)
			check_good(packed, dump, compressors[i].name);
		bytes_drop(&packed);
	}
	bytes_drop(&dump);
}

/* Two streams in a row, with zeros between them where these are padding. */
Test(source_codecs, in_a_row)
{
	struct bytes dump = make_dump(300000);
	struct bytes half = { dump.at, 100000, 0 };
	struct bytes other = { dump.at + 100000, 200000, 0 };

	for (size_t i = 0; i < 3; i++) {
		struct bytes packed = pack(half, &compressors[i]);
		struct bytes second = pack(other, &compressors[i]);

		if (packed.size > 0) {
			bytes_add(&packed, "\0\0\0\0", i == 1 ? 4 : 0);
			bytes_add(&packed, second.at, second.size);
			check_good(packed, dump, compressors[i].name);
		}
		bytes_drop(&second);
		bytes_drop(&packed);
	}
	bytes_drop(&dump);
}

Test(source_codecs, with_garbage)
{
	struct bytes dump = make_dump(300000);

	for (size_t i = 0; i < 3; i++) {
		struct bytes packed = pack(dump, &compressors[i]);
		struct result result;

		if (packed.size == 0)
			continue;
		bytes_add(&packed, "garbage", 7);
		result = check_ways(packed, compressors[i].name);
		cr_assert(bytes_start(result.bytes, dump));
#if defined(HAVE_ZSTD) && defined(HAVE_LZMA) && defined(HAVE_BZIP2)
		cr_assert(bytes_same(result.bytes, dump), "%s",
			  compressors[i].name);
		cr_assert_str_eq(result.warning_code, "trailing-garbage");
#endif
		result_drop(&result);
		bytes_drop(&packed);
	}
	bytes_drop(&dump);
}

/*
 * Cut and damaged: the start of the whole, never more, and of cut ones not
 * much less than the part of the file.
 */
static void check_cut(struct bytes packed, struct bytes dump, const char *name)
{
	size_t step = sweep_step(packed.size / 15, 3);

	for (size_t size = 16; size < packed.size; size += step) {
		struct bytes cut = { packed.at, size, 0 };
		struct result result = check_ways(cut, name);

		cr_assert(result.status == HPROF_E_TRUNCATED, "%s, %zu: %d %s",
			  name, size, result.status, result.error.text);
		cr_assert(bytes_start(result.bytes, dump), "%s, %zu", name,
			  size);
		result_drop(&result);
	}
}

/* How much of a bad block comes out may depend on the room. */
static void check_changed(struct bytes packed, struct bytes dump,
			  const char *name)
{
	size_t step = sweep_step(packed.size / 15, 3);

	for (size_t at = 16; at < packed.size; at += step) {
		struct result first, other;
		struct bytes less;

		packed.at[at] ^= 0x40;
		first = read_simply(packed);
		cr_assert(first.bytes.size <= 2 * dump.size);
		for (size_t w = 1; w < WAYS; w++) {
			other = open_and_read(packed, NULL, &ways[w]);
			less = first.bytes;
			if (less.size > other.bytes.size)
				less.size = other.bytes.size;
			cr_assert(other.status == first.status,
				  "%s, %zu, way %zu: %d, %d", name, at, w,
				  other.status, first.status);
			cr_assert(bytes_start(less, other.bytes));
			result_drop(&other);
		}
		result_drop(&first);
		packed.at[at] ^= 0x40;
	}
}

Test(source_codecs, damaged, .timeout = 1800)
{
	struct bytes dump = make_dump(400000);

	for (size_t i = 0; i < 3; i++) {
		struct bytes packed = pack(dump, &compressors[i]);

		if (packed.size > 0) {
			check_cut(packed, dump, compressors[i].name);
			check_changed(packed, dump, compressors[i].name);
		}
		bytes_drop(&packed);
	}
	bytes_drop(&dump);
}

#ifdef HAVE_ZSTD

/* A window of 256 MiB claimed by nine bytes. */
Test(source_codecs, zstd_window)
{
	static unsigned char claim[] = "\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00";
	struct result result =
		check_ways((struct bytes){ claim, 9, 0 }, "window");

	cr_assert(result.status == HPROF_E_LIMIT, "%d", result.status);
	cr_assert(result.bytes.size == 0);
	result_drop(&result);
}

#endif
