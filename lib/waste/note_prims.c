/* SPDX-License-Identifier: MIT */
/*
 * note_prims.c - notes of primitive arrays: a hash of each, what zeros there are at
 * its end and in the high bytes of its characters, and how wide its numbers are.
 */
#include <string.h>

#include "codec/object_head.h"
#include "waste/notes.h"
#include "waste/number_width.h"

/* In bytes. */
enum {
	TAIL_LEAST = 64,
	ZEROS_LEAST = 1 << 10 /* of an array that has zeros only */
};

enum {
	NUMBERS = 1 << HPROF_TYPE_SHORT | 1 << HPROF_TYPE_INT |
		  1 << HPROF_TYPE_LONG
};

static inline bool are_numbers(unsigned type)
{
	return NUMBERS >> type & 1;
}

/*
 * Nearly all arrays are in memory as a whole, and short: of these, what is found out is
 * never stored. Those that come in pieces are why a compiler would not inline this.
 */
static inline __attribute__((always_inline)) void
begin(struct hp_noted_prims *a, const struct hp_content_key *key,
      uint32_t object, unsigned type)
{
	*a = (struct hp_noted_prims){ .object = object,
				      .type = type,
				      .width = hp_primitive_size(type),
				      .needed = 1 };
	hp_content_hash_begin(&a->hash, key, type);
}

/* The bytes up to the last one that is not 0. */
static size_t last_set(const uint8_t *data, size_t size)
{
	uint64_t word = 0;

	for (; size >= sizeof word; size -= sizeof word) {
		memcpy(&word, data + size - sizeof word, sizeof word);
		if (word)
			break;
	}
	while (size && !data[size - 1])
		size--;
	return size;
}

static inline __attribute__((always_inline)) void
add(struct hp_noted_prims *a, const uint8_t *bytes, size_t size)
{
	size_t last = last_set(bytes, size);

	if (last)
		a->used = a->hash.size + last;
	if (are_numbers(a->type))
		a->needed = hp_numbers_width(bytes, size, a->width, a->needed);
	hp_content_hash_add(&a->hash, bytes, size);
}

/* The array could do with USED elements of TYPE. */
static void note_shrinkable(struct hp_waste_thread *t, enum hp_notes_list list,
			    const struct hp_noted_prims *a, unsigned type,
			    uint64_t used)
{
	*HP_NOTES_NEXT(t, list, struct hp_shrinkable) =
		(struct hp_shrinkable){ a->object, (uint32_t)used,
					(uint8_t)type };
}

/* Is any of the bytes at even or odd offsets (FIRST is 0 or 1) not 0? */
static bool has_bytes(const struct hp_noted_prims *a, unsigned first)
{
	static const uint8_t even[8] = { 255, 0, 255, 0, 255, 0, 255, 0 };
	uint64_t mask;

	memcpy(&mask, even, sizeof mask);
	return (a->hash.any & (first ? ~mask : mask)) != 0;
}

/* Characters all of whose high bytes are 0. */
static void note_high_bytes(struct hp_waste_thread *t,
			    const struct hp_noted_prims *a)
{
	const uint64_t size = a->hash.size;

	if (a->type == HPROF_TYPE_CHAR && size && !has_bytes(a, 0))
		note_shrinkable(t, HP_NOTES_THIN, a, HPROF_TYPE_BYTE, size / 2);
	else if (a->type == HPROF_TYPE_BYTE && size > 1 &&
		 !has_bytes(a, t->w->heap->big_endian ? 0 : 1))
		note_shrinkable(t, HP_NOTES_HALVES, a, HPROF_TYPE_BYTE,
				size / 2);
}

/* Numbers that a smaller type has room for. */
static void note_narrow(struct hp_waste_thread *t,
			const struct hp_noted_prims *a)
{
	static const uint8_t types[] = {
		[1] = HPROF_TYPE_BYTE,
		[2] = HPROF_TYPE_SHORT,
		[4] = HPROF_TYPE_INT,
	};

	if (are_numbers(a->type) && a->needed < a->width && a->hash.size)
		note_shrinkable(t, HP_NOTES_NARROW, a, types[a->needed],
				a->hash.size / a->width);
}

static void note_tail(struct hp_waste_thread *t, const struct hp_noted_prims *a)
{
	/* Up to the end of an element, whose width is a power of 2. */
	const uint64_t used = (a->used + a->width - 1) & -(uint64_t)a->width;

	if (used <= a->hash.size / 2 &&
	    a->hash.size >= (used ? TAIL_LEAST : ZEROS_LEAST))
		note_shrinkable(t, HP_NOTES_TAILS, a, a->type, used / a->width);
}

static inline __attribute__((always_inline)) void end(struct hp_waste_thread *t,
						      struct hp_noted_prims *a)
{
	struct hp_content *content;
	uint64_t hash[2];

	note_high_bytes(t, a);
	note_narrow(t, a);
	note_tail(t, a);
	if (!a->hash.size)
		*HP_NOTES_NEXT(t, HP_NOTES_EMPTIES, uint32_t) = a->object;
	hp_content_hash_end(&a->hash, hash);
	content = HP_NOTES_NEXT(t, HP_NOTES_CONTENTS, struct hp_content);
	content->object = a->object;
	memcpy(content->hash, hash, sizeof content->hash);
}

/* ---- entry points -------------------------------------------------------- */

void hp_note_prims(void *thread, uint32_t object, unsigned type,
		   const uint8_t *bytes, size_t size)
{
	struct hp_waste_thread *t = thread;
	struct hp_noted_prims a;

	begin(&a, &t->w->key, object, type);
	add(&a, bytes, size);
	end(t, &a);
}

void hp_note_prims_begin(void *thread, uint32_t object, unsigned type)
{
	struct hp_waste_thread *t = thread;

	begin(&t->prims, &t->w->key, object, type);
}

void hp_note_prims_add(void *thread, const uint8_t *bytes, size_t size)
{
	add(&((struct hp_waste_thread *)thread)->prims, bytes, size);
}

void hp_note_prims_end(void *thread)
{
	struct hp_waste_thread *t = thread;

	end(t, &t->prims);
}
