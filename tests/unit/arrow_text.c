/* SPDX-License-Identifier: MIT */
/*
 * arrow_text.c - see arrow_text.h.
 */
#include "arrow_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

void put_string(struct text *t, const char *text)
{
	size_t size = strlen(text);

	cr_assert_lt(t->used + size, sizeof t->bytes);
	memcpy(t->bytes + t->used, text, size + 1);
	t->used += size;
}

bool is_null(const struct ArrowArray *array, int64_t row)
{
	const uint8_t *valid = array->buffers[0];

	return valid && !(valid[row / 8] >> row % 8 & 1);
}

void put_text(struct text *t, const struct ArrowArray *array, int64_t row)
{
	const int32_t *ends = array->buffers[1];
	const char *bytes = array->buffers[2];
	char copy[4096];
	size_t size = (size_t)(ends[row + 1] - ends[row]);

	cr_assert_lt(size, sizeof copy);
	memcpy(copy, bytes + ends[row], size);
	copy[size] = 0;
	put_string(t, copy);
}

void put_cell(struct text *t, const struct ArrowSchema *schema,
	      const struct ArrowArray *array, int64_t row)
{
	char number[64] = "-";

	cr_assert(array->offset == 0 && row < array->length);
	if (is_null(array, row)) {
		put_string(t, "-");
	} else if (schema->dictionary) {
		put_text(t, array->dictionary,
			 ((const int32_t *)array->buffers[1])[row]);
	} else if (strcmp(schema->format, "u") == 0) {
		put_text(t, array, row);
	} else if (strcmp(schema->format, "g") == 0) {
		snprintf(number, sizeof number, "%.17g",
			 ((const double *)array->buffers[1])[row]);
		put_string(t, number);
	} else {
		snprintf(number, sizeof number, "%lld",
			 (long long)((const int64_t *)array->buffers[1])[row]);
		put_string(t, number);
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
			put_string(t, ";");
		}
		put_string(t, "\n");
	}
}

unsigned read_batches(struct ArrowArrayStream *stream, struct text *t)
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
