/* SPDX-License-Identifier: MIT */
/*
 * show_value.c - values of fields, elements and entries.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/escape.h"
#include "tools/common/json_graph.h"
#include "tools/common/describe.h"
#include "tools/report/plain_value.h"
#include "tools/report/show.h"

#define TEXT_MOST 80

static double to_double(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static double to_float(uint64_t bits)
{
	uint32_t narrow = (uint32_t)bits;
	float value;

	memcpy(&value, &narrow, sizeof(value));
	return (double)value;
}

/* ---- what an object stands for ------------------------------------------- */

static void take_meaning(const struct show *show, struct show_value *value,
			 bool nested);

static void take_reference(const struct show *show, uint64_t id, bool nested,
			   struct show_value *ret)
{
	uint64_t object = hprof_heap_find(show->heap, id);

	*ret = (struct show_value){ .type = HPROF_TYPE_OBJECT, .bits = id };
	if (object == HPROF_NO_OBJECT ||
	    hprof_object_info_get(show->cursor, show->graph, object,
				  &ret->object, NULL) != HPROF_OK) {
		ret->object.object = HPROF_NO_OBJECT;
		ret->dangling = id != 0;
		return;
	}
	if (ret->object.kind == HPROF_OBJECT_INSTANCE)
		take_meaning(show, ret, nested);
}

/* "Optional[42]"; what is in a container in a container is not looked at. */
static char *container_text(const struct show *show,
			    const struct plain_value *plain, bool nested)
{
	struct show_value inner;
	char *label, *text;

	if (nested)
		return describe_format("%s[...]", plain->text);
	if (!plain->bits)
		return describe_format("%s[]", plain->text);
	take_reference(show, plain->bits, true, &inner);
	label = show_value_brief(&inner);
	text = describe_format("%s[%s]", plain->text, label);
	free(label);
	show_value_done(&inner);
	return text;
}

/* "ThreadLocal com.acme.Main.USER", or NULL. */
static char *local_name(const struct show *show, uint64_t object)
{
	const char *class_name, *field;

	if (!show->locals ||
	    hprof_thread_local_names_find(show->locals, object, &class_name,
					  &field, NULL) != HPROF_OK ||
	    !class_name || !field)
		return NULL;
	return describe_format("ThreadLocal %s.%s", class_name, field);
}

static void take_meaning(const struct show *show, struct show_value *value,
			 bool nested)
{
	uint64_t object = value->object.object;
	struct plain_value plain;
	const char *text;

	/* hprof_object_info_get has moved the cursor to the object. */
	if (hprof_cursor_text(show->cursor, TEXT_MOST, &text, NULL) ==
	    HPROF_OK) {
		value->text = cli_strdup(text);
		return;
	}
	value->plain = local_name(show, object);
	if (value->plain)
		return;
	if (!plain_value_take(show->cursor, show->heap, object, &plain)) {
		value->is_collection =
			hprof_collection_open(show->cursor, object,
					      &value->collection) == HPROF_OK;
		return;
	}
	value->plain = plain.text;
	if (plain.type == HPROF_TYPE_OBJECT) {
		value->plain = container_text(show, &plain, nested);
		free(plain.text);
	} else if (plain.type) {
		value->boxed = plain.type;
		value->boxed_bits = plain.bits;
	}
}

void show_take_value(const struct show *show, unsigned type, uint64_t bits,
		     struct show_value *ret)
{
	if (type == HPROF_TYPE_OBJECT) {
		take_reference(show, bits, false, ret);
		return;
	}
	*ret = (struct show_value){ .type = type, .bits = bits };
	ret->object.object = HPROF_NO_OBJECT;
}

void show_value_done(struct show_value *value)
{
	free(value->text);
	free(value->plain);
}

/* ---- text ---------------------------------------------------------------- */

/* The shortest decimal number that reads back as the same value. */
static char *describe_real(double value, int most, bool is_float)
{
	char *text = NULL;

	if (isnan(value))
		return cli_strdup("NaN");
	if (isinf(value))
		return cli_strdup(value < 0 ? "-Infinity" : "Infinity");
	for (int digits = 1; digits <= most; digits++) {
		double again;

		free(text);
		text = describe_format("%.*g", digits, value);
		again = strtod(text, NULL);
		if (is_float ? (float)again == (float)value : again == value)
			break;
	}
	return text;
}

static char *describe_char(uint64_t bits)
{
	uint32_t point = (uint16_t)bits;
	char text[4] = { 0 };

	if (point < 0x80)
		text[0] = (char)point;
	if (point < 0x80 && point && !hprof_char_is_unsafe(point))
		return describe_format("'%s'", text);
	return describe_format("'\\u%04" PRIx32 "'", point);
}

static char *describe_scalar(unsigned type, uint64_t bits)
{
	switch (type) {
	case HPROF_TYPE_BOOLEAN:
		return cli_strdup(bits ? "true" : "false");
	case HPROF_TYPE_CHAR:
		return describe_char(bits);
	case HPROF_TYPE_FLOAT:
		return describe_real(to_float(bits), 9, true);
	case HPROF_TYPE_DOUBLE:
		return describe_real(to_double(bits), 17, false);
	default:
		return describe_format("%" PRId64,
				       hprof_value_int64(type, bits));
	}
}

static char *quoted(const char *text)
{
	char *escaped = escape_copy(text, TEXT_MOST);
	char *label = describe_format("\"%s\"", escaped);

	free(escaped);
	return label;
}

char *show_size_label(const struct hprof_collection *collection)
{
	bool is_map = collection->kind == HPROF_COLLECTION_MAP;

	if (collection->size == HPROF_COLLECTION_UNKNOWN)
		return cli_strdup(is_map ? "entries" : "elements");
	return describe_count(collection->size, is_map ? "entry" : "element",
			      is_map ? "entries" : "elements");
}

/* What it stands for, or how many elements it has; NULL: nothing to say. */
static char *describe_meaning(const struct show_value *value)
{
	char *size, *label;

	if (value->text)
		return quoted(value->text);
	if (value->boxed)
		return describe_scalar(value->boxed, value->boxed_bits);
	if (value->plain)
		return escape_copy(value->plain, DESCRIBE_NAME_LIMIT);
	if (!value->is_collection)
		return NULL;
	size = show_size_label(&value->collection);
	label = describe_format("(%s)", size);
	free(size);
	return label;
}

char *show_value_label(const struct show_value *value)
{
	char *object, *meaning, *label;

	if (value->type != HPROF_TYPE_OBJECT)
		return describe_scalar(value->type, value->bits);
	if (!value->bits)
		return cli_strdup("null");
	if (value->dangling)
		return describe_format("0x%" PRIx64 " (not in the dump)",
				       value->bits);
	object = describe_object(&value->object);
	meaning = describe_meaning(value);
	if (!meaning)
		return object;
	label = describe_format("%s %s", object, meaning);
	free(object);
	free(meaning);
	return label;
}

char *show_value_brief(const struct show_value *value)
{
	if (value->text || value->plain || value->boxed)
		return describe_meaning(value);
	return show_value_label(value);
}

/* ---- JSON ---------------------------------------------------------------- */

/* JSON has no NaN and no infinity: they are strings. */
static void real_json(struct json *json, double value, const char *label)
{
	if (isfinite(value))
		json_raw(json, "value", label);
	else
		json_string(json, "value", label);
}

static void scalar_json(struct json *json, unsigned type, uint64_t bits)
{
	char *label = describe_scalar(type, bits);

	switch (type) {
	case HPROF_TYPE_BOOLEAN:
		json_bool(json, "value", bits != 0);
		break;
	case HPROF_TYPE_CHAR:
		json_number(json, "value", bits);
		break;
	case HPROF_TYPE_FLOAT:
		real_json(json, to_float(bits), label);
		break;
	case HPROF_TYPE_DOUBLE:
		real_json(json, to_double(bits), label);
		break;
	default:
		json_signed(json, "value", hprof_value_int64(type, bits));
		break;
	}
	free(label);
}

const char *show_collection_word(enum hprof_collection_kind kind)
{
	static const char *const words[] = { "list", "set", "map", "queue" };

	return words[kind];
}

static void collection_json(struct json *json, const struct hprof_collection *c)
{
	json_begin_object(json, "collection", JSON_LINE);
	json_string(json, "kind", show_collection_word(c->kind));
	if (c->size != HPROF_COLLECTION_UNKNOWN)
		json_number(json, "size", c->size);
	if (c->capacity != HPROF_COLLECTION_UNKNOWN)
		json_number(json, "capacity", c->capacity);
	json_end(json);
}

void show_meaning_json(struct json *json, const struct show_value *value)
{
	if (value->text)
		json_string(json, "text", value->text);
	else if (value->boxed)
		scalar_json(json, value->boxed, value->boxed_bits);
	else if (value->plain)
		json_string(json, "value", value->plain);
	else if (value->is_collection)
		collection_json(json, &value->collection);
}

static void reference_json(struct json *json, const struct show_value *value)
{
	if (!value->bits) {
		json_null(json, "ref");
		return;
	}
	if (value->dangling) {
		json_begin_object(json, "ref", JSON_LINE);
		json_id(json, "id", value->bits);
		json_bool(json, "dangling", true);
		json_end(json);
		return;
	}
	json_object_info(json, "ref", &value->object);
	show_meaning_json(json, value);
}

void show_value_json(struct json *json, const struct show_value *value)
{
	if (value->type == HPROF_TYPE_OBJECT)
		reference_json(json, value);
	else
		scalar_json(json, value->type, value->bits);
}
