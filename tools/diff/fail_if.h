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

/* In the order of enum group_by, then what has no table of its own. */
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
	bool is_change;	 /* the limit has a sign */
	bool is_percent; /* then it is one of the change, too */
	double limit;	 /* with its sign */
	/* The limit as it was written. */
	const char *text;
	size_t size;
};

#define FAIL_IF_CONDITIONS 8

struct fail_if {
	const char *text; /* the expression; borrowed */
	enum fail_if_subject subject;
	bool is_sum;	  /* of all that fit; else each of them counts */
	const char *glob; /* in the text; NULL: total */
	size_t glob_size;
	size_t condition_count;
	struct fail_if_condition conditions[FAIL_IF_CONDITIONS];
};

struct fail_if_error {
	size_t column; /* of the byte where it goes wrong, the first is 0 */
	const char *text;
};

/* False: *RET_ERROR says why. */
bool fail_if_parse(const char *text, struct fail_if *ret,
		   struct fail_if_error *ret_error);

bool fail_if_needs_retained(const struct fail_if *expression);

/* What a condition says of a value that was BEFORE and is AFTER. */
bool fail_if_holds(const struct fail_if_condition *condition, double before,
		   double after);

#endif
