/* SPDX-License-Identifier: MIT */
/*
 * fail_if.c - see fail_if.h. The parser has one character of look-ahead, no
 * recursion, no memory of its own, and does not depend on the locale.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tools/diff/fail_if.h"

struct parser {
	const char *text;
	size_t at;
	struct fail_if_error *error;
};

static bool fail(struct parser *p, size_t column, const char *text)
{
	*p->error = (struct fail_if_error){ column, text };
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void skip_blanks(struct parser *p)
{
	while (is_blank(p->text[p->at]))
		p->at++;
}

/* Takes the next word, and skips the blanks that follow it. */
static size_t take_word(struct parser *p, const char **ret)
{
	size_t size = 0;

	*ret = p->text + p->at;
	while (is_letter((*ret)[size]))
		size++;
	p->at += size;
	skip_blanks(p);
	return size;
}

/* The index of a word in LIST, which ends with NULL; -1: it is not in it. */
static int find_word(const char *word, size_t size, const char *const *list)
{
	for (int i = 0; list[i]; i++)
		if (strlen(list[i]) == size && !memcmp(list[i], word, size))
			return i;
	return -1;
}

static const char *const measures[] = { "instances", "bytes", "retained",
					NULL };

static bool take_measure(struct parser *p, enum fail_if_measure *ret)
{
	size_t start = p->at;
	const char *word;
	size_t size = take_word(p, &word);
	int found = find_word(word, size, measures);

	if (found < 0)
		return fail(p, start,
			    "instances, bytes or retained is expected here");
	*ret = (enum fail_if_measure)found;
	return true;
}

/* ---- names --------------------------------------------------------------- */

/* Takes a pattern, which ends at the next blank or is in double quotes. */
static bool take_glob(struct parser *p, struct fail_if *ret)
{
	bool quoted = p->text[p->at] == '"';
	size_t start = p->at + quoted, end = start;

	while (p->text[end] &&
	       (quoted ? p->text[end] != '"' : !is_blank(p->text[end])))
		end++;
	if (end == start)
		return fail(p, start, "a name is expected here");
	if (quoted && !p->text[end])
		return fail(p, p->at, "this quote is not closed");
	ret->glob = p->text + start;
	ret->glob_size = end - start;
	p->at = end + quoted;
	skip_blanks(p);
	return true;
}

/* Takes "(GLOB)", up to the matching bracket. */
static bool take_argument(struct parser *p, struct fail_if *ret)
{
	size_t open = p->at++, end;

	skip_blanks(p);
	if (p->text[p->at] == '"') {
		if (!take_glob(p, ret))
			return false;
	} else {
		size_t start = p->at;

		end = start + strcspn(p->text + start, ")");
		p->at = end;
		while (end > start && is_blank(p->text[end - 1]))
			end--;
		if (end == start)
			return fail(p, start, "a name is expected here");
		ret->glob = p->text + start;
		ret->glob_size = end - start;
	}
	if (p->text[p->at] != ')')
		return fail(p, open, "this bracket is not closed");
	p->at++;
	skip_blanks(p);
	return true;
}

/* ---- limits -------------------------------------------------------------- */

static bool take_operator(struct parser *p, enum fail_if_operator *ret)
{
	char c = p->text[p->at], next = c ? p->text[p->at + 1] : 0;

	if (c == '>')
		*ret = next == '=' ? FAIL_IF_GREATER_EQUAL : FAIL_IF_GREATER;
	else if (c == '<')
		*ret = next == '=' ? FAIL_IF_LESS_EQUAL : FAIL_IF_LESS;
	else if (c == '=' && next == '=')
		*ret = FAIL_IF_EQUAL;
	else if (c == '!' && next == '=')
		*ret = FAIL_IF_UNEQUAL;
	else
		return fail(p, p->at,
			    "one of > >= < <= == != is expected here");
	p->at += next == '=' ? 2 : 1;
	skip_blanks(p);
	return true;
}

static bool take_number(struct parser *p, double *ret)
{
	double value = 0, digit = 1;
	size_t start = p->at;

	if (!is_digit(p->text[p->at]))
		return fail(p, p->at, "a number is expected here");
	for (; is_digit(p->text[p->at]); p->at++)
		value = value * 10 + (p->text[p->at] - '0');
	if (p->text[p->at] == '.' && is_digit(p->text[p->at + 1]))
		for (p->at++; is_digit(p->text[p->at]); p->at++)
			value += (digit /= 10) * (p->text[p->at] - '0');
	if (value > 1e18)
		return fail(p, start, "this number is too large");
	*ret = value;
	return true;
}

/* Powers of 1024 for bytes, powers of 1000 for instances. */
static double unit_value(char unit, enum fail_if_measure measure)
{
	static const char units[] = "KMGT";
	double step = measure == FAIL_IF_INSTANCES ? 1000 : 1024, value = 1;
	const char *found = unit ? strchr(units, unit) : NULL;

	for (const char *u = units; found && u <= found; u++)
		value *= step;
	return found ? value : 0;
}

static bool take_unit(struct parser *p, struct fail_if_condition *to)
{
	char unit = p->text[p->at];
	double value;

	if (unit == '%') {
		if (!to->is_change)
			return fail(p, p->at,
				    "a percentage is one of the change, and "
				    "needs a sign, as +10%");
		to->is_percent = true;
		p->at++;
		return true;
	}
	if (!is_letter(unit))
		return true;
	value = unit_value(unit, to->measure);
	if (value == 0 || is_letter(p->text[p->at + 1]))
		return fail(p, p->at, "K, M, G, T or % may stand here");
	to->limit *= value;
	p->at++;
	return true;
}

static bool take_limit(struct parser *p, struct fail_if_condition *to)
{
	size_t start = p->at;
	char sign = p->text[p->at];

	to->is_change = sign == '+' || sign == '-';
	p->at += to->is_change;
	if (!take_number(p, &to->limit) || !take_unit(p, to))
		return false;
	if (sign == '-')
		to->limit = -to->limit;
	to->text = p->text + start;
	to->size = p->at - start;
	if (p->text[p->at] && !is_blank(p->text[p->at]))
		return fail(p, p->at, "nothing may follow the number here");
	skip_blanks(p);
	return true;
}

/* ---- expressions --------------------------------------------------------- */

/* Takes operator and limit for the measure that was read. */
static bool take_rest(struct parser *p, struct fail_if_condition *to)
{
	return take_operator(p, &to->operator) && take_limit(p, to);
}

static bool take_conditions(struct parser *p, struct fail_if *ret)
{
	for (;;) {
		struct fail_if_condition *to;
		size_t start = p->at, size;
		const char *word;

		if (ret->condition_count == FAIL_IF_CONDITIONS)
			return fail(p, p->at, "these are too many conditions");
		to = &ret->conditions[ret->condition_count];
		if (!take_measure(p, &to->measure))
			return false;
		if (ret->subject == FAIL_IF_TOTAL &&
		    to->measure == FAIL_IF_RETAINED)
			return fail(p, start,
				    "what is retained overlaps, and has no "
				    "total");
		if (ret->subject == FAIL_IF_SUPER &&
		    to->measure == FAIL_IF_RETAINED)
			return fail(p, start,
				    "what superclasses retain is not known");
		if (!take_rest(p, to))
			return false;
		ret->condition_count++;
		start = p->at;
		if (!p->text[p->at])
			return true;
		size = take_word(p, &word);
		if (size != 3 || memcmp(word, "and", 3) != 0)
			return fail(p, start, "only 'and' may follow here");
	}
}

/* Takes the rest of "retained(GLOB) > 50M". */
static bool take_call(struct parser *p, enum fail_if_measure measure,
		      struct fail_if *ret)
{
	ret->subject = FAIL_IF_CLASS;
	ret->is_sum = true;
	ret->condition_count = 1;
	ret->conditions[0].measure = measure;
	if (!take_argument(p, ret) || !take_rest(p, &ret->conditions[0]))
		return false;
	return !p->text[p->at] ||
	       fail(p, p->at, "nothing may follow the limit of a sum");
}

static bool take_expression(struct parser *p, struct fail_if *ret)
{
	static const char *const subjects[] = { "class",  "package", "super",
						"loader", "total",   NULL };
	size_t start = p->at;
	const char *word;
	size_t size = take_word(p, &word);
	int subject = find_word(word, size, subjects);
	int measure = find_word(word, size, measures);

	ret->subject = FAIL_IF_TOTAL;
	if (measure >= 0 && p->text[p->at] == '(')
		return take_call(p, (enum fail_if_measure)measure, ret);
	if (measure >= 0) {
		p->at = start;
		return take_conditions(p, ret);
	}
	if (subject < 0)
		return fail(p, start,
			    "class, package, super, loader, total, instances, "
			    "bytes or retained is expected here");
	ret->subject = (enum fail_if_subject)subject;
	if (ret->subject != FAIL_IF_TOTAL && !take_glob(p, ret))
		return false;
	return take_conditions(p, ret);
}

bool fail_if_parse(const char *text, struct fail_if *ret,
		   struct fail_if_error *ret_error)
{
	struct parser parser = { .text = text, .error = ret_error };
	struct fail_if expression = { .text = text };

	skip_blanks(&parser);
	if (!take_expression(&parser, &expression))
		return false;
	*ret = expression;
	return true;
}

bool fail_if_needs_retained(const struct fail_if *expression)
{
	for (size_t i = 0; i < expression->condition_count; i++)
		if (expression->conditions[i].measure == FAIL_IF_RETAINED)
			return true;
	return false;
}

/* Any growth from 0 is more than any percentage. */
static double percent(double before, double after)
{
	if (before > 0)
		return (after - before) * 100 / before;
	return after > 0 ? HUGE_VAL : 0;
}

bool fail_if_holds(const struct fail_if_condition *condition, double before,
		   double after)
{
	double limit = condition->limit, value = after;

	if (condition->is_percent)
		value = percent(before, after);
	else if (condition->is_change)
		value = after - before;
	switch (condition->operator) {
	case FAIL_IF_GREATER:
		return value > limit;
	case FAIL_IF_GREATER_EQUAL:
		return value >= limit;
	case FAIL_IF_LESS:
		return value < limit;
	case FAIL_IF_LESS_EQUAL:
		return value <= limit;
	case FAIL_IF_EQUAL:
		return value >= limit && value <= limit;
	case FAIL_IF_UNEQUAL:
		return value < limit || value > limit;
	}
	return false;
}
