/* SPDX-License-Identifier: MIT */
/*
 * class_record.c - see class_record.h.
 *
 * The format has CLASS_DUMP records instead of java.lang.Class instances, so it
 * has no place for the fields of these objects. As in Android's dumps, they
 * become static fields "$class$NAME"; those that are null or 0 are left out.
 */
#include "agent/dump/class_record.h"

#include <string.h>

#include "base/mem.h"
#include "base/wire.h"

/* One of the three lists of a CLASS_DUMP. */
struct list {
	uint8_t *bytes;
	size_t size, room;
	uint32_t count;
	bool failed;
};

/* Appends SIZE bytes; NULL without memory, or when the list is full. */
static uint8_t *more(struct list *l, size_t size)
{
	if (l->count == UINT16_MAX || l->failed)
		return NULL;
	if (l->room - l->size < size) {
		size_t room = 2 * l->room + size + 256;
		uint8_t *bytes = hp_realloc(l->bytes, room, 1);

		if (!bytes) {
			l->failed = true;
			return NULL;
		}
		l->bytes = bytes;
		l->room = room;
	}
	l->size += size;
	l->count++;
	return l->bytes + l->size - size;
}

static void add_static(struct list *l, unsigned z, uint64_t name, uint8_t type,
		       uint64_t value)
{
	uint8_t *p = more(l, z + 1 + hprof_type_size(type, z));

	if (!p)
		return;
	hp_put_id(p, z, name);
	p[z] = type;
	ag_put_value(p + z + 1, type, value, z);
}

static void add_field(struct list *l, unsigned z, uint64_t name, uint8_t type)
{
	uint8_t *p = more(l, z + 1);

	if (!p)
		return;
	hp_put_id(p, z, name);
	p[z] = type;
}

static void add_constant(struct list *l, unsigned z, uint32_t index,
			 uint64_t id)
{
	uint8_t *p = more(l, 3 + z);

	if (!p)
		return;
	hp_put16(p, (uint16_t)index);
	p[2] = HPROF_TYPE_OBJECT;
	hp_put_id(p + 3, z, id);
}

struct lists {
	struct list constants, statics, fields;
};

static bool is_wanted(const struct ag_walk *w, const struct ag_mirror_field *f)
{
	return f->value && ag_walk_has(w, f->type);
}

static void fill_lists(const struct ag_walk *w, const struct ag_mirrors *m,
		       const struct ag_class *c, bool constants,
		       struct lists *l)
{
	for (uint32_t i = 0; w->level > 0 && i < c->field_count; i++) {
		const struct ag_field *f = &c->fields[i];

		if (f->is_static)
			add_static(&l->statics, w->id_size, f->name, f->type,
				   f->value);
		else
			add_field(&l->fields, w->id_size, f->name, f->type);
	}
	for (unsigned i = 0; i < ag_mirrors_field_count(m); i++) {
		struct ag_mirror_field f =
			ag_mirrors_field(m, ag_class_serial(w->classes, c), i);

		if (is_wanted(w, &f))
			add_static(&l->statics, w->id_size, f.name, f.type,
				   f.value);
	}
	for (uint32_t i = 0; constants && i < c->constant_count; i++) {
		const struct ag_note *n = &w->notes[c->constants + i];

		add_constant(&l->constants, w->id_size, n->index, n->value);
	}
}

static struct hprof_bytes bytes_of(const struct list *l)
{
	return (struct hprof_bytes){ l->bytes, l->size };
}

static bool put_class(struct ag_walk *w, const struct ag_class *c,
		      const struct lists *l)
{
	struct hprof_record r = { .tag = HPROF_CLASS_DUMP };
	struct hprof_class_dump *d = &r.u.class_dump;

	r.id_size = (uint8_t)w->id_size;
	d->class_id = c->id;
	d->trace_serial = AG_EMPTY_TRACE;
	d->super_id = c->super ? w->classes->all[c->super].id : 0;
	d->loader_id = c->loader;
	d->signers_id = c->signers;
	d->domain_id = c->domain;
	d->instance_size = c->body;
	d->constant_count = (uint16_t)l->constants.count;
	d->static_count = (uint16_t)l->statics.count;
	d->field_count = (uint16_t)l->fields.count;
	d->constants = bytes_of(&l->constants);
	d->statics = bytes_of(&l->statics);
	d->fields = bytes_of(&l->fields);
	return ag_walk_put(w, &r);
}

/* Fills in what JVMTI does not report for array classes and unlinked ones. */
static void complete(const struct ag_classes *t, const struct ag_mirrors *m,
		     struct ag_class *c)
{
	const uint32_t serial = ag_class_serial(t, c);
	const struct ag_class *of = c;

	for (int depth = 0; of && depth < 256 && of->kind == AG_OBJ_ARRAY;
	     depth++)
		of = ag_class_with_id(
			t, ag_mirrors_value(m, ag_class_serial(t, of),
					    "componentType"));
	if (of && of != c) {
		c->loader = of->loader;
		c->signers = of->signers;
		c->domain = of->domain;
	}
	if (!c->loader)
		c->loader = ag_mirrors_value(m, serial, "classLoader");
	if (!c->domain)
		c->domain = ag_mirrors_value(m, serial, "protectionDomain");
}

static bool dump_class(struct ag_walk *w, const struct ag_mirrors *m,
		       bool constants, struct ag_class *c)
{
	struct lists l;
	bool fine;

	memset(&l, 0, sizeof l);
	complete(w->classes, m, c);
	fill_lists(w, m, c, constants && w->level > 0, &l);
	if (l.constants.failed || l.statics.failed || l.fields.failed)
		ag_walk_fail(w, HPROF_E_NOMEM, "out of memory");
	fine = w->status == HPROF_OK && put_class(w, c, &l);
	hp_free(l.constants.bytes);
	hp_free(l.statics.bytes);
	hp_free(l.fields.bytes);
	c->dumped = fine;
	return fine;
}

/* The highest superclass of C that has no record yet, or C itself. */
static struct ag_class *first_due(const struct ag_classes *t,
				  struct ag_class *c, bool unlinked)
{
	struct ag_class *due = c;

	for (uint32_t left = t->count; left > 0 && c; left--) {
		if (!c->dumped && (unlinked || c->kind != AG_UNLINKED))
			due = c;
		c = ag_class(t, c->super);
	}
	return due;
}

bool ag_class_dumps(struct ag_walk *w, const struct ag_mirrors *m,
		    bool constants, bool late)
{
	struct ag_classes *t = w->classes;
	const uint32_t last = late ? t->count : t->count - t->late;

	for (uint32_t i = 1; i <= last; i++) {
		struct ag_class *c = &t->all[i];

		while (!c->dumped && (late || c->kind != AG_UNLINKED))
			if (!dump_class(w, m, constants, first_due(t, c, late)))
				return false;
	}
	return true;
}
