/* SPDX-License-Identifier: MIT */
/*
 * known_classes.h - which classes a dump has, and what LOAD_CLASS says of each.
 *
 * Users of this may keep more for each class: then struct hp_known_class is the
 * first member of their own struct; see class_chain.h.
 */
#ifndef HP_KNOWN_CLASSES_H
#define HP_KNOWN_CLASSES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/u64_map.h"
#include "hprof/record.h"

struct hp_known_class {
	uint64_t id, name_id;
	void *next;	 /* the next class in order of appearance */
	uint32_t number; /* 0, 1, 2 ... in order of appearance */
	uint32_t serial; /* the first one it was loaded under */
	bool loaded;	 /* has a LOAD_CLASS; else only the id is known */
};

struct hp_known_classes {
	struct hp_u64_map by_id;
	struct hp_u64_map serials; /* every serial of each class */
	struct hp_arena arena;
	size_t item_size;
	size_t count;
	void *first; /* in order of appearance */
	struct hp_known_class *last;
};

/*
 * ITEM_SIZE: size of the struct that begins with struct hp_known_class.
 * QUARTERS: how full the table of ids may become, as in u64_map.h. Fails only
 * with HPROF_E_NOMEM. A failed or zeroed one may be freed.
 */
enum hprof_status hp_known_classes_init(struct hp_known_classes *c,
					size_t item_size, unsigned quarters);
void hp_known_classes_done(struct hp_known_classes *c);

/* The class with ID; NULL if no record has named it yet. */
static inline void *hp_known_classes_get(const struct hp_known_classes *c,
					 uint64_t id)
{
	return hp_u64_map_get(&c->by_id, id);
}

/*
 * The same, but creates it if necessary, zeroed except for the id; NULL without
 * memory.
 */
void *hp_known_classes_add(struct hp_known_classes *c, uint64_t id);

/*
 * Records a LOAD_CLASS. If there are several for one class, the first gives the
 * name, and the others only add serials (Q20). Returns the class, or NULL
 * without memory.
 */
void *hp_known_classes_load(struct hp_known_classes *c,
			    const struct hprof_load_class *load);

/* NULL unless the class has a LOAD_CLASS. */
const struct hp_known_class *
hp_known_classes_loaded(const struct hp_known_classes *c, uint64_t id);
/* The same by serial; 0 is no serial. */
const struct hp_known_class *
hp_known_classes_serial(const struct hp_known_classes *c, uint32_t serial);

#endif
