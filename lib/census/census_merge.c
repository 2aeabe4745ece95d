/* SPDX-License-Identifier: MIT */
/*
 * census_merge.c - combines what was counted: runs of objects, marks, samples,
 * and the tallies of several threads.
 */
#include <stdlib.h>
#include <string.h>

#include "census/object_count.h"
#include "base/mem.h"

enum { MARK_SIZE = 1 << 20 };

/* ---- runs and marks ------------------------------------------------------ */

void hp_tally_begin(struct hp_tally *t)
{
	t->cursor.any = false;
	t->cursor.first_id = t->cursor.last_id = 0;
	t->cursor.last_slot = NULL;
}

void hp_tally_stitch(struct hp_tally *t, const struct hp_last_object *before,
		     const struct hp_last_object *after)
{
	if (after->first_id <= before->last_id) {
		t->descents++;
		return;
	}
	uint64_t next = hp_tally_mirror_above(t, before->last_id);
	if (after->first_id < next)
		next = after->first_id;
	hp_take_gap(t, before->last_slot, next - before->last_id,
		    before->last_payload, before->last_extra, false);
}

void hp_tally_mark_end(struct hp_tally *t, uint64_t offset)
{
	struct hp_mark *mark = &t->marks[t->mark_count - 1];

	if (mark->end != 0)
		return;
	mark->end = offset;
	mark->low = t->cursor.low;
	mark->high = t->cursor.high;
}

void hp_tally_mark(struct hp_tally *t, uint64_t offset, bool in_record)
{
	struct hp_mark *mark = &t->marks[t->mark_count - 1];

	if (mark->end == 0 && offset - mark->offset < MARK_SIZE &&
	    (in_record || !mark->in_record))
		return;
	hp_tally_mark_end(t, offset);
	if (hp_grow((void **)&t->marks, &t->mark_room, t->mark_count,
		    sizeof *t->marks) != HPROF_OK) {
		t->no_memory = true;
		return;
	}
	t->marks[t->mark_count++] =
		(struct hp_mark){ .offset = offset, .in_record = in_record };
	t->cursor.low = UINT64_MAX;
	t->cursor.high = 0;
}

/* ---- samples ------------------------------------------------------------- */

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_slots(const struct hp_slot *x, const struct hp_slot *y)
{
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->class_id != y->class_id)
		return compare(x->class_id, y->class_id);
	return compare(x->type, y->type);
}

/* By id; for equal ids such that the order does not depend on threads. */
static int compare_samples(const void *a, const void *b)
{
	const struct hp_sample *x = a, *y = b;

	if (x->id != y->id)
		return compare(x->id, y->id);
	if (x->payload != y->payload)
		return compare(x->payload, y->payload);
	return compare_slots(x->slot, y->slot);
}

static int compare_slot_pointers(const void *a, const void *b)
{
	return compare_slots(*(struct hp_slot *const *)a,
			     *(struct hp_slot *const *)b);
}

/*
 * If ids do not ascend in the file (because a collector copied objects in graph
 * order), the distance between neighbours in the file says little. In the
 * sampled regions of the address space every object is known, and so are the
 * real neighbours.
 */
static void measure_samples(struct hp_tally *t)
{
	qsort(t->samples, t->sample_count, sizeof *t->samples, compare_samples);
	for (size_t i = 0; i + 1 < t->sample_count; i++) {
		const struct hp_sample *s = &t->samples[i];
		uint64_t next = s[1].id;
		if (next == s->id) {
			t->duplicate_ids++;
			continue;
		}
		uint64_t mirror = hp_tally_mirror_above(t, s->id);
		if (mirror < next)
			next = mirror;
		hp_take_gap(t, s->slot, next - s->id, s->payload,
			    s->slot->kind == HPROF_CLASS_OBJ_ARRAY
				    ? (int64_t)s->payload
				    : -1,
			    true);
		s->slot->sampled++;
	}
}

static int compare_classes(const void *a, const void *b)
{
	const struct hp_class_info *x = a, *y = b;

	return compare(x->offset, y->offset);
}

static int compare_marks(const void *a, const void *b)
{
	const struct hp_mark *x = a, *y = b;

	return compare(x->offset, y->offset);
}

void hp_tally_finalize(struct hp_tally *t)
{
	if (t->class_count)
		qsort(t->classes, t->class_count, sizeof *t->classes,
		      compare_classes);
	qsort(t->marks, t->mark_count, sizeof *t->marks, compare_marks);
	qsort(t->slots, t->slot_count, sizeof *t->slots, compare_slot_pointers);
	if (t->descents)
		measure_samples(t);
	hp_free(t->samples);
	t->samples = NULL;
	t->sample_count = 0;
}

/* ---- merge --------------------------------------------------------------- */

static void add_slot(struct hp_slot *to, struct hp_slot *from)
{
	size_t residues = from->kind == HPROF_CLASS_PRIM_ARRAY
				  ? HP_PRIM_RESIDUES
				  : HP_ARRAY_RESIDUES;

	from->merged = to;
	to->count += from->count;
	to->data += from->data;
	if (from->largest > to->largest)
		to->largest = from->largest;
	if (from->slack < to->slack) {
		to->slack = from->slack;
		to->alike[0] = 0;
	}
	if (from->slack == to->slack)
		to->alike[0] += from->alike[0];
	for (size_t i = 0; from->residues && i < residues; i++)
		to->residues[i] += from->residues[i];
}

static enum hprof_status merge_slots(struct hp_tally *to,
				     const struct hp_tally *from)
{
	for (size_t i = 0; i < from->slot_count; i++) {
		struct hp_slot *slot = from->slots[i];
		struct hp_u64_map *map = slot->kind == HPROF_CLASS_PLAIN
						 ? &to->instances
						 : &to->arrays;
		struct hp_slot *same =
			slot == from->overflow
				? to->overflow
				: hp_u64_map_get(map, slot->class_id);
		if (!same) {
			same = hp_tally_new_slot(to, slot->class_id,
						 slot->kind);
			if (!same || hp_u64_map_put(map, slot->class_id,
						    same) != HPROF_OK)
				return HPROF_E_NOMEM;
		}
		add_slot(same, slot);
	}
	for (unsigned i = 0; i < 16; i++)
		add_slot(&to->prims[i], (struct hp_slot *)&from->prims[i]);
	return HPROF_OK;
}

static enum hprof_status append(void **to, size_t *count, size_t *room,
				const void *from, size_t more, size_t element)
{
	while (*room - *count < more)
		if (hp_grow(to, room, *room, element) != HPROF_OK)
			return HPROF_E_NOMEM;
	if (more)
		memcpy((char *)*to + *count * element, from, more * element);
	*count += more;
	return HPROF_OK;
}

static void merge_samples(struct hp_tally *to, const struct hp_tally *from)
{
	while (to->sample_mask < from->sample_mask)
		hp_tally_thin_samples(to);
	for (size_t i = 0; i < from->sample_count; i++) {
		const struct hp_sample *s = &from->samples[i];
		hp_tally_sample(to, s->id, s->slot->merged, s->payload);
	}
}

static void merge_chunks(struct hp_chunks *to, const struct hp_chunks *from)
{
	to->count += from->count;
	for (unsigned i = 0; i < HP_CHUNK_PLACES; i++) {
		for (unsigned k = 0; k < HP_CHUNK_ALIGNMENTS; k++) {
			to->at[i].narrow[k] += from->at[i].narrow[k];
			to->at[i].wide[k] += from->at[i].wide[k];
		}
		if (from->at[i].largest > to->at[i].largest)
			to->at[i].largest = from->at[i].largest;
	}
}

void hp_tally_end_ids(struct hp_tally *t)
{
	struct hp_id_index_writer *w = t->writer;

	if (w)
		hp_id_index_flush(w);
	t->ids_odd = t->ids_odd || !w || w->failed || w->twice.count != 0;
}

enum hprof_status hp_tally_merge(struct hp_tally *to,
				 const struct hp_tally *from)
{
	if (merge_slots(to, from) != HPROF_OK ||
	    append((void **)&to->classes, &to->class_count, &to->class_room,
		   from->classes, from->class_count, sizeof *to->classes) ||
	    append((void **)&to->threads, &to->thread_count, &to->thread_room,
		   from->threads, from->thread_count, sizeof *to->threads) ||
	    append((void **)&to->marks, &to->mark_count, &to->mark_room,
		   from->marks, from->mark_count, sizeof *to->marks))
		return HPROF_E_NOMEM;
	for (unsigned i = 0; i < 256; i++) {
		to->tag_count[i] += from->tag_count[i];
		to->tag_bytes[i] += from->tag_bytes[i];
	}
	merge_samples(to, from);
	merge_chunks(&to->chunks, &from->chunks);
	to->properties |= from->properties;
	if (from->slack8 < to->slack8)
		to->slack8 = from->slack8;
	to->cursor.bits |= from->cursor.bits;
	to->segments[0] += from->segments[0];
	to->segments[1] += from->segments[1];
	to->descents += from->descents;
	to->zero_ids += from->zero_ids;
	/* A lower limit than in add_slot, so that the order does not matter. */
	to->overflowed =
		to->overflowed || from->overflowed ||
		to->slot_count >= 2 * to->mirror_count + HP_UNKNOWN_CLASSES;
	to->ids_odd = to->ids_odd || from->ids_odd;
	to->no_memory = to->no_memory || from->no_memory;
	return HPROF_OK;
}

/* ---- creation and destruction -------------------------------------------- */

static void note_ids(struct hp_tally *t, struct hp_id_index_build *build)
{
	t->writer = hp_calloc(1, sizeof *t->writer);
	if (!t->writer || hp_id_index_writer_init(t->writer, build) != 0)
		t->no_memory = true;
}

void hp_tally_know(struct hp_tally *t, const struct hp_before *before)
{
	if (before->build && !t->writer)
		note_ids(t, before->build);
	t->mirrors = before->mirrors;
	t->mirror_below = t->mirror_above = 0;
	t->mirror_count = before->mirror_count;
	t->announced = before->mirror_count;
	t->chunks.class_id = before->chunk_class_id;
	memcpy(t->known, before->known, sizeof t->known);
}

enum hprof_status hp_tally_init(struct hp_tally *t, unsigned id_size)
{
	memset(t, 0, sizeof *t);
	t->id_size = id_size;
	t->slack8 = HP_NO_SLACK;
	t->cursor.region = UINT64_MAX;
	t->cursor.low = UINT64_MAX;
	if (hp_u64_map_init(&t->instances, 1) != HPROF_OK ||
	    hp_u64_map_init(&t->arrays, 1) != HPROF_OK)
		return HPROF_E_NOMEM;
	for (unsigned i = 0; i < 16; i++) {
		t->prims[i] = (struct hp_slot){ .slack = HP_NO_SLACK,
						.kind = HPROF_CLASS_PRIM_ARRAY,
						.type = i };
		t->prims[i].residues =
			hp_calloc(HP_PRIM_RESIDUES, sizeof(uint64_t));
		if (!t->prims[i].residues)
			return HPROF_E_NOMEM;
	}
	t->overflow = hp_tally_new_slot(t, UINT64_MAX, HPROF_CLASS_OBJ_ARRAY);
	t->samples = hp_calloc(HP_SAMPLE_MAX, sizeof *t->samples);
	if (!t->overflow || !t->samples ||
	    hp_grow((void **)&t->marks, &t->mark_room, 0, sizeof *t->marks))
		return HPROF_E_NOMEM;
	t->marks[t->mark_count++] =
		(struct hp_mark){ .end = 1, .low = UINT64_MAX };
	return HPROF_OK;
}

void hp_tally_done(struct hp_tally *t)
{
	for (size_t i = 0; i < t->slot_count; i++) {
		hp_free(t->slots[i]->residues);
		hp_free(t->slots[i]);
	}
	for (unsigned i = 0; i < 16; i++)
		hp_free(t->prims[i].residues);
	hp_u64_map_done(&t->instances);
	hp_u64_map_done(&t->arrays);
	hp_free(t->slots);
	hp_free(t->classes);
	hp_free(t->threads);
	hp_free(t->marks);
	hp_free(t->samples);
	if (t->writer)
		hp_id_index_writer_done(t->writer);
	hp_free(t->writer);
}
