/* SPDX-License-Identifier: MIT */
/* class_fields.c - classes as callers see them, by row of the summary. */
#include <string.h>

#include "heap/heap.h"
#include "base/mem.h"

/* Compilers make no class with so many fields. */
enum { MOST_FIELDS = 1 << 20 };

size_t hprof_heap_class(const struct hprof_heap *heap, uint64_t class_id)
{
	const struct hp_heap_class *of =
		heap ? hp_heap_class(heap, class_id) : NULL;

	return of ? of->row : SIZE_MAX;
}

size_t hprof_heap_class_named(const struct hprof_heap *heap, const char *name,
			      size_t from)
{
	const struct hprof_summary *s = hprof_heap_summary(heap);

	if (!s || !name)
		return SIZE_MAX;
	for (size_t row = from; row < s->class_count; row++)
		if (strcmp(s->class_rows[row].name, name) == 0)
			return row;
	return SIZE_MAX;
}

bool hprof_heap_class_is(const struct hprof_heap *heap, size_t row,
			 size_t ancestor)
{
	const struct hp_heap_class *of, *wanted;

	if (!heap)
		return false;
	of = hp_heap_row(heap, row);
	wanted = hp_heap_row(heap, ancestor);
	return of && wanted && of->number >= wanted->number &&
	       of->number < wanted->end;
}

/* ---- layouts ------------------------------------------------------------- */

size_t hprof_heap_own_fields(const struct hprof_heap *heap, size_t row,
			     const struct hprof_field **ret_fields)
{
	const struct hp_heap_class *of = heap ? hp_heap_row(heap, row) : NULL;
	bool known = of && of->own;

	if (!ret_fields)
		return 0;
	*ret_fields = known ? of->own->fields : NULL;
	return known ? of->own->field_count : 0;
}

static size_t count_fields(const struct hprof_heap *heap,
			   const struct hp_heap_class *of)
{
	size_t count = 0;

	while (of->own && count < MOST_FIELDS) {
		count += of->own->field_count;
		if (of->super == HP_NO_CLASS)
			break;
		of = &heap->classes[of->super];
	}
	return count < MOST_FIELDS ? count : MOST_FIELDS;
}

static void fill_layout(const struct hprof_heap *heap,
			const struct hp_heap_class *of,
			struct hprof_field *fields, size_t count)
{
	uint64_t base = 0;
	size_t n = 0;

	while (n < count) {
		const struct hp_dumped_class *own = of->own;
		for (uint32_t i = 0; i < own->field_count && n < count; i++) {
			fields[n] = own->fields[i];
			fields[n++].offset += (uint32_t)base;
		}
		base += own->size;
		if (of->super == HP_NO_CLASS)
			break;
		of = &heap->classes[of->super];
	}
}

bool hprof_heap_layout(const struct hprof_heap *heap, size_t row,
		       const struct hprof_field **ret_fields, size_t *ret_count)
{
	struct hp_heap_class *of = heap ? hp_heap_row(heap, row) : NULL;
	pthread_mutex_t *lock;
	bool complete;

	if (!ret_fields || !ret_count)
		return false;
	*ret_fields = NULL;
	*ret_count = 0;
	if (!of)
		return false;
	/* The lock is among the members that may change in a const heap. */
	lock = &((struct hprof_heap *)heap)->lock;
	pthread_mutex_lock(lock);
	if (!of->layout && of->own) {
		size_t count = count_fields(heap, of);
		of->layout = hp_calloc(count + 1, sizeof *of->layout);
		if (of->layout) {
			fill_layout(heap, of, of->layout, count);
			of->layout_count = count;
		}
	}
	*ret_fields = of->layout;
	*ret_count = of->layout_count;
	complete = of->info->complete && of->layout &&
		   of->layout_count < MOST_FIELDS;
	pthread_mutex_unlock(lock);
	return complete;
}
