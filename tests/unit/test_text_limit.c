/* SPDX-License-Identifier: MIT */
/*
 * test_text_limit.c - the texts of a table are not as long as the dump times the
 * number of strings where all strings share their characters.
 */
#include <criterion/criterion.h>
#include <hprof.h>
#include <string.h>

#include "heaps.h"
#include "maker.h"

enum {
	OBJECT = 0x10,
	STRING = 0x18,
	CHARACTERS = 0x20,
	FIRST = 0x100,
	LENGTH = 1 << 21,
	STRINGS = 40
};

/* STRINGS strings that all have the same characters. */
static struct maker make_dump(void)
{
	struct maker m = maker_begin(8);
	const uint64_t names = maker_string(&m, "value");
	const struct maker_class object = { .class_id = OBJECT };
	const struct maker_class string = {
		STRING, OBJECT, 8, "L", NULL, names
	};
	uint8_t fields[8];

	maker_load(&m, OBJECT, "java/lang/Object");
	maker_load(&m, STRING, "java/lang/String");
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_class(&m, &object);
	maker_class(&m, &string);
	maker_prims(&m, CHARACTERS, HPROF_TYPE_BYTE, LENGTH);
	maker_id(fields, CHARACTERS);
	for (uint64_t i = 0; i < STRINGS; i++)
		maker_fields(&m, FIRST + 8 * i, STRING, fields, sizeof fields);
	maker_heap_end(&m);
	return m;
}

struct seen {
	unsigned rows, whole, cut;
};

static size_t characters(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += ((unsigned char)*text & 0xc0) != 0x80;
	return count;
}

static bool see(void *user, enum hprof_table table,
		const struct hprof_cell *cells)
{
	struct seen *seen = user;
	size_t count = characters(cells[2].text);

	cr_expect_eq(table, HPROF_TABLE_STRING);
	cr_expect_eq(cells[1].number, LENGTH);
	seen->rows++;
	seen->whole += count == LENGTH && !seen->cut;
	seen->cut += count == HPROF_TEXT_CUT;
	return true;
}

Test(text_limit, strings_share_their_characters)
{
	struct maker m = make_dump();
	struct hprof_text_limit limit;
	struct seen seen = { 0 };
	struct hprof_tables_walk walk = {
		.size = sizeof walk,
		.row = see,
		.user = &seen,
		.wanted = { [HPROF_TABLE_STRING] = true },
	};
	struct hprof_heap *heap;

	cr_assert_eq(heap_of_bytes(m.out.bytes, m.out.size, 1, &heap),
		     HPROF_OK);
	walk.heap = heap;
	cr_assert_eq(hprof_tables_walk(&walk, NULL), HPROF_OK);
	limit = hprof_text_limit_of(heap);
	cr_expect_eq(seen.rows, STRINGS);
	cr_expect_eq(seen.whole, limit.left / LENGTH + 1);
	cr_expect_eq(seen.cut, STRINGS - seen.whole);
	hprof_heap_close(heap);
	buffer_free(&m.out);
}

Test(text_limit, counts_and_stays_at_its_end)
{
	struct hprof_text_limit limit = hprof_text_limit_of(NULL);

	cr_expect_eq(limit.left, 1 << 24);
	cr_expect_eq(hprof_text_limit_next(&limit), HPROF_TEXT_MOST);
	hprof_text_limit_take(&limit, (1 << 24) - 1);
	cr_expect_eq(hprof_text_limit_next(&limit), HPROF_TEXT_MOST);
	hprof_text_limit_take(&limit, UINT64_MAX);
	cr_expect_eq(limit.left, 0);
	cr_expect_eq(hprof_text_limit_next(&limit), HPROF_TEXT_CUT);
	hprof_text_limit_take(&limit, 1);
	cr_expect_eq(limit.left, 0);
}
