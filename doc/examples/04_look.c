/* SPDX-License-Identifier: MIT */
/*
 * 04_look.c - shows the instances of a class with their fields.
 *
 *   04_look DUMP CLASS
 *
 * A heap knows where each object is; a cursor goes to one and reads it from
 * the file. What a field refers to is another object, for a cursor of its
 * own. Names and texts are somebody else's bytes: a program that prints them
 * for people should escape what is no text, as hprof-show does.
 *
 *   cc -o 04_look 04_look.c $(pkg-config --cflags --libs libhprof)
 */
#include <inttypes.h>
#include <stdio.h>

#include <hprof.h>

static void print_reference(const struct hprof_heap *heap,
			    struct hprof_cursor *there, uint64_t id)
{
	const struct hprof_summary *summary = hprof_heap_summary(heap);
	uint64_t index = hprof_heap_find(heap, id);
	struct hprof_object object;
	const char *text;

	if (id == 0) {
		printf("null\n");
		return;
	}
	if (index == HPROF_NO_OBJECT ||
	    hprof_cursor_seek(there, index, &object) != HPROF_OK) {
		printf("0x%" PRIx64 ", not in the dump\n", id);
		return;
	}
	if (hprof_cursor_text(there, 60, &text, NULL) == HPROF_OK)
		printf("\"%s\"\n", text);
	else if (object.class_row == SIZE_MAX)
		printf("0x%" PRIx64 "\n", id);
	else
		printf("%s 0x%" PRIx64 "\n",
		       summary->class_rows[object.class_row].name, id);
}

static void print_object(const struct hprof_heap *heap,
			 struct hprof_cursor *here, struct hprof_cursor *there,
			 const struct hprof_object *object)
{
	struct hprof_field field;

	printf("0x%" PRIx64 ", %" PRIu64 " bytes\n", object->id,
	       object->shallow);
	for (size_t i = 0; hprof_cursor_field(here, i, &field) == HPROF_OK;
	     i++) {
		printf("  %s %s = ", hprof_type_name(field.type), field.name);
		if (field.type == HPROF_TYPE_OBJECT)
			print_reference(heap, there, field.value);
		else if (field.type == HPROF_TYPE_INT)
			printf("%" PRId32 "\n", (int32_t)field.value);
		else
			printf("0x%" PRIx64 "\n", field.value);
	}
}

/* Instances of the first class of that name, and of its subclasses. */
static int print_all(const struct hprof_heap *heap, const char *name,
		     struct hprof_cursor *here, struct hprof_cursor *there)
{
	size_t first = hprof_heap_class_named(heap, name, 0);
	struct hprof_object object;

	if (first == SIZE_MAX) {
		fprintf(stderr, "04_look: no class of that name\n");
		return 1;
	}
	for (uint64_t i = 0; i < hprof_heap_count(heap); i++) {
		if (hprof_cursor_seek(here, i, &object) != HPROF_OK) {
			fprintf(stderr, "04_look: %s\n",
				hprof_cursor_error(here)->text);
			return 1;
		}
		if (object.kind == HPROF_OBJECT_INSTANCE &&
		    object.class_row != SIZE_MAX &&
		    hprof_heap_class_is(heap, object.class_row, first))
			print_object(heap, here, there, &object);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct hprof_heap *heap;
	struct hprof_cursor *here = NULL, *there = NULL;
	struct hprof_error error;
	int result = 1;

	if (argc != 3) {
		fprintf(stderr, "usage: 04_look DUMP CLASS\n");
		return 2;
	}
	if (hprof_heap_open(argv[1], NULL, &heap, &error) != HPROF_OK) {
		fprintf(stderr, "04_look: %s: %s\n", argv[1], error.text);
		return 1;
	}
	if (hprof_cursor_new(heap, &here, NULL) == HPROF_OK &&
	    hprof_cursor_new(heap, &there, NULL) == HPROF_OK)
		result = print_all(heap, argv[2], here, there);
	hprof_cursor_free(there);
	hprof_cursor_free(here);
	hprof_heap_close(heap);
	return result;
}
