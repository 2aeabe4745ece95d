/* SPDX-License-Identifier: MIT */
/*
 * fake_jvmti.c - see fake_jvmti.h. The objects themselves: fake_heap.c; how
 * they are walked: fake_walk.c.
 */
#include "fake_walk.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* ---- JVMTI --------------------------------------------------------------- */

static jvmtiError JNICALL deallocate(jvmtiEnv *jvmti, unsigned char *memory)
{
	(void)jvmti;
	free(memory);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_tag(jvmtiEnv *jvmti, jobject object, jlong *ret)
{
	FAKE_CALL(jvmti);
	*ret = ((struct fake_object *)object)->tag;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_tag(jvmtiEnv *jvmti, jobject object, jlong tag)
{
	FAKE_CALL(jvmti);
	((struct fake_object *)object)->tag = tag;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL object_size(jvmtiEnv *jvmti, jobject object,
				      jlong *ret)
{
	FAKE_CALL(jvmti);
	*ret = fake_size((struct fake_object *)object);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL loaded_classes(jvmtiEnv *jvmti, jint *ret_count,
					 jclass **ret)
{
	struct fake_jvm *jvm = fake_jvm_of(jvmti);
	jint count = 0;

	FAKE_CALL(jvmti);
	*ret = malloc(256 * sizeof **ret);
	for (struct fake_class *c = jvm->classes; c && count < 256; c = c->next)
		if ((!c->is_hidden || c->mirror.tag) && !c->is_unloaded)
			(*ret)[count++] = (jclass)c;
	*ret_count = count;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL signature(jvmtiEnv *jvmti, jclass class, char **ret,
				    char **ret_generic)
{
	(void)ret_generic;
	FAKE_CALL(jvmti);
	*ret = strdup(((struct fake_class *)class)->signature);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL is_interface(jvmtiEnv *jvmti, jclass class,
				       jboolean *ret)
{
	FAKE_CALL(jvmti);
	*ret = ((struct fake_class *)class)->is_interface;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL is_array(jvmtiEnv *jvmti, jclass class, jboolean *ret)
{
	FAKE_CALL(jvmti);
	*ret = ((struct fake_class *)class)->signature[0] == '[';
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL class_fields(jvmtiEnv *jvmti, jclass class,
				       jint *ret_count, jfieldID **ret)
{
	struct fake_class *c = (struct fake_class *)class;

	FAKE_CALL(jvmti);
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
	FAKE_CALL(jvmti);
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
	FAKE_CALL(jvmti);
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

	FAKE_CALL(jvmti);
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
	FAKE_CALL(jvmti);
	*ret = (jobject)((struct fake_class *)class)->loader;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL objects_with_tags(jvmtiEnv *jvmti, jint tag_count,
					    const jlong *tags, jint *ret_count,
					    jobject **ret, jlong **ret_tags)
{
	jint count = 0;

	(void)ret_tags;
	FAKE_CALL(jvmti);
	cr_assert_eq(tag_count, 1);
	*ret = malloc(4096 * sizeof **ret);
	for (struct fake_object *o = fake_jvm_of(jvmti)->objects; o;
	     o = o->next)
		if (o->tag == tags[0] && !fake_jvm_of(jvmti)->collects_tagged)
			(*ret)[count++] = (jobject)o;
	*ret_count = count;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL all_threads(jvmtiEnv *jvmti, jint *ret_count,
				      jthread **ret)
{
	FAKE_CALL(jvmti);
	*ret_count = 0;
	*ret = malloc(1);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL extensions(jvmtiEnv *jvmti, jint *ret_count,
				     jvmtiExtensionFunctionInfo **ret)
{
	FAKE_CALL(jvmti);
	*ret_count = 0;
	*ret = malloc(1);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL version_number(jvmtiEnv *jvmti, jint *ret)
{
	int version = fake_jvm_of(jvmti)->version;

	FAKE_CALL(jvmti);
	*ret = (version ? version : 17) << JVMTI_VERSION_SHIFT_MAJOR;
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

	return (jclass)(o->class ? o->class : fake_jvm_of_jni(jni)->class);
}

static jclass JNICALL find_class(JNIEnv *jni, const char *name)
{
	(void)name;
	return (jclass)fake_jvm_of_jni(jni)->object;
}

static void JNICALL delete_local(JNIEnv *jni, jobject object)
{
	(void)jni;
	(void)object;
}

static jobject JNICALL new_global(JNIEnv *jni, jobject object)
{
	struct fake_jvm *jvm = fake_jvm_of_jni(jni);

	cr_assert_lt(jvm->held_count, 4096);
	jvm->held[jvm->held_count++] = (struct fake_object *)object;
	return object;
}

static void JNICALL delete_global(JNIEnv *jni, jobject object)
{
	struct fake_jvm *jvm = fake_jvm_of_jni(jni);

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
	(void)jni;
	return JNI_FALSE;
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

/* Links the class, as getDeclaredConstructors0 does. */
static jobject JNICALL call(JNIEnv *jni, jobject object, jmethodID method, ...)
{
	(void)method;
	cr_assert_not(fake_jvm_of_jni(jni)->heap_is_full);
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
	struct fake_jvm *jvm = fake_jvm_of_jni(jni);

	(void)class;
	(void)method;
	cr_assert_not(jvm->heap_is_full);
	return (jobject)fake_new(jvm, jvm->class);
}

static jstring JNICALL new_string(JNIEnv *jni, const char *text)
{
	struct fake_jvm *jvm = fake_jvm_of_jni(jni);
	struct fake_object *o = fake_new(jvm, jvm->string);

	(void)text;
	cr_assert_not(jvm->heap_is_full);
	o->dead = true;
	return (jstring)o;
}

const struct jvmtiInterface_1_ fake_jvmti_functions = {
	.FollowReferences = fake_follow,
	.IterateThroughHeap = fake_iterate,
	.Deallocate = deallocate,
	.GetTag = get_tag,
	.SetTag = set_tag,
	.GetObjectSize = object_size,
	.GetLoadedClasses = loaded_classes,
	.GetClassSignature = signature,
	.IsInterface = is_interface,
	.IsArrayClass = is_array,
	.GetClassFields = class_fields,
	.GetFieldModifiers = field_modifiers,
	.GetFieldName = field_name,
	.GetImplementedInterfaces = interfaces,
	.GetClassLoader = class_loader,
	.GetObjectsWithTags = objects_with_tags,
	.GetAllThreads = all_threads,
	.GetExtensionFunctions = extensions,
	.GetVersionNumber = version_number,
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
