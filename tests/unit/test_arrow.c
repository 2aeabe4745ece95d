/* SPDX-License-Identifier: MIT */
/*
 * test_arrow.c - tables as Arrow streams: the same rows as the walk makes,
 * projection, parts, streams that are dropped, memory that runs out.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "arrow_source.h"
#include "arrow_text.h"
#include "base/mem.h"

enum { TABLES = HPROF_TABLE_COUNT };

static struct text wanted, got;

static bool put_row(void *user, enum hprof_table table,
		    const struct hprof_cell *cells)
{
	struct text *t = user;
	char number[64];

	for (unsigned i = 0; i < hprof_table_width(table); i++) {
		if (cells[i].kind == HPROF_CELL_NULL)
			snprintf(number, sizeof number, "-");
		else if (cells[i].kind == HPROF_CELL_REAL)
			snprintf(number, sizeof number, "%.17g", cells[i].real);
		else
			snprintf(number, sizeof number, "%lld",
				 (long long)cells[i].number);
		put_string(t, cells[i].kind == HPROF_CELL_TEXT ? cells[i].text
							       : number);
		put_string(t, ";");
	}
	put_string(t, "\n");
	return true;
}

/* Returns a bit for each table that has rows. */
static uint64_t compare(const char *fixture, size_t batch_rows)
{
	struct hprof_arrow_options how = { .size = sizeof how,
					   .batch_rows = batch_rows };
	struct source o;
	uint64_t filled = 0;

	open_fixture(&o, fixture);
	for (unsigned i = 0; i < TABLES; i++) {
		struct hprof_tables_walk walk = walk_of(&o);
		struct ArrowArrayStream stream;

		wanted.used = got.used = 0;
		wanted.bytes[0] = got.bytes[0] = 0;
		cr_assert_eq(hprof_arrow_table(&walk, (enum hprof_table)i, &how,
					       &stream, NULL),
			     HPROF_OK);
		walk.row = put_row;
		walk.user = &wanted;
		walk.wanted[(enum hprof_table)i] = true;
		cr_assert_eq(hprof_tables_walk(&walk, NULL), HPROF_OK);
		read_batches(&stream, &got);
		cr_expect_str_eq(got.bytes, wanted.bytes, "%s, %s", fixture,
				 hprof_table_info((enum hprof_table)i)->name);
		filled |= (uint64_t)(wanted.used > 0) << i;
	}
	close_source(&o);
	return filled;
}

static void compare_all(size_t batch_rows)
{
	static const char *const fixtures[] = { "shop_id8", "standard_id8",
						"agent", "waste", "dangling" };
	uint64_t filled = 0;

	for (size_t i = 0; i < sizeof fixtures / sizeof *fixtures; i++)
		filled |= compare(fixtures[i], batch_rows);
	for (unsigned i = 0; i < TABLES; i++)
		cr_expect(filled >> i & 1, "%s is empty",
			  hprof_table_info((enum hprof_table)i)->name);
}

Test(arrow, same_rows)
{
	compare_all(0);
}

Test(arrow, same_rows_in_small_batches)
{
	compare_all(3);
}

/* The name of a class is a column behind its row; names are told once. */
Test(arrow, class_names)
{
	static const char *const names[] = { "class", "class_name", NULL };
	struct hprof_arrow_options how = { .size = sizeof how,
					   .columns = names };
	struct ArrowArrayStream stream;
	struct ArrowArray array;
	struct source o;
	struct hprof_tables_walk walk;
	const struct hprof_summary *summary;

	open_fixture(&o, "shop_id8");
	summary = hprof_heap_summary(o.o.heap);
	walk = walk_of(&o);
	cr_assert_eq(hprof_arrow_table(&walk, HPROF_TABLE_OBJECT, &how, &stream,
				       NULL),
		     HPROF_OK);
	cr_assert_eq(stream.get_next(&stream, &array), 0);
	cr_assert_eq(array.length, (int64_t)hprof_heap_count(o.o.heap));
	for (int64_t row = 0; row < array.length; row++) {
		const int64_t *classes = array.children[0]->buffers[1];

		got.used = 0;
		put_text(&got, array.children[1]->dictionary,
			 ((const int32_t *)array.children[1]->buffers[1])[row]);
		cr_expect(is_null(array.children[0], row) ==
			  is_null(array.children[1], row));
		if (!is_null(array.children[0], row))
			cr_expect_str_eq(
				got.bytes,
				summary->class_rows[classes[row]].name);
	}
	cr_expect_lt(array.children[1]->dictionary->length, array.length);
	array.release(&array);
	stream.release(&stream);
	close_source(&o);
}

Test(arrow, projection)
{
	static const char *const names[] = { "shallow", "id", NULL };
	static const char *const wrong[] = { "id", "nothing", NULL };
	struct hprof_arrow_options how = { .size = sizeof how,
					   .columns = names };
	struct hprof_arrow_options bad = { .size = sizeof bad,
					   .columns = wrong };
	struct ArrowArrayStream stream;
	struct ArrowSchema schema;
	struct hprof_error error;
	struct source o;
	struct hprof_tables_walk walk;

	open_fixture(&o, "shop_id8");
	walk = walk_of(&o);
	cr_assert_eq(hprof_arrow_table(&walk, HPROF_TABLE_OBJECT, &how, &stream,
				       NULL),
		     HPROF_OK);
	cr_assert_eq(stream.get_schema(&stream, &schema), 0);
	stream.release(&stream);
	/* The schema needs no stream. */
	cr_expect_str_eq(schema.format, "+s");
	cr_assert_eq(schema.n_children, 2);
	cr_expect_str_eq(schema.children[0]->name, "shallow");
	cr_expect_str_eq(schema.children[1]->name, "id");
	cr_expect_str_eq(schema.children[1]->format, "l");
	schema.release(&schema);
	cr_expect_eq(hprof_arrow_table(&walk, HPROF_TABLE_OBJECT, &bad, &stream,
				       &error),
		     HPROF_E_USAGE);
	cr_expect_not_null(strstr(error.text, "columns"));
	close_source(&o);
}

static uint64_t rows_of(const struct hprof_tables_walk *walk,
			enum hprof_table table, uint64_t first, uint64_t end)
{
	struct hprof_arrow_options how = { .size = sizeof how,
					   .first = first,
					   .end = end };
	struct ArrowArrayStream stream;
	uint64_t rows = 0;

	cr_assert_eq(hprof_arrow_table(walk, table, &how, &stream, NULL),
		     HPROF_OK);
	got.used = 0;
	got.bytes[0] = 0;
	read_batches(&stream, &got);
	for (size_t i = 0; i < got.used; i++)
		rows += got.bytes[i] == '\n';
	return rows;
}

/* Parts have all rows between them, and none twice. */
Test(arrow, parts)
{
	struct hprof_tables_walk walk;
	struct source o;
	uint64_t span;

	open_fixture(&o, "shop_id8");
	walk = walk_of(&o);
	span = hprof_arrow_span(&walk, HPROF_TABLE_OBJECT);
	cr_assert_eq(span, hprof_heap_count(o.o.heap));
	cr_expect_eq(hprof_arrow_span(&walk, HPROF_TABLE_ROOT), UINT64_MAX);
	cr_expect_eq(rows_of(&walk, HPROF_TABLE_OBJECT, 3, 5), 2);
	cr_expect_eq(rows_of(&walk, HPROF_TABLE_OBJECT, span, 0), 0);
	cr_expect_eq(rows_of(&walk, HPROF_TABLE_CLASS, 1, 4), 3);
	for (unsigned i = 0; i < TABLES; i++)
		cr_expect_eq(rows_of(&walk, (enum hprof_table)i, 0, 2) +
				     rows_of(&walk, (enum hprof_table)i, 2, 7) +
				     rows_of(&walk, (enum hprof_table)i, 7, 0),
			     rows_of(&walk, (enum hprof_table)i, 0, 0), "%s",
			     hprof_table_info((enum hprof_table)i)->name);
	close_source(&o);
}

static void note_release(void *user)
{
	++*(unsigned *)user;
}

/* A column that was moved out of its batch lives on alone. */
Test(arrow, dropped_half_way)
{
	unsigned releases = 0;
	struct hprof_arrow_options how = { .size = sizeof how,
					   .batch_rows = 4,
					   .released = note_release,
					   .released_user = &releases };
	struct ArrowArrayStream stream;
	struct ArrowArray array, column;
	struct source o;

	open_fixture(&o, "shop_id8");
	for (unsigned i = 0; i < TABLES; i++) {
		struct hprof_tables_walk walk = walk_of(&o);

		cr_assert_eq(hprof_arrow_table(&walk, (enum hprof_table)i, &how,
					       &stream, NULL),
			     HPROF_OK);
		cr_assert_eq(stream.get_next(&stream, &array), 0);
		cr_expect_eq(releases, i);
		stream.release(&stream);
		cr_expect_eq(releases, i + 1);
		if (!array.release)
			continue;
		column = *array.children[0];
		array.children[0]->release = NULL;
		array.release(&array);
		cr_expect_geq(column.length, 1);
		cr_expect(!column.buffers[0] || column.null_count > 0);
		column.release(&column);
	}
	close_source(&o);
}

static bool cancel(void *user, const char *phase, uint64_t done, uint64_t total)
{
	(void)user;
	(void)phase;
	(void)done;
	(void)total;
	return false;
}

Test(arrow, cancelled)
{
	struct ArrowArrayStream stream;
	struct ArrowArray array;
	struct hprof_tables_walk walk;
	struct source o;

	open_fixture(&o, "shop_id8");
	walk = walk_of(&o);
	walk.progress = cancel;
	cr_assert_eq(hprof_arrow_table(&walk, HPROF_TABLE_OBJECT, NULL, &stream,
				       NULL),
		     HPROF_OK);
	cr_expect_eq(stream.get_next(&stream, &array), ECANCELED);
	cr_expect_eq(stream.get_next(&stream, &array), ECANCELED);
	cr_expect_not_null(stream.get_last_error(&stream));
	stream.release(&stream);
	close_source(&o);
}

/* One try: true if nothing failed. */
static bool try_all(const struct hprof_tables_walk *walk,
		    enum hprof_table table)
{
	struct ArrowArrayStream stream = { .release = NULL };
	struct ArrowSchema schema = { .release = NULL };
	struct ArrowArray array;
	struct hprof_error error;
	int code;

	if (hprof_arrow_table(walk, table, NULL, &stream, &error) != HPROF_OK) {
		cr_expect_eq(error.status, HPROF_E_NOMEM);
		cr_expect_null(stream.release);
		return false;
	}
	code = stream.get_schema(&stream, &schema);
	while (code == 0) {
		code = stream.get_next(&stream, &array);
		if (code || !array.release)
			break;
		array.release(&array);
	}
	cr_expect(code == 0 || code == ENOMEM, "%d", code);
	cr_expect(code == 0 || stream.get_last_error(&stream));
	if (schema.release)
		schema.release(&schema);
	stream.release(&stream);
	return code == 0;
}

Test(arrow, no_memory)
{
	struct source o;

	open_fixture(&o, "shop_id8");
	for (unsigned i = 0; i < TABLES; i++) {
		const struct hprof_tables_walk walk = walk_of(&o);
		unsigned failures = 0;
		bool done = false;

		for (int64_t n = 0; !done; n++) {
			hp_mem_fail_after(n);
			done = try_all(&walk, (enum hprof_table)i);
			hp_mem_fail_after(-1);
			failures += !done;
			cr_assert_lt(n, 10000);
		}
		cr_expect_geq(failures, 3, "%s",
			      hprof_table_info((enum hprof_table)i)->name);
	}
	close_source(&o);
}
