/* SPDX-License-Identifier: MIT */
/*
 * class_chain.h - classes and their superclasses while a dump streams by.
 *
 * In a stream CLASS_DUMPs come in any order, so a chain of superclasses may end
 * at a class that is not known yet, and continue once it is. The length of a
 * chain is limited only by the file, it may be cyclic, and it may be queried
 * for each of its classes. So no part of a chain is walked twice: every class
 * that a walk passes gets a shortcut to its end, and the sum of the fields in
 * between. All walks together take time that is linear in the number of
 * classes, and none is longer than that number.
 *
 * The classes themselves are in a struct hp_known_classes, whose items must
 * begin with a struct hp_class_link.
 */
#ifndef HP_CLASS_CHAIN_H
#define HP_CLASS_CHAIN_H

#include "model/known_classes.h"

/* Bytes of the fields of primitive types, number of references, and of both. */
struct hp_field_sum {
	uint64_t bytes, refs, fields;
};

struct hp_class_link {
	struct hp_known_class known; /* first: see known_classes.h */
	uint64_t super_id;
	struct hp_class_link *super; /* NULL: none */
	struct hp_field_sum own;
	uint32_t field_count;
	bool dumped; /* has a CLASS_DUMP; else only the id is known */
	/* Private to class_chain.c: shortcuts, at first to the superclass. */
	bool ring;
	uint64_t epoch;		   /* when the shortcuts were made */
	uint64_t walk;		   /* the last one that passed */
	struct hp_class_link *end; /* NULL: the chain is complete */
	struct hp_field_sum sum;   /* of this class and those before END */
	struct hp_class_link
		*level; /* no fields between this class and that one */
};

struct hp_class_chains {
	struct hp_known_classes *classes; /* the caller's */
	uint64_t walks;
	uint64_t epoch; /* of shortcuts that are still valid */
	bool walked;	/* in this epoch */
};

void hp_class_chains_init(struct hp_class_chains *c,
			  struct hp_known_classes *classes);

/*
 * Records the superclass and the fields of a CLASS_DUMP of LINK; the superclass
 * is added to the classes. Of several CLASS_DUMPs of a class the last one
 * counts. Fails with HPROF_E_NOMEM, or with HPROF_E_LIMIT: nothing is changed
 * then, since classes were dumped again too often behind what had been asked
 * about them.
 */
enum hprof_status hp_class_chains_dump(struct hp_class_chains *c,
				       struct hp_class_link *link,
				       const struct hprof_record *record,
				       unsigned id_size);

enum hp_chain_end {
	HP_CHAIN_WHOLE, /* it ends at a class without superclass */
	HP_CHAIN_OPEN,	/* a class has no CLASS_DUMP so far */
	HP_CHAIN_RING	/* the superclasses form a cycle */
};

/* Sums up the fields of LINK and its superclasses, as far as they are known. */
enum hp_chain_end hp_class_chain_sum(struct hp_class_chains *c,
				     struct hp_class_link *link,
				     struct hp_field_sum *ret_sum);

/*
 * The next superclass of LINK that has fields, or one without CLASS_DUMP if
 * that comes first; NULL if there is none. In a cycle this never ends;
 * hp_class_chain_sum tells whether there is one.
 */
struct hp_class_link *hp_class_chain_level(struct hp_class_chains *c,
					   struct hp_class_link *link);

/*
 * Visits every class from LINK on once, even in a cycle:
 *
 *	walk = hp_class_walk_begin(c);
 *	for (k = link; hp_class_walk_enters(walk, k); k = k->super)
 */
uint64_t hp_class_walk_begin(struct hp_class_chains *c);
static inline bool hp_class_walk_enters(uint64_t walk,
					struct hp_class_link *link)
{
	if (!link || link->walk == walk)
		return false;
	link->walk = walk;
	return true;
}

/*
 * Finds each cycle once, when called for all classes in turn with the SINCE
 * that hp_class_walk_begin returned before the first of them. Returns the class
 * at which a cycle closes that no walk has passed since, or NULL. No other walk
 * may take place in between.
 */
struct hp_class_link *hp_class_chain_new_ring(struct hp_class_chains *c,
					      uint64_t since,
					      struct hp_class_link *link);

#endif
