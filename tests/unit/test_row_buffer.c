/* SPDX-License-Identifier: MIT */
/*
 * test_row_buffer.c - rows that are kept, and found by a column.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tools/query/row_buffer.h"

enum { ROWS = 200 };

/* Number, text and real; every seventh row has neither of the first two. */
static void fill(struct row_buffer *b)
{
	*b = (struct row_buffer){ .width = 3 };
	for (int i = 0; i < ROWS; i++) {
		char text[16];
		struct hprof_cell cells[3] = {
			i % 7 ? hprof_cell_number(i % 10 - 5)
			      : hprof_cell_null(),
			i % 7 ? hprof_cell_text(text) : hprof_cell_null(),
			{ .kind = HPROF_CELL_REAL, .real = i / 4.0 },
		};

		snprintf(text, sizeof(text), "t%d", i % 13);
		cr_assert(row_buffer_add(b, HPROF_TABLE_OBJECT, cells));
	}
	cr_assert_eq(b->count, ROWS);
}

Test(row_buffer, cells_are_kept)
{
	struct row_buffer b;

	fill(&b);
	for (int i = 0; i < ROWS; i++) {
		struct hprof_cell number = row_buffer_cell(&b, (size_t)i, 0);
		struct hprof_cell text = row_buffer_cell(&b, (size_t)i, 1);
		char expected[16];

		snprintf(expected, sizeof(expected), "t%d", i % 13);
		if (i % 7) {
			cr_expect_eq(number.number, i % 10 - 5);
			cr_expect_str_eq(text.text, expected);
		} else {
			cr_expect_eq(number.kind, HPROF_CELL_NULL);
			cr_expect_eq(text.kind, HPROF_CELL_NULL);
		}
		cr_expect(row_buffer_cell(&b, (size_t)i, 2).real == i / 4.0);
	}
	row_buffer_free(&b);
}

/* Names of classes are long, and neighbours are often of one class. */
Test(row_buffer, the_same_text_is_kept_once)
{
	struct row_buffer b = { .width = 2 };
	char name[2][9] = { "app.Long", "app.Long" };
	struct hprof_cell cells[2] = { hprof_cell_text(name[0]) };

	for (int i = 0; i < ROWS; i++) {
		cells[0].text = name[i % 2];
		cells[1] = i == 7 ? hprof_cell_text("x") : hprof_cell_number(i);
		cr_assert(row_buffer_add(&b, HPROF_TABLE_OBJECT, cells));
	}
	cr_expect_eq(b.text_used, sizeof(name[0]) + sizeof("x"));
	cr_expect_str_eq(row_buffer_cell(&b, 3, 0).text, name[0]);
	cr_expect_str_eq(row_buffer_cell(&b, 7, 1).text, "x");
	cr_expect_eq(row_buffer_cell(&b, 8, 1).number, 8);
	row_buffer_clear(&b);
	cr_assert(row_buffer_add(&b, HPROF_TABLE_OBJECT, cells));
	cr_expect_str_eq(row_buffer_cell(&b, 0, 0).text, name[0]);
	row_buffer_free(&b);
}

static bool is_equal(const struct hprof_cell *a, const struct hprof_cell *b)
{
	if (a->kind != b->kind)
		return false;
	return a->kind == HPROF_CELL_TEXT
		       ? strcmp(a->text, b->text) == 0
		       : a->kind == HPROF_CELL_NULL || a->number == b->number;
}

/* The rows that are found are those that have the value, in their order. */
static void expect_found(struct row_buffer *b, unsigned column,
			 struct hprof_cell value)
{
	size_t first, count, seen = 0;

	cr_assert(row_buffer_find(b, column, &value, &first, &count));
	for (size_t i = 0; i < b->count; i++) {
		struct hprof_cell cell = row_buffer_cell(b, i, column);

		if (!is_equal(&cell, &value))
			continue;
		cr_assert_lt(seen, count);
		cr_expect_eq(row_buffer_at(b, column, first + seen), i);
		seen++;
	}
	cr_expect_eq(seen, count);
}

Test(row_buffer, rows_are_found)
{
	struct row_buffer b;

	fill(&b);
	for (int i = -7; i < 7; i++)
		expect_found(&b, 0, hprof_cell_number(i));
	for (int i = 0; i < 15; i++) {
		char text[16];

		snprintf(text, sizeof(text), "t%d", i);
		expect_found(&b, 1, hprof_cell_text(text));
	}
	expect_found(&b, 0, hprof_cell_null());
	expect_found(&b, 1, hprof_cell_text(""));
	expect_found(&b, 0, hprof_cell_number(INT64_MIN));
	expect_found(&b, 0, hprof_cell_number(INT64_MAX));
	row_buffer_free(&b);
}

Test(row_buffer, cleared_and_used_again)
{
	struct row_buffer b = { .width = 2 };
	struct hprof_cell cells[2] = { hprof_cell_number(1),
				       hprof_cell_text("one") };
	size_t first, count;

	cr_assert(row_buffer_add(&b, HPROF_TABLE_OBJECT, cells));
	cr_assert(row_buffer_find(&b, 0, &cells[0], &first, &count));
	cr_expect_eq(count, 1);
	row_buffer_clear(&b);
	cr_expect_eq(b.count, 0);
	cr_assert(row_buffer_find(&b, 0, &cells[0], &first, &count));
	cr_expect_eq(count, 0, "the order of rows that are gone");
	row_buffer_clear(&b);
	cells[0] = hprof_cell_number(2);
	cr_assert(row_buffer_add(&b, HPROF_TABLE_OBJECT, cells));
	cr_assert(row_buffer_find(&b, 0, &cells[0], &first, &count));
	cr_expect_eq(count, 1);
	cr_expect_str_eq(row_buffer_cell(&b, 0, 1).text, "one");
	row_buffer_free(&b);
	cr_expect_null(b.cells);
}
