/*
 * fake_jvmti.c - see fake_jvmti.h. The objects themselves: fake_heap.c.
 */
#include "fake_jvmti.h"

#include <criterion/criterion.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers of fields, as JVMTI has them -------------------------------- */

struct seen {
	const struct fake_class *interfaces[64];
	int count;
};

static void see(struct seen *s, const struct fake_class *c)
{
	for (int i = 0; i < FAKE_INTERFACES && c; i++) {
		const struct fake_class *one = c->interfaces[i];
		bool known = !one;

		for (int j = 0; j < s->count; j++)
			known = known || s->interfaces[j] == one;
		if (!known)
			s->interfaces[s->count++] = one;
		if (one)
			see(s, one);
	}
	if (c && !c->is_interface)
		see(s, c->super);
}

static int numbered(const struct fake_class *c, int fields)
{
	int count = 0;

	for (int i = 0; i < fields; i++)
		count += !c->fields[i].is_kept_back;
	return count;
}

/* Of the first field that OF declares, seen from C. */
static int first_number(const struct fake_class *c, const struct fake_class *of)
{
	struct seen s = { .count = 0 };
	int number = 0;

	see(&s, c);
	for (int i = 0; i < s.count; i++)
		number += numbered(s.interfaces[i],
				   s.interfaces[i]->field_count);
	for (const struct fake_class *a = of->super; a && !of->is_interface;
	     a = a->super)
		number += numbered(a, a->field_count);
	return number;
}

/* ---- the walk ------------------------------------------------------------ */

struct visit {
	struct fake_jvm *jvm;
	const jvmtiHeapCallbacks *callbacks;
	void *user;
	struct fake_object **stack;
	size_t count, room;
	bool aborted;
};

static struct fake_object *mirror_of(struct fake_object *o)
{
	return o->class ? &o->class->mirror : NULL;
}

static void push(struct visit *v, struct fake_object *o)
{
	if (v->count == v->room) {
		v->room = v->room * 2 + 64;
		v->stack = realloc(v->stack, v->room * sizeof *v->stack);
		cr_assert_not_null(v->stack);
	}
	v->stack[v->count++] = o;
}

static void report(struct visit *v, jvmtiHeapReferenceKind kind,
		   const jvmtiHeapReferenceInfo *info, struct fake_object *from,
		   struct fake_object *to)
{
	struct fake_object *class = to ? mirror_of(to) : NULL;
	jint status;

	if (!to || v->aborted)
		return;
	if (!class)
		class = &v->jvm->class->mirror;
	status = v->callbacks->heap_reference_callback(
		kind, info, class->tag, 0, 16, &to->tag,
		from ? &from->tag : NULL, to->length, v->user);
	v->aborted = (status & JVMTI_VISIT_ABORT) != 0;
	if ((status & JVMTI_VISIT_OBJECTS) && !to->visited)
		push(v, to);
}

static void report_value(struct visit *v, jvmtiHeapReferenceKind kind,
			 int number, struct fake_object *of,
			 const struct fake_field *f, jvalue value)
{
	jvmtiHeapReferenceInfo info = { .field = { .index = number } };

	if (v->aborted || f->is_kept_back)
		return;
	if (f->signature[0] == 'L' || f->signature[0] == '[')
		report(v, kind, &info, of, (struct fake_object *)value.l);
	else if (v->callbacks->primitive_field_callback(
			 kind, &info, 0, &of->tag, value,
			 (jvmtiPrimitiveType)f->signature[0], v->user) &
		 JVMTI_VISIT_ABORT)
		v->aborted = true;
}

static void visit_class(struct visit *v, struct fake_class *c)
{
	struct fake_object *m = &c->mirror;
	jvmtiHeapReferenceInfo info = { .field = { .index = 0 } };
	int number = first_number(c, c);

	if (c->is_unlinked || c->signature[0] == '[')
		return;
	report(v, JVMTI_HEAP_REFERENCE_SUPERCLASS, NULL, m,
	       c->super ? &c->super->mirror : NULL);
	report(v, JVMTI_HEAP_REFERENCE_CLASS_LOADER, NULL, m, c->loader);
	report(v, JVMTI_HEAP_REFERENCE_PROTECTION_DOMAIN, NULL, m, c->domain);
	report(v, JVMTI_HEAP_REFERENCE_SIGNERS, NULL, m, c->signers);
	for (int i = 0; i < FAKE_CONSTANTS; i++) {
		info.constant_pool.index = i + 1;
		report(v, JVMTI_HEAP_REFERENCE_CONSTANT_POOL, &info, m,
		       c->constants[i]);
	}
	for (int i = 0; i < FAKE_INTERFACES; i++)
		report(v, JVMTI_HEAP_REFERENCE_INTERFACE, NULL, m,
		       c->interfaces[i] ? &c->interfaces[i]->mirror : NULL);
	for (int i = 0; i < c->field_count; i++)
		if (c->fields[i].is_static)
			report_value(v, JVMTI_HEAP_REFERENCE_STATIC_FIELD,
				     number + numbered(c, i), m, &c->fields[i],
				     c->fields[i].value);
}

static void visit_array(struct visit *v, struct fake_object *o)
{
	jvmtiHeapReferenceInfo info;

	if (o->class->signature[1] != 'L' && o->class->signature[1] != '[') {
		if (v->callbacks->array_primitive_value_callback(
			    0, 16, &o->tag, o->length,
			    (jvmtiPrimitiveType)o->class->signature[1],
			    o->elements, v->user) &
		    JVMTI_VISIT_ABORT)
			v->aborted = true;
		return;
	}
	for (jint i = 0; i < o->length; i++) {
		info.array.index = i;
		report(v, JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT, &info, o,
		       (struct fake_object *)o->slots[i].l);
	}
}

static void visit_instance(struct visit *v, struct fake_object *o)
{
	for (const struct fake_class *c = o->class; c; c = c->super)
		for (int i = 0, slot = fake_first_slot(c); i < c->field_count;
		     i++)
			if (!c->fields[i].is_static)
				report_value(v, JVMTI_HEAP_REFERENCE_FIELD,
					     first_number(o->class, c) +
						     numbered(c, i),
					     o, &c->fields[i],
					     o->slots[slot++]);
}

static void visit(struct visit *v, struct fake_object *o)
{
	o->visited = true;
	if (!o->class) {
		visit_class(v, (struct fake_class *)o);
		return;
	}
	if (o->class == v->jvm->class)
		return; /* the mirror of a primitive type */
	report(v, JVMTI_HEAP_REFERENCE_CLASS, NULL, o, mirror_of(o));
	if (v->aborted)
		return;
	if (o->length >= 0)
		visit_array(v, o);
	else
		visit_instance(v, o);
}

static void report_roots(struct visit *v)
{
	struct fake_jvm *jvm = v->jvm;

	for (int i = 0; i < jvm->held_count; i++)
		report(v, JVMTI_HEAP_REFERENCE_JNI_GLOBAL, NULL, NULL,
		       jvm->held[i]);
	for (int i = 0; i < jvm->root_count; i++)
		report(v, jvm->roots[i].kind, &jvm->roots[i].info, NULL,
		       jvm->roots[i].object);
	for (struct fake_class *c = jvm->classes; c; c = c->next)
		if (!c->loader && !c->is_hidden)
			report(v, JVMTI_HEAP_REFERENCE_SYSTEM_CLASS, NULL, NULL,
			       &c->mirror);
}

static struct fake_jvm *jvm_of(jvmtiEnv *jvmti)
{
	return (struct fake_jvm *)((char *)jvmti -
				   offsetof(struct fake_jvm, jvmti));
}

static struct fake_jvm *jvm_of_jni(JNIEnv *jni)
{
	return (struct fake_jvm *)((char *)jni -
				   offsetof(struct fake_jvm, jni));
}

/* Is it this call's turn to fail? */
static bool fails(jvmtiEnv *jvmti)
{
	struct fake_jvm *jvm = jvm_of(jvmti);

	return ++jvm->calls == jvm->fail_in;
}

#define CALL(jvmti)                                                            \
	do {                                                                   \
		if (fails(jvmti))                                              \
			return JVMTI_ERROR_OUT_OF_MEMORY;                      \
	} while (0)

static jvmtiError JNICALL follow(jvmtiEnv *jvmti, jint filter, jclass class,
				 jobject initial,
				 const jvmtiHeapCallbacks *callbacks,
				 const void *user)
{
	struct fake_jvm *jvm = jvm_of(jvmti);
	struct visit v = { .jvm = jvm, .callbacks = callbacks,
			   .user = (void *)user };

	(void)filter;
	(void)class;
	CALL(jvmti);
	if (jvm->follow && !initial)
		return jvm->follow(jvm, callbacks, (void *)user);
	for (struct fake_object *o = jvm->objects; o; o = o->next)
		o->visited = false;
	for (struct fake_class *c = jvm->classes; c; c = c->next)
		c->mirror.visited = false;
	if (initial)
		push(&v, (struct fake_object *)initial);
	else
		report_roots(&v);
	while (v.count && !v.aborted) {
		struct fake_object *o = v.stack[--v.count];
		if (!o->visited)
			visit(&v, o);
	}
	free(v.stack);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL iterate(jvmtiEnv *jvmti, jint filter, jclass class,
				  const jvmtiHeapCallbacks *callbacks,
				  const void *user)
{
	CALL(jvmti);
	(void)class;
	for (struct fake_object *o = jvm_of(jvmti)->objects; o; o = o->next)
		if (!o->dead &&
		    !((filter & JVMTI_HEAP_FILTER_TAGGED) && o->tag))
			callbacks->heap_iteration_callback(
				0, 16, &o->tag, o->length, (void *)user);
	return JVMTI_ERROR_NONE;
}

/* ---- JVMTI --------------------------------------------------------------- */

static jvmtiError JNICALL deallocate(jvmtiEnv *jvmti, unsigned char *memory)
{
	(void)jvmti;
	free(memory);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_tag(jvmtiEnv *jvmti, jobject object, jlong *ret)
{
	CALL(jvmti);
	*ret = ((struct fake_object *)object)->tag;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_tag(jvmtiEnv *jvmti, jobject object, jlong tag)
{
	CALL(jvmti);
	((struct fake_object *)object)->tag = tag;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL loaded_classes(jvmtiEnv *jvmti, jint *ret_count,
					 jclass **ret)
{
	struct fake_jvm *jvm = jvm_of(jvmti);
	jint count = 0;

	CALL(jvmti);
	*ret = malloc(256 * sizeof **ret);
	for (struct fake_class *c = jvm->classes; c && count < 256; c = c->next)
		if (!c->is_hidden || c->mirror.tag)
			(*ret)[count++] = (jclass)c;
	*ret_count = count;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL signature(jvmtiEnv *jvmti, jclass class, char **ret,
				    char **ret_generic)
{
	(void)ret_generic;
	CALL(jvmti);
	*ret = strdup(((struct fake_class *)class)->signature);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL is_interface(jvmtiEnv *jvmti, jclass class,
				       jboolean *ret)
{
	CALL(jvmti);
	*ret = ((struct fake_class *)class)->is_interface;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL class_fields(jvmtiEnv *jvmti, jclass class,
				       jint *ret_count, jfieldID **ret)
{
	struct fake_class *c = (struct fake_class *)class;

	CALL(jvmti);
	if (c->is_unlinked)
		return JVMTI_ERROR_CLASS_NOT_PREPARED;
	*ret_count = c->field_count;
	*ret = malloc((FAKE_FIELDS + 1) * sizeof **ret);
	for (int i = 0; i < c->field_count; i++)
		(*ret)[i] = (jfieldID)&c->fields[i];
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL field_modifiers(jvmtiEnv *jvmti, jclass class,
					  jfieldID field, jint *ret)
{
	(void)class;
	CALL(jvmti);
	*ret = ((struct fake_field *)field)->is_static ? 8 : 0;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL field_name(jvmtiEnv *jvmti, jclass class,
				     jfieldID field, char **ret_name,
				     char **ret_signature, char **ret_generic)
{
	struct fake_field *f = (struct fake_field *)field;

	(void)class;
	(void)ret_generic;
	CALL(jvmti);
	*ret_name = strdup(f->name);
	if (ret_signature)
		*ret_signature = strdup(f->signature);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL interfaces(jvmtiEnv *jvmti, jclass class,
				     jint *ret_count, jclass **ret)
{
	struct fake_class *c = (struct fake_class *)class;
	jint count = 0;

	CALL(jvmti);
	*ret = malloc(FAKE_INTERFACES * sizeof **ret);
	for (int i = 0; i < FAKE_INTERFACES; i++)
		if (c->interfaces[i])
			(*ret)[count++] = (jclass)c->interfaces[i];
	*ret_count = count;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL class_loader(jvmtiEnv *jvmti, jclass class,
				       jobject *ret)
{
	CALL(jvmti);
	*ret = (jobject)((struct fake_class *)class)->loader;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL objects_with_tags(jvmtiEnv *jvmti, jint tag_count,
					    const jlong *tags, jint *ret_count,
					    jobject **ret, jlong **ret_tags)
{
	jint count = 0;

	(void)ret_tags;
	CALL(jvmti);
	cr_assert_eq(tag_count, 1);
	*ret = malloc(4096 * sizeof **ret);
	for (struct fake_object *o = jvm_of(jvmti)->objects; o; o = o->next)
		if (o->tag == tags[0] && !jvm_of(jvmti)->collects_tagged)
			(*ret)[count++] = (jobject)o;
	*ret_count = count;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL all_threads(jvmtiEnv *jvmti, jint *ret_count,
				      jthread **ret)
{
	CALL(jvmti);
	*ret_count = 0;
	*ret = malloc(1);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL extensions(jvmtiEnv *jvmti, jint *ret_count,
				     jvmtiExtensionFunctionInfo **ret)
{
	CALL(jvmti);
	*ret_count = 0;
	*ret = malloc(1);
	return JVMTI_ERROR_NONE;
}

/* ---- JNI ----------------------------------------------------------------- */

static jclass JNICALL superclass(JNIEnv *jni, jclass class)
{
	(void)jni;
	return (jclass)((struct fake_class *)class)->super;
}

static jclass JNICALL object_class(JNIEnv *jni, jobject object)
{
	struct fake_object *o = (struct fake_object *)object;

	return (jclass)(o->class ? o->class : jvm_of_jni(jni)->class);
}

static jclass JNICALL find_class(JNIEnv *jni, const char *name)
{
	(void)name;
	return (jclass)jvm_of_jni(jni)->object;
}

/* The array that is dropped is no root any more. */
static void JNICALL delete_local(JNIEnv *jni, jobject object)
{
	(void)jni;
	(void)object;
}

static jobject JNICALL new_global(JNIEnv *jni, jobject object)
{
	struct fake_jvm *jvm = jvm_of_jni(jni);

	cr_assert_lt(jvm->held_count, 4);
	jvm->held[jvm->held_count++] = (struct fake_object *)object;
	return object;
}

static void JNICALL delete_global(JNIEnv *jni, jobject object)
{
	struct fake_jvm *jvm = jvm_of_jni(jni);

	for (int i = 0; i < jvm->held_count; i++)
		if ((jobject)jvm->held[i] == object)
			jvm->held[i] = jvm->held[--jvm->held_count];
}

static jvalue *slot_of(jobject object, jfieldID field)
{
	const struct fake_field *f = (struct fake_field *)field;
	struct fake_object *o = (struct fake_object *)object;

	if (o->class)
		return fake_slot(o, f->name);
	/* A mirror: its slots are those of java.lang.Class, in order. */
	for (int i = 0; i < FAKE_FIELDS; i++)
		if (strcmp((f - i)->name, "componentType") == 0)
			return &o->slots[i];
	cr_assert_fail("no field of java.lang.Class");
	return NULL;
}

static jobject JNICALL get_object(JNIEnv *jni, jobject object, jfieldID field)
{
	(void)jni;
	return slot_of(object, field)->l;
}

static jint JNICALL get_int(JNIEnv *jni, jobject object, jfieldID field)
{
	(void)jni;
	return slot_of(object, field)->i;
}

static jobjectArray JNICALL new_array(JNIEnv *jni, jsize length, jclass class,
				      jobject value)
{
	struct fake_jvm *jvm = jvm_of_jni(jni);

	(void)class;
	(void)value;
	if (jvm->no_java_memory)
		return NULL;
	return (jobjectArray)fake_array(jvm, jvm->object_array, length);
}

static void JNICALL set_element(JNIEnv *jni, jobjectArray array, jsize index,
				jobject value)
{
	struct fake_object *o = (struct fake_object *)array;

	(void)jni;
	cr_assert(index >= 0 && index < o->length);
	o->slots[index].l = value;
}

static jsize JNICALL array_length(JNIEnv *jni, jarray array)
{
	(void)jni;
	return ((struct fake_object *)array)->length;
}

static jint JNICALL ensure_capacity(JNIEnv *jni, jint capacity)
{
	(void)jni;
	(void)capacity;
	return 0;
}

static jboolean JNICALL exception_check(JNIEnv *jni)
{
	return jvm_of_jni(jni)->no_java_memory;
}

static void JNICALL exception_clear(JNIEnv *jni)
{
	(void)jni;
}

static jmethodID JNICALL find_method(JNIEnv *jni, jclass class,
				     const char *name, const char *signature_)
{
	(void)jni;
	(void)class;
	(void)signature_;
	return (jmethodID)name;
}

/* It links, as getDeclaredConstructors0 does. */
static jobject JNICALL call(JNIEnv *jni, jobject object, jmethodID method, ...)
{
	(void)jni;
	(void)method;
	if (strcmp(((struct fake_class *)object)->signature, "LNever;") != 0)
		((struct fake_class *)object)->is_unlinked = false;
	return NULL;
}

static jfieldID JNICALL find_field(JNIEnv *jni, jclass class, const char *name,
				   const char *signature_)
{
	(void)jni;
	(void)class;
	(void)name;
	(void)signature_;
	return NULL;
}

static jint JNICALL push_frame(JNIEnv *jni, jint capacity)
{
	(void)jni;
	(void)capacity;
	return 0;
}

static jobject JNICALL pop_frame(JNIEnv *jni, jobject result)
{
	(void)jni;
	return result;
}

/* A mirror of void: an instance of java.lang.Class. */
static jobject JNICALL call_static(JNIEnv *jni, jclass class, jmethodID method,
				   ...)
{
	struct fake_jvm *jvm = jvm_of_jni(jni);

	(void)class;
	(void)method;
	return (jobject)fake_new(jvm, jvm->class);
}

static jstring JNICALL new_string(JNIEnv *jni, const char *text)
{
	struct fake_jvm *jvm = jvm_of_jni(jni);
	struct fake_object *o = fake_new(jvm, jvm->string);

	(void)text;
	o->dead = true;
	return (jstring)o;
}

const struct jvmtiInterface_1_ fake_jvmti_functions = {
	.FollowReferences = follow,
	.IterateThroughHeap = iterate,
	.Deallocate = deallocate,
	.GetTag = get_tag,
	.SetTag = set_tag,
	.GetLoadedClasses = loaded_classes,
	.GetClassSignature = signature,
	.IsInterface = is_interface,
	.GetClassFields = class_fields,
	.GetFieldModifiers = field_modifiers,
	.GetFieldName = field_name,
	.GetImplementedInterfaces = interfaces,
	.GetClassLoader = class_loader,
	.GetObjectsWithTags = objects_with_tags,
	.GetAllThreads = all_threads,
	.GetExtensionFunctions = extensions,
};

const struct JNINativeInterface_ fake_jni_functions = {
	.GetSuperclass = superclass,
	.GetObjectClass = object_class,
	.FindClass = find_class,
	.DeleteLocalRef = delete_local,
	.NewGlobalRef = new_global,
	.DeleteGlobalRef = delete_global,
	.GetObjectField = get_object,
	.GetIntField = get_int,
	.NewObjectArray = new_array,
	.SetObjectArrayElement = set_element,
	.GetArrayLength = array_length,
	.EnsureLocalCapacity = ensure_capacity,
	.ExceptionCheck = exception_check,
	.ExceptionClear = exception_clear,
	.GetMethodID = find_method,
	.GetStaticMethodID = find_method,
	.GetFieldID = find_field,
	.CallObjectMethod = call,
	.CallStaticObjectMethod = call_static,
	.NewStringUTF = new_string,
	.PushLocalFrame = push_frame,
	.PopLocalFrame = pop_frame,
};
