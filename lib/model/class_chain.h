/* SPDX-License-Identifier: MIT */
/*
 * class_chain.h - classes and their superclasses while a dump streams by.
 *
 * From a pipe CLASS_DUMPs come in any order, so a chain of superclasses may
 * end at a class that is not known yet, and goes on from there once it is. A
 * chain may be as long as the file likes, may lead back to itself, and may be
 * asked about for each of its classes. So no part of a chain is walked twice:
 * every class that a walk passes gets a shortcut to the end of it, and the sum
 * of the fields in between. All walks together take time that is linear in
 * the number of classes, and none is longer than that number.
 *
 * The classes themselves are in a struct hp_known_classes, whose items begin
 * with struct hp_class_link here.
 */
#ifndef HP_CLASS_CHAIN_H
#define HP_CLASS_CHAIN_H

#include "model/known_classes.h"

/* Bytes of fields of primitive types, how many references, and of both. */
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
	/* Of class_chain.c: shortcuts, which begin as the superclass. */
	bool ring;
	uint64_t epoch;		     /* in which they were made */
	uint64_t walk;		     /* the last one that came by */
	struct hp_class_link *end;   /* NULL: the chain is whole */
	struct hp_field_sum sum;     /* from here to below END */
	struct hp_class_link *level; /* no fields between here and that */
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
 * Takes in the superclass and the fields of a CLASS_DUMP of LINK; its
 * superclass is added. Of several CLASS_DUMPs of a class the last one counts.
 * Fails with HPROF_E_NOMEM, or with HPROF_E_LIMIT: nothing is changed then,
 * since classes were dumped again too often behind what had been asked about
 * them.
 */
enum hprof_status hp_class_chains_dump(struct hp_class_chains *c,
				       struct hp_class_link *link,
				       const struct hprof_record *record,
				       unsigned id_size);

enum hp_chain_end {
	HP_CHAIN_WHOLE, /* down to a class without superclass */
	HP_CHAIN_OPEN,	/* a class has no CLASS_DUMP, as yet */
	HP_CHAIN_RING	/* superclasses lead back to one of them */
};

/* Sums up the fields of LINK and of its superclasses, as far as known. */
enum hp_chain_end hp_class_chain_sum(struct hp_class_chains *c,
				     struct hp_class_link *link,
				     struct hp_field_sum *ret_sum);

/*
 * The next superclass of LINK that has fields; one without CLASS_DUMP if that
 * comes first. NULL: there is none. In a ring this goes on for ever:
 * hp_class_chain_sum says whether there is one.
 */
struct hp_class_link *hp_class_chain_level(struct hp_class_chains *c,
					   struct hp_class_link *link);

/*
 * Every class from LINK on, once each, even in a ring:
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
 * Finds each ring once: asked for all classes, one after the other, with the
 * SINCE that hp_class_walk_begin gave before the first of them. The class where
 * a ring closes that no walk since then has passed; else NULL. No other walk
 * may come in between.
 */
struct hp_class_link *hp_class_chain_new_ring(struct hp_class_chains *c,
					      uint64_t since,
					      struct hp_class_link *link);

#endif
