/* SPDX-License-Identifier: MIT */
/*
 * class_table.c - see class_table.h. class_reader.c and class_layout.c fill the
 * table.
 */
#include "agent/dump/class_table.h"

#include <string.h>

#include "base/mem.h"
#include "base/search.h"

struct ag_classes *ag_classes_new(struct ag_names *names, unsigned id_size)
{
	struct ag_classes *t = hp_calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->names = names;
	t->id_size = id_size;
	return t;
}

void ag_classes_free(struct ag_classes *t)
{
	if (!t)
		return;
	hp_arena_done(&t->arena);
	hp_free(t->all);
	hp_free(t->refs);
	hp_free(t);
}

struct ag_class *ag_class_with_id(const struct ag_classes *t, uint64_t id)
{
	const uint32_t ordered = t->count - t->late;
	size_t at;

	if (id == 0)
		return NULL;
	HP_LOWER_BOUND(&at, ordered, t->all[hp_at + 1].id < id);
	if (at < ordered && t->all[at + 1].id == id)
		return &t->all[at + 1];
	for (at = ordered + 1; at <= t->count; at++)
		if (t->all[at].id == id)
			return &t->all[at];
	return NULL;
}

uint32_t ag_classes_add(struct ag_classes *t)
{
	size_t used = (size_t)t->count + 1;

	if (t->count == UINT32_MAX / 4 ||
	    hp_grow((void **)&t->all, &t->room, used, sizeof *t->all) != 0 ||
	    hp_grow((void **)&t->refs, &t->ref_room, used, sizeof *t->refs) !=
		    0)
		return 0;
	t->count++;
	memset(&t->all[t->count], 0, sizeof *t->all);
	t->refs[t->count] = NULL;
	return t->count;
}

enum hprof_status ag_classes_write(const struct ag_classes *t, uint32_t first,
				   struct hprof_writer *writer)
{
	enum hprof_status status = HPROF_OK;

	for (uint32_t i = first; i <= t->count && status == HPROF_OK; i++) {
		struct hprof_record r = { .tag = HPROF_LOAD_CLASS };

		r.u.load_class.class_serial = i;
		r.u.load_class.class_id = t->all[i].id;
		r.u.load_class.trace_serial = 1;
		r.u.load_class.name_id = t->all[i].name;
		status = hprof_writer_put(writer, &r);
	}
	return status;
}
