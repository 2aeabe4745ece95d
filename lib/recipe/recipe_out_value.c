/* SPDX-License-Identifier: MIT */
/*
 * recipe_out_value.c - writes one typed value of a recipe.
 */
#include "recipe/recipe_out.h"

#include <string.h>

#include "base/wire.h"

/* Finds a short decimal, mantissa / 10^scale, that is exactly VALUE. */
static bool find_decimal(double value, bool single, uint64_t *ret_mantissa,
			 unsigned *ret_scale)
{
	double power = 1;

	if (!(value >= 0 && value < 1e9))
		return false;
	for (unsigned scale = 1; scale <= 6; scale++) {
		power *= 10;
		uint64_t mantissa = (uint64_t)(value * power + 0.5);
		double back = hp_recipe_decimal(mantissa, scale, false);
		if (single ? (float)back == (float)value : back == value) {
			*ret_mantissa = mantissa;
			*ret_scale = scale;
			return true;
		}
	}
	return false;
}

/*
 * Writes a float or double as a decimal if that is short and exact, otherwise
 * its bits in hexadecimal.
 */
static void put_float(struct hp_recipe_out *o, uint64_t bits, unsigned width)
{
	uint32_t low = (uint32_t)bits;
	bool negative = bits >> (8 * width - 1);
	uint64_t mantissa;
	uint64_t power = 1;
	unsigned scale;
	double value;
	float single;

	memcpy(&single, &low, sizeof single);
	memcpy(&value, &bits, sizeof value);
	if (width == sizeof single)
		value = single;
	if (!find_decimal(negative ? -value : value, width == sizeof single,
			  &mantissa, &scale)) {
		hp_out_format(o, "0x%llx", (unsigned long long)bits);
		return;
	}
	for (unsigned i = 0; i < scale; i++)
		power *= 10;
	hp_out_format(o, "%s%llu.%0*llu", negative ? "-" : "",
		      (unsigned long long)(mantissa / power), (int)scale,
		      (unsigned long long)(mantissa % power));
}

void hp_out_value(struct hp_recipe_out *o, unsigned type, const uint8_t *p,
		  unsigned id_size)
{
	unsigned width = hprof_type_size(type, id_size);
	uint64_t value = hp_get_id(p, width);

	switch (type) {
	case HPROF_TYPE_OBJECT:
		hp_out_hex(o, value);
		break;
	case HPROF_TYPE_FLOAT:
	case HPROF_TYPE_DOUBLE:
		put_float(o, value, width);
		break;
	case HPROF_TYPE_BYTE:
		hp_out_signed(o, (int8_t)value);
		break;
	case HPROF_TYPE_SHORT:
		hp_out_signed(o, (int16_t)value);
		break;
	case HPROF_TYPE_INT:
		hp_out_signed(o, (int32_t)value);
		break;
	case HPROF_TYPE_LONG:
		hp_out_signed(o, (int64_t)value);
		break;
	default: /* boolean, char */
		hp_out_decimal(o, value);
	}
}
