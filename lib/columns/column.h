/* SPDX-License-Identifier: MIT */
/*
 * column.h - one column of a batch, while rows are added to it.
 */
#ifndef HP_COLUMN_H
#define HP_COLUMN_H

#include "base/string_map.h"
#include "hprof/report.h"
#include "hprof/tables.h"

enum hp_column_form {
	HP_COLUMN_INT64,
	HP_COLUMN_UINT64,
	HP_COLUMN_DOUBLE,
	HP_COLUMN_TEXT,
	HP_COLUMN_WORD, /* of few different texts: numbers of a dictionary */
	HP_COLUMN_CLASS /* a row of classes: the name of the class, as a word */
};

/* Texts one behind the other, as Arrow has them. */
struct hp_texts {
	size_t count;
	int32_t *ends; /* COUNT + 1, the first is 0 */
	size_t end_room;
	char *bytes;
	size_t used, room;
};

struct hp_column {
	const char *name; /* a constant */
	enum hp_column_form form;
	unsigned cell; /* of the row */
	size_t count, nulls;
	void *values;	/* of numbers; int32_t of words */
	uint8_t *valid; /* a bit for each row; NULL: there are no nulls */
	size_t value_room, valid_room;
	struct hp_texts texts; /* of all rows, or the dictionary */
	struct hp_string_map words;
	size_t expected; /* rows, for the room at first; 0: not known */
	/* Of classes: where they are, and the word of each, or -1. */
	const struct hprof_summary *classes;
	int32_t *class_words;
};

static inline bool hp_column_has_words(const struct hp_column *column)
{
	return column->form == HP_COLUMN_WORD ||
	       column->form == HP_COLUMN_CLASS;
}

/* Appends CELL. False: no memory, or too much text for one batch. */
bool hp_column_add(struct hp_column *column, const struct hprof_cell *cell);

/* Frees what the rows take; name and form stay. */
void hp_column_clear(struct hp_column *column);

#endif
