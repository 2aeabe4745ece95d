/* SPDX-License-Identifier: MIT */
/*
 * class_layout.c - see class_layout.h.
 *
 * JVMTI numbers the fields of a class in this order: the fields of all
 * interfaces that it implements, directly or by inheritance, each interface
 * once; then the fields of java.lang.Object, and so on down to its own. Static
 * fields are numbered, too. For an interface the fields of its superinterfaces
 * come first, then its own. In a dump the body of an instance begins with the
 * class's own fields and has no static ones.
 */
#include "agent/dump/class_layout.h"

#include <string.h>

#include "base/mem.h"

static const char no_memory[] = "out of memory";

enum { DEEPEST = 3000 /* limit of the recursion over supertypes */ };

/* ---- interfaces ---------------------------------------------------------- */

struct set {
	uint32_t *serials;
	size_t count, room;
};

static int set_add(struct set *s, uint32_t serial)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->serials[i] == serial)
			return 0;
	if (hp_grow((void **)&s->serials, &s->room, s->count,
		    sizeof *s->serials) != 0)
		return -1;
	s->serials[s->count++] = serial;
	return 0;
}

static int set_add_all(struct set *s, const struct ag_class *of)
{
	for (uint32_t i = 0; of && i < of->interface_count; i++)
		if (set_add(s, of->interfaces[i]) != 0)
			return -1;
	return 0;
}

static int find_interfaces(struct ag_classes *t, struct ag_class *c,
			   unsigned depth);

/* Adds interface SERIAL, if it has fields, and its superinterfaces. */
static int add_interface(struct ag_classes *t, struct set *s, uint32_t serial,
			 unsigned depth)
{
	struct ag_class *i = ag_class(t, serial);

	if (!i)
		return 0;
	if (find_interfaces(t, i, depth + 1) != 0 || set_add_all(s, i) != 0)
		return -1;
	return i->numbered ? set_add(s, serial) : 0;
}

/* Replaces the direct interfaces of C by all whose fields are numbered. */
static int find_interfaces(struct ag_classes *t, struct ag_class *c,
			   unsigned depth)
{
	struct ag_class *super = ag_class(t, c->super);
	struct set s = { NULL, 0, 0 };
	uint32_t *all = NULL;
	int status = 0;

	if (c->has_interfaces)
		return 0;
	c->has_interfaces = true; /* set first, so that cycles end */
	if (depth > DEEPEST)
		return -1;
	if (super)
		status = find_interfaces(t, super, depth + 1);
	if (status == 0)
		status = set_add_all(&s, super);
	for (uint32_t i = 0; i < c->interface_count && status == 0; i++)
		status = add_interface(t, &s, c->interfaces[i], depth);
	if (status == 0 && s.count) {
		all = hp_arena_take(&t->arena, s.count * sizeof *all);
		if (all)
			memcpy(all, s.serials, s.count * sizeof *all);
		else
			status = -1;
	}
	c->interfaces = all;
	c->interface_count = all ? (uint32_t)s.count : 0;
	hp_free(s.serials);
	return status;
}

/* ---- slots --------------------------------------------------------------- */

static const struct ag_class *superclass_of(const struct ag_classes *t,
					    const struct ag_class *c)
{
	return c->is_interface ? NULL : ag_class(t, c->super);
}

static uint32_t count_slots(const struct ag_classes *t,
			    const struct ag_class *c)
{
	uint64_t count = 0;

	for (unsigned depth = 0; c && depth < DEEPEST; depth++) {
		count += c->numbered;
		c = superclass_of(t, c);
	}
	return count < UINT32_MAX / 16 ? (uint32_t)count : 0;
}

/*
 * Fills the slots of the fields that OF declares, the last of which is END - 1.
 */
static void fill_part(struct ag_class *c, const struct ag_class *of,
		      uint32_t end, unsigned id_size)
{
	struct ag_slot *slots = c->slots + end - of->numbered;

	for (uint32_t i = 0; i < of->field_count; i++) {
		const struct ag_field *f = &of->fields[i];
		struct ag_slot slot = { AG_NO_SLOT, f->type };

		if (!f->is_static) {
			slot.offset = c->body;
			c->body += hprof_type_size(f->type, id_size);
		}
		if (i < of->numbered)
			slots[i] = slot;
	}
}

static void fill_slots(const struct ag_classes *t, struct ag_class *c)
{
	const struct ag_class *of = c;
	uint32_t end = c->slot_count;

	while (of && of->numbered <= end) {
		fill_part(c, of, end, t->id_size);
		end -= of->numbered;
		of = superclass_of(t, of);
	}
}

const char *ag_class_lay_out(struct ag_classes *t, struct ag_class *c)
{
	if (c->kind != AG_INSTANCE || c->laid_out)
		return NULL;
	if (find_interfaces(t, c, 0) != 0)
		return no_memory;
	for (uint32_t i = 0; i < c->interface_count; i++) {
		const struct ag_class *of = ag_class(t, c->interfaces[i]);
		c->interface_fields += of ? of->numbered : 0;
	}
	c->slot_count = count_slots(t, c);
	c->first_field = c->interface_fields + c->slot_count - c->numbered;
	c->laid_out = true;
	c->slots = hp_arena_take(&t->arena, c->slot_count * sizeof *c->slots);
	if (!c->slots)
		return no_memory;
	fill_slots(t, c);
	return NULL;
}
