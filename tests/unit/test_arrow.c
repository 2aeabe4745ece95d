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
#include "base/mem.h"

/* ---- the rows as text ---------------------------------------------------- */

struct text {
	char bytes[1 << 20];
	size_t used;
};

static void put(struct text *t, const char *text)
{
	size_t size = strlen(text);

	cr_assert_lt(t->used + size, sizeof t->bytes);
	memcpy(t->bytes + t->used, text, size + 1);
	t->used += size;
}

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
		put(t,
		    cells[i].kind == HPROF_CELL_TEXT ? cells[i].text : number);
		put(t, ";");
	}
	put(t, "\n");
	return true;
}

static bool is_null(const struct ArrowArray *array, int64_t row)
{
	const uint8_t *valid = array->buffers[0];

	return valid && !(valid[row / 8] >> row % 8 & 1);
}

static void put_text(struct text *t, const struct ArrowArray *array,
		     int64_t row)
{
	const int32_t *ends = array->buffers[1];
	const char *bytes = array->buffers[2];
	char copy[4096];
	size_t size = (size_t)(ends[row + 1] - ends[row]);

	cr_assert_lt(size, sizeof copy);
	memcpy(copy, bytes + ends[row], size);
	copy[size] = 0;
	put(t, copy);
}

static void put_cell(struct text *t, const struct ArrowSchema *schema,
		     const struct ArrowArray *array, int64_t row)
{
	char number[64] = "-";

	cr_assert(array->offset == 0 && row < array->length);
	if (is_null(array, row)) {
		put(t, "-");
	} else if (schema->dictionary) {
		put_text(t, array->dictionary,
			 ((const int32_t *)array->buffers[1])[row]);
	} else if (strcmp(schema->format, "u") == 0) {
		put_text(t, array, row);
	} else if (strcmp(schema->format, "g") == 0) {
		snprintf(number, sizeof number, "%.17g",
			 ((const double *)array->buffers[1])[row]);
		put(t, number);
	} else {
		snprintf(number, sizeof number, "%lld",
			 (long long)((const int64_t *)array->buffers[1])[row]);
		put(t, number);
	}
}

/* The two columns of any numbers are one of the walk. */
static bool is_second(const struct ArrowSchema *schema, int64_t column,
		      const struct ArrowArray *array, int64_t row)
{
	const char *name = schema->children[column]->name;
	int64_t other = strcmp(name, "real") == 0 ? column - 1 : column + 1;
	bool pair = strcmp(name, "real") == 0 ||
		    (strcmp(name, "value") == 0 && other < schema->n_children);

	return pair && is_null(array->children[column], row) &&
	       (!is_null(array->children[other], row) ||
		strcmp(name, "real") == 0);
}

/* A column that only Arrow has: the name of the class in another column. */
static bool is_class_name(const struct ArrowSchema *schema)
{
	size_t size = strlen(schema->name);

	return schema->dictionary && size > 5 &&
	       strcmp(schema->name + size - 5, "_name") == 0;
}

static void put_batch(struct text *t, const struct ArrowSchema *schema,
		      const struct ArrowArray *array)
{
	cr_assert_eq(array->n_children, schema->n_children);
	for (int64_t row = 0; row < array->length; row++) {
		for (int64_t i = 0; i < array->n_children; i++) {
			if (is_second(schema, i, array, row) ||
			    is_class_name(schema->children[i]))
				continue;
			put_cell(t, schema->children[i], array->children[i],
				 row);
			put(t, ";");
		}
		put(t, "\n");
	}
}

/* All batches; returns their number. Ends the stream. */
static unsigned read_all(struct ArrowArrayStream *stream, struct text *t)
{
	struct ArrowSchema schema;
	struct ArrowArray array;
	unsigned batches = 0;

	cr_assert_eq(stream->get_schema(stream, &schema), 0);
	for (;; batches++) {
		cr_assert_eq(stream->get_next(stream, &array), 0);
		if (!array.release)
			break;
		put_batch(t, &schema, &array);
		array.release(&array);
		cr_expect_null(array.release);
	}
	schema.release(&schema);
	stream->release(stream);
	cr_expect_null(stream->release);
	return batches;
}

/* ---- tests --------------------------------------------------------------- */

enum { TABLES = HPROF_TABLE_COUNT };

static struct text wanted, got;

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
		read_all(&stream, &got);
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
	read_all(&stream, &got);
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

/* ---- classes ------------------------------------------------------------- */

/* All COUNT fields of an object, by the cursor; - for those that are cut off. */
static void put_fields(struct text *t, const struct source *source,
		       struct hprof_cursor *cursor, uint64_t number,
		       int64_t count)
{
	struct hprof_object object;
	char text[64];

	cr_assert_eq(hprof_cursor_seek(cursor, number, &object), HPROF_OK);
	for (int64_t i = 0; i < count; i++) {
		struct hprof_field field = { .type = HPROF_TYPE_OBJECT };
		struct hprof_cell cell = hprof_cell_null();

		hprof_cursor_field(cursor, (size_t)i, &field);
		if (field.type != HPROF_TYPE_OBJECT)
			cell = hprof_cell_value(field.type, field.value);
		else if (field.value)
			cell = hprof_cell_object(
				hprof_heap_find(source->o.heap, field.value));
		if (cell.kind == HPROF_CELL_NULL)
			strcpy(text, "-");
		else if (cell.kind == HPROF_CELL_REAL)
			snprintf(text, sizeof text, "%.17g", cell.real);
		else
			snprintf(text, sizeof text, "%lld",
				 (long long)cell.number);
		put(t, text);
		put(t, ";");
	}
}

static void compare_class(const struct source *source,
			  const struct hprof_class_index *index, size_t row)
{
	const struct hprof_tables_walk walk = walk_of(source);
	struct hprof_cursor *cursor = cursor_of(source->o.heap);
	struct ArrowArrayStream stream;
	struct ArrowSchema schema;
	struct ArrowArray array;

	cr_assert_eq(hprof_arrow_class(&walk, index, row, false, NULL, &stream,
				       NULL),
		     HPROF_OK);
	cr_assert_eq(stream.get_schema(&stream, &schema), 0);
	cr_expect_str_eq(schema.children[2]->name, "class_name");
	cr_expect_str_eq(schema.children[5]->name, "retained");
	cr_assert_eq(stream.get_next(&stream, &array), 0);
	for (int64_t at = 0; array.release && at < array.length; at++) {
		const int64_t *objects = array.children[0]->buffers[1];

		got.used = wanted.used = 0;
		got.bytes[0] = wanted.bytes[0] = 0;
		cr_expect_eq((uint64_t)objects[at],
			     hprof_class_index_object(index, row, false,
						      (uint64_t)at));
		for (int64_t i = 6; i < array.n_children; i++) {
			put_cell(&got, schema.children[i], array.children[i],
				 at);
			put(&got, ";");
		}
		put_fields(&wanted, source, cursor, (uint64_t)objects[at],
			   array.n_children - 6);
		cr_expect_str_eq(got.bytes, wanted.bytes);
	}
	if (array.release)
		array.release(&array);
	schema.release(&schema);
	stream.release(&stream);
	hprof_cursor_free(cursor);
}

Test(arrow, fields_of_classes)
{
	static const char *const fixtures[] = { "shop_id8", "standard_id8",
						"waste", "heap_odd" };

	for (size_t f = 0; f < sizeof fixtures / sizeof *fixtures; f++) {
		struct hprof_class_index *index;
		struct source o;
		size_t count;

		open_fixture(&o, fixtures[f]);
		index = index_of(&o);
		count = hprof_heap_summary(o.o.heap)->class_count;
		for (size_t row = 0; row < count; row++)
			compare_class(&o, index, row);
		hprof_class_index_free(index);
		close_source(&o);
	}
}

static void expect_class(const struct source *source, const char *name,
			 bool subclasses, const char *expected)
{
	const struct hprof_tables_walk walk = walk_of(source);
	struct hprof_class_index *index = index_of(source);
	struct ArrowArrayStream stream;

	got.used = 0;
	got.bytes[0] = 0;
	cr_assert_eq(hprof_arrow_class(
			     &walk, index,
			     hprof_heap_class_named(source->o.heap, name, 0),
			     subclasses, NULL, &stream, NULL),
		     HPROF_OK);
	read_all(&stream, &got);
	cr_expect_str_eq(got.bytes, expected, "%s: %s", name, got.bytes);
	hprof_class_index_free(index);
}

/*
 * A subclass has its own fields before those of its superclass, which have the
 * same names; instances may be shorter than their class.
 */
Test(arrow, subclasses)
{
	struct source o;

	open_fixture(&o, "heap_odd");
	expect_class(&o, "app.Base", true,
		     "11;1;16;-;16;12;1;\n14;1;16;-;16;11;4;\n"
		     "12;2;32;-;32;-;3;\n13;2;32;-;32;-;-;\n");
	expect_class(&o, "app.Derived", false,
		     "12;2;32;-;32;11;1;-2;-;3;\n"
		     "13;2;32;-;32;12;0;5;-;-;\n");
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

/* The same for a class. */
static bool try_class(const struct hprof_tables_walk *walk,
		      const struct hprof_class_index *index, size_t row)
{
	struct ArrowArrayStream stream = { .release = NULL };
	struct ArrowArray array = { .release = NULL };
	struct hprof_error error;
	int code;

	if (hprof_arrow_class(walk, index, row, true, NULL, &stream, &error) !=
	    HPROF_OK) {
		cr_expect_eq(error.status, HPROF_E_NOMEM);
		cr_expect_null(stream.release);
		return false;
	}
	code = stream.get_next(&stream, &array);
	cr_expect(code == 0 || code == ENOMEM, "%d", code);
	stream.release(&stream);
	if (code == 0 && array.release)
		array.release(&array);
	return code == 0;
}

Test(arrow, no_memory_for_classes)
{
	unsigned failures = 0;
	bool done = false;
	struct hprof_class_index *index;
	struct hprof_tables_walk walk;
	struct source o;
	size_t row;

	open_fixture(&o, "heap_odd");
	index = index_of(&o);
	walk = walk_of(&o);
	row = hprof_heap_class_named(o.o.heap, "app.Derived", 0);
	for (int64_t n = 0; !done; n++) {
		hp_mem_fail_after(n);
		done = try_class(&walk, index, row);
		hp_mem_fail_after(-1);
		failures += !done;
		cr_assert_lt(n, 10000);
	}
	cr_expect_geq(failures, 20);
	hprof_class_index_free(index);
	close_source(&o);
}

Test(arrow, wrong_classes)
{
	static const char *const twice[] = { "object", "object", NULL };
	struct hprof_arrow_options how = { .size = sizeof how,
					   .columns = twice };
	struct hprof_class_index *index;
	struct hprof_tables_walk walk;
	struct ArrowArrayStream stream;
	struct hprof_error error;
	struct source o;

	open_fixture(&o, "heap_odd");
	index = index_of(&o);
	walk = walk_of(&o);
	cr_expect_eq(
		hprof_arrow_class(&walk, index, 0, true, &how, &stream, &error),
		HPROF_E_USAGE);
	cr_expect_not_null(strstr(error.text, "columns"));
	cr_expect_eq(hprof_arrow_class(&walk, index, SIZE_MAX, true, NULL,
				       &stream, &error),
		     HPROF_E_USAGE);
	cr_expect_eq(
		hprof_arrow_class(&walk, NULL, 0, true, NULL, &stream, &error),
		HPROF_E_USAGE);
	walk.leaks = NULL;
	cr_expect_eq(hprof_arrow_table(&walk, HPROF_TABLE_SUSPECT, NULL,
				       &stream, &error),
		     HPROF_E_USAGE);
	cr_expect_not_null(strstr(error.text, "leaks"));
	hprof_class_index_free(index);
	close_source(&o);
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
