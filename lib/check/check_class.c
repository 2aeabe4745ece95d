/* SPDX-License-Identifier: MIT */
/*
 * check_class.c - the classes of hprof_check: where the references in an
 * instance are.
 */
#include <inttypes.h>
#include <stdio.h>

#include "check/check.h"
#include "base/mem.h"
#include "base/utf8.h"

/* How many classes objects may refer to without a CLASS_DUMP (yet). */
enum { MOST_UNKNOWN = 1 << 18 };

/* The class, created and listed for the check if necessary. */
static struct hp_kclass *list_class(struct hp_check *c, uint64_t class_id)
{
	struct hp_kclass *k =
		hp_known_classes_add(&c->symbols.classes, class_id);

	if (k && k->listed)
		return k;
	if (!k || hp_grow((void **)&c->all, &c->class_room, c->class_count,
			  sizeof *c->all) != HPROF_OK) {
		c->no_memory = true;
		return NULL;
	}
	k->laid_offset = UINT64_MAX;
	k->listed = true;
	c->all[c->class_count++] = k;
	return k;
}

struct hp_kclass *hp_check_class(struct hp_check *c, uint64_t class_id)
{
	struct hp_kclass *k =
		hp_known_classes_get(&c->symbols.classes, class_id);

	if (k && k->listed)
		return k;
	if (c->class_count - c->dumped_count >= MOST_UNKNOWN)
		return NULL;
	return list_class(c, class_id);
}

/* ---- CLASS_DUMP ---------------------------------------------------------- */

/* Records the offsets of references among the class's own fields. */
static void take_fields(struct hp_check *c, struct hp_kclass *k,
			const struct hprof_record *r)
{
	struct hprof_class_cursor cursor = hprof_class_fields(r);
	struct hprof_class_entry field;
	uint32_t *ref_at = hp_calloc((size_t)r->u.class_dump.field_count + 1,
				     sizeof *k->ref_at);
	uint32_t at = 0, refs = 0;
	enum hprof_status taken =
		ref_at ? hp_class_chains_dump(&c->chains, &k->link, r,
					      c->id_size)
		       : HPROF_E_NOMEM;

	c->no_memory = c->no_memory || taken == HPROF_E_NOMEM;
	if (taken != HPROF_OK) {
		hp_free(ref_at);
		return;
	}
	while (hprof_class_next(&cursor, &field) == HPROF_OK) {
		if (field.type == HPROF_TYPE_OBJECT)
			ref_at[refs++] = at;
		at += hprof_type_size(field.type, c->id_size);
		hp_check_want_string(c, field.name_id, r->offset);
	}
	hp_free(k->ref_at);
	k->ref_at = ref_at;
}

static void refer_from_class(struct hp_check *c, const struct hprof_record *r)
{
	const struct hprof_class_dump *dump = &r->u.class_dump;
	struct hprof_class_cursor cursor = hprof_class_statics(r);
	struct hprof_class_entry entry;

	hp_check_refer(c, dump->loader_id, r->offset, "the loader",
		       dump->class_id);
	hp_check_refer(c, dump->signers_id, r->offset, "the signers",
		       dump->class_id);
	hp_check_refer(c, dump->domain_id, r->offset, "the protection domain",
		       dump->class_id);
	while (hprof_class_next(&cursor, &entry) == HPROF_OK) {
		if (c->pass == HP_PASS_ALL)
			hp_check_want_string(c, entry.name_id, r->offset);
		if (entry.type == HPROF_TYPE_OBJECT)
			hp_check_refer(c, entry.value, r->offset,
				       "a static field", dump->class_id);
	}
	cursor = hprof_class_constants(r);
	while (hprof_class_next(&cursor, &entry) == HPROF_OK)
		if (entry.type == HPROF_TYPE_OBJECT)
			hp_check_refer(c, entry.value, r->offset,
				       "the constant pool", dump->class_id);
}

static void define_class(struct hp_check *c, struct hp_kclass *k,
			 const struct hprof_record *r)
{
	if (k->link.dumped) {
		hp_diag_list_say(&c->diagnostics, HPROF_WARNING,
				 HP_DIAG_DUPLICATE_CLASS, r->offset,
				 "class %s is dumped again, the first was at "
				 "0x%" PRIx64,
				 hp_check_class_text(c, k->link.known.id).text,
				 k->offset);
	} else if (k->link.known.id == 0) {
		hp_diag_list_say(&c->diagnostics, HPROF_WARNING,
				 HP_DIAG_ID_ZERO, r->offset,
				 "a class with the id 0");
	} else if (!hp_id_marks_define(&c->ids, k->link.known.id)) {
		hp_diag_list_say(&c->diagnostics, HPROF_WARNING,
				 HP_DIAG_DUPLICATE_ID, r->offset,
				 "class %s has the id of an object before it",
				 hp_check_class_text(c, k->link.known.id).text);
	}
	c->dumped_count += !k->link.dumped;
}

void hp_check_class_dump(struct hp_check *c, const struct hprof_record *r)
{
	const struct hprof_class_dump *dump = &r->u.class_dump;
	struct hp_kclass *k;

	if (c->pass == HP_PASS_LOCATE)
		refer_from_class(c, r);
	if (c->pass != HP_PASS_ALL)
		return;
	k = list_class(c, dump->class_id);
	if (!k)
		return;
	define_class(c, k, r);
	k->offset = r->offset;
	take_fields(c, k, r);
	refer_from_class(c, r);
	hp_check_want_class(c, dump->super_id, r->offset);
	hp_check_want_trace(c, dump->trace_serial, r->offset);
}

/* ---- layouts ------------------------------------------------------------- */

/*
 * What superclasses add to a layout, level by level, up to the first one that
 * is laid out already.
 */
struct chain {
	uint64_t levels, refs, size;
	const struct hp_kclass *rest; /* its layout is the rest; or NULL */
	bool partial;
};

static struct hp_kclass *next_level(struct hp_check *c, struct hp_kclass *k)
{
	/* The link is its first member. */
	return (struct hp_kclass *)hp_class_chain_level(&c->chains, &k->link);
}

static uint32_t own_size(const struct hp_check *c, const struct hp_kclass *k)
{
	return (uint32_t)(k->link.own.bytes + k->link.own.refs * c->id_size);
}

/* False: K cannot be laid out, or would exceed the limit on places. */
static bool measure_chain(struct hp_check *c, struct hp_kclass *k,
			  struct chain *ret)
{
	struct hp_field_sum sum;
	enum hp_chain_end end = hp_class_chain_sum(&c->chains, &k->link, &sum);

	*ret = (struct chain){ 0 };
	/* After the first pass a missing superclass just ends the layout. */
	ret->partial = end == HP_CHAIN_OPEN && c->pass != HP_PASS_ALL;
	if (end == HP_CHAIN_RING || !k->link.dumped ||
	    (end == HP_CHAIN_OPEN && !ret->partial))
		return false;
	for (; k && k->link.dumped; k = next_level(c, k)) {
		if (k->laid_out && !k->partial) {
			ret->rest = k;
			ret->refs += k->ref_count;
			ret->size += k->size;
			break;
		}
		ret->levels++;
		ret->refs += k->link.own.refs;
		ret->size += own_size(c, k);
		if (ret->levels + ret->refs > c->places_left)
			return false;
	}
	return true;
}

static void lay_out(struct hp_check *c, struct hp_kclass *k,
		    const struct chain *chain)
{
	struct hp_kclass *s = k;
	uint64_t at = 0;

	for (uint64_t level = 0; level < chain->levels; level++) {
		for (uint32_t i = 0; i < s->link.own.refs; i++)
			k->refs[k->ref_count++] = (uint32_t)(at + s->ref_at[i]);
		at += own_size(c, s);
		s = next_level(c, s);
	}
	for (uint32_t i = 0; chain->rest && i < chain->rest->ref_count; i++)
		k->refs[k->ref_count++] = (uint32_t)(at + chain->rest->refs[i]);
}

/*
 * Limits attempts to lay out K: in the first pass, not again before the number
 * of known classes has doubled; after that, once.
 */
static bool may_try(const struct hp_check *c, struct hp_kclass *k)
{
	bool first = c->pass == HP_PASS_ALL;

	if (k->tried == SIZE_MAX ||
	    (first && k->tried && c->dumped_count < 2 * k->tried))
		return false;
	k->tried = first ? c->dumped_count + 1 : SIZE_MAX;
	return true;
}

static void take_places(struct hp_check *c, uint64_t count)
{
	c->places_left -= count < c->places_left ? count : c->places_left;
}

bool hp_check_layout(struct hp_check *c, struct hp_kclass *k)
{
	struct chain chain;

	if (k->laid_out)
		return true;
	if (!may_try(c, k))
		return false;
	if (!measure_chain(c, k, &chain)) {
		take_places(c, chain.levels);
		return false;
	}
	take_places(c, chain.levels + chain.refs);
	if (chain.size > UINT32_MAX)
		return false;
	k->refs = hp_calloc((size_t)chain.refs + 1, sizeof *k->refs);
	if (!k->refs) {
		c->no_memory = true;
		return false;
	}
	k->laid_out = true;
	k->partial = chain.partial;
	k->size = chain.size;
	lay_out(c, k, &chain);
	return true;
}
