/* SPDX-License-Identifier: MIT */
/*
 * test_fail_if.c - the expressions of hprof-diff --fail-if.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tools/diff/fail_if.h"

static struct fail_if parse(const char *text)
{
	struct fail_if expression;
	struct fail_if_error error;

	cr_assert(fail_if_parse(text, &expression, &error), "%s: %zu: %s", text,
		  error.column, error.text);
	return expression;
}

static void expect_glob(const struct fail_if *expression, const char *glob)
{
	cr_assert(expression->glob != NULL, "%s", expression->text);
	cr_expect(expression->glob_size == strlen(glob) &&
			  !memcmp(expression->glob, glob, strlen(glob)),
		  "%s", expression->text);
}

Test(fail_if, subjects)
{
	static const struct {
		const char *text;
		enum fail_if_subject subject;
		bool is_sum;
		const char *glob;
	} cases[] = {
		{ "bytes > 1", FAIL_IF_TOTAL, false, NULL },
		{ " total  instances>1 ", FAIL_IF_TOTAL, false, NULL },
		{ "class a.B bytes > 1", FAIL_IF_CLASS, false, "a.B" },
		{ "class\tint[]\tbytes > 1", FAIL_IF_CLASS, false, "int[]" },
		{ "class \"a b\" bytes > 1", FAIL_IF_CLASS, false, "a b" },
		{ "class bytes bytes > 1", FAIL_IF_CLASS, false, "bytes" },
		{ "package a.* bytes > 1", FAIL_IF_PACKAGE, false, "a.*" },
		{ "super * bytes > 1", FAIL_IF_SUPER, false, "*" },
		{ "loader <boot> retained > 1", FAIL_IF_LOADER, false,
		  "<boot>" },
		{ "retained(a.B)>1", FAIL_IF_CLASS, true, "a.B" },
		{ "bytes( a B ) > 1", FAIL_IF_CLASS, true, "a B" },
		{ "instances ( \"a)\" ) > 1", FAIL_IF_CLASS, true, "a)" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fail_if expression = parse(cases[i].text);

		cr_expect_eq(expression.subject, cases[i].subject, "%s",
			     cases[i].text);
		cr_expect_eq(expression.is_sum, cases[i].is_sum, "%s",
			     cases[i].text);
		cr_expect_eq(expression.condition_count, 1, "%s",
			     cases[i].text);
		if (cases[i].glob)
			expect_glob(&expression, cases[i].glob);
		else
			cr_expect(!expression.glob, "%s", cases[i].text);
	}
}

Test(fail_if, limits)
{
	static const struct {
		const char *text;
		bool change, percent;
		double limit;
		const char *written;
	} cases[] = {
		{ "bytes > 12", false, false, 12, "12" },
		{ "bytes > 2K", false, false, 2048, "2K" },
		{ "bytes > 1.5M", false, false, 1.5 * 1048576, "1.5M" },
		{ "bytes > 1G", false, false, 1073741824, "1G" },
		{ "bytes > 1T", false, false, 1099511627776, "1T" },
		{ "instances > 2K", false, false, 2000, "2K" },
		{ "instances > 3M", false, false, 3e6, "3M" },
		{ "bytes > +10%", true, true, 10, "+10%" },
		{ "bytes < -12.5%", true, true, -12.5, "-12.5%" },
		{ "bytes > +0", true, false, 0, "+0" },
		{ "bytes > -3K ", true, false, -3072, "-3K" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fail_if expression = parse(cases[i].text);
		const struct fail_if_condition *condition =
			&expression.conditions[0];

		cr_expect_eq(condition->is_change, cases[i].change, "%s",
			     cases[i].text);
		cr_expect_eq(condition->is_percent, cases[i].percent, "%s",
			     cases[i].text);
		cr_expect(condition->limit >= cases[i].limit &&
				  condition->limit <= cases[i].limit,
			  "%s: %f", cases[i].text, condition->limit);
		cr_expect(condition->size == strlen(cases[i].written) &&
				  !memcmp(condition->text, cases[i].written,
					  condition->size),
			  "%s", cases[i].text);
	}
}

Test(fail_if, several_conditions)
{
	struct fail_if expression =
		parse("class * bytes > +1M and instances >= +5 and retained "
		      "!= 7");

	cr_expect_eq(expression.condition_count, 3);
	cr_expect_eq(expression.conditions[1].measure, FAIL_IF_INSTANCES);
	cr_expect_eq(expression.conditions[1].operator, FAIL_IF_GREATER_EQUAL);
	cr_expect_eq(expression.conditions[2].operator, FAIL_IF_UNEQUAL);
	cr_expect(fail_if_needs_retained(&expression));
	expression = parse("bytes > 1");
	cr_expect(!fail_if_needs_retained(&expression));
}

Test(fail_if, holds)
{
	static const struct {
		const char *text;
		double before, after;
		bool holds;
	} cases[] = {
		{ "bytes > 10", 0, 11, true },
		{ "bytes > 10", 99, 10, false },
		{ "bytes >= 10", 99, 10, true },
		{ "bytes < 10", 0, 9, true },
		{ "bytes <= 10", 0, 10, true },
		{ "bytes <= 10", 0, 11, false },
		{ "bytes == 10", 3, 10, true },
		{ "bytes != 10", 3, 10, false },
		{ "bytes != 10", 3, 11, true },
		{ "bytes > +10", 5, 16, true },
		{ "bytes > +10", 5, 15, false },
		{ "bytes < -10", 20, 9, true },
		{ "bytes < -10", 20, 10, false },
		{ "bytes > -10", 20, 11, true },
		{ "bytes > +10%", 100, 111, true },
		{ "bytes > +10%", 100, 110, false },
		{ "bytes > +100000%", 0, 1, true },
		{ "bytes > +0%", 0, 0, false },
		{ "bytes < -50%", 100, 49, true },
		{ "bytes < -50%", 0, 49, false },
		{ "bytes == +0", 5, 5, true },
		{ "bytes != +0", 5, 6, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fail_if expression = parse(cases[i].text);

		cr_expect_eq(fail_if_holds(&expression.conditions[0],
					   cases[i].before, cases[i].after),
			     cases[i].holds, "%s from %g to %g", cases[i].text,
			     cases[i].before, cases[i].after);
	}
}

/* A mark shows where each expression is wrong. */
Test(fail_if, errors)
{
	static const char *const cases[][2] = {
		{ "", "^" },
		{ "  byte > 1", "  ^" },
		{ "bytes", "     ^" },
		{ "bytes > ", "        ^" },
		{ "bytes > 5%", "         ^" },
		{ "bytes > 5 x", "          ^" },
		{ "bytes > 5x", "         ^" },
		{ "class a. > 5", "         ^" },
		{ "class \"a bytes", "      ^" },
		{ "total retained > 5", "      ^" },
		{ "retained(a > 5", "        ^" },
		{ "retained(a) > 5 and bytes > 1", "                ^" },
		{ "bytes > 1 and", "             ^" },
		{ "bytes > 99999999999999999999", "        ^" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fail_if expression = { .text = "untouched" };
		struct fail_if_error error;

		cr_expect(!fail_if_parse(cases[i][0], &expression, &error),
			  "%s", cases[i][0]);
		cr_expect_str_eq(expression.text, "untouched");
		cr_expect_eq(error.column, strlen(cases[i][1]) - 1, "%s: %zu",
			     cases[i][0], error.column);
		cr_expect(error.text && *error.text);
	}
}
