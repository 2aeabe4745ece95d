/* SPDX-License-Identifier: MIT */
/*
 * class_mirrors.c - see class_mirrors.h.
 *
 * The array: all classes by serial, from 1; the mirrors of the primitive types;
 * and the values, a row for each of both, a column for each field of
 * java.lang.Class that is a reference.
 */
#include "agent/dump/class_mirrors.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum { PRIMITIVES = 9 };

struct column {
	uint64_t name;
	const char *plain; /* in the arena of the classes */
	jfieldID field;
	uint32_t place; /* among the columns of its sort */
	uint8_t type;
};

struct ag_mirrors {
	struct ag_classes *classes;
	jobjectArray array; /* global; NULL: the JVM had no memory for it */
	bool dropped;
	uint32_t class_count;

	jobject primitives[PRIMITIVES]; /* until the array holds them */
	uint32_t primitive_count;

	struct column *columns;
	uint32_t column_count;
	uint32_t object_columns, value_columns;

	uint64_t *ids; /* of the primitives, then of the values; the walk's */
	uint64_t *values; /* of the columns that are no references */
};

/* A Java exception means no memory here; what is missing, is missing. */
static bool failed(JNIEnv *jni)
{
	if (!(*jni)->ExceptionCheck(jni))
		return false;
	(*jni)->ExceptionClear(jni);
	return true;
}

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
	c->place = f->type == HPROF_TYPE_OBJECT ? m->object_columns++
						: m->value_columns++;
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

/* ---- mirrors of primitive types ------------------------------------------ */

/* From the primitive arrays; of these each JVM has all. */
static void find_primitives(struct ag_mirrors *m, JNIEnv *jni)
{
	const struct column *component = find_column(m, "componentType");
	const struct ag_classes *t = m->classes;

	for (uint32_t i = 1; component && i <= m->class_count; i++) {
		if (t->all[i].kind != AG_PRIM_ARRAY ||
		    m->primitive_count == PRIMITIVES - 1)
			continue;
		jobject mirror = (*jni)->GetObjectField(jni, t->refs[i],
							component->field);
		if (mirror)
			m->primitives[m->primitive_count++] = mirror;
	}
}

/* void has no array, but a method that knows it, in all versions. */
static void find_void(struct ag_mirrors *m, JNIEnv *jni)
{
	jclass class = m->classes->refs[m->classes->class_class];
	jmethodID method = (*jni)->GetStaticMethodID(
		jni, class, "getPrimitiveClass",
		"(Ljava/lang/String;)Ljava/lang/Class;");
	jstring name = method ? (*jni)->NewStringUTF(jni, "void") : NULL;
	jobject mirror =
		name ? (*jni)->CallStaticObjectMethod(jni, class, method, name)
		     : NULL;

	if (name)
		(*jni)->DeleteLocalRef(jni, name);
	if (!failed(jni) && mirror)
		m->primitives[m->primitive_count++] = mirror;
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
	default: /* java.lang.Class has no others */
		return 0;
	}
}

static uint32_t rows(const struct ag_mirrors *m)
{
	return m->class_count + m->primitive_count;
}

/* Where the array has the first value. */
static uint32_t first_value(const struct ag_mirrors *m)
{
	return m->class_count + m->primitive_count;
}

/* The fields of MIRROR, in ROW. */
static void read_row(struct ag_mirrors *m, JNIEnv *jni, jobject mirror,
		     uint32_t row)
{
	for (uint32_t i = 0; i < m->column_count; i++) {
		const struct column *c = &m->columns[i];

		if (c->type != HPROF_TYPE_OBJECT) {
			m->values[(size_t)row * m->value_columns + c->place] =
				read_value(jni, mirror, c);
			continue;
		}
		jobject value = (*jni)->GetObjectField(jni, mirror, c->field);
		if (!value)
			continue;
		uint32_t at =
			first_value(m) + row * m->object_columns + c->place;
		(*jni)->SetObjectArrayElement(jni, m->array, (jsize)at, value);
		(*jni)->DeleteLocalRef(jni, value);
	}
}

static void fill_array(struct ag_mirrors *m, JNIEnv *jni)
{
	const struct ag_classes *t = m->classes;

	for (uint32_t i = 0; i < m->class_count; i++) {
		jobject mirror = t->refs[i + 1];

		(*jni)->SetObjectArrayElement(jni, m->array, (jsize)i, mirror);
		read_row(m, jni, mirror, i);
	}
	for (uint32_t i = 0; i < m->primitive_count; i++) {
		uint32_t at = m->class_count + i;

		(*jni)->SetObjectArrayElement(jni, m->array, (jsize)at,
					      m->primitives[i]);
		read_row(m, jni, m->primitives[i], at);
	}
}

/* The array, hidden, with all values; or none. */
static void make_array(struct ag_mirrors *m, jvmtiEnv *jvmti, JNIEnv *jni)
{
	uint64_t size = rows(m) * ((uint64_t)m->object_columns + 1);
	jclass object = m->classes->refs[m->classes->object];

	if (size > INT32_MAX)
		return;
	jobjectArray array =
		(*jni)->NewObjectArray(jni, (jsize)size, object, NULL);
	if (failed(jni) || !array)
		return;
	if ((*jvmti)->SetTag(jvmti, array, AG_TAG_HIDDEN) == 0)
		m->array = (*jni)->NewGlobalRef(jni, array);
	(*jni)->DeleteLocalRef(jni, array);
	if (m->array)
		fill_array(m, jni);
	failed(jni);
}

struct ag_mirrors *ag_mirrors_read(struct ag_classes *classes, jvmtiEnv *jvmti,
				   JNIEnv *jni)
{
	struct ag_mirrors *m = hp_calloc(1, sizeof *m);

	if (!m)
		return NULL;
	m->classes = classes;
	m->class_count = classes->count;
	if (!classes->object || !classes->class_class)
		return m; /* no Java that we know */
	if (!find_columns(m, jvmti)) {
		ag_mirrors_free(m);
		return NULL;
	}
	find_primitives(m, jni);
	find_void(m, jni);
	m->ids = hp_calloc(m->primitive_count +
				   (size_t)rows(m) * m->object_columns,
			   sizeof *m->ids);
	m->values = hp_calloc((size_t)rows(m) * m->value_columns,
			      sizeof *m->values);
	if (!m->ids || !m->values) {
		ag_mirrors_free(m);
		return NULL;
	}
	make_array(m, jvmti, jni);
	for (uint32_t i = 0; i < m->primitive_count; i++)
		(*jni)->DeleteLocalRef(jni, m->primitives[i]);
	return m;
}

void ag_mirrors_free(struct ag_mirrors *m)
{
	if (!m)
		return;
	hp_free(m->columns);
	hp_free(m->ids);
	hp_free(m->values);
	hp_free(m);
}

bool ag_mirrors_are_known(const struct ag_mirrors *m)
{
	return m->array || m->column_count == 0;
}

void ag_array_clear(JNIEnv *jni, jobjectArray array)
{
	jsize length = (*jni)->GetArrayLength(jni, array);

	for (jsize i = 0; i < length; i++)
		(*jni)->SetObjectArrayElement(jni, array, i, NULL);
}

void ag_mirrors_drop(struct ag_mirrors *m, JNIEnv *jni)
{
	if (m->array && !m->dropped) {
		ag_array_clear(jni, m->array);
		(*jni)->DeleteGlobalRef(jni, m->array);
	}
	m->dropped = true;
}

/* ---- the walk over the classes ------------------------------------------- */

static void drop_references(struct ag_mirrors *m, JNIEnv *jni)
{
	for (uint32_t i = 1; i <= m->class_count; i++) {
		(*jni)->DeleteLocalRef(jni, m->classes->refs[i]);
		m->classes->refs[i] = NULL;
	}
}

enum hprof_status ag_mirrors_walk(struct ag_mirrors *m, struct ag_walk *w,
				  jvmtiEnv *jvmti, JNIEnv *jni)
{
	if (m->array) {
		w->listed = m->ids;
		w->listed_first = m->class_count;
		w->listed_count =
			m->primitive_count + rows(m) * m->object_columns;
		ag_walk_run(w, jvmti, AG_CLASSES, m->array);
	} else {
		for (uint32_t i = 1; i <= m->class_count; i++)
			if (ag_walk_run(w, jvmti, AG_CLASSES,
					m->classes->refs[i]) != HPROF_OK)
				break;
	}
	w->listed = NULL;
	w->listed_count = 0;
	drop_references(m, jni);
	return w->status;
}

/* ---- what was learnt ----------------------------------------------------- */

unsigned ag_mirrors_field_count(const struct ag_mirrors *m)
{
	return m->column_count;
}

static struct ag_mirror_field field_at(const struct ag_mirrors *m, uint32_t row,
				       const struct column *c)
{
	struct ag_mirror_field f = { c->name, 0, c->type };

	if (!m->array)
		return f;
	if (c->type == HPROF_TYPE_OBJECT)
		f.value = m->ids[m->primitive_count +
				 (size_t)row * m->object_columns + c->place];
	else
		f.value = m->values[(size_t)row * m->value_columns + c->place];
	return f;
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

/* The body of an instance of java.lang.Class. */
static void fill_body(const struct ag_mirrors *m, uint32_t row,
		      const struct ag_class *class, uint8_t *body,
		      unsigned id_size)
{
	uint32_t offset = 0;

	memset(body, 0, class->body);
	for (uint32_t i = 0, next = 0; i < class->field_count; i++) {
		const struct ag_field *f = &class->fields[i];

		if (f->is_static || next == m->column_count)
			continue;
		ag_put_value(body + offset, f->type,
			     field_at(m, row, &m->columns[next++]).value,
			     id_size);
		offset += hprof_type_size(f->type, id_size);
	}
}

bool ag_mirrors_put_primitives(struct ag_mirrors *m, struct ag_walk *w)
{
	const struct ag_class *class =
		ag_class(m->classes, m->classes->class_class);

	if (!class || !m->array)
		return true;
	for (uint32_t i = 0; i < m->primitive_count; i++) {
		fill_body(m, m->class_count + i, class, w->body, w->id_size);
		if (m->ids[i] && !ag_walk_put_instance(w, m->ids[i], class->id,
						       w->body, class->body))
			return false;
	}
	return true;
}

/* Has this object a record, as a class or as a primitive type? */
static bool has_record(const struct ag_mirrors *m, uint64_t id)
{
	if (ag_class_with_id(m->classes, id))
		return true;
	for (uint32_t i = 0; m->array && i < m->primitive_count; i++)
		if (m->ids[i] == id)
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
