/* SPDX-License-Identifier: MIT */
/*
 * thresholds.c - see thresholds.h.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/common/escape.h"
#include "tools/diff/thresholds.h"
#include "tools/common/glob.h"
#include "tools/common/describe.h"
#include "tools/common/units.h"

/* How many rows a sentence names. */
#define NAMED 5

/* ---- parsing ------------------------------------------------------------- */

/* Prints the expression on a line of its own and a mark below the fault. */
static void wrong(const char *text, const struct fail_if_error *error)
{
	char *before = describe_format("%.*s", (int)error->column, text);
	size_t column = 1; /* in characters */

	cli_message("--fail-if: %s", text);
	cli_message("--fail-if: %*s^",
		    (int)escape_width(before, strlen(before)), "");
	free(before);
	for (const char *p = text; p < text + error->column; p++)
		column += (*p & 0xC0) != 0x80;
	cli_usage_error("option '--fail-if': column %zu: %s", column,
			error->text);
}

static char *glob_of(const struct fail_if *expression)
{
	return describe_format("%.*s", (int)expression->glob_size,
			       expression->glob);
}

static void list_patterns(struct thresholds *thresholds)
{
	thresholds->patterns =
		cli_calloc(thresholds->count, sizeof(thresholds->patterns[0]));
	for (size_t i = 0; i < thresholds->count; i++) {
		const struct fail_if *expression = &thresholds->expressions[i];

		thresholds->verdicts[i].pattern = SIZE_MAX;
		if (!expression->is_sum || !fail_if_needs_retained(expression))
			continue;
		thresholds->verdicts[i].pattern = thresholds->pattern_count;
		thresholds->patterns[thresholds->pattern_count++] =
			glob_of(expression);
	}
}

void thresholds_make(struct thresholds *thresholds,
		     const struct cli_list *expressions)
{
	struct fail_if_error error;

	*thresholds = (struct thresholds){ .count = expressions->count };
	thresholds->expressions = cli_calloc(
		thresholds->count, sizeof(thresholds->expressions[0]));
	thresholds->verdicts =
		cli_calloc(thresholds->count, sizeof(thresholds->verdicts[0]));
	for (size_t i = 0; i < thresholds->count; i++) {
		const char *text = expressions->items[i];

		if (!fail_if_parse(text, &thresholds->expressions[i], &error))
			wrong(text, &error);
		thresholds->verdicts[i].expression =
			&thresholds->expressions[i];
	}
	list_patterns(thresholds);
}

void thresholds_done(struct thresholds *thresholds)
{
	for (size_t i = 0; i < thresholds->count; i++)
		free(thresholds->verdicts[i].sentence);
	for (size_t i = 0; i < thresholds->pattern_count; i++)
		free(thresholds->patterns[i]);
	free(thresholds->patterns);
	free(thresholds->verdicts);
	free(thresholds->expressions);
}

bool thresholds_needs(const struct thresholds *thresholds,
		      enum fail_if_subject subject)
{
	for (size_t i = 0; i < thresholds->count; i++)
		if (thresholds->expressions[i].subject == subject)
			return true;
	return false;
}

bool thresholds_needs_retained(const struct thresholds *thresholds)
{
	for (size_t i = 0; i < thresholds->count; i++)
		if (fail_if_needs_retained(&thresholds->expressions[i]))
			return true;
	return false;
}

bool thresholds_needs_sizes(const struct thresholds *thresholds)
{
	for (size_t i = 0; i < thresholds->count; i++) {
		const struct fail_if *expression = &thresholds->expressions[i];

		for (size_t k = 0; k < expression->condition_count; k++)
			if (expression->conditions[k].measure !=
			    FAIL_IF_INSTANCES)
				return true;
	}
	return false;
}

/* ---- sentences ----------------------------------------------------------- */

static void append(char **sentence, const char *separator, char *text)
{
	char *whole = *sentence ? describe_format("%s%s%s", *sentence,
						  separator, text)
				: cli_strdup(text);

	free(*sentence);
	free(text);
	*sentence = whole;
}

/* For example "12 instances, 10 before: +2, +20.0% (limit > +1)". */
static char *say_condition(const struct fail_if_condition *condition,
			   const struct hprof_diff_cell *before,
			   const struct hprof_diff_cell *after)
{
	static const char *const operators[] = { ">",  ">=", "<",
						 "<=", "==", "!=" };
	static const char *const words[] = { "instances", "bytes",
					     "bytes retained" };
	uint64_t from = before->values[condition->measure];
	uint64_t to = after->values[condition->measure];
	char was[UNITS_MAX], is[UNITS_MAX], change[UNITS_MAX];
	char growth[UNITS_MAX];

	return describe_format("%s %s, %s before: %s, %s (limit %s %.*s)",
			    units_count(to, is), words[condition->measure],
			    units_count(from, was),
			    units_change(from, to, change),
			    units_growth(from, to, growth),
			    operators[condition->operator],
			    (int)condition->size, condition->text);
}

static void say_failure(struct verdict *verdict, const char *name,
			const struct hprof_diff_cell *before,
			const struct hprof_diff_cell *after)
{
	const struct fail_if *expression = verdict->expression;
	char *text = NULL;

	verdict->failed = true;
	if (verdict->rows++ >= NAMED)
		return;
	for (size_t i = 0; i < expression->condition_count; i++)
		append(&text, " and ",
		       say_condition(&expression->conditions[i], before,
				     after));
	append(&verdict->sentence, "; ", describe_format("%s: %s", name, text));
	free(text);
}

/* ---- judging ------------------------------------------------------------- */

static bool holds(const struct fail_if *expression,
		  const struct hprof_diff_cell *before,
		  const struct hprof_diff_cell *after)
{
	for (size_t i = 0; i < expression->condition_count; i++) {
		const struct fail_if_condition *condition =
			&expression->conditions[i];
		enum fail_if_measure measure = condition->measure;

		if (!fail_if_holds(condition, (double)before->values[measure],
				   (double)after->values[measure]))
			return false;
	}
	return true;
}

static void add_cell(struct hprof_diff_cell *to,
		     const struct hprof_diff_cell *cell)
{
	to->items += cell->items;
	for (unsigned m = 0; m < HPROF_DIFF_MEASURES; m++)
		to->values[m] += cell->values[m];
}

static char *row_name(const struct fail_if *expression,
		      const struct hprof_diff_row *row)
{
	static const char *const words[] = { "class", "package", "superclass",
					     "loader" };

	if (row->loader)
		return describe_format("class %s (loader %s)", row->name,
				       row->loader);
	return describe_format("%s %s", words[expression->subject], row->name);
}

static void check_rows(const struct thresholds *thresholds,
		       struct verdict *verdict, const char *glob,
		       const struct hprof_diff_table *table)
{
	const struct fail_if *expression = verdict->expression;
	struct hprof_diff_cell before = { 0 }, after = { 0 };
	size_t last = table->side_count - 1;

	verdict->unmatched = true;
	for (size_t i = 0; i < table->count; i++) {
		const struct hprof_diff_row *row = &table->rows[i];

		if (!glob_matches(glob, row->name))
			continue;
		verdict->unmatched = false;
		add_cell(&before, &row->cells[0]);
		add_cell(&after, &row->cells[last]);
		if (!expression->is_sum &&
		    holds(expression, &row->cells[0], &row->cells[last])) {
			char *name = row_name(expression, row);

			say_failure(verdict, name, &row->cells[0],
				    &row->cells[last]);
			free(name);
		}
	}
	/* Retained sets of classes overlap, so they are not added up. */
	if (verdict->pattern != SIZE_MAX) {
		before.values[HPROF_DIFF_RETAINED] =
			thresholds->pattern_retained[0][verdict->pattern];
		after.values[HPROF_DIFF_RETAINED] =
			thresholds->pattern_retained[1][verdict->pattern];
	}
	if (expression->is_sum && holds(expression, &before, &after))
		say_failure(verdict, glob, &before, &after);
}

static void check(const struct thresholds *thresholds, struct verdict *verdict,
		  const struct hprof_diff_table *table)
{
	const struct fail_if *expression = verdict->expression;
	const struct hprof_diff_cell *before = &table->totals[0];
	const struct hprof_diff_cell *after =
		&table->totals[table->side_count - 1];
	char *glob;

	if (expression->subject == FAIL_IF_TOTAL) {
		if (holds(expression, before, after))
			say_failure(verdict, "total", before, after);
		return;
	}
	glob = glob_of(expression);
	check_rows(thresholds, verdict, glob, table);
	free(glob);
	if (verdict->rows > NAMED) {
		char count[UNITS_MAX];

		append(&verdict->sentence, "; ",
		       describe_format(
			       "and %s more",
			       units_count(verdict->rows - NAMED, count)));
	}
}

void thresholds_check(struct thresholds *thresholds,
		      enum fail_if_subject subject,
		      const struct hprof_diff_table *table)
{
	for (size_t i = 0; i < thresholds->count; i++) {
		if (thresholds->expressions[i].subject != subject)
			continue;
		check(thresholds, &thresholds->verdicts[i], table);
		thresholds->failed =
			thresholds->failed || thresholds->verdicts[i].failed;
	}
}
