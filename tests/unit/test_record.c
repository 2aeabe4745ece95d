/*
 * test_record.c - the codec, for every record by its description, every width
 * of ids, and boundary values: what is encoded decodes to the same; what is
 * cut, wrong or misused is refused and leaves the results alone.
 */
#include "fixture.h"

#include <criterion/criterion.h>
#include <hprof/record.h>
#include <stdlib.h>
#include <string.h>

static const unsigned widths[] = { 1, 2, 4, 8 };

enum { WIDTHS = 4, ROOM = 4096 };

/* ---- records made up from the descriptions ---------------------------- */

/* The numbers of a made-up record, over and over. */
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

/* Everything shorter than the record is "truncated", and nothing happens. */
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

Test(record, round_trip)
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

/* ---- descriptions ------------------------------------------------------- */

Test(record, descriptions)
{
	const struct hprof_record_info *info;
	unsigned roots = 0;

	for (unsigned i = 0; (info = hprof_record_list(i)) != NULL; i++) {
		cr_assert_eq(hprof_record_describe(info->tag), info);
		cr_assert_str_eq(hprof_tag_name(info->tag), info->name);
		cr_assert_eq(hprof_tag_is_root(info->tag),
			     strncmp(info->name, "ROOT_", 5) == 0, "%s",
			     info->name);
		roots += hprof_tag_is_root(info->tag);
	}
	cr_assert_eq(roots, 16);
	cr_assert_null(hprof_record_list(UINT32_MAX));
	cr_assert_null(hprof_record_describe(0));
	cr_assert_null(hprof_record_describe(HPROF_SUB + 0x77));
	cr_assert_null(hprof_record_describe(0x10000 + HPROF_UTF8));
	cr_assert_str_eq(hprof_tag_name(0x99), "unknown");
}

Test(record, types)
{
	static const unsigned sizes[] = { 0, 0, 7, 0, 1, 2, 4,
					  8, 1, 2, 4, 8, 0, 0 };

	for (unsigned type = 0; type < 14; type++) {
		cr_assert_eq(hprof_type_size(type, 7), sizes[type]);
		cr_assert_eq(hprof_type_name(type) != NULL, sizes[type] != 0);
	}
	cr_assert_str_eq(hprof_type_name(HPROF_TYPE_OBJECT), "object");
	cr_assert_str_eq(hprof_type_name(HPROF_TYPE_LONG), "long");
	cr_assert_null(hprof_type_name(255));
	for (uint64_t size = 0; size < 20; size++)
		cr_assert_eq(hprof_id_size_valid(size),
			     size == 1 || size == 2 || size == 4 || size == 8);
	cr_assert(!hprof_id_size_valid(0x100000004));
}

Test(record, ids)
{
	const struct hprof_bytes ids = {
		(const uint8_t *)"\1\2\3\4\5\6\7\x88\x99\xaa", 10
	};

	cr_assert_eq(hprof_id_at(ids, 1, 9), 0xaa);
	cr_assert_eq(hprof_id_at(ids, 2, 4), 0x99aa);
	cr_assert_eq(hprof_id_at(ids, 4, 1), 0x05060788);
	cr_assert_eq(hprof_id_at(ids, 8, 0), 0x0102030405060788);
	cr_assert_eq(hprof_id_at(ids, 4, 2), 0, "no whole id");
	cr_assert_eq(hprof_id_at(ids, 8, 1), 0);
	cr_assert_eq(hprof_id_at(ids, 8, UINT64_MAX), 0);
	cr_assert_eq(hprof_id_at(ids, 3, 0), 0, "no such width");
	cr_assert_eq(hprof_id_at((struct hprof_bytes){ NULL, 80 }, 8, 0), 0);
}

Test(record, class_entries)
{
	static const uint8_t
		bytes[] = {
			0x20, 0, 0, 0x10, 0,  0,    0, 0,    1,	   0,
			0,    0, 2, 0,	  0,  0,    3, 0,    0,	   0,
			4,    0, 0, 0,	  5,  0,    0, 0,    6,	   0,
			0,    0, 7, 0,	  0,  0,    8, /* instance size */
			0,    1, 0, 9,	  11, 1,    2, 3,    4,	   5,
			6,    7, 8, /* a constant */
			0,    2, 0, 0,	  1,  0,    2, 0xff, 0xff, 0xff,
			0xfe, /* statics */
			0,    0, 1, 1,	  8,  0x80, 0, 1,    0,	   0,
			1,    2, 4, /* a field */
		};
	struct hprof_record r;
	struct hprof_class_entry e;
	struct hprof_class_cursor c;
	size_t used;

	cr_assert_eq(hprof_sub_decode(bytes, sizeof bytes, 4, &r, &used),
		     HPROF_OK);
	cr_assert_eq(used, sizeof bytes);
	c = hprof_class_constants(&r);
	cr_assert_eq(hprof_class_next(&c, &e), HPROF_OK);
	cr_assert(e.index == 9 && e.type == HPROF_TYPE_LONG &&
		  e.value == 0x0102030405060708 && e.name_id == 0);
	cr_assert_eq(hprof_class_next(&c, &e), HPROF_END);
	c = hprof_class_statics(&r);
	cr_assert_eq(hprof_class_next(&c, &e), HPROF_OK);
	cr_assert(e.name_id == 0x100 && e.type == HPROF_TYPE_OBJECT &&
		  e.value == 0xfffffffe);
	cr_assert_eq(hprof_class_next(&c, &e), HPROF_OK);
	cr_assert(e.name_id == 0x101 && e.value == 0x80, "not sign-extended");
	cr_assert_eq(hprof_class_next(&c, &e), HPROF_END);
	c = hprof_class_fields(&r);
	cr_assert_eq(hprof_class_next(&c, &e), HPROF_OK);
	cr_assert(e.name_id == 0x102 && e.type == HPROF_TYPE_BOOLEAN &&
		  e.value == 0 && e.index == 0);
	cr_assert_eq(hprof_class_next(&c, &e), HPROF_END);
	cr_assert_eq(hprof_class_next(&c, &e), HPROF_END, "and stays there");
	/* Lists that contradict their counts end early. */
	r.u.class_dump.fields.size -= 1;
	c = hprof_class_fields(&r);
	cr_assert_eq(hprof_class_next(&c, &e), HPROF_END);
	r.u.class_dump.fields = (struct hprof_bytes){ NULL, 6 };
	c = hprof_class_fields(&r);
	cr_assert_eq(hprof_class_next(&c, &e), HPROF_END, "not loaded");
}

/* ---- damage ------------------------------------------------------------- */

/* A length that is too small, or a count that is too large for it. */
Test(record, corrupt)
{
	static const struct {
		const char *bytes;
		size_t size;
	} cases[] = {
		{ "\x01\0\0\0\7\0\0\0\3abc", 12 },
		{ "\x02\0\0\0\7\0\0\0\4abcd", 13 },
		{ "\x03\0\0\0\7\0\0\0\0", 9 },
		{ "\x05\0\0\0\7\0\0\0\x0c\0\0\0\1\0\0\0\1\0\0\0\1", 21 },
		{ "\x05\0\0\0\7\0\0\0\x0c\0\0\0\1\0\0\0\1\xff\xff\xff\xff",
		  21 },
		{ "\x0d\0\0\0\7\0\0\0\x0c\0\0\0\1\0\0\0\1\0\0\0\0", 21 },
		{ "\x0d\0\0\0\7\0\0\0\x08\0\0\0\1\x20\0\0\0", 17 },
		{ "\x0e\0\0\0\7\0\0\0\5abcde", 14 },
	};
	struct hprof_record r;
	size_t used;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *bytes = cases[i].bytes;
		memset(&r, 0xee, sizeof r);
		used = 0;
		cr_assert_eq(
			hprof_record_decode(bytes, cases[i].size, 4, &r, &used),
			HPROF_E_CORRUPT, "case %zu", i);
		cr_assert_eq(used, cases[i].size);
		cr_assert_eq(r.tag, (uint8_t)bytes[0]);
		cr_assert_eq(r.time_us, 7);
		cr_assert_eq(r.length, cases[i].size - HPROF_RECORD_HEADER);
		cr_assert_eq(r.u.unknown.body.size, r.length);
		cr_assert_eq((const char *)r.u.unknown.body.data, bytes + 9);
	}
}

Test(record, unknown)
{
	struct hprof_record r;
	size_t used = 12345;

	for (unsigned tag = 0; tag < 256; tag++) {
		uint8_t top[] = {
			(uint8_t)tag, 0, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3
		};
		uint8_t sub[300] = { (uint8_t)tag };
		if (!hprof_record_describe(tag)) {
			cr_assert_eq(hprof_record_decode(top, sizeof top, 8, &r,
							 &used),
				     HPROF_OK);
			cr_assert_eq(used, sizeof top);
			cr_assert_eq(r.u.unknown.body.data, top + 9);
			cr_assert_eq(r.u.unknown.body.size, 3);
		}
		used = 12345;
		if (!hprof_record_describe(HPROF_SUB + tag)) {
			cr_assert_eq(
				hprof_sub_decode(sub, sizeof sub, 8, &r, &used),
				HPROF_E_UNSUPPORTED);
			cr_assert_eq(used, 12345);
		}
	}
}

/* A type code that is none: no size, so no end. */
Test(record, bad_types)
{
	struct hprof_record r;
	size_t used = 12345;

	for (unsigned type = 0; type < 256; type++) {
		uint8_t array[] = { 0x23,	  1, 0, 0, 0, 0, 0, 0, 0, 0,
				    (uint8_t)type };
		uint8_t nodata[] = { 0xc3,	   1, 0, 0, 0, 0, 0, 0, 0, 0,
				     (uint8_t)type };
		uint8_t class_dump[64] = { 0x20 };
		/* 7 ids of 1 byte, 2 x u4, 2 counts, one field. */
		class_dump[1 + 7 + 8 + 5] = 1;
		class_dump[1 + 7 + 8 + 6 + 1] = (uint8_t)type;
		enum hprof_status expected =
			hprof_type_size(type, 1) ? HPROF_OK : HPROF_E_CORRUPT;
		cr_assert_eq(
			hprof_sub_decode(array, sizeof array, 1, &r, &used),
			expected);
		cr_assert_eq(
			hprof_sub_decode(nodata, sizeof nodata, 1, &r, &used),
			expected);
		cr_assert_eq(hprof_sub_decode(class_dump, sizeof class_dump, 1,
					      &r, &used),
			     expected, "type %u", type);
	}
}

/* Counts that multiply to more than there is, or than fits 32 bits. */
Test(record, huge_counts)
{
	uint8_t bytes[100] = { 0 };
	struct hprof_record r;
	size_t used = 12345;

	for (unsigned tag = 0x21; tag <= 0x23; tag++) {
		for (unsigned w = 0; w < WIDTHS; w++) {
			unsigned z = widths[w];
			memset(bytes, 0xff, sizeof bytes);
			bytes[0] = (uint8_t)tag;
			if (tag == 0x23)
				bytes[1 + z + 8] = HPROF_TYPE_LONG;
			cr_assert_eq(hprof_sub_decode(bytes, sizeof bytes, z,
						      &r, &used),
				     HPROF_E_TRUNCATED);
		}
	}
	cr_assert_eq(used, 12345);
}

/* ---- misuse ------------------------------------------------------------- */

static enum hprof_status encode(struct hprof_record r, unsigned z)
{
	uint8_t bytes[ROOM];
	uint8_t before[ROOM];
	size_t used = 12345;
	uint64_t size = 12345;
	enum hprof_status status;

	memset(bytes, 0x5a, sizeof bytes);
	memset(before, 0x5a, sizeof before);
	status = hprof_record_encode(&r, z, bytes, sizeof bytes, &used);
	if (status < 0)
		cr_assert_eq(used, 12345);
	if (hprof_record_size(&r, z, &size) < 0) {
		cr_assert_eq(size, 12345);
		cr_assert(memcmp(bytes, before, sizeof bytes) == 0);
	}
	return status;
}

#define RECORD(t, ...) \
	((struct hprof_record){ .tag = HPROF_##t, .id_size = 4, __VA_ARGS__ })

Test(record, encode_misuse)
{
	static const uint8_t eight[8];
	const struct hprof_bytes none = { NULL, 0 };
	const struct hprof_bytes some = { eight, 8 };
	const struct hprof_bytes unloaded = { NULL, 8 };
	const struct hprof_bytes endless = { eight, UINT64_MAX - 3 };
	const struct hprof_bytes four_gib = { eight, (uint64_t)1 << 32 };
	const struct hprof_record cases[] = {
		/* Tags that are no record. */
		{ .tag = HPROF_SUB + 0x77, .id_size = 4 },
		{ .tag = 0x300, .id_size = 4 },
		/* Ids that do not fit. */
		RECORD(UTF8, .u.utf8 = { (uint64_t)1 << 32, none }),
		RECORD(ROOT_UNKNOWN, .u.root.object_id = UINT64_MAX),
		/* Counts that disagree with the bytes. */
		RECORD(TRACE, .u.trace = { 1, 1, 1, some }),
		RECORD(TRACE, .u.trace = { 1, 1, 2, none }),
		RECORD(INSTANCE_DUMP, .u.instance_dump = { 1, 1, 1, 7, some }),
		RECORD(OBJ_ARRAY_DUMP,
		       .u.obj_array_dump = { 1, 1, 3, 1, some }),
		RECORD(PRIM_ARRAY_DUMP,
		       .u.prim_array_dump = { 1, 1, 3, 5, some }),
		RECORD(ALLOC_SITES,
		       .u.alloc_sites = { .site_count = 1, .sites = some }),
		RECORD(CPU_SAMPLES, .u.cpu_samples = { 1, 2, some }),
		RECORD(CLASS_DUMP, .u.class_dump = { .field_count = 1 }),
		RECORD(CLASS_DUMP, .u.class_dump = { .fields = some }),
		RECORD(CLASS_DUMP,
		       .u.class_dump = { .static_count = 1, .statics = some }),
		/* No type. */
		RECORD(PRIM_ARRAY_DUMP,
		       .u.prim_array_dump = { 1, 1, 0, 12, none }),
		RECORD(PRIM_ARRAY_NODATA_DUMP,
		       .u.prim_array_dump = { 1, 1, 0, 3, none }),
		/* Bytes that are not there. */
		RECORD(UTF8, .u.utf8 = { 1, unloaded }),
		RECORD(TRACE, .u.trace = { 1, 1, 2, unloaded }),
		RECORD(INSTANCE_DUMP,
		       .u.instance_dump = { 1, 1, 1, 8, unloaded }),
		RECORD(CLASS_DUMP, .u.class_dump = { .field_count = 1,
						     .fields = unloaded }),
		RECORD(END_THREAD, .rest = unloaded),
		/* Only top-level records have a length, and so a rest. */
		RECORD(ROOT_UNKNOWN, .rest = some),
		{ .tag = 0x99, .u.unknown = { unloaded } },
		/* Bodies of 4 GiB and more, also where sums would wrap. */
		RECORD(UTF8, .u.utf8 = { 1, four_gib }),
		RECORD(UTF8, .u.utf8 = { 1, endless }),
		RECORD(HEAP_DUMP, .u.heap_dump = { endless }),
		RECORD(END_THREAD, .rest = four_gib),
		RECORD(END_THREAD, .rest = endless),
		{ .tag = 0x99, .u.unknown = { endless } },
		RECORD(CLASS_DUMP, .u.class_dump = { .constants = endless,
						     .statics = some }),
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		cr_assert_eq(encode(cases[i], 4), HPROF_E_USAGE, "case %zu", i);
}

Test(record, id_size_misuse)
{
	static const unsigned bad[] = { 0, 3, 5, 7, 9, 16, 255, UINT32_MAX };
	static const uint8_t bytes[100] = { 0x2c };
	struct hprof_record r = { .tag = HPROF_HEAP_DUMP_END };
	size_t used = 12345;

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		cr_assert_eq(encode(r, bad[i]), HPROF_E_USAGE);
		cr_assert_eq(hprof_record_decode(bytes, 100, bad[i], &r, &used),
			     HPROF_E_USAGE);
		cr_assert_eq(hprof_sub_decode(bytes, 100, bad[i], &r, &used),
			     HPROF_E_USAGE);
	}
	cr_assert_eq(used, 12345);
	cr_assert_eq(hprof_record_decode(NULL, 0, 8, &r, &used),
		     HPROF_E_TRUNCATED);
	cr_assert_eq(hprof_sub_decode(NULL, 0, 8, &r, &used),
		     HPROF_E_TRUNCATED);
}

/* Ids inside bytes have the width that they were decoded with. */
Test(record, other_width)
{
	static const uint8_t eight[8];
	const struct hprof_bytes some = { eight, 8 };

	cr_assert_eq(encode(RECORD(TRACE, .u.trace = { 1, 1, 2, some }), 4),
		     HPROF_OK);
	cr_assert_eq(encode(RECORD(TRACE, .u.trace = { 1, 1, 1, some }), 8),
		     HPROF_E_USAGE);
	cr_assert_eq(encode(RECORD(TRACE, .u.trace = { 1, 1, 0, { 0 } }), 8),
		     HPROF_OK, "there are no ids");
	cr_assert_eq(encode(RECORD(UTF8, .u.utf8 = { 1, some }), 8), HPROF_OK);
}

/* ---- the header --------------------------------------------------------- */

Test(header, round_trip)
{
	static const struct hprof_header headers[] = {
		{ "JAVA PROFILE 1.0.2", 8, 1700000000000 },
		{ "JAVA PROFILE 1.0", 4, 0 },
		{ "JAVA PROFILE 1.0.3", UINT32_MAX, UINT64_MAX },
		{ "JAVA PROFILE ", 0, 1 },
		{ "JAVA PROFILE 123456789012345678", 3, 1 },
	};

	for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
		struct hprof_header got;
		uint8_t bytes[64];
		size_t text = strlen(headers[i].version);
		size_t size;
		size_t used = 12345;
		for (size_t room = 0; room < text + 13; room++)
			cr_assert_eq(hprof_header_encode(&headers[i], bytes,
							 room, &size),
				     HPROF_E_LIMIT);
		cr_assert_eq(hprof_header_encode(&headers[i], bytes, 64, &size),
			     HPROF_OK);
		cr_assert_eq(size, text + 13);
		for (size_t cut = 0; cut < size; cut++)
			cr_assert_eq(
				hprof_header_decode(bytes, cut, &got, &used),
				HPROF_E_TRUNCATED);
		cr_assert_eq(used, 12345);
		cr_assert_eq(
			hprof_header_decode(bytes, sizeof bytes, &got, &used),
			HPROF_OK);
		cr_assert_eq(used, size);
		cr_assert_str_eq(got.version, headers[i].version);
		cr_assert_eq(got.id_size, headers[i].id_size);
		cr_assert_eq(got.time_ms, headers[i].time_ms);
	}
}

Test(header, golden)
{
	static const uint8_t bytes[] = {
		0x4a, 0x41, 0x56, 0x41, 0x20, 0x50, 0x52, 0x4f,
		0x46, 0x49, 0x4c, 0x45, 0x20, 0x31, 0x2e, 0x30,
		0x2e, 0x32, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00,
		0x00, 0x01, 0x8b, 0xcf, 0xe5, 0x68, 0x00,
	};
	struct hprof_header h;
	size_t used;

	cr_assert_eq(hprof_header_decode(bytes, sizeof bytes, &h, &used),
		     HPROF_OK);
	cr_assert_eq(used, 31);
	cr_assert_str_eq(h.version, "JAVA PROFILE 1.0.2");
	cr_assert_eq(h.id_size, 4);
	cr_assert_eq(h.time_ms, 1700000000000);
}

Test(header, no_dump)
{
	static const char *const texts[] = {
		"K",
		"JAVA PROFILF 1.0.2",
		"JAVA PROFILE\0 1.0.2",
		"JAVA PROFILE 1.0.1, created Tue Nov 14 22:13:20",
		"JAVA PROFILE 1.0\n",
		"JAVA PROFILE 1.\xff",
		"JAVA PROFILE 12345678901234567890",
	};
	struct hprof_header h;
	size_t used = 12345;

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		cr_assert_eq(hprof_header_decode(texts[i], strlen(texts[i]) + 1,
						 &h, &used),
			     HPROF_E_FORMAT, "%s", texts[i]);
	cr_assert_eq(used, 12345);
	cr_assert_eq(hprof_header_decode("", 0, &h, &used), HPROF_E_TRUNCATED);
	memset(&h, 'x', sizeof h);
	cr_assert_eq(hprof_header_encode(&h, NULL, 0, &used), HPROF_E_USAGE);
}

/* ---- whole dumps -------------------------------------------------------- */

/* Decodes what there is; what decodes encodes to the same bytes. */
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

Test(record, fixtures)
{
	for (char **name = fixture_names(); *name; name++) {
		struct fixture f = fixture_load(*name);
		walk_dump(f.bytes, f.size);
		fixture_free(&f);
	}
}

/* Small dumps, cut at every length and with every byte changed. */
Test(record, damaged_fixtures)
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
