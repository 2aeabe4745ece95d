/* SPDX-License-Identifier: MIT */
/*
 * heap_scan.c - the pass that finds the ids of all objects and their places,
 * and reads CLASS_DUMPs and roots as well.
 *
 * Each extent has the number of objects before it, so every thread writes to
 * its own rows of the tables.
 */
#include <stdlib.h>

#include "base/error.h"
#include "codec/object_head.h"
#include "heap/heap_index.h"
#include "base/mem.h"
#include "stream/reader.h"

/* ---- one object ---------------------------------------------------------- */

static void note_stray(struct hp_indexer *x, const struct hp_duplicate *stray)
{
	struct hp_duplicates *s = &x->duplicates;

	if (hp_grow((void **)&s->items, &s->room, s->count, sizeof *s->items) !=
	    HPROF_OK)
		x->failed = true;
	else
		s->items[s->count++] = *stray;
}

static int compare_ids(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool is_odd(const struct hp_indexing *all, uint64_t id)
{
	return bsearch(&id, all->odd.items, all->odd.count, sizeof id,
		       compare_ids) != NULL;
}

static inline __attribute__((always_inline)) void
note_object(struct hp_indexer *x, uint64_t id, uint64_t offset, uint64_t size,
	    const enum hp_aim aim)
{
	uint64_t position = x->position;

	if (position >= x->limit) {
		x->changed = true;
		return;
	}
	x->position++;
	if (aim == HP_AIM_DUPLICATES) {
		if (is_odd(x->all, id))
			note_stray(x, &(struct hp_duplicate){
					      id, offset, offset + size,
					      position, false });
		return;
	}
	if (aim == HP_AIM_OTHERS)
		return;
	if (position % HP_OFFSET_STEP == 0)
		x->all->offsets[position / HP_OFFSET_STEP] = offset;
	if (aim == HP_AIM_OFFSETS)
		return;
	if (id == 0)
		x->zero = true;
	else if (aim == HP_AIM_BITS)
		hp_id_index_add(&x->writer, id);
	else
		x->all->ids[position] = id;
}

static inline __attribute__((always_inline)) size_t
scan_as(struct hp_indexer *x, uint64_t offset, const uint8_t *start,
	size_t size, const unsigned z, const enum hp_aim aim)
{
	const uint8_t *p = start, *end = start + size;
	struct hp_object_head head;

	while (hp_object_head_read(p, hp_room(p, end), z, &head)) {
		uint64_t used = head.size_of_head + head.size;
		note_object(x, head.id, offset + (uint64_t)(p - start), used,
			    aim);
		p += used;
	}
	return (size_t)(p - start);
}

static size_t scan(void *state, uint64_t offset, const uint8_t *p, size_t size)
{
	struct hp_indexer *x = state;
	bool wide = x->z == 8;

	switch (x->all->aim) {
	case HP_AIM_BITS:
		return wide ? scan_as(x, offset, p, size, 8, HP_AIM_BITS)
			    : scan_as(x, offset, p, size, 4, HP_AIM_BITS);
	case HP_AIM_IDS:
		return scan_as(x, offset, p, size, x->z, HP_AIM_IDS);
	case HP_AIM_OTHERS:
		return scan_as(x, offset, p, size, x->z, HP_AIM_OTHERS);
	case HP_AIM_OFFSETS:
		return wide ? scan_as(x, offset, p, size, 8, HP_AIM_OFFSETS)
			    : scan_as(x, offset, p, size, 4, HP_AIM_OFFSETS);
	default:
		return scan_as(x, offset, p, size, x->z, HP_AIM_DUPLICATES);
	}
}

/* ---- other sub-records --------------------------------------------------- */

static bool takes_others(enum hp_aim aim)
{
	return aim != HP_AIM_DUPLICATES && aim != HP_AIM_OFFSETS;
}

static void take_class(struct hp_indexer *x, const struct hprof_record *record)
{
	const struct hp_class_table *c = x->heap->infos;
	uint64_t id = record->u.class_dump.class_id, size;
	uint32_t i = hp_class_table_find(c, id);

	if (!takes_others(x->all->aim) ||
	    hprof_record_size(record, x->z, &size) != HPROF_OK)
		return;
	if (id == 0 || i == HP_NO_CLASS || !c->rows[i].info ||
	    c->rows[i].info->offset != record->offset)
		note_stray(x, &(struct hp_duplicate){ id, record->offset,
						      record->offset + size,
						      x->position, true });
	else if (hp_heap_classes_take(x->heap, x->arena, record) != HPROF_OK)
		x->failed = true;
}

static int32_t frame_of(const struct hprof_record *record)
{
	bool has_frame = record->tag == HPROF_ROOT_JNI_LOCAL ||
			 record->tag == HPROF_ROOT_JAVA_FRAME ||
			 record->tag == HPROF_ROOT_JNI_MONITOR;

	return has_frame ? record->u.root.frame : -1;
}

static void take_root(struct hp_indexer *x, const struct hprof_record *record)
{
	const struct hprof_root *root = &record->u.root;

	if (!takes_others(x->all->aim))
		return;
	if (hp_grow((void **)&x->roots, &x->root_room, x->root_count,
		    sizeof *x->roots) != HPROF_OK) {
		x->failed = true;
		return;
	}
	x->roots[x->root_count++] = (struct hp_raw_root){
		.offset = record->offset,
		.root = { .tag = record->tag,
			  .object_id = root->object_id,
			  .thread_serial = root->thread_serial,
			  .trace_serial = root->trace_serial,
			  .frame = frame_of(record),
			  .jni_ref = root->ref_id },
	};
}

static void take_object(struct hp_indexer *x, const struct hprof_record *record,
			uint64_t id)
{
	uint64_t size;

	if (hprof_record_size(record, x->z, &size) != HPROF_OK)
		return;
	switch (x->all->aim) {
	case HP_AIM_BITS:
		note_object(x, id, record->offset, size, HP_AIM_BITS);
		break;
	case HP_AIM_IDS:
		note_object(x, id, record->offset, size, HP_AIM_IDS);
		break;
	case HP_AIM_OTHERS:
		note_object(x, id, record->offset, size, HP_AIM_OTHERS);
		break;
	case HP_AIM_OFFSETS:
		note_object(x, id, record->offset, size, HP_AIM_OFFSETS);
		break;
	case HP_AIM_DUPLICATES:
		note_object(x, id, record->offset, size, HP_AIM_DUPLICATES);
		break;
	}
}

static bool take_record(void *state, struct hprof_reader *reader,
			const struct hprof_record *record)
{
	struct hp_indexer *x = state;
	uint64_t id;

	if (!hp_reader_pass_body(reader))
		return false;
	if (hp_is_object_record(record, &id))
		take_object(x, record, id);
	else if (record->tag == HPROF_CLASS_DUMP)
		take_class(x, record);
	else if (hprof_tag_is_root(record->tag))
		take_root(x, record);
	return true;
}

static void begin(void *state, const struct hp_extent *extent)
{
	struct hp_indexer *x = state;

	x->changed = x->changed || x->position != x->limit;
	x->position = extent->first;
	x->limit = extent->first + extent->count;
}

static bool failed(const void *state)
{
	const struct hp_indexer *x = state;

	return x->failed;
}

/* ---- a pass -------------------------------------------------------------- */

void hp_indexers_free(struct hp_indexing *all)
{
	struct hprof_heap *heap = all->heap;

	for (unsigned i = 0; all->indexers && i < heap->threads; i++) {
		hp_id_index_writer_done(&all->indexers[i].writer);
		hp_free(all->indexers[i].roots);
		hp_free(all->indexers[i].duplicates.items);
	}
	hp_free(all->indexers);
	hp_free(all->states);
	all->indexers = NULL;
	all->states = NULL;
}

enum hprof_status hp_indexers_make(struct hp_indexing *all, enum hp_aim aim)
{
	struct hprof_heap *heap = all->heap;
	unsigned threads = heap->threads;

	all->aim = aim;
	all->indexers = hp_calloc(threads, sizeof *all->indexers);
	all->states = hp_calloc(threads, sizeof *all->states);
	if (!all->indexers || !all->states)
		return HPROF_E_NOMEM;
	for (unsigned i = 0; i < threads; i++) {
		struct hp_indexer *x = &all->indexers[i];
		all->states[i] = x;
		x->heap = heap;
		x->all = all;
		x->z = heap->id_size;
		x->arena = &heap->arenas[i];
		if (takes_others(aim)) {
			hp_arena_done(x->arena); /* of an earlier pass */
			*x->arena = (struct hp_arena){ 0 };
		}
		if (hp_id_index_writer_init(&x->writer, &all->build) != 0)
			return HPROF_E_NOMEM;
	}
	return HPROF_OK;
}

/* Runs over the extents that contain anything but objects. */
static enum hprof_status run_mixed(struct hp_indexing *all,
				   const struct hp_object_scan_ops *ops,
				   struct hprof_error *error)
{
	const struct hp_extents *extents = &all->heap->extents;
	struct hp_extents mixed = { 0 };
	struct hp_object_rescan pass = { .parent = all->heap->parent,
					 .extents = &mixed,
					 .ops = ops,
					 .states = all->states,
					 .threads = all->heap->threads,
					 .say = all->say };
	enum hprof_status status = HPROF_OK;

	for (size_t i = 0; i < extents->count && status == HPROF_OK; i++) {
		if (!extents->items[i].mixed)
			continue;
		if (hp_grow((void **)&mixed.items, &mixed.room, mixed.count,
			    sizeof *mixed.items) != HPROF_OK)
			status = hp_no_memory(error);
		else
			mixed.items[mixed.count++] = extents->items[i];
	}
	if (status == HPROF_OK)
		status = hp_object_rescan_run(&pass, error);
	hp_extents_done(&mixed);
	return status;
}

enum hprof_status hp_indexers_run(struct hp_indexing *all,
				  struct hprof_error *error)
{
	static const struct hp_object_scan_ops ops = { .scan = scan,
						       .record = take_record,
						       .begin = begin,
						       .failed = failed };

	if (all->aim == HP_AIM_OTHERS)
		HP_TRY(run_mixed(all, &ops, error));
	else
		HP_TRY(hp_heap_pass(all->heap, &ops, all->states,
				    all->heap->threads, &all->say, error));
	for (unsigned i = 0; i < all->heap->threads; i++) {
		struct hp_indexer *x = &all->indexers[i];
		hp_id_index_flush(&x->writer);
		if (x->changed || x->position != x->limit)
			return hp_file_changed(error);
	}
	return HPROF_OK;
}
