/* SPDX-License-Identifier: MIT */
/*
 * cursor_fields.c - what is in an object: fields, statics, elements, and the
 * references among them.
 */
#include <string.h>

#include "heap/cursor.h"
#include "base/error.h"

/* ---- fields -------------------------------------------------------------- */

static enum hprof_status nowhere(struct hprof_cursor *c)
{
	return hp_fail(&c->error, HPROF_E_USAGE, HP_NO_OFFSET,
		       "the cursor is not on such an object");
}

/* Moves on to the next superclass that has fields. */
static void next_level(const struct hprof_heap *heap, struct hp_level *level)
{
	const struct hp_heap_class *of = level->of;

	level->first += of->own->field_count;
	level->base += of->own->size;
	level->of = of->super != HP_NO_CLASS ? &heap->classes[of->super] : NULL;
}

enum hprof_status hp_cursor_field(struct hprof_cursor *c,
				  const struct hp_spot *spot,
				  struct hp_level *level, uint64_t i,
				  struct hprof_field *ret)
{
	const struct hprof_field *own;
	const uint8_t *p;
	unsigned width;
	uint64_t at;

	if (i < level->first)
		*level = hp_cursor_first_level(spot);
	while (level->of && i - level->first >= level->of->own->field_count) {
		if (level->base >= spot->object.data)
			return HPROF_END;
		next_level(c->heap, level);
	}
	if (!level->of)
		return HPROF_END;
	own = &level->of->own->fields[i - level->first];
	width = hprof_type_size(own->type, c->heap->id_size);
	at = level->base + own->offset;
	if (at + width > spot->object.data)
		return HPROF_END;
	p = hp_cursor_bytes(c, spot->values + at, width);
	if (!p)
		return c->error.status;
	*ret = *own;
	ret->offset = (uint32_t)at;
	ret->value = hp_get_id(p, width);
	return HPROF_OK;
}

enum hprof_status hprof_cursor_field(struct hprof_cursor *c, size_t i,
				     struct hprof_field *ret_field)
{
	const struct hp_spot *spot;

	HP_NEED(NULL, c);
	HP_NEED(&c->error, ret_field);
	if (!c->on)
		return nowhere(c);
	spot = &c->here.spot;
	if (spot->object.kind != HPROF_OBJECT_CLASS)
		return hp_cursor_field(c, spot, &c->here.level, i, ret_field);
	if (i >= spot->of->own->static_count)
		return HPROF_END;
	*ret_field = spot->of->own->statics[i];
	return HPROF_OK;
}

enum hprof_status hprof_cursor_field_named(struct hprof_cursor *c,
					   const char *class_name,
					   const char *name,
					   struct hprof_field *ret_field)
{
	const struct hprof_summary *s;
	struct hprof_field field;
	enum hprof_status status;

	HP_NEED(NULL, c);
	HP_NEED(&c->error, name);
	HP_NEED(&c->error, ret_field);
	s = c->heap->summary;
	for (size_t i = 0;
	     (status = hprof_cursor_field(c, i, &field)) == HPROF_OK; i++) {
		if (strcmp(field.name, name) != 0)
			continue;
		if (class_name && strcmp(s->class_rows[field.class_row].name,
					 class_name) != 0)
			continue;
		*ret_field = field;
		return HPROF_OK;
	}
	return status;
}

/* ---- elements ------------------------------------------------------------ */

enum hprof_status hp_cursor_elements(struct hprof_cursor *c,
				     const struct hp_spot *spot, uint64_t first,
				     size_t count, uint64_t *ret_values,
				     size_t *ret_count)
{
	enum { PIECE = 4096 };
	const unsigned width = spot->width;
	uint64_t length = spot->object.data / width; /* may lack data */
	size_t done = 0;

	if (first >= length)
		count = 0;
	else if (count > length - first)
		count = (size_t)(length - first);
	while (done < count) {
		size_t n = count - done < PIECE ? count - done : PIECE;
		const uint8_t *p = hp_cursor_bytes(
			c, spot->values + (first + done) * width, n * width);
		if (!p)
			return c->error.status;
		for (size_t i = 0; i < n; i++)
			ret_values[done + i] = hp_get_id(p + i * width, width);
		done += n;
	}
	*ret_count = count;
	return HPROF_OK;
}

enum hprof_status hprof_cursor_elements(struct hprof_cursor *c, uint64_t first,
					size_t count, uint64_t *ret_values,
					size_t *ret_count)
{
	HP_NEED(NULL, c);
	if (count)
		HP_NEED(&c->error, ret_values);
	HP_NEED(&c->error, ret_count);
	if (!c->on || c->here.spot.width == 0)
		return nowhere(c);
	return hp_cursor_elements(c, &c->here.spot, first, count, ret_values,
				  ret_count);
}

/* ---- references ---------------------------------------------------------- */

/*
 * The possible references of an object are numbered: first the class of an
 * instance or array, and the header fields of a class. Null references are
 * skipped. Returns HPROF_END after the last one; HPROF_OK with to_id 0 is a
 * null reference.
 */
static enum hprof_status class_source(const struct hp_dumped_class *own,
				      uint64_t at, struct hprof_edge *ret)
{
	static const enum hprof_edge_kind heads[] = { HPROF_EDGE_SUPER,
						      HPROF_EDGE_LOADER,
						      HPROF_EDGE_SIGNERS,
						      HPROF_EDGE_DOMAIN };
	const uint64_t ids[] = { own->super_id, own->loader_id, own->signers_id,
				 own->domain_id };

	if (at < 4) {
		ret->kind = heads[at];
		ret->to_id = ids[at];
		return HPROF_OK;
	}
	at -= 4;
	if (at < own->constant_count) {
		const struct hprof_class_entry *entry = &own->constants[at];
		ret->kind = HPROF_EDGE_CONSTANT;
		ret->number = entry->index;
		if (entry->type == HPROF_TYPE_OBJECT)
			ret->to_id = entry->value;
		return HPROF_OK;
	}
	at -= own->constant_count;
	if (at >= own->static_count)
		return HPROF_END;
	ret->kind = HPROF_EDGE_STATIC;
	ret->number = at;
	ret->name = own->statics[at].name;
	if (own->statics[at].type == HPROF_TYPE_OBJECT)
		ret->to_id = own->statics[at].value;
	return HPROF_OK;
}

static enum hprof_status field_source(struct hprof_cursor *c, uint64_t at,
				      struct hprof_edge *ret)
{
	const struct hp_spot *spot = &c->here.spot;
	struct hprof_field field;
	enum hprof_status status =
		hp_cursor_field(c, spot, &c->here.level, at, &field);

	if (status != HPROF_OK)
		return status;
	ret->kind = field.offset == spot->of->referent ? HPROF_EDGE_REFERENT
						       : HPROF_EDGE_FIELD;
	ret->number = at;
	ret->name = field.name;
	if (field.type == HPROF_TYPE_OBJECT)
		ret->to_id = field.value;
	return HPROF_OK;
}

static enum hprof_status element_source(struct hprof_cursor *c, uint64_t at,
					struct hprof_edge *ret)
{
	size_t count;

	ret->kind = HPROF_EDGE_ELEMENT;
	ret->number = at;
	HP_TRY(hp_cursor_elements(c, &c->here.spot, at, 1, &ret->to_id,
				  &count));
	return count ? HPROF_OK : HPROF_END;
}

static enum hprof_status source(struct hprof_cursor *c, uint64_t at,
				struct hprof_edge *ret)
{
	const struct hp_spot *spot = &c->here.spot;

	if (spot->object.kind == HPROF_OBJECT_CLASS)
		return class_source(spot->of->own, at, ret);
	if (at == 0) {
		ret->kind = HPROF_EDGE_CLASS;
		ret->to_id = spot->class_id;
		return HPROF_OK;
	}
	if (spot->object.kind == HPROF_OBJECT_INSTANCE)
		return field_source(c, at - 1, ret);
	if (spot->object.kind == HPROF_OBJECT_OBJ_ARRAY)
		return element_source(c, at - 1, ret);
	return HPROF_END;
}

enum hprof_status hprof_cursor_edge(struct hprof_cursor *c, uint64_t i,
				    struct hprof_edge *ret_edge)
{
	HP_NEED(NULL, c);
	HP_NEED(&c->error, ret_edge);
	if (!c->on)
		return nowhere(c);
	if (i < c->here.edge)
		c->here.edge = c->here.edge_at = 0;
	for (;;) {
		struct hprof_edge edge = { .from = c->here.spot.object.index };
		enum hprof_status status = source(c, c->here.edge_at, &edge);
		if (status != HPROF_OK)
			return status;
		if (edge.to_id && c->here.edge == i) {
			edge.to = hp_heap_find(c->heap, edge.to_id);
			*ret_edge = edge;
			return HPROF_OK;
		}
		c->here.edge_at++;
		c->here.edge += edge.to_id != 0;
	}
}
