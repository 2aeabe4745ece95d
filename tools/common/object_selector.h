/* SPDX-License-Identifier: MIT */
/*
 * object_selector.h - the object or class that a user names on the command
 * line.
 */
#ifndef TOOLS_OBJECT_SELECTOR_H
#define TOOLS_OBJECT_SELECTOR_H

#include <stdbool.h>

#include <hprof.h>

struct object_selector {
	uint64_t object; /* HPROF_NO_OBJECT: a class was named */
	size_t *rows;	 /* all classes of that name, or that match */
	size_t row_count;
	const char
		*pattern; /* rows have several names that match it; or NULL */
};

/*
 * TEXT is an identifier, "@0x7f0010" or decimal, with anything before the "@"
 * (the programs print "java.util.HashMap@0x7f0010"). Or it is the name of a
 * class, which may lack its package if that is not ambiguous, or a pattern
 * as for glob_matches. Returns false after a message if the dump has no such object or class, or
 * unless SEVERAL, if classes of different names match. The caller calls
 * object_selector_done in either case.
 */
bool object_selector_find(struct object_selector *selector,
			  const struct hprof_heap *heap, const char *text,
			  bool several);
void object_selector_done(struct object_selector *selector);

#endif
