/* SPDX-License-Identifier: MIT */
/*
 * row_buffer.c - see row_buffer.h. A cell takes 16 bytes; texts are in one
 * block, since most buffers live for one object and are used again.
 */
#include "tools/query/row_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "tools/query/memory_limit.h"

struct stored_cell {
	int kind;
	union {
		int64_t number;
		double real;
		size_t text; /* where in the block */
	} u;
};

/* A cell of a column in order; its text is in the block. */
struct sorted_cell {
	struct hprof_cell cell;
	size_t row;
};

void row_buffer_clear(struct row_buffer *b)
{
	for (unsigned i = 0; i < b->width; i++) {
		free(b->orders[i]);
		b->orders[i] = NULL;
	}
	b->count = b->text_used = 0;
}

void row_buffer_free(struct row_buffer *b)
{
	row_buffer_clear(b);
	free(b->cells);
	free(b->text);
	b->cells = NULL;
	b->text = NULL;
	b->room = b->text_room = 0;
}

static bool grow(void **block, size_t *room, size_t wanted, size_t size)
{
	size_t more = *room ? *room * 2 : 16;
	void *larger;

	if (wanted <= *room)
		return true;
	if (more < wanted)
		more = wanted;
	if (more > SIZE_MAX / size || !memory_allows(more * size))
		return false;
	larger = realloc(*block, more * size);
	if (!larger)
		return false;
	*block = larger;
	*room = more;
	return true;
}

/*
 * Whether the cell above TO has the same text, which is not stored again: the name
 * of a class may have 65,535 characters, and an array any number of its objects.
 */
static bool is_as_above(const struct row_buffer *b,
			const struct stored_cell *to, const char *text)
{
	const struct stored_cell *above;

	if (b->count == 0)
		return false;
	above = to - b->width;
	return above->kind == HPROF_CELL_TEXT &&
	       strcmp(b->text + above->u.text, text) == 0;
}

static bool store(struct row_buffer *b, struct stored_cell *to,
		  const struct hprof_cell *cell)
{
	void *text = b->text;
	size_t size;

	to->kind = (int)cell->kind;
	switch (cell->kind) {
	case HPROF_CELL_REAL:
		to->u.real = cell->real;
		return true;
	case HPROF_CELL_TEXT:
		if (is_as_above(b, to, cell->text)) {
			*to = *(to - b->width);
			return true;
		}
		size = strlen(cell->text) + 1;
		if (!grow(&text, &b->text_room, b->text_used + size, 1))
			return false;
		b->text = text;
		memcpy(b->text + b->text_used, cell->text, size);
		to->u.text = b->text_used;
		b->text_used += size;
		return true;
	default:
		to->u.number = cell->number;
		return true;
	}
}

bool row_buffer_add(void *buffer, enum hprof_table table,
		    const struct hprof_cell *cells)
{
	struct row_buffer *b = buffer;
	void *block = b->cells;
	size_t at = b->count * b->width;

	(void)table;
	b->failed = !grow(&block, &b->room, at + b->width, sizeof(*b->cells));
	b->cells = block;
	for (unsigned i = 0; i < b->width && !b->failed; i++)
		b->failed = !store(b, &b->cells[at + i], &cells[i]);
	if (!b->failed)
		b->count++;
	return !b->failed;
}

struct hprof_cell row_buffer_cell(const struct row_buffer *b, size_t row,
				  unsigned column)
{
	const struct stored_cell *from = &b->cells[row * b->width + column];
	struct hprof_cell cell = { .kind = (unsigned)from->kind };

	if (cell.kind == HPROF_CELL_REAL)
		cell.real = from->u.real;
	else if (cell.kind == HPROF_CELL_TEXT)
		cell.text = b->text + from->u.text;
	else
		cell.number = from->u.number;
	return cell;
}

/* ---- by a column --------------------------------------------------------- */

/* Null, then numbers, then texts. Reals are not looked up. */
static int compare_cells(const struct hprof_cell *a, const struct hprof_cell *b)
{
	bool texts = a->kind == HPROF_CELL_TEXT;

	if (a->kind == HPROF_CELL_NULL || b->kind == HPROF_CELL_NULL)
		return (b->kind == HPROF_CELL_NULL) -
		       (a->kind == HPROF_CELL_NULL);
	if (texts != (b->kind == HPROF_CELL_TEXT))
		return texts ? 1 : -1;
	if (texts)
		return strcmp(a->text, b->text);
	return (a->number > b->number) - (a->number < b->number);
}

static int compare_sorted(const void *a, const void *b)
{
	const struct sorted_cell *x = a, *y = b;
	int order = compare_cells(&x->cell, &y->cell);

	return order ? order : (x->row > y->row) - (x->row < y->row);
}

static bool put_in_order(struct row_buffer *b, unsigned column)
{
	struct sorted_cell *sorted = calloc(b->count + 1, sizeof(*sorted));

	if (!sorted)
		return false;
	for (size_t i = 0; i < b->count; i++)
		sorted[i] = (struct sorted_cell){
			.cell = row_buffer_cell(b, i, column),
			.row = i,
		};
	qsort(sorted, b->count, sizeof(*sorted), compare_sorted);
	b->orders[column] = sorted;
	return true;
}

/* The first position whose cell is not before VALUE, or AFTER it. */
static size_t bound(const struct row_buffer *b, unsigned column,
		    const struct hprof_cell *value, bool after)
{
	size_t low = 0, high = b->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order =
			compare_cells(&b->orders[column][middle].cell, value);

		if (order < 0 || (after && order == 0))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool row_buffer_find(struct row_buffer *b, unsigned column,
		     const struct hprof_cell *value, size_t *ret_first,
		     size_t *ret_count)
{
	if (!b->orders[column] && !put_in_order(b, column))
		return false;
	*ret_first = bound(b, column, value, false);
	*ret_count = bound(b, column, value, true) - *ret_first;
	return true;
}

size_t row_buffer_at(const struct row_buffer *b, unsigned column,
		     size_t position)
{
	return b->orders[column][position].row;
}
