/* SPDX-License-Identifier: MIT */
/*
 * fail_if.h - what must not happen between two dumps, as an expression.
 *
 *	expression = [ subject ] condition { "and" condition }
 *	           | measure "(" glob ")" operator limit
 *	subject    = "total" | ( "class" | "package" | "super" | "loader" ) glob
 *	condition  = measure operator limit
 *	measure    = "instances" | "bytes" | "retained"
 *	operator   = ">" | ">=" | "<" | "<=" | "==" | "!="
 *	limit      = [ "+" | "-" ] number [ unit | "%" ]
 *	unit       = "K" | "M" | "G" | "T"
 *
 * A limit with a sign is one of the change, else of the value in the last
 * dump. The parser touches nothing but the text.
 */
#ifndef TOOLS_FAIL_IF_H
#define TOOLS_FAIL_IF_H

#include <stdbool.h>
#include <stddef.h>

/*
 * In the order of enum rollup_by, followed by those without a table of their
 * own.
 */
enum fail_if_subject {
	FAIL_IF_CLASS,
	FAIL_IF_PACKAGE,
	FAIL_IF_SUPER,
	FAIL_IF_LOADER,
	FAIL_IF_TOTAL
};

/* In the order of enum hprof_diff_measure. */
enum fail_if_measure { FAIL_IF_INSTANCES, FAIL_IF_BYTES, FAIL_IF_RETAINED };

enum fail_if_operator {
	FAIL_IF_GREATER,
	FAIL_IF_GREATER_EQUAL,
	FAIL_IF_LESS,
	FAIL_IF_LESS_EQUAL,
	FAIL_IF_EQUAL,
	FAIL_IF_UNEQUAL
};

struct fail_if_condition {
	enum fail_if_measure measure;
	enum fail_if_operator operator;
	bool is_change;	 /* the limit has a sign: it is for the change */
	bool is_percent; /* the limit is a percentage; then is_change is true */
	double limit;	 /* including its sign */
	/* The limit as the user wrote it. */
	const char *text;
	size_t size;
};

#define FAIL_IF_CONDITIONS 8

struct fail_if {
	const char *text; /* the expression, owned by the caller */
	enum fail_if_subject subject;
	/* the sum of all rows that match is judged; else each row */
	bool is_sum;
	const char *glob; /* points into text; NULL: total */
	size_t glob_size;
	size_t condition_count;
	struct fail_if_condition conditions[FAIL_IF_CONDITIONS];
};

struct fail_if_error {
	size_t column; /* index of the byte at which it is wrong, from 0 */
	const char *text;
};

/* Returns false and the reason in *RET_ERROR if the expression is wrong. */
bool fail_if_parse(const char *text, struct fail_if *ret,
		   struct fail_if_error *ret_error);

bool fail_if_needs_retained(const struct fail_if *expression);

/* Whether the condition holds for a value that was BEFORE and is AFTER. */
bool fail_if_holds(const struct fail_if_condition *condition, double before,
		   double after);

#endif
