/* SPDX-License-Identifier: MIT */
/*
 * 08_graph.c - what keeps memory in use.
 *
 *   08_graph DUMP
 *
 * Prints the objects that retain most: those whose removal would free the
 * most bytes, that of everything only they lead to included. Below each are
 * the biggest of the objects that it dominates.
 *
 *   cc -o 08_graph 08_graph.c $(pkg-config --cflags --libs libhprof)
 */
#include <inttypes.h>
#include <stdio.h>

#include <hprof.h>

enum { TOP = 5, DEPTH = 3 };

/* What an object is called; of a class object, the class that it is. */
static void print_name(const struct hprof_heap *heap,
		       const struct hprof_object *object)
{
	const struct hprof_summary *summary = hprof_heap_summary(heap);
	const char *name = "(unknown class)";

	if (object->class_row != SIZE_MAX)
		name = summary->class_rows[object->class_row].name;
	printf("%s%s 0x%" PRIx64 "\n",
	       object->kind == HPROF_OBJECT_CLASS ? "class " : "", name,
	       object->id);
}

/*
 * The biggest objects whose immediate dominator is OF; with HPROF_NO_OBJECT
 * those that only the roots as a whole keep.
 */
static enum hprof_status print_dominated(const struct hprof_heap *heap,
					 const struct hprof_graph *graph,
					 struct hprof_cursor *cursor,
					 uint64_t of, int depth)
{
	uint64_t children[TOP];
	size_t count = hprof_graph_children(graph, of, TOP, children);
	enum hprof_status status = HPROF_OK;
	struct hprof_object object;

	for (size_t i = 0; i < count && status == HPROF_OK; i++) {
		status = hprof_cursor_seek(cursor, children[i], &object);
		if (status != HPROF_OK)
			break;
		printf("%*s%" PRIu64 " bytes, %" PRIu64 " itself: ", 2 * depth,
		       "", hprof_graph_retained(graph, children[i]),
		       object.shallow);
		print_name(heap, &object);
		if (depth + 1 < DEPTH)
			status = print_dominated(heap, graph, cursor,
						 children[i], depth + 1);
	}
	return status;
}

int main(int argc, char **argv)
{
	struct hprof_graph_options options = { .size = sizeof options,
					       .dominators = true };
	struct hprof_input input;
	struct hprof_cursor *cursor = NULL;
	struct hprof_graph *graph = NULL;
	struct hprof_heap *heap = NULL;
	struct hprof_error error;
	const char *why = error.text;

	if (argc != 2) {
		fprintf(stderr, "usage: 08_graph DUMP\n");
		return 2;
	}
	input = hprof_input_path(argv[1]);
	if (hprof_heap_open(&input, NULL, &heap, &error) == HPROF_OK &&
	    hprof_graph_build(heap, &options, &graph, &error) == HPROF_OK &&
	    hprof_cursor_new(heap, &cursor, &error) == HPROF_OK)
		why = print_dominated(heap, graph, cursor, HPROF_NO_OBJECT,
				      0) == HPROF_OK
			      ? NULL
			      : hprof_cursor_error(cursor)->text;
	if (why)
		fprintf(stderr, "08_graph: %s: %s\n", argv[1], why);
	hprof_cursor_free(cursor);
	hprof_graph_free(graph);
	hprof_heap_close(heap);
	return why ? 1 : 0;
}
