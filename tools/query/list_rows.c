/* SPDX-License-Identifier: MIT */
/*
 * list_rows.c - see list_rows.h. Each function answers for one object, and all
 * of its rows are in memory at once.
 */
#include "tools/query/list_rows.h"

#include <stdio.h>

#include "tools/query/object_set.h"
#include "tools/query/sqlite.h"
#include <hprof.h>

enum { PLACE_TEXT = 40, TEXT_MOST = 1 << 20, ELEMENTS = 1024 };

static const char *class_name(const struct hprof_heap *heap, size_t row)
{
	const struct hprof_summary *s = hprof_heap_summary(heap);

	return row < s->class_count ? s->class_rows[row].name : NULL;
}

static struct hprof_cell cell_class_of(struct hprof_cursor *cursor,
				       const struct hprof_heap *heap,
				       uint64_t object)
{
	struct hprof_object found;

	if (hprof_cursor_seek(cursor, object, &found) != HPROF_OK)
		return hprof_cell_null();
	return hprof_cell_text(found.kind == HPROF_OBJECT_CLASS
				       ? "java.lang.Class"
				       : class_name(heap, found.class_row));
}

static bool put(struct row_buffer *rows, const struct hprof_cell *cells)
{
	return row_buffer_add(rows, HPROF_TABLE_COUNT, cells);
}

/* "name", "[3]" or "<super>". */
static const char *place_of(const struct hprof_edge *edge,
			    char text[PLACE_TEXT])
{
	switch (edge->kind) {
	case HPROF_EDGE_ELEMENT:
		snprintf(text, PLACE_TEXT, "[%llu]",
			 (unsigned long long)edge->number);
		return text;
	case HPROF_EDGE_SUPER:
		return "<super>";
	case HPROF_EDGE_LOADER:
		return "<loader>";
	case HPROF_EDGE_SIGNERS:
		return "<signers>";
	case HPROF_EDGE_DOMAIN:
		return "<domain>";
	case HPROF_EDGE_CONSTANT:
		return "<constant>";
	default:
		return edge->name ? edge->name : "referent";
	}
}

/* ---- references ---------------------------------------------------------- */

/* Two cursors: one stays at the object whose references are read. */
struct pair {
	const struct hprof_heap *heap;
	struct hprof_cursor *source, *target;
};

static enum hprof_status open_pair(struct query_dump *dump, struct pair *ret,
				   struct hprof_error *error)
{
	enum hprof_status status;

	*ret = (struct pair){ .heap = query_dump_heap(dump) };
	status = hprof_cursor_new(ret->heap, &ret->source, error);
	if (status == HPROF_OK)
		status = hprof_cursor_new(ret->heap, &ret->target, error);
	return status;
}

static void close_pair(struct pair *pair)
{
	hprof_cursor_free(pair->source);
	hprof_cursor_free(pair->target);
}

/* The next reference but that of an object to its class. */
static enum hprof_status next_edge(struct hprof_cursor *cursor, uint64_t *i,
				   struct hprof_edge *ret)
{
	enum hprof_status status;

	do
		status = hprof_cursor_edge(cursor, (*i)++, ret);
	while (status == HPROF_OK &&
	       (ret->kind == HPROF_EDGE_CLASS || ret->to == HPROF_NO_OBJECT));
	return status;
}

static enum hprof_status put_refs_of(struct pair *pair, uint64_t object,
				     struct row_buffer *rows)
{
	struct hprof_object found;
	struct hprof_edge edge;
	uint64_t i = 0;
	enum hprof_status status =
		hprof_cursor_seek(pair->source, object, &found);

	while (status == HPROF_OK &&
	       (status = next_edge(pair->source, &i, &edge)) == HPROF_OK) {
		char text[PLACE_TEXT];
		const struct hprof_cell cells[] = {
			hprof_cell_text(place_of(&edge, text)),
			hprof_cell_object(edge.to),
			cell_class_of(pair->target, pair->heap, edge.to),
		};

		if (!put(rows, cells))
			break;
	}
	return status < 0 ? status : HPROF_OK;
}

static enum hprof_status put_refs(struct query_dump *dump, uint64_t object,
				  struct row_buffer *rows,
				  struct hprof_error *error)
{
	struct pair pair;
	enum hprof_status status = open_pair(dump, &pair, error);

	if (status == HPROF_OK)
		status = put_refs_of(&pair, object, rows);
	if (status < 0 && pair.target)
		*error = *hprof_cursor_error(pair.source);
	close_pair(&pair);
	return status;
}

struct referrers {
	struct pair pair;
	uint64_t target;
	struct row_buffer *rows;
	enum hprof_status status;
};

/* An hprof_object_fn. */
static bool put_referrer(void *user, uint64_t source)
{
	struct referrers *r = user;
	struct hprof_object found;
	struct hprof_edge edge;
	uint64_t i = 0;

	r->status = hprof_cursor_seek(r->pair.source, source, &found);
	while (r->status == HPROF_OK &&
	       (r->status = next_edge(r->pair.source, &i, &edge)) == HPROF_OK) {
		char text[PLACE_TEXT];
		const struct hprof_cell cells[] = {
			hprof_cell_object(source),
			cell_class_of(r->pair.target, r->pair.heap, source),
			hprof_cell_text(place_of(&edge, text)),
		};

		if (edge.to == r->target && !put(r->rows, cells))
			return false;
	}
	return r->status >= 0;
}

static enum hprof_status put_referrers(struct query_dump *dump, uint64_t object,
				       struct row_buffer *rows,
				       struct hprof_error *error)
{
	struct referrers r = { .target = object, .rows = rows };
	const struct hprof_graph *graph =
		query_dump_graph(dump, QUERY_GRAPH_REFERRERS, error);
	enum hprof_status status;

	if (!graph)
		return error->status;
	status = open_pair(dump, &r.pair, error);
	if (status == HPROF_OK)
		status = hprof_graph_referrers(graph, object, put_referrer, &r,
					       error);
	if (status == HPROF_OK && r.status < 0) {
		status = r.status;
		*error = *hprof_cursor_error(r.pair.source);
	}
	close_pair(&r.pair);
	return status;
}

/* ---- elements ------------------------------------------------------------ */

struct elements {
	struct hprof_cursor *cursor; /* for texts and boxes */
	struct row_buffer *rows;
	struct hprof_text_limit texts;
};

static struct hprof_cell cell_of_value(struct elements *e, unsigned type,
				       uint64_t bits, uint64_t *ret_object)
{
	size_t most = hprof_text_limit_next(&e->texts);
	struct hprof_value value;

	if (most > TEXT_MOST)
		most = TEXT_MOST;
	*ret_object = HPROF_NO_OBJECT;
	if (type == 0 ||
	    hprof_cursor_value(e->cursor, type, bits, most, &value) != HPROF_OK)
		return hprof_cell_null();
	if (type == HPROF_TYPE_OBJECT && value.kind != HPROF_VALUE_NULL)
		*ret_object = value.object;
	switch (value.kind) {
	case HPROF_VALUE_NULL:
	case HPROF_VALUE_OBJECT:
		return hprof_cell_null();
	case HPROF_VALUE_STRING:
		hprof_text_limit_take(&e->texts, value.text_length < most
							 ? value.text_length
							 : most);
		return hprof_cell_text(value.text);
	case HPROF_VALUE_REAL:
		return (struct hprof_cell){ .kind = HPROF_CELL_REAL,
					    .real = value.real };
	default:
		return hprof_cell_number(value.integer);
	}
}

/* An hprof_collection_fn. Texts are borrowed, so the key is stored first. */
static bool put_entry(void *user, const struct hprof_collection_entry *entry)
{
	struct elements *e = user;
	uint64_t key_object, value_object;
	struct hprof_cell cells[5] = {
		[0] = hprof_cell_number((int64_t)entry->number),
	};
	char *key_text = NULL;
	bool done;

	cells[1] = cell_of_value(e, entry->key_type, entry->key, &key_object);
	if (cells[1].kind == HPROF_CELL_TEXT) {
		key_text = sqlite3_mprintf("%s", cells[1].text);
		cells[1] = hprof_cell_text(key_text);
	}
	cells[2] = cell_of_value(e, entry->value_type, entry->value,
				 &value_object);
	cells[3] = hprof_cell_object(key_object);
	cells[4] = hprof_cell_object(value_object);
	done = put(e->rows, cells);
	sqlite3_free(key_text);
	return done;
}

/* The elements of an array as the entries of a collection. */
static enum hprof_status each_element(struct hprof_cursor *cursor,
				      const struct hprof_object *array,
				      struct elements *e)
{
	uint64_t values[ELEMENTS];
	size_t count = 0;

	for (uint64_t at = 0; at < array->length; at += count) {
		enum hprof_status status = hprof_cursor_elements(
			cursor, at, ELEMENTS, values, &count);

		if (status < 0 || count == 0)
			return status;
		for (size_t i = 0; i < count; i++) {
			const struct hprof_collection_entry entry = {
				.number = at + i,
				.value_type = array->type,
				.value = values[i],
			};

			if (!put_entry(e, &entry))
				return HPROF_OK;
		}
	}
	return HPROF_OK;
}

static enum hprof_status each(struct hprof_cursor *cursor, uint64_t object,
			      struct elements *e)
{
	struct hprof_object found;
	enum hprof_status status = hprof_cursor_seek(cursor, object, &found);

	if (status != HPROF_OK)
		return status;
	if (found.kind == HPROF_OBJECT_OBJ_ARRAY ||
	    found.kind == HPROF_OBJECT_PRIM_ARRAY)
		return each_element(cursor, &found, e);
	status = hprof_collection_each(cursor, object, 0, put_entry, e, NULL);
	return status == HPROF_END || status == HPROF_E_UNSUPPORTED ? HPROF_OK
								    : status;
}

static enum hprof_status put_elements(struct query_dump *dump, uint64_t object,
				      struct row_buffer *rows,
				      struct hprof_error *error)
{
	struct elements e = {
		.rows = rows,
		.texts = hprof_text_limit_of(query_dump_heap(dump)),
	};
	struct pair pair;
	enum hprof_status status = open_pair(dump, &pair, error);

	if (status == HPROF_OK) {
		e.cursor = pair.target;
		status = each(pair.source, object, &e);
		if (status < 0)
			*error = *hprof_cursor_error(pair.source);
	}
	close_pair(&pair);
	return status;
}

/* ---- the dominator tree -------------------------------------------------- */

static enum hprof_status put_dominated(struct query_dump *dump, uint64_t object,
				       struct row_buffer *rows,
				       struct hprof_error *error)
{
	const struct hprof_graph *graph =
		query_dump_graph(dump, QUERY_GRAPH_SIZES, error);
	struct object_set children = { 0 };
	struct pair pair;
	enum hprof_status status;
	uint64_t child;

	if (!graph)
		return error->status;
	status = open_pair(dump, &pair, error);
	if (status == HPROF_OK)
		status = query_dump_children(dump, object, &children, error);
	while ((child = object_set_next(&children)) != HPROF_NO_OBJECT) {
		const struct hprof_cell cells[] = {
			hprof_cell_object(child),
			cell_class_of(pair.target, pair.heap, child),
			hprof_cell_number(
				(int64_t)hprof_graph_retained(graph, child)),
		};

		if (!put(rows, cells))
			break;
	}
	object_set_done(&children);
	close_pair(&pair);
	return status;
}

/* An hprof_object_fn. */
static bool put_retained(void *rows, uint64_t object)
{
	const struct hprof_cell cells[] = { hprof_cell_object(object) };

	return put(rows, cells);
}

static enum hprof_status put_retained_set(struct query_dump *dump,
					  uint64_t object,
					  struct row_buffer *rows,
					  struct hprof_error *error)
{
	const struct hprof_graph *graph =
		query_dump_graph(dump, QUERY_GRAPH_PATHS, error);

	if (!graph)
		return error->status;
	if (!hprof_graph_is_reachable(graph, object))
		return HPROF_OK;
	return hprof_graph_retained_set(graph, object, put_retained, rows,
					error);
}

/* ---- the path ------------------------------------------------------------ */

static bool put_step(struct row_buffer *rows, const struct hprof_heap *heap,
		     const struct hprof_path *path, size_t i)
{
	const struct hprof_path_step *step = &path->steps[i];
	const struct hprof_edge edge = { .kind = step->edge,
					 .name = step->field,
					 .number = step->number };
	char text[PLACE_TEXT];
	const struct hprof_cell cells[] = {
		hprof_cell_number((int64_t)i),
		hprof_cell_text(i ? place_of(&edge, text) : NULL),
		hprof_cell_object(step->held.object),
		hprof_cell_text(
			step->held.kind == HPROF_OBJECT_CLASS
				? "java.lang.Class"
				: class_name(heap, step->held.class_row)),
	};

	return put(rows, cells);
}

static enum hprof_status put_path(struct query_dump *dump, uint64_t object,
				  struct row_buffer *rows,
				  struct hprof_error *error)
{
	const struct hprof_path_options how = { .size = sizeof(how),
						.count = 1 };
	const struct hprof_graph *graph =
		query_dump_graph(dump, QUERY_GRAPH_PATHS, error);
	struct hprof_path_table *table;
	enum hprof_status status;

	if (!graph)
		return error->status;
	if (!hprof_graph_is_reachable(graph, object))
		return HPROF_OK;
	status = hprof_paths_read(graph, object, &how, &table, error);
	if (status < 0)
		return status;
	for (size_t i = 0; table->count && i < table->paths[0].count; i++)
		if (!put_step(rows, query_dump_heap(dump), &table->paths[0], i))
			break;
	hprof_path_table_free(table);
	return HPROF_OK;
}

const struct list_function list_functions[] = {
	{ "refs", "place TEXT, target INTEGER, target_class TEXT", "object", 3,
	  put_refs },
	{ "referrers", "source INTEGER, source_class TEXT, place TEXT",
	  "object", 3, put_referrers },
	{ "elements",
	  "number INTEGER, key, value, key_object INTEGER, "
	  "value_object INTEGER",
	  "object", 5, put_elements },
	{ "dominated", "object INTEGER, class TEXT, retained INTEGER", "by", 3,
	  put_dominated },
	{ "retained_set", "object INTEGER", "by", 1, put_retained_set },
	{ "path", "step INTEGER, place TEXT, object INTEGER, class TEXT", "to",
	  4, put_path },
	{ 0 },
};
