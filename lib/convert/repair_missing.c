/* SPDX-License-Identifier: MIT */
/*
 * repair_missing.c - adds what a damaged dump refers to but does not have:
 * names, LOAD_CLASS records, and the classes of objects, with fields of type
 * byte for their data. The classes that readers look up by name, such as
 * java.lang.Object, are added if they are missing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "convert/repair.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/wire.h"

/*
 * Returns an id that nothing in the dump has. Such ids are taken from the top
 * of the range downwards.
 */
static uint64_t free_id(struct hp_convert *c, struct hp_repair *m)
{
	uint64_t top = UINT64_MAX >> (64 - 8 * c->plan->to);

	do
		m->next_id =
			m->next_id ? m->next_id - 8 : (top & ~(uint64_t)0xfff);
	while (hp_cv_string(c, m->next_id, false) ||
	       hp_cv_class(c, m->next_id, false) ||
	       hp_id_marks_set(&m->ids, m->next_id, HP_ID_REFERRED));
	return m->next_id;
}

/* ---- names --------------------------------------------------------------- */

static enum hprof_status put_name(struct hp_convert *c, uint64_t id,
				  const char *text)
{
	struct hprof_record r = {
		.tag = HPROF_UTF8,
		.id_size = (uint8_t)c->plan->to,
		.u.utf8 = { .string_id = id,
			    .text = { (const uint8_t *)text, strlen(text) } },
	};

	return hp_cv_emit(c, &r);
}

static enum hprof_status put_load(struct hp_convert *c, struct hp_repair *m,
				  struct hp_cv_class *k, const char *name)
{
	struct hprof_record r = { .tag = HPROF_LOAD_CLASS };

	k->link.known.name_id = free_id(c, m);
	HP_TRY(put_name(c, k->link.known.name_id, name));
	do
		m->next_serial++;
	while (hp_u64_map_get(&c->model.classes.serials, m->next_serial));
	r.u.load_class = (struct hprof_load_class){
		.class_serial = m->next_serial,
		.class_id = k->link.known.id,
		.name_id = k->link.known.name_id,
	};
	k->link.known.loaded = true;
	return hp_cv_emit(c, &r);
}

/* Classes that readers look up by name; bits of hp_repair.found. */
static const char *const core[] = { "java/lang/Object", "java/lang/Class",
				    "java/lang/String",
				    "java/lang/ClassLoader" };
enum { CORE = sizeof core / sizeof *core };

static const char *const arrays[16] = {
	[HPROF_TYPE_BOOLEAN] = "[Z", [HPROF_TYPE_CHAR] = "[C",
	[HPROF_TYPE_FLOAT] = "[F",   [HPROF_TYPE_DOUBLE] = "[D",
	[HPROF_TYPE_BYTE] = "[B",    [HPROF_TYPE_SHORT] = "[S",
	[HPROF_TYPE_INT] = "[I",     [HPROF_TYPE_LONG] = "[J",
};

/*
 * Takes K for the class of that bit, unless there is one already. If it has no
 * CLASS_DUMP, it gets one.
 */
static void take_core(struct hp_cv_class *k, unsigned *found, unsigned bit,
		      uint64_t *ret_id)
{
	if (*found >> bit & 1)
		return;
	*found |= 1U << bit;
	k->used = true;
	if (ret_id)
		*ret_id = k->link.known.id;
}

static void find_core(struct hp_convert *c, struct hp_repair *m,
		      struct hp_cv_class *k)
{
	char name[64], wanted[64];
	size_t size;

	hp_cv_class_name(c, k, name, sizeof name);
	for (unsigned i = 0; i < CORE; i++) {
		size = hprof_class_name_decode((const uint8_t *)core[i],
					       strlen(core[i]), wanted,
					       sizeof wanted);
		wanted[size < sizeof wanted ? size : 0] = '\0';
		if (strcmp(name, wanted) == 0)
			take_core(k, &m->found, i, i ? NULL : &m->object_id);
	}
	for (unsigned type = 4; type <= HPROF_TYPE_LONG; type++) {
		snprintf(wanted, sizeof wanted, "%s[]", hprof_type_name(type));
		if (m->types >> type & 1 && strcmp(name, wanted) == 0)
			take_core(k, &m->found_types, type, NULL);
	}
}

static enum hprof_status make_class(struct hp_convert *c, struct hp_repair *m,
				    const char *name, uint64_t *ret_id)
{
	struct hp_cv_class *k = hp_cv_class(c, free_id(c, m), true);

	if (!k)
		return hp_no_memory(c->error);
	k->used = true;
	if (ret_id)
		*ret_id = k->link.known.id;
	return put_load(c, m, k, name);
}

static enum hprof_status make_core(struct hp_convert *c, struct hp_repair *m)
{
	for (unsigned i = 0; i < CORE; i++)
		if (!(m->found >> i & 1))
			HP_TRY(make_class(c, m, core[i],
					  i ? NULL : &m->object_id));
	for (unsigned type = 4; type <= HPROF_TYPE_LONG; type++)
		if (m->types >> type & 1 && !(m->found_types >> type & 1))
			HP_TRY(make_class(c, m, arrays[type], NULL));
	return HPROF_OK;
}

enum hprof_status hp_repair_add_names(struct hp_convert *c, struct hp_repair *m)
{
	char text[64];

	for (struct hp_cv_string *s = c->model.first_string; s; s = s->next) {
		if (s->string.bytes || !s->uses)
			continue;
		snprintf(text, sizeof text, "unknown-name@0x%" PRIx64, s->id);
		HP_TRY(put_name(c, s->id, text));
	}
	for (struct hp_cv_class *k = hp_cv_first_class(c); k;
	     k = hp_cv_next_class(k))
		if (k->link.known.loaded && k->link.dumped)
			find_core(c, m, k);
	for (struct hp_cv_class *k = hp_cv_first_class(c); k;
	     k = hp_cv_next_class(k))
		if (k->link.known.loaded && !k->link.dumped && k->link.known.id)
			find_core(c, m, k);
	for (struct hp_cv_class *k = hp_cv_first_class(c); k;
	     k = hp_cv_next_class(k)) {
		if (k->link.known.loaded || !(k->link.dumped || k->used))
			continue;
		snprintf(text, sizeof text, "unknown-class@0x%" PRIx64,
			 k->link.known.id);
		HP_TRY(put_load(c, m, k, text));
	}
	HP_TRY(make_core(c, m));
	m->field_name = free_id(c, m);
	return put_name(c, m->field_name, "unknown");
}

/* ---- classes ------------------------------------------------------------- */

/*
 * Writes a CLASS_DUMP for a class that has none. Its fields are bytes, as many
 * as its instances have.
 */
static enum hprof_status put_class(struct hp_convert *c, struct hp_repair *m,
				   const struct hp_cv_class *k)
{
	uint32_t count = k->data_size < UINT16_MAX ? k->data_size : UINT16_MAX;
	size_t width = c->plan->to + 1;
	uint8_t *fields = hp_alloc(width * count + 1);
	struct hprof_record r = { .tag = HPROF_CLASS_DUMP };
	enum hprof_status status;

	if (!fields)
		return hp_no_memory(c->error);
	for (uint32_t i = 0; i < count; i++) {
		hp_put_id(fields + i * width, c->plan->to, m->field_name);
		fields[i * width + c->plan->to] = HPROF_TYPE_BYTE;
	}
	r.u.class_dump = (struct hprof_class_dump){
		.class_id = k->link.known.id,
		.super_id = k->link.known.id == m->object_id ? 0 : m->object_id,
		.instance_size = count,
		.field_count = (uint16_t)count,
		.fields = { fields, width * count },
	};
	status = hp_cv_emit(c, &r);
	hp_free(fields);
	return status;
}

enum hprof_status hp_repair_add_classes(struct hp_convert *c,
					struct hp_repair *m)
{
	for (struct hp_cv_class *k = hp_cv_first_class(c); k;
	     k = hp_cv_next_class(k))
		if (!k->link.dumped && k->used &&
		    hp_id_marks_define(&m->ids, k->link.known.id))
			HP_TRY(put_class(c, m, k));
	return HPROF_OK;
}
