/* SPDX-License-Identifier: MIT */
/*
 * object_scan.c - see object_scan.h.
 *
 * A pass over extents needs neither recovery nor framing: extents are known to
 * be valid, so any thread can read any of them at any time. Neighbouring ones
 * are read as one piece of work; what is between them (mostly record headers)
 * is skipped.
 */
#include "census/object_scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "stream/reader.h"

enum { PROGRESS_STEP = 4 << 20, WAIT_MS = 100 };
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { EXTENT_SIZE = 96, PIECE_SIZE = 256 };
#else
enum {
	EXTENT_SIZE = 1 << 20, /* beyond this, a new extent begins */
	PIECE_SIZE = 8 << 20   /* what a thread takes at once */
};
#endif

/* ---- extents ------------------------------------------------------------- */

void hp_extents_note(struct hp_extents *e, uint64_t offset, uint64_t end,
		     uint64_t objects)
{
	struct hp_extent *last = e->count ? &e->items[e->count - 1] : NULL;

	if (!last || last->end != offset ||
	    last->end - last->offset >= EXTENT_SIZE) {
		if (hp_grow((void **)&e->items, &e->room, e->count,
			    sizeof *e->items) != HPROF_OK) {
			e->no_memory = true;
			return;
		}
		last = &e->items[e->count++];
		*last = (struct hp_extent){ .offset = offset };
	}
	last->end = end;
	last->count += objects;
}

void hp_extents_mix(struct hp_extents *e)
{
	if (e->count)
		e->items[e->count - 1].mixed = true;
}

enum hprof_status hp_extents_append(struct hp_extents *to,
				    const struct hp_extents *from)
{
	while (to->room - to->count < from->count)
		if (hp_grow((void **)&to->items, &to->room, to->room,
			    sizeof *to->items) != HPROF_OK)
			return HPROF_E_NOMEM;
	if (from->count)
		memcpy(to->items + to->count, from->items,
		       from->count * sizeof *to->items);
	to->count += from->count;
	to->no_memory = to->no_memory || from->no_memory;
	return HPROF_OK;
}

static int compare_extents(const void *a, const void *b)
{
	const struct hp_extent *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

void hp_extents_finalize(struct hp_extents *e)
{
	uint64_t first = 0;

	if (e->count)
		qsort(e->items, e->count, sizeof *e->items, compare_extents);
	for (size_t i = 0; i < e->count; i++) {
		e->items[i].first = first;
		first += e->items[i].count;
	}
}

void hp_extents_done(struct hp_extents *e)
{
	hp_free(e->items);
	*e = (struct hp_extents){ 0 };
}

/* ---- records ------------------------------------------------------------- */

bool hp_is_object_record(const struct hprof_record *record, uint64_t *ret_id)
{
	switch (record->tag) {
	case HPROF_INSTANCE_DUMP:
		*ret_id = record->u.instance_dump.object_id;
		return true;
	case HPROF_OBJ_ARRAY_DUMP:
		*ret_id = record->u.obj_array_dump.object_id;
		return true;
	case HPROF_PRIM_ARRAY_DUMP:
	case HPROF_PRIM_ARRAY_NODATA_DUMP:
		*ret_id = record->u.prim_array_dump.object_id;
		return true;
	default:
		return false;
	}
}

/* ---- the first pass ------------------------------------------------------ */

static uint64_t objects_so_far(const struct hp_object_scan *pass)
{
	return pass->extents ? pass->ops->objects(pass->state) : 0;
}

static void note(const struct hp_object_scan *pass, uint64_t offset,
		 uint64_t end, uint64_t objects_before)
{
	if (pass->extents)
		hp_extents_note(pass->extents, offset, end,
				objects_so_far(pass) - objects_before);
}

void hp_object_scan_bulk(const struct hp_object_scan *pass,
			 struct hprof_reader *reader)
{
	const uint64_t until = reader->window.offset + PROGRESS_STEP;
	const uint8_t *p;
	uint64_t offset, objects;
	size_t n, used;

	while (reader->window.offset < until &&
	       (n = hp_reader_heap_bytes(reader, &p)) > 0) {
		offset = reader->window.offset;
		objects = objects_so_far(pass);
		used = pass->ops->scan(pass->state, offset, p, n);
		if (used == 0)
			return;
		hp_reader_heap_consume(reader, used);
		note(pass, offset, offset + used, objects);
	}
}

void hp_object_scan_record(const struct hp_object_scan *pass,
			   struct hprof_reader *reader,
			   const struct hprof_record *record)
{
	uint64_t objects, size;

	if (record->tag < HPROF_SUB) {
		if (pass->ops->top)
			pass->ops->top(pass->state, reader, record);
		return;
	}
	objects = objects_so_far(pass);
	if (pass->ops->record(pass->state, reader, record) &&
	    hprof_record_size(record, reader->id_size, &size) == HPROF_OK) {
		note(pass, record->offset, record->offset + size, objects);
		if (pass->extents && objects_so_far(pass) == objects)
			hp_extents_mix(pass->extents);
	}
}

static bool has_failed(const struct hp_object_scan *pass)
{
	return pass->ops->failed(pass->state) ||
	       (pass->extents && pass->extents->no_memory);
}

enum hprof_status hp_object_scan_read(const struct hp_object_scan *pass,
				      struct hprof_reader *reader)
{
	struct hprof_record record;
	enum hprof_status status;

	hp_object_scan_bulk(pass, reader);
	while ((status = hprof_reader_next(reader, &record)) == HPROF_OK) {
		hp_object_scan_record(pass, reader, &record);
		hp_object_scan_bulk(pass, reader);
		if (has_failed(pass))
			return HPROF_E_NOMEM;
	}
	return status;
}

/* ---- passes over extents ------------------------------------------------- */

/* A run of extents: what a thread takes at once. */
struct piece {
	const struct hp_object_rescan *pass;
	const struct hp_extent *first, *behind;
};

/* More state that the threads of a pass share. */
struct crew {
	void *state;
	const struct hp_object_rescan *pass;
	enum hprof_status status;
	struct hprof_error error;
};

/* Reads EXTENT with READER; HPROF_E_CORRUPT if it has changed. */
static enum hprof_status read_extent(const struct hp_object_rescan *pass,
				     void *state, struct hprof_reader *reader,
				     const struct hp_extent *extent)
{
	const struct hp_object_scan_ops *ops = pass->ops;
	struct hprof_record record;
	enum hprof_status status;
	const uint8_t *p;
	size_t n, used;

	hp_reader_go(reader, extent->offset, extent->end);
	if (ops->begin)
		ops->begin(state, extent);
	for (;;) {
		while ((n = hp_reader_heap_bytes(reader, &p)) > 0 &&
		       (used = ops->scan(state, reader->window.offset, p, n)) >
			       0)
			hp_reader_heap_consume(reader, used);
		status = hprof_reader_next(reader, &record);
		if (status != HPROF_OK)
			break;
		if (!ops->record(state, reader, &record))
			return HPROF_E_CORRUPT;
	}
	if (status < 0)
		return status;
	return hp_reader_arrived(reader) ? HPROF_OK : HPROF_E_CORRUPT;
}

static enum hprof_status read_piece(struct crew *crew,
				    const struct piece *piece)
{
	struct hprof_unit unit = {
		.offset = piece->first->offset,
		.end = piece->behind[-1].end,
		.in_record = true,
		.ends_in_record = true,
		.id_size = crew->pass->parent->id_size,
	};
	struct hprof_reader *reader;
	enum hprof_status status;

	HP_TRY(hprof_reader_open_unit(crew->pass->parent, &unit, NULL, &reader,
				      &crew->error));
	for (const struct hp_extent *e = piece->first; e < piece->behind; e++) {
		status = read_extent(crew->pass, crew->state, reader, e);
		if (status < 0)
			break;
		if (crew->pass->ops->failed(crew->state)) {
			status = HPROF_E_NOMEM;
			break;
		}
	}
	if (status == HPROF_E_CORRUPT)
		hp_file_changed(&crew->error);
	else if (status == HPROF_E_NOMEM)
		hp_no_memory(&crew->error);
	else if (status < 0)
		crew->error = *hprof_reader_error(reader);
	hprof_reader_close(reader);
	return status;
}

static bool run_piece(void *state, void *item)
{
	struct crew *crew = state;

	crew->status = read_piece(crew, item);
	return crew->status >= 0;
}

/* Divides the extents into pieces; the caller frees them. */
static struct piece *cut_pieces(const struct hp_object_rescan *pass,
				size_t *ret_count)
{
	const struct hp_extents *e = pass->extents;
	struct piece *pieces = hp_calloc(1, sizeof *pieces);
	size_t count = 0, room = 1, i = 0;

	while (pieces && i < e->count) {
		const struct hp_extent *first = &e->items[i++];
		while (i < e->count &&
		       e->items[i].end - first->offset <= PIECE_SIZE)
			i++;
		if (hp_grow((void **)&pieces, &room, count, sizeof *pieces)) {
			hp_free(pieces);
			return NULL;
		}
		pieces[count++] = (struct piece){ pass, first, e->items + i };
	}
	*ret_count = count;
	return pieces;
}

static uint64_t piece_size(const struct piece *piece)
{
	return piece->behind[-1].end - piece->first->offset;
}

/* Reports DONE bytes from the first extent on; stores a failure in CREW. */
static void progress(const struct hp_object_rescan *pass, struct crew *crew,
		     uint64_t done)
{
	const struct hp_extents *e = pass->extents;

	if (!pass->say.progress || e->count == 0 ||
	    pass->say.progress(pass->say.user, pass->say.phase, done,
			       e->items[e->count - 1].end - e->items[0].offset))
		return;
	if (crew->status >= 0)
		crew->status = hp_cancelled(&crew->error);
}

static void run_alone(const struct hp_object_rescan *pass, struct crew *crew,
		      const struct piece *pieces, size_t count)
{
	for (size_t i = 0; i < count && crew->status >= 0; i++) {
		crew->status = read_piece(crew, &pieces[i]);
		progress(pass, crew,
			 pieces[i].behind[-1].end -
				 pass->extents->items[0].offset);
	}
}

/* Waits for POOL. If the caller cancels, LEADER fails, which ends it early. */
static void wait_for_pool(const struct hp_object_rescan *pass,
			  struct hp_thread_pool *pool, struct crew *leader)
{
	bool idle = false;

	while (!idle && leader->status >= 0)
		progress(pass, leader,
			 hp_thread_pool_wait(pool, WAIT_MS, &idle));
	if (leader->status >= 0)
		hp_thread_pool_join(pool);
}

/* False if no pool can be made. LEADER gets failures of the calling thread. */
static bool run_pool(const struct hp_object_rescan *pass, struct crew *crews,
		     struct crew *leader, struct piece *pieces, size_t count)
{
	static const struct hp_thread_pool_ops ops = { .run = run_piece };
	void **states = hp_calloc(pass->threads, sizeof *states);
	struct hp_thread_pool *pool = NULL;
	bool added = true;

	for (unsigned i = 0; states && i < pass->threads; i++)
		states[i] = &crews[i];
	if (states)
		pool = hp_thread_pool_new(&ops, states, pass->threads);
	for (size_t i = 0; pool && added && i < count; i++)
		added = hp_thread_pool_add(pool, &pieces[i],
					   piece_size(&pieces[i])) == 0;
	if (pool && !added)
		leader->status = hp_no_memory(&leader->error);
	if (pool)
		wait_for_pool(pass, pool, leader);
	hp_thread_pool_free(pool);
	hp_free(states);
	return pool != NULL;
}

enum hprof_status hp_object_rescan_run(const struct hp_object_rescan *pass,
				       struct hprof_error *error)
{
	/* The last one is for the calling thread, while the others work. */
	struct crew *crews = hp_calloc(pass->threads + 1, sizeof *crews);
	enum hprof_status status = HPROF_OK;
	size_t count = 0;
	struct piece *pieces = cut_pieces(pass, &count);

	if (!crews || !pieces) {
		hp_free(crews);
		hp_free(pieces);
		return hp_no_memory(error);
	}
	for (unsigned i = 0; i < pass->threads; i++) {
		crews[i].state = pass->states[i];
		crews[i].pass = pass;
	}
	if (pass->threads < 2 || count < 2 ||
	    !run_pool(pass, crews, &crews[pass->threads], pieces, count))
		run_alone(pass, &crews[0], pieces, count);
	for (unsigned i = 0; i <= pass->threads && status >= 0; i++) {
		status = crews[i].status;
		if (status < 0 && error)
			*error = crews[i].error;
	}
	hp_free(crews);
	hp_free(pieces);
	return status;
}
