/* SPDX-License-Identifier: MIT */
/*
 * property_names.c - see property_names.h.
 */
#include "census/property_names.h"

#include <stddef.h>
#include <string.h>

#include "hprof/record.h"

static const struct {
	const char *text;
	unsigned property; /* enum hp_property_name */
} known[] = {
	{ "java.vm.specification.name", HP_PROPERTY_ANY },
	{ "java.vm.compressedOopsMode", HP_PROPERTY_OOPS_MODE },
	{ "OpenJDK 64-Bit Server VM", HP_PROPERTY_64_BIT },
	{ "Java HotSpot(TM) 64-Bit Server VM", HP_PROPERTY_64_BIT },
};

static bool is_text(const uint8_t *data, uint32_t count, unsigned width,
		    const char *text)
{
	if (strlen(text) != count)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (data[i * width + width - 1] != (uint8_t)text[i] ||
		    (width == 2 && data[2 * i] != 0))
			return false;
	return true;
}

unsigned hp_property_name(const uint8_t *data, uint32_t count, unsigned type)
{
	const unsigned width = type == HPROF_TYPE_CHAR ? 2 : 1;

	if (type != HPROF_TYPE_CHAR && type != HPROF_TYPE_BYTE)
		return 0;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (is_text(data, count, width, known[i].text))
			return known[i].property;
	return 0;
}
