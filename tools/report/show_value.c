/* SPDX-License-Identifier: MIT */
/*
 * show_value.c - values of fields and elements.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/escape.h"
#include "tools/common/json_graph.h"
#include "tools/common/describe.h"
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

static int64_t to_signed(unsigned type, uint64_t bits)
{
	switch (type) {
	case HPROF_TYPE_BYTE:
		return (int8_t)bits;
	case HPROF_TYPE_SHORT:
		return (int16_t)bits;
	case HPROF_TYPE_INT:
		return (int32_t)bits;
	default:
		return (int64_t)bits;
	}
}

void show_take_value(const struct show *show, unsigned type, uint64_t bits,
		     struct show_value *ret)
{
	const char *text;
	uint64_t object;

	*ret = (struct show_value){ .type = type, .bits = bits };
	ret->object.object = HPROF_NO_OBJECT;
	if (type != HPROF_TYPE_OBJECT || !bits)
		return;
	object = hprof_heap_find(show->heap, bits);
	if (object == HPROF_NO_OBJECT ||
	    hprof_object_info_get(show->cursor, show->graph, object,
				  &ret->object, NULL) != HPROF_OK) {
		ret->object.object = HPROF_NO_OBJECT;
		ret->dangling = true;
		return;
	}
	if (ret->object.kind == HPROF_OBJECT_INSTANCE &&
	    hprof_cursor_text(show->cursor, TEXT_MOST, &text, NULL) == HPROF_OK)
		ret->text = cli_strdup(text);
}

void show_value_done(struct show_value *value)
{
	free(value->text);
}

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

static char *describe_reference(const struct show_value *value)
{
	char *object, *text, *label;

	if (!value->bits)
		return cli_strdup("null");
	if (value->dangling)
		return describe_format("0x%" PRIx64 " (not in the dump)",
				       value->bits);
	object = describe_object(&value->object);
	if (!value->text)
		return object;
	text = escape_copy(value->text, TEXT_MOST);
	label = describe_format("%s \"%s\"", object, text);
	free(object);
	free(text);
	return label;
}

char *show_value_label(const struct show_value *value)
{
	switch (value->type) {
	case HPROF_TYPE_OBJECT:
		return describe_reference(value);
	case HPROF_TYPE_BOOLEAN:
		return cli_strdup(value->bits ? "true" : "false");
	case HPROF_TYPE_CHAR:
		return describe_char(value->bits);
	case HPROF_TYPE_FLOAT:
		return describe_real(to_float(value->bits), 9, true);
	case HPROF_TYPE_DOUBLE:
		return describe_real(to_double(value->bits), 17, false);
	default:
		return describe_format("%" PRId64,
				       to_signed(value->type, value->bits));
	}
}

/* JSON has no NaN and no infinity: they are strings. */
static void real_json(struct json *json, double value, const char *label)
{
	if (isfinite(value))
		json_raw(json, "value", label);
	else
		json_string(json, "value", label);
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
	if (value->text)
		json_string(json, "text", value->text);
}

void show_value_json(struct json *json, const struct show_value *value)
{
	char *label = show_value_label(value);

	switch (value->type) {
	case HPROF_TYPE_OBJECT:
		reference_json(json, value);
		break;
	case HPROF_TYPE_BOOLEAN:
		json_bool(json, "value", value->bits != 0);
		break;
	case HPROF_TYPE_CHAR:
		json_number(json, "value", value->bits);
		break;
	case HPROF_TYPE_FLOAT:
		real_json(json, to_float(value->bits), label);
		break;
	case HPROF_TYPE_DOUBLE:
		real_json(json, to_double(value->bits), label);
		break;
	default:
		json_signed(json, "value", to_signed(value->type, value->bits));
		break;
	}
	free(label);
}
