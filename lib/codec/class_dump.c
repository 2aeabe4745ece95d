/* SPDX-License-Identifier: MIT */
/*
 * class_dump.c - the one irregular record: CLASS_DUMP's lists of constants,
 * statics and fields, whose entries are sized by a type byte. Decoder,
 * encoder and the cursor that walks the entries, side by side.
 *
 *   constants  u2 count, entries { u2 index,  u1 type, value }
 *   statics    u2 count, entries { id name,   u1 type, value }
 *   fields     u2 count, entries { id name,   u1 type }
 */
#include "codec/decode.h"
#include "codec/encode.h"

enum list_kind { CONSTANTS, STATICS, FIELDS };

/* Bytes before the type byte of an entry. */
static unsigned key_size(enum list_kind kind, unsigned z)
{
	return kind == CONSTANTS ? 2 : z;
}

/* The size of the entry at P; 0: it is cut, or (*RET_BAD) its type is bad. */
static size_t entry_size(const uint8_t *p, const uint8_t *end,
			 enum list_kind kind, unsigned z, bool *ret_bad)
{
	size_t key = key_size(kind, z);
	if (hp_room(p, end) < key + 1)
		return 0;
	unsigned value = hprof_type_size(p[key], z);
	if (value == 0) {
		*ret_bad = true;
		return 0;
	}
	if (kind == FIELDS)
		value = 0;
	return hp_room(p, end) < key + 1 + value ? 0 : key + 1 + value;
}

/* Finds the end of COUNT entries. */
static enum hprof_status walk_list(const uint8_t *p, const uint8_t *end,
				   enum list_kind kind, unsigned count,
				   unsigned z, struct hprof_bytes *ret_list)
{
	const uint8_t *start = p;
	bool bad = false;

	while (count-- > 0) {
		size_t size = entry_size(p, end, kind, z, &bad);
		if (size == 0)
			return bad ? HPROF_E_CORRUPT : HPROF_E_TRUNCATED;
		p += size;
	}
	*ret_list = (struct hprof_bytes){ start, hp_room(start, p) };
	return HPROF_OK;
}

static enum hprof_status decode_list(const uint8_t **p, const uint8_t *end,
				     enum list_kind kind, unsigned z,
				     uint16_t *ret_count,
				     struct hprof_bytes *ret_list)
{
	if (hp_room(*p, end) < 2)
		return HPROF_E_TRUNCATED;
	*ret_count = hp_get16(*p);
	*p += 2;
	enum hprof_status status =
		walk_list(*p, end, kind, *ret_count, z, ret_list);
	if (status == HPROF_OK)
		*p += ret_list->size;
	return status;
}

enum hprof_status hp_class_lists_decode(const uint8_t *p, const uint8_t *end,
					unsigned z, struct hprof_class_dump *c,
					const uint8_t **ret_end)
{
	enum hprof_status status;

	status = decode_list(&p, end, CONSTANTS, z, &c->constant_count,
			     &c->constants);
	if (status == HPROF_OK)
		status = decode_list(&p, end, STATICS, z, &c->static_count,
				     &c->statics);
	if (status == HPROF_OK)
		status = decode_list(&p, end, FIELDS, z, &c->field_count,
				     &c->fields);
	if (status == HPROF_OK)
		*ret_end = p;
	return status;
}

/* True if LIST holds COUNT entries and nothing else. */
static bool list_agrees(enum list_kind kind, unsigned z, uint16_t count,
			struct hprof_bytes list)
{
	struct hprof_bytes found = { NULL, 0 };

	if (list.size && !list.data)
		return false;
	if (count) {
		const uint8_t *end = list.data ? list.data + list.size : NULL;
		if (!end || walk_list(list.data, end, kind, count, z, &found) !=
				    HPROF_OK)
			return false;
	}
	return found.size == list.size;
}

bool hp_class_lists_agree(const struct hprof_class_dump *c, unsigned z)
{
	return list_agrees(CONSTANTS, z, c->constant_count, c->constants) &&
	       list_agrees(STATICS, z, c->static_count, c->statics) &&
	       list_agrees(FIELDS, z, c->field_count, c->fields);
}

static void encode_list(uint8_t **p, uint16_t count, struct hprof_bytes list)
{
	hp_put16(*p, count);
	*p += 2;
	if (list.size)
		memcpy(*p, list.data, (size_t)list.size);
	*p += list.size;
}

enum hprof_status hp_class_lists_encode(const struct hprof_class_dump *c,
					unsigned z, uint8_t **p)
{
	if (!hp_class_lists_agree(c, z))
		return HPROF_E_USAGE;
	encode_list(p, c->constant_count, c->constants);
	encode_list(p, c->static_count, c->statics);
	encode_list(p, c->field_count, c->fields);
	return HPROF_OK;
}

static struct hprof_class_cursor cursor(const struct hprof_record *r,
					enum list_kind kind, uint32_t count,
					struct hprof_bytes list)
{
	return (struct hprof_class_cursor){ list, list.data ? count : 0,
					    r->id_size, (uint8_t)kind };
}

struct hprof_class_cursor hprof_class_constants(const struct hprof_record *r)
{
	return cursor(r, CONSTANTS, r->u.class_dump.constant_count,
		      r->u.class_dump.constants);
}

struct hprof_class_cursor hprof_class_statics(const struct hprof_record *r)
{
	return cursor(r, STATICS, r->u.class_dump.static_count,
		      r->u.class_dump.statics);
}

struct hprof_class_cursor hprof_class_fields(const struct hprof_record *r)
{
	return cursor(r, FIELDS, r->u.class_dump.field_count,
		      r->u.class_dump.fields);
}

enum hprof_status hprof_class_next(struct hprof_class_cursor *c,
				   struct hprof_class_entry *ret)
{
	const uint8_t *p = c->left.data;
	unsigned key = key_size(c->kind, c->id_size);
	bool bad = false;

	if (c->count == 0)
		return HPROF_END;
	size_t size =
		entry_size(p, p + c->left.size, c->kind, c->id_size, &bad);
	if (size == 0) {
		c->count = 0;
		return HPROF_END;
	}
	*ret = (struct hprof_class_entry){ .type = p[key] };
	if (c->kind == CONSTANTS)
		ret->index = hp_get16(p);
	else
		ret->name_id = hp_get_id(p, key);
	if (c->kind != FIELDS)
		ret->value = hp_get_id(p + key + 1,
				       hprof_type_size(ret->type, c->id_size));
	c->left.data += size;
	c->left.size -= size;
	c->count--;
	return HPROF_OK;
}
