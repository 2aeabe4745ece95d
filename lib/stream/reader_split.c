/* SPDX-License-Identifier: MIT */
/*
 * reader_split.c - divides a dump into units for several threads.
 *
 * Segments: the headers of a run of segments are read (one small read each),
 * and each must be followed by a plausible header. A large record (JDK 8 writes
 * up to 2 GiB) is cut where a chain of valid sub-records of known classes
 * starts. That place is a guess until the unit before it has been read and ends
 * exactly there; see hprof_reader_unit_proved.
 *
 * The boundaries depend on the file alone, never on the number of threads.
 */
#include <stdlib.h>

#include "codec/decode.h"
#include "base/mem.h"
#include "stream/reader.h"

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { UNIT_SIZE = 64, CHAIN = 4 };
#else
enum {
	UNIT_SIZE = 8 << 20, /* approximate */
	CHAIN = 16	     /* sub-records in a row that confirm a start */
};
#endif
enum {
	LARGE = 2 * UNIT_SIZE,
	LOOK = 1 << 20 /* how far to search for a start */
};

/* ---- classes known so far ------------------------------------------------ */

void hp_reader_note_class(struct hprof_reader *r, uint64_t class_id)
{
	if (!r->options.units)
		return;
	if (hp_grow((void **)&r->units.class_ids, &r->units.class_id_room,
		    r->units.class_id_count,
		    sizeof *r->units.class_ids) != HPROF_OK) {
		r->options.units = false; /* no memory: do with one thread */
		return;
	}
	r->units.class_ids[r->units.class_id_count++] = class_id;
	r->units.class_ids_sorted = false;
}

static int compare_ids(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void sort_classes(struct hprof_reader *r)
{
	if (!r->units.class_ids_sorted && r->units.class_id_count)
		qsort(r->units.class_ids, r->units.class_id_count,
		      sizeof *r->units.class_ids, compare_ids);
	r->units.class_ids_sorted = true;
}

static bool known_class(const struct hprof_reader *r, uint64_t id)
{
	return r->units.class_id_count &&
	       bsearch(&id, r->units.class_ids, r->units.class_id_count,
		       sizeof *r->units.class_ids, compare_ids);
}

/* ---- where a sub-record starts ------------------------------------------- */

static bool believable(const struct hprof_reader *r,
		       const struct hprof_record *record)
{
	switch (record->tag) {
	case HPROF_INSTANCE_DUMP:
		return known_class(r, record->u.instance_dump.class_id);
	case HPROF_OBJ_ARRAY_DUMP:
		return known_class(r, record->u.obj_array_dump.class_id);
	case HPROF_CLASS_DUMP:
		return known_class(r, record->u.class_dump.class_id);
	case HPROF_PRIM_ARRAY_DUMP:
		return record->u.prim_array_dump.type >= HPROF_TYPE_BOOLEAN;
	default:
		return hprof_tag_is_root(record->tag) &&
		       record->tag < HPROF_ROOT_INTERNED_STRING;
	}
}

/* True if CHAIN plausible sub-records, at least one an object, start at P. */
static bool chain_starts(const struct hprof_reader *r, const uint8_t *p,
			 const uint8_t *end)
{
	struct hprof_record record;
	struct hp_tail tail;
	const uint8_t *next;
	unsigned objects = 0;

	for (unsigned i = 0; i < CHAIN; i++) {
		if (p >= end)
			return false;
		record.tag = HPROF_SUB + p[0];
		if (hp_decode_body(p + 1, end, r->id_size, &record, &tail,
				   &next) != HPROF_OK ||
		    !believable(r, &record))
			return false;
		objects += !hprof_tag_is_root(record.tag);
		if (tail.size > hp_room(next, end))
			return objects > CHAIN / 2;
		p = next + tail.size;
	}
	return objects > CHAIN / 2;
}

/* The first offset from AT on where a chain starts; 0: not within LOOK. */
static uint64_t find_start(const struct hprof_reader *r, uint64_t at,
			   uint64_t end)
{
	struct hp_source *source = r->source;
	struct hprof_error ignored;
	size_t n = 0;
	uint64_t found = 0;
	size_t look = end - at < LOOK ? (size_t)(end - at) : LOOK;
	uint8_t *bytes = hp_alloc(look);

	if (!bytes)
		return 0;
	if (source->ops->pread(source, at, bytes, look, &n, &ignored) !=
	    HPROF_OK)
		n = 0;
	for (size_t i = 0; i < n && !found; i++)
		if (chain_starts(r, bytes + i, bytes + n))
			found = at + i;
	hp_free(bytes);
	return found;
}

/* ---- making units -------------------------------------------------------- */

/* Returns the unit [FROM, END) and moves to END. */
static void hand_out(struct hprof_reader *r, struct hprof_record *ret,
		     uint64_t from, uint64_t end)
{
	r->units.unit = (struct hprof_unit){ .offset = from,
					     .end = end,
					     .id_size = r->id_size };
	hp_window_skip(&r->window, end - r->window.offset);
	*ret = (struct hprof_record){ .tag = HPROF_UNIT,
				      .id_size = (uint8_t)r->id_size,
				      .offset = from };
	r->record.offset = from;
}

/*
 * The end of the sub-record at AT if that is a large array, behind which no
 * guess is needed; otherwise AT + UNIT_SIZE.
 */
static uint64_t first_guess(const struct hprof_reader *r, uint64_t at)
{
	struct hp_source *source = r->source;
	struct hprof_error ignored;
	struct hprof_record record;
	struct hp_tail tail;
	const uint8_t *next;
	uint8_t bytes[64];
	size_t n = 0;

	if (at == r->heap.offset)
		at += HPROF_RECORD_HEADER;
	if (source->ops->pread(source, at, bytes, sizeof bytes, &n, &ignored) !=
		    HPROF_OK ||
	    n == 0)
		return at + UNIT_SIZE;
	record.tag = HPROF_SUB + bytes[0];
	if (hp_decode_body(bytes + 1, bytes + n, r->id_size, &record, &tail,
			   &next) != HPROF_OK ||
	    tail.size < UNIT_SIZE)
		return at + UNIT_SIZE;
	return at + hp_room(bytes, next) + tail.size;
}

bool hp_reader_split_unit(struct hprof_reader *r, struct hprof_record *ret)
{
	uint64_t from = r->units.split.at, end = r->units.split.end, cut = 0;
	bool in_record = from != r->heap.offset;

	/* No start nearby (inside a very large array): try further on. */
	for (uint64_t at = first_guess(r, from); !cut && at + UNIT_SIZE < end;
	     at += UNIT_SIZE)
		cut = find_start(r, at, end);
	r->units.split.at = cut;
	hand_out(r, ret, from, cut ? cut : end);
	r->units.unit.in_record = in_record;
	r->units.unit.ends_in_record = cut != 0;
	return true;
}

/* The end of the heap record at AT if its length is plausible, else 0. */
static uint64_t good_record_end(struct hprof_reader *r, uint64_t at,
				unsigned tag)
{
	uint8_t p[HPROF_RECORD_HEADER];

	if (hp_window_peek(&r->window, at, p, sizeof p) != (int)sizeof p ||
	    p[0] != tag)
		return 0;
	uint32_t length = hp_get32(p + 5);
	uint64_t end = at + sizeof p + length;
	if (length == 0 || hp_window_ends_before(&r->window, end) ||
	    hp_reader_header_at(r, end) != HP_YES)
		return 0;
	return end;
}

bool hp_reader_make_unit(struct hprof_reader *r, struct hprof_record *ret)
{
	unsigned tag = ret->tag;
	uint64_t from = r->record.offset;
	uint64_t end = good_record_end(r, from, tag);

	if (end == 0)
		return false;
	if (end - from > LARGE) {
		sort_classes(r);
		r->heap.offset = from;
		r->units.split.at = from;
		r->units.split.end = end;
		return hp_reader_split_unit(r, ret);
	}
	while (tag == HPROF_HEAP_DUMP_SEGMENT && end - from < UNIT_SIZE) {
		uint64_t next = good_record_end(r, end, tag);
		if (next == 0 || next - end > LARGE)
			break;
		end = next;
	}
	hand_out(r, ret, from, end);
	return true;
}

enum hprof_status hprof_reader_unit(const struct hprof_reader *r,
				    struct hprof_unit *ret_unit)
{
	if (r->units.unit.end == 0 || r->units.unit.offset != r->record.offset)
		return HPROF_E_USAGE;
	*ret_unit = r->units.unit;
	return HPROF_OK;
}
