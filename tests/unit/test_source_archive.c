/* SPDX-License-Identifier: MIT */
/*
 * test_source_archive.c - which member of an archive is read, and what comes of
 * archives that are cut or changed.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sourcing.h"

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

Test(source_archive, one, .timeout = 1800)
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
		result = read_simply(packed);
		cr_assert_str_eq(result.member, "dir/a.bin");
		result_drop(&result);
		bytes_drop(&packed);
	}
	bytes_drop(&dump);
}

Test(source_archive, several, .timeout = 1800)
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
			cr_assert(bytes_same(result.bytes, dump), "%s",
				  c->container);
			cr_assert_str_eq(result.warning_code,
					 "several-members");
		}
		result_drop(&result);
		result = open_and_read(packed, "two\n", &way);
		cr_assert(bytes_same(result.bytes, second), "%s", c->container);
		cr_assert_str_eq(result.member, "two\\x0a");
		cr_assert_str_eq(result.warning_code, "");
		result_drop(&result);
		result = open_and_read(packed, "three", &way);
		cr_assert(result.status == HPROF_E_USAGE);
		cr_assert(strstr(result.error.text, "one, other, two") != NULL);
		bytes_drop(&packed);
	}
	bytes_drop(&second);
	bytes_drop(&dump);
}

Test(source_archive, many_names)
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
	result = read_simply(packed);
	cr_assert(result.status == HPROF_E_AMBIGUOUS);
	cr_assert(strstr(result.error.text, "100 dumps") != NULL);
	cr_assert(strstr(result.error.text, "dump-7, ") != NULL);
	cr_assert_str_eq(result.error.text + strlen(result.error.text) - 3,
			 "...");
	bytes_drop(&packed);
	bytes_drop(&dump);
}

Test(source_archive, none)
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
		bytes_drop(&packed);
	}
}

Test(source_archive, of_compressed)
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
	bytes_drop(&both);
	bytes_drop(&tar);
	bytes_drop(&zip);
	bytes_drop(&packed);
	bytes_drop(&dump);
}

Test(source_archive, member_without_archive)
{
	struct bytes dump = make_dump(1000);
	struct bytes packed = make_gzip(dump, 6);
	struct bytes inputs[] = { dump, packed };

	for (size_t i = 0; i < 2 * WAYS; i++) {
		struct result result =
			open_and_read(inputs[i % 2], "member", &ways[i / 2]);

		cr_assert(result.status == HPROF_E_USAGE);
	}
	bytes_drop(&packed);
	bytes_drop(&dump);
}

/* Wherever it is cut, the data before that is returned first. */
Test(source_archive, cut, .timeout = 1800)
{
	struct bytes dump = make_dump(300000);
	struct file files[] = { { "readme", text_bytes("hello") },
				{ "a", dump } };

	for (size_t i = 0; i < ARCHIVES; i++) {
		struct bytes packed = make_case(&archives[i], files, 2);

		for (size_t size = 1000; size < packed.size;
		     size += packed.size / 20) {
			struct bytes cut = { packed.at, size, 0 };
			struct result result = read_simply(cut);

			cr_assert(result.bytes.size == dump.size ||
					  result.status == HPROF_E_TRUNCATED,
				  "%s, %zu: %d %s", archives[i].container, size,
				  result.status, result.error.text);
			cr_assert(bytes_start(result.bytes, dump));
			cr_assert(i != 1 || size < 4000 ||
				  result.bytes.size + 4096 > size);
			result_drop(&result);
		}
		bytes_drop(&packed);
	}
	bytes_drop(&dump);
}

Test(source_archive, changed, .timeout = 1800)
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
		bytes_drop(&packed);
	}
	bytes_drop(&dump);
}
