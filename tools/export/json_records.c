/* SPDX-License-Identifier: MIT */
/*
 * json_records.c - any record as a line of JSON, by its description.
 *
 * Keys are the names of hprof(5). A member that refers to a string or a class
 * is followed by its name, as far as it is known at that point: "class_id" by
 * "class", "name_id" by "name".
 */
#include <stdio.h>
#include <stdlib.h>

#include "tools/export/json_records.h"

/* ---- fields -------------------------------------------------------------- */

/*
 * The key for the name: "name" for "name_id", "class" for "class_serial", else
 * "NAME_text".
 */
static void short_key(const char *name, char out[64])
{
	size_t size = strlen(name);

	if (size > 3 && strcmp(name + size - 3, "_id") == 0)
		size -= 3;
	else if (size > 7 && strcmp(name + size - 7, "_serial") == 0)
		size -= 7;
	snprintf(out, 64, "%.*s", (int)size, name);
}

static void put_named(struct json_records *j, const struct hprof_field_info *f,
		      uint64_t value)
{
	const char *text;
	size_t size = 0;
	char key[64];

	short_key(f->name, key);
	switch (f->role) {
	case HPROF_ROLE_STRING:
		text = hprof_names_string(j->names, value, &size);
		json_lines_key(&j->lines, key, false);
		json_lines_text(&j->lines, text, size);
		break;
	case HPROF_ROLE_CLASS:
	case HPROF_ROLE_CLASS_DEF:
		json_records_class(j, key, hprof_names_class(j->names, value));
		break;
	case HPROF_ROLE_CLASS_SERIAL:
		json_records_class(
			j, key,
			hprof_names_class_by_serial(j->names, (uint32_t)value));
		break;
	default:
		break;
	}
}

static uint64_t number_at(const struct hprof_field_info *f, const void *at)
{
	uint64_t u8;
	uint32_t u4;
	uint16_t u2;

	switch (f->kind) {
	case HPROF_KIND_U1:
	case HPROF_KIND_TYPE:
		return *(const uint8_t *)at;
	case HPROF_KIND_U2:
		memcpy(&u2, at, sizeof(u2));
		return u2;
	case HPROF_KIND_U4:
	case HPROF_KIND_COUNT:
		memcpy(&u4, at, sizeof(u4));
		return u4;
	default:
		memcpy(&u8, at, sizeof(u8));
		return u8;
	}
}

static void put_text(struct json_records *j, const struct hprof_bytes *bytes)
{
	size_t size = (size_t)bytes->size, room;
	char *text;

	if (!bytes->data) { /* too long to be loaded: written in pieces */
		const uint8_t *piece;
		uint64_t at = 0;

		json_lines_literal(&j->lines, "\"");
		while ((piece = json_records_bytes(j, bytes, 1, &at, &size)))
			json_lines_escaped(&j->lines, (const char *)piece,
					   size);
		json_lines_literal(&j->lines, "\"");
		return;
	}
	room = hprof_text_decode(bytes->data, size, NULL, 0);
	text = malloc(room + 1);
	if (text)
		hprof_text_decode(bytes->data, size, text, room);
	json_lines_text(&j->lines, text, room);
	free(text);
}

static void put_ids(struct json_records *j, const struct hprof_bytes *bytes)
{
	json_lines_literal(&j->lines, "[");
	for (uint64_t i = 0; bytes->data && i < bytes->size / j->id_size; i++) {
		if (i)
			json_lines_literal(&j->lines, ",");
		json_lines_id(&j->lines, hprof_id_at(*bytes, j->id_size, i));
	}
	json_lines_literal(&j->lines, "]");
}

static void put_body(struct json_records *j, const struct hprof_bytes *bytes)
{
	const uint8_t *piece;
	uint64_t at = 0;
	size_t size;

	json_lines_literal(&j->lines, "\"");
	while ((piece = json_records_bytes(j, bytes, 1, &at, &size)))
		json_lines_hex(&j->lines, piece, size);
	json_lines_literal(&j->lines, "\"");
}

static void put_field(struct json_records *j, const struct hprof_field_info *f,
		      const void *at, bool first);

/* Writes the elements of ALLOC_SITES and CPU_SAMPLES. */
static void put_list(struct json_records *j, const struct hprof_field_info *f,
		     const struct hprof_bytes *bytes)
{
	union {
		struct hprof_alloc_site site;
		struct hprof_cpu_sample sample;
	} u;
	bool sites = strcmp(f->name, "sites") == 0;

	json_lines_literal(&j->lines, "[");
	for (uint64_t i = 0; bytes->data; i++) {
		enum hprof_status status =
			sites ? hprof_alloc_site_at(*bytes, i, &u.site)
			      : hprof_cpu_sample_at(*bytes, i, &u.sample);

		if (status != HPROF_OK)
			break;
		if (i)
			json_lines_literal(&j->lines, ",");
		json_lines_literal(&j->lines, "{");
		for (unsigned k = 0; k < f->group->field_count; k++) {
			const struct hprof_field_info *part =
				&f->group->fields[k];
			put_field(j, part, (const char *)&u + part->offset,
				  k == 0);
		}
		json_lines_literal(&j->lines, "}");
	}
	json_lines_literal(&j->lines, "]");
}

static void put_entries(struct json_records *j, const char *key,
			struct hprof_class_cursor cursor, bool constants,
			bool values)
{
	struct hprof_class_entry entry;
	bool first = true;

	json_lines_key(&j->lines, key, false);
	json_lines_literal(&j->lines, "[");
	while (hprof_class_next(&cursor, &entry) == HPROF_OK) {
		size_t size = 0;
		const char *name =
			hprof_names_string(j->names, entry.name_id, &size);
		const char *type = hprof_type_name(entry.type);

		if (!first)
			json_lines_literal(&j->lines, ",");
		first = false;
		if (constants) {
			json_lines_literal(&j->lines, "{\"index\":");
			json_lines_number(&j->lines, entry.index);
		} else {
			json_lines_literal(&j->lines, "{\"name_id\":");
			json_lines_id(&j->lines, entry.name_id);
			json_lines_literal(&j->lines, ",\"name\":");
			json_lines_text(&j->lines, name, size);
		}
		json_lines_literal(&j->lines, ",\"type\":");
		json_lines_text(&j->lines, type, type ? strlen(type) : 0);
		if (values) {
			json_lines_literal(&j->lines, ",\"value\":");
			json_lines_value(&j->lines, entry.type, entry.value);
		}
		json_lines_literal(&j->lines, "}");
	}
	json_lines_literal(&j->lines, "]");
}

static void put_field(struct json_records *j, const struct hprof_field_info *f,
		      const void *at, bool first)
{
	const struct hprof_bytes *bytes = at;
	uint64_t number;
	int32_t line;

	if (f->kind == HPROF_KIND_COUNT || f->kind == HPROF_KIND_CLASS)
		return;
	json_lines_key(&j->lines, f->name, first);
	switch (f->kind) {
	case HPROF_KIND_I4:
		memcpy(&line, at, sizeof(line));
		json_lines_signed(&j->lines, line);
		break;
	case HPROF_KIND_ID:
		number = number_at(f, at);
		json_lines_id(&j->lines, number);
		put_named(j, f, number);
		break;
	case HPROF_KIND_REST:
	case HPROF_KIND_BYTES:
		if (f->role == HPROF_ROLE_TEXT)
			put_text(j, bytes);
		else
			put_body(j, bytes);
		break;
	case HPROF_KIND_IDS:
		put_ids(j, bytes);
		break;
	case HPROF_KIND_LIST:
		put_list(j, f, bytes);
		break;
	default:
		number = number_at(f, at);
		json_lines_number(&j->lines, number);
		put_named(j, f, number);
	}
}

/* ---- records ------------------------------------------------------------- */

static void put_described(struct json_records *j,
			  const struct hprof_record *record,
			  const struct hprof_record_info *info)
{
	for (unsigned i = 0; i < info->field_count; i++) {
		const struct hprof_field_info *f = &info->fields[i];

		put_field(j, f, (const char *)record + f->offset, false);
	}
	if (record->tag != HPROF_CLASS_DUMP)
		return;
	put_entries(j, "constants", hprof_class_constants(record), true, true);
	put_entries(j, "statics", hprof_class_statics(record), false, true);
	put_entries(j, "fields", hprof_class_fields(record), false, false);
}

static void put_any(struct json_records *j, const struct hprof_record *record)
{
	const struct hprof_record_info *info =
		hprof_record_describe(record->tag);
	const char *name = info ? info->name : "unknown";
	bool is_heap = record->tag == HPROF_HEAP_DUMP ||
		       record->tag == HPROF_HEAP_DUMP_SEGMENT;

	json_lines_literal(&j->lines, "{\"record\":\"");
	json_lines_raw(&j->lines, name, strlen(name));
	json_lines_literal(&j->lines, "\",\"offset\":");
	json_lines_number(&j->lines, record->offset);
	if (record->tag < HPROF_SUB) {
		json_lines_literal(&j->lines, ",\"time_us\":");
		json_lines_number(&j->lines, record->time_us);
	}
	if (is_heap) {
		json_lines_literal(&j->lines, ",\"length\":");
		json_lines_number(&j->lines, record->length);
	} else if (info) {
		put_described(j, record, info);
	} else {
		json_lines_literal(&j->lines, ",\"tag\":");
		json_lines_number(&j->lines, record->tag % HPROF_SUB);
		json_lines_literal(&j->lines, ",\"body\":");
		put_body(j, &record->u.unknown.body);
	}
}

void json_records_put(struct json_records *j, const struct hprof_record *record)
{
	switch (record->tag) {
	case HPROF_INSTANCE_DUMP:
		json_records_instance(j, record);
		break;
	case HPROF_OBJ_ARRAY_DUMP:
		json_records_obj_array(j, record);
		break;
	case HPROF_PRIM_ARRAY_DUMP:
	case HPROF_PRIM_ARRAY_NODATA_DUMP:
		json_records_prim_array(j, record);
		break;
	default:
		put_any(j, record);
	}
	if (record->tag < HPROF_SUB && record->rest.size && record->rest.data) {
		json_lines_literal(&j->lines, ",\"rest\":");
		put_body(j, &record->rest);
	}
	json_lines_literal(&j->lines, "}\n");
}
