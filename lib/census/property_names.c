/* SPDX-License-Identifier: MIT */
/*
 * property_names.c - see property_names.h.
 */
#include "census/property_names.h"

#include <stdbool.h>

#include "hprof/record.h"

static bool is_name(const uint8_t *data, unsigned width, const char *name)
{
	for (unsigned i = 0; i < HP_PROPERTY_LENGTH; i++)
		if (data[i * width + width - 1] != (uint8_t)name[i] ||
		    (width == 2 && data[2 * i] != 0))
			return false;
	return true;
}

unsigned hp_property_name(const uint8_t *data, unsigned type)
{
	const unsigned width = type == HPROF_TYPE_CHAR ? 2 : 1;

	if (type != HPROF_TYPE_CHAR && type != HPROF_TYPE_BYTE)
		return 0;
	if (is_name(data, width, "java.vm.specification.name"))
		return HP_PROPERTY_ANY;
	if (is_name(data, width, "java.vm.compressedOopsMode"))
		return HP_PROPERTY_OOPS_MODE;
	return 0;
}
