/* SPDX-License-Identifier: MIT */
/*
 * test_arrow.c - tables as Arrow streams: the same rows as the walk makes,
 * projection, parts, streams that are dropped, memory that runs out.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "heaps.h"

static struct hprof_tables_walk walk_of(const struct opened *o)
{
	return (struct hprof_tables_walk){ .size = sizeof(
						   struct hprof_tables_walk),
					   .path = "a.hprof",
					   .heap = o->heap,
					   .graph = o->graph };
}

static void open_fixture(struct opened *o, const char *name)
{
	struct hprof_graph_options how = { .size = sizeof how,
					   .dominators = true,
					   .strengths = true };

	o->heap = heap_of(name);
	cr_assert_eq(hprof_graph_build(o->heap, &how, &o->graph, NULL),
		     HPROF_OK);
}

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

static void put_batch(struct text *t, const struct ArrowSchema *schema,
		      const struct ArrowArray *array)
{
	cr_assert_eq(array->n_children, schema->n_children);
	for (int64_t row = 0; row < array->length; row++) {
		for (int64_t i = 0; i < array->n_children; i++) {
			if (is_second(schema, i, array, row))
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

static const enum hprof_table tables[] = {
	HPROF_TABLE_DUMP,     HPROF_TABLE_CLASS,     HPROF_TABLE_FIELD,
	HPROF_TABLE_OBJECT,   HPROF_TABLE_REFERENCE, HPROF_TABLE_DANGLING,
	HPROF_TABLE_VALUE,    HPROF_TABLE_STRING,    HPROF_TABLE_ROOT,
	HPROF_TABLE_THREAD,   HPROF_TABLE_FRAME,     HPROF_TABLE_RETAINED,
	HPROF_TABLE_STRENGTH,
};

enum { TABLES = sizeof tables / sizeof *tables };

static struct text wanted, got;

static void compare(const char *fixture, size_t batch_rows)
{
	struct hprof_arrow_options how = { .size = sizeof how,
					   .batch_rows = batch_rows };
	struct opened o;
	unsigned filled = 0;

	open_fixture(&o, fixture);
	for (unsigned i = 0; i < TABLES; i++) {
		struct hprof_tables_walk walk = walk_of(&o);
		struct ArrowArrayStream stream;

		wanted.used = got.used = 0;
		wanted.bytes[0] = got.bytes[0] = 0;
		cr_assert_eq(hprof_arrow_table(&walk, tables[i], &how, &stream,
					       NULL),
			     HPROF_OK);
		walk.row = put_row;
		walk.user = &wanted;
		walk.wanted[tables[i]] = true;
		cr_assert_eq(hprof_tables_walk(&walk, NULL), HPROF_OK);
		read_all(&stream, &got);
		cr_expect_str_eq(got.bytes, wanted.bytes, "%s, %s", fixture,
				 hprof_table_info(tables[i])->name);
		filled += wanted.used > 0;
	}
	cr_expect_geq(filled, 7);
	close_opened(&o);
}

Test(arrow, same_rows)
{
	compare("shop_id8", 0);
}

Test(arrow, same_rows_in_small_batches)
{
	compare("shop_id8", 3);
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
	struct opened o;
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
	close_opened(&o);
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
	struct opened o;
	uint64_t span;

	open_fixture(&o, "shop_id8");
	walk = walk_of(&o);
	span = hprof_arrow_span(&walk, HPROF_TABLE_OBJECT);
	cr_assert_eq(span, hprof_heap_count(o.heap));
	cr_expect_eq(hprof_arrow_span(&walk, HPROF_TABLE_ROOT), UINT64_MAX);
	cr_expect_eq(rows_of(&walk, HPROF_TABLE_OBJECT, 3, 5), 2);
	cr_expect_eq(rows_of(&walk, HPROF_TABLE_OBJECT, span, 0), 0);
	cr_expect_eq(rows_of(&walk, HPROF_TABLE_CLASS, 1, 4), 3);
	for (unsigned i = 0; i < TABLES; i++)
		cr_expect_eq(rows_of(&walk, tables[i], 0, 2) +
				     rows_of(&walk, tables[i], 2, 7) +
				     rows_of(&walk, tables[i], 7, 0),
			     rows_of(&walk, tables[i], 0, 0), "%s",
			     hprof_table_info(tables[i])->name);
	close_opened(&o);
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
	struct opened o;

	open_fixture(&o, "shop_id8");
	for (unsigned i = 0; i < TABLES; i++) {
		struct hprof_tables_walk walk = walk_of(&o);

		cr_assert_eq(hprof_arrow_table(&walk, tables[i], &how, &stream,
					       NULL),
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
	close_opened(&o);
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
	struct opened o;

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
	close_opened(&o);
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
	struct opened o;

	open_fixture(&o, "shop_id8");
	for (unsigned i = 0; i < TABLES; i++) {
		const struct hprof_tables_walk walk = walk_of(&o);
		unsigned failures = 0;
		bool done = false;

		for (int64_t n = 0; !done; n++) {
			hp_mem_fail_after(n);
			done = try_all(&walk, tables[i]);
			hp_mem_fail_after(-1);
			failures += !done;
			cr_assert_lt(n, 10000);
		}
		cr_expect_geq(failures, 3, "%s",
			      hprof_table_info(tables[i])->name);
	}
	close_opened(&o);
}
