/* SPDX-License-Identifier: MIT */
/*
 * class_chain.c - see class_chain.h.
 */
#include "model/class_chain.h"

#include <assert.h>

/*
 * A class that is dumped again makes all shortcuts invalid. A file that does so
 * again and again, with instances in between, would make every walk as long as
 * its chain; so after this many times the first CLASS_DUMP counts.
 */
enum { MOST_EPOCHS = 256 };

/* ---- CLASS_DUMP ---------------------------------------------------------- */

void hp_class_chains_init(struct hp_class_chains *c,
			  struct hp_known_classes *classes)
{
	assert(classes->item_size >= sizeof(struct hp_class_link));
	*c = (struct hp_class_chains){ .classes = classes, .epoch = 1 };
}

static void sum_fields(struct hp_class_link *link,
		       const struct hprof_record *record, unsigned id_size)
{
	struct hprof_class_cursor cursor = hprof_class_fields(record);
	struct hprof_class_entry field;

	link->own = (struct hp_field_sum){ 0 };
	link->field_count = 0;
	while (link->field_count < record->u.class_dump.field_count &&
	       hprof_class_next(&cursor, &field) == HPROF_OK) {
		if (field.type == HPROF_TYPE_OBJECT)
			link->own.refs++;
		else
			link->own.bytes += hprof_type_size(field.type, id_size);
		link->field_count++;
		link->own.fields++;
	}
}

enum hprof_status hp_class_chains_dump(struct hp_class_chains *c,
				       struct hp_class_link *link,
				       const struct hprof_record *record,
				       unsigned id_size)
{
	uint64_t super_id = record->u.class_dump.super_id;
	struct hp_class_link *super = NULL;

	if (link->dumped && c->walked) {
		if (c->epoch >= MOST_EPOCHS)
			return HPROF_E_LIMIT;
		c->epoch++;
		c->walked = false;
	}
	if (super_id) {
		super = hp_known_classes_add(c->classes, super_id);
		if (!super)
			return HPROF_E_NOMEM;
	}
	sum_fields(link, record, id_size);
	link->super_id = super_id;
	link->super = super;
	link->epoch = 0;
	link->dumped = true;
	return HPROF_OK;
}

/* ---- walks --------------------------------------------------------------- */

uint64_t hp_class_walk_begin(struct hp_class_chains *c)
{
	return ++c->walks;
}

/* Resets shortcuts that were made before a class was dumped again. */
static void refresh(struct hp_class_chains *c, struct hp_class_link *link)
{
	if (link->epoch == c->epoch)
		return;
	link->epoch = c->epoch;
	link->end = link->level = link->super;
	link->sum = link->own;
	link->ring = false;
}

/*
 * Follows the shortcuts from LINK to their end, and gives the sum on the way.
 * NULL if the chain ends there; else a class without CLASS_DUMP, or in a cycle.
 */
static struct hp_class_link *climb(struct hp_class_chains *c,
				   struct hp_class_link *link,
				   struct hp_field_sum *ret_sum)
{
	uint64_t walk = hp_class_walk_begin(c);

	*ret_sum = (struct hp_field_sum){ 0 };
	for (; link && link->dumped; link = link->end) {
		refresh(c, link);
		if (link->ring)
			break;
		if (!hp_class_walk_enters(walk, link)) {
			link->ring = true;
			break;
		}
		ret_sum->bytes += link->sum.bytes;
		ret_sum->refs += link->sum.refs;
		ret_sum->fields += link->sum.fields;
	}
	return link;
}

static void shorten(struct hp_class_link *link, struct hp_class_link *end,
		    struct hp_field_sum sum)
{
	while (link != end) {
		struct hp_field_sum own = link->sum;
		struct hp_class_link *next = link->end;
		link->sum = sum;
		link->end = end;
		link->ring = end && end->dumped && end->ring;
		sum.bytes -= own.bytes;
		sum.refs -= own.refs;
		sum.fields -= own.fields;
		link = next;
	}
}

enum hp_chain_end hp_class_chain_sum(struct hp_class_chains *c,
				     struct hp_class_link *link,
				     struct hp_field_sum *ret_sum)
{
	struct hp_class_link *end = climb(c, link, ret_sum);

	c->walked = true;
	shorten(link, end, *ret_sum);
	if (!end)
		return HP_CHAIN_WHOLE;
	return end->dumped ? HP_CHAIN_RING : HP_CHAIN_OPEN;
}

static bool has_no_fields(const struct hp_class_link *link)
{
	return link && link->dumped && link->field_count == 0;
}

struct hp_class_link *hp_class_chain_level(struct hp_class_chains *c,
					   struct hp_class_link *link)
{
	struct hp_class_link *at, *end, *next;
	uint64_t walk;

	c->walked = true;
	refresh(c, link);
	at = end = link->level;
	if (!has_no_fields(end))
		return end;
	walk = hp_class_walk_begin(c);
	while (has_no_fields(end) && hp_class_walk_enters(walk, end)) {
		refresh(c, end);
		end = end->level;
	}
	if (has_no_fields(end))
		end = NULL; /* a cycle */
	link->level = end;
	for (; at != end; at = next) {
		next = at->level;
		at->level = end;
	}
	return end;
}

struct hp_class_link *hp_class_chain_new_ring(struct hp_class_chains *c,
					      uint64_t since,
					      struct hp_class_link *link)
{
	uint64_t walk = hp_class_walk_begin(c);

	while (link && link->walk <= since) {
		link->walk = walk;
		link = link->super;
	}
	return link && link->walk == walk ? link : NULL;
}
