/* SPDX-License-Identifier: MIT */
/*
 * test_recipe.c - recipes: each form of a line against its bytes, errors with
 * their places, trouble.
 */
#include "fixture.h"
#include "base/mem.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <hprof/recipe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- lines and their bytes ----------------------------------------------- */

struct line_case {
	const char *text;
	const char *hex;
};

/* Each is assembled behind "id_size 4". */
static const struct line_case top_cases[] = {
	{ "", "" },
	{ "  # nothing \"but\" a comment", "" },
	{ "header \"JAVA PROFILE 1.0.2\" id_size=4 time_ms=1700000000000",
	  "4a4156412050524f46494c4520312e302e3200 00000004 0000018bcfe56800" },
	{ "header \"x\"", "7800 00000008 0000000000000000" },
	{ "header \"\" time_ms=0xffffffffffffffff id_size=0xffffffff",
	  "00 ffffffff ffffffffffffffff" },
	{ "raw", "" },
	{ "raw 00 01 0a0B # more\t", "00 01 0a 0b" },
	{ "raw \"a b#\" 00*3 [ff\n\t\"x\"*2 # why\n]",
	  "61206223 000000 ff7878" },
	{ "raw \"\\\\\\\"\\n\\t\\r\\x00\\xfF\"", "5c 22 0a 09 0d 00 ff" },
	{ "raw int:-1 short:0x7fff byte:-128 byte:255 boolean:1 char:0xffff",
	  "ffffffff 7fff 80 ff 01 ffff" },
	{ "raw long:-9223372036854775808 long:0xffffffffffffffff",
	  "8000000000000000 ffffffffffffffff" },
	{ "raw object:0x10 float:1.0 float:-0.0 float:0x7fc00001 double:0.1",
	  "00000010 3f800000 80000000 7fc00001 3fb999999999999a" },
	{ "raw hex:cafe abcd*0 int:1*2", "cafe 00000001 00000001" },
	{ "raw 01\r\nraw 02\r", "01 02" },
	/* Records. */
	{ "HEAP_DUMP_END", "2c 00000000 00000000" },
	{ "HEAP_DUMP_END time_us=7 length=9", "2c 00000007 00000009" },
	{ "UTF8 string_id=0x10 text=\"ab\"",
	  "01 00000000 00000006 00000010 6162" },
	{ "UTF8 text=[\"a\" 00 62*2] string_id=1",
	  "01 00000000 00000008 00000001 61006262" },
	{ "UTF8", "01 00000000 00000004 00000000" },
	{ "UTF8 length=-1 text=\"ab\"", "01 00000000 00000005 00000000 6162" },
	{ "UTF8 length=+0x10", "01 00000000 00000014 00000000" },
	{ "UTF8 length=0xffffffff", "01 00000000 ffffffff 00000000" },
	{ "UTF8 body=0102", "01 00000000 00000002 0102" },
	{ "UTF8 body=[]", "01 00000000 00000000" },
	{ "END_THREAD thread_serial=5 rest=beef",
	  "0b 00000000 00000006 00000005 beef" },
	{ "RECORD tag=0x99 time_us=1 body=\"x\" length=7",
	  "99 00000001 00000007 78" },
	{ "RECORD tag=255", "ff 00000000 00000000" },
	{ "FRAME line=-3 frame_id=1",
	  "04 00000000 00000018 00000001 00000000 00000000 00000000 00000000"
	  "fffffffd" },
	{ "FRAME line=0xfffffffd",
	  "04 00000000 00000018 00000000 00000000 00000000 00000000 00000000"
	  "fffffffd" },
	{ "TRACE frames=[1 2*2]",
	  "05 00000000 00000018 00000000 00000000 00000003 00000001 00000002"
	  "00000002" },
	{ "TRACE frame_count=9 frames=[1]",
	  "05 00000000 00000010 00000000 00000000 00000009 00000001" },
	{ "TRACE frame_count=-1 frames=[1]",
	  "05 00000000 00000010 00000000 00000000 00000000 00000001" },
	{ "CPU_SAMPLES total=5 samples=[{samples=1 trace_serial=2} {}*2]",
	  "0d 00000000 00000020 00000005 00000003 00000001 00000002"
	  "00000000 00000000 00000000 00000000" },
	{ "CPU_SAMPLES samples=[{\n# here\nsamples=1\n}\n]",
	  "0d 00000000 00000010 00000000 00000001 00000001 00000000" },
	{ "ALLOC_SITES flags=1 sites=[{array_kind=255 class_serial=1}]",
	  "06 00000000 0000003b 0001 00000000 00000000 00000000"
	  "0000000000000000 0000000000000000 00000001"
	  "ff 00000001 00000000 00000000 00000000 00000000 00000000" },
	/* Blocks. */
	{ "HEAP_DUMP", "0c 00000000 00000000" },
	{ "HEAP_DUMP {\n}", "0c 00000000 00000000" },
	{ "HEAP_DUMP body=0500", "0c 00000000 00000002 0500" },
	{ "HEAP_DUMP_SEGMENT time_us=1 { # start\n\n\tROOT_UNKNOWN "
	  "object_id=1\nraw 77\n } # end\nHEAP_DUMP_END",
	  "1c 00000001 00000006 ff 00000001 77 2c 00000000 00000000" },
	{ "HEAP_DUMP length=0 {\nraw 0102\n}", "0c 00000000 00000000 0102" },
	{ "HEAP_DUMP length=+3 {\nraw 0102\n}", "0c 00000000 00000005 0102" },
	/* The width can change. */
	{ "id_size 8\nUTF8\nid_size 1\nUTF8",
	  "01 00000000 00000008 0000000000000000 01 00000000 00000001 00" },
	{ "header \"\" id_size=2\nUTF8 string_id=0xffff",
	  "00 00000002 0000000000000000 01 00000000 00000002 ffff" },
};

/* Each is assembled inside HEAP_DUMP { }, with ids of 2 bytes. */
static const struct line_case sub_cases[] = {
	{ "ROOT_THREAD_OBJ object_id=1 thread_serial=2 trace_serial=3",
	  "08 0001 00000002 00000003" },
	{ "ROOT_JAVA_FRAME frame=-1", "03 0000 00000000 ffffffff" },
	{ "CLASS_DUMP class_id=1",
	  "20 0001 00000000 0000 0000 0000 0000 0000 0000 00000000"
	  "0000 0000 0000" },
	{ "CLASS_DUMP fields=[1:int 2:11] statics=[3:short:-1 4:object:5] "
	  "constants=[9:byte:1]",
	  "20 0000 00000000 0000 0000 0000 0000 0000 0000 00000000"
	  "0001 0009 08 01 0002 0003 09 ffff 0004 02 0005"
	  "0002 0001 0a 0002 0b" },
	{ "CLASS_DUMP constant_count=1 static_count=0xffff field_count=+2 "
	  "fields=[1:int]",
	  "20 0000 00000000 0000 0000 0000 0000 0000 0000 00000000"
	  "0001 ffff 0003 0001 0a" },
	{ "CLASS_DUMP statics=[1:12:cafe 2:0:ff]",
	  "20 0000 00000000 0000 0000 0000 0000 0000 0000 00000000"
	  "0000 0002 0001 0c cafe 0002 00 ff 0000" },
	{ "INSTANCE_DUMP data=[object:1 int:5 \"hi\" 00*2]",
	  "21 0000 00000000 0000 0000000a 0001 00000005 6869 0000" },
	{ "INSTANCE_DUMP data_size=0xffffffff data=00",
	  "21 0000 00000000 0000 ffffffff 00" },
	{ "OBJ_ARRAY_DUMP elements=[1 0*2] class_id=7",
	  "22 0000 00000000 00000003 0007 0001 0000 0000" },
	{ "PRIM_ARRAY_DUMP type=short elements=[1 -1]",
	  "23 0000 00000000 00000002 09 0001 ffff" },
	{ "PRIM_ARRAY_DUMP type=char elements=[\"aé😀\" 0xd800]",
	  "23 0000 00000000 00000005 05 0061 00e9 d83d de00 d800" },
	{ "PRIM_ARRAY_DUMP type=byte elements=[\"aé\" -1 hex:0102]",
	  "23 0000 00000000 00000006 08 61 c3a9 ff 01 02" },
	{ "PRIM_ARRAY_DUMP type=boolean elements=[1*3 255]",
	  "23 0000 00000000 00000004 04 01 01 01 ff" },
	{ "PRIM_ARRAY_DUMP type=float elements=[1.5 0x1]",
	  "23 0000 00000000 00000002 06 3fc00000 00000001" },
	{ "PRIM_ARRAY_DUMP type=2 elements=[1 2]",
	  "23 0000 00000000 00000002 02 0001 0002" },
	{ "PRIM_ARRAY_DUMP type=12 elements=[hex:0102 03]",
	  "23 0000 00000000 00000003 0c 01 02 03" },
	{ "PRIM_ARRAY_DUMP count=-1 type=int elements=[1 2]",
	  "23 0000 00000000 00000001 0a 00000001 00000002" },
	{ "PRIM_ARRAY_DUMP", "23 0000 00000000 00000000 00" },
	{ "PRIM_ARRAY_NODATA_DUMP count=1000 type=long",
	  "c3 0000 00000000 000003e8 0b" },
	{ "HEAP_DUMP_INFO heap=0x41 name_id=5", "fe 00000041 0005" },
};

static void check_line(const char *text, const uint8_t *expected, size_t size,
		       const char *shown)
{
	struct hprof_error error;
	struct buffer out = { 0 };
	/* Of exactly its size, without a NUL. */
	size_t text_size = strlen(text);
	char *exact = malloc(text_size + (text_size == 0));

	memcpy(exact, text, text_size);
	cr_assert_eq(hprof_recipe_assemble(exact, text_size, buffer_add, &out,
					   &error),
		     HPROF_OK, "%s: %s", shown, error.text);
	cr_assert_eq(out.size, size, "%s", shown);
	if (size)
		cr_assert(memcmp(out.bytes, expected, size) == 0, "%s", shown);
	buffer_free(&out);
	free(exact);
}

Test(recipe, lines)
{
	for (size_t i = 0; i < sizeof top_cases / sizeof top_cases[0]; i++) {
		char text[1024];
		uint8_t expected[512];
		size_t size = from_hex(top_cases[i].hex, expected);
		snprintf(text, sizeof text, "id_size 4\n%s", top_cases[i].text);
		check_line(text, expected, size, top_cases[i].text);
	}
}

Test(recipe, sub_lines)
{
	for (size_t i = 0; i < sizeof sub_cases / sizeof sub_cases[0]; i++) {
		char text[1024];
		uint8_t expected[512] = { 0x0c };
		size_t size = from_hex(sub_cases[i].hex, expected + 9);
		expected[8] = (uint8_t)size;
		snprintf(text, sizeof text, "id_size 2\nHEAP_DUMP {\n%s\n}\n",
			 sub_cases[i].text);
		check_line(text, expected, size + 9, sub_cases[i].text);
	}
}

/* ---- errors ------------------------------------------------------------- */

struct error_case {
	const char *text;
	unsigned line;
	unsigned column;
	const char *part; /* of the message */
};

static const struct error_case error_cases[] = {
	{ "!", 1, 1, "expected a record" },
	{ "\n\n  WHAT", 3, 3, "an unknown record" },
	{ "utf8", 1, 1, "an unknown record" },
	{ "UTF8", 1, 1, "expected a header with an id_size" },
	{ "header \"x\" id_size=5\nUTF8", 2, 1, "id_size" },
	{ "header", 1, 7, "expected '\"'" },
	{ "header \"x\" id_size=4 foo=1", 1, 22, "expected id_size=" },
	{ "header \"x\"id_size=4", 1, 11, "expected a blank" },
	{ "header \"x\" id_size=0x100000000", 1, 20, "from 0 to" },
	{ "id_size 3", 1, 9, "expected 1, 2, 4 or 8" },
	{ "id_size", 1, 8, "expected a number" },
	{ "id_size 4 4", 1, 11, "expected the end of the line" },
	{ "}", 1, 1, "a '}' without '{'" },
	{ "id_size 4\nHEAP_DUMP {\nraw 00", 2, 11, "a '{' without '}'" },
	{ "id_size 4\nHEAP_DUMP {\nUTF8", 3, 1, "a sub-record, raw" },
	{ "id_size 4\nHEAP_DUMP {\nheader \"\"", 3, 1, "a sub-record, raw" },
	{ "id_size 4\nHEAP_DUMP {\nROOT_UNKNOWN {", 3, 14, "expected a field" },
	{ "id_size 4\nHEAP_DUMP { raw 00", 2, 13,
	  "expected the end of the line" },
	{ "id_size 4\nHEAP_DUMP body=00 {", 2, 19, "either a body or a block" },
	{ "id_size 4\nUTF8 {", 2, 6, "take a block" },
	{ "RECORD tag=1 {", 1, 14, "take a block" },
	{ "id_size 4\nROOT_UNKNOWN", 2, 1, "only inside" },
	{ "id_size 4\nUTF8 foo=1", 2, 6, "UTF8 has no such field" },
	{ "id_size 4\nUTF8 tag=1", 2, 6, "UTF8 has no such field" },
	{ "RECORD foo=1", 1, 8, "RECORD has no such field" },
	{ "id_size 4\nUTF8 string_id", 2, 15, "expected '='" },
	{ "id_size 4\nUTF8 string_id=", 2, 16, "expected a number" },
	{ "id_size 4\nUTF8 string_id=x", 2, 16, "expected a number" },
	{ "id_size 4\nUTF8 string_id=1x", 2, 17, "expected a blank" },
	{ "id_size 4\nUTF8 string_id=0x100000000", 2, 16,
	  "from 0 to 0xffffffff" },
	{ "id_size 4\nUTF8 string_id=-1", 2, 16, "from 0 to" },
	{ "id_size 8\nUTF8 string_id=99999999999999999999", 2, 16, "64 bits" },
	{ "id_size 4\nUTF8 string_id=1 string_id=1", 2, 18, "given already" },
	{ "id_size 4\nUTF8 body=00 string_id=1", 2, 14, "exclude each other" },
	{ "id_size 4\nUTF8 body=00 rest=00", 2, 14, "exclude each other" },
	{ "id_size 4\nUTF8 length=4294967296", 2, 13, "from 0 to" },
	{ "id_size 4\nUTF8 length=-5", 2, 6, "count or length" },
	{ "id_size 4\nTRACE frame_count=-1", 2, 7, "count or length" },
	{ "id_size 4\nFRAME line=4294967296", 2, 12, "32 bits" },
	{ "id_size 4\nFRAME line=-2147483649", 2, 12, "32 bits" },
	{ "id_size 4\nTRACE frames=1", 2, 14, "expected '['" },
	{ "id_size 4\nTRACE frames=[1", 2, 16, "expected ']'" },
	{ "id_size 4\nTRACE frames=[1,2]", 2, 16, "a blank" },
	{ "id_size 4\nCPU_SAMPLES samples=[{total=1}]", 2, 23,
	  "an unknown field" },
	{ "id_size 4\nCPU_SAMPLES samples=[{samples=1 samples=1}]", 2, 33,
	  "given already" },
	{ "id_size 4\nCPU_SAMPLES samples=[{samples=1", 2, 32,
	  "expected a field or '}'" },
	{ "id_size 4\nHEAP_DUMP {\nPRIM_ARRAY_DUMP elements=[1]", 3, 17,
	  "expected type=" },
	{ "id_size 4\nHEAP_DUMP {\nPRIM_ARRAY_DUMP type=void", 3, 22,
	  "expected object, boolean" },
	{ "id_size 4\nHEAP_DUMP {\nPRIM_ARRAY_DUMP type=256", 3, 22,
	  "from 0 to 0xff" },
	{ "id_size 4\nHEAP_DUMP {\nPRIM_ARRAY_DUMP type=float "
	  "elements=[1]",
	  3, 38, "with a point" },
	{ "id_size 4\nHEAP_DUMP {\nPRIM_ARRAY_DUMP type=char "
	  "elements=[\"\\xff\"]",
	  3, 37, "not UTF-8" },
	{ "id_size 4\nHEAP_DUMP {\nPRIM_ARRAY_DUMP type=byte "
	  "elements=[int:1]",
	  3, 37, "hex:" },
	{ "id_size 4\nHEAP_DUMP {\nINSTANCE_DUMP rest=00", 3, 15,
	  "no such field" },
	{ "id_size 4\nHEAP_DUMP {\nCLASS_DUMP fields=[1:int:5]", 3, 25,
	  "expected a blank" },
	{ "id_size 4\nHEAP_DUMP {\nCLASS_DUMP statics=[1:int]", 3, 26,
	  "expected ':'" },
	{ "id_size 4\nHEAP_DUMP {\nCLASS_DUMP constants=[65536:int:1]", 3, 23,
	  "from 0 to 0xffff" },
	{ "id_size 4\nHEAP_DUMP {\nCLASS_DUMP fields=[1:int*65536]", 3, 32,
	  "count or length from 0 to 0xffff" },
	{ "raw 0", 1, 5, "two hexadecimal digits" },
	{ "raw 0g", 1, 5, "two hexadecimal digits" },
	{ "raw 0x00", 1, 5, "two hexadecimal digits" },
	{ "raw \"abc", 1, 5, "a string without end" },
	{ "raw \"abc\n\"", 1, 5, "a string without end" },
	{ "raw \"\\q\"", 1, 7, "expected \\\\" },
	{ "raw \"\\x0\"", 1, 8, "two hexadecimal digits" },
	{ "raw \"\\", 1, 6, "expected \\\\" },
	{ "raw \"a\x01\"", 1, 7, "\\x01" },
	{ "raw \"é\"x", 1, 8, "expected a blank" },
	{ "raw foo:1", 1, 5, "expected a type or hex" },
	{ "raw object:1", 1, 12, "width of ids is not known" },
	{ "raw float:1.1234567890123456", 1, 11, "too many digits" },
	{ "raw float:.5", 1, 11, "with a point" },
	{ "raw float:1.", 1, 11, "with a point" },
	{ "raw byte:256", 1, 10, "8 bits" },
	{ "raw byte:-129", 1, 10, "8 bits" },
	{ "raw long:-9223372036854775809", 1, 10, "64 bits" },
	{ "raw 00*", 1, 8, "expected a number" },
	{ "raw 00*x", 1, 8, "expected a number" },
	{ "raw 00*-1", 1, 8, "from 0 to" },
	{ "raw [00", 1, 8, "expected ']'" },
};

static void check_error(const struct error_case *c)
{
	struct buffer out = { 0 };
	struct hprof_error e = { .offset = 12345 };
	char place[64];
	size_t at = 0;

	cr_assert_eq(hprof_recipe_assemble(c->text, strlen(c->text), buffer_add,
					   &out, &e),
		     HPROF_E_CORRUPT, "%s", c->text);
	cr_assert_eq(e.status, HPROF_E_CORRUPT);
	snprintf(place, sizeof place, "line %u, column %u: ", c->line,
		 c->column);
	cr_assert(strncmp(e.text, place, strlen(place)) == 0, "%s: %s, not %s",
		  c->text, e.text, place);
	cr_assert(strstr(e.text, c->part) != NULL, "%s: %s", c->text, e.text);
	for (unsigned l = 1; l < c->line; l++)
		at = (size_t)(strchr(c->text + at, '\n') - c->text + 1);
	/* Columns count characters, offsets bytes. */
	if (!strstr(c->text, "é"))
		cr_assert_eq(e.offset, at + c->column - 1, "%s", c->text);
	cr_assert_eq(hprof_recipe_assemble(c->text, strlen(c->text), buffer_add,
					   &out, NULL),
		     HPROF_E_CORRUPT);
	buffer_free(&out);
}

Test(recipe, errors)
{
	for (size_t i = 0; i < sizeof error_cases / sizeof error_cases[0]; i++)
		check_error(&error_cases[i]);
}

Test(recipe, limits)
{
	static const char *const texts[] = {
		"raw 00*67108865",
		"raw 0000*33554433",
		"raw 00*18446744073709551615",
		"raw \"\"*18446744073709551615",
		"id_size 8\nTRACE frames=[0*8388609]",
		/* 17 times 64 MiB, in one record and in many. */
		"raw [00*67108864 00*67108864 00*67108864 00*67108864 "
		"00*67108864 00*67108864 00*67108864 00*67108864 00*67108864 "
		"00*67108864 00*67108864 00*67108864 00*67108864 00*67108864 "
		"00*67108864 00*67108864 00*67108864]",
	};
	struct buffer out = { 0 };
	struct hprof_error error;

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		cr_assert_eq(hprof_recipe_assemble(texts[i], strlen(texts[i]),
						   buffer_add, &out, &error),
			     HPROF_E_LIMIT, "%s", texts[i]);
		cr_assert_eq(error.status, HPROF_E_LIMIT);
	}
	cr_assert_eq(out.size, 0);
	buffer_free(&out);
}

static int count_bytes(void *user, const void *bytes, size_t size)
{
	(void)bytes;
	*(uint64_t *)user += size;
	return 0;
}

Test(recipe, output_limit)
{
	static char text[17 * 20];
	uint64_t size = 0;
	struct hprof_error error;

	for (int i = 0; i < 17; i++)
		strcat(text, "raw 00*67108864\n");
	cr_assert_eq(hprof_recipe_assemble(text, strlen(text), count_bytes,
					   &size, &error),
		     HPROF_E_LIMIT);
	cr_assert_eq(size, (uint64_t)1 << 30, "what came before is written");
}

static int refuse(void *user, const void *bytes, size_t size)
{
	(void)bytes;
	(void)size;
	if (--*(int *)user >= 0)
		return 0;
	errno = ENOSPC;
	return -1;
}

Test(recipe, write_fails)
{
	struct fixture f = fixture_load("standard_id8");
	struct hprof_error error;

	for (int good = 0; good < 3; good++) {
		int left = good;
		cr_assert_eq(hprof_recipe_assemble(f.text, f.text_size, refuse,
						   &left, &error),
			     HPROF_E_SYS);
		cr_assert_eq(error.sys_errno, ENOSPC);
		cr_assert_eq(left, -1, "not tried again");
	}
	int left = 0;
	cr_assert_eq(hprof_recipe_write(f.bytes, f.size, refuse, &left),
		     HPROF_E_SYS);
	cr_assert_eq(left, -1);
	fixture_free(&f);
}

Test(recipe, misuse)
{
	struct hprof_error error;
	int none = 0;

	cr_assert_eq(hprof_recipe_assemble(NULL, 1, refuse, &none, &error),
		     HPROF_E_USAGE);
	cr_assert_eq(hprof_recipe_assemble("", 0, NULL, NULL, &error),
		     HPROF_E_USAGE);
	cr_assert_eq(hprof_recipe_write(NULL, 1, refuse, &none), HPROF_E_USAGE);
	cr_assert_eq(hprof_recipe_write("", 0, NULL, NULL), HPROF_E_USAGE);
	cr_assert_eq(hprof_recipe_assemble(NULL, 0, refuse, &none, &error),
		     HPROF_OK);
	cr_assert_eq(hprof_recipe_write(NULL, 0, refuse, &none), HPROF_OK);
}

/* Each allocation fails in turn; what was written is a prefix of it all. */
Test(recipe, no_memory)
{
	struct fixture f = fixture_load("standard_id4");
	enum hprof_status status = HPROF_E_NOMEM;
	int64_t fails = 0;

	for (; status == HPROF_E_NOMEM; fails++) {
		struct buffer out = { 0 };
		struct hprof_error error = { 0 };
		hp_mem_fail_after(fails);
		status = hprof_recipe_assemble(f.text, f.text_size, buffer_add,
					       &out, &error);
		hp_mem_fail_after(-1);
		if (status == HPROF_E_NOMEM)
			cr_assert_eq(error.status, HPROF_E_NOMEM);
		cr_assert_leq(out.size, f.size);
		if (out.size)
			cr_assert(memcmp(out.bytes, f.bytes, out.size) == 0);
		buffer_free(&out);
	}
	cr_assert_eq(status, HPROF_OK);
	cr_assert_gt(fails, 6); /* room is used again */
	fixture_free(&f);
}
