/*
 * check_class.c - classes as hprof_check knows them: where the references of
 * an instance are.
 */
#include <inttypes.h>

#include "check.h"
#include "mem.h"

struct hp_kclass *hp_check_class(struct hp_check *c, uint64_t class_id)
{
	struct hp_kclass *k = hp_idmap_get(&c->classes, class_id);

	if (k)
		return k;
	if (hp_grow((void **)&c->all, &c->class_room, c->class_count,
		    sizeof *c->all) == 0)
		k = hp_calloc(1, sizeof *k);
	if (!k || hp_idmap_put(&c->classes, class_id, k) != 0) {
		hp_free(k);
		c->no_memory = true;
		return NULL;
	}
	k->class_id = class_id;
	c->all[c->class_count++] = k;
	return k;
}

/* The own fields: their size, and where the references are. */
static void take_fields(struct hp_check *c, struct hp_kclass *k,
			const struct hprof_record *r)
{
	struct hprof_class_cursor cursor = hprof_class_fields(r);
	struct hprof_class_entry field;
	uint32_t at = 0;

	hp_free(k->ref_at);
	k->own_refs = 0;
	k->ref_at = hp_calloc((size_t)r->u.class_dump.field_count + 1,
			      sizeof *k->ref_at);
	if (!k->ref_at) {
		c->no_memory = true;
		return;
	}
	while (hprof_class_next(&cursor, &field) == HPROF_OK) {
		if (field.type == HPROF_TYPE_OBJECT)
			k->ref_at[k->own_refs++] = at;
		at += hprof_type_size(field.type, c->id_size);
		hp_check_pend(c, HP_PENDING_STRING, field.name_id, r->offset,
			      0);
	}
	k->own_size = at;
}

static void take_statics(struct hp_check *c, const struct hprof_record *r)
{
	struct hprof_class_cursor cursor = hprof_class_statics(r);
	struct hprof_class_entry entry;

	while (hprof_class_next(&cursor, &entry) == HPROF_OK) {
		hp_check_pend(c, HP_PENDING_STRING, entry.name_id, r->offset,
			      0);
		if (entry.type == HPROF_TYPE_OBJECT && entry.value)
			hp_idset_refer(&c->ids, entry.value);
	}
	cursor = hprof_class_constants(r);
	while (hprof_class_next(&cursor, &entry) == HPROF_OK)
		if (entry.type == HPROF_TYPE_OBJECT && entry.value)
			hp_idset_refer(&c->ids, entry.value);
}

void hp_check_class_dump(struct hp_check *c, const struct hprof_record *r)
{
	const struct hprof_class_dump *dump = &r->u.class_dump;
	struct hp_kclass *k = hp_check_class(c, dump->class_id);

	if (!k || c->pass != HP_PASS_ALL)
		return;
	if (k->dumped)
		hp_diaglist_say(&c->diagnostics, HPROF_WARNING,
				"duplicate-class", r->offset,
				"class 0x%" PRIx64
				" is dumped again, the first was at 0x%" PRIx64,
				k->class_id, k->offset);
	else
		hp_idset_define(&c->ids, dump->class_id);
	c->dumped_count += !k->dumped;
	k->dumped = true;
	k->offset = r->offset;
	k->super_id = dump->super_id;
	k->instance_size = dump->instance_size;
	take_fields(c, k, r);
	take_statics(c, r);
	if (dump->super_id)
		hp_check_pend(c, HP_PENDING_CLASS, dump->super_id, r->offset,
			      0);
	if (dump->loader_id)
		hp_idset_refer(&c->ids, dump->loader_id);
	if (dump->signers_id)
		hp_idset_refer(&c->ids, dump->signers_id);
	if (dump->domain_id)
		hp_idset_refer(&c->ids, dump->domain_id);
}

/*
 * What the chain of supers adds up to. Neither a cycle nor chains as long as
 * the file likes may hold us up: all walks together have a limit, and so
 * have the places of references.
 */
static bool measure_chain(struct hp_check *c, const struct hp_kclass *k,
			  uint64_t *ret_refs, uint64_t *ret_size)
{
	enum { MOST_REFS = 1 << 22 };
	size_t steps = 0;

	*ret_refs = *ret_size = 0;
	while (k && k->dumped && steps++ <= c->class_count &&
	       c->steps_left > 0) {
		c->steps_left--;
		*ret_refs += k->own_refs;
		*ret_size += k->own_size;
		if (k->super_id == 0)
			return *ret_refs <= MOST_REFS;
		k = hp_idmap_get(&c->classes, k->super_id);
	}
	return false;
}

static void lay_out(struct hp_check *c, struct hp_kclass *k)
{
	uint64_t at = 0;

	for (const struct hp_kclass *s = k; s;
	     s = s->super_id ? hp_idmap_get(&c->classes, s->super_id) : NULL) {
		for (uint32_t i = 0; i < s->own_refs; i++)
			k->refs[k->ref_count++] =
				(uint32_t)(at + s->ref_at[i]);
		at += s->own_size;
	}
}

bool hp_check_layout(struct hp_check *c, struct hp_kclass *k)
{
	uint64_t refs, size;

	if (k->laid_out)
		return true;
	/* Not again before many more classes are known. */
	if (k->tried && c->dumped_count < 2 * k->tried &&
	    c->pass == HP_PASS_ALL)
		return false;
	k->tried = c->dumped_count + 1;
	if (!measure_chain(c, k, &refs, &size))
		return false;
	k->refs = hp_calloc((size_t)refs + 1, sizeof *k->refs);
	if (!k->refs) {
		c->no_memory = true;
		return false;
	}
	c->steps_left -= refs < c->steps_left ? refs : c->steps_left;
	k->laid_out = true;
	k->size = size;
	lay_out(c, k);
	return true;
}
