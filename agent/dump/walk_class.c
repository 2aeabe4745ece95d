/* SPDX-License-Identifier: MIT */
/*
 * walk_class.c - references from classes, and their static fields.
 *
 * Some readers need the class records before the objects. So a pass over the
 * classes alone fills the table first. The walk over all objects reports the
 * classes again; where a static field has changed in between, its new value is
 * written as a root, so that the objects it leads to are not garbage in the
 * dump.
 */
#include "agent/dump/walk.h"

static void note_constant(struct ag_walk *w, struct ag_class *c, uint32_t index,
			  uint64_t id)
{
	/* All references of one class are reported one after another. */
	if (c->constant_count == 0)
		c->constants = w->note_count;
	if (c->constants + c->constant_count != w->note_count ||
	    c->constant_count == UINT16_MAX)
		return;
	if (ag_walk_note(w, (struct ag_note){ .value = id,
					      .index = index,
					      .kind = AG_CONSTANT,
					      .type = HPROF_TYPE_OBJECT }))
		c->constant_count++;
}

void ag_walk_class_reference(struct ag_walk *w, jvmtiHeapReferenceKind kind,
			     const jvmtiHeapReferenceInfo *info, uint64_t tag,
			     uint64_t id)
{
	struct ag_class *c = ag_class(w->classes, ag_serial_of_tag(tag));

	if (!c || c->dumped)
		return;
	switch (kind) {
	case JVMTI_HEAP_REFERENCE_CLASS_LOADER:
		c->loader = id;
		break;
	case JVMTI_HEAP_REFERENCE_SIGNERS:
		c->signers = id;
		break;
	case JVMTI_HEAP_REFERENCE_PROTECTION_DOMAIN:
		c->domain = id;
		break;
	case JVMTI_HEAP_REFERENCE_CONSTANT_POOL:
		note_constant(w, c, (uint32_t)info->constant_pool.index, id);
		break;
	default: /* superclass and interfaces are known */
		break;
	}
}

/* Compares a static field with the value in the class's record. */
static void compare(struct ag_walk *w, const struct ag_field *f, uint64_t value)
{
	struct hprof_record r = { .tag = HPROF_ROOT_UNKNOWN };

	if (f->value == value)
		return;
	w->changed_statics++;
	if (f->type != HPROF_TYPE_OBJECT)
		return;
	r.u.root.object_id = value;
	ag_walk_put(w, &r);
}

void ag_walk_static(struct ag_walk *w, uint64_t tag, jint index, uint8_t type,
		    uint64_t value)
{
	struct ag_class *c = ag_class(w->classes, ag_serial_of_tag(tag));

	if (!c || c->kind == AG_UNLINKED) {
		ag_walk_note(w, (struct ag_note){ .value = value,
						  .object = (uint32_t)tag,
						  .index = (uint32_t)index,
						  .kind = AG_PARKED_STATIC,
						  .type = type });
		return;
	}
	uint32_t i = (uint32_t)index - c->first_field;
	if (i >= c->numbered || !c->fields[i].is_static ||
	    c->fields[i].type != type) {
		w->lost++;
		return;
	}
	if (c->dumped)
		compare(w, &c->fields[i], value);
	else
		c->fields[i].value = value;
}
