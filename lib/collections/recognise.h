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

/* The inner collections that are followed, at most. */
enum { HP_WRAPPERS_MOST = 8 };

#endif
