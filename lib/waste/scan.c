/* SPDX-License-Identifier: MIT */
/*
 * scan.c - the pass over all objects that fills the tables of struct hp_waste:
 * it reads them, many at once or in pieces.
 */
#include "base/error.h"
#include "base/mem.h"
#include "codec/object_head.h"
#include "stream/reader.h"
#include "waste/scan.h"

enum { PIECE = 64 << 10, OBJECTS_EACH = 1 << 14 /* of a thread */ };

static bool failed(const void *state)
{
	return ((const struct hp_waste_scan *)state)->status < 0;
}

/* ---- many objects -------------------------------------------------------- */

/* The number of the next object; HP_NOBODY: it is not reachable. */
static inline uint32_t next_object(struct hp_waste_scan *s, uint64_t id)
{
	uint64_t i = hp_number(&s->numbering, id);

	if (s->numbering.changed || i >= s->object_count) {
		hp_scan_fail(s, HPROF_E_CORRUPT);
		return HP_NOBODY;
	}
	return hp_bit(s->reachable, i) ? (uint32_t)i : HP_NOBODY;
}

static struct hp_scan_row new_row(uint32_t object, uint32_t length)
{
	return (struct hp_scan_row){ .array = { .object = object,
						.length = length,
						.first = HP_NOBODY } };
}

static void take_object(struct hp_waste_scan *s,
			const struct hp_object_head *head, const uint8_t *data)
{
	uint32_t i = next_object(s, head->id);

	if (i == HP_NOBODY)
		return;
	if (head->tag == HPROF_INSTANCE_DUMP) {
		hp_scan_instance(s, i, head->class_id, data, head->size);
	} else if (head->tag == HPROF_OBJ_ARRAY_DUMP) {
		struct hp_scan_row row = new_row(i, head->count);

		hp_scan_elements(s, &row, data, head->count);
		hp_scan_row(s, &row);
	} else {
		struct hp_scan_prims prims;

		hp_scan_prims_begin(s, &prims, i, head->type);
		hp_scan_prims_add(&prims, data, (size_t)head->size);
		hp_scan_prims_end(s, &prims);
	}
}

static void trim_memory(struct hp_waste *w)
{
	if (!w->tables.limit)
		return;
	/* Which tables there are changes where lists grow. */
	pthread_mutex_lock(&w->lock);
	hp_tables_trim_memory(&w->tables);
	pthread_mutex_unlock(&w->lock);
}

static size_t scan(void *state, uint64_t offset, const uint8_t *start,
		   size_t size)
{
	struct hp_waste_scan *s = state;
	const unsigned z = s->w->heap->id_size;
	const uint8_t *p = start, *end = start + size;
	struct hp_object_head head;

	(void)offset;
	trim_memory(s->w);
	while (s->status >= 0 &&
	       hp_object_head_read(p, hp_room(p, end), z, &head)) {
		take_object(s, &head, p + head.size_of_head);
		p += head.size_of_head + head.size;
	}
	return (size_t)(p - start);
}

/* ---- objects that are read in pieces ------------------------------------- */

typedef void take_piece(struct hp_waste_scan *s, void *user,
			const uint8_t *bytes, size_t size);

/* Gives the bytes of a body to TAKE, in multiples of 8 but for the end. */
static bool take_body(struct hp_waste_scan *s, struct hprof_reader *reader,
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
		hp_scan_fail(s, HPROF_E_NOMEM);
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

static void piece_of_row(struct hp_waste_scan *s, void *user,
			 const uint8_t *bytes, size_t size)
{
	hp_scan_elements(s, user, bytes, size / s->w->heap->id_size);
}

static void piece_of_prims(struct hp_waste_scan *s, void *user,
			   const uint8_t *bytes, size_t size)
{
	(void)s;
	hp_scan_prims_add(user, bytes, size);
}

static bool record_row(struct hp_waste_scan *s, struct hprof_reader *reader,
		       const struct hprof_obj_array_dump *dump)
{
	uint32_t i = next_object(s, dump->object_id);
	struct hp_scan_row row = new_row(i, dump->count);

	if (i == HP_NOBODY)
		return hp_reader_pass_body(reader);
	if (!take_body(s, reader, &dump->elements, piece_of_row, &row))
		return false;
	hp_scan_row(s, &row);
	return true;
}

static bool record_prims(struct hp_waste_scan *s, struct hprof_reader *reader,
			 const struct hprof_record *record)
{
	const struct hprof_prim_array_dump *dump = &record->u.prim_array_dump;
	uint32_t i = next_object(s, dump->object_id);
	struct hp_scan_prims prims;

	if (i == HP_NOBODY || record->tag != HPROF_PRIM_ARRAY_DUMP ||
	    !hp_primitive_size(dump->type))
		return hp_reader_pass_body(reader);
	hp_scan_prims_begin(s, &prims, i, dump->type);
	if (!take_body(s, reader, &dump->elements, piece_of_prims, &prims))
		return false;
	hp_scan_prims_end(s, &prims);
	return true;
}

/* What a very long instance refers to is not needed. */
static bool record_instance(struct hp_waste_scan *s,
			    struct hprof_reader *reader,
			    const struct hprof_instance_dump *dump)
{
	uint32_t i = next_object(s, dump->object_id);

	if (i != HP_NOBODY && dump->data.data)
		hp_scan_instance(s, i, dump->class_id, dump->data.data,
				 dump->data.size);
	return hp_reader_pass_body(reader);
}

static bool record(void *state, struct hprof_reader *reader,
		   const struct hprof_record *record)
{
	struct hp_waste_scan *s = state;

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
	struct hp_waste_scan *s = state;
	bool changed = s->numbering.changed ||
		       s->numbering.position != s->numbering.limit;

	/* What another thread has read lies between: see list_order.c. */
	if (!s->alone && s->numbering.limit != extent->first) {
		hp_scan_flush(s);
		hp_scan_move(s);
	}
	hp_number_extent(&s->numbering, s->w->heap, extent);
	if (changed)
		hp_scan_fail(s, HPROF_E_CORRUPT);
}

/* ---- the pass ------------------------------------------------------------ */

static enum hprof_status make_tables(struct hp_waste *w)
{
	const struct hprof_summary *summary = hprof_heap_summary(w->heap);

	w->content_room = summary->prim_arrays;
	HP_TRY(hp_waste_make_room(w));
	HP_TRY(hp_mapped_table_make(&w->tables, &w->referrers,
				    w->heap->count + 1, sizeof(uint64_t),
				    HP_MAPPED_TABLE_CLEAR, w->error));
	return hp_mapped_table_make(
		&w->tables, &w->contents, w->content_room + 1,
		sizeof(struct hp_content), HP_MAPPED_TABLE_RAW, w->error);
}

static void add_instances(struct hp_waste *w, const uint64_t *instances)
{
	for (size_t row = 0; row <= w->class_count; row++)
		w->classes[row].instances += instances[row];
}

/* The first failure of a thread. */
static enum hprof_status
failure(struct hp_waste *w, const struct hp_waste_scan *threads, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const struct hp_waste_scan *s = &threads[i];

		if (s->status >= 0)
			continue;
		if (s->error.status < 0)
			*w->error = s->error;
		else if (s->status == HPROF_E_CORRUPT)
			hp_file_changed(w->error);
		else
			hp_no_memory(w->error);
		return s->status;
	}
	return HPROF_OK;
}

/* What is left after the pass. */
static enum hprof_status end(struct hp_waste *w, struct hp_waste_scan *threads,
			     unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		hp_scan_flush(&threads[i]);
		hp_scan_move(&threads[i]);
		add_instances(w, threads[i].instances);
	}
	HP_TRY(failure(w, threads, count));
	if (w->read)
		w->read(w->read_user);
	hp_scan_statics(&threads[0]);
	return hp_waste_sort_lists(w);
}

static enum hprof_status run(struct hp_waste *w, struct hp_waste_scan *threads,
			     unsigned count, const struct hp_say *say)
{
	static const struct hp_object_scan_ops ops = {
		.scan = scan, .record = record, .begin = begin, .failed = failed
	};
	void *states[HP_WASTE_THREADS_MOST];
	enum hprof_status status;

	for (unsigned i = 0; i < count; i++) {
		HP_TRY(hp_scan_open(&threads[i], w, count == 1));
		states[i] = &threads[i];
	}
	status = hp_heap_pass(w->heap, &ops, states, count, say, w->error);
	HP_TRY(failure(w, threads, count));
	return status < 0 ? status : end(w, threads, count);
}

enum hprof_status hp_waste_scan(struct hp_waste *w, const struct hp_say *say)
{
	unsigned count = hp_waste_threads(w);
	struct hp_waste_scan *threads;
	enum hprof_status status;

	if (count > w->heap->count / OBJECTS_EACH + 1)
		count = (unsigned)(w->heap->count / OBJECTS_EACH + 1);
	HP_TRY(make_tables(w));
	threads = hp_calloc(count, sizeof *threads);
	if (!threads)
		return hp_no_memory(w->error);
	status = run(w, threads, count, say);
	for (unsigned i = 0; i < count; i++)
		hp_scan_close(&threads[i]);
	hp_free(threads);
	return status;
}
