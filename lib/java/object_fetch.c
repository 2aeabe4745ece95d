/* SPDX-License-Identifier: MIT */
/*
 * object_fetch.c - see object_fetch.h.
 *
 * A stretch of the file is read as the census read it: runs of ordinary
 * objects in bulk, by decoding only their heads, and everything else record by
 * record. If two objects have the same id, the first one in the file counts;
 * so a fetch can stop as soon as every requested object was found.
 */
#include "java/object_fetch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "codec/object_head.h"
#include "base/mem.h"
#include "base/search.h"
#include "stream/reader.h"

/* ---- requested objects --------------------------------------------------- */

void hp_object_fetch_want(struct hp_object_fetch *o, uint64_t id)
{
	struct hp_object *object;

	if (id == 0 || o->no_memory || hp_u64_map_get(&o->by_id, id))
		return;
	object = hp_arena_take(&o->arena, sizeof *object);
	if (!object ||
	    hp_grow((void **)&o->wanted, &o->wanted_room, o->wanted_count,
		    sizeof *o->wanted) != HPROF_OK ||
	    hp_u64_map_put(&o->by_id, id, object) != HPROF_OK) {
		o->no_memory = true;
		return;
	}
	*object = (struct hp_object){ .id = id, .kind = HP_OBJECT_WANTED };
	o->wanted[o->wanted_count++] = object;
}

const struct hp_object *hp_object_fetch_get(const struct hp_object_fetch *o,
					    uint64_t id)
{
	const struct hp_object *object = hp_u64_map_get(&o->by_id, id);

	return object && object->kind > HP_OBJECT_MISSING ? object : NULL;
}

uint64_t hp_object_element(const struct hp_object_fetch *o,
			   const struct hp_object *array, size_t index)
{
	struct hprof_bytes ids = { array->bytes, array->kept };

	return hprof_id_at(ids, o->id_size, index);
}

static struct hp_object *find_wanted(const struct hp_object_fetch *o,
				     uint64_t id)
{
	struct hp_object *object = hp_u64_map_get(&o->by_id, id);

	return object && object->kind == HP_OBJECT_WANTED ? object : NULL;
}

/*
 * Allocates room for the values of OBJECT, which have SIZE bytes in the dump;
 * only object->kept of them are kept. The caller copies them there. Marks the
 * object as found.
 */
static uint8_t *begin_values(struct hp_object_fetch *o,
			     struct hp_object *object, uint64_t size)
{
	uint8_t *bytes = NULL;

	assert(o->wanted_left > 0 && object->kind != HP_OBJECT_MISSING);
	object->size = size;
	object->kept = size < HP_OBJECT_MAX ? (size_t)size : HP_OBJECT_MAX;
	if (o->arena.taken > HP_OBJECTS_MAX)
		object->kept = 0;
	bytes = hp_arena_take(&o->arena, object->kept);
	if (!bytes) {
		o->no_memory = true;
		object->kept = 0;
	}
	object->bytes = bytes;
	o->wanted_left--;
	return bytes;
}

/* ---- reading a stretch --------------------------------------------------- */

static uint8_t kind_of(const struct hp_object_head *head)
{
	return head->tag == HPROF_INSTANCE_DUMP	   ? HP_OBJECT_INSTANCE
	       : head->tag == HPROF_OBJ_ARRAY_DUMP ? HP_OBJECT_OBJ_ARRAY
						   : HP_OBJECT_PRIM_ARRAY;
}

/*
 * Scans the complete objects at START and stops at the first record that is
 * something else or is cut off. Returns the number of bytes scanned.
 */
static size_t scan_objects(struct hp_object_fetch *o, const uint8_t *start,
			   size_t size)
{
	const unsigned z = o->id_size;
	const uint8_t *p = start, *end = start + size;
	struct hp_object_head head = { 0 };

	while (o->wanted_left &&
	       hp_object_head_read(p, hp_room(p, end), z, &head)) {
		struct hp_object *object = find_wanted(o, head.id);
		p += head.size_of_head;
		if (object) {
			uint8_t *to = begin_values(o, object, head.size);
			object->kind = kind_of(&head);
			object->type = head.type;
			object->class_id = head.class_id;
			if (object->kept)
				memcpy(to, p, object->kept);
		}
		p += head.size;
	}
	return (size_t)(p - start);
}

static void read_bulk(struct hp_object_fetch *o, struct hprof_reader *r)
{
	const uint8_t *p;
	size_t n, used;

	while (o->wanted_left && (n = hp_reader_heap_bytes(r, &p)) > 0) {
		used = scan_objects(o, p, n);
		if (used == 0)
			return;
		hp_reader_heap_consume(r, used);
	}
}

/* Copies the values of READER's current record to OBJECT. */
static void read_values(struct hp_object_fetch *o, struct hp_object *object,
			struct hprof_reader *reader,
			const struct hprof_bytes *values)
{
	uint8_t *to = begin_values(o, object, values->size);
	size_t done = 0, n = 1;

	if (values->data && object->kept) {
		memcpy(to, values->data, object->kept);
		return;
	}
	while (done < object->kept && n > 0 &&
	       hprof_reader_body(reader, to + done, object->kept - done, &n) ==
		       HPROF_OK)
		done += n;
	object->kept = done;
}

static void fetch_from_record(struct hp_object_fetch *o,
			      struct hprof_reader *reader,
			      const struct hprof_record *record)
{
	const struct hprof_instance_dump *instance = &record->u.instance_dump;
	const struct hprof_obj_array_dump *array = &record->u.obj_array_dump;
	const struct hprof_prim_array_dump *prims = &record->u.prim_array_dump;
	struct hp_object *object;

	if (record->tag == HPROF_INSTANCE_DUMP) {
		object = find_wanted(o, instance->object_id);
		if (!object)
			return;
		object->kind = HP_OBJECT_INSTANCE;
		object->class_id = instance->class_id;
		read_values(o, object, reader, &instance->data);
	} else if (record->tag == HPROF_OBJ_ARRAY_DUMP) {
		object = find_wanted(o, array->object_id);
		if (!object)
			return;
		object->kind = HP_OBJECT_OBJ_ARRAY;
		object->class_id = array->class_id;
		read_values(o, object, reader, &array->elements);
	} else if (record->tag == HPROF_PRIM_ARRAY_DUMP) {
		object = find_wanted(o, prims->object_id);
		if (!object)
			return;
		object->kind = HP_OBJECT_PRIM_ARRAY;
		object->type = prims->type;
		read_values(o, object, reader, &prims->elements);
	}
}

static enum hprof_status read_records(struct hp_object_fetch *o,
				      struct hprof_reader *r)
{
	struct hprof_record record;
	enum hprof_status status;

	read_bulk(o, r);
	while (o->wanted_left &&
	       (status = hprof_reader_next(r, &record)) == HPROF_OK) {
		fetch_from_record(o, r, &record);
		read_bulk(o, r);
		if (o->no_memory)
			return HPROF_E_NOMEM;
	}
	return o->wanted_left && status < 0 ? status : HPROF_OK;
}

static enum hprof_status read_stretch(struct hp_object_fetch *o,
				      const struct hp_mark *mark, uint64_t end,
				      struct hprof_error *error)
{
	const struct hp_tally *tally = &o->impl->census.tally;
	struct hprof_unit unit = { .offset = mark->offset,
				   .end = end,
				   .in_record = mark->in_record,
				   .id_size = o->id_size };
	unsigned tag = 0;
	struct hprof_reader *reader;
	enum hprof_status status;

	if (mark->in_record)
		tag = tally->segments[1] ? HPROF_HEAP_DUMP_SEGMENT
					 : HPROF_HEAP_DUMP;
	HP_TRY(hprof_reader_open_unit(o->parent, &unit, NULL, &reader, error));
	hp_reader_read_between(reader, tag);
	status = read_records(o, reader);
	if (status < 0 && status != HPROF_E_NOMEM)
		*error = *hprof_reader_error(reader);
	hprof_reader_close(reader);
	return status;
}

/* ---- choosing stretches -------------------------------------------------- */

static int compare_wanted(const void *a, const void *b)
{
	const struct hp_object *x = *(struct hp_object *const *)a;
	const struct hp_object *y = *(struct hp_object *const *)b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/*
 * True if a requested id lies between the lowest and the highest id of MARK's
 * stretch. The requested objects must be sorted.
 */
static bool may_hold_wanted(const struct hp_object_fetch *o,
			    const struct hp_mark *mark)
{
	size_t at;

	if (mark->low > mark->high || mark->end <= mark->offset)
		return false;
	HP_LOWER_BOUND(&at, o->wanted_count, o->wanted[hp_at]->id < mark->low);
	return at < o->wanted_count && o->wanted[at]->id <= mark->high;
}

/*
 * True if NEXT follows directly on the mark before it, so that one reader can
 * read on from FIRST. A reader that starts inside a heap record cannot leave
 * it.
 */
static bool can_read_together(const struct hp_mark *first,
			      const struct hp_mark *next)
{
	return next->offset == next[-1].end &&
	       (next->in_record || !first->in_record);
}

static enum hprof_status read_stretches(struct hp_object_fetch *o,
					struct hprof_error *error)
{
	const struct hp_tally *tally = &o->impl->census.tally;
	size_t i = 0;

	while (i < tally->mark_count && o->wanted_left) {
		const struct hp_mark *first = &tally->marks[i++];
		uint64_t end = first->end;
		if (!may_hold_wanted(o, first))
			continue;
		while (i < tally->mark_count &&
		       can_read_together(first, &tally->marks[i]) &&
		       may_hold_wanted(o, &tally->marks[i]))
			end = tally->marks[i++].end;
		HP_TRY(read_stretch(o, first, end, error));
	}
	return HPROF_OK;
}

static void sort_wanted(struct hp_object_fetch *o)
{
	if (o->wanted_count)
		qsort(o->wanted, o->wanted_count, sizeof *o->wanted,
		      compare_wanted);
}

uint64_t hp_object_fetch_cost(struct hp_object_fetch *o)
{
	const struct hp_tally *tally = &o->impl->census.tally;
	uint64_t bytes = 0;

	sort_wanted(o);
	for (size_t i = 0; i < tally->mark_count; i++)
		if (may_hold_wanted(o, &tally->marks[i]))
			bytes += tally->marks[i].end - tally->marks[i].offset;
	return bytes;
}

enum hprof_status hp_object_fetch_fetch(struct hp_object_fetch *o,
					struct hprof_error *error)
{
	enum hprof_status status = HPROF_OK;

	if (!o->no_memory && o->wanted_count) {
		sort_wanted(o);
		o->wanted_left = o->wanted_count;
		status = read_stretches(o, error);
	}
	for (size_t i = 0; i < o->wanted_count; i++)
		if (o->wanted[i]->kind == HP_OBJECT_WANTED)
			o->wanted[i]->kind = HP_OBJECT_MISSING;
	o->wanted_count = 0;
	if (o->no_memory || status == HPROF_E_NOMEM)
		return hp_no_memory(error);
	return status;
}

/* ---- life ---------------------------------------------------------------- */

enum hprof_status hp_object_fetch_open(struct hp_object_fetch *o,
				       const struct hprof_summary *summary,
				       struct hprof_error *error)
{
	memset(o, 0, sizeof *o);
	o->impl = summary->impl;
	o->id_size = summary->header.id_size;
	if (hp_u64_map_init(&o->by_id, 1) != HPROF_OK)
		return hp_no_memory(error);
	return hp_summary_bytes(summary, &o->copy, &o->parent, error);
}

void hp_object_fetch_done(struct hp_object_fetch *o)
{
	hprof_reader_close(o->copy);
	hp_u64_map_done(&o->by_id);
	hp_arena_done(&o->arena);
	hp_free(o->wanted);
}
