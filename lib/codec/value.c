/* SPDX-License-Identifier: MIT */
/*
 * value.c - type codes, id widths, and elements of lists of ids.
 */
#include "hprof/record.h"
#include "base/wire.h"

/* By type code. The size of a reference is not here: it is that of an id. */
static const struct {
	const char *name;
	uint8_t size;
} types[] = {
	[HPROF_TYPE_OBJECT] = { "object", 0 },
	[HPROF_TYPE_BOOLEAN] = { "boolean", 1 },
	[HPROF_TYPE_CHAR] = { "char", 2 },
	[HPROF_TYPE_FLOAT] = { "float", 4 },
	[HPROF_TYPE_DOUBLE] = { "double", 8 },
	[HPROF_TYPE_BYTE] = { "byte", 1 },
	[HPROF_TYPE_SHORT] = { "short", 2 },
	[HPROF_TYPE_INT] = { "int", 4 },
	[HPROF_TYPE_LONG] = { "long", 8 },
};

enum { TYPE_COUNT = sizeof types / sizeof types[0] };

unsigned hprof_type_size(unsigned type, unsigned id_size)
{
	if (type == HPROF_TYPE_OBJECT)
		return id_size;
	return type < TYPE_COUNT ? types[type].size : 0;
}

const char *hprof_type_name(unsigned type)
{
	return type < TYPE_COUNT ? types[type].name : NULL;
}

bool hprof_id_size_valid(uint64_t id_size)
{
	return id_size == 1 || id_size == 2 || id_size == 4 || id_size == 8;
}

uint64_t hprof_id_at(struct hprof_bytes ids, unsigned id_size, uint64_t index)
{
	if (!ids.data || !hprof_id_size_valid(id_size) ||
	    index >= ids.size / id_size)
		return 0;
	return hp_get_id(ids.data + index * id_size, id_size);
}
