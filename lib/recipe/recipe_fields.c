/* SPDX-License-Identifier: MIT */
/*
 * recipe_fields.c - writes the fields of a record to a recipe, driven by the
 * record's description. Fields that are 0 or empty are omitted.
 */
#include "recipe/recipe_out.h"
#include "base/wire.h"

static const char *type_text(unsigned type)
{
	return hprof_type_name(type) ? hprof_type_name(type) : "?";
}

/*
 * The value of the member that FIELD describes; BASE is the record or the
 * struct of a list's element.
 */
static uint64_t get_number(const void *base,
			   const struct hprof_field_info *field)
{
	const char *p = (const char *)base + field->offset;
	uint64_t u8;
	uint32_t u4;
	uint16_t u2;

	switch (field->kind) {
	case HPROF_KIND_ID:
	case HPROF_KIND_U8:
		memcpy(&u8, p, sizeof u8);
		return u8;
	case HPROF_KIND_U2:
		memcpy(&u2, p, sizeof u2);
		return u2;
	case HPROF_KIND_U1:
	case HPROF_KIND_TYPE:
		return (uint8_t)*p;
	default:
		memcpy(&u4, p, sizeof u4);
		return u4;
	}
}

static struct hprof_bytes get_bytes(const struct hprof_record *record,
				    const struct hprof_field_info *field)
{
	struct hprof_bytes bytes;

	memcpy(&bytes, (const char *)record + field->offset, sizeof bytes);
	return bytes;
}

static void write_number(struct hp_recipe_out *o, const void *base,
			 const struct hprof_field_info *field)
{
	uint64_t value = get_number(base, field);

	if (value == 0)
		return;
	hp_out_key(o, field->name);
	if (field->kind == HPROF_KIND_ID || field->role == HPROF_ROLE_FLAGS)
		hp_out_hex(o, value);
	else if (field->kind == HPROF_KIND_I4)
		hp_out_signed(o, (int32_t)value);
	else if (field->kind == HPROF_KIND_TYPE)
		hp_out_text(o, type_text((unsigned)value));
	else
		hp_out_decimal(o, value);
}

/* Writes the elements of LIST, which all have TYPE. */
static void write_values(struct hp_recipe_out *o, const char *name,
			 unsigned type, struct hprof_bytes list,
			 unsigned id_size)
{
	if (list.size == 0)
		return;
	hp_out_key(o, name);
	hp_out_elements(o, type, list.data, (size_t)list.size, id_size);
}

static void write_group(struct hp_recipe_out *o,
			const struct hprof_record_info *group,
			const void *element)
{
	hp_out_item(o, (size_t)20 * group->field_count);
	hp_out_text(o, "{");
	o->tight = true; /* no blank after the brace */
	for (unsigned i = 0; i < group->field_count; i++)
		write_number(o, element, &group->fields[i]);
	o->tight = false;
	hp_out_text(o, "}");
}

/* Writes the list of an ALLOC_SITES or CPU_SAMPLES record. */
static void write_list(struct hp_recipe_out *o, unsigned tag,
		       const struct hprof_field_info *field,
		       struct hprof_bytes list)
{
	struct hprof_alloc_site site;
	struct hprof_cpu_sample sample;

	if (list.size == 0)
		return;
	hp_out_key(o, field->name);
	hp_out_begin_list(o);
	for (uint64_t i = 0;; i++) {
		bool sites = tag == HPROF_ALLOC_SITES;
		if ((sites ? hprof_alloc_site_at(list, i, &site)
			   : hprof_cpu_sample_at(list, i, &sample)) != HPROF_OK)
			break;
		write_group(o, field->group,
			    sites ? (void *)&site : (void *)&sample);
	}
	hp_out_end_list(o);
}

static void write_class_list(struct hp_recipe_out *o, const char *name,
			     struct hprof_class_cursor cursor, bool constants,
			     bool values)
{
	struct hprof_class_entry entry;
	uint8_t value[8];

	if (cursor.count == 0)
		return;
	hp_out_key(o, name);
	hp_out_begin_list(o);
	while (hprof_class_next(&cursor, &entry) == HPROF_OK) {
		hp_out_item(o, 20);
		if (constants)
			hp_out_decimal(o, entry.index);
		else
			hp_out_hex(o, entry.name_id);
		hp_out_text(o, ":");
		hp_out_text(o, type_text(entry.type));
		if (!values)
			continue;
		hp_out_text(o, ":");
		hp_put_id(value, hprof_type_size(entry.type, cursor.id_size),
			  entry.value);
		hp_out_value(o, entry.type, value, cursor.id_size);
	}
	hp_out_end_list(o);
}

static void write_class_lists(struct hp_recipe_out *o,
			      const struct hprof_record *r)
{
	write_class_list(o, "constants", hprof_class_constants(r), true, true);
	write_class_list(o, "statics", hprof_class_statics(r), false, true);
	write_class_list(o, "fields", hprof_class_fields(r), false, false);
}

static void write_tail(struct hp_recipe_out *o, const struct hprof_record *r,
		       const struct hprof_field_info *field)
{
	struct hprof_bytes bytes = get_bytes(r, field);

	switch (field->kind) {
	case HPROF_KIND_IDS:
		write_values(o, field->name, HPROF_TYPE_OBJECT, bytes,
			     r->id_size);
		break;
	case HPROF_KIND_VALUES:
		write_values(o, field->name, r->u.prim_array_dump.type, bytes,
			     r->id_size);
		break;
	case HPROF_KIND_LIST:
		write_list(o, r->tag, field, bytes);
		break;
	case HPROF_KIND_CLASS:
		write_class_lists(o, r);
		break;
	default:
		hp_out_bytes(o, field->name, bytes.data, (size_t)bytes.size,
			     field->role == HPROF_ROLE_TEXT);
	}
}

/* A count is omitted if a list follows: the assembler counts its items. */
void hp_out_fields(struct hp_recipe_out *o,
		   const struct hprof_record_info *info,
		   const struct hprof_record *r, bool counts)
{
	const struct hprof_field_info *last =
		&info->fields[info->field_count ? info->field_count - 1 : 0];

	for (unsigned i = 0; i < info->field_count; i++) {
		const struct hprof_field_info *field = &info->fields[i];
		if (field->kind > HPROF_KIND_COUNT)
			write_tail(o, r, field);
		else if (field->kind != HPROF_KIND_COUNT || counts ||
			 last->kind <= HPROF_KIND_COUNT)
			write_number(o, r, field);
	}
}
