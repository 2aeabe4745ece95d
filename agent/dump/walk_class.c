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

/*
 * Where classes were read by a scout, the walk must see the same. The order in
 * which they are visited is another.
 */
static void see(struct ag_walk *w, uint64_t tag, uint32_t what, uint32_t index,
		uint64_t value)
{
	uint64_t x = tag ^ value * 0x9e3779b97f4a7c15;

	x += ((uint64_t)what << 32 | index) * 0xc2b2ae3d27d4eb4f;
	x ^= x >> 29;
	w->seen += x * 0x165667b19e3779f9;
}

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

	if (!c)
		return;
	if (w->scout && c->kind != AG_UNLINKED &&
	    !ag_class_is_late(w->classes, c))
		see(w, tag, (uint32_t)kind,
		    kind == JVMTI_HEAP_REFERENCE_CONSTANT_POOL
			    ? (uint32_t)info->constant_pool.index
			    : 0,
		    id);
	if (c->dumped)
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
	if (w->scout && !ag_class_is_late(w->classes, c))
		see(w, tag, 0, i, value);
	if (!c->dumped)
		c->fields[i].value = value;
	else if (!w->scout)
		compare(w, &c->fields[i], value);
}
