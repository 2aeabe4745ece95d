/* SPDX-License-Identifier: MIT */
/*
 * test_record.c - the codec's descriptions, and its refusals: what is wrong or
 * misused leaves the results alone.
 */
#include "fixture.h"

#include <criterion/criterion.h>
#include <hprof/record.h>
#include <stdlib.h>
#include <string.h>

static const unsigned widths[] = { 1, 2, 4, 8 };

enum { WIDTHS = 4, ROOM = 4096 };

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

/* An invalid type code: the size, and so the end, is unknown. */
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
		/* Tags of no record. */
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
		/* Bytes that are not loaded. */
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
