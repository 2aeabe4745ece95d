/*
 * object_inspect.c - see object_inspect.h.
 */
#include "java/object_inspect.h"

#include <string.h>

#include "base/error.h"

static enum hprof_status no_memory(struct hprof_error *error)
{
	return hp_no_memory(error);
}

enum hprof_status hp_inspect_open(struct hp_inspect *in,
				  const struct hprof_summary *summary,
				  struct hp_arena *arena,
				  struct hprof_error *error)
{
	memset(in, 0, sizeof *in);
	in->arena = arena;
	HP_TRY(hp_objects_open(&in->objects, summary, error));
	if (hp_layouts_init(&in->layouts, &in->objects) != 0 ||
	    hp_strings_init(&in->strings, &in->layouts, arena) != 0 ||
	    hp_idmap_init(&in->names, 3) != 0)
		return no_memory(error);
	return HPROF_OK;
}

void hp_inspect_done(struct hp_inspect *in)
{
	hp_idmap_done(&in->names);
	hp_strings_done(&in->strings);
	hp_layouts_done(&in->layouts);
	hp_objects_done(&in->objects);
}

const char *hp_inspect_class_name(struct hp_inspect *in,
				  const struct hp_object *object)
{
	const char *name = hp_layout_class_name(&in->layouts, object);
	char *copy;

	if (!name)
		return NULL;
	copy = hp_idmap_get(&in->names, (uintptr_t)name);
	if (copy)
		return copy;
	copy = hp_arena_text(in->arena, name, strlen(name));
	if (!copy || hp_idmap_put(&in->names, (uintptr_t)name, copy) != 0)
		in->no_memory = true;
	return copy;
}

enum hprof_status hp_inspect_status(const struct hp_inspect *in,
				    struct hprof_error *error)
{
	if (in->no_memory || in->objects.no_memory || in->layouts.no_memory ||
	    in->strings.no_memory)
		return no_memory(error);
	return HPROF_OK;
}
