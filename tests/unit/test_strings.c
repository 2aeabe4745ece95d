/* SPDX-License-Identifier: MIT */
/*
 * test_strings.c - the texts of strings, in all the layouts that they have had.
 */
#include <criterion/criterion.h>
#include <hprof.h>
#include <inttypes.h>
#include <string.h>

#include "fixture.h"
#include "heaps.h"
#include "java/object_inspect.h"
#include "base/mem.h"

struct string_case {
	uint64_t id;
	const char *text;
};

static const struct string_case string_cases[] = {
	{ 0x2010, "long text" }, /* a part of a shared array */
	{ 0x2020, "shared" },	 /* count beyond the array */
	{ 0x2110, "na\xc3\xafve \xe4\xb8\xad \xf0\x9f\x98\x80" },
	{ 0x2210, "na\xc3\xafve" },		  /* Latin-1 */
	{ 0x2230, "hi\xe4\xb8\xad" },		  /* UTF-16, little-endian */
	{ 0x2260, NULL },			  /* value null */
	{ 0x2270, NULL },			  /* value missing */
	{ 0x2280, "na\xc3\xafve" },		  /* no such coder */
	{ 0x2290, NULL },			  /* value is no array */
	{ 0x2000, "a long text that is shared" }, /* a char[] */
	{ 0x2200, NULL },			  /* a byte[] */
	{ 0x9999, NULL },
	{ 0, NULL },
};

enum { STRING_CASES = sizeof string_cases / sizeof string_cases[0] };

Test(strings, layouts)
{
	struct hprof_summary *summary = summary_of("strings");
	struct hp_arena arena = { 0 };
	struct hp_object_inspect in;
	struct hprof_error error;

	/* The file is unlinked; its descriptor is read. */
	cr_assert(hp_object_inspect_open(&in, summary, &arena, &error) ==
		  HPROF_OK);
	for (size_t i = 0; i < STRING_CASES; i++)
		hp_object_fetch_want(&in.objects, string_cases[i].id);
	cr_assert(hp_object_fetch_fetch(&in.objects, &error) == HPROF_OK);
	for (size_t i = 0; i < STRING_CASES; i++)
		hp_strings_want(&in.strings, string_cases[i].id);
	cr_assert(hp_object_fetch_fetch(&in.objects, &error) == HPROF_OK);
	for (size_t i = 0; i < STRING_CASES; i++) {
		const struct string_case *c = &string_cases[i];
		const char *text = hp_strings_text(&in.strings, c->id);
		cr_expect((text == NULL) == (c->text == NULL), "0x%" PRIx64,
			  c->id);
		if (text && c->text)
			cr_expect_str_eq(text, c->text);
		/* The same text again, not another copy. */
		cr_expect(hp_strings_text(&in.strings, c->id) == text);
	}
	cr_expect(hp_object_inspect_status(&in, &error) == HPROF_OK);
	hp_object_inspect_done(&in);
	hp_arena_done(&arena);
	hprof_summary_free(summary);
}

/* The start of a very long text; a text that is read in pieces. */
Test(strings, long_ones)
{
	static const char recipe[] =
		"header \"JAVA PROFILE 1.0.2\" id_size=8\n"
		"HEAP_DUMP_SEGMENT {\n"
		"PRIM_ARRAY_DUMP object_id=1 type=char "
		"elements=[0x78*1000000]\n"
		"PRIM_ARRAY_DUMP object_id=2 type=char elements=[0x78*100000]\n"
		"PRIM_ARRAY_DUMP object_id=3 type=int elements=[7*1000000]\n"
		"PRIM_ARRAY_DUMP object_id=4 type=char elements=[0x78*4]\n"
		"}\n";
	static const size_t sizes[] = { 1 << 19, 100000, 0, 4 };
	struct buffer bytes = { 0 };
	struct hprof_summary *summary;
	struct hp_arena arena = { 0 };
	struct hp_object_inspect in;
	struct hprof_error error;

	cr_assert(hprof_recipe_assemble(recipe, sizeof recipe - 1, buffer_add,
					&bytes, NULL) == HPROF_OK);
	summary = summary_of_bytes(bytes.bytes, bytes.size, 0);
	cr_assert(summary != NULL);
	cr_assert(hp_object_inspect_open(&in, summary, &arena, &error) ==
		  HPROF_OK);
	for (uint64_t id = 1; id <= 4; id++)
		hp_object_fetch_want(&in.objects, id);
	cr_assert(hp_object_fetch_fetch(&in.objects, &error) == HPROF_OK);
	cr_expect(hp_object_fetch_get(&in.objects, 1)->size == 2000000);
	for (uint64_t id = 1; id <= 4; id++) {
		const char *text = hp_strings_text(&in.strings, id);
		cr_expect((text ? strlen(text) : 0) == sizes[id - 1]);
	}
	hp_object_inspect_done(&in);
	hp_arena_done(&arena);
	hprof_summary_free(summary);
	buffer_free(&bytes);
}
