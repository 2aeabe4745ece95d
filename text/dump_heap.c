/* SPDX-License-Identifier: MIT */
/*
 * dump_heap.c - the section HEAP DUMP of a dump, see dump_text.h. Of the contents
 * of objects, only references that are not null are printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/dump_text.h"
#include "text/text_heap.h"

enum { LOOK = 16384, ELEMENTS = 4096 };

/* The class of the elements of an array class. */
struct element {
	bool known;  /* id is valid */
	uint64_t id; /* 0: not in the dump */
	char *name;
};

struct section {
	struct text_writer *text;
	hprof_progress_fn *progress;
	void *progress_user;
	const struct hprof_heap *heap;
	const struct hprof_summary *summary;
	struct hprof_cursor *cursor;
	struct element *elements; /* by row of classes */
	bool no_memory;
	uint64_t values[ELEMENTS];
};

static const char *name_of(const struct section *s, size_t row)
{
	return row < s->summary->class_count ? s->summary->class_rows[row].name
					     : NULL;
}

static uint64_t id_of(const struct section *s, size_t row)
{
	return row < s->summary->class_count
		       ? s->summary->class_rows[row].class_id
		       : 0;
}

/* ---- roots --------------------------------------------------------------- */

static void put_root(const struct section *s,
		     const struct hprof_heap_root *root)
{
	struct text_root line = {
		.tag = root->tag,
		.object_id = root->object_id,
		.jni_ref = root->jni_ref,
		.thread_serial = root->thread_serial,
		.trace_serial = root->trace_serial,
		.frame = root->frame,
	};

	if (root->tag == HPROF_ROOT_STICKY_CLASS)
		line.class_name =
			name_of(s, hprof_heap_class(s->heap, root->object_id));
	text_put_root(s->text, &line);
}

/* ---- objects ------------------------------------------------------------- */

static void put_class_edge(const struct section *s,
			   const struct hprof_edge *edge)
{
	static const struct {
		enum hprof_edge_kind kind;
		const char *name;
	} parts[] = {
		{ HPROF_EDGE_SUPER, "super" },
		{ HPROF_EDGE_LOADER, "loader" },
		{ HPROF_EDGE_SIGNERS, "signers" },
		{ HPROF_EDGE_DOMAIN, "domain" },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (edge->kind == parts[i].kind)
			text_put_class_part(s->text, parts[i].name,
					    edge->to_id);
	if (edge->kind == HPROF_EDGE_STATIC)
		text_put_static(s->text, edge->name, edge->to_id);
	else if (edge->kind == HPROF_EDGE_CONSTANT)
		text_put_constant(s->text, edge->number, edge->to_id);
}

/* The constant pool is printed last, although it comes first in the record. */
static enum hprof_status put_class_edges(struct section *s, bool constants)
{
	struct hprof_edge edge;
	enum hprof_status status = HPROF_OK;

	for (uint64_t i = 0; status == HPROF_OK; i++) {
		status = hprof_cursor_edge(s->cursor, i, &edge);
		if (status == HPROF_OK &&
		    (edge.kind == HPROF_EDGE_CONSTANT) == constants)
			put_class_edge(s, &edge);
	}
	return status < 0 ? status : HPROF_OK;
}

/* What the line of each object says; the class is its own. */
static struct text_object line_of(const struct section *s,
				  const struct hprof_object *object)
{
	return (struct text_object){
		.id = object->id,
		.trace_serial = object->trace_serial,
		.size = object->shallow,
		.length = object->length,
		.class_name = name_of(s, object->class_row),
		.class_id = id_of(s, object->class_row),
	};
}

static enum hprof_status put_class(struct section *s,
				   const struct hprof_object *object)
{
	const struct text_object line = line_of(s, object);
	enum hprof_status status;

	text_put_class(s->text, &line);
	status = put_class_edges(s, false);
	return status == HPROF_OK ? put_class_edges(s, true) : status;
}

static enum hprof_status put_instance(struct section *s,
				      const struct hprof_object *object)
{
	const struct text_object line = line_of(s, object);
	struct hprof_field field;
	enum hprof_status status = HPROF_OK;

	text_put_instance(s->text, &line);
	for (size_t i = 0; status == HPROF_OK; i++) {
		status = hprof_cursor_field(s->cursor, i, &field);
		if (status == HPROF_OK && field.type == HPROF_TYPE_OBJECT &&
		    field.value)
			text_put_field(s->text, field.name, field.value);
	}
	return status < 0 ? status : HPROF_OK;
}

/* The class with that name, preferably one of the loader of ROW. */
static uint64_t find_element(const struct section *s, size_t row,
			     const char *name)
{
	const struct hprof_class_row *rows = s->summary->class_rows;
	uint64_t id = 0;

	for (size_t i = 0; i < s->summary->class_count; i++) {
		i = hprof_heap_class_named(s->heap, name, i);
		if (i >= s->summary->class_count)
			break;
		if (!id || rows[i].loader_id == rows[row].loader_id)
			id = rows[i].class_id;
	}
	return id;
}

static const struct element *element_of(struct section *s, size_t row)
{
	static const struct element unknown = { true, 0, NULL };
	struct element *element;
	size_t size;

	if (row >= s->summary->class_count)
		return &unknown;
	element = &s->elements[row];
	if (element->known)
		return element;
	element->name = strdup(s->summary->class_rows[row].name);
	if (!element->name) {
		s->no_memory = true;
		return &unknown;
	}
	element->known = true;
	size = strlen(element->name);
	if (size > 2 && strcmp(element->name + size - 2, "[]") == 0)
		element->name[size - 2] = 0;
	element->id = find_element(s, row, element->name);
	return element;
}

static enum hprof_status put_obj_array(struct section *s,
				       const struct hprof_object *object)
{
	const struct element *element = element_of(s, object->class_row);
	struct text_object line = line_of(s, object);
	size_t count;

	line.class_name = element->name;
	line.class_id = element->id;
	text_put_array(s->text, &line);
	for (uint64_t at = 0;; at += count) {
		enum hprof_status status = hprof_cursor_elements(
			s->cursor, at, ELEMENTS, s->values, &count);

		if (status < 0 || count == 0)
			return status;
		for (size_t i = 0; i < count; i++)
			if (s->values[i])
				text_put_element(s->text, at + i, s->values[i]);
	}
}

static enum hprof_status put_object(struct section *s, uint64_t index)
{
	struct hprof_object object;
	struct text_object line;
	enum hprof_status status = hprof_cursor_seek(s->cursor, index, &object);

	if (status != HPROF_OK)
		return status;
	switch (object.kind) {
	case HPROF_OBJECT_CLASS:
		return put_class(s, &object);
	case HPROF_OBJECT_INSTANCE:
		return put_instance(s, &object);
	case HPROF_OBJECT_OBJ_ARRAY:
		return put_obj_array(s, &object);
	default:
		line = line_of(s, &object);
		line.size = object.data;
		line.class_name = hprof_type_name(object.type);
		text_put_values(s->text, &line);
		return HPROF_OK;
	}
}

/* ---- the section --------------------------------------------------------- */

/* Shall it go on? */
static bool look(const struct section *s, uint64_t at, uint64_t count)
{
	return at % LOOK != 0 || !s->progress ||
	       s->progress(s->progress_user, "objects", at, count);
}

static enum hprof_status put_all(struct section *s)
{
	const struct hprof_heap_root *roots = hprof_heap_roots(s->heap);
	uint64_t count = hprof_heap_count(s->heap);
	enum hprof_status status = HPROF_OK;

	for (size_t i = 0; i < hprof_heap_root_count(s->heap); i++)
		put_root(s, &roots[i]);
	for (uint64_t i = 0;
	     i < count && status == HPROF_OK && s->text->status == HPROF_OK;
	     i++) {
		if (!look(s, i, count))
			return HPROF_E_CANCELLED;
		status = put_object(s, i);
		if (s->no_memory)
			status = HPROF_E_NOMEM;
	}
	return status;
}

static enum hprof_status put_section(struct section *s,
				     struct hprof_error *error)
{
	const struct hprof_summary *summary = s->summary;
	enum hprof_status status = hprof_cursor_new(s->heap, &s->cursor, error);

	if (status < 0)
		return status;
	text_put_heap_begin(s->text, summary->objects, summary->shallow,
			    summary->header.time_ms);
	status = put_all(s);
	if (status < 0)
		*error = *hprof_cursor_error(s->cursor);
	text_put_heap_end(s->text);
	hprof_cursor_free(s->cursor);
	return status;
}

/* What the cursor does not know of. */
static enum hprof_status complete(enum hprof_status status,
				  struct hprof_error *error)
{
	if (status < 0 && error->status != status) {
		*error = (struct hprof_error){ .status = status,
					       .offset = UINT64_MAX };
		snprintf(error->text, sizeof error->text, "%s",
			 hprof_status_text(status));
	}
	return status;
}

enum hprof_status text_put_heap(struct text_writer *w,
				const struct hprof_heap *heap,
				hprof_progress_fn *progress,
				void *progress_user, struct hprof_error *error)
{
	const struct hprof_summary *summary = hprof_heap_summary(heap);
	struct section *s;
	enum hprof_status status = HPROF_E_NOMEM;

	if (!summary->objects && !summary->roots)
		return HPROF_OK;
	s = calloc(1, sizeof(*s));
	if (!s)
		return complete(status, error);
	s->text = w;
	s->progress = progress;
	s->progress_user = progress_user;
	s->heap = heap;
	s->summary = summary;
	s->elements = calloc(summary->class_count + 1, sizeof(*s->elements));
	if (s->elements)
		status = put_section(s, error);
	for (size_t i = 0; s->elements && i < summary->class_count; i++)
		free(s->elements[i].name);
	free(s->elements);
	free(s);
	return complete(status, error);
}
