/* SPDX-License-Identifier: MIT */
/*
 * class_reader.c - reads every class through JVMTI before the heap is walked,
 * since heap callbacks must not call JVMTI. Layouts: class_layout.c.
 */
#include "agent/dump/class_reader.h"

#include <string.h>

#include "agent/common/errors.h"
#include "agent/dump/class_layout.h"
#include "base/mem.h"

static const char no_memory[] = "out of memory";

/* ---- one class ----------------------------------------------------------- */

static const char *read_name(struct ag_classes *t, struct ag_class *c,
			     jvmtiEnv *jvmti, jclass class)
{
	char *signature;
	jvmtiError e =
		(*jvmti)->GetClassSignature(jvmti, class, &signature, NULL);

	if (e != JVMTI_ERROR_NONE)
		return ag_error_text(e);
	if (signature[0] == '[') {
		c->element = ag_type_of(signature[1]);
		c->kind = c->element == HPROF_TYPE_OBJECT ? AG_OBJ_ARRAY
							  : AG_PRIM_ARRAY;
	} else if (strcmp(signature, "Ljava/lang/Object;") == 0) {
		t->object = ag_class_serial(t, c);
	} else if (strcmp(signature, "Ljava/lang/Class;") == 0) {
		t->class_class = ag_class_serial(t, c);
	}
	ag_class_name_as_hotspot(signature, jvmti);
	c->name = ag_name_class(t->names, signature);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
	return c->name ? NULL : no_memory;
}

/* The serial of a class; 0 if it is not in the table. */
static uint32_t serial_of(jvmtiEnv *jvmti, jclass class)
{
	jlong tag = 0;

	if (!class || (*jvmti)->GetTag(jvmti, class, &tag) != 0)
		return 0;
	return ag_serial_of_tag((uint64_t)tag);
}

static void read_super(struct ag_class *c, jvmtiEnv *jvmti, JNIEnv *jni,
		       jclass class)
{
	jclass super = (*jni)->GetSuperclass(jni, class);
	jboolean is_interface = JNI_FALSE;

	c->super = serial_of(jvmti, super);
	if (super)
		(*jni)->DeleteLocalRef(jni, super);
	if ((*jvmti)->IsInterface(jvmti, class, &is_interface) == 0)
		c->is_interface = is_interface;
}

static const char *read_field(struct ag_classes *t, struct ag_field *f,
			      jvmtiEnv *jvmti, jclass class, jfieldID id)
{
	char *name, *signature;
	jint modifiers;
	jvmtiError e =
		(*jvmti)->GetFieldModifiers(jvmti, class, id, &modifiers);

	if (e == JVMTI_ERROR_NONE)
		e = (*jvmti)->GetFieldName(jvmti, class, id, &name, &signature,
					   NULL);
	if (e != JVMTI_ERROR_NONE)
		return ag_error_text(e);
	f->name = ag_name(t->names, name);
	f->type = ag_type_of(signature[0]);
	f->is_static = (modifiers & 0x0008) != 0; /* ACC_STATIC */
	(*jvmti)->Deallocate(jvmti, (unsigned char *)name);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
	return f->name ? NULL : no_memory;
}

/*
 * The name of the field of C that HotSpot hides from reflection: it is in
 * JVMTI's list of fields, but has no number. 0 if C has no such field.
 */
static uint64_t unnumbered_field(const struct ag_classes *t,
				 const struct ag_class *c)
{
	static const char *const kept[][2] = {
		{ "jdk/internal/reflect/UnsafeStaticFieldAccessorImpl",
		  "base" },
		{ "jdk/internal/reflect/ConstantPool", "constantPoolOop" },
	};

	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		if (c->name == ag_name(t->names, kept[i][0]))
			return ag_name(t->names, kept[i][1]);
	return 0;
}

/* Moves the field without a number behind the others. */
static void sort_fields(const struct ag_classes *t, struct ag_class *c)
{
	uint64_t kept = unnumbered_field(t, c);

	c->numbered = c->field_count;
	for (uint32_t i = 0; kept && i < c->numbered; i++) {
		struct ag_field f = c->fields[i];

		if (f.name != kept)
			continue;
		c->numbered--;
		memmove(&c->fields[i], &c->fields[i + 1],
			(c->numbered - i) * sizeof f);
		c->fields[c->numbered] = f;
	}
}

static const char *read_fields(struct ag_classes *t, struct ag_class *c,
			       jvmtiEnv *jvmti, jclass class)
{
	jfieldID *ids;
	jint count;
	jvmtiError e = (*jvmti)->GetClassFields(jvmti, class, &count, &ids);
	const char *why = NULL;

	if (e == JVMTI_ERROR_CLASS_NOT_PREPARED) {
		c->kind = AG_UNLINKED;
		return NULL;
	}
	if (e != JVMTI_ERROR_NONE)
		return ag_error_text(e);
	c->kind = AG_INSTANCE;
	c->field_count = count > 0 ? (uint32_t)count : 0;
	if (c->field_count) {
		size_t size = c->field_count * sizeof *c->fields;
		c->fields = hp_arena_take(&t->arena, size);
		if (c->fields)
			memset(c->fields, 0, size);
		else
			why = no_memory;
	}
	for (uint32_t i = 0; i < c->field_count && !why; i++)
		why = read_field(t, &c->fields[i], jvmti, class, ids[i]);
	if (!why)
		sort_fields(t, c);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)ids);
	return why;
}

/* The direct interfaces; class_layout.c adds the others. */
static const char *read_interfaces(struct ag_classes *t, struct ag_class *c,
				   jvmtiEnv *jvmti, JNIEnv *jni, jclass class)
{
	jclass *list;
	jint count;
	jvmtiError e =
		(*jvmti)->GetImplementedInterfaces(jvmti, class, &count, &list);

	if (e != JVMTI_ERROR_NONE)
		return ag_error_text(e);
	if (count > 0) {
		c->interfaces = hp_arena_take(
			&t->arena, (size_t)count * sizeof *c->interfaces);
		c->interface_count = c->interfaces ? (uint32_t)count : 0;
	}
	for (jint i = 0; i < count; i++) {
		if (c->interfaces)
			c->interfaces[i] = serial_of(jvmti, list[i]);
		(*jni)->DeleteLocalRef(jni, list[i]);
	}
	(*jvmti)->Deallocate(jvmti, (unsigned char *)list);
	return count > 0 && !c->interfaces ? no_memory : NULL;
}

static const char *read_class(struct ag_classes *t, struct ag_class *c,
			      jvmtiEnv *jvmti, JNIEnv *jni, jclass class)
{
	const char *why = read_name(t, c, jvmti, class);

	if (why)
		return why;
	read_super(c, jvmti, jni, class);
	if (c->kind != AG_INSTANCE)
		return NULL;
	why = read_fields(t, c, jvmti, class);
	if (!why && c->kind == AG_INSTANCE)
		why = read_interfaces(t, c, jvmti, jni, class);
	return why;
}

/* ---- all classes --------------------------------------------------------- */

/* The sizes of the Class objects vary enough to show the object alignment. */
static const char *find_alignment(struct ag_classes *t, jvmtiEnv *jvmti,
				  const jclass *list, jint count)
{
	uint64_t bits = 0;

	for (jint i = 0; i < count; i++) {
		jlong size;
		jvmtiError e = (*jvmti)->GetObjectSize(jvmti, list[i], &size);

		if (e != JVMTI_ERROR_NONE)
			return ag_error_text(e);
		bits |= (uint64_t)size;
	}
	ag_ids_init(&t->ids, t->id_size, ag_ids_alignment(bits));
	return NULL;
}

/* Adds a class to the table; it gets a new id if PLACE is 0. */
static const char *add_class(struct ag_classes *t, jvmtiEnv *jvmti,
			     jclass class, uint32_t place)
{
	uint32_t serial = ag_classes_add(t);
	jlong size = 0, tag = 0;
	jvmtiError e;

	if (!serial)
		return no_memory;
	t->refs[serial] = class;
	e = place ? JVMTI_ERROR_NONE
		  : (*jvmti)->GetObjectSize(jvmti, class, &size);
	if (e == JVMTI_ERROR_NONE && !place)
		e = (*jvmti)->GetTag(jvmti, class, &tag);
	if (e == JVMTI_ERROR_NONE && !place)
		place = ag_ids_take(&t->ids, size, (uint64_t)tag);
	if (e == JVMTI_ERROR_NONE)
		e = (*jvmti)->SetTag(jvmti, class,
				     (jlong)ag_class_tag(place, serial));
	t->all[serial].id = ag_id_of_place(&t->ids, place);
	return e == JVMTI_ERROR_NONE ? NULL : ag_error_text(e);
}

/* The classes of LIST that are not in the table. */
static const char *add_new(struct ag_classes *t, jvmtiEnv *jvmti, JNIEnv *jni,
			   const jclass *list, jint count)
{
	const char *why = NULL;

	if (t->count == 0)
		why = find_alignment(t, jvmti, list, count);
	for (jint i = 0; i < count && !why; i++)
		if (serial_of(jvmti, list[i]) != 0)
			(*jni)->DeleteLocalRef(jni, list[i]);
		else
			why = add_class(t, jvmti, list[i], 0);
	return why;
}

/*
 * Links a class, without initializing it, by asking for its public
 * constructors. The Constructor objects become garbage.
 */
void ag_class_link(JNIEnv *jni, jclass class)
{
	jclass of = (*jni)->GetObjectClass(jni, class);
	jmethodID method =
		(*jni)->GetMethodID(jni, of, "getDeclaredConstructors0",
				    "(Z)[Ljava/lang/reflect/Constructor;");
	jobject made =
		method ? (*jni)->CallObjectMethod(jni, class, method, JNI_TRUE)
		       : NULL;

	(*jni)->ExceptionClear(jni);
	if (made)
		(*jni)->DeleteLocalRef(jni, made);
	(*jni)->DeleteLocalRef(jni, of);
}

/*
 * Classes from the JVM's archive (CDS) are loaded without being linked, and
 * some have instances already. The program's own classes are not linked here,
 * since verifying them may load classes through its class loaders.
 */
static const char *link_own(struct ag_classes *t, struct ag_class *c,
			    jvmtiEnv *jvmti, JNIEnv *jni)
{
	jclass class = t->refs[ag_class_serial(t, c)];
	jobject loader = NULL;

	if (c->kind != AG_UNLINKED || t->heap_is_full ||
	    (*jvmti)->GetClassLoader(jvmti, class, &loader) != 0)
		return NULL;
	if (loader) {
		(*jni)->DeleteLocalRef(jni, loader);
		return NULL;
	}
	ag_class_link(jni, class);
	return ag_classes_read_again(t, c, jvmti, jni, class);
}

/* As in HotSpot's own dumps, the superclass of an interface is Object. */
static void add_implied_super(struct ag_classes *t, struct ag_class *c)
{
	if (!c->super && ag_class_serial(t, c) != t->object)
		c->super = t->object;
}

const char *ag_classes_collect(struct ag_classes *t, jvmtiEnv *jvmti,
			       JNIEnv *jni, uint32_t *ret_new)
{
	uint32_t first = t->count + 1;
	jclass *list;
	jint count;
	jvmtiError e = (*jvmti)->GetLoadedClasses(jvmti, &count, &list);
	const char *why;

	if (e != JVMTI_ERROR_NONE)
		return ag_error_text(e);
	why = add_new(t, jvmti, jni, list, count);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)list);
	for (uint32_t i = first; i <= t->count && !why; i++)
		why = read_class(t, &t->all[i], jvmti, jni, t->refs[i]);
	for (uint32_t i = first; i <= t->count && !why; i++)
		why = link_own(t, &t->all[i], jvmti, jni);
	for (uint32_t i = first; i <= t->count && !why; i++) {
		add_implied_super(t, &t->all[i]);
		why = ag_class_lay_out(t, &t->all[i]);
	}
	if (!why)
		*ret_new = t->count + 1 - first;
	return why;
}

const char *ag_classes_add_late(struct ag_classes *t, jvmtiEnv *jvmti,
				jclass class, uint32_t place)
{
	t->late++;
	return add_class(t, jvmti, class, place);
}

const char *ag_classes_read_late(struct ag_classes *t, struct ag_class *c,
				 jvmtiEnv *jvmti, JNIEnv *jni)
{
	const char *why =
		read_class(t, c, jvmti, jni, t->refs[ag_class_serial(t, c)]);

	add_implied_super(t, c);
	return why;
}

const char *ag_classes_read_again(struct ag_classes *t, struct ag_class *c,
				  jvmtiEnv *jvmti, JNIEnv *jni, jclass class)
{
	const char *why = read_fields(t, c, jvmti, class);

	if (!why && c->kind == AG_INSTANCE)
		why = read_interfaces(t, c, jvmti, jni, class);
	return why;
}
