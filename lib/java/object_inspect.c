/* SPDX-License-Identifier: MIT */
/*
 * object_inspect.c - see object_inspect.h.
 */
#include "java/object_inspect.h"

#include <string.h>

#include "base/error.h"

enum hprof_status hp_object_inspect_open(struct hp_object_inspect *in,
					 const struct hprof_summary *summary,
					 struct hp_arena *arena,
					 struct hprof_error *error)
{
	memset(in, 0, sizeof *in);
	in->arena = arena;
	HP_TRY(hp_object_fetch_open(&in->objects, summary, error));
	if (hp_field_lookup_init(&in->layouts, &in->objects) != HPROF_OK ||
	    hp_strings_init(&in->strings, &in->layouts, arena) != HPROF_OK ||
	    hp_u64_map_init(&in->names, 3) != HPROF_OK)
		return hp_no_memory(error);
	return HPROF_OK;
}

void hp_object_inspect_done(struct hp_object_inspect *in)
{
	hp_u64_map_done(&in->names);
	hp_strings_done(&in->strings);
	hp_field_lookup_done(&in->layouts);
	hp_object_fetch_done(&in->objects);
}

const char *hp_object_inspect_class_name(struct hp_object_inspect *in,
					 const struct hp_object *object)
{
	const char *name = hp_field_lookup_class_name(&in->layouts, object);
	char *copy;

	if (!name)
		return NULL;
	copy = hp_u64_map_get(&in->names, (uintptr_t)name);
	if (copy)
		return copy;
	copy = hp_arena_text(in->arena, name, strlen(name));
	if (!copy ||
	    hp_u64_map_put(&in->names, (uintptr_t)name, copy) != HPROF_OK)
		in->no_memory = true;
	return copy;
}

enum hprof_status hp_object_inspect_status(const struct hp_object_inspect *in,
					   struct hprof_error *error)
{
	if (in->no_memory || in->objects.no_memory || in->layouts.no_memory ||
	    in->strings.no_memory)
		return hp_no_memory(error);
	return HPROF_OK;
}
