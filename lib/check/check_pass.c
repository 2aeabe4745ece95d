/* SPDX-License-Identifier: MIT */
/*
 * check_pass.c - the pass over all objects: ids are defined, references are
 * noted. One bit each, so that one pass is enough to know what dangles. The
 * common case of the first pass is in check_scan.c.
 */
#include <inttypes.h>
#include <string.h>

#include "check/check.h"
#include "stream/reader.h"
#include "base/wire.h"

/* ---- references ---------------------------------------------------------- */

static void say_dangling(struct hp_check *c, uint64_t id, uint64_t offset,
			 const char *what, uint64_t class_id)
{
	bool loaded = hp_u64_map_get(&c->symbols.classes, id);
	struct hp_class_text of = hp_check_class_text(c, class_id);

	if (c->located++ >= HP_KEPT_PER_CODE)
		return;
	hp_diag_list_say(
		&c->diagnostics, HPROF_NOTE, HP_DIAG_DANGLING_REFERENCE, offset,
		"%s%s%s refers to %s%s, which is not in the dump", what,
		class_id ? " of class " : "", class_id ? of.text : "",
		loaded ? "class " : "", hp_check_class_text(c, id).text);
}

void hp_check_refer(struct hp_check *c, uint64_t id, uint64_t offset,
		    const char *what, uint64_t class_id)
{
	if (id == 0)
		return;
	if (c->pass == HP_PASS_LOCATE) {
		if (!hp_id_marks_is_defined(&c->ids, id))
			say_dangling(c, id, offset, what, class_id);
		return;
	}
	c->references++;
	hp_id_marks_refer(&c->ids, id);
}

void hp_check_define(struct hp_check *c, uint64_t id, uint64_t offset)
{
	if (c->pass != HP_PASS_ALL)
		return;
	c->objects++;
	if (id == 0)
		hp_diag_list_say(&c->diagnostics, HPROF_WARNING,
				 HP_DIAG_ID_ZERO, offset,
				 "an object with the id 0");
	else if (!hp_id_marks_define(&c->ids, id))
		hp_diag_list_say(&c->diagnostics, HPROF_WARNING,
				 HP_DIAG_DUPLICATE_ID, offset,
				 "object 0x%" PRIx64 " was defined before", id);
}

/* ---- objects ------------------------------------------------------------- */

/* An instance whose class, or some super of it, we have not met. */
static void note_unlaid(struct hp_check *c, struct hp_kclass *k,
			uint64_t offset)
{
	if (c->pass != HP_PASS_ALL)
		return;
	if (k->unlaid++ == 0) {
		k->unlaid_offset = offset;
		k->early = !k->link.dumped;
	}
}

/* Has the first pass looked into this one? Then not again. */
static inline bool is_done(const struct hp_check *c, const struct hp_kclass *k,
			   uint64_t offset)
{
	return c->pass == HP_PASS_LATE && offset >= k->laid_offset;
}

static inline void note_size(const struct hp_check *c, struct hp_kclass *k,
			     uint32_t size, uint64_t offset)
{
	if (size == k->size || k->partial || c->pass == HP_PASS_LOCATE)
		return;
	if (k->bad_size++ == 0 || offset < k->bad_offset)
		k->bad_offset = offset;
}

struct hp_kclass *hp_check_instance(struct hp_check *c, uint64_t offset,
				    uint64_t class_id, const uint8_t *data,
				    uint32_t size)
{
	struct hp_kclass *k = hp_check_class(c, class_id);
	unsigned z = c->id_size;

	if (!k) {
		c->stray_instances += c->pass == HP_PASS_ALL;
		return NULL;
	}
	if (!k->has_instances) {
		k->has_instances = true;
		k->first_instance = offset;
	}
	if (!k->laid_out && !hp_check_layout(c, k)) {
		note_unlaid(c, k, offset);
		return NULL;
	}
	if (is_done(c, k, offset))
		return NULL;
	if (c->pass == HP_PASS_ALL && offset < k->laid_offset)
		k->laid_offset = offset;
	note_size(c, k, size, offset);
	if (c->pass == HP_PASS_ALL && !k->partial)
		k->common_size = k->size + 1;
	for (uint32_t i = 0; data && i < k->ref_count; i++)
		if ((uint64_t)k->refs[i] + z <= size)
			hp_check_refer(c, hp_get_id(data + k->refs[i], z),
				       offset, "an instance", class_id);
	return k;
}

/* The class of an array must be one of arrays (Q23). */
static void note_array_class(struct hp_check *c, uint64_t class_id,
			     uint64_t offset)
{
	struct hp_kclass *k = hp_check_class(c, class_id);

	if (!k || k->has_arrays)
		return;
	k->has_arrays = true;
	k->first_array = offset;
}

void hp_check_obj_array(struct hp_check *c, uint64_t offset, uint64_t class_id,
			const uint8_t *elements, uint32_t n)
{
	unsigned z = c->id_size;

	if (c->pass == HP_PASS_LATE)
		return;
	if (c->pass == HP_PASS_LOCATE) {
		hp_check_refer(c, class_id, offset, "an array", 0);
	} else if (class_id) {
		note_array_class(c, class_id, offset);
		hp_id_marks_refer(&c->ids, class_id);
	}
	for (uint32_t i = 0; elements && i < n; i++)
		hp_check_refer(c, hp_get_id(elements + (size_t)i * z, z),
			       offset, "an array", class_id);
}

static inline void note_trace(struct hp_check *c, uint32_t serial,
			      uint64_t offset)
{
	if (serial == c->known_trace || c->pass != HP_PASS_ALL)
		return;
	c->known_trace = serial;
	hp_check_want_trace(c, serial, offset);
}

/* ---- many objects -------------------------------------------------------- */

static void read_bulk(struct hp_check *c)
{
	enum { STEP = 4 << 20 };
	struct hprof_reader *r = c->reader;
	uint64_t until = r->window.offset + STEP;
	const uint8_t *p;
	size_t n, used;

	while (r->window.offset < until &&
	       (n = hp_reader_heap_bytes(r, &p)) > 0) {
		used = hp_check_scan(c, p, n, r->window.offset);
		if (used == 0)
			return;
		c->saw_object = true;
		hp_reader_heap_consume(r, used);
	}
}

/* ---- one record ---------------------------------------------------------- */

/* Fills what is free of the SIZE bytes at TO, of which *HAVE are used. */
static bool fill(struct hp_check *c, uint8_t *to, size_t size, size_t *have)
{
	size_t n = 0;

	while (*have < size &&
	       hprof_reader_body(c->reader, to + *have, size - *have, &n) ==
		       HPROF_OK &&
	       n > 0)
		*have += n;
	return *have > 0;
}

/* The elements of an array whose body is not loaded, piece by piece. */
static void read_elements(struct hp_check *c, const struct hprof_record *r)
{
	uint8_t bytes[8192];
	unsigned z = c->id_size;
	size_t have;

	if (c->pass == HP_PASS_LATE)
		return;
	for (;;) {
		have = 0;
		if (!fill(c, bytes, sizeof bytes, &have))
			return;
		for (size_t i = 0; i + z <= have; i += z)
			hp_check_refer(c, hp_get_id(bytes + i, z), r->offset,
				       "an array",
				       r->u.obj_array_dump.class_id);
	}
}

/* The same for an instance of K, whose references ascend. */
static void read_fields(struct hp_check *c, const struct hp_kclass *k,
			const struct hprof_record *r)
{
	enum { OVERLAP = 8 };
	uint8_t bytes[8192 + OVERLAP];
	unsigned z = c->id_size;
	uint64_t base = 0;
	size_t have = 0;
	uint32_t i = 0;

	while (k && i < k->ref_count && fill(c, bytes, sizeof bytes, &have)) {
		for (; i < k->ref_count &&
		       k->refs[i] + (uint64_t)z <= base + have;
		     i++)
			hp_check_refer(
				c, hp_get_id(bytes + (k->refs[i] - base), z),
				r->offset, "an instance", k->link.id);
		if (have < sizeof bytes)
			return;
		memmove(bytes, bytes + have - OVERLAP, OVERLAP);
		base += have - OVERLAP;
		have = OVERLAP;
	}
}

static void take_object(struct hp_check *c, const struct hprof_record *r)
{
	const struct hprof_instance_dump *instance = &r->u.instance_dump;
	const struct hprof_obj_array_dump *array = &r->u.obj_array_dump;
	const struct hprof_prim_array_dump *prims = &r->u.prim_array_dump;
	const struct hp_kclass *k;

	switch (r->tag) {
	case HPROF_INSTANCE_DUMP:
		note_trace(c, instance->trace_serial, r->offset);
		hp_check_define(c, instance->object_id, r->offset);
		k = hp_check_instance(c, r->offset, instance->class_id,
				      instance->data.data, instance->data_size);
		if (!instance->data.data)
			read_fields(c, k, r);
		break;
	case HPROF_OBJ_ARRAY_DUMP:
		note_trace(c, array->trace_serial, r->offset);
		hp_check_define(c, array->object_id, r->offset);
		hp_check_obj_array(c, r->offset, array->class_id,
				   array->elements.data, array->count);
		if (!array->elements.data && array->count)
			read_elements(c, r);
		break;
	case HPROF_PRIM_ARRAY_DUMP:
	case HPROF_PRIM_ARRAY_NODATA_DUMP:
		note_trace(c, prims->trace_serial, r->offset);
		c->prim_arrays_seen |= (uint64_t)1 << prims->type % 64;
		hp_check_define(c, prims->object_id, r->offset);
		break;
	case HPROF_HEAP_DUMP_INFO:
		if (c->pass == HP_PASS_ALL)
			hp_check_want_string(c, r->u.heap_dump_info.name_id,
					     r->offset);
		return;
	default:
		return;
	}
	c->saw_object = true;
}

static void take_record(struct hp_check *c, const struct hprof_record *r)
{
	if (c->pass == HP_PASS_ALL) {
		if (r->tag < HPROF_SUB && r->tag != HPROF_HEAP_DUMP &&
		    r->tag != HPROF_HEAP_DUMP_SEGMENT)
			hp_name_table_record(&c->symbols, c->reader, r);
		if (c->options->readers)
			hp_check_readers_record(c, r);
		if (r->tag < 2 * HPROF_SUB && !c->tags_seen[r->tag])
			c->tags_seen[r->tag] = r->offset + 1;
	}
	if (r->tag == HPROF_CLASS_DUMP)
		hp_check_class_dump(c, r);
	else if (hprof_tag_is_root(r->tag))
		hp_check_root(c, r);
	else if (r->tag >= HPROF_SUB)
		take_object(c, r);
	else if (c->pass == HP_PASS_ALL)
		hp_check_record(c, r);
}

enum hprof_status hp_check_pass(struct hp_check *c)
{
	struct hprof_record record;
	enum hprof_status status;

	while ((status = hprof_reader_next(c->reader, &record)) == HPROF_OK) {
		take_record(c, &record);
		read_bulk(c);
		if (c->no_memory || c->ids.no_memory || c->symbols.no_memory ||
		    c->diagnostics.no_memory)
			return HPROF_E_NOMEM;
		if (c->pass == HP_PASS_LOCATE && c->located >= HP_KEPT_PER_CODE)
			return HPROF_END;
	}
	return status;
}
