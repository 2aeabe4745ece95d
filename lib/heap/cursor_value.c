/* SPDX-License-Identifier: MIT */
/*
 * cursor_value.c - values in the form that programs use: signed numbers,
 * unboxed values, strings as text.
 */
#include <string.h>

#include "base/error.h"
#include "heap/cursor.h"

/* ---- raw bits to numbers ------------------------------------------------- */

static double to_double(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static double to_float(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float value;

	memcpy(&value, &low, sizeof value);
	return (double)value;
}

/* Like a cast in Java: NaN gives 0, values out of range give the limit. */
static int64_t truncate_double(double value)
{
	const double limit = 9223372036854775808.0; /* 2^63 */

	if (value >= limit)
		return INT64_MAX;
	if (value < -limit)
		return INT64_MIN;
	return value != value ? 0 : (int64_t)value;
}

int64_t hprof_value_int64(unsigned type, uint64_t bits)
{
	switch (type) {
	case HPROF_TYPE_BOOLEAN:
		return (bits & 0xff) != 0;
	case HPROF_TYPE_BYTE:
		return (int8_t)bits;
	case HPROF_TYPE_CHAR:
		return (uint16_t)bits;
	case HPROF_TYPE_SHORT:
		return (int16_t)bits;
	case HPROF_TYPE_INT:
		return (int32_t)bits;
	case HPROF_TYPE_FLOAT:
		return truncate_double(to_float(bits));
	case HPROF_TYPE_DOUBLE:
		return truncate_double(to_double(bits));
	default:
		return (int64_t)bits;
	}
}

double hprof_value_double(unsigned type, uint64_t bits)
{
	if (type == HPROF_TYPE_FLOAT)
		return to_float(bits);
	if (type == HPROF_TYPE_DOUBLE)
		return to_double(bits);
	return (double)hprof_value_int64(type, bits);
}

/* ---- values -------------------------------------------------------------- */

static enum hprof_value_kind kind_of(unsigned type)
{
	switch (type) {
	case HPROF_TYPE_OBJECT:
		return HPROF_VALUE_OBJECT;
	case HPROF_TYPE_BOOLEAN:
		return HPROF_VALUE_BOOLEAN;
	case HPROF_TYPE_CHAR:
		return HPROF_VALUE_CHAR;
	case HPROF_TYPE_FLOAT:
	case HPROF_TYPE_DOUBLE:
		return HPROF_VALUE_REAL;
	default:
		return HPROF_VALUE_INTEGER;
	}
}

static void set_number(struct hprof_value *value, unsigned type, uint64_t bits)
{
	value->kind = kind_of(type);
	value->type = type;
	value->integer = hprof_value_int64(type, bits);
	value->real = hprof_value_double(type, bits);
}

/* The type that instances of class NAME box; 0 if it is no boxing class. */
static unsigned boxed_type(const char *name)
{
	static const struct {
		const char *name;
		unsigned type;
	} boxes[] = {
		{ "Boolean", HPROF_TYPE_BOOLEAN },
		{ "Byte", HPROF_TYPE_BYTE },
		{ "Character", HPROF_TYPE_CHAR },
		{ "Double", HPROF_TYPE_DOUBLE },
		{ "Float", HPROF_TYPE_FLOAT },
		{ "Integer", HPROF_TYPE_INT },
		{ "Long", HPROF_TYPE_LONG },
		{ "Short", HPROF_TYPE_SHORT },
	};
	static const char package[] = "java.lang.";

	if (strncmp(name, package, sizeof package - 1) != 0)
		return 0;
	name += sizeof package - 1;
	for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
		if (strcmp(name, boxes[i].name) == 0)
			return boxes[i].type;
	return 0;
}

/* HPROF_END: the object at SPOT is no box, or the dump lacks its value. */
static enum hprof_status open_box(struct hprof_cursor *c,
				  const struct hp_spot *spot,
				  struct hprof_value *value)
{
	unsigned type = boxed_type(spot->of->info->name);
	struct hp_level level = hp_cursor_first_level(spot);
	struct hprof_field field;
	enum hprof_status status = type ? HPROF_OK : HPROF_END;

	for (uint64_t i = 0; status == HPROF_OK; i++) {
		status = hp_cursor_field(c, spot, &level, i, &field);
		if (status != HPROF_OK || field.type != type ||
		    strcmp(field.name, "value") != 0)
			continue;
		set_number(value, type, field.value);
		value->boxed = true;
		break;
	}
	return status;
}

/* HPROF_END: the object at SPOT is neither a box nor a string. */
static enum hprof_status open_object(struct hprof_cursor *c,
				     const struct hp_spot *spot, size_t most,
				     struct hprof_value *value)
{
	enum hprof_status status;

	if (spot->object.kind != HPROF_OBJECT_INSTANCE || !spot->of)
		return HPROF_END;
	status = open_box(c, spot, value);
	if (status != HPROF_END)
		return status;
	status = hp_cursor_text(c, spot, most, &value->text,
				&value->text_length);
	if (status == HPROF_OK)
		value->kind = HPROF_VALUE_STRING;
	return status;
}

enum hprof_status hprof_cursor_value(struct hprof_cursor *c, unsigned type,
				     uint64_t bits, size_t most,
				     struct hprof_value *ret_value)
{
	struct hprof_value value = { .object = HPROF_NO_OBJECT };
	struct hp_spot spot;

	HP_NEED(NULL, c);
	HP_NEED(&c->error, ret_value);
	if (hprof_type_size(type, 8) == 0)
		return hp_bad_argument(&c->error, "type", "is no HPROF_TYPE_");
	if (type != HPROF_TYPE_OBJECT) {
		set_number(&value, type, bits);
	} else {
		value.kind = bits ? HPROF_VALUE_OBJECT : HPROF_VALUE_NULL;
		value.type = type;
		value.object_id = bits;
		if (bits)
			value.object = hp_heap_find(c->heap, bits);
	}
	if (value.object != HPROF_NO_OBJECT) {
		HP_TRY(hp_cursor_find(c, value.object, &spot));
		HP_TRY(open_object(c, &spot, most, &value));
	}
	*ret_value = value;
	return HPROF_OK;
}
