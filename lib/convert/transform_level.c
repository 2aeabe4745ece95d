/* SPDX-License-Identifier: MIT */
/*
 * transform_level.c - dumps at a level of JVMPI, which leave contents out.
 *
 * Level 1, without primitives: their values become 0, in fields, statics,
 * constants and elements. Lengths stay, since readers compute sizes from them,
 * and the format can say a length only with so many elements.
 *
 * Level 0, identifiers and types: a class declares no fields, so its instances
 * have no bytes, and arrays have no elements. Every reader can read that, since
 * a class and its instances agree. The instance size of a class stays: it is a
 * property of the type.
 */
#include "convert/convert.h"

static bool wanted(const struct hp_cv_plan *plan)
{
	return plan->options.omit != HPROF_OMIT_NOTHING;
}

/* ---- level 1 ------------------------------------------------------------- */

static void judge(struct hp_convert *c, void *state, struct hp_cv_class *k)
{
	(void)c;
	(void)state;
	for (uint32_t i = 0; i < k->link.field_count; i++)
		if (k->fields[i].type != HPROF_TYPE_OBJECT)
			k->fields[i].blank = true;
}

static bool blanks_array(struct hp_convert *c, void *state,
			 const struct hprof_record *r)
{
	(void)c;
	(void)state;
	return r->tag == HPROF_PRIM_ARRAY_DUMP;
}

static bool blanks_static(struct hp_convert *c, void *state, uint64_t class_id,
			  const struct hprof_class_entry *entry)
{
	(void)c;
	(void)state;
	(void)class_id;
	return entry->type != HPROF_TYPE_OBJECT;
}

/* ---- level 0 ------------------------------------------------------------- */

static const struct hprof_bytes none = { NULL, 0 };

static void empty_class(struct hprof_class_dump *dump)
{
	dump->constant_count = dump->static_count = dump->field_count = 0;
	dump->constants = dump->statics = dump->fields = none;
}

static void empty(struct hprof_record *r)
{
	switch (r->tag) {
	case HPROF_CLASS_DUMP:
		empty_class(&r->u.class_dump);
		break;
	case HPROF_INSTANCE_DUMP:
		r->u.instance_dump.data_size = 0;
		r->u.instance_dump.data = none;
		break;
	case HPROF_OBJ_ARRAY_DUMP:
		r->u.obj_array_dump.count = 0;
		r->u.obj_array_dump.elements = none;
		break;
	case HPROF_PRIM_ARRAY_DUMP:
		r->u.prim_array_dump.count = 0;
		r->u.prim_array_dump.elements = none;
		break;
	default:
		break;
	}
}

static enum hprof_status record(struct hp_convert *c, void *state,
				struct hprof_record *r, bool *ret_gone)
{
	(void)state;
	(void)ret_gone;
	if (c->plan->options.omit == HPROF_OMIT_CONTENTS)
		empty(r);
	return HPROF_OK;
}

const struct hp_transform hp_transform_level = {
	.name = "level",
	.wanted = wanted,
	.record = record,
	.judge = judge,
	.blanks_array = blanks_array,
	.blanks_static = blanks_static,
};
