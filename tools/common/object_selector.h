/* SPDX-License-Identifier: MIT */
/*
 * object_selector.h - what a person names: an object by its identifier, or a
 * class.
 */
#ifndef TOOLS_OBJECT_SELECTOR_H
#define TOOLS_OBJECT_SELECTOR_H

#include <stdbool.h>

#include <hprof.h>

struct object_selector {
	uint64_t object; /* HPROF_NO_OBJECT: a class is meant */
	size_t *rows;	 /* all classes of that name */
	size_t row_count;
};

/*
 * TEXT is "@0x7f0010" (or decimal), with anything before the @ as in what the
 * programs print; or the name of a class, whole or, if only one class is
 * called so, without its package. False after a message: there is no such
 * thing in the dump. Done with object_selector_done in any case.
 */
bool object_selector_find(struct object_selector *selector,
			  const struct hprof_heap *heap, const char *text);
void object_selector_done(struct object_selector *selector);

#endif
