/* SPDX-License-Identifier: MIT */
/*
 * scan.c - the pass over all objects that fills the tables of struct hp_waste.
 *
 * Each reference costs two cache misses, the number of its target and the
 * target's row, so references are collected and looked up in batches.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "codec/object_head.h"
#include "stream/reader.h"
#include "waste/waste.h"

enum { BATCH = 64, PIECE = 64 << 10, TAIL_LEAST = 64 };

/* A reference; FIELD is its number among those of the object. */
struct reference {
	uint64_t id;
	uint32_t from;
	uint8_t field;
	bool of_string;
};

struct scan {
	struct hp_waste *w;
	uint32_t *referrer; /* the tables */
	uint8_t *field;
	struct hp_numbering numbering;
	uint64_t last_id;
	struct hp_waste_class *last_class;
	struct reference batch[BATCH];
	unsigned count;
	enum hprof_status status;
};

static bool failed(const void *state)
{
	return ((const struct scan *)state)->status < 0;
}

static void fail(struct scan *s, enum hprof_status status)
{
	if (s->status >= 0)
		s->status = status;
}

static void add_number(struct scan *s, struct hp_number_list *list,
		       uint32_t number)
{
	if (hp_grow((void **)&list->items, &list->room, list->count,
		    sizeof *list->items) != HPROF_OK)
		fail(s, HPROF_E_NOMEM);
	else
		list->items[list->count++] = number;
}

/* ---- references ---------------------------------------------------------- */

/* The first referrer of an object counts, unless it refers to itself. */
static void take_reference(struct scan *s, const struct reference *r,
			   uint64_t to)
{
	if (to == HPROF_NO_OBJECT || to == r->from)
		return;
	if (!s->referrer[to]) {
		s->referrer[to] = r->from + 1;
		s->field[to] = r->field;
	} else if (r->of_string && s->referrer[to] != r->from + 1) {
		add_number(s, &s->w->sharers, (uint32_t)to);
		add_number(s, &s->w->sharers, r->from);
	}
}

static void flush(struct scan *s)
{
	const struct hprof_heap *heap = s->w->heap;
	uint64_t to[BATCH];

	for (unsigned i = 0; i < s->count; i++) {
		to[i] = hp_heap_find(heap, s->batch[i].id);
		if (to[i] != HPROF_NO_OBJECT)
			__builtin_prefetch(&s->referrer[to[i]], 1);
	}
	for (unsigned i = 0; i < s->count; i++)
		take_reference(s, &s->batch[i], to[i]);
	s->count = 0;
}

static inline void offer(struct scan *s, uint32_t from, uint32_t field,
			 bool of_string, uint64_t id)
{
	hp_heap_prefetch(s->w->heap, id);
	s->batch[s->count++] = (struct reference){
		.id = id,
		.from = from,
		.field = field < HP_FIELD_MOST ? (uint8_t)field : HP_FIELD_MOST,
		.of_string = of_string,
	};
	if (s->count == BATCH)
		flush(s);
}

/* ---- instances ----------------------------------------------------------- */

/* The value at PLACE; false: the instance ends before it. */
static bool get(const struct scan *s, struct hp_place place,
		const uint8_t *data, uint64_t size, uint64_t *ret)
{
	unsigned width;

	if (place.at == HP_NO_FIELD)
		return false;
	width = hprof_type_size(place.type, s->w->heap->id_size);
	if ((uint64_t)place.at + width > size)
		return false;
	*ret = hp_get_id(data + place.at, width);
	return true;
}

static uint32_t number_of(const struct scan *s, uint64_t id)
{
	uint64_t i = id ? hp_heap_find(s->w->heap, id) : HPROF_NO_OBJECT;

	return i == HPROF_NO_OBJECT ? HP_NOBODY : (uint32_t)i;
}

static void take_string(struct scan *s, const struct hp_waste_class *c,
			const uint8_t *data, uint64_t size)
{
	uint64_t coder, array;

	if (get(s, c->coder, data, size, &coder) && coder == 1 &&
	    get(s, c->store, data, size, &array) &&
	    number_of(s, array) != HP_NOBODY)
		add_number(s, &s->w->wide, number_of(s, array));
}

/*
 * The size as the instance has it. That of a ring is computed when the length of
 * its array is known, and both ends are kept instead.
 */
static uint64_t take_size(const struct scan *s, const struct hp_waste_class *c,
			  const uint8_t *data, uint64_t size)
{
	uint64_t bits, tail;

	if (get(s, c->cells, data, size, &bits) && bits)
		return HPROF_COLLECTION_UNKNOWN;
	if (get(s, c->size, data, size, &bits)) {
		int64_t said = hprof_value_int64(c->size.type, bits);

		return said < 0 ? HPROF_COLLECTION_UNKNOWN : (uint64_t)said;
	}
	if (!c->known.form->size && get(s, c->head, data, size, &bits) &&
	    get(s, c->tail, data, size, &tail))
		return (bits & INT32_MAX) << 32 | (tail & INT32_MAX);
	return HPROF_COLLECTION_UNKNOWN;
}

static void take_collection(struct scan *s, const struct hp_waste_class *c,
			    uint32_t i, const uint8_t *data, uint64_t size)
{
	struct hp_waste *w = s->w;
	struct hp_seen seen = { .object = i, .store = HP_NOBODY };
	uint64_t bits;

	if (c->known.form->walk == HP_WALK_FIELDS)
		return;
	if (get(s, c->store, data, size, &bits))
		seen.store = number_of(s, bits);
	seen.counts = get(s, c->changes, data, size, &bits);
	seen.changed = seen.counts && bits;
	seen.size = take_size(s, c, data, size);
	if (hp_grow((void **)&w->seen, &w->seen_room, w->seen_count,
		    sizeof *w->seen) != HPROF_OK)
		fail(s, HPROF_E_NOMEM);
	else
		w->seen[w->seen_count++] = seen;
}

/* The class with ID; that of unknown classes if there is none. */
static struct hp_waste_class *class_of(struct scan *s, uint64_t id)
{
	if (id != s->last_id) {
		const struct hp_heap_class *of = hp_heap_class(s->w->heap, id);

		s->last_id = id;
		s->last_class =
			&s->w->classes[of ? of->row : s->w->class_count];
	}
	return s->last_class;
}

static void take_instance(struct scan *s, uint32_t i, uint64_t class_id,
			  const uint8_t *data, uint64_t size)
{
	struct hp_waste_class *c = class_of(s, class_id);
	const unsigned z = s->w->heap->id_size;

	if (!c->of)
		return;
	c->instances++;
	for (uint32_t k = 0; k < c->of->ref_count; k++) {
		uint64_t id;

		if (c->of->refs[k] + z > size)
			break;
		id = hp_get_id(data + c->of->refs[k], z);
		if (!id)
			continue;
		c->present[k]++;
		if (!c->back[k])
			offer(s, i, k,
			      c->role == HP_ROLE_STRING &&
				      c->of->refs[k] == c->store.at,
			      id);
	}
	if (c->role == HP_ROLE_COLLECTION)
		take_collection(s, c, i, data, size);
	else if (c->role == HP_ROLE_STRING)
		take_string(s, c, data, size);
}

/* ---- arrays of references ------------------------------------------------ */

static void take_elements(struct scan *s, struct hp_row_array *array,
			  const uint8_t *data, uint64_t count)
{
	const unsigned z = s->w->heap->id_size;

	for (uint64_t k = 0; k < count; k++, data += z) {
		uint64_t id = hp_get_id(data, z);

		if (!id)
			continue;
		if (!array->present++)
			array->first = number_of(s, id);
		offer(s, array->object, 0, false, id);
	}
}

static void add_row(struct scan *s, const struct hp_row_array *array)
{
	struct hp_waste *w = s->w;

	if (hp_grow((void **)&w->rows, &w->row_room, w->row_count,
		    sizeof *w->rows) != HPROF_OK)
		fail(s, HPROF_E_NOMEM);
	else
		w->rows[w->row_count++] = *array;
}

/* ---- primitive arrays ---------------------------------------------------- */

/* A primitive array, of which pieces are read. */
struct prims {
	uint32_t object;
	unsigned type, width;
	struct hp_content_hash hash;
	uint64_t size;	 /* bytes so far */
	uint64_t used;	 /* up to the last byte that is not 0 */
	uint8_t bits[2]; /* of the bytes at even and odd offsets: any set */
	bool big_endian; /* how the bytes of its elements are ordered */
};

static void begin_prims(const struct scan *s, struct prims *a, uint32_t i,
			unsigned type)
{
	*a = (struct prims){ .object = i,
			     .type = type,
			     .width = hp_primitive_size(type) };
	hp_content_hash_begin(&a->hash, &s->w->key, type);
}

static uint64_t last_set(const uint8_t *data, size_t size)
{
	while (size && !data[size - 1])
		size--;
	return size;
}

/* Pieces are multiples of 8, except for the last one. */
static void take_bytes(struct prims *a, const uint8_t *data, size_t size)
{
	uint64_t last = last_set(data, size), word = 0;

	if (last)
		a->used = a->size + last;
	hp_content_hash_add(&a->hash, data, size);
	if (a->type == HPROF_TYPE_CHAR || a->type == HPROF_TYPE_BYTE) {
		size_t i = 0;

		for (; i + 8 <= size; i += 8) {
			uint64_t one;

			memcpy(&one, data + i, 8);
			word |= one;
		}
		for (; i < size; i++)
			a->bits[i & 1] |= data[i];
		for (i = 0; i < 8; i++)
			a->bits[i & 1] |= ((const uint8_t *)&word)[i];
	}
	a->size += size;
}

static void add_shrinkable(struct scan *s, struct hp_shrinkable_list *list,
			   const struct prims *a, uint64_t used)
{
	if (hp_grow((void **)&list->items, &list->room, list->count,
		    sizeof *list->items) != HPROF_OK)
		fail(s, HPROF_E_NOMEM);
	else
		list->items[list->count++] =
			(struct hp_shrinkable){ a->object, a->type, used,
						a->size };
}

/* Characters all of whose high bytes are 0. */
static void note_high_bytes(struct scan *s, const struct prims *a)
{
	bool native = s->w->heap->big_endian;

	if (!a->size)
		return;
	if (a->type == HPROF_TYPE_CHAR && !a->bits[0])
		add_shrinkable(s, &s->w->thin, a, a->size / 2);
	else if (a->type == HPROF_TYPE_BYTE && a->size > 1 &&
		 !a->bits[native ? 0 : 1])
		add_shrinkable(s, &s->w->halves, a, a->size / 2);
}

static void note_tail(struct scan *s, const struct prims *a)
{
	uint64_t used = (a->used + a->width - 1) / a->width * a->width;

	if (a->size >= TAIL_LEAST && used <= a->size / 2)
		add_shrinkable(s, &s->w->tails, a, used);
}

static void end_prims(struct scan *s, struct prims *a)
{
	struct hp_waste *w = s->w;
	struct hp_content *content;
	uint64_t hash[2];

	if (!a->size)
		add_number(s, &w->empties, a->object);
	hp_content_hash_end(&a->hash, hash);
	note_high_bytes(s, a);
	note_tail(s, a);
	if (w->content_count == w->content_room) {
		fail(s, HPROF_E_CORRUPT); /* more than the summary counted */
		return;
	}
	content = (struct hp_content *)w->contents.at + w->content_count++;
	memcpy(content->hash, hash, sizeof content->hash);
	content->object = a->object;
}

/* ---- many objects -------------------------------------------------------- */

/* The number of the next object; HP_NOBODY: it is not reachable. */
static uint32_t next_object(struct scan *s, uint64_t id)
{
	uint64_t i = hp_number(&s->numbering, id);

	if (s->numbering.changed || i >= s->w->heap->count) {
		fail(s, HPROF_E_CORRUPT);
		return HP_NOBODY;
	}
	return hp_waste_reachable(s->w, i) ? (uint32_t)i : HP_NOBODY;
}

static void take_object(struct scan *s, const struct hp_object_head *head,
			const uint8_t *data)
{
	uint32_t i = next_object(s, head->id);

	if (i == HP_NOBODY)
		return;
	if (head->tag == HPROF_INSTANCE_DUMP) {
		take_instance(s, i, head->class_id, data, head->size);
	} else if (head->tag == HPROF_OBJ_ARRAY_DUMP) {
		struct hp_row_array array = { .object = i,
					      .length = head->count,
					      .first = HP_NOBODY };

		take_elements(s, &array, data, head->count);
		add_row(s, &array);
	} else {
		struct prims prims;

		begin_prims(s, &prims, i, head->type);
		take_bytes(&prims, data, (size_t)head->size);
		end_prims(s, &prims);
	}
}

static size_t scan(void *state, uint64_t offset, const uint8_t *start,
		   size_t size)
{
	struct scan *s = state;
	const unsigned z = s->w->heap->id_size;
	const uint8_t *p = start, *end = start + size;
	struct hp_object_head head;

	(void)offset;
	hp_tables_trim_memory(&s->w->tables);
	while (s->status >= 0 &&
	       hp_object_head_read(p, hp_room(p, end), z, &head)) {
		take_object(s, &head, p + head.size_of_head);
		p += head.size_of_head + head.size;
	}
	return (size_t)(p - start);
}

/* ---- objects that are read in pieces ------------------------------------- */

typedef void take_piece(struct scan *s, void *user, const uint8_t *bytes,
			size_t size);

/* Gives the bytes of a body to TAKE, in multiples of 8 but for the end. */
static bool take_body(struct scan *s, struct hprof_reader *reader,
		      const struct hprof_bytes *body, take_piece *take,
		      void *user)
{
	uint8_t *piece;
	size_t n, have = 0;
	enum hprof_status status = HPROF_OK;

	if (body->data) {
		take(s, user, body->data, (size_t)body->size);
		return true;
	}
	piece = hp_alloc(PIECE);
	if (!piece) {
		fail(s, HPROF_E_NOMEM);
		return true;
	}
	do {
		status = hprof_reader_body(reader, piece + have, PIECE - have,
					   &n);
		if (status < 0)
			n = 0;
		have += n;
		if (have == PIECE || (n == 0 && have)) {
			take(s, user, piece, have);
			have = 0;
		}
	} while (n > 0);
	hp_free(piece);
	return status >= 0 || status == HPROF_E_TRUNCATED;
}

static void piece_of_row(struct scan *s, void *user, const uint8_t *bytes,
			 size_t size)
{
	take_elements(s, user, bytes, size / s->w->heap->id_size);
}

static void piece_of_prims(struct scan *s, void *user, const uint8_t *bytes,
			   size_t size)
{
	(void)s;
	take_bytes(user, bytes, size);
}

static bool record_row(struct scan *s, struct hprof_reader *reader,
		       const struct hprof_obj_array_dump *dump)
{
	uint32_t i = next_object(s, dump->object_id);
	struct hp_row_array array = { .object = i,
				      .length = dump->count,
				      .first = HP_NOBODY };

	if (i == HP_NOBODY)
		return hp_reader_pass_body(reader);
	if (!take_body(s, reader, &dump->elements, piece_of_row, &array))
		return false;
	add_row(s, &array);
	return true;
}

static bool record_prims(struct scan *s, struct hprof_reader *reader,
			 const struct hprof_record *record)
{
	const struct hprof_prim_array_dump *dump = &record->u.prim_array_dump;
	uint32_t i = next_object(s, dump->object_id);
	struct prims prims;

	if (i == HP_NOBODY || record->tag != HPROF_PRIM_ARRAY_DUMP ||
	    !hp_primitive_size(dump->type))
		return hp_reader_pass_body(reader);
	begin_prims(s, &prims, i, dump->type);
	if (!take_body(s, reader, &dump->elements, piece_of_prims, &prims))
		return false;
	end_prims(s, &prims);
	return true;
}

/* What a very long instance refers to is not needed. */
static bool record_instance(struct scan *s, struct hprof_reader *reader,
			    const struct hprof_instance_dump *dump)
{
	uint32_t i = next_object(s, dump->object_id);

	if (i != HP_NOBODY && dump->data.data)
		take_instance(s, i, dump->class_id, dump->data.data,
			      dump->data.size);
	return hp_reader_pass_body(reader);
}

static bool record(void *state, struct hprof_reader *reader,
		   const struct hprof_record *record)
{
	struct scan *s = state;

	switch (record->tag) {
	case HPROF_INSTANCE_DUMP:
		return record_instance(s, reader, &record->u.instance_dump);
	case HPROF_OBJ_ARRAY_DUMP:
		return record_row(s, reader, &record->u.obj_array_dump);
	case HPROF_PRIM_ARRAY_DUMP:
	case HPROF_PRIM_ARRAY_NODATA_DUMP:
		return record_prims(s, reader, record);
	default:
		return hp_reader_pass_body(reader);
	}
}

static void begin(void *state, const struct hp_extent *extent)
{
	struct scan *s = state;
	bool changed = s->numbering.changed ||
		       s->numbering.position != s->numbering.limit;

	hp_number_extent(&s->numbering, s->w->heap, extent);
	if (changed)
		fail(s, HPROF_E_CORRUPT);
}

/* ---- the pass ------------------------------------------------------------ */

/* Statics hold what nothing else refers to. */
static void take_statics(struct scan *s)
{
	const struct hprof_heap *heap = s->w->heap;

	for (size_t i = 0; i < heap->class_object_count; i++) {
		const struct hp_class_object *object = &heap->class_objects[i];
		const struct hp_dumped_class *own =
			heap->classes[object->row].own;

		if (!own || !hp_waste_reachable(s->w, object->index))
			continue;
		for (uint32_t k = 0; k < own->static_count; k++)
			if (own->statics[k].type == HPROF_TYPE_OBJECT &&
			    own->statics[k].value)
				offer(s, (uint32_t)object->index, k, false,
				      own->statics[k].value);
	}
	flush(s);
}

static int compare_rows(const void *left, const void *right)
{
	const struct hp_row_array *a = left, *b = right;

	return a->object < b->object ? -1 : a->object > b->object;
}

static enum hprof_status make_tables(struct hp_waste *w)
{
	const struct hprof_summary *summary = hprof_heap_summary(w->heap);

	w->content_room = summary->prim_arrays;
	HP_TRY(hp_mapped_table_make(&w->tables, &w->referrer,
				    w->heap->count + 1, sizeof(uint32_t),
				    HP_MAPPED_TABLE_CLEAR, w->error));
	HP_TRY(hp_mapped_table_make(&w->tables, &w->field, w->heap->count + 1,
				    1, HP_MAPPED_TABLE_CLEAR, w->error));
	return hp_mapped_table_make(
		&w->tables, &w->contents, w->content_room + 1,
		sizeof(struct hp_content), HP_MAPPED_TABLE_CLEAR, w->error);
}

enum hprof_status hp_waste_scan(struct hp_waste *w, const struct hp_say *say)
{
	static const struct hp_object_scan_ops ops = {
		.scan = scan, .record = record, .begin = begin, .failed = failed
	};
	struct scan *s;
	void *states[1];
	enum hprof_status status;

	HP_TRY(make_tables(w));
	s = hp_calloc(1, sizeof *s);
	if (!s)
		return hp_no_memory(w->error);
	*s = (struct scan){ .w = w,
			    .referrer = w->referrer.at,
			    .field = w->field.at,
			    .last_id = 0,
			    .last_class = &w->classes[w->class_count] };
	states[0] = s;
	status = hp_heap_pass(w->heap, &ops, states, 1, say, w->error);
	if (status >= 0) {
		flush(s);
		take_statics(s);
		status = s->status;
	}
	if (status == HPROF_E_CORRUPT)
		hp_file_changed(w->error);
	else if (status == HPROF_E_NOMEM)
		hp_no_memory(w->error);
	hp_free(s);
	if (w->row_count)
		qsort(w->rows, w->row_count, sizeof *w->rows, compare_rows);
	return status;
}

const struct hp_row_array *hp_waste_find_row(const struct hp_waste *w,
					     uint32_t object)
{
	struct hp_row_array key = { .object = object };

	return w->row_count ? bsearch(&key, w->rows, w->row_count,
				      sizeof *w->rows, compare_rows)
			    : NULL;
}
