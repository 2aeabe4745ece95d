/* SPDX-License-Identifier: MIT */
/*
 * class_mirrors.c - see class_mirrors.h. The values form a table, with a row
 * for each class, by serial, then one for each mirror of a primitive type, and
 * a column for each field of java.lang.Class.
 */
#include "agent/dump/class_mirrors.h"

#include <stdio.h>
#include <string.h>

#include "agent/dump/full_heap.h"
#include "base/mem.h"

enum { PRIMITIVES = 9 };

struct column {
	uint64_t name;
	const char *plain; /* in the arena of the classes */
	jfieldID field;
	uint8_t type;
};

struct ag_mirrors {
	struct ag_classes *classes;
	struct ag_held held;
	uint32_t class_count;

	uint64_t primitives[PRIMITIVES]; /* ids */
	uint32_t primitive_count;

	struct column *columns;
	uint32_t column_count;
	uint64_t *values; /* ids of references, bits of other values */
};

static const char no_memory[] = "out of memory";

/* ---- columns ------------------------------------------------------------- */

static bool add_column(struct ag_mirrors *m, jvmtiEnv *jvmti, jclass class,
		       const struct ag_field *f, jfieldID id)
{
	struct column *c = &m->columns[m->column_count];
	char *name, shown[256];

	if ((*jvmti)->GetFieldName(jvmti, class, id, &name, NULL, NULL) != 0)
		return true;
	snprintf(shown, sizeof shown, "$class$%s", name);
	c->plain = hp_arena_text(&m->classes->arena, name, strlen(name));
	c->name = ag_name(m->classes->names, shown);
	c->field = id;
	c->type = f->type;
	m->column_count++;
	(*jvmti)->Deallocate(jvmti, (unsigned char *)name);
	return c->plain && c->name;
}

static bool find_columns(struct ag_mirrors *m, jvmtiEnv *jvmti)
{
	const struct ag_class *c =
		ag_class(m->classes, m->classes->class_class);
	jfieldID *ids;
	jint count;
	bool fine = true;

	if (!c || (*jvmti)->GetClassFields(
			  jvmti, m->classes->refs[m->classes->class_class],
			  &count, &ids) != 0)
		return true;
	m->columns = hp_calloc(c->field_count, sizeof *m->columns);
	fine = m->columns != NULL;
	for (uint32_t i = 0; fine && i < c->field_count && i < (uint32_t)count;
	     i++)
		if (!c->fields[i].is_static)
			fine = add_column(
				m, jvmti,
				m->classes->refs[m->classes->class_class],
				&c->fields[i], ids[i]);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)ids);
	return fine;
}

static const struct column *find_column(const struct ag_mirrors *m,
					const char *name)
{
	for (uint32_t i = 0; i < m->column_count; i++)
		if (strcmp(m->columns[i].plain, name) == 0)
			return &m->columns[i];
	return NULL;
}

/* ---- values -------------------------------------------------------------- */

static uint64_t read_value(JNIEnv *jni, jobject mirror, const struct column *c)
{
	switch (c->type) {
	case HPROF_TYPE_BOOLEAN:
		return (*jni)->GetBooleanField(jni, mirror, c->field);
	case HPROF_TYPE_BYTE:
		return (uint8_t)(*jni)->GetByteField(jni, mirror, c->field);
	case HPROF_TYPE_CHAR:
		return (*jni)->GetCharField(jni, mirror, c->field);
	case HPROF_TYPE_SHORT:
		return (uint16_t)(*jni)->GetShortField(jni, mirror, c->field);
	case HPROF_TYPE_INT:
		return (uint32_t)(*jni)->GetIntField(jni, mirror, c->field);
	case HPROF_TYPE_LONG:
		return (uint64_t)(*jni)->GetLongField(jni, mirror, c->field);
	default: /* no field has another type */
		return 0;
	}
}

/* Reads the fields of MIRROR into ROW. */
static const char *read_row(struct ag_mirrors *m, jvmtiEnv *jvmti, JNIEnv *jni,
			    jobject mirror, uint32_t row)
{
	uint64_t *values = m->values + (size_t)row * m->column_count;
	const char *why = NULL;

	for (uint32_t i = 0; i < m->column_count && !why; i++) {
		const struct column *c = &m->columns[i];

		if (c->type != HPROF_TYPE_OBJECT) {
			values[i] = read_value(jni, mirror, c);
			continue;
		}
		jobject value = (*jni)->GetObjectField(jni, mirror, c->field);
		if (!value)
			continue;
		why = ag_hold(&m->held, m->classes, jvmti, jni, value, 0,
			      &values[i]);
		(*jni)->DeleteLocalRef(jni, value);
	}
	return why;
}

static const char *read_classes(struct ag_mirrors *m, jvmtiEnv *jvmti,
				JNIEnv *jni)
{
	struct ag_classes *t = m->classes;
	const char *why = NULL;

	for (uint32_t i = 1; i <= m->class_count && !why; i++) {
		why = ag_hold_class(&m->held, t, jni, i);
		if (!why)
			why = read_row(m, jvmti, jni, t->refs[i], i - 1);
	}
	return why;
}

/* ---- mirrors of primitive types ------------------------------------------ */

/* There are KEPT more global references to MIRROR, which outlive the dump. */
static const char *add_primitive(struct ag_mirrors *m, jvmtiEnv *jvmti,
				 JNIEnv *jni, jobject mirror, uint32_t kept)
{
	const uint32_t i = m->primitive_count;
	const char *why = ag_hold(&m->held, m->classes, jvmti, jni, mirror,
				  kept, &m->primitives[i]);

	if (!why)
		why = read_row(m, jvmti, jni, mirror, m->class_count + i);
	if (!why)
		m->primitive_count++;
	return why;
}

/*
 * Primitive types are the component types of the primitive array classes, which
 * every JVM has.
 */
static const char *read_primitives(struct ag_mirrors *m, jvmtiEnv *jvmti,
				   JNIEnv *jni)
{
	const struct column *component = find_column(m, "componentType");
	const struct ag_classes *t = m->classes;
	const char *why = NULL;

	for (uint32_t i = 1; component && i <= m->class_count && !why; i++) {
		if (t->all[i].kind != AG_PRIM_ARRAY ||
		    m->primitive_count == PRIMITIVES - 1)
			continue;
		jobject mirror = (*jni)->GetObjectField(jni, t->refs[i],
							component->field);
		if (!mirror)
			continue;
		why = add_primitive(m, jvmti, jni, mirror, 0);
		(*jni)->DeleteLocalRef(jni, mirror);
	}
	return why;
}

/* There is no array of void, so its mirror is looked up by other means. */
static const char *read_void(struct ag_mirrors *m, jvmtiEnv *jvmti, JNIEnv *jni)
{
	const struct ag_classes *t = m->classes;
	jobject found = ag_void_mirror();
	const char *why;

	if (found)
		return add_primitive(m, jvmti, jni, found, 1);
	if (t->heap_is_full)
		return NULL;
	found = ag_find_void(jni, t->refs[t->class_class]);
	if (!found)
		return NULL;
	why = add_primitive(m, jvmti, jni, found, 0);
	(*jni)->DeleteLocalRef(jni, found);
	return why;
}

/* ---- reading ------------------------------------------------------------- */

static const char *read_all(struct ag_mirrors *m, jvmtiEnv *jvmti, JNIEnv *jni)
{
	const char *why;

	if (!find_columns(m, jvmti))
		return no_memory;
	m->values = hp_calloc((size_t)(m->class_count + PRIMITIVES) *
				      m->column_count,
			      sizeof *m->values);
	if (!m->values)
		return no_memory;
	why = read_classes(m, jvmti, jni);
	if (!why)
		why = read_primitives(m, jvmti, jni);
	if (!why)
		why = read_void(m, jvmti, jni);
	return why;
}

static void drop_references(struct ag_mirrors *m, JNIEnv *jni)
{
	for (uint32_t i = 1; i <= m->class_count; i++) {
		(*jni)->DeleteLocalRef(jni, m->classes->refs[i]);
		m->classes->refs[i] = NULL;
	}
}

struct ag_mirrors *ag_mirrors_read(struct ag_classes *classes, jvmtiEnv *jvmti,
				   JNIEnv *jni, const char **ret_why)
{
	struct ag_mirrors *m = hp_calloc(1, sizeof *m);
	const char *why = no_memory;

	if (m) {
		m->classes = classes;
		m->class_count = classes->count;
		/* Without these two the JVM is unknown: read nothing. */
		why = classes->object && classes->class_class
			      ? read_all(m, jvmti, jni)
			      : NULL;
	}
	if (!why) {
		drop_references(m, jni);
		return m;
	}
	if (m)
		ag_held_drop(&m->held, jni);
	ag_mirrors_free(m);
	*ret_why = why;
	return NULL;
}

void ag_mirrors_free(struct ag_mirrors *m)
{
	if (!m)
		return;
	ag_held_free(&m->held);
	hp_free(m->columns);
	hp_free(m->values);
	hp_free(m);
}

void ag_mirrors_drop(struct ag_mirrors *m, JNIEnv *jni)
{
	ag_held_drop(&m->held, jni);
}

struct ag_held *ag_mirrors_held(struct ag_mirrors *m)
{
	return &m->held;
}

/* ---- using the values ---------------------------------------------------- */

unsigned ag_mirrors_field_count(const struct ag_mirrors *m)
{
	return m->column_count;
}

static struct ag_mirror_field field_at(const struct ag_mirrors *m, uint32_t row,
				       const struct column *c)
{
	const size_t column = (size_t)(c - m->columns);

	return (struct ag_mirror_field){
		.name = c->name,
		.value = m->values[(size_t)row * m->column_count + column],
		.type = c->type,
	};
}

struct ag_mirror_field ag_mirrors_field(const struct ag_mirrors *m,
					uint32_t serial, unsigned index)
{
	static const struct ag_mirror_field none;

	if (serial - 1 >= m->class_count || index >= m->column_count)
		return none;
	return field_at(m, serial - 1, &m->columns[index]);
}

uint64_t ag_mirrors_value(const struct ag_mirrors *m, uint32_t serial,
			  const char *name)
{
	const struct column *c = find_column(m, name);

	if (!c || serial - 1 >= m->class_count)
		return 0;
	return field_at(m, serial - 1, c).value;
}

/* Fills in the body of an instance of java.lang.Class. */
static void fill_body(const struct ag_mirrors *m, uint32_t row,
		      const struct ag_class *class, struct ag_walk *w)
{
	uint32_t offset = 0;

	memset(w->body, 0, class->body);
	for (uint32_t i = 0, next = 0; i < class->field_count; i++) {
		const struct ag_field *f = &class->fields[i];
		uint64_t value;

		if (f->is_static || next == m->column_count)
			continue;
		value = field_at(m, row, &m->columns[next++]).value;
		if (ag_walk_has(w, f->type))
			ag_put_value(w->body + offset, f->type, value,
				     w->id_size);
		offset += hprof_type_size(f->type, w->id_size);
	}
}

bool ag_mirrors_put_primitives(struct ag_mirrors *m, struct ag_walk *w)
{
	const struct ag_class *class =
		ag_class(m->classes, m->classes->class_class);

	if (!class)
		return true;
	for (uint32_t i = 0; i < m->primitive_count; i++) {
		fill_body(m, m->class_count + i, class, w);
		if (!ag_walk_put_instance(w, m->primitives[i], class->id,
					  w->body, class->body))
			return false;
	}
	return true;
}

/* Does this object have a record, as a class or as a primitive type? */
static bool has_record(const struct ag_mirrors *m, uint64_t id)
{
	if (ag_class_with_id(m->classes, id))
		return true;
	for (uint32_t i = 0; i < m->primitive_count; i++)
		if (m->primitives[i] == id)
			return true;
	return false;
}

bool ag_mirrors_put_unloaded(const struct ag_mirrors *m, struct ag_walk *w)
{
	const struct ag_class *class =
		ag_class(m->classes, m->classes->class_class);

	if (!class)
		return true;
	memset(w->body, 0, class->body);
	for (uint32_t i = 0; i < w->mirror_count; i++)
		if (!has_record(m, w->mirrors[i]) &&
		    !ag_walk_put_instance(w, w->mirrors[i], class->id, w->body,
					  class->body))
			return false;
	return true;
}
