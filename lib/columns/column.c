/* SPDX-License-Identifier: MIT */
/*
 * column.c - see column.h. The buffers are laid out as Arrow has them, so that
 * they are handed over without a copy.
 */
#include "columns/column.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

/* EXPECTED: what to begin with, 0 if that is not known. */
static bool make_room(void **block, size_t *room, size_t wanted, size_t size,
		      size_t expected)
{
	size_t more = *room ? *room * 2 : expected ? expected : 1024;
	void *larger;

	if (wanted <= *room)
		return true;
	if (more < wanted)
		more = wanted;
	larger = hp_realloc(*block, more, size);
	if (!larger)
		return false;
	*block = larger;
	*room = more;
	return true;
}

/* ---- nulls --------------------------------------------------------------- */

/* Every row before was valid. */
static bool begin_nulls(struct hp_column *c)
{
	void *block = NULL;

	if (!make_room(&block, &c->valid_room, c->count / 8 + 1, 1,
		       c->expected / 8 + 1))
		return false;
	c->valid = block;
	memset(c->valid, 0, c->count / 8 + 1);
	memset(c->valid, 0xff, c->count / 8);
	c->valid[c->count / 8] = (uint8_t)((1u << c->count % 8) - 1);
	return true;
}

static bool note_valid(struct hp_column *c, bool is_valid)
{
	void *block;

	if (!c->valid && is_valid)
		return true;
	if (!c->valid && !begin_nulls(c))
		return false;
	block = c->valid;
	if (!make_room(&block, &c->valid_room, c->count / 8 + 1, 1,
		       c->expected / 8 + 1))
		return false;
	c->valid = block;
	if (c->count % 8 == 0)
		c->valid[c->count / 8] = 0;
	if (is_valid)
		c->valid[c->count / 8] |= (uint8_t)(1u << c->count % 8);
	else
		c->nulls++;
	return true;
}

/* ---- texts --------------------------------------------------------------- */

static bool add_text(struct hp_texts *t, const char *text, size_t size)
{
	void *ends = t->ends, *bytes = t->bytes;

	if (size > INT32_MAX || t->used > INT32_MAX - size)
		return false;
	if (!make_room(&ends, &t->end_room, t->count + 2, sizeof *t->ends, 0))
		return false;
	t->ends = ends;
	if (!make_room(&bytes, &t->room, t->used + size, 1, 0))
		return false;
	t->bytes = bytes;
	if (size)
		memcpy(t->bytes + t->used, text, size);
	t->used += size;
	if (t->count == 0)
		t->ends[0] = 0;
	t->ends[++t->count] = (int32_t)t->used;
	return true;
}

/* The number of a word in the dictionary, to which it is added if it is new. */
static bool find_word(struct hp_column *c, const char *text, int32_t *ret)
{
	size_t size = strlen(text);
	struct hprof_bytes known;
	int32_t number = (int32_t)c->texts.count;

	if (hp_string_map_get(&c->words, text, size, &known)) {
		assert(known.size == sizeof *ret);
		memcpy(ret, known.data, sizeof *ret);
		return true;
	}
	if (!add_text(&c->texts, text, size) ||
	    !hp_string_map_put(&c->words, text, size, &number, sizeof number))
		return false;
	*ret = number;
	return true;
}

/* ---- rows ---------------------------------------------------------------- */

/* Classes have numbers, so that a name is looked for once in a batch. */
static bool find_class(struct hp_column *c, int64_t row, int32_t *ret)
{
	size_t count = c->classes->class_count;
	const char *name;

	if (row < 0 || (uint64_t)row >= count)
		return find_word(c, "", ret);
	if (!c->class_words) {
		c->class_words = hp_calloc(count, sizeof *c->class_words);
		if (!c->class_words)
			return false;
		memset(c->class_words, 0xff, count * sizeof *c->class_words);
	}
	*ret = c->class_words[row];
	if (*ret >= 0)
		return true;
	name = c->classes->class_rows[row].name;
	if (!find_word(c, name ? name : "", ret))
		return false;
	c->class_words[row] = *ret;
	return true;
}

static bool find_any(struct hp_column *c, const struct hprof_cell *cell,
		     int32_t *ret)
{
	if (c->form == HP_COLUMN_CLASS)
		return cell->kind == HPROF_CELL_NULL ||
		       find_class(c, cell->number, ret);
	return cell->kind != HPROF_CELL_TEXT || find_word(c, cell->text, ret);
}

static bool add_word(struct hp_column *c, const struct hprof_cell *cell)
{
	void *values = c->values;
	int32_t number = 0;

	if (!make_room(&values, &c->value_room, c->count + 1, sizeof number,
		       c->expected))
		return false;
	c->values = values;
	if (!find_any(c, cell, &number))
		return false;
	((int32_t *)c->values)[c->count] = number;
	return true;
}

static bool add_number(struct hp_column *c, const struct hprof_cell *cell)
{
	void *values = c->values;

	if (!make_room(&values, &c->value_room, c->count + 1, sizeof(int64_t),
		       c->expected))
		return false;
	c->values = values;
	if (c->form == HP_COLUMN_DOUBLE)
		((double *)c->values)[c->count] = cell->real;
	else
		((int64_t *)c->values)[c->count] = cell->number;
	return true;
}

/* A column of any numbers is two: one of them has each cell. */
static bool has_value(const struct hp_column *c, const struct hprof_cell *cell)
{
	if (cell->kind == HPROF_CELL_NULL)
		return false;
	return (cell->kind == HPROF_CELL_REAL) == (c->form == HP_COLUMN_DOUBLE);
}

bool hp_column_add(struct hp_column *c, const struct hprof_cell *cell)
{
	struct hprof_cell none = hprof_cell_null();
	bool is_valid = has_value(c, cell), done;

	if (!is_valid)
		cell = &none;
	if (!note_valid(c, is_valid))
		return false;
	switch (c->form) {
	case HP_COLUMN_TEXT:
		done = add_text(&c->texts, cell->text ? cell->text : "",
				cell->text ? strlen(cell->text) : 0);
		break;
	case HP_COLUMN_WORD:
	case HP_COLUMN_CLASS:
		done = add_word(c, cell);
		break;
	default:
		done = add_number(c, cell);
	}
	c->count += done;
	return done;
}

void hp_column_clear(struct hp_column *c)
{
	hp_string_map_done(&c->words);
	hp_free(c->class_words);
	hp_free(c->values);
	hp_free(c->valid);
	hp_free(c->texts.ends);
	hp_free(c->texts.bytes);
	*c = (struct hp_column){ .name = c->name,
				 .form = c->form,
				 .cell = c->cell,
				 .expected = c->expected,
				 .classes = c->classes };
}
