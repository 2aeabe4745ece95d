/* SPDX-License-Identifier: MIT */
/*
 * early_sites.c - see early_sites.h.
 */
#include "agent/profile/early_sites.h"

#include "agent/common/all_classes.h"
#include "agent/common/errors.h"
#include "agent/common/log.h"
#include "agent/profile/marks.h"
#include "base/mem.h"

/* The classes at the beginning, and the sites of their objects. */
struct early {
	jvmtiEnv *marks; /* its tags are the marks */
	struct ag_class_list *list;
	struct ag_site_counts *counts;
	jclass *classes;
	jint count;
	uint32_t *site_of; /* by class number; 0: none */
	uint64_t *objects, *bytes;
	uint32_t room; /* numbers are below */
};

static jint JNICALL on_early(jlong class_tag, jlong size, jlong *tag_ptr,
			     jint length, void *user)
{
	struct early *e = user;
	const uint32_t number = (uint32_t)class_tag;

	(void)length;
	if (number == 0 || number >= e->room || e->site_of[number] == 0)
		return 0;
	*tag_ptr = (jlong)(AG_MARK | e->site_of[number]);
	e->objects[number]++;
	e->bytes[number] += (uint64_t)size;
	return 0;
}

/* Makes a site for each class. False without memory. */
static bool make_early_sites(struct early *e)
{
	for (jint i = 0; i < e->count; i++)
		(*e->marks)->SetTag(
			e->marks, e->classes[i],
			(jlong)(AG_MARK_CLASS |
				ag_class_list_number(e->list, e->classes[i])));
	e->room = ag_class_list_count(e->list) + 1;
	e->site_of = hp_calloc(e->room, sizeof *e->site_of);
	e->objects = hp_calloc(e->room, sizeof *e->objects);
	e->bytes = hp_calloc(e->room, sizeof *e->bytes);
	if (!e->site_of || !e->objects || !e->bytes)
		return false;
	for (uint32_t i = 1; i < e->room; i++)
		e->site_of[i] =
			ag_site_counts_add(e->counts, AG_TRACE_EARLY, i, 0, 0);
	return true;
}

/* Class objects were marked as classes during the walk. */
static void count_class_objects(struct early *e, JNIEnv *jni)
{
	uint32_t number = 0;

	for (jint i = 0; i < e->count; i++) {
		jlong size = 0;

		if (number == 0) {
			jclass class =
				(*jni)->GetObjectClass(jni, e->classes[i]);
			number = ag_class_list_number(e->list, class);
			(*jni)->DeleteLocalRef(jni, class);
		}
		if (number == 0 || number >= e->room)
			return;
		(*e->marks)->GetObjectSize(e->marks, e->classes[i], &size);
		(*e->marks)->SetTag(e->marks, e->classes[i],
				    (jlong)(AG_MARK | e->site_of[number]));
		e->objects[number]++;
		e->bytes[number] += (uint64_t)size;
	}
}

static void count_early(struct early *e, JNIEnv *jni)
{
	const jvmtiHeapCallbacks callbacks = { .heap_iteration_callback =
						       on_early };
	jvmtiError error;

	if (!make_early_sites(e)) {
		ag_log("out of memory: objects from before the profile are "
		       "not counted");
		return;
	}
	error = (*e->marks)->IterateThroughHeap(
		e->marks, JVMTI_HEAP_FILTER_TAGGED, NULL, &callbacks, e);
	if (error)
		ag_log("objects from before the profile are not counted: %s",
		       ag_error_text(error));
	count_class_objects(e, jni);
	for (uint32_t i = 1; i < e->room; i++)
		if (e->site_of[i])
			ag_site_counts_add(e->counts, AG_TRACE_EARLY, i,
					   e->objects[i] * AG_OBJECT_PARTS,
					   e->bytes[i]);
}

void ag_sites_mark_early(jvmtiEnv *marks, struct ag_session *session,
			 struct ag_site_counts *counts, JNIEnv *jni)
{
	struct early e = { .marks = marks,
			   .list = session->classes,
			   .counts = counts };

	if (ag_all_classes(marks, jni, &e.count, &e.classes))
		return;
	count_early(&e, jni);
	for (jint i = 0; i < e.count; i++)
		(*jni)->DeleteLocalRef(jni, e.classes[i]);
	(*marks)->Deallocate(marks, (unsigned char *)e.classes);
	hp_free(e.site_of);
	hp_free(e.objects);
	hp_free(e.bytes);
}
