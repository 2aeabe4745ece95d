/* SPDX-License-Identifier: MIT */
/*
 * converting.c - see converting.h.
 */
#include "converting.h"

#include <criterion/criterion.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../inputs.h"
#include "maker.h"

void put_input(const char *name)
{
	struct fixture f = fixture_load(name);

	unlink("in");
	maker_file("in", f.bytes, f.size);
	fixture_free(&f);
}

struct hprof_convert_result
converted(const struct hprof_convert_options *options)
{
	struct hprof_convert_result result = RESULT;
	struct hprof_error error = { 0 };
	struct stat info;

	unlink("out");
	cr_assert_eq(hprof_convert(INPUT_PATH("in"), "out", -1, NULL, options,
				   &result, &error),
		     HPROF_OK, "%s", error.text);
	cr_assert(!exists("out.part"));
	cr_assert_eq(stat("out", &info), 0);
	cr_assert_eq(result.bytes, (uint64_t)info.st_size);
	return result;
}

struct hprof_header header_of(const char *path)
{
	struct hprof_reader *reader;
	struct hprof_header header;

	cr_assert_eq(hprof_reader_open(INPUT_PATH(path), NULL, &reader, NULL),
		     HPROF_OK);
	header = *hprof_reader_header(reader);
	hprof_reader_close(reader);
	return header;
}
