/* SPDX-License-Identifier: MIT */
/* arrow_text.h - the batches of Arrow streams as text, one line per row. */
#ifndef ARROW_TEXT_H
#define ARROW_TEXT_H

#include <hprof.h>

struct text {
	char bytes[1 << 20];
	size_t used;
};

void put_string(struct text *t, const char *text);

/* A cell of a column of strings; any cell, - for null. */
void put_text(struct text *t, const struct ArrowArray *array, int64_t row);
void put_cell(struct text *t, const struct ArrowSchema *schema,
	      const struct ArrowArray *array, int64_t row);

bool is_null(const struct ArrowArray *array, int64_t row);

/* All batches; returns their number. Ends the stream. */
unsigned read_batches(struct ArrowArrayStream *stream, struct text *t);

#endif
