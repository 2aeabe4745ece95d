/* SPDX-License-Identifier: MIT */
/*
 * object_writer.c - the record of the object that is being reported. It is
 * opened with the object's class, filled in a buffer, and written when the next
 * object begins.
 *
 * No report of the JVM is trusted: elements out of order, or an object that is
 * reported in several parts, end the walk with a message instead of crashing
 * the JVM. A field that its class does not have is skipped and counted.
 */
#include "agent/dump/walk.h"

#include <string.h>

#include "base/wire.h"

static const char in_parts[] = "the JVM reports an object in parts";

/* ---- values -------------------------------------------------------------- */

void ag_put_value(uint8_t *p, uint8_t type, uint64_t value, unsigned id_size)
{
	switch (hprof_type_size(type, id_size)) {
	case 1:
		*p = (uint8_t)value;
		break;
	case 2:
		hp_put16(p, (uint16_t)value);
		break;
	case 4:
		hp_put32(p, (uint32_t)value);
		break;
	default:
		hp_put64(p, value);
	}
}

uint64_t ag_value_bits(jvalue value, uint8_t type)
{
	switch (type) {
	case HPROF_TYPE_BOOLEAN:
		return value.z;
	case HPROF_TYPE_BYTE:
		return (uint8_t)value.b;
	case HPROF_TYPE_CHAR:
		return value.c;
	case HPROF_TYPE_SHORT:
		return (uint16_t)value.s;
	case HPROF_TYPE_INT:
	case HPROF_TYPE_FLOAT: /* the bits, to preserve any NaN */
		return (uint32_t)value.i;
	default:
		return (uint64_t)value.j;
	}
}

static bool put_body(struct ag_walk *w, const void *bytes, size_t size)
{
	enum hprof_status status = hprof_writer_body(w->writer, bytes, size);

	if (status != HPROF_OK)
		ag_walk_fail(w, status, NULL);
	return status == HPROF_OK;
}

/* ---- closing ------------------------------------------------------------- */

/* Where an object was allocated. */
static uint32_t trace_of(const struct ag_walk *w, uint64_t id)
{
	const struct ag_ids *ids = &w->classes->ids;

	return ids->marks
		       ? ag_marks_trace(ids->marks, (uint32_t)(id / ids->unit))
		       : AG_EMPTY_TRACE;
}

bool ag_walk_put_instance(struct ag_walk *w, uint64_t id, uint64_t class_id,
			  const uint8_t *body, uint32_t size)
{
	struct hprof_record r = { .tag = HPROF_INSTANCE_DUMP };

	if (w->level == 0)
		size = 0;
	r.id_size = (uint8_t)w->id_size;
	r.u.instance_dump.object_id = id;
	r.u.instance_dump.trace_serial = trace_of(w, id);
	r.u.instance_dump.class_id = class_id;
	r.u.instance_dump.data_size = size;
	r.u.instance_dump.data.data = body;
	r.u.instance_dump.data.size = size;
	w->objects++;
	return ag_walk_put(w, &r);
}

static uint64_t open_id(const struct ag_walk *w)
{
	return ag_id_of_tag(&w->classes->ids, w->open_tag);
}

/* Puts an array of objects; with ELEMENTS NULL, the elements follow. */
static bool put_objects(struct ag_walk *w, const uint8_t *elements)
{
	struct hprof_record r = { .tag = HPROF_OBJ_ARRAY_DUMP };

	r.id_size = (uint8_t)w->id_size;
	r.u.obj_array_dump.object_id = open_id(w);
	r.u.obj_array_dump.trace_serial = trace_of(w, open_id(w));
	r.u.obj_array_dump.count = (uint32_t)w->count;
	r.u.obj_array_dump.class_id = w->open_class;
	r.u.obj_array_dump.elements.data = elements;
	r.u.obj_array_dump.elements.size = w->count * w->id_size;
	w->objects++;
	return ag_walk_put(w, &r);
}

static bool put_values(struct ag_walk *w, uint8_t type, const uint8_t *elements,
		       uint64_t count)
{
	struct hprof_record r = { .tag = HPROF_PRIM_ARRAY_DUMP };

	r.id_size = (uint8_t)w->id_size;
	r.u.prim_array_dump.object_id = open_id(w);
	r.u.prim_array_dump.trace_serial = trace_of(w, open_id(w));
	r.u.prim_array_dump.count = (uint32_t)count;
	r.u.prim_array_dump.type = type;
	r.u.prim_array_dump.elements.data = elements;
	r.u.prim_array_dump.elements.size =
		count * hprof_type_size(type, w->id_size);
	w->objects++;
	return ag_walk_put(w, &r);
}

/* Writes the elements in the window, and moves it to those that follow. */
static bool next_window(struct ag_walk *w)
{
	uint64_t elements = w->window_end - w->window_from;
	uint64_t left = w->count - w->window_end;

	if (!w->head_written && !put_objects(w, NULL))
		return false;
	w->head_written = true;
	if (!put_body(w, w->body, (size_t)elements * w->id_size))
		return false;
	if (left > AG_WINDOW / w->id_size)
		left = AG_WINDOW / w->id_size;
	w->window_from = w->window_end;
	w->window_end += left;
	memset(w->body, 0, (size_t)left * w->id_size);
	return true;
}

static void close_objects(struct ag_walk *w)
{
	if (!w->head_written && w->window_end == w->count) {
		put_objects(w, w->body);
		return;
	}
	while (w->window_from < w->count)
		if (!next_window(w))
			return;
}

void ag_record_close(struct ag_walk *w)
{
	enum ag_open_kind open = w->open;

	w->open = AG_NOTHING;
	switch (open) {
	case AG_OPEN_INSTANCE:
		ag_walk_put_instance(w, open_id(w), w->open_class, w->body,
				     w->open_layout->body);
		break;
	case AG_OPEN_OBJECTS:
		close_objects(w);
		break;
	case AG_OPEN_VALUES: /* empty, or its values were not reported */
		if (w->open_tag >> 32 == 1)
			put_values(w, w->open_layout->element, NULL, 0);
		else
			ag_walk_fail(w, HPROF_E_FORMAT, in_parts);
		break;
	default:
		break;
	}
}

/* ---- opening ------------------------------------------------------------- */

/*
 * The number of elements that fit in a record, whose length has 32 bits.
 * HotSpot cuts arrays in its own dumps the same way.
 */
static uint64_t fitting(struct ag_walk *w, uint64_t count, unsigned head,
			unsigned size)
{
	uint64_t most = (UINT32_MAX - head) / size;

	if (count <= most)
		return count;
	w->cut_arrays++;
	return most;
}

static void open_objects(struct ag_walk *w)
{
	uint64_t length = w->level ? (w->open_tag >> 32) - 1 : 0;

	w->open = AG_OPEN_OBJECTS;
	w->count = fitting(w, length, 9 + 2 * w->id_size, w->id_size);
	w->head_written = false;
	w->window_from = 0;
	w->window_end = w->count < AG_WINDOW / w->id_size
				? w->count
				: AG_WINDOW / w->id_size;
	memset(w->body, 0, (size_t)w->window_end * w->id_size);
}

/* An instance of a class without layout. */
static void open_parked(struct ag_walk *w)
{
	w->open = AG_OPEN_PARKED;
	if (w->open_layout)
		w->open_layout->needed = true;
	ag_walk_note(w, (struct ag_note){ .value = w->open_class,
					  .object = (uint32_t)w->open_tag,
					  .kind = AG_PARKED });
}

void ag_record_open(struct ag_walk *w, uint64_t tag, uint64_t class_tag)
{
	struct ag_class *c = ag_class(w->classes, ag_serial_of_tag(class_tag));

	ag_record_close(w);
	/* A class object gets a CLASS_DUMP instead. */
	if (ag_serial_of_tag(tag) != 0)
		return;
	w->visited = true;
	if ((uint32_t)tag >= w->first_place)
		w->unvisited--;
	w->open_tag = tag;
	w->open_class = ag_id_of_tag(&w->classes->ids, class_tag);
	w->open_layout = c;
	if (tag >> 32 == 0) {
		if (c && c->laid_out) {
			w->open = AG_OPEN_INSTANCE;
			memset(w->body, 0, c->body);
		} else if (c && c->kind != AG_UNLINKED) {
			ag_walk_fail(w, HPROF_E_FORMAT,
				     "the JVM reports an array without length");
		} else {
			open_parked(w);
		}
	} else if (c && c->kind == AG_PRIM_ARRAY) {
		w->open = AG_OPEN_VALUES;
	} else if (c && c->kind != AG_OBJ_ARRAY) {
		ag_walk_fail(w, HPROF_E_FORMAT,
			     "the JVM reports an instance with a length");
	} else { /* also if the array class was just loaded */
		open_objects(w);
	}
}

/* ---- filling ------------------------------------------------------------- */

void ag_record_field(struct ag_walk *w, uint64_t tag, jint index, uint8_t type,
		     uint64_t value)
{
	if (tag != w->open_tag) {
		ag_walk_fail(w, HPROF_E_FORMAT, in_parts);
	} else if (w->open == AG_OPEN_INSTANCE) {
		const struct ag_class *c = w->open_layout;
		uint32_t i = (uint32_t)index - c->interface_fields;

		if (i < c->slot_count && c->slots[i].type == type &&
		    c->slots[i].offset != AG_NO_SLOT)
			ag_put_value(w->body + c->slots[i].offset, type, value,
				     w->id_size);
		else
			w->lost++;
	} else if (w->open == AG_OPEN_PARKED) {
		ag_walk_note(w, (struct ag_note){ .value = value,
						  .object = (uint32_t)tag,
						  .index = (uint32_t)index,
						  .kind = AG_PARKED_FIELD,
						  .type = type });
	} else {
		ag_walk_fail(w, HPROF_E_FORMAT, in_parts);
	}
}

void ag_record_element(struct ag_walk *w, uint64_t tag, jint index, uint64_t id)
{
	uint64_t i = (uint32_t)index;

	if (w->open != AG_OPEN_OBJECTS || tag != w->open_tag ||
	    i < w->window_from) {
		ag_walk_fail(w, HPROF_E_FORMAT, in_parts);
		return;
	}
	if (i >= w->count) {
		if (i >= (tag >> 32) - 1)
			ag_walk_fail(w, HPROF_E_FORMAT,
				     "the JVM reports an element behind the "
				     "end of its array");
		return; /* beyond the cut */
	}
	while (i >= w->window_end)
		if (!next_window(w))
			return;
	hp_put_id(w->body + (i - w->window_from) * w->id_size, w->id_size, id);
}

/* Copies COUNT values of SIZE bytes to OUT, in big-endian order. */
static void swap_values(uint8_t *out, const uint8_t *in, size_t count,
			unsigned size)
{
	uint16_t v2;
	uint32_t v4;
	uint64_t v8;

	for (size_t i = 0; i < count; i++, in += size, out += size) {
		switch (size) {
		case 2:
			memcpy(&v2, in, 2);
			hp_put16(out, v2);
			break;
		case 4:
			memcpy(&v4, in, 4);
			hp_put32(out, v4);
			break;
		default:
			memcpy(&v8, in, 8);
			hp_put64(out, v8);
		}
	}
}

/* The same, with a SIZE that is constant for the compiler. */
static void copy_values(uint8_t *out, const uint8_t *in, size_t count,
			unsigned size)
{
	if (size == 2)
		swap_values(out, in, count, 2);
	else if (size == 4)
		swap_values(out, in, count, 4);
	else
		swap_values(out, in, count, 8);
}

/* Below level 2: COUNT zeros, or, with ids and types alone, an empty array. */
static void write_no_values(struct ag_walk *w, uint8_t type, uint64_t count)
{
	const unsigned size = hprof_type_size(type, w->id_size);
	uint64_t left = w->level ? count * size : 0;

	if (!put_values(w, type, NULL, w->level ? count : 0))
		return;
	memset(w->body, 0, left < AG_WINDOW ? (size_t)left : AG_WINDOW);
	while (left > 0) {
		const size_t n = left < AG_WINDOW ? (size_t)left : AG_WINDOW;

		if (!put_body(w, w->body, n))
			return;
		left -= n;
	}
}

static void write_values(struct ag_walk *w, uint8_t type, const uint8_t *in,
			 uint64_t count)
{
	unsigned size = hprof_type_size(type, w->id_size);
	uint64_t piece = AG_WINDOW / size;

	count = fitting(w, count, 10 + w->id_size, size);
	if (!ag_walk_has(w, type)) {
		write_no_values(w, type, count);
		return;
	}
	if (size == 1 || count == 0) {
		put_values(w, type, count ? in : NULL, count);
		return;
	}
	if (count <= piece) {
		copy_values(w->body, in, (size_t)count, size);
		put_values(w, type, w->body, count);
		return;
	}
	if (!put_values(w, type, NULL, count))
		return;
	for (uint64_t done = 0; done < count; done += piece) {
		size_t n =
			(size_t)(count - done < piece ? count - done : piece);
		copy_values(w->body, in + done * size, n, size);
		if (!put_body(w, w->body, n * size))
			return;
	}
}

/*
 * Do COUNT values of TYPE belong to the array that is open? The fillers that a
 * JVM puts into gaps in the heap look like arrays of objects but have ints.
 */
static bool is_open_array(const struct ag_walk *w, uint64_t tag, uint8_t type,
			  jint count)
{
	if (tag != w->open_tag || (uint64_t)(uint32_t)count + 1 != tag >> 32)
		return false;
	return w->open == AG_OPEN_VALUES
		       ? type == w->open_layout->element
		       : w->open == AG_OPEN_OBJECTS && !w->head_written;
}

void ag_record_values(struct ag_walk *w, uint64_t tag, uint8_t type,
		      const void *elements, jint count)
{
	if (!is_open_array(w, tag, type, count)) {
		ag_walk_fail(w, HPROF_E_FORMAT, in_parts);
		return;
	}
	w->open = AG_NOTHING;
	write_values(w, type, elements, (uint32_t)count);
}
