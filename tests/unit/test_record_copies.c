/* SPDX-License-Identifier: MIT */
/*
 * test_record_copies.c - the codec, for every record by its description, every
 * width of ids, and boundary values, and for whole dumps: what is encoded
 * decodes to the same, what is cut is refused.
 */
#include "fixture.h"

#include <criterion/criterion.h>
#include <hprof/record.h>
#include <stdlib.h>
#include <string.h>

static const unsigned widths[] = { 1, 2, 4, 8 };

enum { WIDTHS = 4, ROOM = 4096 };

/* ---- records made up from the descriptions ---------------------------- */

/* Values for the fields of a made-up record, used in turn. */
enum pattern { ZERO, ONES, HIGH_BIT, COUNT_UP, PATTERNS };

static uint64_t pattern_value(enum pattern pattern, unsigned bytes,
			      unsigned *counter)
{
	uint64_t ones = UINT64_MAX >> (64 - 8 * bytes);

	switch (pattern) {
	case ZERO:
		return 0;
	case ONES:
		return ones;
	case HIGH_BIT:
		return (ones >> 1) + 1;
	default:
		return (uint64_t)(0x0102030405060708 * ++*counter) & ones;
	}
}

static void set(struct hprof_record *r, const struct hprof_field_info *field,
		const void *value, size_t size)
{
	memcpy((char *)r + field->offset, value, size);
}

static void set_number(struct hprof_record *r,
		       const struct hprof_field_info *field, unsigned bytes,
		       uint64_t v)
{
	uint8_t u1 = (uint8_t)v;
	uint16_t u2 = (uint16_t)v;
	uint32_t u4 = (uint32_t)v;

	if (field->kind == HPROF_KIND_ID || bytes == 8)
		set(r, field, &v, sizeof v);
	else if (bytes == 4)
		set(r, field, &u4, sizeof u4);
	else if (bytes == 2)
		set(r, field, &u2, sizeof u2);
	else
		set(r, field, &u1, sizeof u1);
}

/* A list of CLASS_DUMP with one entry of each type. */
static struct hprof_bytes class_list(uint8_t *pool, unsigned key, bool values,
				     unsigned z, uint16_t *ret_count)
{
	struct hprof_bytes list = { pool, 0 };

	*ret_count = 0;
	for (unsigned type = 0; type < 12; type++) {
		unsigned size = hprof_type_size(type, z);
		if (size == 0)
			continue;
		memset(pool + list.size, 0x11 * (int)type, key);
		pool[list.size + key] = (uint8_t)type;
		list.size += key + 1;
		if (values) {
			memset(pool + list.size, 0xf0 + (int)type, size);
			list.size += size;
		}
		++*ret_count;
	}
	return list;
}

static void set_class_lists(struct hprof_class_dump *c, uint8_t *pool,
			    unsigned z, enum pattern pattern)
{
	if (pattern == ZERO)
		return;
	c->constants = class_list(pool, 2, true, z, &c->constant_count);
	if (pattern == HIGH_BIT)
		return;
	c->statics = class_list(pool + 256, z, true, z, &c->static_count);
	c->fields = class_list(pool + 512, z, false, z, &c->field_count);
}

static unsigned element_size(const struct hprof_field_info *field,
			     const struct hprof_record *r, unsigned z)
{
	switch (field->kind) {
	case HPROF_KIND_IDS:
		return z;
	case HPROF_KIND_VALUES:
		return hprof_type_size(r->u.prim_array_dump.type, z);
	case HPROF_KIND_LIST:
		return strcmp(field->group->name, "CPU_SAMPLE") ? 25 : 8;
	default:
		return 1;
	}
}

static void set_field(struct hprof_record *r,
		      const struct hprof_field_info *field, unsigned z,
		      enum pattern pattern, unsigned type, unsigned *counter)
{
	static uint8_t pool[ROOM];
	static const uint8_t fixed[] = {
		[HPROF_KIND_U1] = 1, [HPROF_KIND_U2] = 2, [HPROF_KIND_U4] = 4,
		[HPROF_KIND_I4] = 4, [HPROF_KIND_U8] = 8,
	};
	struct hprof_bytes bytes = { pool, 0 };
	uint32_t count = pattern == ZERO ? 0 : pattern == ONES ? 1 : 3;
	uint8_t code = (uint8_t)type;

	for (size_t i = 0; i < sizeof pool; i++)
		pool[i] = (uint8_t)(i * 7 + *counter);
	switch (field->kind) {
	case HPROF_KIND_TYPE:
		set(r, field, &code, sizeof code);
		break;
	case HPROF_KIND_COUNT:
		set(r, field, &count, sizeof count);
		break;
	case HPROF_KIND_CLASS:
		set_class_lists(&r->u.class_dump, pool, z, pattern);
		break;
	case HPROF_KIND_REST:
	case HPROF_KIND_BYTES:
	case HPROF_KIND_IDS:
	case HPROF_KIND_VALUES:
	case HPROF_KIND_LIST:
		bytes.size = (uint64_t)count * element_size(field, r, z);
		set(r, field, &bytes, sizeof bytes);
		break;
	default: {
		unsigned size =
			field->kind == HPROF_KIND_ID ? z : fixed[field->kind];
		set_number(r, field, size,
			   pattern_value(pattern, size, counter));
	}
	}
}

static struct hprof_record make(const struct hprof_record_info *info,
				unsigned z, enum pattern pattern, unsigned type)
{
	struct hprof_record r = { .tag = info->tag, .id_size = (uint8_t)z };
	unsigned counter = 0;

	for (unsigned i = 0; i < info->field_count; i++)
		set_field(&r, &info->fields[i], z, pattern, type, &counter);
	if (info->tag < HPROF_SUB)
		r.time_us = (uint32_t)pattern_value(pattern, 4, &counter);
	return r;
}

static enum hprof_status decode(unsigned tag, const uint8_t *bytes, size_t size,
				unsigned z, struct hprof_record *r,
				size_t *used)
{
	return tag >= HPROF_SUB ? hprof_sub_decode(bytes, size, z, r, used)
				: hprof_record_decode(bytes, size, z, r, used);
}

/* ---- comparison --------------------------------------------------------- */

static void same_bytes(struct hprof_bytes a, struct hprof_bytes b,
		       const char *what)
{
	cr_assert_eq(a.size, b.size, "%s", what);
	if (a.size)
		cr_assert(memcmp(a.data, b.data, a.size) == 0, "%s", what);
}

static void same_class(const struct hprof_class_dump *a,
		       const struct hprof_class_dump *b)
{
	cr_assert_eq(a->constant_count, b->constant_count);
	cr_assert_eq(a->static_count, b->static_count);
	cr_assert_eq(a->field_count, b->field_count);
	same_bytes(a->constants, b->constants, "constants");
	same_bytes(a->statics, b->statics, "statics");
	same_bytes(a->fields, b->fields, "fields");
}

static void same_field(const struct hprof_record *a,
		       const struct hprof_record *b,
		       const struct hprof_field_info *field)
{
	static const size_t sizes[] = {
		[HPROF_KIND_ID] = 8,   [HPROF_KIND_U1] = 1,
		[HPROF_KIND_U2] = 2,   [HPROF_KIND_U4] = 4,
		[HPROF_KIND_I4] = 4,   [HPROF_KIND_U8] = 8,
		[HPROF_KIND_TYPE] = 1, [HPROF_KIND_COUNT] = 4,
	};
	struct hprof_bytes x;
	struct hprof_bytes y;

	if (field->kind == HPROF_KIND_CLASS) {
		same_class(&a->u.class_dump, &b->u.class_dump);
	} else if (field->kind <= HPROF_KIND_COUNT) {
		cr_assert(memcmp((const char *)a + field->offset,
				 (const char *)b + field->offset,
				 sizes[field->kind]) == 0,
			  "%s", field->name);
	} else {
		memcpy(&x, (const char *)a + field->offset, sizeof x);
		memcpy(&y, (const char *)b + field->offset, sizeof y);
		same_bytes(x, y, field->name);
	}
}

/* ---- round trip --------------------------------------------------------- */

/* Anything shorter than the record is truncated; nothing is changed. */
static void check_cut(unsigned tag, const uint8_t *bytes, size_t size,
		      unsigned z)
{
	for (size_t cut = 0; cut < size; cut++) {
		uint8_t *exact = malloc(cut + (cut == 0));
		struct hprof_record r;
		size_t used = 12345;
		memcpy(exact, bytes, cut);
		cr_assert_eq(decode(tag, exact, cut, z, &r, &used),
			     HPROF_E_TRUNCATED, "%s, %zu of %zu",
			     hprof_tag_name(tag), cut, size);
		cr_assert_eq(used, 12345);
		free(exact);
	}
}

/* Too little room: nothing is written. */
static void check_room(const struct hprof_record *r, size_t size, unsigned z)
{
	uint8_t bytes[ROOM];
	size_t used = 12345;

	memset(bytes, 0x5a, sizeof bytes);
	for (size_t room = 0; room < size; room++)
		cr_assert_eq(hprof_record_encode(r, z, bytes, room, &used),
			     HPROF_E_LIMIT);
	cr_assert_eq(used, 12345);
	for (size_t i = 0; i < size; i++)
		cr_assert_eq(bytes[i], 0x5a);
}

static void round_trip(const struct hprof_record_info *info, unsigned z,
		       enum pattern pattern, unsigned type)
{
	struct hprof_record made = make(info, z, pattern, type);
	struct hprof_record got;
	uint8_t bytes[ROOM];
	uint8_t again[ROOM];
	uint64_t announced;
	size_t size;
	size_t used;

	cr_assert_eq(hprof_record_encode(&made, z, bytes, sizeof bytes, &size),
		     HPROF_OK, "%s, ids of %u", info->name, z);
	cr_assert_eq(hprof_record_size(&made, z, &announced), HPROF_OK);
	cr_assert_eq(announced, size);
	check_room(&made, size, z);
	check_cut(info->tag, bytes, size, z);
	cr_assert_eq(decode(info->tag, bytes, size, z, &got, &used), HPROF_OK);
	cr_assert_eq(used, size);
	cr_assert_eq(got.tag, made.tag);
	cr_assert_eq(got.id_size, z);
	cr_assert_eq(got.time_us, made.time_us);
	cr_assert_eq(got.rest.size, 0);
	if (info->tag < HPROF_SUB)
		cr_assert_eq(got.length, size - HPROF_RECORD_HEADER);
	for (unsigned i = 0; i < info->field_count; i++)
		same_field(&made, &got, &info->fields[i]);
	cr_assert_eq(hprof_record_encode(&got, z, again, sizeof again, &used),
		     HPROF_OK);
	cr_assert_eq(used, size);
	cr_assert(memcmp(bytes, again, size) == 0);
}

Test(record_copies, round_trip)
{
	const struct hprof_record_info *info;

	for (unsigned i = 0; (info = hprof_record_list(i)) != NULL; i++)
		for (unsigned w = 0; w < WIDTHS; w++)
			for (unsigned p = 0; p < PATTERNS; p++)
				for (unsigned type = 2; type <= 11; type++)
					if (type != 3)
						round_trip(info, widths[w], p,
							   type);
}

/* ---- whole dumps -------------------------------------------------------- */

/* Decodes all records; each must encode to the same bytes. */
static void walk(const uint8_t *p, size_t size, unsigned z, bool sub)
{
	uint8_t *again = malloc(size + (size == 0));

	while (size > 0) {
		struct hprof_record r;
		size_t used = 0;
		size_t written = 0;
		enum hprof_status status =
			sub ? hprof_sub_decode(p, size, z, &r, &used)
			    : hprof_record_decode(p, size, z, &r, &used);
		if (status != HPROF_OK && (sub || status != HPROF_E_CORRUPT))
			break;
		cr_assert(used > 0 && used <= size);
		if (status == HPROF_OK) {
			cr_assert_eq(hprof_record_encode(&r, z, again, size,
							 &written),
				     HPROF_OK);
			cr_assert_eq(written, used);
			cr_assert(memcmp(again, p, used) == 0);
			if (r.tag == HPROF_HEAP_DUMP ||
			    r.tag == HPROF_HEAP_DUMP_SEGMENT)
				walk(r.u.heap_dump.body.data,
				     r.u.heap_dump.body.size, z, true);
		}
		p += used;
		size -= used;
	}
	free(again);
}

static void walk_dump(const uint8_t *bytes, size_t size)
{
	struct hprof_header h;
	size_t used;

	if (hprof_header_decode(bytes, size, &h, &used) == HPROF_OK &&
	    hprof_id_size_valid(h.id_size))
		walk(bytes + used, size - used, h.id_size, false);
}

Test(record_copies, fixtures)
{
	for (char **name = fixture_names(); *name; name++) {
		struct fixture f = fixture_load(*name);
		walk_dump(f.bytes, f.size);
		fixture_free(&f);
	}
}

/* Small dumps, cut at every length and with every byte changed. */
Test(record_copies, damaged_fixtures)
{
	static const char *const names[] = { "minimal", "shop_id1", "graph",
					     "android", "standard_id8" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct fixture f = fixture_load(names[i]);
		for (size_t at = 0; at < f.size; at++) {
			uint8_t *cut = malloc(at + (at == 0));
			memcpy(cut, f.bytes, at);
			walk_dump(cut, at);
			free(cut);
			for (unsigned bit = 0; bit < 9; bit++) {
				uint8_t old = f.bytes[at];
				f.bytes[at] ^= bit < 8 ? 1 << bit : 0xff;
				walk_dump(f.bytes, f.size);
				f.bytes[at] = old;
			}
		}
		fixture_free(&f);
	}
}
