/* SPDX-License-Identifier: MIT */
/*
 * test_recipe_copies.c - recipes: the identity dump - recipe - dump for whole
 * and damaged dumps, and the one form in which a recipe is written.
 */
#include "fixture.h"

#include <criterion/criterion.h>
#include <hprof/recipe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_identity(const uint8_t *bytes, size_t size, const char *name)
{
	struct buffer text = { 0 };
	struct buffer back = { 0 };
	struct hprof_error error;

	cr_assert_eq(hprof_recipe_write(bytes, size, buffer_add, &text),
		     HPROF_OK);
	cr_assert_eq(hprof_recipe_assemble((char *)text.bytes, text.size,
					   buffer_add, &back, &error),
		     HPROF_OK, "%s: %s\n%.*s", name, error.text, (int)text.size,
		     (char *)text.bytes);
	cr_assert_eq(back.size, size, "%s", name);
	if (size)
		cr_assert(memcmp(back.bytes, bytes, size) == 0, "%s", name);
	buffer_free(&text);
	buffer_free(&back);
}

Test(recipe_copies, fixtures)
{
	for (char **name = fixture_names(); *name; name++) {
		struct fixture f = fixture_load(*name);
		check_identity(f.bytes, f.size, *name);
		fixture_free(&f);
	}
}

Test(recipe_copies, damaged_fixtures)
{
	static const char *const names[] = {
		"minimal", "shop_id1",	   "graph",
		"android", "standard_id4", "length_zero_to_eof"
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct fixture f = fixture_load(names[i]);
		for (size_t at = 0; at < f.size; at++) {
			uint8_t old = f.bytes[at];
			check_identity(f.bytes, at, names[i]);
			f.bytes[at] ^= 0xff;
			check_identity(f.bytes, f.size, names[i]);
			f.bytes[at] = old ^ 1;
			check_identity(f.bytes, f.size, names[i]);
			f.bytes[at] = old;
		}
		fixture_free(&f);
	}
}

static uint32_t random_state = 1;

static uint8_t random_byte(void)
{
	random_state = random_state * 1664525 + 1013904223;
	return (uint8_t)(random_state >> 24);
}

/* Bytes of no sense, behind a header with ids of each width. */
Test(recipe_copies, random_bytes)
{
	uint8_t bytes[2000];
	size_t used;

	for (unsigned round = 0; round < 300; round++) {
		struct hprof_header h = { "JAVA PROFILE 1.0.2", 1u << round % 4,
					  0 };
		hprof_header_encode(&h, bytes, sizeof bytes, &used);
		for (size_t i = used; i < sizeof bytes; i++)
			bytes[i] = random_byte() & (round & 4 ? 0x3f : 0xff);
		/* Sometimes a segment, so that sub-records occur, too. */
		if (round & 8) {
			memset(bytes + used, 0, 9);
			bytes[used] = HPROF_HEAP_DUMP_SEGMENT;
			bytes[used + 7] = 2;
		}
		check_identity(bytes, sizeof bytes, "random");
		check_identity(bytes + used, sizeof bytes - used, "random");
	}
}

/* Every value of a float array reads back, whichever way it was written. */
Test(recipe_copies, floats)
{
	static const uint8_t head[] = { 0x0c, 0, 0, 0, 0, 0, 0, 0, 0, 0x23,
					0,    0, 0, 0, 0, 0, 0, 0, 0, 0 };
	struct buffer bytes = { 0 };
	uint8_t header[64];
	size_t used;
	struct hprof_header h = { "JAVA PROFILE 1.0.2", 1, 0 };
	enum { COUNT = 20000 };

	for (int wide = 0; wide < 2; wide++) {
		hprof_header_encode(&h, header, sizeof header, &used);
		buffer_add(&bytes, header, used);
		buffer_add(&bytes, head, sizeof head);
		size_t start = bytes.size - sizeof head;
		for (uint32_t i = 0; i < COUNT; i++) {
			double value = (i % 3 ? -1 : 1) * (double)(i * i) /
				       (i % 2 ? 1000 : 8);
			float single = (float)value;
			uint8_t raw[8];
			size_t size = wide ? 8 : 4;
			memcpy(raw, wide ? (void *)&value : (void *)&single,
			       size);
			for (size_t j = 0; j < size / 2; j++) {
				uint8_t swap = raw[j];
				raw[j] = raw[size - 1 - j];
				raw[size - 1 - j] = swap;
			}
			for (size_t j = 0; i > COUNT / 2 && j < size; j++)
				raw[j] = random_byte();
			buffer_add(&bytes, raw, size);
		}
		size_t body = bytes.size - start - 9;
		for (int i = 0; i < 4; i++)
			bytes.bytes[start + 8 - i] = (uint8_t)(body >> 8 * i);
		bytes.bytes[start + 17] = COUNT >> 8;
		bytes.bytes[start + 18] = COUNT & 0xff;
		bytes.bytes[start + 19] =
			wide ? HPROF_TYPE_DOUBLE : HPROF_TYPE_FLOAT;
		check_identity(bytes.bytes, bytes.size, "floats");
		buffer_free(&bytes);
	}
}

/* The form that people read; change it only deliberately. */
Test(recipe_copies, written_form)
{
	static const char expected[] =
		"header \"JAVA PROFILE 1.0.2\" id_size=4 "
		"time_ms=1700000000000\n"
		"UTF8 string_id=0x101 text=\"java/lang/Object\"\n"
		"UTF8 string_id=0x102 text=\"P\"\n"
		"UTF8 string_id=0x103 text=\"x\"\n"
		"UTF8 string_id=0x104 text=\"y\"\n"
		"LOAD_CLASS class_serial=1 class_id=0x1000 trace_serial=1 "
		"name_id=0x101\n"
		"LOAD_CLASS class_serial=2 class_id=0x1010 trace_serial=1 "
		"name_id=0x102\n"
		"TRACE trace_serial=1\n"
		"HEAP_DUMP_SEGMENT {\n"
		"\tCLASS_DUMP class_id=0x1000 trace_serial=1\n"
		"\tCLASS_DUMP class_id=0x1010 trace_serial=1 super_id=0x1000 "
		"instance_size=8 fields=[0x103:int\n"
		"\t\t\t0x104:object]\n"
		"\tINSTANCE_DUMP object_id=0x2000 trace_serial=1 "
		"class_id=0x1010 data=0000000700002000\n"
		"\tPRIM_ARRAY_DUMP object_id=0x2010 trace_serial=1 type=short "
		"elements=[1 -1]\n"
		"\tROOT_STICKY_CLASS object_id=0x1010\n"
		"\tROOT_JNI_GLOBAL object_id=0x2000 ref_id=0x9000\n"
		"}\n"
		"HEAP_DUMP_END\n";
	struct fixture f = fixture_load("minimal");
	struct buffer text = { 0 };

	hprof_recipe_write(f.bytes, f.size, buffer_add, &text);
	buffer_add(&text, "", 1);
	cr_assert_str_eq((char *)text.bytes, expected);
	buffer_free(&text);
	fixture_free(&f);
}

/* Recipes that are written again as they stand, behind a header. */
static const char *const canonical[] = {
	"UTF8 string_id=0x1 text=\"\\\"\\\\\\n\\t\\r\\x00\\x1b\\x7f\"\n",
	/* Printable text is shown as text, the rest as bytes. */
	"UTF8 text=\"é€😀中\\xff\\xc0\\x80\\xe4\\xb8\"\n",
	"UTF8 text=\"\\xed\\xa0\\xbd\\xed\\xb8\\x80\\xed\\xa0\\x80\"\n",
	"UTF8 text=\"\\xe2\\x80\\xae\\xef\\xbb\\xbf\\xc2\\x85\\xc2\\xa0"
	"\\xc2\\xad\\xee\\x80\\x80\"\n",
	"UTF8 text=[\"a\" 78*1000 \"b\"]\n",
	"UTF8 body=000000\n",
	"UTF8 body=[]\n",
	"UTF8 length=100 body=00000001\n",
	"END_THREAD time_us=4294967295 thread_serial=4294967295 "
	"rest=[00*16 cafe \"text\"]\n",
	"RECORD tag=0x99 time_us=1 body=010203\n",
	"TRACE frames=[0x1 0x0*4 0xffffffff 0x2]\n",
	"TRACE body=000000000000000000000002\n",
	"FRAME frame_id=0x1 class_serial=2 line=-3\n",
	"CONTROL_SETTINGS flags=0x3 depth=65535\n",
	"CPU_SAMPLES total=1 samples=[{samples=1 trace_serial=2} {}]\n",
	"HEAP_DUMP\nHEAP_DUMP_SEGMENT\nHEAP_DUMP_END\n",
	/* Not finished by its writer; what follows is no record. */
	"HEAP_DUMP length=0 {\n\tROOT_UNKNOWN object_id=0x1\n}\n",
	"HEAP_DUMP length=0 {\n\traw 7701\n}\n",
	"HEAP_DUMP_SEGMENT length=100 {\n\tROOT_UNKNOWN\n"
	"\traw 2100000001\n}\n",
	"HEAP_DUMP {\n"
	"\tCLASS_DUMP class_id=0x1 constants=[1:int:-1] "
	"statics=[0x2:float:1.5 0x3:char:65]\n"
	"\tCLASS_DUMP class_id=0x1 fields=[0x2:boolean 0x3:object]\n"
	"\tINSTANCE_DUMP data=[00*16 \"text\" ff]\n"
	"\tINSTANCE_DUMP data=00*100\n"
	"\tPRIM_ARRAY_DUMP type=boolean elements=[1 0 255]\n"
	"\tPRIM_ARRAY_DUMP type=char elements=[\"text\" 0 65*4 \"b\" "
	"55296]\n"
	"\tPRIM_ARRAY_DUMP type=float elements=[0.0 -0.0 1.5 -0.1 "
	"0x7fc00000 0x1]\n"
	"\tPRIM_ARRAY_DUMP type=double elements=[1000000.25 "
	"0x400921fb54442d18 -2.0*4]\n"
	"\tPRIM_ARRAY_DUMP type=byte elements=[\"text\" hex:00fe "
	"-1*16]\n"
	"\tPRIM_ARRAY_DUMP type=short elements=[-32768 32767]\n"
	"\tPRIM_ARRAY_DUMP type=int elements=[-2147483648 0*8192]\n"
	"\tPRIM_ARRAY_DUMP type=long elements=[-9223372036854775808 "
	"-1]\n"
	"\tPRIM_ARRAY_DUMP type=object elements=[0x1 0x0]\n"
	"\tPRIM_ARRAY_NODATA_DUMP count=7 type=int\n"
	"\tROOT_JAVA_FRAME object_id=0x1 frame=-1\n"
	"\traw 77\n}\n",
	"raw 2c00\n",
};

static void check_canonical(const char *lines)
{
	struct buffer bytes = { 0 };
	struct buffer text = { 0 };
	struct hprof_error error;
	char recipe[4096];

	snprintf(recipe, sizeof recipe,
		 "header \"JAVA PROFILE 1.0.2\" id_size=4 time_ms=0\n%s",
		 lines);
	cr_assert_eq(hprof_recipe_assemble(recipe, strlen(recipe), buffer_add,
					   &bytes, &error),
		     HPROF_OK, "%s: %s", lines, error.text);
	hprof_recipe_write(bytes.bytes, bytes.size, buffer_add, &text);
	buffer_add(&text, "", 1);
	cr_assert_str_eq((char *)text.bytes, recipe);
	buffer_free(&bytes);
	buffer_free(&text);
}

Test(recipe_copies, canonical)
{
	for (size_t i = 0; i < sizeof canonical / sizeof canonical[0]; i++)
		check_canonical(canonical[i]);
}
