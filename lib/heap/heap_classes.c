/* SPDX-License-Identifier: MIT */
/*
 * heap_classes.c - the layout of each class's objects: takes CLASS_DUMPs as the
 * pass meets them, and after the pass derives what depends on all of them.
 *
 * The length of a chain of superclasses is limited only by the file. So what is
 * kept for a class does not grow with its chain, except on demand: classes with
 * fields are linked, skipping those without, and offsets of references go only
 * as far as the longest instance in the dump.
 *
 * This is not the table of lib/model, which serves while a dump streams by:
 * here classes have the indices of the census, so that an object's class takes
 * four bytes and any thread can look it up. lib/model decodes the names, and
 * chains end where class_table.c has cut them.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "heap/heap.h"
#include "base/error.h"
#include "base/mem.h"

/* ---- names --------------------------------------------------------------- */

static const char *name_of(struct hprof_heap *heap, uint64_t string_id)
{
	const struct hp_text *name;

	pthread_mutex_lock(&heap->lock);
	name = hp_decoded_text_or_id(&heap->names, string_id);
	pthread_mutex_unlock(&heap->lock);
	return name ? name->text : NULL;
}

/* ---- one CLASS_DUMP ------------------------------------------------------ */

static enum hprof_status take_statics(struct hprof_heap *heap,
				      struct hp_dumped_class *own,
				      const struct hprof_record *record,
				      size_t row)
{
	struct hprof_class_cursor cursor = hprof_class_statics(record);
	struct hprof_class_entry entry;

	while (own->static_count < record->u.class_dump.static_count &&
	       hprof_class_next(&cursor, &entry) == HPROF_OK) {
		const char *name = name_of(heap, entry.name_id);
		if (!name)
			return HPROF_E_NOMEM;
		own->statics[own->static_count++] =
			(struct hprof_field){ .name = name,
					      .class_row = row,
					      .type = entry.type,
					      .is_static = true,
					      .value = entry.value };
	}
	return HPROF_OK;
}

static enum hprof_status take_fields(struct hprof_heap *heap,
				     struct hp_dumped_class *own,
				     const struct hprof_record *record,
				     size_t row)
{
	struct hprof_class_cursor cursor = hprof_class_fields(record);
	struct hprof_class_entry entry;

	while (own->field_count < record->u.class_dump.field_count &&
	       hprof_class_next(&cursor, &entry) == HPROF_OK) {
		const char *name = name_of(heap, entry.name_id);
		if (!name)
			return HPROF_E_NOMEM;
		own->fields[own->field_count++] =
			(struct hprof_field){ .name = name,
					      .class_row = row,
					      .type = entry.type,
					      .offset = own->size };
		own->size += hprof_type_size(entry.type, heap->id_size);
	}
	return HPROF_OK;
}

static void take_constants(struct hp_dumped_class *own,
			   const struct hprof_record *record)
{
	struct hprof_class_cursor cursor = hprof_class_constants(record);

	while (own->constant_count < record->u.class_dump.constant_count &&
	       hprof_class_next(&cursor,
				&own->constants[own->constant_count]) ==
		       HPROF_OK)
		own->constant_count++;
}

enum hprof_status hp_heap_classes_take(struct hprof_heap *heap,
				       struct hp_arena *arena,
				       const struct hprof_record *record)
{
	const struct hprof_class_dump *dump = &record->u.class_dump;
	uint32_t i = hp_class_table_find(heap->infos, dump->class_id);
	struct hp_heap_class *of = &heap->classes[i];
	struct hp_dumped_class *own = hp_arena_take(arena, sizeof *own);

	if (!own)
		return HPROF_E_NOMEM;
	*own = (struct hp_dumped_class){
		.super_id = dump->super_id,
		.loader_id = dump->loader_id,
		.signers_id = dump->signers_id,
		.domain_id = dump->domain_id,
		.trace_serial = dump->trace_serial,
		.fields = hp_arena_take(arena, dump->field_count *
						       sizeof *own->fields),
		.statics = hp_arena_take(arena, dump->static_count *
							sizeof *own->statics),
		.constants = hp_arena_take(
			arena, dump->constant_count * sizeof *own->constants),
	};
	if (!own->fields || !own->statics || !own->constants)
		return HPROF_E_NOMEM;
	HP_TRY(take_statics(heap, own, record, of->row));
	HP_TRY(take_fields(heap, own, record, of->row));
	take_constants(own, record);
	of->own = own;
	return HPROF_OK;
}

/* ---- before the pass ----------------------------------------------------- */

static int compare_class_objects(const void *a, const void *b)
{
	const struct hp_class_object *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static enum hprof_status list_class_objects(struct hprof_heap *heap)
{
	const struct hp_class_table *c = heap->infos;
	size_t n = 0;

	heap->class_objects =
		hp_calloc(c->count + 1, sizeof *heap->class_objects);
	if (!heap->class_objects)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i < c->count; i++)
		if (c->rows[i].info && c->rows[i].class_id)
			heap->class_objects[n++] = (struct hp_class_object){
				.id = c->rows[i].class_id, .row = (uint32_t)i
			};
	qsort(heap->class_objects, n, sizeof *heap->class_objects,
	      compare_class_objects);
	heap->class_object_count = n;
	return HPROF_OK;
}

/*
 * Links the rows that stand for the arrays of another row, see class_table.c.
 */
static void link_arrays(struct hprof_heap *heap)
{
	const struct hp_class_table *c = heap->infos;

	for (size_t i = 0; i < c->count; i++) {
		const struct hp_class *row = &c->rows[i];
		if (!row->arrays || row->arrays == c->tally->overflow)
			continue;
		if (row->arrays->kind == HPROF_CLASS_PRIM_ARRAY) {
			heap->prims[row->arrays->type] = (uint32_t)i;
		} else if (row->class_id == 0) {
			uint32_t element =
				hp_class_table_find(c, row->arrays->class_id);
			if (element != HP_NO_CLASS)
				heap->classes[element].elements = (uint32_t)i;
		}
	}
}

/* By the convention of the summary. */
static void take_size(struct hp_heap_class *of)
{
	of->shallow = of->info->instance;
	of->chunk_at = of->info->chunk_head ? of->info->info->chunk_size_at
					    : UINT32_MAX;
}

void hp_heap_classes_resize(struct hprof_heap *heap)
{
	for (size_t i = 0; i < heap->infos->count; i++)
		take_size(&heap->classes[i]);
}

enum hprof_status hp_heap_classes_begin(struct hprof_heap *heap)
{
	const struct hprof_summary_impl *impl = heap->summary->impl;
	const struct hp_class_table *c = heap->infos;

	heap->classes = hp_calloc(c->count + 1, sizeof *heap->classes);
	if (!heap->classes ||
	    hp_decoded_names_init(&heap->names, &impl->census.symbols.strings,
				  &heap->arena) != 0)
		return HPROF_E_NOMEM;
	HP_TRY(list_class_objects(heap));
	for (unsigned type = 0; type < 16; type++)
		heap->prims[type] = HP_NO_CLASS;
	for (size_t i = 0; i < c->count; i++) {
		heap->classes[i] = (struct hp_heap_class){
			.info = &c->rows[i],
			.index = HPROF_NO_OBJECT,
			.super = HP_NO_CLASS,
			.referent = UINT32_MAX,
			.elements = HP_NO_CLASS,
		};
		take_size(&heap->classes[i]);
	}
	for (size_t row = 0; row < c->count; row++)
		heap->classes[impl->row_class[row]].row = row;
	link_arrays(heap);
	return HPROF_OK;
}

/* ---- after the pass ------------------------------------------------------ */

/* Superclasses come first in the order of classes. */
static void link_supers(struct hprof_heap *heap)
{
	const struct hp_class_table *c = heap->infos;

	for (size_t i = 0; i < c->count; i++) {
		struct hp_heap_class *of = &heap->classes[c->order[i]];
		uint32_t super = of->info->super;
		of->all_fields = of->own ? of->own->field_count : 0;
		/* Without that CLASS_DUMP the rest cannot be laid out. */
		if (!of->own || super == HP_NO_CLASS ||
		    !heap->classes[super].own)
			continue;
		of->super = heap->classes[super].own->size
				    ? super
				    : heap->classes[super].super;
		of->all_fields += heap->classes[super].all_fields;
	}
}

/*
 * Numbers classes so that all subclasses of a class directly follow it: each
 * class gets as many numbers as there are classes in its subtree, and its
 * subclasses take theirs from these.
 */
static void number_classes(struct hprof_heap *heap)
{
	const struct hp_class_table *c = heap->infos;
	uint32_t next = 0;

	for (size_t i = c->count; i-- > 0;) {
		struct hp_heap_class *of = &heap->classes[c->order[i]];
		of->number++; /* at first, the size of the subtree */
		if (of->info->super != HP_NO_CLASS)
			heap->classes[of->info->super].number += of->number;
	}
	for (size_t i = 0; i < c->count; i++) {
		struct hp_heap_class *of = &heap->classes[c->order[i]];
		uint32_t super = of->info->super, count = of->number;
		uint32_t *from = super != HP_NO_CLASS
					 ? &heap->classes[super].end
					 : &next;
		of->number = *from;
		*from += count;
		of->end = of->number + 1; /* where the next subclass begins */
	}
	/* Each class has a number of its own: superclasses form no cycle. */
	assert(next == c->count);
}

static enum hp_weakness named_weakness(const char *name)
{
	static const struct {
		const char *name;
		enum hp_weakness weakness;
	} known[] = {
		{ "java.lang.ref.SoftReference", HP_SOFT },
		{ "java.lang.ref.WeakReference", HP_WEAK },
		{ "java.lang.ref.PhantomReference", HP_PHANTOM },
		{ "java.lang.ref.FinalReference", HP_FINAL },
		{ "java.lang.ref.FinalizerReference", HP_FINAL }, /* Android */
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(name, known[i].name) == 0)
			return known[i].weakness;
	return HP_STRONG;
}

static void find_weakness(struct hprof_heap *heap)
{
	const struct hp_class_table *c = heap->infos;

	for (size_t i = 0; i < c->count; i++) {
		struct hp_heap_class *of = &heap->classes[c->order[i]];
		of->weakness = named_weakness(of->info->name);
		if (of->weakness == HP_STRONG && of->info->super != HP_NO_CLASS)
			of->weakness = heap->classes[of->info->super].weakness;
	}
}

static bool is_referent(const struct hp_heap_class *level,
			const struct hprof_field *field)
{
	return strcmp(level->info->name, "java.lang.ref.Reference") == 0 &&
	       strcmp(field->name, "referent") == 0;
}

/* Counts the references or, with REFS, also stores their offsets. */
static uint32_t walk_refs(struct hprof_heap *heap, struct hp_heap_class *of,
			  uint32_t *refs)
{
	const struct hp_slot *slot = of->info->instances;
	const uint64_t end = slot->largest;
	const struct hp_heap_class *level = of;
	uint64_t base = 0;
	uint32_t n = 0;

	while (level->own && base < end) {
		const struct hp_dumped_class *own = level->own;
		for (uint32_t i = 0; i < own->field_count; i++) {
			uint64_t at = base + own->fields[i].offset;
			if (at >= end)
				break;
			if (own->fields[i].type != HPROF_TYPE_OBJECT ||
			    at + heap->id_size > end)
				continue;
			if (refs && of->weakness != HP_STRONG &&
			    is_referent(level, &own->fields[i]))
				of->referent = (uint32_t)at;
			if (refs)
				refs[n] = (uint32_t)at;
			n++;
		}
		base += own->size;
		if (level->super == HP_NO_CLASS)
			break;
		level = &heap->classes[level->super];
	}
	return n;
}

static enum hprof_status find_refs(struct hprof_heap *heap)
{
	for (size_t i = 0; i < heap->infos->count; i++) {
		struct hp_heap_class *of = &heap->classes[i];
		if (!of->info->instances)
			continue;
		of->ref_count = walk_refs(heap, of, NULL);
		of->refs = hp_arena_take(&heap->arena,
					 of->ref_count * sizeof *of->refs);
		if (!of->refs)
			return HPROF_E_NOMEM;
		walk_refs(heap, of, of->refs);
	}
	return HPROF_OK;
}

/* Finds the byte order of the JVM: writers do not swap a byte[]. */
static void find_byte_order(struct hprof_heap *heap)
{
	bool high = false, low = false;

	for (size_t i = 0; i < heap->infos->count; i++) {
		const struct hp_dumped_class *own = heap->classes[i].own;
		if (!own || strcmp(heap->infos->rows[i].name,
				   "java.lang.StringUTF16") != 0)
			continue;
		for (uint32_t k = 0; k < own->static_count; k++) {
			const struct hprof_field *f = &own->statics[k];
			high = high || (strcmp(f->name, "HI_BYTE_SHIFT") == 0 &&
					f->value == 8);
			low = low || (strcmp(f->name, "LO_BYTE_SHIFT") == 0 &&
				      f->value == 0);
		}
	}
	heap->big_endian = high && low;
}

enum hprof_status hp_heap_classes_end(struct hprof_heap *heap)
{
	link_supers(heap);
	number_classes(heap);
	find_weakness(heap);
	find_byte_order(heap);
	for (size_t i = 0; i < heap->class_object_count; i++) {
		const struct hp_class_object *object = &heap->class_objects[i];
		heap->classes[object->row].index = object->index;
	}
	return find_refs(heap);
}
