/* SPDX-License-Identifier: MIT */
/*
 * check_class.c - classes as hprof_check knows them: where the references of
 * an instance are.
 */
#include <inttypes.h>
#include <stdio.h>

#include "check/check.h"
#include "base/mem.h"
#include "base/utf8.h"

/* So many classes may be named by objects and not be dumped (yet). */
enum { MOST_UNKNOWN = 1 << 18 };

static struct hp_kclass *add_class(struct hp_check *c, uint64_t class_id)
{
	struct hp_kclass *k = NULL;

	if (hp_grow((void **)&c->all, &c->class_room, c->class_count,
		    sizeof *c->all) == 0)
		k = hp_calloc(1, sizeof *k);
	if (!k || hp_u64_map_put(&c->classes, class_id, k) != 0) {
		hp_free(k);
		c->no_memory = true;
		return NULL;
	}
	k->class_id = class_id;
	k->laid_offset = UINT64_MAX;
	k->common_size = UINT64_MAX;
	c->all[c->class_count++] = k;
	return k;
}

struct hp_kclass *hp_check_class(struct hp_check *c, uint64_t class_id)
{
	struct hp_kclass *k = hp_u64_map_get(&c->classes, class_id);

	if (k || c->class_count - c->dumped_count >= MOST_UNKNOWN)
		return k;
	return add_class(c, class_id);
}

/* ---- names --------------------------------------------------------------- */

/* Only the start of a name: it may be as long as the file likes. */
static size_t class_name(const struct hp_name_table *s, uint64_t class_id,
			 char *out, size_t room)
{
	enum { MOST_RAW = 256 };
	const struct hp_loaded_class *loaded =
		hp_u64_map_get(&s->classes, class_id);
	const struct hp_string *name =
		loaded && loaded->name_id
			? hp_u64_map_get(&s->strings, loaded->name_id)
			: NULL;
	size_t size;

	if (!name)
		return 0;
	size = hprof_class_name_decode(
		name->bytes, name->size < MOST_RAW ? name->size : MOST_RAW, out,
		room);
	return size < room ? size : room;
}

struct hp_class_text hp_check_class_text(const struct hp_check *c,
					 uint64_t class_id)
{
	struct hp_class_text ret;
	char name[256] = "", shown[200];
	size_t size = class_name(&c->symbols, class_id, name, sizeof name);

	hp_text_escape(name, size, shown, sizeof shown);
	if (size)
		snprintf(ret.text, sizeof ret.text, "%s (0x%" PRIx64 ")", shown,
			 class_id);
	else
		snprintf(ret.text, sizeof ret.text, "0x%" PRIx64, class_id);
	return ret;
}

/* ---- CLASS_DUMP ---------------------------------------------------------- */

/* The own fields: their size, and where the references are. */
static void take_fields(struct hp_check *c, struct hp_kclass *k,
			const struct hprof_record *r)
{
	struct hprof_class_cursor cursor = hprof_class_fields(r);
	struct hprof_class_entry field;
	uint32_t at = 0;

	hp_free(k->ref_at);
	k->own_refs = 0;
	k->own_size = 0;
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
		hp_check_want_string(c, field.name_id, r->offset);
	}
	k->own_size = at;
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
	if (k->dumped) {
		hp_diag_list_say(&c->diagnostics, HPROF_WARNING,
				 "duplicate-class", r->offset,
				 "class %s is dumped again, the first was at "
				 "0x%" PRIx64,
				 hp_check_class_text(c, k->class_id).text,
				 k->offset);
	} else if (k->class_id == 0) {
		hp_diag_list_say(&c->diagnostics, HPROF_WARNING, "id-zero",
				 r->offset, "a class with the id 0");
	} else if (!hp_id_marks_define(&c->ids, k->class_id)) {
		hp_diag_list_say(&c->diagnostics, HPROF_WARNING, "duplicate-id",
				 r->offset,
				 "class %s has the id of an object before it",
				 hp_check_class_text(c, k->class_id).text);
	}
	c->dumped_count += !k->dumped;
	k->dumped = true;
}

void hp_check_class_dump(struct hp_check *c, const struct hprof_record *r)
{
	const struct hprof_class_dump *dump = &r->u.class_dump;
	struct hp_kclass *k;

	if (c->pass == HP_PASS_LOCATE)
		refer_from_class(c, r);
	if (c->pass != HP_PASS_ALL)
		return;
	k = hp_u64_map_get(&c->classes, dump->class_id);
	if (!k)
		k = add_class(c, dump->class_id);
	if (!k)
		return;
	define_class(c, k, r);
	k->offset = r->offset;
	k->super_id = dump->super_id;
	take_fields(c, k, r);
	refer_from_class(c, r);
	hp_check_want_class(c, dump->super_id, r->offset);
	hp_check_want_trace(c, dump->trace_serial, r->offset);
}

/* ---- layouts ------------------------------------------------------------- */

struct chain {
	size_t steps; /* classes with fields of their own to add */
	uint64_t refs, size;
	const struct hp_kclass *rest; /* whose layout is the rest; or NULL */
	bool partial;
};

/*
 * What the chain of supers adds up to, down to one that is laid out. Neither
 * a cycle nor chains as long as the file likes may hold us up: all walks
 * together have a limit, and so have the places of references.
 */
static bool measure_chain(struct hp_check *c, const struct hp_kclass *k,
			  struct chain *ret)
{
	*ret = (struct chain){ 0 };
	while (k && k->dumped && ret->steps <= c->class_count &&
	       c->steps_left > 0) {
		if (k->laid_out && !k->partial) {
			ret->rest = k;
			ret->refs += k->ref_count;
			ret->size += k->size;
			return true;
		}
		c->steps_left--;
		ret->steps++;
		ret->refs += k->own_refs;
		ret->size += k->own_size;
		if (k->super_id == 0)
			return true;
		k = hp_u64_map_get(&c->classes, k->super_id);
	}
	/* Nobody defines the super: at the end we go as far as we can. */
	ret->partial = c->pass != HP_PASS_ALL && !(k && k->dumped);
	return ret->partial && ret->steps > 0;
}

static void lay_out(struct hp_check *c, struct hp_kclass *k,
		    const struct chain *chain)
{
	const struct hp_kclass *s = k;
	uint64_t at = 0;

	for (size_t step = 0; step < chain->steps; step++) {
		for (uint32_t i = 0; i < s->own_refs; i++)
			k->refs[k->ref_count++] = (uint32_t)(at + s->ref_at[i]);
		at += s->own_size;
		s = hp_u64_map_get(&c->classes, s->super_id);
	}
	for (uint32_t i = 0; chain->rest && i < chain->rest->ref_count; i++)
		k->refs[k->ref_count++] = (uint32_t)(at + chain->rest->refs[i]);
}

/* Not again before many more classes are known; later once. */
static bool may_try(const struct hp_check *c, struct hp_kclass *k)
{
	bool first = c->pass == HP_PASS_ALL;

	if (k->tried == SIZE_MAX ||
	    (first && k->tried && c->dumped_count < 2 * k->tried))
		return false;
	k->tried = first ? c->dumped_count + 1 : SIZE_MAX;
	return true;
}

bool hp_check_layout(struct hp_check *c, struct hp_kclass *k)
{
	struct chain chain;

	if (k->laid_out)
		return true;
	if (!may_try(c, k))
		return false;
	if (!measure_chain(c, k, &chain) || chain.refs > c->refs_left ||
	    chain.size > UINT32_MAX)
		return false;
	k->refs = hp_calloc((size_t)chain.refs + 1, sizeof *k->refs);
	if (!k->refs) {
		c->no_memory = true;
		return false;
	}
	c->refs_left -= chain.refs;
	k->laid_out = true;
	k->partial = chain.partial;
	k->size = chain.size;
	lay_out(c, k, &chain);
	return true;
}
