/* SPDX-License-Identifier: MIT */
/*
 * test_golden.c - each record against bytes written down from the format's
 * specification, so that records.def is not its own only witness.
 */
#include "fixture.h"

#include <criterion/criterion.h>
#include <hprof/record.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Converts hexadecimal digits and blanks to bytes. */
static size_t from_hex(const char *text, uint8_t *out)
{
	size_t size = 0;
	unsigned byte;

	for (const char *p = text; *p; p++) {
		if (*p == ' ')
			continue;
		cr_assert_eq(sscanf(p, "%2x", &byte), 1);
		out[size++] = (uint8_t)byte;
		p++;
	}
	return size;
}

#define BYTES(text)                                       \
	{                                                 \
		(const uint8_t *)(text), sizeof(text) - 1 \
	}

static const struct golden {
	unsigned id_size;
	const char *hex;
	struct hprof_record record;
} goldens[] = {
	{ 4,
	  "01 00000000 00000005 00000102 50",
	  { .tag = HPROF_UTF8, .u.utf8 = { 0x102, BYTES("P") } } },
	{ 8,
	  "01 00000000 00000008 0000000000000102",
	  { .tag = HPROF_UTF8, .u.utf8 = { 0x102, { NULL, 0 } } } },
	{ 4,
	  "02 00000007 00000010 00000001 00001000 00000002 00000101",
	  { .tag = HPROF_LOAD_CLASS,
	    .time_us = 7,
	    .u.load_class = { 1, 0x1000, 2, 0x101 } } },
	{ 8,
	  "02 00000000 00000018 00000001 8000000000001000 00000002"
	  "0000000000000101",
	  { .tag = HPROF_LOAD_CLASS,
	    .u.load_class = { 1, 0x8000000000001000, 2, 0x101 } } },
	{ 4,
	  "03 00000000 00000004 00000009",
	  { .tag = HPROF_UNLOAD_CLASS, .u.unload_class = { 9 } } },
	{ 4,
	  "04 00000000 00000018 00000001 00000002 00000003 00000004"
	  "00000005 fffffffd",
	  { .tag = HPROF_FRAME, .u.frame = { 1, 2, 3, 4, 5, -3 } } },
	{ 8,
	  "04 00000000 00000028 0000000000000001 0000000000000002"
	  "0000000000000003 0000000000000004 00000005 0000002a",
	  { .tag = HPROF_FRAME, .u.frame = { 1, 2, 3, 4, 5, 42 } } },
	{ 4,
	  "05 00000000 0000000c 00000001 00000000 00000000",
	  { .tag = HPROF_TRACE, .u.trace = { .trace_serial = 1 } } },
	{ 4,
	  "05 00000000 00000014 00000002 00000001 00000002"
	  "00000040 00000041",
	  { .tag = HPROF_TRACE,
	    .id_size = 4,
	    .u.trace = { 2, 1, 2, BYTES("\0\0\0\x40\0\0\0\x41") } } },
	/* One site; the cutoff is the float 0.0001. */
	{ 4,
	  "06 00000000 0000003b 0002 38d1b717 00000064 00000001"
	  "0000000100000000 0000000000000002 00000001"
	  "02 00000003 00000004 00000005 00000006 00000007 00000008",
	  { .tag = HPROF_ALLOC_SITES,
	    .u.alloc_sites = { 2, 0x38d1b717, 100, 1, 0x100000000, 2, 1,
			       BYTES("\x02\0\0\0\x03\0\0\0\x04\0\0\0\x05"
				     "\0\0\0\x06\0\0\0\x07\0\0\0\x08") } } },
	{ 4,
	  "07 00000000 00000018 00000001 00000002 0000000000000003"
	  "0000000000000004",
	  { .tag = HPROF_HEAP_SUMMARY, .u.heap_summary = { 1, 2, 3, 4 } } },
	{ 4,
	  "0a 00000000 00000018 00000001 00002000 00000002 00000010"
	  "00000011 00000012",
	  { .tag = HPROF_START_THREAD,
	    .u.start_thread = { 1, 0x2000, 2, 0x10, 0x11, 0x12 } } },
	{ 8,
	  "0a 00000000 00000028 00000001 0000000000002000 00000002"
	  "0000000000000010 0000000000000011 0000000000000012",
	  { .tag = HPROF_START_THREAD,
	    .u.start_thread = { 1, 0x2000, 2, 0x10, 0x11, 0x12 } } },
	{ 4,
	  "0b 00000000 00000004 00000001",
	  { .tag = HPROF_END_THREAD, .u.end_thread = { 1 } } },
	{ 4,
	  "0c 00000000 00000005 05 00001010",
	  { .tag = HPROF_HEAP_DUMP,
	    .id_size = 4,
	    .u.heap_dump = { BYTES("\x05\0\0\x10\x10") } } },
	{ 4,
	  "0d 00000000 00000018 00000064 00000002 0000003c 00000001"
	  "0000001e 00000002",
	  { .tag = HPROF_CPU_SAMPLES,
	    .u.cpu_samples = { 100, 2,
			       BYTES("\0\0\0\x3c\0\0\0\x01\0\0\0\x1e"
				     "\0\0\0\x02") } } },
	{ 4,
	  "0e 00000000 00000006 00000003 0020",
	  { .tag = HPROF_CONTROL_SETTINGS, .u.control_settings = { 3, 32 } } },
	{ 4,
	  "1c 00000000 00000005 05 00001010",
	  { .tag = HPROF_HEAP_DUMP_SEGMENT,
	    .id_size = 4,
	    .u.heap_dump = { BYTES("\x05\0\0\x10\x10") } } },
	{ 4, "2c 00000000 00000000", { .tag = HPROF_HEAP_DUMP_END } },
	{ 4,
	  "99 00000001 00000002 cafe",
	  { .tag = 0x99, .time_us = 1, .u.unknown = { BYTES("\xca\xfe") } } },
	{ 4,
	  "0b 00000000 00000006 00000001 beef",
	  { .tag = HPROF_END_THREAD,
	    .rest = BYTES("\xbe\xef"),
	    .u.end_thread = { 1 } } },

	{ 4,
	  "ff 00002000",
	  { .tag = HPROF_ROOT_UNKNOWN, .u.root = { .object_id = 0x2000 } } },
	{ 4,
	  "01 00002000 00009000",
	  { .tag = HPROF_ROOT_JNI_GLOBAL,
	    .u.root = { .object_id = 0x2000, .ref_id = 0x9000 } } },
	{ 8,
	  "01 0000000000002000 0000000000009000",
	  { .tag = HPROF_ROOT_JNI_GLOBAL,
	    .u.root = { .object_id = 0x2000, .ref_id = 0x9000 } } },
	{ 4,
	  "02 00002000 00000001 ffffffff",
	  { .tag = HPROF_ROOT_JNI_LOCAL,
	    .u.root = { .object_id = 0x2000,
			.thread_serial = 1,
			.frame = -1 } } },
	{ 8,
	  "03 0000000000002000 00000001 00000003",
	  { .tag = HPROF_ROOT_JAVA_FRAME,
	    .u.root = { .object_id = 0x2000,
			.thread_serial = 1,
			.frame = 3 } } },
	{ 4,
	  "04 00002000 00000001",
	  { .tag = HPROF_ROOT_NATIVE_STACK,
	    .u.root = { .object_id = 0x2000, .thread_serial = 1 } } },
	{ 4,
	  "05 00001010",
	  { .tag = HPROF_ROOT_STICKY_CLASS,
	    .u.root = { .object_id = 0x1010 } } },
	{ 4,
	  "06 00002000 00000001",
	  { .tag = HPROF_ROOT_THREAD_BLOCK,
	    .u.root = { .object_id = 0x2000, .thread_serial = 1 } } },
	{ 4,
	  "07 00002000",
	  { .tag = HPROF_ROOT_MONITOR_USED,
	    .u.root = { .object_id = 0x2000 } } },
	{ 4,
	  "08 00002000 00000001 00000002",
	  { .tag = HPROF_ROOT_THREAD_OBJ,
	    .u.root = { .object_id = 0x2000,
			.thread_serial = 1,
			.trace_serial = 2 } } },
	{ 4,
	  "20 00001000 00000001 00000000 00000000 00000000 00000000"
	  "00000000 00000000 00000000 0000 0000 0000",
	  { .tag = HPROF_CLASS_DUMP,
	    .id_size = 4,
	    .u.class_dump = { .class_id = 0x1000, .trace_serial = 1 } } },
	/* A constant, a static, two fields. */
	{ 4,
	  "20 00001010 00000001 00001000 00000002 00000003 00000004"
	  "00000005 00000006 00000008"
	  "0001 0007 02 00002000"
	  "0001 00000105 08 ff"
	  "0002 00000103 0a 00000104 02",
	  { .tag = HPROF_CLASS_DUMP,
	    .id_size = 4,
	    .u.class_dump = { 0x1010, 1, 0x1000, 2, 3, 4, 5, 6, 8, 1, 1, 2,
			      BYTES("\0\x07\x02\0\0\x20\0"),
			      BYTES("\0\0\x01\x05\x08\xff"),
			      BYTES("\0\0\x01\x03\x0a\0\0\x01\x04\x02") } } },
	{ 4,
	  "21 00002000 00000001 00001010 00000008 00000007 00002000",
	  { .tag = HPROF_INSTANCE_DUMP,
	    .id_size = 4,
	    .u.instance_dump = { 0x2000, 1, 0x1010, 8,
				 BYTES("\0\0\0\x07\0\0\x20\0") } } },
	{ 8,
	  "21 0000000000002000 00000001 0000000000001010 00000000",
	  { .tag = HPROF_INSTANCE_DUMP,
	    .u.instance_dump = { 0x2000, 1, 0x1010, 0, { NULL, 0 } } } },
	{ 4,
	  "22 00002000 00000001 00000002 00001010 00002010 00000000",
	  { .tag = HPROF_OBJ_ARRAY_DUMP,
	    .id_size = 4,
	    .u.obj_array_dump = { 0x2000, 1, 2, 0x1010,
				  BYTES("\0\0\x20\x10\0\0\0\0") } } },
	{ 4,
	  "23 00002010 00000001 00000002 09 0001 ffff",
	  { .tag = HPROF_PRIM_ARRAY_DUMP,
	    .id_size = 4,
	    .u.prim_array_dump = { 0x2010, 1, 2, HPROF_TYPE_SHORT,
				   BYTES("\0\x01\xff\xff") } } },
	{ 8,
	  "23 0000000000002010 00000001 00000000 08",
	  { .tag = HPROF_PRIM_ARRAY_DUMP,
	    .u.prim_array_dump = { 0x2010,
				   1,
				   0,
				   HPROF_TYPE_BYTE,
				   { NULL, 0 } } } },

	{ 4,
	  "89 00002000",
	  { .tag = HPROF_ROOT_INTERNED_STRING,
	    .u.root = { .object_id = 0x2000 } } },
	{ 4,
	  "8a 00002000",
	  { .tag = HPROF_ROOT_FINALIZING, .u.root = { .object_id = 0x2000 } } },
	{ 4,
	  "8b 00002000",
	  { .tag = HPROF_ROOT_DEBUGGER, .u.root = { .object_id = 0x2000 } } },
	{ 4,
	  "8c 00002000",
	  { .tag = HPROF_ROOT_REFERENCE_CLEANUP,
	    .u.root = { .object_id = 0x2000 } } },
	{ 4,
	  "8d 00002000",
	  { .tag = HPROF_ROOT_VM_INTERNAL,
	    .u.root = { .object_id = 0x2000 } } },
	{ 4,
	  "8e 00002000 00000001 ffffffff",
	  { .tag = HPROF_ROOT_JNI_MONITOR,
	    .u.root = { .object_id = 0x2000,
			.thread_serial = 1,
			.frame = -1 } } },
	{ 4,
	  "90 00002000",
	  { .tag = HPROF_ROOT_UNREACHABLE,
	    .u.root = { .object_id = 0x2000 } } },
	{ 4,
	  "c3 00002000 00000001 000003e8 0b",
	  { .tag = HPROF_PRIM_ARRAY_NODATA_DUMP,
	    .u.prim_array_dump = { 0x2000,
				   1,
				   1000,
				   HPROF_TYPE_LONG,
				   { NULL, 0 } } } },
	{ 4,
	  "fe 00000041 00000106",
	  { .tag = HPROF_HEAP_DUMP_INFO,
	    .u.heap_dump_info = { 0x41, 0x106 } } },
};

enum { GOLDENS = sizeof goldens / sizeof goldens[0] };

Test(golden, encode)
{
	for (size_t i = 0; i < GOLDENS; i++) {
		const struct golden *g = &goldens[i];
		uint8_t expected[256];
		uint8_t got[256];
		size_t size = from_hex(g->hex, expected);
		size_t used = 0;
		uint64_t announced = 0;
		cr_assert_eq(hprof_record_encode(&g->record, g->id_size, got,
						 sizeof got, &used),
			     HPROF_OK, "%s", g->hex);
		cr_assert_eq(used, size, "%s", g->hex);
		cr_assert(memcmp(got, expected, size) == 0, "%s", g->hex);
		cr_assert_eq(
			hprof_record_size(&g->record, g->id_size, &announced),
			HPROF_OK);
		cr_assert_eq(announced, size, "%s", g->hex);
	}
}

/* Decodes and compares by encoding what was decoded. */
Test(golden, decode)
{
	for (size_t i = 0; i < GOLDENS; i++) {
		const struct golden *g = &goldens[i];
		uint8_t bytes[256];
		uint8_t again[256];
		size_t size = from_hex(g->hex, bytes);
		size_t used = 0;
		struct hprof_record r;
		enum hprof_status status =
			g->record.tag >= HPROF_SUB
				? hprof_sub_decode(bytes, size, g->id_size, &r,
						   &used)
				: hprof_record_decode(bytes, size, g->id_size,
						      &r, &used);
		cr_assert_eq(status, HPROF_OK, "%s", g->hex);
		cr_assert_eq(used, size);
		cr_assert_eq(r.tag, g->record.tag);
		cr_assert_eq(r.id_size, g->id_size);
		cr_assert_eq(r.time_us, g->record.time_us);
		cr_assert_eq(hprof_record_encode(&r, g->id_size, again,
						 sizeof again, &used),
			     HPROF_OK);
		cr_assert_eq(used, size);
		cr_assert(memcmp(bytes, again, size) == 0, "%s", g->hex);
	}
}

/* Every known record is in the list above. */
Test(golden, complete)
{
	const struct hprof_record_info *info;

	for (unsigned i = 0; (info = hprof_record_list(i)) != NULL; i++) {
		size_t at = 0;
		while (at < GOLDENS && goldens[at].record.tag != info->tag)
			at++;
		cr_assert_lt(at, (size_t)GOLDENS, "%s", info->name);
	}
}

/* The first record of TAG, decoded; its bytes stay in a static buffer. */
static struct hprof_record decode_golden(unsigned tag)
{
	static uint8_t bytes[256];
	struct hprof_record r;
	size_t used;
	size_t i = 0;

	while (goldens[i].record.tag != tag)
		i++;
	cr_assert_eq(hprof_record_decode(bytes, from_hex(goldens[i].hex, bytes),
					 goldens[i].id_size, &r, &used),
		     HPROF_OK);
	return r;
}

/* Encoding what was decoded would hide two exchanged fields. */
Test(golden, members)
{
	struct hprof_record r = decode_golden(HPROF_FRAME);

	cr_assert(r.u.frame.frame_id == 1 && r.u.frame.method_id == 2 &&
		  r.u.frame.signature_id == 3 && r.u.frame.source_id == 4 &&
		  r.u.frame.class_serial == 5 && r.u.frame.line == -3);
}

Test(golden, sites)
{
	struct hprof_bytes sites =
		decode_golden(HPROF_ALLOC_SITES).u.alloc_sites.sites;
	struct hprof_alloc_site s;

	cr_assert_eq(hprof_alloc_site_at(sites, 0, &s), HPROF_OK);
	cr_assert(s.array_kind == 2 && s.class_serial == 3 &&
		  s.trace_serial == 4 && s.live_bytes == 5 &&
		  s.live_instances == 6 && s.allocated_bytes == 7 &&
		  s.allocated_instances == 8);
	cr_assert_eq(hprof_alloc_site_at(sites, 1, &s), HPROF_END);
	cr_assert_eq(hprof_alloc_site_at(sites, UINT64_MAX, &s), HPROF_END);
}

Test(golden, samples)
{
	struct hprof_bytes samples =
		decode_golden(HPROF_CPU_SAMPLES).u.cpu_samples.samples;
	struct hprof_cpu_sample s;

	cr_assert_eq(hprof_cpu_sample_at(samples, 1, &s), HPROF_OK);
	cr_assert(s.samples == 30 && s.trace_serial == 2);
	cr_assert_eq(hprof_cpu_sample_at(samples, 2, &s), HPROF_END);
}

/* The complete minimal dump of the specification. */
static const char minimal[] =
	"4a41564120 50524f46494c4520 312e302e32 00 00000004 0000018bcfe56800"
	"01 00000000 00000014 00000101 6a6176612f6c616e672f4f626a656374"
	"01 00000000 00000005 00000102 50"
	"01 00000000 00000005 00000103 78"
	"01 00000000 00000005 00000104 79"
	"02 00000000 00000010 00000001 00001000 00000001 00000101"
	"02 00000000 00000010 00000002 00001010 00000001 00000102"
	"05 00000000 0000000c 00000001 00000000 00000000"
	"1c 00000000 00000099"
	"20 00001000 00000001 00000000 00000000 00000000 00000000 00000000"
	"00000000 00000000 0000 0000 0000"
	"20 00001010 00000001 00001000 00000000 00000000 00000000 00000000"
	"00000000 00000008 0000 0000 0002 00000103 0a 00000104 02"
	"21 00002000 00000001 00001010 00000008 00000007 00002000"
	"23 00002010 00000001 00000002 09 0001 ffff"
	"05 00001010"
	"01 00002000 00009000"
	"2c 00000000 00000000";

Test(golden, minimal)
{
	uint8_t expected[512];
	size_t size = from_hex(minimal, expected);
	struct fixture f = fixture_load("minimal");

	cr_assert_eq(size, 344);
	cr_assert_eq(f.size, size);
	cr_assert(memcmp(f.bytes, expected, size) == 0);
	fixture_free(&f);
}

/* Sizes that the specification states for ids of 8 bytes. */
Test(golden, sizes)
{
	static const struct {
		uint16_t tag;
		uint64_t size;
	} sizes[] = {
		{ HPROF_ROOT_JNI_GLOBAL, 17 }, { HPROF_ROOT_JAVA_FRAME, 17 },
		{ HPROF_CLASS_DUMP, 71 },      { HPROF_INSTANCE_DUMP, 25 },
		{ HPROF_OBJ_ARRAY_DUMP, 25 },
	};
	struct hprof_record r;
	uint64_t size;

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		r = (struct hprof_record){ .tag = sizes[i].tag };
		cr_assert_eq(hprof_record_size(&r, 8, &size), HPROF_OK);
		cr_assert_eq(size, sizes[i].size);
	}
	/* The longest int array in one record of 4 GiB. */
	r = (struct hprof_record){ .tag = HPROF_PRIM_ARRAY_DUMP };
	r.u.prim_array_dump.type = HPROF_TYPE_INT;
	r.u.prim_array_dump.count = 1073741819;
	r.u.prim_array_dump.elements.size = (uint64_t)1073741819 * 4;
	cr_assert_eq(hprof_record_size(&r, 8, &size), HPROF_OK);
	cr_assert_eq(size, 4294967294);
}
