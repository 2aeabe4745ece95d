/* SPDX-License-Identifier: MIT */
/*
 * test_arrow_classes.c - the instances of one class as an Arrow stream: the fields that
 * a cursor finds, those of subclasses, memory that runs out, wrong arguments.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow_source.h"
#include "arrow_text.h"
#include "base/mem.h"
#include "maker.h"

static struct text wanted, got;

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
		put_string(t, text);
		put_string(t, ";");
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
			put_string(&got, ";");
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

Test(arrow_classes, fields_of_classes)
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
	read_batches(&stream, &got);
	cr_expect_str_eq(got.bytes, expected, "%s: %s", name, got.bytes);
	hprof_class_index_free(index);
}

/*
 * A subclass has its own fields before those of its superclass, which have the
 * same names; instances may be shorter than their class.
 */
Test(arrow_classes, subclasses)
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

Test(arrow_classes, no_memory_for_classes)
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

/* ---- very many classes above each other ---------------------------------- */

/*
 * A walk over the classes 1, 2 ... COUNT times 16, each below the one before, with a
 * field NAME and, with OBJECTS, an instance of each that has only its own.
 */
static struct hprof_tables_walk walk_of_chain(uint32_t count, const char *name,
					      bool objects,
					      struct hprof_heap **ret_heap)
{
	struct maker m = maker_begin(8);
	const uint64_t name_id = maker_string(&m, name);

	maker_heap(&m, HPROF_HEAP_DUMP);
	for (uint32_t i = 1; i <= count; i++) {
		const struct maker_class c = { i * 16, (i - 1) * 16, 4,
					       "I",    "",	     name_id };

		maker_class(&m, &c);
		if (objects)
			maker_instance(&m, i * 16 + 8, i * 16, 4);
	}
	maker_heap_end(&m);
	cr_assert_eq(heap_of_bytes(m.out.bytes, m.out.size, 1, ret_heap),
		     HPROF_OK);
	buffer_free(&m.out);
	return (struct hprof_tables_walk){
		.size = sizeof(struct hprof_tables_walk), .heap = *ret_heap
	};
}

/* Each object is of another class: to walk up each chain would take minutes. */
Test(arrow_classes, objects_of_a_long_chain)
{
	enum { COUNT = 300000 };
	struct hprof_heap *heap;
	const struct hprof_tables_walk walk =
		walk_of_chain(COUNT, "f", true, &heap);
	struct hprof_class_index *index;
	struct ArrowArrayStream stream;
	struct ArrowArray array = { .length = 0 };
	int64_t rows = 0;

	cr_assert_eq(hprof_class_index_build(heap, &index, NULL), HPROF_OK);
	cr_assert_eq(hprof_arrow_class(&walk, index, hprof_heap_class(heap, 16),
				       true, NULL, &stream, NULL),
		     HPROF_OK);
	while (stream.get_next(&stream, &array) == 0 && array.release) {
		rows += array.length;
		array.release(&array);
	}
	cr_expect_eq(rows, COUNT);
	stream.release(&stream);
	hprof_class_index_free(index);
	hprof_heap_close(heap);
}

/* To try all names with fewer _ for each field would be to read 100 GB. */
Test(arrow_classes, fields_of_one_long_name)
{
	enum { COUNT = 1900, SIZE = 100000, MOST = 65535 };
	char *name = malloc(SIZE + 1);
	struct hprof_heap *heap;
	struct hprof_tables_walk walk;
	struct hprof_class_index *index;
	struct ArrowArrayStream stream;
	struct ArrowSchema schema;

	memset(name, 'N', SIZE);
	name[SIZE] = '\0';
	walk = walk_of_chain(COUNT, name, false, &heap);
	cr_assert_eq(hprof_class_index_build(heap, &index, NULL), HPROF_OK);
	cr_assert_eq(hprof_arrow_class(&walk, index,
				       hprof_heap_class(heap, COUNT * 16), true,
				       NULL, &stream, NULL),
		     HPROF_OK);
	cr_assert_eq(stream.get_schema(&stream, &schema), 0);
	cr_assert_eq(schema.n_children, COUNT + 5);
	for (int64_t i = 0; i < COUNT; i++) {
		const char *got_name = schema.children[i + 5]->name;

		cr_assert_eq(strlen(got_name), MOST + (size_t)i);
		cr_assert_eq(strspn(got_name, "N"), MOST);
		cr_assert_eq(strspn(got_name + MOST, "_"), (size_t)i);
	}
	schema.release(&schema);
	stream.release(&stream);
	hprof_class_index_free(index);
	hprof_heap_close(heap);
	free(name);
}

Test(arrow_classes, wrong_classes)
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
