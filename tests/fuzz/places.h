/* SPDX-License-Identifier: MIT */
/*
 * places.h - where a dump has its lengths, ids, counts and types, so that a
 * mutant can be wrong in one of them and right in everything else.
 */
#ifndef PLACES_H
#define PLACES_H

#include <stddef.h>
#include <stdint.h>

enum place_kind {
	PLACE_LENGTH, /* of a record, or the size of ids */
	PLACE_ID,
	PLACE_COUNT,
	PLACE_TYPE,
	PLACE_TAG,
	PLACE_NUMBER, /* a serial, a line, a size */
	PLACE_VALUE,  /* data of an instance, as wide as an id */
	PLACE_KINDS
};

struct place {
	size_t at;
	uint8_t width; /* in bytes, 1 to 8 */
	enum place_kind kind;
};

/* A record, or a sub-record inside one. */
struct part {
	size_t at;
	size_t size;	/* with its tag and header */
	size_t segment; /* the record that a sub-record is in; else 0 */
	size_t text;	/* of a string: where it begins; else 0 */
};

struct places {
	struct place *places;
	size_t count;
	struct part *parts;
	size_t part_count;
	unsigned id_size;
};

/*
 * Finds them in the dump at BYTES, as far as it can be followed. What was in
 * PLACES, all zero at first, is replaced; places_free frees it.
 */
void places_find(struct places *places, const uint8_t *bytes, size_t size);
void places_free(struct places *places);

#endif
