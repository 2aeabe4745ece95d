/* SPDX-License-Identifier: MIT */
/*
 * recognise.h - finds the form of a class.
 */
#ifndef HP_RECOGNISE_H
#define HP_RECOGNISE_H

#include "collections/forms.h"

struct hp_recognised {
	const struct hp_form *form;
	size_t known_row; /* the class of the form, or a superclass's row */
};

/* False: instances of the class at ROW are no collections that we know. */
bool hp_recognise(const struct hprof_heap *heap, size_t row,
		  struct hp_recognised *ret);

/*
 * The same for one class of many: KNOWN, of all rows, is 0 at first, and has what is
 * known of the classes that were met. Each is a superclass of up to 64 others.
 */
bool hp_recognise_known(const struct hprof_heap *heap, size_t row,
			uint16_t *known, struct hp_recognised *ret);

/* The inner collections that are followed, at most. */
enum { HP_WRAPPERS_MOST = 8 };

#endif
