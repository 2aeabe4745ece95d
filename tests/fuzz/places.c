/* SPDX-License-Identifier: MIT */
/*
 * places.c - follows a dump field by field, by the descriptions of its records.
 *
 * The public decoder says what a record means; this says where each field lies.
 * It stops where a record makes no sense and goes on behind it.
 */
#include "tests/fuzz/places.h"

#include <hprof/record.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_IDS = 64 };

/* What is being read: bytes from AT to END, those of one record. */
struct walk {
	struct places *places;
	const uint8_t *bytes;
	size_t at;
	size_t end;
	uint64_t count; /* of the last COUNT */
	uint8_t type;	/* the last TYPE */
};

static void *grown(void *array, size_t count, size_t size)
{
	/* Doubled at each power of two. */
	if (count & (count - 1))
		return array;
	array = realloc(array, (count ? 2 * count : 1) * size);
	if (!array)
		abort();
	return array;
}

static void add_part(struct places *places, struct part part)
{
	places->parts = grown(places->parts, places->part_count, sizeof part);
	places->parts[places->part_count++] = part;
}

static void add_place(struct places *places, size_t at, unsigned width,
		      enum place_kind kind)
{
	assert(width > 0 && width <= 8);
	places->places =
		grown(places->places, places->count, sizeof *places->places);
	places->places[places->count++] =
		(struct place){ at, (uint8_t)width, kind };
}

static uint64_t number_at(const uint8_t *bytes, size_t at, unsigned width)
{
	uint64_t number = 0;

	while (width-- > 0)
		number = number << 8 | bytes[at++];
	return number;
}

static size_t room(const struct walk *walk)
{
	return walk->end - walk->at;
}

/* One field of WIDTH bytes; false if it is cut. */
static bool take(struct walk *walk, unsigned width, enum place_kind kind,
		 uint64_t *ret_number)
{
	if (width == 0 || width > 8 || room(walk) < width)
		return false;
	add_place(walk->places, walk->at, width, kind);
	*ret_number = number_at(walk->bytes, walk->at, width);
	walk->at += width;
	return true;
}

/* COUNT fields of WIDTH; of a long array only the first ones are places. */
static bool take_array(struct walk *walk, uint64_t count, unsigned width,
		       enum place_kind kind)
{
	if (width == 0 || count > room(walk) / width)
		return false;
	for (uint64_t i = 0; i < count && i < MOST_IDS; i++)
		add_place(walk->places, walk->at + (size_t)i * width, width,
			  kind);
	walk->at += (size_t)count * width;
	return true;
}

/* One of the three lists of a class; KEY is 0 for ids. */
static bool take_class_list(struct walk *walk, unsigned key, bool has_value)
{
	unsigned z = walk->places->id_size;
	uint64_t count, ignored, type;

	if (!take(walk, 2, PLACE_COUNT, &count))
		return false;
	while (count-- > 0) {
		if (!take(walk, key ? key : z, key ? PLACE_NUMBER : PLACE_ID,
			  &ignored) ||
		    !take(walk, 1, PLACE_TYPE, &type))
			return false;
		unsigned size = hprof_type_size((unsigned)type, z);
		if (has_value &&
		    !take(walk, size,
			  type == HPROF_TYPE_OBJECT ? PLACE_ID : PLACE_VALUE,
			  &ignored))
			return false;
	}
	return true;
}

static bool take_class(struct walk *walk)
{
	return take_class_list(walk, 2, true) &&
	       take_class_list(walk, 0, true) &&
	       take_class_list(walk, 0, false);
}

static bool take_fields(struct walk *walk,
			const struct hprof_record_info *info);

/* What is at most at the end of a record. */
static bool take_tail(struct walk *walk, const struct hprof_field_info *field)
{
	unsigned z = walk->places->id_size;

	switch (field->kind) {
	case HPROF_KIND_BYTES:
		if (walk->count > room(walk))
			return false;
		size_t rest = (size_t)walk->count % z;
		if (!take_array(walk, walk->count / z, z, PLACE_VALUE))
			return false;
		walk->at += rest;
		return true;
	case HPROF_KIND_IDS:
		return take_array(walk, walk->count, z, PLACE_ID);
	case HPROF_KIND_VALUES:
		return take_array(walk, walk->count,
				  hprof_type_size(walk->type, z), PLACE_VALUE);
	case HPROF_KIND_LIST:
		for (uint64_t left = walk->count; left > 0; left--)
			if (!take_fields(walk, field->group))
				return false;
		return true;
	case HPROF_KIND_CLASS:
		return take_class(walk);
	default:
		walk->at = walk->end;
		return true;
	}
}

static bool take_field(struct walk *walk, const struct hprof_field_info *field)
{
	uint64_t number;

	switch (field->kind) {
	case HPROF_KIND_ID:
		return take(walk, walk->places->id_size, PLACE_ID, &number);
	case HPROF_KIND_U1:
		return take(walk, 1, PLACE_NUMBER, &number);
	case HPROF_KIND_U2:
		return take(walk, 2, PLACE_NUMBER, &number);
	case HPROF_KIND_U4:
	case HPROF_KIND_I4:
		return take(walk, 4, PLACE_NUMBER, &number);
	case HPROF_KIND_U8:
		return take(walk, 8, PLACE_NUMBER, &number);
	case HPROF_KIND_TYPE:
		if (!take(walk, 1, PLACE_TYPE, &number))
			return false;
		walk->type = (uint8_t)number;
		return true;
	case HPROF_KIND_COUNT:
		return take(walk, 4, PLACE_COUNT, &walk->count);
	default:
		return take_tail(walk, field);
	}
}

static bool take_fields(struct walk *walk, const struct hprof_record_info *info)
{
	for (unsigned i = 0; i < info->field_count; i++)
		if (!take_field(walk, &info->fields[i]))
			return false;
	return true;
}

/* The sub-records of the record at SEGMENT, whose body WALK is at. */
static void take_segment(struct walk *walk, size_t segment)
{
	while (walk->at < walk->end) {
		size_t start = walk->at;
		unsigned tag = HPROF_SUB + walk->bytes[start];
		const struct hprof_record_info *info =
			hprof_record_describe(tag);

		add_place(walk->places, walk->at++, 1, PLACE_TAG);
		if (!info || !take_fields(walk, info))
			return;
		add_part(walk->places,
			 (struct part){ start, walk->at - start, segment, 0 });
	}
}

static void take_body(struct walk *walk, size_t record)
{
	unsigned tag = walk->bytes[record];
	const struct hprof_record_info *info = hprof_record_describe(tag);
	struct part *part = &walk->places->parts[walk->places->part_count - 1];

	if (tag == HPROF_HEAP_DUMP || tag == HPROF_HEAP_DUMP_SEGMENT) {
		take_segment(walk, record);
		return;
	}
	if (tag == HPROF_UTF8)
		part->text = walk->at + walk->places->id_size;
	if (info)
		take_fields(walk, info);
}

/* False at the end, or where a record is cut. */
static bool take_record(struct walk *walk, size_t size)
{
	size_t start = walk->at;
	uint64_t tag, time, length;

	walk->end = size;
	if (!take(walk, 1, PLACE_TAG, &tag) ||
	    !take(walk, 4, PLACE_NUMBER, &time) ||
	    !take(walk, 4, PLACE_LENGTH, &length) || length > room(walk))
		return false;
	walk->end = walk->at + (size_t)length;
	add_part(walk->places, (struct part){ start, walk->end - start, 0, 0 });
	take_body(walk, start);
	walk->at = walk->end;
	return true;
}

void places_find(struct places *places, const uint8_t *bytes, size_t size)
{
	const uint8_t *nul = size ? memchr(bytes, 0, size) : NULL;
	struct walk walk = { places, bytes, 0, size, 0, 0 };
	uint64_t id_size, time;

	places->count = places->part_count = 0;
	if (!nul)
		return;
	walk.at = (size_t)(nul - bytes) + 1;
	if (!take(&walk, 4, PLACE_LENGTH, &id_size) ||
	    !take(&walk, 8, PLACE_NUMBER, &time))
		return;
	/* Other sizes are the damage of a mutant. */
	places->id_size = id_size == 4 || id_size == 8 ? (unsigned)id_size : 8;
	while (take_record(&walk, size))
		;
}

void places_free(struct places *places)
{
	free(places->places);
	free(places->parts);
	memset(places, 0, sizeof *places);
}
