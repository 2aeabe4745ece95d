/* SPDX-License-Identifier: MIT */
/*
 * codec_check.c - the codec by itself, for machines that are not at hand: 32
 * bits, big-endian. Needs nothing but the C library. A dump and some records
 * are decoded, looked at, and encoded to the same bytes. Prints "ok", or what
 * is wrong and exits with 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hprof/record.h"

#define CHECK(holds)                                                           \
	do {                                                                   \
		if (!(holds)) {                                                \
			printf("line %d: %s\n", __LINE__, #holds);             \
			exit(1);                                               \
		}                                                              \
	} while (0)

/* ---- a whole dump, from the format's description ------------------------- */

/* class P { int x; P y; }, one instance, a short[], two roots; ids of 4. */
static const char minimal[] =
	"4a415641 2050524f 46494c45 20312e30 2e3200 00000004 0000018bcfe56800"
	"01 00000000 00000014 00000101 6a6176612f6c616e672f4f626a656374"
	"01 00000000 00000005 00000102 50"
	"01 00000000 00000005 00000103 78"
	"01 00000000 00000005 00000104 79"
	"02 00000000 00000010 00000001 00001000 00000001 00000101"
	"02 00000000 00000010 00000002 00001010 00000001 00000102"
	"05 00000000 0000000c 00000001 00000000 00000000"
	"1c 00000000 00000099"
	"20 00001000 00000001 00000000 00000000 00000000 00000000 00000000"
	"   00000000 00000000 0000 0000 0000"
	"20 00001010 00000001 00001000 00000000 00000000 00000000 00000000"
	"   00000000 00000008 0000 0000 0002 00000103 0a 00000104 02"
	"21 00002000 00000001 00001010 00000008 00000007 00002000"
	"23 00002010 00000001 00000002 09 0001 ffff"
	"05 00001010"
	"01 00002000 00009000"
	"2c 00000000 00000000";

static size_t from_hex(const char *text, uint8_t *out)
{
	size_t size = 0;
	unsigned byte;

	for (; *text; text++) {
		if (*text == ' ')
			continue;
		CHECK(sscanf(text, "%2x", &byte) == 1);
		out[size++] = (uint8_t)byte;
		text++;
	}
	return size;
}

static void encodes_to(const struct hprof_record *record, unsigned id_size,
		       const uint8_t *bytes, size_t size)
{
	uint8_t out[512];
	uint64_t announced;
	size_t used;

	CHECK(hprof_record_size(record, id_size, &announced) == HPROF_OK);
	CHECK(announced == size);
	CHECK(hprof_record_encode(record, id_size, out, sizeof out, &used) ==
	      HPROF_OK);
	CHECK(used == size && memcmp(out, bytes, size) == 0);
}

static void look_at_class(const struct hprof_record *record)
{
	struct hprof_class_cursor fields = hprof_class_fields(record);
	struct hprof_class_entry entry;

	if (record->u.class_dump.class_id != 0x1010)
		return;
	CHECK(record->u.class_dump.super_id == 0x1000);
	CHECK(record->u.class_dump.instance_size == 8);
	CHECK(hprof_class_next(&fields, &entry) == HPROF_OK);
	CHECK(entry.name_id == 0x103 && entry.type == HPROF_TYPE_INT);
	CHECK(hprof_class_next(&fields, &entry) == HPROF_OK);
	CHECK(entry.name_id == 0x104 && entry.type == HPROF_TYPE_OBJECT);
	CHECK(hprof_class_next(&fields, &entry) == HPROF_END);
}

static void check_subs(const uint8_t *p, size_t size)
{
	struct hprof_record r;
	unsigned count = 0;
	size_t used;

	for (; size > 0; p += used, size -= used, count++) {
		CHECK(hprof_sub_decode(p, size, 4, &r, &used) == HPROF_OK);
		encodes_to(&r, 4, p, used);
		if (r.tag == HPROF_CLASS_DUMP)
			look_at_class(&r);
		if (r.tag == HPROF_INSTANCE_DUMP)
			CHECK(hprof_id_at(r.u.instance_dump.data, 4, 1) ==
			      0x2000);
		if (r.tag == HPROF_ROOT_JNI_GLOBAL)
			CHECK(r.u.root.ref_id == 0x9000);
	}
	CHECK(count == 6);
}

static void check_dump(void)
{
	uint8_t bytes[512], again[64];
	size_t size = from_hex(minimal, bytes), used, at;
	struct hprof_header header;
	struct hprof_record r;
	unsigned count = 0;

	CHECK(size == 344);
	CHECK(hprof_header_decode(bytes, size, &header, &at) == HPROF_OK);
	CHECK(strcmp(header.version, "JAVA PROFILE 1.0.2") == 0);
	CHECK(header.id_size == 4 && header.time_ms == 1700000000000);
	CHECK(hprof_header_encode(&header, again, sizeof again, &used) ==
	      HPROF_OK);
	CHECK(used == at && memcmp(again, bytes, at) == 0);
	for (; at < size; at += used, count++) {
		CHECK(hprof_record_decode(bytes + at, size - at, 4, &r,
					  &used) == HPROF_OK);
		encodes_to(&r, 4, bytes + at, used);
		if (r.tag == HPROF_HEAP_DUMP_SEGMENT)
			check_subs(r.u.heap_dump.body.data,
				   (size_t)r.u.heap_dump.body.size);
	}
	CHECK(count == 9);
}

/* ---- records with every kind of number ----------------------------------- */

#define BYTES(text) { (const uint8_t *)(text), sizeof(text) - 1 }

static const struct {
	unsigned id_size;
	const char *hex;
	struct hprof_record record;
} records[] = {
	{ 8,
	  "02 00000007 00000018 00000001 8000000000001000 00000002"
	  "fedcba9876543210",
	  { .tag = HPROF_LOAD_CLASS,
	    .time_us = 7,
	    .u.load_class = { 1, 0x8000000000001000, 2,
			      0xfedcba9876543210 } } },
	{ 4,
	  "04 00000000 00000018 00000001 00000002 00000003 ffffffff"
	  "00000005 fffffffd",
	  { .tag = HPROF_FRAME, .u.frame = { 1, 2, 3, 0xffffffff, 5, -3 } } },
	{ 4,
	  "06 00000000 0000003b 0002 38d1b717 00000064 00000001"
	  "0000000100000000 0000000000000002 00000001"
	  "02 00000003 00000004 00000005 00000006 00000007 00000008",
	  { .tag = HPROF_ALLOC_SITES,
	    .u.alloc_sites = { 2, 0x38d1b717, 100, 1, 0x100000000, 2, 1,
			       BYTES("\x02\0\0\0\x03\0\0\0\x04\0\0\0\x05"
				     "\0\0\0\x06\0\0\0\x07\0\0\0\x08") } } },
	{ 4,
	  "0e 00000000 00000006 00000003 0020",
	  { .tag = HPROF_CONTROL_SETTINGS, .u.control_settings = { 3, 32 } } },
	{ 8,
	  "20 0000000000001010 00000001 0000000000001000 0000000000000000"
	  "0000000000000000 0000000000000000 0000000000000000"
	  "0000000000000000 00000008 0001 0007 0b 0102030405060708"
	  "0001 0000000000000105 05 263a 0000",
	  { .tag = HPROF_CLASS_DUMP,
	    .id_size = 8,
	    .u.class_dump = { 0x1010,
			      1,
			      0x1000,
			      0,
			      0,
			      0,
			      0,
			      0,
			      8,
			      1,
			      1,
			      0,
			      BYTES("\0\x07\x0b\1\2\3\4\5\6\7\x08"),
			      BYTES("\0\0\0\0\0\0\1\5\5\x26\x3a"),
			      { NULL, 0 } } } },
	{ 8,
	  "03 0000000000002000 00000001 ffffffff",
	  { .tag = HPROF_ROOT_JAVA_FRAME,
	    .u.root = { .object_id = 0x2000,
			.thread_serial = 1,
			.frame = -1 } } },
};

static void check_records(void)
{
	uint8_t bytes[256];
	struct hprof_record r;
	size_t used;

	for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
		size_t size = from_hex(records[i].hex, bytes);
		encodes_to(&records[i].record, records[i].id_size, bytes, size);
		CHECK((records[i].record.tag < HPROF_SUB
			       ? hprof_record_decode(bytes, size,
						     records[i].id_size, &r,
						     &used)
			       : hprof_sub_decode(bytes, size,
						  records[i].id_size, &r,
						  &used)) == HPROF_OK);
		CHECK(r.tag == records[i].record.tag && used == size);
		encodes_to(&r, records[i].id_size, bytes, size);
	}
}

static void check_values(void)
{
	struct hprof_class_cursor cursor =
		hprof_class_constants(&records[4].record);
	struct hprof_class_entry entry;
	struct hprof_alloc_site site;
	const struct hprof_field_info *field;

	CHECK(hprof_class_next(&cursor, &entry) == HPROF_OK);
	CHECK(entry.index == 7 && entry.value == 0x0102030405060708);
	cursor = hprof_class_statics(&records[4].record);
	CHECK(hprof_class_next(&cursor, &entry) == HPROF_OK);
	CHECK(entry.name_id == 0x105 && entry.value == 0x263a);
	CHECK(hprof_alloc_site_at(records[2].record.u.alloc_sites.sites, 0,
				  &site) == HPROF_OK);
	CHECK(site.array_kind == 2 && site.allocated_instances == 8);

	field = &hprof_record_describe(HPROF_FRAME)->fields[5];
	CHECK(strcmp(field->name, "line") == 0);
	CHECK(field->offset == offsetof(struct hprof_record, u.frame.line));
}

/* Sizes do not depend on how large a size_t is. */
static void check_large(void)
{
	struct hprof_record r = {
		.tag = HPROF_PRIM_ARRAY_DUMP,
		.u.prim_array_dump = { .count = 0x28000000,
				       .type = HPROF_TYPE_LONG,
				       .elements = { NULL, (uint64_t)5 << 30 } }
	};
	uint8_t bytes[32];
	uint64_t size;
	size_t used;

	CHECK(hprof_record_size(&r, 8, &size) == HPROF_OK);
	CHECK(size == ((uint64_t)5 << 30) + 18);
	CHECK(hprof_record_encode(&r, 8, bytes, sizeof bytes, &used) ==
	      HPROF_E_LIMIT);
	/* An array of 4 Gi - 1 longs, none of which is there. */
	used = from_hex("23 00002010 00000001 ffffffff 0b 0001", bytes);
	CHECK(hprof_sub_decode(bytes, used, 4, &r, &used) == HPROF_E_TRUNCATED);
}

static void check_text(void)
{
	static const char modified[] = "A\xc0\x80\xe2\x82\xac"
				       "\xed\xa0\xbd\xed\xb8\x80";
	static const char standard[] = "A\xe2\x90\x80\xe2\x82\xac"
				       "\xf0\x9f\x98\x80";
	char out[64];
	size_t size;

	size = hprof_text_decode(modified, sizeof modified - 1, out,
				 sizeof out);
	CHECK(size == sizeof standard - 1 && !memcmp(out, standard, size));
	size = hprof_text_encode("\xf0\x9f\x98\x80", 4, out, sizeof out);
	CHECK(size == 6 && !memcmp(out, modified + 6, 6));
	size = hprof_class_name_decode("[[Ljava/lang/String;", 20, out,
				       sizeof out);
	CHECK(size == 20 && !memcmp(out, "java.lang.String[][]", 20));
}

int main(void)
{
	check_dump();
	check_records();
	check_values();
	check_large();
	check_text();
	puts("ok");
	return 0;
}
