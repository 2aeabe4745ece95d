/* SPDX-License-Identifier: MIT */
/*
 * held_objects.c - see held_objects.h.
 */
#include "agent/dump/held_objects.h"

#include "agent/common/errors.h"
#include "base/mem.h"
#include "base/search.h"

static const char no_memory[] = "out of memory";

static const char *add_reference(struct ag_held *h, JNIEnv *jni, jobject object)
{
	jobject ref;

	if (hp_grow((void **)&h->refs, &h->ref_room, h->ref_count,
		    sizeof *h->refs) != 0)
		return no_memory;
	ref = (*jni)->NewGlobalRef(jni, object);
	if (!ref)
		return no_memory;
	h->refs[h->ref_count++] = ref;
	return NULL;
}

/* Places ascend, so appending keeps the list sorted. */
static const char *add_object(struct ag_held *h, uint32_t place, uint32_t refs)
{
	if (hp_grow((void **)&h->objects, &h->object_room, h->object_count,
		    sizeof *h->objects) != 0)
		return no_memory;
	h->objects[h->object_count++] = (struct ag_held_object){ place, refs };
	return NULL;
}

static struct ag_held_object *find_object(const struct ag_held *h,
					  uint32_t place)
{
	size_t at;

	HP_LOWER_BOUND(&at, h->object_count, h->objects[hp_at].place < place);
	return at < h->object_count && h->objects[at].place == place
		       ? &h->objects[at]
		       : NULL;
}

/* The length of an array; -1 for other objects. */
static jvmtiError length_of(jvmtiEnv *jvmti, JNIEnv *jni, jobject object,
			    jint *ret)
{
	jclass class = (*jni)->GetObjectClass(jni, object);
	jboolean is_array = JNI_FALSE;
	jvmtiError e = (*jvmti)->IsArrayClass(jvmti, class, &is_array);

	(*jni)->DeleteLocalRef(jni, class);
	*ret = is_array ? (*jni)->GetArrayLength(jni, object) : -1;
	return e;
}

/* Gives OBJECT a tag. */
static const char *tag_object(struct ag_ids *ids, jvmtiEnv *jvmti, JNIEnv *jni,
			      jobject object, uint64_t old, uint64_t *ret_tag)
{
	uint32_t place;
	jint length;
	jlong size;
	jvmtiError e = (*jvmti)->GetObjectSize(jvmti, object, &size);

	if (e == JVMTI_ERROR_NONE)
		e = length_of(jvmti, jni, object, &length);
	if (e != JVMTI_ERROR_NONE)
		return ag_error_text(e);
	place = ag_ids_take(ids, size, old);
	*ret_tag = ag_object_tag(place, length);
	e = (*jvmti)->SetTag(jvmti, object, (jlong)*ret_tag);
	return e == JVMTI_ERROR_NONE ? NULL : ag_error_text(e);
}

const char *ag_hold(struct ag_held *h, struct ag_classes *t, jvmtiEnv *jvmti,
		    JNIEnv *jni, jobject object, uint32_t kept,
		    uint64_t *ret_id)
{
	jlong old = 0;
	uint64_t tag;
	jvmtiError e = (*jvmti)->GetTag(jvmti, object, &old);
	const char *why = NULL;

	if (e != JVMTI_ERROR_NONE)
		return ag_error_text(e);
	tag = (uint64_t)old;
	/*
	 * An object that has a tag is a class, which is held anyway; or was
	 * held before; or is a thread, and so a root.
	 */
	if (ag_tag_is_fresh(tag)) {
		why = tag_object(&t->ids, jvmti, jni, object, tag, &tag);
		if (!why)
			why = add_reference(h, jni, object);
		if (!why)
			why = add_object(h, (uint32_t)tag, kept + 1);
	}
	if (!why)
		*ret_id = ag_id_of_tag(&t->ids, tag);
	return why;
}

const char *ag_hold_class(struct ag_held *h, struct ag_classes *t, JNIEnv *jni,
			  uint32_t serial)
{
	const char *why = add_reference(h, jni, t->refs[serial]);

	if (!why)
		t->all[serial].held = true;
	return why;
}

bool ag_held_is_ours(struct ag_held *h, struct ag_classes *t, uint64_t tag)
{
	struct ag_class *c = ag_class(t, ag_serial_of_tag(tag));
	struct ag_held_object *o;
	bool ours;

	if (c) {
		ours = c->held;
		c->held = false;
		return ours;
	}
	o = h ? find_object(h, (uint32_t)tag) : NULL;
	if (!o || o->refs == 0)
		return false;
	o->refs--;
	return true;
}

void ag_held_drop(struct ag_held *h, JNIEnv *jni)
{
	while (h->ref_count > 0)
		(*jni)->DeleteGlobalRef(jni, h->refs[--h->ref_count]);
}

void ag_held_free(struct ag_held *h)
{
	hp_free(h->refs);
	hp_free(h->objects);
}
