/* SPDX-License-Identifier: MIT */
/*
 * check_pass.c - the pass over all records of a dump. The common case of the
 * first pass is in check_scan.c.
 */
#include <inttypes.h>
#include <string.h>

#include "check/check.h"
#include "stream/reader.h"
#include "base/wire.h"

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

/* Fills up the SIZE bytes at TO, of which *HAVE are used. */
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

/* Reads the elements of an array whose body is not loaded, in pieces. */
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

/* Likewise for an instance of K, whose reference offsets ascend. */
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
				r->offset, "an instance", k->link.known.id);
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
			return HPROF_OK;
	}
	return status == HPROF_END ? HPROF_OK : status;
}
