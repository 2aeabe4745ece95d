/* SPDX-License-Identifier: MIT */
/*
 * 06_maps.c - how full the hash maps of a heap are.
 *
 *   06_maps DUMP
 *
 * Prints for each java.util.HashMap, and each instance of a subclass, its id,
 * how many entries it has, and how many places its table has for them. Maps
 * that are nearly empty waste their tables; one that holds far more entries
 * than places is slow. The cursor follows the reference to the table and
 * comes back, so one cursor is enough.
 *
 *   cc -o 06_maps 06_maps.c $(pkg-config --cflags --libs libhprof)
 */
#include <inttypes.h>
#include <stdio.h>

#include <hprof.h>

static const char map[] = "java.util.HashMap";

/* The length of the table; 0 if there is none, as in a map just made. */
static enum hprof_status read_table(struct hprof_cursor *cursor,
				    uint64_t *ret_length)
{
	struct hprof_object table;
	struct hprof_field field;
	enum hprof_status status;

	*ret_length = 0;
	status = hprof_cursor_field_named(cursor, map, "table", &field);
	if (status == HPROF_OK)
		status = hprof_cursor_follow(cursor, field.value, &table);
	if (status != HPROF_OK)
		return status;
	*ret_length = table.length;
	return hprof_cursor_back(cursor, NULL);
}

/* HPROF_END: the class has other fields than those of OpenJDK. */
static enum hprof_status print_map(struct hprof_cursor *cursor,
				   const struct hprof_object *object)
{
	struct hprof_field field;
	uint64_t length;
	enum hprof_status status;
	int64_t size;

	status = read_table(cursor, &length);
	if (status >= 0)
		status = hprof_cursor_field_named(cursor, map, "size", &field);
	if (status != HPROF_OK)
		return status;
	size = hprof_value_int64(field.type, field.value);
	printf("0x%" PRIx64 "  %" PRId64 " of %" PRIu64 "\n", object->id, size,
	       length);
	return HPROF_OK;
}

static enum hprof_status print_maps(const struct hprof_heap *heap,
				    const struct hprof_class_index *index,
				    struct hprof_cursor *cursor)
{
	size_t row = hprof_heap_class_named(heap, map, 0);
	uint64_t count = hprof_class_index_count(index, row, true);
	enum hprof_status status = HPROF_OK;
	struct hprof_object object;

	for (uint64_t i = 0; i < count && status >= 0; i++) {
		status = hprof_cursor_seek(
			cursor, hprof_class_index_object(index, row, true, i),
			&object);
		if (status == HPROF_OK)
			status = print_map(cursor, &object);
	}
	return status;
}

int main(int argc, char **argv)
{
	struct hprof_input input;
	struct hprof_class_index *index = NULL;
	struct hprof_cursor *cursor = NULL;
	struct hprof_heap *heap = NULL;
	struct hprof_error error;
	const char *why = error.text;

	if (argc != 2) {
		fprintf(stderr, "usage: 06_maps DUMP\n");
		return 2;
	}
	input = hprof_input_path(argv[1]);
	if (hprof_heap_open(&input, NULL, &heap, &error) == HPROF_OK &&
	    hprof_class_index_build(heap, &index, &error) == HPROF_OK &&
	    hprof_cursor_new(heap, &cursor, &error) == HPROF_OK)
		why = print_maps(heap, index, cursor) >= 0
			      ? NULL
			      : hprof_cursor_error(cursor)->text;
	if (why)
		fprintf(stderr, "06_maps: %s: %s\n", argv[1], why);
	hprof_cursor_free(cursor);
	hprof_class_index_free(index);
	hprof_heap_close(heap);
	return why ? 1 : 0;
}
