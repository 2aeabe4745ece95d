/* SPDX-License-Identifier: MIT */
/*
 * fuzz_fail_if.c - expressions of hprof-diff --fail-if: whatever the text, what
 * was parsed lies in it, and errors point into it.
 */
#include <stdlib.h>
#include <string.h>

#include "target.h"
#include "tools/diff/fail_if.h"

static void check(bool good)
{
	if (!good)
		abort();
}

static void check_condition(const struct fail_if_condition *condition,
			    const char *text, size_t size)
{
	static const double values[] = { 0, 1, 1e6, 18446744073709551615.0 };

	check(condition->text >= text &&
	      condition->text + condition->size <= text + size);
	check(condition->measure <= FAIL_IF_RETAINED);
	check(condition->operator<= FAIL_IF_UNEQUAL);
	check(condition->is_change || !condition->is_percent);
	check(condition->is_change || condition->limit >= 0);
	check(condition->limit > -1e31 && condition->limit < 1e31);
	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < 4; k++)
			fail_if_holds(condition, values[i], values[k]);
}

static void check_expression(const struct fail_if *expression, const char *text,
			     size_t size)
{
	check(expression->text == text);
	check((expression->glob == NULL) ==
	      (expression->subject == FAIL_IF_TOTAL));
	if (expression->glob)
		check(expression->glob_size > 0 && expression->glob >= text &&
		      expression->glob + expression->glob_size <= text + size);
	check(expression->condition_count > 0 &&
	      expression->condition_count <= FAIL_IF_CONDITIONS);
	check(!expression->is_sum || expression->condition_count == 1);
	for (size_t i = 0; i < expression->condition_count; i++)
		check_condition(&expression->conditions[i], text, size);
	fail_if_needs_retained(expression);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text = malloc(size + 1);
	struct fail_if_error error = { SIZE_MAX, NULL };
	struct fail_if expression;

	check(text != NULL);
	memcpy(text, bytes, size);
	text[size] = '\0';
	size = strlen(text);
	if (fail_if_parse(text, &expression, &error))
		check_expression(&expression, text, size);
	else
		check(error.column <= size && error.text && *error.text);
	free(text);
	return 0;
}
