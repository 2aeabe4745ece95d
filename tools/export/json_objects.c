/* SPDX-License-Identifier: MIT */
/*
 * json_objects.c - instances and arrays as lines of JSON.
 *
 * An instance has its fields by name if the CLASS_DUMPs of its class and of
 * all superclasses came before it, else its data as hexadecimal digits. What
 * stands before each value is made once for a class. A damaged dump may have
 * classes that take more than they are worth: there are limits.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tools/common/cli.h"
#include "tools/export/json_records.h"

/* One field: its type, and "NAME": with a comma before it. */
struct field {
	uint8_t type;
	uint16_t size; /* of KEY */
	size_t key;    /* where, in the keys of the layout */
};

struct layout {
	const struct hprof_named_field *made_of;
	size_t count;
	struct field *fields; /* both behind this struct */
	const char *keys;
};

enum {
	KEY_MOST = 400,	       /* bytes of a name; longer ones are cut */
	FIELDS_MOST = 2048,    /* of a layout */
	LAYOUTS_MOST = 1 << 28 /* bytes of all of them */
};

/* ---- layouts ------------------------------------------------------------- */

/* The name of a field as part of a string of JSON. */
static size_t put_name(char *out, const char *text, size_t size)
{
	static struct json_lines lines; /* only its buffer is used */

	lines.used = 0;
	json_lines_escaped(&lines, text, size);
	memcpy(out, lines.buffer, lines.used);
	return lines.used;
}

/* What tells fields of one name apart. */
enum spelling { PLAIN, WITH_CLASS, WITH_NUMBER };

/* ,"NAME": or ,"CLASS.NAME": or ,"CLASS.NAME#5": */
static size_t put_key(char *out, const struct hprof_named_field *field,
		      enum spelling spelling, size_t number)
{
	const struct hprof_named_class *of = field->declared_by;
	size_t size = 2;

	memcpy(out, ",\"", 2);
	if (spelling != PLAIN && of->name) {
		size += put_name(out + size, of->name,
				 of->name_size < KEY_MOST ? of->name_size
							  : KEY_MOST);
		out[size++] = '.';
	}
	if (field->name)
		size += put_name(out + size, field->name,
				 field->name_size < KEY_MOST ? field->name_size
							     : KEY_MOST);
	else
		size += (size_t)sprintf(out + size, "?0x%llx",
					(unsigned long long)field->name_id);
	if (spelling == WITH_NUMBER)
		size += (size_t)sprintf(out + size, "#%zu", number);
	memcpy(out + size, "\":", 2);
	return size + 2;
}

/* A layout in the making: one block, which moves as it grows. */
struct making {
	char *block;
	size_t room, used;
	size_t count; /* fields so far */
};

static struct field *field_at(const struct making *m, size_t i)
{
	return (struct field *)(void *)(m->block + sizeof(struct layout)) + i;
}

static bool has_key(const struct making *m, const char *key, size_t size)
{
	for (size_t i = 0; i < m->count; i++) {
		const struct field *field = field_at(m, i);

		if (field->size == size &&
		    memcmp(m->block + field->key, key, size) == 0)
			return true;
	}
	return false;
}

/* Names that are cut or not known may be equal even with their classes. */
static void add_field(struct making *m, const struct hprof_named_field *field)
{
	/* An escaped byte takes 12 at most. */
	static char key[2 * 12 * KEY_MOST + 128];
	size_t size = put_key(key, field, PLAIN, 0);

	if (has_key(m, key, size))
		size = put_key(key, field, WITH_CLASS, 0);
	if (has_key(m, key, size))
		size = put_key(key, field, WITH_NUMBER, m->count);
	if (m->room - m->used < size) {
		m->room = 2 * m->room + size;
		m->block = cli_realloc(m->block, m->room, 1);
	}
	memcpy(m->block + m->used, key, size);
	*field_at(m, m->count++) =
		(struct field){ field->type, (uint16_t)size, m->used };
	m->used += size;
}

static struct layout *make_layout(struct json_records *j,
				  const struct hprof_named_field *fields,
				  size_t count)
{
	struct making m = { .room = sizeof(struct layout) +
				    count * sizeof(struct field) };
	struct layout *layout;

	m.used = m.room;
	m.block = cli_calloc(m.room + 1, 1);
	while (m.count < count)
		add_field(&m, &fields[m.count]);
	layout = (struct layout *)(void *)m.block;
	layout->made_of = fields;
	layout->count = count;
	layout->fields = field_at(&m, 0);
	layout->keys = m.block;
	j->layout_bytes += m.room;
	return layout;
}

/* Where the layout of the class with NUMBER is. */
static struct layout **layout_slot(struct json_records *j, size_t number)
{
	if (number >= j->layout_room) {
		size_t room = 2 * number + 64;

		j->layouts = cli_realloc((void *)j->layouts, room,
					 sizeof(*j->layouts));
		memset((void *)(j->layouts + j->layout_room), 0,
		       (room - j->layout_room) * sizeof(*j->layouts));
		j->layout_room = room;
	}
	return &j->layouts[number];
}

/* NULL: not known, or not yet. */
static const struct layout *layout_of(struct json_records *j,
				      const struct hprof_named_class *of)
{
	const struct hprof_named_field *fields;
	struct layout **slot;
	size_t count;

	if (!of || !hprof_names_layout(j->names, of, &fields, &count))
		return NULL;
	slot = layout_slot(j, of->number);
	if (*slot && (*slot)->made_of == fields)
		return *slot;
	if (count > FIELDS_MOST || j->layout_bytes > LAYOUTS_MOST)
		return NULL;
	free(*slot);
	*slot = make_layout(j, fields, count);
	return *slot;
}

void json_records_free_layouts(struct json_records *j)
{
	for (size_t i = 0; i < j->layout_room; i++)
		free(j->layouts[i]);
	free((void *)j->layouts);
}

/* ---- instances ----------------------------------------------------------- */

static uint64_t get(const uint8_t *bytes, unsigned width)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < width; i++)
		value = value << 8 | bytes[i];
	return value;
}

/* What identifies any object. */
static void put_head(struct json_records *j, const struct hprof_record *record,
		     uint64_t object_id, uint32_t trace)
{
	struct json_lines *out = &j->lines;

	json_lines_literal(out, "{\"record\":\"");
	json_lines_raw(out, hprof_tag_name(record->tag),
		       strlen(hprof_tag_name(record->tag)));
	json_lines_literal(out, "\",\"offset\":");
	json_lines_number(out, record->offset);
	json_lines_literal(out, ",\"object_id\":");
	json_lines_id(out, object_id);
	json_lines_literal(out, ",\"trace_serial\":");
	json_lines_number(out, trace);
}

static void put_hex_body(struct json_records *j, const char *key,
			 const struct hprof_bytes *bytes)
{
	const uint8_t *piece;
	uint64_t at = 0;
	size_t size;

	json_lines_key(&j->lines, key, false);
	json_lines_literal(&j->lines, "\"");
	while ((piece = json_records_bytes(j, bytes, 1, &at, &size)))
		json_lines_hex(&j->lines, piece, size);
	json_lines_literal(&j->lines, "\"");
}

static void put_fields(struct json_records *j, const struct layout *layout,
		       struct hprof_bytes data)
{
	struct json_lines *out = &j->lines;
	bool first = true;

	json_lines_literal(out, ",\"fields\":{");
	for (size_t i = 0; i < layout->count; i++) {
		const struct field *field = &layout->fields[i];
		const char *key = layout->keys + field->key;
		unsigned width = hprof_type_size(field->type, j->id_size);
		size_t left = field->size - first;

		if (!width || width > data.size)
			break;
		key += first;
		while (left) { /* names may be longer than a piece */
			size_t n = left < JSON_LINES_PIECE ? left
							   : JSON_LINES_PIECE;
			json_lines_raw(out, key, n);
			key += n;
			left -= n;
		}
		json_lines_value(out, field->type, get(data.data, width));
		data.data += width;
		data.size -= width;
		first = false;
	}
	json_lines_literal(out, "}");
	if (data.size)
		put_hex_body(j, "rest", &data);
}

void json_records_instance(struct json_records *j,
			   const struct hprof_record *record)
{
	const struct hprof_instance_dump *dump = &record->u.instance_dump;
	const struct hprof_named_class *of =
		hprof_names_class(j->names, dump->class_id);
	const struct layout *layout = layout_of(j, of);

	put_head(j, record, dump->object_id, dump->trace_serial);
	json_lines_literal(&j->lines, ",\"class_id\":");
	json_lines_id(&j->lines, dump->class_id);
	json_records_class(j, "class", of);
	if (layout && (dump->data.data || !dump->data.size))
		put_fields(j, layout, dump->data);
	else
		put_hex_body(j, "data", &dump->data);
}

/* ---- arrays -------------------------------------------------------------- */

static void put_elements(struct json_records *j, unsigned type, unsigned width,
			 const struct hprof_bytes *bytes)
{
	struct json_lines *out = &j->lines;
	const uint8_t *piece;
	uint64_t at = 0;
	size_t size;
	bool first = true;

	json_lines_literal(out, ",\"elements\":[");
	while ((piece = json_records_bytes(j, bytes, width, &at, &size)))
		for (; size >= width; size -= width, piece += width) {
			if (!first)
				json_lines_literal(out, ",");
			json_lines_value(out, type, get(piece, width));
			first = false;
		}
	json_lines_literal(out, "]");
}

void json_records_obj_array(struct json_records *j,
			    const struct hprof_record *record)
{
	const struct hprof_obj_array_dump *dump = &record->u.obj_array_dump;

	put_head(j, record, dump->object_id, dump->trace_serial);
	json_lines_literal(&j->lines, ",\"class_id\":");
	json_lines_id(&j->lines, dump->class_id);
	json_records_class(j, "class",
			   hprof_names_class(j->names, dump->class_id));
	json_lines_literal(&j->lines, ",\"length\":");
	json_lines_number(&j->lines, dump->count);
	put_elements(j, HPROF_TYPE_OBJECT, j->id_size, &dump->elements);
}

static void put_units(struct json_records *j, const struct hprof_bytes *bytes)
{
	const uint8_t *piece;
	uint64_t at = 0;
	size_t size;

	json_lines_literal(&j->lines, ",\"text\":\"");
	while ((piece = json_records_bytes(j, bytes, 2, &at, &size)))
		for (; size >= 2; size -= 2, piece += 2)
			json_lines_unit(&j->lines,
					(unsigned)piece[0] << 8 | piece[1]);
	json_lines_literal(&j->lines, "\"");
}

void json_records_prim_array(struct json_records *j,
			     const struct hprof_record *record)
{
	const struct hprof_prim_array_dump *dump = &record->u.prim_array_dump;
	unsigned width = hprof_type_size(dump->type, j->id_size);
	const char *type = hprof_type_name(dump->type);

	put_head(j, record, dump->object_id, dump->trace_serial);
	json_lines_literal(&j->lines, ",\"type\":");
	json_lines_text(&j->lines, type, type ? strlen(type) : 0);
	json_lines_literal(&j->lines, ",\"length\":");
	json_lines_number(&j->lines, dump->count);
	if (record->tag == HPROF_PRIM_ARRAY_NODATA_DUMP)
		return;
	if (dump->type == HPROF_TYPE_CHAR)
		put_units(j, &dump->elements);
	else
		put_elements(j, dump->type, width ? width : 1, &dump->elements);
}
