/* SPDX-License-Identifier: MIT */
/*
 * text_heap.c - the section HEAP DUMP: roots, then all objects in the order of
 * the file. Of their contents, only references that are not null are printed.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/export/text_form.h"

enum { LOOK = 16384, ELEMENTS = 4096 };

/* The class of the elements of an array class. */
struct element {
	bool known;  /* id is valid */
	uint64_t id; /* 0: not in the dump */
	char *name;
};

struct section {
	struct text_form *text;
	const struct hprof_heap *heap;
	const struct hprof_summary *summary;
	struct hprof_cursor *cursor;
	struct element *elements; /* by row of classes */
	uint64_t values[ELEMENTS];
};

static const char *name_of(const struct section *s, size_t row)
{
	return row < s->summary->class_count ? s->summary->class_rows[row].name
					     : "<Unknown Class>";
}

static uint64_t id_of(const struct section *s, size_t row)
{
	return row < s->summary->class_count
		       ? s->summary->class_rows[row].class_id
		       : 0;
}

/* ---- roots --------------------------------------------------------------- */

static void put_system_class(const struct section *s,
			     const struct hprof_heap_root *root)
{
	text_put(s->text, "ROOT %x (kind=<system class>, name=%s)\n",
		 root->object_id,
		 name_of(s, hprof_heap_class(s->heap, root->object_id)));
}

static void put_root(const struct section *s,
		     const struct hprof_heap_root *root)
{
	uint64_t id = root->object_id, thread = root->thread_serial;
	int64_t frame = root->frame;

	switch (root->tag) {
	case HPROF_ROOT_THREAD_OBJ:
		text_put(s->text, "ROOT %x (kind=<thread>, id=%u, trace=%u)\n",
			 id, thread, (uint64_t)root->trace_serial);
		break;
	case HPROF_ROOT_JNI_GLOBAL:
		text_put(s->text,
			 "ROOT %x (kind=<JNI global ref>, id=%x, trace=%u)\n",
			 id, root->jni_ref, (uint64_t)root->trace_serial);
		break;
	case HPROF_ROOT_JNI_LOCAL:
		text_put(s->text,
			 "ROOT %x (kind=<JNI local ref>, thread=%u, "
			 "frame=%d)\n",
			 id, thread, frame);
		break;
	case HPROF_ROOT_STICKY_CLASS:
		put_system_class(s, root);
		break;
	case HPROF_ROOT_MONITOR_USED:
		text_put(s->text, "ROOT %x (kind=<busy monitor>)\n", id);
		break;
	case HPROF_ROOT_THREAD_BLOCK:
		text_put(s->text, "ROOT %x (kind=<thread block>, thread=%u)\n",
			 id, thread);
		break;
	case HPROF_ROOT_JAVA_FRAME:
		text_put(s->text,
			 "ROOT %x (kind=<Java stack>, thread=%u, frame=%d)\n",
			 id, thread, frame);
		break;
	case HPROF_ROOT_NATIVE_STACK:
		text_put(s->text, "ROOT %x (kind=<native stack>, thread=%u)\n",
			 id, thread);
		break;
	default:
		text_put(s->text, "ROOT %x (kind=<unknown>)\n", id);
	}
}

/* ---- objects ------------------------------------------------------------- */

static void put_class_edge(const struct section *s,
			   const struct hprof_edge *edge)
{
	switch (edge->kind) {
	case HPROF_EDGE_SUPER:
		text_put(s->text, "\tsuper\t\t%x\n", edge->to_id);
		break;
	case HPROF_EDGE_LOADER:
		text_put(s->text, "\tloader\t\t%x\n", edge->to_id);
		break;
	case HPROF_EDGE_SIGNERS:
		text_put(s->text, "\tsigners\t\t%x\n", edge->to_id);
		break;
	case HPROF_EDGE_DOMAIN:
		text_put(s->text, "\tdomain\t\t%x\n", edge->to_id);
		break;
	case HPROF_EDGE_STATIC:
		text_put(s->text, "\tstatic %s\t%x\n",
			 edge->name ? edge->name : "<Unknown Field>",
			 edge->to_id);
		break;
	case HPROF_EDGE_CONSTANT:
		text_put(s->text, "\tconstant pool entry %u\t%x\n",
			 edge->number, edge->to_id);
		break;
	default:
		break;
	}
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

static enum hprof_status put_class(struct section *s,
				   const struct hprof_object *object)
{
	enum hprof_status status;

	text_put(s->text, "CLS %x (name=%s, trace=%u)\n", object->id,
		 name_of(s, object->class_row), (uint64_t)object->trace_serial);
	status = put_class_edges(s, false);
	return status == HPROF_OK ? put_class_edges(s, true) : status;
}

static enum hprof_status put_instance(struct section *s,
				      const struct hprof_object *object)
{
	struct hprof_field field;
	enum hprof_status status = HPROF_OK;

	text_put(s->text, "OBJ %x (sz=%u, trace=%u, class=%s@%x)\n", object->id,
		 object->shallow, (uint64_t)object->trace_serial,
		 name_of(s, object->class_row), id_of(s, object->class_row));
	for (size_t i = 0; status == HPROF_OK; i++) {
		status = hprof_cursor_field(s->cursor, i, &field);
		if (status == HPROF_OK && field.type == HPROF_TYPE_OBJECT &&
		    field.value) {
			const char *name =
				field.name ? field.name : "<Unknown Field>";

			text_put(s->text,
				 strlen(name) < 8 ? "\t%s\t\t%x\n"
						  : "\t%s\t%x\n",
				 name, field.value);
		}
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
	element->known = true;
	element->name = cli_strdup(s->summary->class_rows[row].name);
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
	size_t count;

	text_put(s->text,
		 "ARR %x (sz=%u, trace=%u, nelems=%u, elem type=%s@%x)\n",
		 object->id, object->shallow, (uint64_t)object->trace_serial,
		 object->length,
		 element->name ? element->name : "<Unknown Class>",
		 element->id);
	for (uint64_t at = 0;; at += count) {
		enum hprof_status status = hprof_cursor_elements(
			s->cursor, at, ELEMENTS, s->values, &count);

		if (status < 0 || count == 0)
			return status;
		for (size_t i = 0; i < count; i++)
			if (s->values[i])
				text_put(s->text, "\t[%u]\t\t%x\n", at + i,
					 s->values[i]);
	}
}

static enum hprof_status put_object(struct section *s, uint64_t index)
{
	struct hprof_object object;
	const char *type;
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
		type = hprof_type_name(object.type);
		text_put(s->text,
			 "ARR %x (sz=%u, trace=%u, nelems=%u, elem type=%s)\n",
			 object.id, object.data, (uint64_t)object.trace_serial,
			 object.length, type ? type : "<Unknown Type>");
		return HPROF_OK;
	}
}

/* ---- the section --------------------------------------------------------- */

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
		if (i % LOOK == 0)
			progress_phase(s->text->job->progress, "objects", i,
				       count);
		status = put_object(s, i);
	}
	return status;
}

enum hprof_status text_put_heap(struct text_form *text,
				const struct export_heap *heap,
				struct hprof_error *error)
{
	const struct hprof_summary *summary = hprof_heap_summary(heap->heap);
	struct section *s;
	enum hprof_status status;

	if (!summary->objects && !summary->roots)
		return HPROF_OK;
	s = cli_calloc(1, sizeof(*s));
	s->text = text;
	s->heap = heap->heap;
	s->summary = summary;
	s->elements =
		cli_calloc(summary->class_count + 1, sizeof(*s->elements));
	status = hprof_cursor_new(heap->heap, &s->cursor, error);
	if (status == HPROF_OK) {
		text_put(text, "HEAP DUMP BEGIN (%u objects, %u bytes) ",
			 summary->objects, summary->shallow);
		text_put_time(text, &summary->header, 0);
		status = put_all(s);
		if (status < 0)
			*error = *hprof_cursor_error(s->cursor);
		text_put(text, "HEAP DUMP END\n");
		hprof_cursor_free(s->cursor);
	}
	for (size_t i = 0; i < summary->class_count; i++)
		free(s->elements[i].name);
	free(s->elements);
	free(s);
	return status;
}
