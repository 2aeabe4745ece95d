/* SPDX-License-Identifier: MIT */
/*
 * class_stream.c - hprof_arrow_class: the objects of a class, with a column for
 * each field. Fields are found by their place in the layout of the class; an
 * object of a subclass has its own fields before those.
 */
#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/mem.h"
#include "heap/heap.h"
#include "base/options.h"
#include "columns/stream.h"

/* What every object has; cells of the fields come behind them. */
enum {
	CELL_OBJECT,
	CELL_CLASS,
	CELL_SHALLOW,
	CELL_LENGTH,
	CELL_RETAINED,
	CELLS_FIRST
};

enum {
	FIELDS_MOST = 1900, /* as many as a statement sees */
	NAME_MOST = 65535   /* bytes, the limit of all JVMs */
};

struct class_rows {
	const struct hprof_class_index *index;
	size_t row;
	bool subclasses;
	const struct hprof_field *fields; /* the heap's */
	size_t count, all;		  /* fields that are columns, and all */
	const char **names; /* of the columns of fields, in ARENA */
	struct hp_arena arena;
	struct hprof_cursor *cursor;
	struct hprof_cell *cells;
	bool *wanted; /* by field */
};

/* ---- names --------------------------------------------------------------- */

static const char *const first_names[CELLS_FIRST] = { "object", "class",
						      "shallow", "length",
						      "retained" };

/* Programs that read columns do not all tell A from a. */
static size_t lower(const char *name, char *out, size_t room)
{
	size_t size = 0;

	for (; name[size] && size + 1 < room; size++)
		out[size] = (char)tolower((unsigned char)name[size]);
	out[size] = '\0';
	return size;
}

/* The names that columns have, in small letters. */
struct names {
	struct hp_string_map taken;
	/* Of the names of fields, as these are: which of TAILS is theirs. */
	struct hp_string_map seen;
	size_t *tails; /* how many _ the last field of a name has behind it */
	size_t count;
	char *own, *key; /* room for the longest name */
	size_t room;
};

static bool names_init(struct names *n, const struct class_rows *c)
{
	size_t longest = 0;

	for (size_t i = 0; i < c->count; i++) {
		size_t size = strnlen(c->fields[i].name, NAME_MOST);

		longest = size > longest ? size : longest;
	}
	n->room = longest + c->count + CELLS_FIRST + 2;
	n->own = hp_alloc(n->room);
	n->key = hp_alloc(n->room);
	n->tails = hp_calloc(c->count + 1, sizeof *n->tails);
	return n->own && n->key && n->tails;
}

static void names_done(struct names *n)
{
	hp_string_map_done(&n->taken);
	hp_string_map_done(&n->seen);
	hp_free(n->own);
	hp_free(n->key);
	hp_free(n->tails);
}

/*
 * Where the number of _ of the SIZE bytes of N->key is kept; NULL: no memory. One
 * more than the last field of that name has is the least that can be free: else a
 * name that very many fields have, as in a chain of classes, is tried as often for
 * each of them.
 */
static size_t *tail_of(struct names *n, size_t size, bool *ret_is_new)
{
	struct hprof_bytes found;
	size_t i = n->count;

	*ret_is_new = !hp_string_map_get(&n->seen, n->key, size, &found);
	if (!*ret_is_new)
		memcpy(&i, found.data, sizeof i);
	else if (!hp_string_map_put(&n->seen, n->key, size, &i, sizeof i))
		return NULL;
	else
		n->count++;
	return &n->tails[i];
}

/* NAME, with as many _ behind it as no other column has. */
static const char *unlike(struct class_rows *c, struct names *n,
			  const char *name)
{
	size_t size = lower(name, n->key, NAME_MOST + 1), *tail;
	struct hprof_bytes found;
	bool is_new;

	tail = tail_of(n, size, &is_new);
	if (!tail)
		return NULL;
	memcpy(n->own, name, size);
	memset(n->own + size, '_', n->room - size);
	memset(n->key + size, '_', n->room - size);
	*tail += !is_new;
	while (hp_string_map_get(&n->taken, n->key, size + *tail, &found))
		++*tail;
	if (!hp_string_map_put(&n->taken, n->key, size + *tail, "", 1))
		return NULL;
	return hp_arena_text(&c->arena, n->own, size + *tail);
}

static bool name_columns(struct class_rows *c)
{
	struct names n = { .count = 0 };
	bool done = names_init(&n, c) &&
		    hp_string_map_put(&n.taken, "class_name", 10, "", 1);

	for (size_t i = 0; i < CELLS_FIRST && done; i++)
		done = hp_string_map_put(&n.taken, first_names[i],
					 strlen(first_names[i]), "", 1);
	for (size_t i = 0; i < c->count && done; i++) {
		c->names[i] = unlike(c, &n, c->fields[i].name);
		done = c->names[i] != NULL;
	}
	names_done(&n);
	return done;
}

/* ---- columns ------------------------------------------------------------- */

static enum hp_column_form form_of(const struct hprof_field *field)
{
	return field->type == HPROF_TYPE_FLOAT ||
			       field->type == HPROF_TYPE_DOUBLE
		       ? HP_COLUMN_DOUBLE
		       : HP_COLUMN_INT64;
}

static bool is_named(const char *wanted, const char *name)
{
	return !wanted || strcmp(wanted, name) == 0;
}

static bool add_columns_named(struct hp_stream *s, const char *name)
{
	const struct class_rows *c = s->state;
	size_t before = s->column_count;

	for (unsigned i = 0; i < CELLS_FIRST; i++) {
		if (i == CELL_RETAINED && !s->walk.graph)
			continue;
		if (is_named(name, first_names[i]))
			hp_stream_add_column(s, first_names[i], HP_COLUMN_INT64,
					     i);
		if (i == CELL_CLASS && is_named(name, "class_name"))
			hp_stream_add_column(s, "class_name", HP_COLUMN_CLASS,
					     i);
	}
	for (size_t i = 0; i < c->count; i++)
		if (is_named(name, c->names[i])) {
			c->wanted[i] = true;
			hp_stream_add_column(s, c->names[i],
					     form_of(&c->fields[i]),
					     CELLS_FIRST + (unsigned)i);
		}
	return s->column_count > before;
}

/* ---- rows ---------------------------------------------------------------- */

static enum hprof_status begin_class(struct hp_stream *s)
{
	struct class_rows *c = s->state;

	return hprof_cursor_new(s->walk.heap, &c->cursor, &s->error);
}

static size_t fields_before(const struct hp_stream *s, size_t row)
{
	const struct class_rows *c = s->state;
	const struct hp_heap_class *of = hp_heap_row(s->walk.heap, row);

	return of && of->all_fields > c->all ? of->all_fields - c->all : 0;
}

static struct hprof_cell field_cell(const struct hp_stream *s,
				    const struct hprof_field *field)
{
	if (field->type != HPROF_TYPE_OBJECT)
		return hprof_cell_value(field->type, field->value);
	return hprof_cell_object(
		field->value ? hprof_heap_find(s->walk.heap, field->value)
			     : HPROF_NO_OBJECT);
}

/* Null if the object lacks the field: it is cut, or a class is not in the dump. */
static enum hprof_status read_field(struct hp_stream *s, size_t shift, size_t i)
{
	struct class_rows *c = s->state;
	struct hprof_field field;
	enum hprof_status status =
		hprof_cursor_field(c->cursor, shift + i, &field);
	bool is_it = status == HPROF_OK && field.type == c->fields[i].type &&
		     field.class_row == c->fields[i].class_row;

	c->cells[CELLS_FIRST + i] =
		is_it ? field_cell(s, &field) : hprof_cell_null();
	return status;
}

static void first_cells(struct hp_stream *s, const struct hprof_object *object)
{
	struct class_rows *c = s->state;
	bool is_array = object->kind == HPROF_OBJECT_OBJ_ARRAY ||
			object->kind == HPROF_OBJECT_PRIM_ARRAY;
	const struct hprof_graph *graph = s->walk.graph;

	c->cells[CELL_OBJECT] = hprof_cell_object(object->index);
	c->cells[CELL_CLASS] = hprof_cell_class(object->class_row);
	c->cells[CELL_SHALLOW] = hprof_cell_number((int64_t)object->shallow);
	c->cells[CELL_LENGTH] =
		is_array ? hprof_cell_number((int64_t)object->length)
			 : hprof_cell_null();
	c->cells[CELL_RETAINED] =
		graph && hprof_graph_is_reachable(graph, object->index)
			? hprof_cell_number((int64_t)hprof_graph_retained(
				  graph, object->index))
			: hprof_cell_null();
}

static enum hprof_status read_object(struct hp_stream *s)
{
	struct class_rows *c = s->state;
	struct hprof_object object;
	uint64_t number = hprof_class_index_object(c->index, c->row,
						   c->subclasses, s->next);
	size_t shift;

	HP_TRY(hprof_cursor_seek(c->cursor, number, &object));
	first_cells(s, &object);
	shift = fields_before(s, object.class_row);
	for (size_t i = 0; i < c->count; i++)
		if (c->wanted[i] && read_field(s, shift, i) < 0)
			return HPROF_E_SYS;
	return HPROF_OK;
}

static enum hprof_status put_object(struct hp_stream *s)
{
	struct class_rows *c = s->state;

	if (read_object(s) < 0) {
		s->error = *hprof_cursor_error(c->cursor);
		return s->error.status;
	}
	s->next++;
	hp_stream_add_row(s, c->cells);
	return HPROF_OK;
}

static void class_done(struct hp_stream *s)
{
	struct class_rows *c = s->state;

	if (!c)
		return;
	hprof_cursor_free(c->cursor);
	hp_arena_done(&c->arena);
	hp_free(c->names);
	hp_free(c->cells);
	hp_free(c->wanted);
	hp_free(c);
}

static const struct hp_stream_kind by_class = { begin_class, put_object,
						class_done };

/* ---- the interface ------------------------------------------------------- */

static enum hprof_status fill_state(struct hp_stream *s,
				    const struct hprof_class_index *index,
				    size_t row, bool subclasses)
{
	const struct hp_heap_class *of = hp_heap_row(s->walk.heap, row);
	struct class_rows *c = hp_calloc(1, sizeof *c);

	s->state = c;
	if (!c)
		return HPROF_E_NOMEM;
	c->index = index;
	c->row = row;
	c->subclasses = subclasses;
	hprof_heap_layout(s->walk.heap, row, &c->fields, &c->count);
	if (!c->fields && of && of->own)
		return HPROF_E_NOMEM;
	c->all = of ? of->all_fields : 0;
	if (c->count > FIELDS_MOST)
		c->count = FIELDS_MOST;
	hp_free(s->columns);
	s->columns = hp_calloc(c->count + CELLS_FIRST + 1, sizeof *s->columns);
	c->names = hp_calloc(c->count + 1, sizeof *c->names);
	c->wanted = hp_calloc(c->count + 1, sizeof *c->wanted);
	c->cells = hp_calloc(c->count + CELLS_FIRST, sizeof *c->cells);
	if (!s->columns || !c->names || !c->wanted || !c->cells)
		return HPROF_E_NOMEM;
	return name_columns(c) ? HPROF_OK : HPROF_E_NOMEM;
}

static enum hprof_status check_arguments(const struct hprof_tables_walk *walk,
					 size_t row, struct hprof_error *error)
{
	if (walk->size != sizeof *walk)
		return hp_bad_argument(error, "walk", "has a wrong size");
	if (!walk->heap)
		return hp_bad_argument(error, "heap", "is NULL");
	if (row >= hprof_heap_summary(walk->heap)->class_count)
		return hp_bad_argument(error, "class_row", "is no class");
	return HPROF_OK;
}

enum hprof_status hprof_arrow_class(const struct hprof_tables_walk *walk,
				    const struct hprof_class_index *index,
				    size_t class_row, bool subclasses,
				    const struct hprof_arrow_options *options,
				    struct ArrowArrayStream *ret_stream,
				    struct hprof_error *ret_error)
{
	struct hprof_arrow_options how;
	struct hp_stream *s;

	HP_NEED(ret_error, walk);
	HP_NEED(ret_error, index);
	HP_NEED(ret_error, ret_stream);
	if (!HP_OPTIONS_TAKE(options, &how))
		return hp_bad_options(ret_error);
	HP_TRY(check_arguments(walk, class_row, ret_error));
	s = hp_stream_new(
		&by_class, walk, &how, 0,
		hprof_class_index_count(index, class_row, subclasses));
	if (!s)
		return hp_no_memory(ret_error);
	if (fill_state(s, index, class_row, subclasses) != HPROF_OK) {
		hp_stream_free(s);
		return hp_no_memory(ret_error);
	}
	return hp_stream_export(s, &how, add_columns_named, ret_stream,
				ret_error);
}
