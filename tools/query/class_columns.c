/* SPDX-License-Identifier: MIT */
/*
 * class_columns.c - see class_columns.h.
 */
#include "tools/query/class_columns.h"

#include <stdlib.h>
#include <string.h>

#include "tools/query/sqlite.h"

enum {
	FIELDS_MOST = 1900, /* SQLite takes 2,000 columns */
	NAME_MOST = 65535,  /* bytes, the limit of all JVMs */
	/*
	 * How many fields and superclasses of another class are looked through for
	 * those of the table. A file can have as many classes of one name as it
	 * likes, each below all of the others.
	 */
	LOOKED_AT_MOST = 2048
};

/* Fields of the table that have one name, and are of classes of one name. */
struct class_columns_key {
	const char *name, *class_name;
	size_t first; /* while keys are made: the column */
	size_t found; /* the first such field of a class; SIZE_MAX: none */
};

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
	free(c->keys);
	free(c->key_of);
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
	const size_t size = strnlen(field, NAME_MOST);

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
	sqlite3_str *text = sqlite3_str_new(NULL);

	sqlite3_str_appendall(text, "CREATE TABLE x(");
	for (unsigned i = 0; i < CLASS_COLUMNS_FIRST; i++)
		sqlite3_str_appendf(text, "%s%s INTEGER", i ? ", " : "",
				    first_columns[i]);
	for (size_t i = 0; i < names->count; i++)
		sqlite3_str_appendf(text, ", \"%w\"", names->list[i].text);
	sqlite3_str_appendall(text, ")");
	return sqlite3_str_finish(text);
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

/* ---- classes of that name that are not below it ------------------------- */

static int compare_keys(const void *a, const void *b)
{
	const struct class_columns_key *x = a, *y = b;
	int order =
		x->name == y->name ? 0 : strncmp(x->name, y->name, NAME_MOST);

	return order != 0 || x->class_name == y->class_name
		       ? order
		       : strcmp(x->class_name, y->class_name);
}

static struct class_columns_key key_of(const struct class_columns *c,
				       const struct hprof_field *field)
{
	const struct hprof_class_row *rows =
		hprof_heap_summary(c->heap)->class_rows;

	return (struct class_columns_key){
		.name = field->name ? field->name : "_",
		.class_name = rows[field->class_row].name,
	};
}

static bool make_keys(struct class_columns *c)
{
	if (c->key_count)
		return true;
	if (!c->keys)
		c->keys = calloc(c->shown + 1, sizeof(*c->keys));
	if (!c->key_of)
		c->key_of = calloc(c->shown + 1, sizeof(*c->key_of));
	if (!c->keys || !c->key_of)
		return false;
	for (size_t i = 0; i < c->shown; i++) {
		c->keys[i] = key_of(c, &c->fields[i]);
		c->keys[i].first = i;
	}
	qsort(c->keys, c->shown, sizeof(*c->keys), compare_keys);
	for (size_t i = 0; i < c->shown; i++) {
		if (i == 0 ||
		    compare_keys(&c->keys[i], &c->keys[c->key_count - 1]) != 0)
			c->keys[c->key_count++] = c->keys[i];
		c->key_of[c->keys[i].first] = c->key_count - 1;
	}
	return true;
}

/* FIELD is at PLACE of a class, BEHIND from the end of its fields. */
static void take_field(struct class_columns *c, const struct hprof_field *field,
		       size_t place, size_t behind)
{
	const struct class_columns_key wanted = key_of(c, field);
	struct class_columns_key *key = bsearch(&wanted, c->keys, c->key_count,
						sizeof(wanted), compare_keys);
	size_t i;

	if (!key)
		return;
	if (key->found == SIZE_MAX)
		key->found = place;
	i = behind <= c->count ? c->count - behind : SIZE_MAX;
	if (i < c->shown && c->key_of[i] == (size_t)(key - c->keys))
		c->places[i] = place;
}

static void look_through(struct class_columns *c, size_t row)
{
	const size_t total = total_of(c, row);
	size_t steps = 0, place = 0;

	for (; steps < LOOKED_AT_MOST && place < total; steps++) {
		const struct hprof_field *own;
		size_t count = hprof_heap_own_fields(c->heap, row, &own);

		for (size_t i = 0; i < count && steps < LOOKED_AT_MOST; i++) {
			take_field(c, &own[i], place, total - place);
			place++;
			steps++;
		}
		row = super_of(c->heap, row);
	}
}

/*
 * A class of that name of another loader may have other fields than that of the table,
 * or in other places: a field in the same place from the end is meant, else the first.
 */
static void find_places(struct class_columns *c, size_t row)
{
	c->row = row;
	if (find_inherited(c, row))
		return;
	for (size_t i = 0; i < c->shown; i++)
		c->places[i] = SIZE_MAX;
	if (!make_totals(c) || !make_keys(c))
		return;
	for (size_t i = 0; i < c->key_count; i++)
		c->keys[i].found = SIZE_MAX;
	look_through(c, row);
	for (size_t i = 0; i < c->shown; i++)
		if (c->places[i] == SIZE_MAX)
			c->places[i] = c->keys[c->key_of[i]].found;
}

size_t class_columns_place(struct class_columns *c, size_t row, size_t i)
{
	if (i >= c->shown)
		return SIZE_MAX;
	if (row != c->row)
		find_places(c, row);
	return c->places[i];
}
