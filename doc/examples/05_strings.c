/* SPDX-License-Identifier: MIT */
/*
 * 05_strings.c - which texts a heap has more than once.
 *
 *   05_strings DUMP
 *
 * Prints each text that several instances of java.lang.String have, the most
 * frequent one first: how many there are, and the text. An index of classes
 * gives the strings without looking at any other object. Texts are somebody
 * else's bytes: a program that prints them for people should escape what is
 * no text, as hprof-show does.
 *
 *   cc -o 05_strings 05_strings.c $(pkg-config --cflags --libs libhprof)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hprof.h>

enum { TEXT_MOST = 200 }; /* characters; texts alike so far are one */

struct text {
	char *bytes;
	size_t count;
};

/* NULL, which marks the strings that have no text, comes last. */
static int compare_bytes(const void *a, const void *b)
{
	const struct text *x = a, *y = b;

	if (!x->bytes || !y->bytes)
		return !x->bytes - !y->bytes;
	return strcmp(x->bytes, y->bytes);
}

static int compare_counts(const void *a, const void *b)
{
	const struct text *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return compare_bytes(a, b);
}

/* The texts of the COUNT strings of ROW. */
static void read_texts(const struct hprof_class_index *index, size_t row,
		       struct hprof_cursor *cursor, struct text *texts,
		       size_t count)
{
	struct hprof_object object;
	const char *text;

	for (size_t i = 0; i < count; i++) {
		uint64_t string =
			hprof_class_index_object(index, row, false, i);
		if (hprof_cursor_seek(cursor, string, &object) == HPROF_OK &&
		    hprof_cursor_text(cursor, TEXT_MOST, &text, NULL) ==
			    HPROF_OK)
			texts[i].bytes = strdup(text);
	}
}

static void print_texts(struct text *texts, size_t count)
{
	size_t end = 0;

	qsort(texts, count, sizeof *texts, compare_bytes);
	for (size_t i = 0; i < count; i = end)
		for (end = i;
		     end < count && compare_bytes(&texts[i], &texts[end]) == 0;
		     end++)
			texts[i].count++;
	qsort(texts, count, sizeof *texts, compare_counts);
	for (size_t i = 0; i < count && texts[i].count > 1; i++)
		if (texts[i].bytes)
			printf("%8zu  %s\n", texts[i].count, texts[i].bytes);
}

/* The first class of that name: that of the JVM, not of a class loader. */
static int print_duplicates(const struct hprof_heap *heap,
			    const struct hprof_class_index *index,
			    struct hprof_cursor *cursor)
{
	size_t row = hprof_heap_class_named(heap, "java.lang.String", 0);
	size_t count = (size_t)hprof_class_index_count(index, row, false);
	struct text *texts = calloc(count + 1, sizeof *texts);

	if (!texts)
		return 1;
	read_texts(index, row, cursor, texts, count);
	print_texts(texts, count);
	for (size_t i = 0; i < count; i++)
		free(texts[i].bytes);
	free(texts);
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

	if (argc != 2) {
		fprintf(stderr, "usage: 05_strings DUMP\n");
		return 2;
	}
	input = hprof_input_path(argv[1]);
	if (hprof_heap_open(&input, NULL, &heap, &error) == HPROF_OK &&
	    hprof_class_index_build(heap, &index, &error) == HPROF_OK &&
	    hprof_cursor_new(heap, &cursor, &error) == HPROF_OK)
		result = print_duplicates(heap, index, cursor);
	else
		fprintf(stderr, "05_strings: %s: %s\n", argv[1], error.text);
	hprof_cursor_free(cursor);
	hprof_class_index_free(index);
	hprof_heap_close(heap);
	return result;
}
