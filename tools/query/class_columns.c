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
	*c = (struct class_columns){ .heap = heap, .row = SIZE_MAX };
	hprof_heap_layout(heap, row, &c->fields, &c->count);
	c->shown = c->count < FIELDS_MOST ? c->count : FIELDS_MOST;
	c->places = calloc(c->shown + 1, sizeof(*c->places));
	return c->places != NULL;
}

void class_columns_done(struct class_columns *c)
{
	free(c->places);
	*c = (struct class_columns){ 0 };
}

/* ---- names --------------------------------------------------------------- */

/* The names that were given; SQLite does not tell A from a. */
struct names {
	char **list;
	size_t count;
};

static bool is_taken(const struct names *names, const char *name)
{
	for (unsigned i = 0; i < CLASS_COLUMNS_FIRST; i++)
		if (sqlite3_stricmp(first_columns[i], name) == 0)
			return true;
	for (size_t i = 0; i < names->count; i++)
		if (sqlite3_stricmp(names->list[i], name) == 0)
			return true;
	return false;
}

/* A name that another column has gets _ at its end. */
static bool add_name(struct names *names, const char *field)
{
	char *name = sqlite3_mprintf("%s", field ? field : "_");

	while (name && is_taken(names, name))
		name = sqlite3_mprintf("%z_", name);
	if (name)
		names->list[names->count++] = name;
	return name != NULL;
}

static char *declare(const struct names *names)
{
	char *text = sqlite3_mprintf("CREATE TABLE x(");

	for (unsigned i = 0; text && i < CLASS_COLUMNS_FIRST; i++)
		text = sqlite3_mprintf("%z%s%s INTEGER", text, i ? ", " : "",
				       first_columns[i]);
	for (size_t i = 0; text && i < names->count; i++)
		text = sqlite3_mprintf("%z, \"%w\"", text, names->list[i]);
	return text ? sqlite3_mprintf("%z)", text) : NULL;
}

char *class_columns_declare(const struct class_columns *c)
{
	struct names names = { calloc(c->shown + 1, sizeof(char *)), 0 };
	bool done = names.list != NULL;
	char *text = NULL;

	for (size_t i = 0; done && i < c->shown; i++)
		done = add_name(&names, c->fields[i].name);
	if (done)
		text = declare(&names);
	for (size_t i = 0; i < names.count; i++)
		sqlite3_free(names.list[i]);
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

/*
 * A subclass has the fields of its superclasses behind its own, so those of the
 * table are its last ones. A class of that name of another loader may have
 * others.
 */
static void find_places(struct class_columns *c, size_t row)
{
	const struct hprof_field *fields;
	size_t count;

	hprof_heap_layout(c->heap, row, &fields, &count);
	for (size_t i = 0; i < c->shown; i++) {
		size_t behind = c->count - i;
		size_t at = count >= behind ? count - behind : SIZE_MAX;

		if (at == SIZE_MAX ||
		    !is_same(c->heap, &fields[at], &c->fields[i]))
			at = find_field(c->heap, fields, count, &c->fields[i]);
		c->places[i] = at;
	}
	c->row = row;
}

size_t class_columns_place(struct class_columns *c, size_t row, size_t i)
{
	if (i >= c->shown)
		return SIZE_MAX;
	if (row != c->row)
		find_places(c, row);
	return c->places[i];
}
