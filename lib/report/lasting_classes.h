/* SPDX-License-Identifier: MIT */
/*
 * lasting_classes.h - classes that live as long as the JVM, since their loaders
 * are its own. What leads to such a class says nothing about who uses its
 * statics: the list of its loader, the thread that it is the context of.
 */
#ifndef HP_LASTING_CLASSES_H
#define HP_LASTING_CLASSES_H

#include "graph/object_kind.h"
#include "report/object_info.h"

struct hp_lasting_classes {
	bool *lasts;   /* each row of the summary */
	bool *loaders; /* each row: its instances are such loaders */
	size_t count;
};

/* What people call loaders of that class if they are the JVM's own, or NULL. */
const char *hp_own_loader_name(const char *class_name);

/* Fails only with HPROF_E_NOMEM; to be freed in any case. */
enum hprof_status hp_lasting_classes_init(struct hp_lasting_classes *lasting,
					  const struct hp_look *look);
void hp_lasting_classes_done(struct hp_lasting_classes *lasting);

static inline bool
hp_lasting_classes_has(const struct hp_lasting_classes *lasting, size_t row)
{
	return row < lasting->count && lasting->lasts[row];
}

/* Whether objects of KIND are such class objects. */
static inline bool
hp_lasting_classes_is(const struct hp_lasting_classes *lasting, uint32_t kind)
{
	return hp_kind_is_class(kind) &&
	       hp_lasting_classes_has(lasting, hp_kind_row(kind));
}

/* Whether objects of KIND are their loaders. */
static inline bool
hp_lasting_classes_are_of(const struct hp_lasting_classes *lasting,
			  uint32_t kind)
{
	return !hp_kind_is_class(kind) && hp_kind_row(kind) < lasting->count &&
	       lasting->loaders[hp_kind_row(kind)];
}

#endif
