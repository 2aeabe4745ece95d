/* SPDX-License-Identifier: MIT */
/*
 * census_cache.c - see census_cache.h.
 */
#include "census/census_cache.h"

#include <string.h>

#include "base/mem.h"

/* What is in the file once. */
struct totals {
	uint64_t tag_count[256], tag_bytes[256];
	uint64_t segments[2], descents, zero_ids, duplicate_ids, bits;
	int64_t slack8;
	uint64_t properties, overflowed;
	uint64_t overflow; /* index of its slot */
	uint64_t counts[HP_DIAG_CODES], errors, warnings, notes;
	struct hp_chunks chunks;
};

/* The text of a diagnostic is LENGTH bytes at AT of all texts. */
struct diagnostic {
	uint64_t offset, count, at, length;
	uint32_t severity, number;
};

/* ---- saving -------------------------------------------------------------- */

static void save_totals(const struct hp_tally *t,
			const struct hp_diag_list *list,
			struct hp_cache_writer *w)
{
	struct totals all;

	memset(&all, 0, sizeof all);
	memcpy(all.tag_count, t->tag_count, sizeof all.tag_count);
	memcpy(all.tag_bytes, t->tag_bytes, sizeof all.tag_bytes);
	memcpy(all.segments, t->segments, sizeof all.segments);
	all.descents = t->descents;
	all.zero_ids = t->zero_ids;
	all.duplicate_ids = t->duplicate_ids;
	all.bits = t->cursor.bits;
	all.slack8 = t->slack8;
	all.properties = t->properties;
	all.overflowed = t->overflowed;
	while (t->slots[all.overflow] != t->overflow)
		all.overflow++;
	memcpy(all.counts, list->counts, sizeof all.counts);
	all.errors = list->errors;
	all.warnings = list->warnings;
	all.notes = list->notes;
	memcpy(&all.chunks, &t->chunks, sizeof all.chunks);
	hp_cache_put(w, &all, 1, sizeof all);
}

static void save_slot(const struct hp_slot *slot, struct hp_cache_writer *w)
{
	struct hp_slot copy;

	memset(&copy, 0, sizeof copy);
	copy.class_id = slot->class_id;
	copy.count = slot->count;
	copy.data = slot->data;
	copy.largest = slot->largest;
	copy.slack = slot->slack;
	copy.alike[0] = slot->alike[0];
	copy.alike[1] = slot->alike[1];
	copy.sampled = slot->sampled;
	copy.kind = slot->kind;
	copy.type = slot->type;
	hp_cache_add(w, &copy, 1);
}

static void save_slots(const struct hp_tally *t, struct hp_cache_writer *w)
{
	hp_cache_table(w, sizeof(struct hp_slot));
	for (unsigned i = 0; i < 16; i++)
		save_slot(&t->prims[i], w);
	for (size_t i = 0; i < t->slot_count; i++)
		save_slot(t->slots[i], w);
	hp_cache_table(w, sizeof(uint64_t));
	for (unsigned i = 0; i < 16; i++)
		hp_cache_add(w, t->prims[i].residues, HP_PRIM_RESIDUES);
	for (size_t i = 0; i < t->slot_count; i++)
		if (t->slots[i]->residues)
			hp_cache_add(w, t->slots[i]->residues,
				     HP_ARRAY_RESIDUES);
}

static void save_diagnostics(const struct hp_diag_list *list,
			     struct hp_cache_writer *w)
{
	uint64_t at = 0;

	hp_cache_table(w, sizeof(struct diagnostic));
	for (size_t i = 0; i < list->count; i++) {
		const struct hprof_kept_diagnostic *from = &list->items[i];
		struct diagnostic d;
		memset(&d, 0, sizeof d);
		d.offset = from->offset;
		d.count = from->count;
		d.severity = from->severity;
		d.number = from->number;
		d.at = at;
		d.length = strlen(from->text);
		at += d.length;
		hp_cache_add(w, &d, 1);
	}
	hp_cache_table(w, 1);
	for (size_t i = 0; i < list->count; i++)
		hp_cache_add(w, list->items[i].text,
			     strlen(list->items[i].text));
}

void hp_census_save(const struct hp_tally *t, const struct hp_diag_list *list,
		    const struct hp_extents *extents, struct hp_cache_writer *w)
{
	save_totals(t, list, w);
	save_slots(t, w);
	hp_cache_put(w, t->classes, t->class_count, sizeof *t->classes);
	hp_cache_put(w, t->threads, t->thread_count, sizeof *t->threads);
	hp_cache_put(w, t->marks, t->mark_count, sizeof *t->marks);
	save_diagnostics(list, w);
	hp_cache_put(w, extents->items, extents->count, sizeof *extents->items);
}

/* ---- restoring ----------------------------------------------------------- */

static bool restore_totals(const struct hp_cache_map *map, struct hp_tally *t,
			   struct hp_diag_list *list, uint64_t *ret_overflow)
{
	uint64_t count = 0;
	const struct totals *all =
		hp_cache_rows(map, HP_CACHED_TOTALS, sizeof *all, &count);

	if (!all || count != 1)
		return false;
	memcpy(t->tag_count, all->tag_count, sizeof all->tag_count);
	memcpy(t->tag_bytes, all->tag_bytes, sizeof all->tag_bytes);
	memcpy(t->segments, all->segments, sizeof all->segments);
	t->descents = all->descents;
	t->zero_ids = all->zero_ids;
	t->duplicate_ids = all->duplicate_ids;
	t->cursor.bits = all->bits;
	t->slack8 = all->slack8;
	t->properties = (unsigned)all->properties;
	t->overflowed = all->overflowed != 0;
	memcpy(&t->chunks, &all->chunks, sizeof all->chunks);
	memcpy(list->counts, all->counts, sizeof all->counts);
	list->errors = all->errors;
	list->warnings = all->warnings;
	list->notes = all->notes;
	*ret_overflow = all->overflow;
	return true;
}

static void take_slot(struct hp_slot *slot, const struct hp_slot *from)
{
	uint64_t *residues = slot->residues;

	*slot = *from;
	slot->residues = residues;
	slot->merged = NULL;
}

static struct hp_slot *add_slot(struct hp_tally *t, const struct hp_slot *from,
				bool overflow)
{
	struct hp_u64_map *map =
		from->kind == HPROF_CLASS_PLAIN ? &t->instances : &t->arrays;
	struct hp_slot *slot;

	if (from->kind != HPROF_CLASS_PLAIN &&
	    from->kind != HPROF_CLASS_OBJ_ARRAY)
		return NULL;
	if (overflow)
		return from->kind == t->overflow->kind ? t->overflow : NULL;
	slot = hp_tally_new_slot(t, from->class_id, from->kind);
	if (!slot || hp_u64_map_put(map, from->class_id, slot) != HPROF_OK)
		return NULL;
	return slot;
}

static bool take_residues(struct hp_slot *slot, const uint64_t **next,
			  const uint64_t *end, size_t count)
{
	if (!slot->residues)
		return true;
	if ((size_t)(end - *next) < count)
		return false;
	memcpy(slot->residues, *next, count * sizeof **next);
	*next += count;
	return true;
}

static bool restore_slots(const struct hp_cache_map *map, struct hp_tally *t,
			  uint64_t overflow)
{
	uint64_t count = 0, residues = 0;
	const struct hp_slot *slots =
		hp_cache_rows(map, HP_CACHED_SLOTS, sizeof *slots, &count);
	const uint64_t *next =
		hp_cache_rows(map, HP_CACHED_RESIDUES, sizeof *next, &residues);
	const uint64_t *end = next + (next ? residues : 0);

	if (!slots || !next || count < 16 || overflow >= count - 16)
		return false;
	for (unsigned i = 0; i < 16; i++) {
		bool exists = i >= HPROF_TYPE_BOOLEAN && i <= HPROF_TYPE_LONG;
		if (slots[i].kind != HPROF_CLASS_PRIM_ARRAY ||
		    slots[i].type != i || (slots[i].count && !exists))
			return false;
		take_slot(&t->prims[i], &slots[i]);
		if (!take_residues(&t->prims[i], &next, end, HP_PRIM_RESIDUES))
			return false;
	}
	for (uint64_t i = 16; i < count; i++) {
		struct hp_slot *slot =
			add_slot(t, &slots[i], i - 16 == overflow);
		if (!slot)
			return false;
		take_slot(slot, &slots[i]);
		if (!take_residues(slot, &next, end, HP_ARRAY_RESIDUES))
			return false;
	}
	return next == end;
}

/* A truth value in a row of a file may be any byte. */
static bool is_bool(const bool *at)
{
	unsigned char byte;

	memcpy(&byte, at, 1);
	return byte <= 1;
}

static bool good_bools(const struct hp_tally *t)
{
	for (size_t i = 0; i < t->class_count; i++) {
		const struct hp_class_info *info = &t->classes[i];
		if (!is_bool(&info->lock_apart) ||
		    !is_bool(&info->statics_wide) || !is_bool(&info->seeds))
			return false;
	}
	for (size_t i = 0; i < t->mark_count; i++)
		if (!is_bool(&t->marks[i].in_record))
			return false;
	return true;
}

/* A copy of a table on the heap, as hp_grow makes them; false: none. */
static bool copy_table(const struct hp_cache_map *map, unsigned number,
		       size_t width, void *ret_rows, size_t *ret_count)
{
	uint64_t count = 0;
	const void *rows = hp_cache_rows(map, number, width, &count);
	void *copy = rows ? hp_alloc((size_t)(count + 1) * width) : NULL;

	if (!copy)
		return false;
	memcpy(copy, rows, (size_t)count * width);
	hp_free(*(void **)ret_rows);
	*(void **)ret_rows = copy;
	*ret_count = (size_t)count;
	return true;
}

static bool restore_tables(const struct hp_cache_map *map, struct hp_tally *t)
{
	bool good = copy_table(map, HP_CACHED_CLASSES, sizeof *t->classes,
			       &t->classes, &t->class_count) &&
		    copy_table(map, HP_CACHED_THREADS, sizeof *t->threads,
			       &t->threads, &t->thread_count) &&
		    copy_table(map, HP_CACHED_MARKS, sizeof *t->marks,
			       &t->marks, &t->mark_count);

	t->class_room = t->class_count;
	t->thread_room = t->thread_count;
	t->mark_room = t->mark_count;
	return good && t->mark_count > 0 && good_bools(t);
}

static bool add_diagnostic(struct hp_diag_list *list,
			   const struct diagnostic *from, const char *texts,
			   uint64_t size)
{
	char *text;

	if (from->number >= HP_DIAG_CODES || from->at > size ||
	    from->length > size - from->at || from->severity > HPROF_ERROR ||
	    hp_grow((void **)&list->items, &list->room, list->count,
		    sizeof *list->items) != HPROF_OK)
		return false;
	text = hp_calloc((size_t)from->length + 1, 1);
	if (!text)
		return false;
	memcpy(text, texts + from->at, (size_t)from->length);
	list->items[list->count++] = (struct hprof_kept_diagnostic){
		.severity = (enum hprof_severity)from->severity,
		.number = from->number,
		.code = hp_diag_word(from->number),
		.offset = from->offset,
		.text = text,
		.count = from->count,
	};
	return true;
}

static bool restore_diagnostics(const struct hp_cache_map *map,
				struct hp_diag_list *list)
{
	uint64_t count = 0, size = 0;
	const struct diagnostic *rows =
		hp_cache_rows(map, HP_CACHED_DIAGNOSTICS, sizeof *rows, &count);
	const char *texts = hp_cache_rows(map, HP_CACHED_TEXTS, 1, &size);

	if (!rows || !texts)
		return false;
	for (uint64_t i = 0; i < count; i++)
		if (!add_diagnostic(list, &rows[i], texts, size))
			return false;
	return true;
}

/* They ascend, and each begins with the object behind the last one's. */
static bool good_extents(const struct hp_extents *e)
{
	uint64_t end = 0, objects = 0;

	for (size_t i = 0; i < e->count; i++) {
		const struct hp_extent *extent = &e->items[i];
		if (extent->offset < end || extent->end <= extent->offset ||
		    extent->first != objects || extent->count > UINT32_MAX ||
		    !is_bool(&extent->mixed))
			return false;
		end = extent->end;
		objects += extent->count;
	}
	return true;
}

bool hp_census_restore(const struct hp_cache_map *map, struct hp_tally *t,
		       struct hp_diag_list *list, struct hp_extents *extents)
{
	uint64_t overflow;

	if (!restore_totals(map, t, list, &overflow) ||
	    !restore_slots(map, t, overflow) || !restore_tables(map, t) ||
	    !restore_diagnostics(map, list) ||
	    !copy_table(map, HP_CACHED_EXTENTS, sizeof *extents->items,
			&extents->items, &extents->count))
		return false;
	extents->room = extents->count;
	return good_extents(extents);
}
