/* SPDX-License-Identifier: MIT */
/*
 * checking.c - see checking.h.
 */
#include "checking.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "../inputs.h"
#include "maker.h"

const char *check_dump_path(void)
{
	static char path[64];

	snprintf(path, sizeof path, "test_check.%ld.hprof", (long)getpid());
	return path;
}

struct hprof_check_result *check_path(const char *path, unsigned readers)
{
	struct hprof_check_options options = { .size = sizeof options,
					       .readers = readers };
	struct hprof_check_result *result = NULL;
	struct hprof_error error = { 0 };

	hprof_check(INPUT_PATH(path), &options, &result, &error);
	return result;
}

struct hprof_check_result *check_bytes(const void *bytes, size_t size,
				       unsigned readers)
{
	struct hprof_check_result *result;

	maker_file(check_dump_path(), bytes, size);
	result = check_path(check_dump_path(), readers);
	unlink(check_dump_path());
	return result;
}

struct hprof_check_result *check_fixture(const char *name, unsigned readers)
{
	struct fixture f = fixture_load(name);
	struct hprof_check_result *result =
		check_bytes(f.bytes, f.size, readers);

	fixture_free(&f);
	return result;
}

struct hprof_check_result *check_piped(const void *bytes, size_t size,
				       unsigned readers)
{
	const struct hprof_check_options options = { .size = sizeof options,
						     .readers = readers };
	struct hprof_check_result *result = NULL;
	int ends[2];

	cr_assert(pipe(ends) == 0);
	cr_assert(write(ends[1], bytes, size) == (ssize_t)size);
	close(ends[1]);
	hprof_check(
		INPUT(.kind = HPROF_INPUT_FD, .fd = ends[0], .no_copy = true),
		&options, &result, NULL);
	close(ends[0]);
	return result;
}

void search_code(void *user, const struct hprof_diagnostic *d)
{
	struct code_search *s = user;

	if (strcmp(d->code, s->code) != 0)
		return;
	s->in_text = s->in_text || (s->text && strstr(d->text, s->text));
	s->hits += d->severity == s->severity && d->offset == s->offset;
}

uint64_t code_count(const struct hprof_check_result *result, const char *code)
{
	for (size_t i = 0; i < result->code_count; i++)
		if (strcmp(result->codes[i].code, code) == 0)
			return result->codes[i].count;
	return 0;
}

const struct hprof_check_code *code_named(const char *name)
{
	const struct hprof_check_code *code;

	for (unsigned i = 0; (code = hprof_check_code(i)); i++)
		if (strcmp(code->code, name) == 0)
			return code;
	return NULL;
}
