/* SPDX-License-Identifier: MIT */
/*
 * class_fields.c - fields that a class could do without: references that are
 * null in all its instances, and numbers of two bytes and more that would fit
 * into a smaller type in all of them.
 *
 * The second are those of the program's own classes: what a class of the Java
 * runtime declares nobody can change. A field is looked at only until it has
 * needed all its bytes, which most do within few instances.
 */
#include "base/error.h"
#include "base/mem.h"
#include "report/object_info.h"
#include "waste/number_width.h"
#include "waste/waste.h"

/* ---- which fields -------------------------------------------------------- */

static bool is_number(const struct hp_waste *w, const struct hprof_field *field)
{
	return (field->type == HPROF_TYPE_SHORT ||
		field->type == HPROF_TYPE_INT ||
		field->type == HPROF_TYPE_LONG) &&
	       !hp_class_is_runtime(hp_class_name(w->heap, field->class_row));
}

/* Moves WALK to the next field that is a number and that an instance of C has. */
static bool next_number(const struct hp_waste *w, struct hp_field_walk *walk,
			const struct hp_waste_class *c, struct hp_number *ret)
{
	const uint64_t end = c->of->info->instances->largest;
	struct hprof_field field;

	while (hp_field_walk_next(walk, &field)) {
		*ret = (struct hp_number){
			.at = field.offset,
			.width = (uint8_t)hprof_type_size(field.type,
							  w->heap->id_size),
			.needed = 1,
		};
		if ((uint64_t)ret->at + ret->width > end)
			return false;
		if (is_number(w, &field))
			return true;
	}
	return false;
}

/*
 * Only as far as the longest instance has fields: so classes without any, of which there
 * may be very many above each other, cost nothing.
 */
enum hprof_status hp_waste_find_numbers(struct hp_waste *w,
					struct hp_waste_class *c)
{
	struct hp_field_walk walk = hp_field_walk_begin(w->heap, c->of);
	struct hp_number number;
	size_t room = 0;

	if (c->role != HP_ROLE_OTHER || c->runtime || !c->of->info->instances)
		return HPROF_OK;
	while (next_number(w, &walk, c, &number)) {
		if (hp_grow((void **)&c->numbers, &room, c->number_count,
			    sizeof *c->numbers) != HPROF_OK)
			return hp_no_memory(w->error);
		c->numbers[c->number_count++] = number;
	}
	return HPROF_OK;
}

/* ---- while objects are noted --------------------------------------------- */

static uint8_t needed_by(uint64_t number, unsigned width)
{
	return (uint8_t)hp_number_width(hp_number_bits(number, width));
}

/* Threads may do so at once: the largest stays. */
static void need(uint8_t *needed, uint8_t bytes)
{
	uint8_t old = __atomic_load_n(needed, __ATOMIC_RELAXED);

	while (bytes > old &&
	       !__atomic_compare_exchange_n(needed, &old, bytes, true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		continue;
}

void hp_waste_take_numbers(const struct hp_waste_class *c, const uint8_t *data,
			   uint64_t size)
{
	for (uint32_t k = 0; k < c->number_count; k++) {
		struct hp_number *n = &c->numbers[k];

		if (__atomic_load_n(&n->needed, __ATOMIC_RELAXED) == n->width)
			continue;
		if (!data)
			need(&n->needed, n->width);
		else if (n->at + n->width <= size)
			need(&n->needed,
			     needed_by(hp_get_id(data + n->at, n->width),
				       n->width));
	}
}

/* ---- after it ------------------------------------------------------------ */

/* Whole units of alignment in BYTES that an instance would be smaller by. */
static uint64_t aligned(const struct hp_waste *w, uint64_t bytes)
{
	unsigned unit = hprof_heap_summary(w->heap)->convention.alignment;

	return unit ? bytes - bytes % unit : bytes;
}

static uint64_t count_nulls(const struct hp_waste_class *c)
{
	uint64_t nulls = 0;

	for (uint32_t k = 0; k < c->of->ref_count; k++)
		nulls += (c->refs[k].special & HP_REF_NULL) != 0;
	return nulls;
}

/* How many numbers are too wide, and by how many bytes in all. */
static uint64_t count_wide(const struct hp_waste_class *c, uint64_t *ret_bytes)
{
	uint64_t wide = 0;

	*ret_bytes = 0;
	for (uint32_t k = 0; k < c->number_count; k++) {
		wide += c->numbers[k].needed < c->numbers[k].width;
		*ret_bytes += c->numbers[k].width - c->numbers[k].needed;
	}
	return wide;
}

/* Of numbers only what is saved when the null fields are gone. */
static enum hprof_status note_fields(struct hp_waste *w, size_t row)
{
	const struct hp_waste_class *c = &w->classes[row];
	uint64_t nulls, wide, bytes, without_nulls, saved;

	if (c->role != HP_ROLE_OTHER || c->instances < 2)
		return HPROF_OK;
	nulls = count_nulls(c);
	bytes = nulls * hprof_heap_summary(w->heap)->convention.ref_width;
	without_nulls = aligned(w, bytes);
	if (without_nulls)
		HP_TRY(hp_waste_note_class(w, HPROF_WASTE_NULL_FIELDS, row,
					   nulls,
					   without_nulls * c->instances));
	wide = count_wide(c, &saved);
	saved = aligned(w, bytes + saved) - without_nulls;
	return saved ? hp_waste_note_class(w, HPROF_WASTE_WIDE_FIELDS, row,
					   wide, saved * c->instances)
		     : HPROF_OK;
}

enum hprof_status hp_waste_fields(struct hp_waste *w)
{
	for (size_t row = 0; row < w->class_count; row++)
		HP_TRY(note_fields(w, row));
	return HPROF_OK;
}
