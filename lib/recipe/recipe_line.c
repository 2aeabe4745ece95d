/* SPDX-License-Identifier: MIT */
/*
 * recipe_line.c - assembles one record of a recipe, driven by the record's
 * description: fields are read in any order and written in file order.
 *
 * The encoder is not used, because it refuses records that contradict
 * themselves, and writing those is what recipes are for.
 */
#include "recipe/recipe.h"
#include "base/wire.h"

#include <assert.h>

enum { MAX_FIELDS = HP_KEY_TIME_US };

/* The kinds of records that take an extra key. */
enum { TOP = 1, UNKNOWN = 2, CLASS = 4 };

static const struct {
	const char *name;
	unsigned where;
} extra_keys[HP_KEY_END] = {
	[HP_KEY_TIME_US] = { "time_us", TOP },
	[HP_KEY_LENGTH] = { "length", TOP },
	[HP_KEY_REST] = { "rest", TOP },
	[HP_KEY_BODY] = { "body", TOP },
	[HP_KEY_TAG] = { "tag", UNKNOWN },
	[HP_KEY_CONSTANTS] = { "constants", CLASS },
	[HP_KEY_STATICS] = { "statics", CLASS },
	[HP_KEY_FIELDS] = { "fields", CLASS },
	[HP_KEY_CONSTANT_COUNT] = { "constant_count", CLASS },
	[HP_KEY_STATIC_COUNT] = { "static_count", CLASS },
	[HP_KEY_FIELD_COUNT] = { "field_count", CLASS },
};

/* ---- numbers ------------------------------------------------------------- */

static bool is_number(enum hprof_field_kind kind)
{
	return kind <= HPROF_KIND_COUNT;
}

static unsigned number_width(enum hprof_field_kind kind, unsigned id_size)
{
	switch (kind) {
	case HPROF_KIND_ID:
		return id_size;
	case HPROF_KIND_U1:
	case HPROF_KIND_TYPE:
		return 1;
	case HPROF_KIND_U2:
		return 2;
	case HPROF_KIND_U8:
		return 8;
	default:
		return 4;
	}
}

/* Reads a count or length: N, or +N or -N relative to the right one. */
static bool parse_count(struct hp_recipe *r, uint64_t max,
			struct hp_number *ret)
{
	const char *start = r->p;

	if (!hp_recipe_number(r, ret))
		return false;
	if (!ret->sign && ret->value > max)
		return hp_recipe_bad(r, start,
				     "expected a number from 0 to %#llx",
				     (unsigned long long)max);
	return true;
}

bool hp_recipe_resolve(struct hp_recipe *r, const struct hp_recipe_slot *slot,
		       uint64_t right, uint64_t max, uint64_t *ret)
{
	*ret = slot->number.value;
	if (slot->at && !slot->number.sign)
		return true;
	*ret += right; /* modulo 2^64, so that it also subtracts */
	if (*ret > max)
		return hp_recipe_bad(r, slot->at ? slot->at : r->p,
				     "expected a count or length from 0 to "
				     "%#llx",
				     (unsigned long long)max);
	return true;
}

static bool parse_number(struct hp_recipe *r, enum hprof_field_kind kind,
			 struct hp_number *ret)
{
	unsigned width = number_width(kind, r->id_size);

	switch (kind) {
	case HPROF_KIND_TYPE:
		return hp_recipe_type(r, &ret->value);
	case HPROF_KIND_COUNT:
		return parse_count(r, UINT32_MAX, ret);
	case HPROF_KIND_I4:
		return hp_recipe_integer(r, 4, &ret->value);
	default:
		return hp_recipe_unsigned(r, UINT64_MAX >> (64 - 8 * width),
					  &ret->value);
	}
}

/* ---- lists --------------------------------------------------------------- */

static const struct hprof_field_info *
find_field(const struct hprof_record_info *info, const char *word, size_t size)
{
	for (unsigned i = 0; info && i < info->field_count; i++)
		if (info->fields[i].kind != HPROF_KIND_CLASS &&
		    hp_recipe_word_is(word, size, info->fields[i].name))
			return &info->fields[i];
	return NULL;
}

/* Reads the '=' after the key WORD, which may be given only once. */
static bool begin_field(struct hp_recipe *r, const char *word,
			struct hp_recipe_slot *slot)
{
	if (slot->at)
		return hp_recipe_bad(r, word, "this field was given already");
	slot->at = word;
	return hp_recipe_expect(r, '=');
}

/* Reads one "name=number" of an element of a LIST. */
static bool group_field(struct hp_recipe *r,
			const struct hprof_record_info *group,
			struct hp_recipe_slot *slots)
{
	const struct hprof_field_info *field;
	struct hp_recipe_slot *slot;
	const char *word;
	size_t size;

	if (!hp_recipe_word(r, "a field or '}'", &word, &size))
		return false;
	field = find_field(group, word, size);
	if (!field)
		return hp_recipe_bad(r, word, "an unknown field");
	slot = &slots[field - group->fields];
	return begin_field(r, word, slot) &&
	       parse_number(r, field->kind, &slot->number) &&
	       hp_recipe_delimited(r);
}

/* Reads {name=number ...}, an element of a LIST. */
static bool group_item(struct hp_recipe *r, const void *context,
		       struct hp_buffer *to)
{
	const struct hprof_record_info *group = context;
	struct hp_recipe_slot slots[MAX_FIELDS] = { 0 };

	assert(group->field_count <= MAX_FIELDS);
	if (!hp_recipe_expect(r, '{'))
		return false;
	hp_recipe_skip_lines(r);
	while (!hp_recipe_accept(r, '}')) {
		if (!group_field(r, group, slots))
			return false;
		hp_recipe_skip_lines(r);
	}
	for (unsigned i = 0; i < group->field_count; i++)
		if (!hp_recipe_put(r, to, slots[i].number.value,
				   number_width(group->fields[i].kind, 0)))
			return false;
	return true;
}

/* Reads an entry of a CLASS_DUMP list: key:type or key:type:value. */
static bool class_item(struct hp_recipe *r, const void *context,
		       struct hp_buffer *to)
{
	enum hp_recipe_key list = *(const enum hp_recipe_key *)context;
	unsigned width = list == HP_KEY_CONSTANTS ? 2 : r->id_size;
	uint64_t key;
	uint64_t type;

	if (!hp_recipe_unsigned(r, UINT64_MAX >> (64 - 8 * width), &key) ||
	    !hp_recipe_put(r, to, key, width) || !hp_recipe_expect(r, ':') ||
	    !hp_recipe_type(r, &type) || !hp_recipe_put(r, to, type, 1))
		return false;
	if (list == HP_KEY_FIELDS)
		return true;
	return hp_recipe_expect(r, ':') &&
	       hp_recipe_value(r, (unsigned)type, to);
}

/* Finds the type of the elements, which the line must give before them. */
static bool element_type(struct hp_recipe *r, const struct hp_recipe_line *line,
			 const char *at, unsigned *ret_type)
{
	for (unsigned i = 0; i < line->info->field_count; i++) {
		if (line->info->fields[i].kind != HPROF_KIND_TYPE)
			continue;
		*ret_type = (unsigned)line->slots[i].number.value;
		if (line->slots[i].at)
			return true;
	}
	return hp_recipe_bad(r, at, "expected type= before this field");
}

static bool parse_elements(struct hp_recipe *r, struct hp_recipe_line *line,
			   struct hp_recipe_slot *slot)
{
	unsigned type = 0;
	uint64_t items;

	if (!element_type(r, line, slot->at, &type) ||
	    !hp_recipe_list(r, hp_recipe_element_item, &type, &line->tail,
			    &items))
		return false;
	/* A string or hex: item is several elements, so bytes are counted. */
	unsigned width = hprof_type_size(type, r->id_size);
	size_t size = line->tail.used - slot->start;
	slot->count = size / (width ? width : 1);
	return true;
}

static bool parse_bytes(struct hp_recipe *r, struct hp_recipe_line *line,
			struct hp_recipe_slot *slot)
{
	if (!hp_recipe_bytes(r, &line->tail))
		return false;
	slot->count = line->tail.used - slot->start;
	return true;
}

/* ---- fields -------------------------------------------------------------- */

/* Reads the value of a field that the record's description lists. */
static bool parse_own(struct hp_recipe *r, struct hp_recipe_line *line,
		      const struct hprof_field_info *field,
		      struct hp_recipe_slot *slot)
{
	switch (field->kind) {
	case HPROF_KIND_REST:
	case HPROF_KIND_BYTES:
		return parse_bytes(r, line, slot);
	case HPROF_KIND_IDS:
		return hp_recipe_list(r, hp_recipe_id_item, NULL, &line->tail,
				      &slot->count);
	case HPROF_KIND_VALUES:
		return parse_elements(r, line, slot);
	case HPROF_KIND_LIST:
		return hp_recipe_list(r, group_item, field->group, &line->tail,
				      &slot->count);
	default:
		return parse_number(r, field->kind, &slot->number);
	}
}

static bool parse_extra(struct hp_recipe *r, struct hp_recipe_line *line,
			enum hp_recipe_key key, struct hp_recipe_slot *slot)
{
	switch (key) {
	case HP_KEY_TIME_US:
		return hp_recipe_unsigned(r, UINT32_MAX, &slot->number.value);
	case HP_KEY_LENGTH:
		return parse_count(r, UINT32_MAX, &slot->number);
	case HP_KEY_REST:
	case HP_KEY_BODY:
		return parse_bytes(r, line, slot);
	case HP_KEY_TAG:
		return hp_recipe_unsigned(r, 0xff, &slot->number.value);
	case HP_KEY_CONSTANTS:
	case HP_KEY_STATICS:
	case HP_KEY_FIELDS:
		return hp_recipe_list(r, class_item, &key, &line->tail,
				      &slot->count);
	default:
		return parse_count(r, UINT16_MAX, &slot->number);
	}
}

/* The extra key WORD; HP_KEY_END if this record takes no such key. */
static enum hp_recipe_key find_extra(const struct hp_recipe_line *line,
				     const char *word, size_t size)
{
	const struct hprof_record_info *info = line->info;
	unsigned where = !info				 ? TOP | UNKNOWN
			 : info->tag < HPROF_SUB	 ? TOP
			 : info->tag == HPROF_CLASS_DUMP ? CLASS
							 : 0;
	enum hp_recipe_key key = HP_KEY_TIME_US;

	while (key < HP_KEY_END &&
	       (!(extra_keys[key].where & where) ||
		!hp_recipe_word_is(word, size, extra_keys[key].name)))
		key++;
	return key;
}

/* The field WORD if it is the next one in the record's order: most are. */
static const struct hprof_field_info *
next_field(const struct hp_recipe_line *line, const char *word, size_t size)
{
	const struct hprof_record_info *info = line->info;
	const struct hprof_field_info *field;

	if (!info || line->next >= info->field_count)
		return NULL;
	field = &info->fields[line->next];
	return field->kind != HPROF_KIND_CLASS &&
			       hp_recipe_word_is(word, size, field->name)
		       ? field
		       : NULL;
}

static bool parse_field(struct hp_recipe *r, struct hp_recipe_line *line)
{
	const struct hprof_field_info *field;
	enum hp_recipe_key key = HP_KEY_END;
	struct hp_recipe_slot *slot;
	const char *word;
	size_t size;

	if (!hp_recipe_word(r, "a field", &word, &size))
		return false;
	field = next_field(line, word, size);
	if (!field)
		field = find_field(line->info, word, size);
	if (!field)
		key = find_extra(line, word, size);
	if (!field && key == HP_KEY_END)
		return hp_recipe_bad(r, word, "%s has no such field",
				     line->info ? line->info->name : "RECORD");
	slot = &line->slots[field ? (size_t)(field - line->info->fields)
				  : (size_t)key];
	if (!begin_field(r, word, slot))
		return false;
	line->next = field ? (unsigned)(slot - line->slots) + 1 : 0;
	slot->start = line->tail.used;
	if (!(field ? parse_own(r, line, field, slot)
		    : parse_extra(r, line, key, slot)))
		return false;
	slot->size = line->tail.used - slot->start;
	return hp_recipe_delimited(r);
}

bool hp_recipe_fields(struct hp_recipe *r, struct hp_recipe_line *line)
{
	/* The slots of extra keys follow those of the record's fields. */
	assert(!line->info || line->info->field_count <= MAX_FIELDS);
	line->next = 0;
	for (;;) {
		hp_recipe_skip_blanks(r);
		if (hp_recipe_at_line_end(r) || hp_recipe_peek(r) == '{')
			return true;
		if (!parse_field(r, line))
			return false;
	}
}

/* ---- output -------------------------------------------------------------- */

static bool put_tail(struct hp_recipe *r, const struct hp_recipe_line *line,
		     const struct hp_recipe_slot *slot, struct hp_buffer *out)
{
	uint8_t *p;

	if (slot->size == 0)
		return true;
	assert(slot->start + slot->size <= line->tail.used);
	p = hp_recipe_grow(r, out, slot->size);
	if (p)
		memcpy(p, line->tail.data + slot->start, slot->size);
	return p;
}

static bool put_class_lists(struct hp_recipe *r,
			    const struct hp_recipe_line *line,
			    struct hp_buffer *out)
{
	for (unsigned i = 0; i < 3; i++) {
		const struct hp_recipe_slot *list =
			&line->slots[HP_KEY_CONSTANTS + i];
		const struct hp_recipe_slot *given =
			&line->slots[HP_KEY_CONSTANT_COUNT + i];
		uint64_t count;
		if (!hp_recipe_resolve(r, given, list->count, UINT16_MAX,
				       &count) ||
		    !hp_recipe_put(r, out, count, 2) ||
		    !put_tail(r, line, list, out))
			return false;
	}
	return true;
}

static bool put_field(struct hp_recipe *r, const struct hp_recipe_line *line,
		      unsigned index, struct hp_buffer *out)
{
	const struct hprof_record_info *info = line->info;
	const struct hp_recipe_slot *slot = &line->slots[index];
	const struct hp_recipe_slot *tail = &line->slots[info->field_count - 1];
	enum hprof_field_kind kind = info->fields[index].kind;
	uint64_t value = slot->number.value;

	if (kind == HPROF_KIND_CLASS)
		return put_class_lists(r, line, out);
	if (!is_number(kind))
		return put_tail(r, line, slot, out);
	if (kind == HPROF_KIND_COUNT &&
	    !hp_recipe_resolve(r, slot, tail->count, UINT32_MAX, &value))
		return false;
	return hp_recipe_put(r, out, value, number_width(kind, r->id_size));
}

/* body= replaces all fields, so no other field may be given. */
static bool check_body(struct hp_recipe *r, const struct hp_recipe_line *line)
{
	for (unsigned i = 0; i < HP_KEY_END; i++) {
		if (i == HP_KEY_TIME_US || i == HP_KEY_LENGTH ||
		    i == HP_KEY_BODY || i == HP_KEY_TAG)
			continue;
		if (line->slots[i].at)
			return hp_recipe_bad(r, line->slots[i].at,
					     "body= and other fields exclude "
					     "each other");
	}
	return true;
}

bool hp_recipe_body(struct hp_recipe *r, const struct hp_recipe_line *line,
		    struct hp_buffer *out)
{
	const struct hp_recipe_slot *body = &line->slots[HP_KEY_BODY];

	if (body->at)
		return check_body(r, line) && put_tail(r, line, body, out);
	for (unsigned i = 0; line->info && i < line->info->field_count; i++)
		if (!put_field(r, line, i, out))
			return false;
	return put_tail(r, line, &line->slots[HP_KEY_REST], out);
}
