/* SPDX-License-Identifier: MIT */
/*
 * 04_look.c - shows the instances of a class with their fields.
 *
 *   04_look DUMP CLASS
 *
 * A heap knows where each object is, an index of classes which objects a class
 * has; a cursor goes to one and reads it from the file. Names and texts are somebody else's bytes: a program that prints them
 * for people should escape what is no text, as hprof-show does.
 *
 *   cc -o 04_look 04_look.c $(pkg-config --cflags --libs libhprof)
 */
#include <inttypes.h>
#include <stdio.h>

#include <hprof.h>

static void print_value(const struct hprof_heap *heap,
			struct hprof_cursor *cursor,
			const struct hprof_value *value)
{
	const struct hprof_summary *summary = hprof_heap_summary(heap);
	struct hprof_object object;

	switch (value->kind) {
	case HPROF_VALUE_NULL:
		printf("null\n");
		break;
	case HPROF_VALUE_STRING:
		printf("\"%s\"\n", value->text);
		break;
	case HPROF_VALUE_REAL:
		printf("%g\n", value->real);
		break;
	case HPROF_VALUE_OBJECT:
		if (hprof_cursor_follow(cursor, value->object_id, &object) !=
		    HPROF_OK) {
			printf("0x%" PRIx64 ", not in the dump\n",
			       value->object_id);
			break;
		}
		printf("%s 0x%" PRIx64 "\n",
		       object.class_row == SIZE_MAX
			       ? "object"
			       : summary->class_rows[object.class_row].name,
		       object.id);
		hprof_cursor_back(cursor, NULL);
		break;
	default:
		printf("%" PRId64 "\n", value->integer);
	}
}

static void print_object(const struct hprof_heap *heap,
			 struct hprof_cursor *cursor,
			 const struct hprof_object *object)
{
	struct hprof_field field;
	struct hprof_value value;

	printf("0x%" PRIx64 ", %" PRIu64 " bytes\n", object->id,
	       object->shallow);
	for (size_t i = 0; hprof_cursor_field(cursor, i, &field) == HPROF_OK;
	     i++) {
		printf("  %s %s = ", hprof_type_name(field.type), field.name);
		if (hprof_cursor_value(cursor, field.type, field.value, 60,
				       &value) == HPROF_OK)
			print_value(heap, cursor, &value);
		else
			printf("?\n");
	}
}

/* Instances of the first class of that name, and of its subclasses. */
static int print_all(const struct hprof_heap *heap, const char *name,
		     const struct hprof_class_index *index,
		     struct hprof_cursor *cursor)
{
	size_t row = hprof_heap_class_named(heap, name, 0);
	uint64_t count = hprof_class_index_count(index, row, true);
	struct hprof_object object;

	if (row == SIZE_MAX) {
		fprintf(stderr, "04_look: no class of that name\n");
		return 1;
	}
	for (uint64_t i = 0; i < count; i++) {
		if (hprof_cursor_seek(
			    cursor,
			    hprof_class_index_object(index, row, true, i),
			    &object) != HPROF_OK) {
			fprintf(stderr, "04_look: %s\n",
				hprof_cursor_error(cursor)->text);
			return 1;
		}
		if (object.kind == HPROF_OBJECT_INSTANCE)
			print_object(heap, cursor, &object);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct hprof_input input;
	struct hprof_class_index *index = NULL;
	struct hprof_cursor *cursor = NULL;
	struct hprof_heap *heap = NULL;
	struct hprof_error error;
	int result = 1;

	if (argc != 3) {
		fprintf(stderr, "usage: 04_look DUMP CLASS\n");
		return 2;
	}
	input = hprof_input_path(argv[1]);
	if (hprof_heap_open(&input, NULL, &heap, &error) == HPROF_OK &&
	    hprof_class_index_build(heap, &index, &error) == HPROF_OK &&
	    hprof_cursor_new(heap, &cursor, &error) == HPROF_OK)
		result = print_all(heap, argv[2], index, cursor);
	else
		fprintf(stderr, "04_look: %s: %s\n", argv[1], error.text);
	hprof_cursor_free(cursor);
	hprof_class_index_free(index);
	hprof_heap_close(heap);
	return result;
}
