/* SPDX-License-Identifier: MIT */
/*
 * wrong_dump_calls.c - wrong arguments of what reads and writes dumps: heaps and
 * cursors, summaries, conversions, streams, recipes.
 */
#include "wrong_calls.h"

#include "../inputs.h"

static int write_nothing(void *user, const void *bytes, size_t size)
{
	(void)user;
	(void)bytes;
	(void)size;
	return 0;
}

/* The error of a cursor is its own. */
static enum hprof_status of_cursor(const struct good *g,
				   enum hprof_status status)
{
	if (g->error)
		*g->error = *hprof_cursor_error(g->cursor);
	return status;
}

static const struct hprof_heap_options no_heap_size = { .size = 1 };
static const struct hprof_summary_options no_summary_size = { .size = 1 };
static const struct hprof_size_convention no_convention;
static struct hprof_convert_result no_result_size;

CALL(open_input, hprof_heap_open(NULL, NULL, ret, g->error))
CALL(open_ret, hprof_heap_open(INPUT_PATH("x"), NULL, NULL, g->error))
CALL(open_size, hprof_heap_open(INPUT_PATH("x"), &no_heap_size, ret, g->error))
CALL(open_reserved,
     hprof_heap_open(INPUT_PATH("x"), RESERVED(hprof_heap_options), ret,
		     g->error))
CALL(resize, hprof_heap_resize(NULL, &no_convention, g->error))
CALL(resize_like, hprof_heap_resize(g->heap, NULL, g->error))
CALL(index_heap, hprof_class_index_build(NULL, ret, g->error))
CALL(index_ret, hprof_class_index_build(g->heap, NULL, g->error))
CALL(cursor, hprof_cursor_new(NULL, ret, g->error))
CALL(cursor_ret, hprof_cursor_new(g->heap, NULL, g->error))
CALL(seek, of_cursor(g, hprof_cursor_seek(g->cursor, 0, NULL)))
CALL(follow, of_cursor(g, hprof_cursor_follow(g->cursor, 1, NULL)))
CALL(field, of_cursor(g, hprof_cursor_field(g->cursor, 0, NULL)))
CALL(named, of_cursor(g, hprof_cursor_field_named(g->cursor, NULL, NULL, ret)))
CALL(named_ret,
     of_cursor(g, hprof_cursor_field_named(g->cursor, NULL, "a", NULL)))
CALL(elements, of_cursor(g, hprof_cursor_elements(g->cursor, 0, 1, NULL, ret)))
CALL(elements_count,
     of_cursor(g, hprof_cursor_elements(g->cursor, 0, 1, ret, NULL)))
CALL(text, of_cursor(g, hprof_cursor_text(g->cursor, 0, NULL, NULL)))
CALL(value,
     of_cursor(g, hprof_cursor_value(g->cursor, HPROF_TYPE_INT, 0, 0, NULL)))
CALL(value_type, of_cursor(g, hprof_cursor_value(g->cursor, 1, 0, 0, ret)))
CALL(collection, of_cursor(g, hprof_collection_open(g->cursor, 0, NULL)))
CALL(entries,
     of_cursor(g, hprof_collection_each(g->cursor, 0, 0, NULL, NULL, ret)))
CALL(edge, of_cursor(g, hprof_cursor_edge(g->cursor, 0, NULL)))

CALL(summary, hprof_summary_read(NULL, NULL, ret, g->error))
CALL(summary_ret, hprof_summary_read(INPUT_PATH("x"), NULL, NULL, g->error))
CALL(summary_size,
     hprof_summary_read(INPUT_PATH("x"), &no_summary_size, ret, g->error))
CALL(summary_reserved,
     hprof_summary_read(INPUT_PATH("x"), RESERVED(hprof_summary_options), ret,
			g->error))
CALL(summary_resize, hprof_summary_resize(NULL, &no_convention, g->error))
CALL(threads, hprof_summary_threads(NULL, ret, g->error))
CALL(threads_ret, hprof_summary_threads(g->summary, NULL, g->error))
CALL(properties, hprof_summary_properties(NULL, ret, g->error))
CALL(properties_ret, hprof_summary_properties(g->summary, NULL, g->error))
CALL(profile, hprof_summary_profile(NULL, ret, g->error))
CALL(profile_ret, hprof_summary_profile(g->summary, NULL, g->error))
CALL(loaders, hprof_summary_loaders(NULL, ret, g->error))
CALL(loaders_ret, hprof_summary_loaders(g->summary, NULL, g->error))
CALL(counted, hprof_summary_resources(NULL, ret, g->error))
CALL(counted_ret, hprof_summary_resources(g->summary, NULL, g->error))
CALL(outside, hprof_summary_outside(NULL, ret, g->error))
CALL(outside_ret, hprof_summary_outside(g->summary, NULL, g->error))

CALL(convert, hprof_convert(NULL, "out", -1, NULL, NULL, NULL, g->error))
CALL(convert_fd,
     hprof_convert(INPUT_PATH("x"), NULL, -1, NULL, NULL, NULL, g->error))
CALL(convert_output,
     hprof_convert(INPUT_PATH("x"), "out", -1, RESERVED(hprof_writer_options),
		   NULL, NULL, g->error))
CALL(convert_reserved,
     hprof_convert(INPUT_PATH("x"), "out", -1, NULL,
		   RESERVED(hprof_convert_options), NULL, g->error))
CALL(convert_result, hprof_convert(INPUT_PATH("x"), "out", -1, NULL, NULL,
				   &no_result_size, g->error))
CALL(convert_into,
     hprof_convert_into(INPUT_PATH("x"), NULL, NULL, NULL, g->error))
CALL(reader, hprof_reader_open(NULL, NULL, ret, g->error))
CALL(reader_reserved,
     hprof_reader_open(INPUT_PATH("x"), RESERVED(hprof_reader_options), ret,
		       g->error))
CALL(writer, hprof_writer_create(NULL, NULL, ret, g->error))
CALL(writer_reserved,
     hprof_writer_create("out", RESERVED(hprof_writer_options), ret, g->error))

CALL(recipe_input,
     hprof_recipe_write_input(NULL, write_nothing, NULL, g->error))
CALL(recipe_write,
     hprof_recipe_write_input(INPUT_PATH("x"), NULL, NULL, g->error))
CALL(assemble_input,
     hprof_recipe_assemble_input(NULL, write_nothing, NULL, g->error))
CALL(assemble_write,
     hprof_recipe_assemble_input(INPUT_PATH("x"), NULL, NULL, g->error))

static const struct wrong_call calls[] = {
	ROW(open_input, "input"),
	ROW(open_ret, "ret_heap"),
	ROW(open_size, "options"),
	ROW(open_reserved, "options"),
	ROW(resize, "heap"),
	ROW(resize_like, "like"),
	ROW(index_heap, "heap"),
	ROW(index_ret, "ret_index"),
	ROW(cursor, "heap"),
	ROW(cursor_ret, "ret_cursor"),
	ROW(seek, "ret_object"),
	ROW(follow, "ret_object"),
	ROW(field, "ret_field"),
	ROW(named, "name"),
	ROW(named_ret, "ret_field"),
	ROW(elements, "ret_values"),
	ROW(elements_count, "ret_count"),
	ROW(text, "ret_text"),
	ROW(value, "ret_value"),
	ROW(value_type, "type"),
	ROW(collection, "ret_collection"),
	ROW(entries, "fn"),
	ROW(edge, "ret_edge"),
	ROW(summary, "input"),
	ROW(summary_ret, "ret_summary"),
	ROW(summary_size, "options"),
	ROW(summary_reserved, "options"),
	ROW(summary_resize, "summary"),
	ROW(threads, "summary"),
	ROW(threads_ret, "ret_table"),
	ROW(properties, "summary"),
	ROW(properties_ret, "ret_table"),
	ROW(profile, "summary"),
	ROW(profile_ret, "ret_table"),
	ROW(loaders, "summary"),
	ROW(loaders_ret, "ret_table"),
	ROW(counted, "summary"),
	ROW(counted_ret, "ret_table"),
	ROW(outside, "summary"),
	ROW(outside_ret, "ret_table"),
	ROW(convert, "input"),
	ROW(convert_fd, "fd"),
	ROW(convert_output, "output"),
	ROW(convert_reserved, "options"),
	ROW(convert_result, "ret_result"),
	ROW(convert_into, "writer"),
	ROW(reader, "input"),
	ROW(reader_reserved, "options"),
	ROW(writer, "path"),
	ROW(writer_reserved, "options"),
	ROW(recipe_input, "input"),
	ROW(recipe_write, "write"),
	ROW(assemble_input, "input"),
	ROW(assemble_write, "write"),
};

const struct wrong_calls wrong_dump_calls = { calls,
					      sizeof calls / sizeof *calls };
