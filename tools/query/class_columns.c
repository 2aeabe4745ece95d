/* SPDX-License-Identifier: MIT */
/*
 * class_columns.c - see class_columns.h.
 */
#include "tools/query/class_columns.h"

#include <stdlib.h>
#include <string.h>

#include "tools/query/sqlite.h"

enum { FIELDS_MOST = 1900 }; /* SQLite takes 2,000 columns */

static const char *const first_columns[CLASS_COLUMNS_FIRST] = {
	[CLASS_COLUMN_OBJECT] = "object",
	[CLASS_COLUMN_CLASS] = "class",
	[CLASS_COLUMN_SHALLOW] = "shallow",
	[CLASS_COLUMN_RETAINED] = "retained",
	[CLASS_COLUMN_LENGTH] = "length",
};

bool class_columns_init(struct class_columns *c, const struct hprof_heap *heap,
			size_t row)
{
	*c = (struct class_columns){ .heap = heap, .of = row, .row = SIZE_MAX };
	hprof_heap_layout(heap, row, &c->fields, &c->count);
	c->shown = c->count < FIELDS_MOST ? c->count : FIELDS_MOST;
	c->places = calloc(c->shown + 1, sizeof(*c->places));
	return c->places != NULL;
}

void class_columns_done(struct class_columns *c)
{
	free(c->places);
	free(c->totals);
	*c = (struct class_columns){ 0 };
}

/* ---- names --------------------------------------------------------------- */

/* The names that were given; SQLite does not tell A from a. */
struct name {
	char *text;
	size_t size, tail; /* how many _ are behind the name of the field */
};

struct names {
	struct name *list; /* one for each field */
	size_t count;
};

static bool is_taken(const struct names *names, const char *name, size_t size)
{
	for (unsigned i = 0; i < CLASS_COLUMNS_FIRST; i++)
		if (sqlite3_stricmp(first_columns[i], name) == 0)
			return true;
	for (size_t i = 0; i < names->count; i++)
		if (names->list[i].size == size &&
		    sqlite3_stricmp(names->list[i].text, name) == 0)
			return true;
	return false;
}

/*
 * How many _ the Ith of FIELDS needs at least: one more than the one before that has
 * its name, as in a chain of classes that all have a field of that name.
 */
static size_t least_tail(const struct names *names,
			 const struct hprof_field *fields, size_t i)
{
	for (size_t k = i; k-- > 0;)
		if (sqlite3_stricmp(fields[k].name, fields[i].name) == 0)
			return names->list[k].tail + 1;
	return 0;
}

/* A name that another column has gets _ at its end. */
static bool add_name(struct names *names, const struct hprof_field *fields)
{
	const size_t i = names->count;
	struct name *name = &names->list[i];
	const char *field = fields[i].name ? fields[i].name : "_";
	const size_t size = strlen(field);

	name->tail = least_tail(names, fields, i);
	for (;; name->tail++) {
		name->size = size + name->tail;
		name->text = sqlite3_malloc64(name->size + 1);
		if (!name->text)
			return false;
		memcpy(name->text, field, size);
		memset(name->text + size, '_', name->tail);
		name->text[name->size] = '\0';
		if (!is_taken(names, name->text, name->size))
			break;
		sqlite3_free(name->text);
	}
	names->count++;
	return true;
}

static char *declare(const struct names *names)
{
	char *text = sqlite3_mprintf("CREATE TABLE x(");

	for (unsigned i = 0; text && i < CLASS_COLUMNS_FIRST; i++)
		text = sqlite3_mprintf("%z%s%s INTEGER", text, i ? ", " : "",
				       first_columns[i]);
	for (size_t i = 0; text && i < names->count; i++)
		text = sqlite3_mprintf("%z, \"%w\"", text, names->list[i].text);
	return text ? sqlite3_mprintf("%z)", text) : NULL;
}

char *class_columns_declare(const struct class_columns *c)
{
	struct names names = { calloc(c->shown + 1, sizeof(*names.list)), 0 };
	bool done = names.list != NULL;
	char *text = NULL;

	for (size_t i = 0; done && i < c->shown; i++)
		done = add_name(&names, c->fields);
	if (done)
		text = declare(&names);
	for (size_t i = 0; i < names.count; i++)
		sqlite3_free(names.list[i].text);
	free(names.list);
	return text;
}

/* ---- places -------------------------------------------------------------- */

static bool is_same(const struct hprof_heap *heap, const struct hprof_field *a,
		    const struct hprof_field *b)
{
	const struct hprof_class_row *rows =
		hprof_heap_summary(heap)->class_rows;

	if (!a->name || !b->name || strcmp(a->name, b->name) != 0)
		return false;
	return a->class_row == b->class_row ||
	       strcmp(rows[a->class_row].name, rows[b->class_row].name) == 0;
}

static size_t find_field(const struct hprof_heap *heap,
			 const struct hprof_field *fields, size_t count,
			 const struct hprof_field *wanted)
{
	for (size_t i = 0; i < count; i++)
		if (is_same(heap, &fields[i], wanted))
			return i;
	return SIZE_MAX;
}

/* The superclass of ROW, if its fields are known; else SIZE_MAX. */
static size_t super_of(const struct hprof_heap *heap, size_t row)
{
	const struct hprof_class_row *rows =
		hprof_heap_summary(heap)->class_rows;
	size_t super = hprof_heap_class(heap, rows[row].super_id);

	/* Damaged superclasses, such as those in a circle, are none. */
	return super != SIZE_MAX && super != row &&
			       hprof_heap_class_is(heap, row, super)
		       ? super
		       : SIZE_MAX;
}

static size_t own_count(const struct hprof_heap *heap, size_t row)
{
	const struct hprof_field *fields;

	return hprof_heap_own_fields(heap, row, &fields);
}

/*
 * How many fields an instance of the class at ROW has. Noted of the classes above it,
 * too, plus 1, so that a chain of very many classes is gone up once; a layout, which
 * has all of the fields, is asked for nowhere below the class of the table.
 */
static size_t total_of(struct class_columns *c, size_t row)
{
	size_t sum = 0, at = row;

	for (; at != SIZE_MAX && !c->totals[at]; at = super_of(c->heap, at))
		sum += own_count(c->heap, at);
	if (at != SIZE_MAX)
		sum += c->totals[at] - 1;
	for (size_t left = sum, i = row; i != at; i = super_of(c->heap, i)) {
		c->totals[i] = left + 1;
		left -= own_count(c->heap, i);
	}
	return sum;
}

static bool make_totals(struct class_columns *c)
{
	size_t count = hprof_heap_summary(c->heap)->class_count;

	if (!c->totals)
		c->totals = calloc(count + 1, sizeof(*c->totals));
	return c->totals != NULL;
}

/* A subclass has the fields of its superclasses behind its own. */
static bool find_inherited(struct class_columns *c, size_t row)
{
	size_t total;

	if (!hprof_heap_class_is(c->heap, row, c->of) || !make_totals(c))
		return false;
	total = total_of(c, row);
	for (size_t i = 0; total >= c->count && i < c->shown; i++)
		c->places[i] = total - c->count + i;
	return total >= c->count;
}

/* The same as hprof_heap_layout: of a superclass the end of what the table has. */
static size_t layout_of(struct class_columns *c, size_t row,
			const struct hprof_field **ret_fields)
{
	size_t count;

	if (hprof_heap_class_is(c->heap, c->of, row) && make_totals(c)) {
		count = total_of(c, row);
		if (count <= c->count) {
			*ret_fields = c->fields + (c->count - count);
			return count;
		}
	}
	hprof_heap_layout(c->heap, row, ret_fields, &count);
	return count;
}

/*
 * A class of that name of another loader may have other fields than that of the table,
 * or in other places.
 */
static void find_places(struct class_columns *c, size_t row)
{
	const struct hprof_field *fields;
	size_t count;

	c->row = row;
	if (find_inherited(c, row))
		return;
	count = layout_of(c, row, &fields);
	for (size_t i = 0; i < c->shown; i++) {
		size_t behind = c->count - i;
		size_t at = count >= behind ? count - behind : SIZE_MAX;

		if (at == SIZE_MAX ||
		    !is_same(c->heap, &fields[at], &c->fields[i]))
			at = find_field(c->heap, fields, count, &c->fields[i]);
		c->places[i] = at;
	}
}

size_t class_columns_place(struct class_columns *c, size_t row, size_t i)
{
	if (i >= c->shown)
		return SIZE_MAX;
	if (row != c->row)
		find_places(c, row);
	return c->places[i];
}
