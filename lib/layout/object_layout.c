/* SPDX-License-Identifier: MIT */
/*
 * object_layout.c - see object_layout.h.
 *
 * The dump does not say how wide references and headers were. But if ids are
 * addresses, the distances between neighbouring objects show it. Each plausible
 * layout predicts a size for each class and an offset of the elements for each
 * kind of array. A layout is confirmed where the smallest measured distance
 * equals its prediction, and refuted where the distance is smaller. See
 * hprof(5), quirks Q40 to Q43.
 */
#include "layout/object_layout.h"

#include <string.h>

/* With fewer classes, objects or arrays than this, no conclusion is drawn. */
enum {
	ENOUGH_CLASSES = 3,
	MANY_CLASSES = 32,
	ENOUGH_OBJECTS = 1000,
	MANY_ARRAYS = 100
};

/*
 * The layouts that options of HotSpot can select, common ones first: of equally
 * good layouts the first one is chosen. Members: reference, header and array
 * header in bytes, alignment, packing.
 */
static const struct hp_object_layout layouts_64[] = {
	{ 4, 12, 16, 8, HP_FILLED }, { 4, 12, 16, 8, HP_LEVELS },
	{ 4, 8, 12, 8, HP_FILLED },  { 8, 12, 16, 8, HP_FILLED },
	{ 8, 12, 16, 8, HP_LEVELS }, { 8, 16, 20, 8, HP_FILLED },
	{ 8, 16, 24, 8, HP_FILLED }, { 8, 16, 24, 8, HP_LEVELS },
	{ 8, 8, 12, 8, HP_FILLED },  { 4, 16, 20, 8, HP_FILLED },
	{ 4, 16, 24, 8, HP_FILLED }, { 4, 16, 24, 8, HP_LEVELS },
};

static const struct hp_object_layout layouts_32[] = {
	{ 4, 8, 12, 8, HP_FILLED },
	{ 4, 8, 12, 8, HP_LEVELS },
};

enum {
	COUNT_64 = sizeof layouts_64 / sizeof *layouts_64,
	COUNT_32 = sizeof layouts_32 / sizeof *layouts_32
};

/*
 * The Ith layout that a dump may have, NULL behind the last one. A 64-bit JVM
 * never writes ids of 4 bytes itself, but agents do: dumps of whole JVMs, whose
 * hundreds of classes leave no doubt.
 */
static const struct hp_object_layout *
candidate(const struct hp_class_table *c, size_t i, int64_t *ret_least_score)
{
	*ret_least_score = ENOUGH_CLASSES;
	if (c->id_size == 4 && i < COUNT_32)
		return &layouts_32[i];
	if (c->id_size == 4) {
		*ret_least_score = MANY_CLASSES;
		i -= COUNT_32;
	}
	return i < COUNT_64 ? &layouts_64[i] : NULL;
}

/* ---- predictions of a layout --------------------------------------------- */

static uint64_t own_bytes(const struct hp_fields *f, unsigned ref)
{
	return (uint64_t)f->refs * ref + f->n1 + 2 * (uint64_t)f->n2 +
	       4 * (uint64_t)f->n4 + 8 * (uint64_t)f->n8;
}

/*
 * Before JDK 15 the fields of each class of the hierarchy start at a multiple
 * of the reference width. Its 8-byte fields start at a multiple of 8; smaller
 * fields of the same class fill the gap before them, as far as they suffice.
 */
static uint64_t start_of_level(const struct hp_fields *f,
			       const struct hp_object_layout *l, uint64_t end)
{
	uint64_t small = (uint64_t)f->n1 + 2 * f->n2 + 4 * (uint64_t)f->n4;

	if (l->ref == 4)
		small += 4 * (uint64_t)f->refs;
	end = hp_align_up(end, l->ref);
	if (l->packing == HP_MAT_LEVELS)
		return end;
	uint64_t gap = f->n8 ? hp_align_up(end, 8) - end : 0;
	return end + (gap > small ? gap - small : 0);
}

uint64_t hp_object_layout_end(const struct hp_fields *own,
			      const struct hp_object_layout *l, uint64_t end)
{
	uint64_t bytes = own_bytes(own, l->ref);

	if (l->packing != HP_FILLED && bytes)
		end = start_of_level(own, l, end);
	return end + bytes;
}

static uint64_t append(uint64_t end, uint64_t count, unsigned width)
{
	return count ? hp_align_up(end, width) + count * width : end;
}

uint64_t hp_object_layout_append(const struct hp_fields *own,
				 const struct hp_object_layout *l,
				 bool refs_first, uint64_t end)
{
	if (refs_first)
		end = append(end, own->refs, l->ref);
	end = append(end, own->n8, 8);
	end = append(end, own->n4, 4);
	end = append(end, own->n2, 2);
	end = append(end, own->n1, 1);
	return refs_first ? end : append(end, own->refs, l->ref);
}

void hp_object_layout_place(const struct hp_class_table *c,
			    const struct hp_object_layout *l, uint64_t *ends)
{
	for (size_t i = 0; i < c->count; i++) {
		uint32_t at = c->order[i];
		const struct hp_class *row = &c->rows[at];
		uint64_t end = row->super == HP_NO_CLASS ? l->header
							 : ends[row->super];
		if (row->info)
			end = hp_object_layout_end(&row->info->fields, l, end);
		ends[at] = end;
	}
}

unsigned hp_object_layout_elements(const struct hp_object_layout *l,
				   unsigned width)
{
	return width == 8 ? (unsigned)hp_align_up(l->array_header, 8)
			  : l->array_header;
}

uint64_t hp_object_layout_arrays(const struct hp_slot *slot,
				 const struct hp_object_layout *l,
				 unsigned width)
{
	uint64_t start = hp_object_layout_elements(l, width), total = 0;
	bool prims = slot->kind == HPROF_CLASS_PRIM_ARRAY;
	unsigned residues = prims ? HP_PRIM_RESIDUES : HP_ARRAY_RESIDUES;
	unsigned step = prims ? 1 : width;
	uint64_t payload = prims ? slot->data : slot->data * width;

	/*
	 * The alignment divides 256, so the payload modulo 256 (its residue)
	 * determines the padding.
	 */
	total = payload;
	for (unsigned i = 0; i < residues; i++) {
		uint64_t part = (uint64_t)i * step % 256;
		total += slot->residues[i] *
			 (hp_align_up(start + part, l->alignment) - part);
	}
	return total;
}

/* ---- choosing the layout ------------------------------------------------- */

/* True for classes whose instances differ in size, so they prove nothing. */
static bool has_varying_size(const struct hp_class *row)
{
	return strcmp(row->name, "java.lang.Class") == 0 ||
	       strcmp(row->name, "jdk.internal.vm.StackChunk") == 0;
}

static void score_size(int64_t weight, uint64_t predicted, int64_t measured,
		       int64_t *score)
{
	if (measured == HP_NO_SLACK)
		return;
	if (measured == (int64_t)predicted)
		*score += weight;
	else if (measured < (int64_t)predicted)
		*score -= 4 * weight;
}

static int64_t score_arrays(const struct hp_class_table *c,
			    const struct hp_object_layout *l)
{
	const struct hp_tally *t = c->tally;
	int64_t score = 0, slack = HP_NO_SLACK;
	uint64_t count = 0;

	for (unsigned type = 4; type < 12; type++)
		if (t->prims[type].count >= MANY_ARRAYS)
			score_size(ENOUGH_CLASSES,
				   hp_object_layout_elements(
					   l, hprof_type_size(type, 0)),
				   t->prims[type].slack, &score);
	for (size_t i = 0; i < t->slot_count; i++) {
		const struct hp_slot *slot = t->slots[i];
		if (slot->kind == HPROF_CLASS_PLAIN)
			continue;
		count += slot->count;
		if (slot->slack < slack)
			slack = slot->slack;
	}
	if (count >= MANY_ARRAYS)
		score_size(4 * ENOUGH_CLASSES,
			   hp_object_layout_elements(l, l->ref),
			   l->ref == 4 ? slack : t->slack8, &score);
	return score;
}

static int64_t score_layout(const struct hp_class_table *c,
			    const struct hp_object_layout *l, uint64_t *ends)
{
	int64_t score = score_arrays(c, l);

	hp_object_layout_place(c, l, ends);
	for (size_t i = 0; i < c->count; i++) {
		const struct hp_class *row = &c->rows[i];
		if (row->instances && hp_class_table_complete(c, (uint32_t)i) &&
		    !has_varying_size(row))
			score_size(1, hp_align_up(ends[i], l->alignment),
				   row->instances->slack, &score);
	}
	return score;
}

/*
 * The alignment of objects: the lowest bit that is set in any id. 0 if ids
 * cannot be addresses; 8 if there are so few objects that a larger alignment
 * may be chance.
 */
static unsigned estimate_alignment(const struct hp_tally *t)
{
	uint64_t bits = t->cursor.bits;
	uint64_t count = 0;

	for (unsigned i = 0; i < t->mirror_count; i++)
		bits |= t->mirrors[i];
	if (bits == 0 || (bits & 7))
		return 0;
	for (size_t i = 0; i < t->slot_count; i++)
		count += t->slots[i]->count;
	if (count < ENOUGH_OBJECTS)
		return 8;
	uint64_t lowest = bits & -bits;
	return lowest > 256 ? 256 : (unsigned)lowest;
}

/* JDK 15 and later fill gaps, and all have java.lang.Record; 14 may have it. */
static bool has_records(const struct hp_class_table *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (strcmp(c->rows[i].name, "java.lang.Record") == 0)
			return true;
	return false;
}

bool hp_object_layout_find(const struct hp_class_table *c,
			   struct hp_object_layout *ret, uint64_t *ends)
{
	unsigned alignment = estimate_alignment(c->tally);
	const struct hp_object_layout *next;
	int64_t best = 0, least;
	bool found = false, records = has_records(c);

	for (size_t i = 0; alignment && (next = candidate(c, i, &least)); i++) {
		struct hp_object_layout l = *next;
		l.alignment = alignment;
		int64_t score = score_layout(c, &l, ends);
		/*
		 * At a wide alignment few classes distinguish the packings, and
		 * the sizes of some are right by chance. So the version decides
		 * unless the packings differ by far.
		 */
		if (records && l.packing == HP_LEVELS)
			score -= score / 50;
		if (score > best && score >= least) {
			best = score;
			*ret = l;
			found = true;
		}
	}
	return found;
}

/* ---- without measurement ------------------------------------------------- */

/* A 32-bit JVM has no compressed references, and another name. */
static bool tells_64_bits(const struct hp_class_table *c)
{
	return c->id_size == 8 ||
	       (c->tally->properties &
		(HP_PROPERTY_OOPS_MODE | HP_PROPERTY_64_BIT));
}

/*
 * JDK 8 and later have the mode of compressed references among the system
 * properties, if references are compressed.
 */
static bool tells_wide_references(const struct hp_class_table *c)
{
	return tells_64_bits(c) && c->lambda_forms &&
	       (c->tally->properties &
		(HP_PROPERTY_ANY | HP_PROPERTY_OOPS_MODE)) == HP_PROPERTY_ANY;
}

unsigned hp_object_layout_word(const struct hp_class_table *c,
			       const struct hp_object_layout *l)
{
	return tells_64_bits(c) || l->ref == 8 || l->header > 8 ? 8 : 4;
}

struct hp_object_layout hp_object_layout_assume(const struct hp_class_table *c)
{
	/* Before JDK 15 class pointers are only compressed if references are. */
	static const struct hp_object_layout filled = { 8, 12, 16, 8,
							HP_FILLED },
					     levels = { 8, 16, 24, 8,
							HP_LEVELS };
	const bool records = has_records(c);

	if (tells_wide_references(c))
		return records ? filled : levels;
	struct hp_object_layout l =
		tells_64_bits(c) ? layouts_64[0] : layouts_32[0];
	l.packing = records ? HP_FILLED : HP_LEVELS;
	return l;
}
