/* SPDX-License-Identifier: MIT */
/*
 * test_options.c - option structs of older and newer programs.
 */
#include <criterion/criterion.h>

#include "base/options.h"
#include "hprof/error.h"

struct options {
	size_t size;
	int first, second;
};

/* What a program built with a later version might have. */
struct newer {
	struct options known;
	int third, fourth;
};

Test(options, none_given)
{
	struct options got = { .size = 1, .first = 2, .second = 3 };

	cr_assert(hp_options_take(NULL, &got, sizeof got));
	cr_assert_eq(got.size, 0);
	cr_assert_eq(got.first, 0);
	cr_assert_eq(got.second, 0);
}

Test(options, older_program)
{
	struct options given = { .first = 2, .second = 3 };
	struct options got;

	given.size = offsetof(struct options, second);
	cr_assert(hp_options_take(&given, &got, sizeof got));
	cr_assert_eq(got.first, 2);
	cr_assert_eq(got.second, 0, "what is behind its size is not its own");
}

Test(options, newer_program)
{
	struct newer given = { .known = { sizeof given, 2, 3 } };
	struct options got;

	cr_assert(hp_options_take(&given, &got, sizeof got));
	cr_assert_eq(got.first, 2);
	cr_assert_eq(got.second, 3);
	given.fourth = 1;
	cr_assert_not(hp_options_take(&given, &got, sizeof got));
	given.fourth = 0;
	given.third = 1 << 24;
	cr_assert_not(hp_options_take(&given, &got, sizeof got));
}

Test(options, reserved)
{
	struct {
		size_t size;
		int first;
		unsigned char reserved[4];
	} given, got;

	memset(&given, 0, sizeof given);
	given.size = sizeof given;
	cr_assert(HP_OPTIONS_TAKE(&given, &got));
	given.reserved[3] = 1;
	cr_assert_not(HP_OPTIONS_TAKE(&given, &got));
}

/* Of a result, too, the program has what it knows, and the rest is zero. */
Test(options, results)
{
	const struct options result = { 99, 2, 3 };
	struct newer newer;
	struct options older;

	memset(&newer, 0xa5, sizeof newer);
	newer.known.size = sizeof newer;
	hp_result_put(&newer, &result, sizeof result);
	cr_assert_eq(newer.known.size, sizeof newer);
	cr_assert_eq(newer.known.first, 2);
	cr_assert_eq(newer.known.second, 3);
	cr_assert(newer.third == 0 && newer.fourth == 0);

	memset(&older, 0xa5, sizeof older);
	older.size = offsetof(struct options, second);
	hp_result_put(&older, &result, sizeof result);
	cr_assert_eq(older.first, 2);
	cr_assert_neq(older.second, 3, "is not its own");
	hp_result_put(NULL, &result, sizeof result);
}

Test(options, result_without_size)
{
	size_t size = 0;

	cr_assert(hp_result_is_good(NULL));
	cr_assert_not(hp_result_is_good(&size));
	size = (size_t)-1;
	cr_assert_not(hp_result_is_good(&size));
	size = sizeof size;
	cr_assert(hp_result_is_good(&size));
}

Test(options, impossible_size)
{
	struct options given = { 0 }, got;

	for (given.size = 0; given.size < sizeof given.size; given.size++)
		cr_assert_not(hp_options_take(&given, &got, sizeof got));
	/* Never set: it must not be looked at. */
	given.size = (size_t)-1;
	cr_assert_not(hp_options_take(&given, &got, sizeof got));
}

Test(options, version)
{
	cr_assert_str_eq(hprof_version(), HPROF_VERSION_TEXT);
	cr_assert_eq(hprof_version_number(), HPROF_VERSION_NUMBER);
	cr_assert_lt(HPROF_VERSION_AT(0, 9, 999), HPROF_VERSION_AT(0, 10, 0));
	cr_assert_lt(HPROF_VERSION_AT(0, 999, 0), HPROF_VERSION_AT(1, 0, 0));
}
