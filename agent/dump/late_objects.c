/* SPDX-License-Identifier: MIT */
/*
 * late_objects.c - see late_objects.h.
 *
 * The CDS archive that a JVM starts from has classes that are not linked, and
 * instances of some of them. JVMTI does not report the fields of such classes,
 * so the walk notes the fields of these instances by number. After the walk the
 * classes are linked, by a call of reflection, and the instances are laid out.
 */
#include "agent/dump/late_objects.h"

#include <string.h>

#include "agent/dump/class_reader.h"
#include "agent/dump/class_record.h"
#include "agent/dump/class_layout.h"
#include "agent/common/errors.h"
#include "base/mem.h"

/* ---- objects that were not reached --------------------------------------- */

struct left {
	jobject *refs;
	size_t count;
};

static jint JNICALL on_object(jlong class_tag, jlong size, jlong *tag_ptr,
			      jint length, void *user)
{
	uint64_t *count = user;

	(void)class_tag;
	(void)size;
	(void)length;
	if (ag_tag_is_fresh((uint64_t)*tag_ptr)) {
		*tag_ptr = AG_TAG_LEFT;
		++*count;
	}
	return 0;
}

/*
 * Collects global references to the objects with AG_TAG_LEFT, in C memory: the
 * Java heap may be full. False without memory. There may be none left by now:
 * the objects are garbage, and the JVM keeps running.
 */
static bool collect(struct left *left, jvmtiEnv *jvmti, JNIEnv *jni)
{
	const jlong tag = AG_TAG_LEFT;
	jobject *objects;
	jint count;

	if ((*jvmti)->GetObjectsWithTags(jvmti, 1, &tag, &count, &objects,
					 NULL) != 0)
		return false;
	left->refs =
		hp_calloc(count > 0 ? (size_t)count : 1, sizeof *left->refs);
	for (jint i = 0; left->refs && i < count; i++) {
		jobject ref = (*jni)->NewGlobalRef(jni, objects[i]);

		if (!ref)
			break;
		left->refs[left->count++] = ref;
	}
	(*jvmti)->Deallocate(jvmti, (unsigned char *)objects);
	return left->refs && left->count == (size_t)count;
}

static void drop(struct left *left, JNIEnv *jni)
{
	while (left->count > 0)
		(*jni)->DeleteGlobalRef(jni, left->refs[--left->count]);
	hp_free(left->refs);
}

bool ag_leftovers_walk(struct ag_walk *w, jvmtiEnv *jvmti, JNIEnv *jni)
{
	enum { LOCAL_REFS = 16, MANY_REFS = 65535 };
	const jvmtiHeapCallbacks callbacks = { .heap_iteration_callback =
						       on_object };
	uint64_t count = 0, start = ag_walk_now();
	struct left left = { NULL, 0 };
	bool fine;
	/* With marks, objects have tags that are not ours. */
	const jint filter =
		w->classes->ids.marks ? 0 : JVMTI_HEAP_FILTER_TAGGED;
	jvmtiError e = (*jvmti)->IterateThroughHeap(jvmti, filter, NULL,
						    &callbacks, &count);

	w->pause_ns += ag_walk_now() - start;
	if (e != JVMTI_ERROR_NONE) {
		ag_walk_fail(w, HPROF_E_SYS, ag_error_text(e));
		return false;
	}
	if (count == 0)
		return true;
	if ((*jni)->PushLocalFrame(jni, LOCAL_REFS) != 0) {
		(*jni)->ExceptionClear(jni);
		return false;
	}
	if ((*jni)->EnsureLocalCapacity(jni, MANY_REFS) != 0)
		(*jni)->ExceptionClear(jni); /* only -Xcheck:jni needs it */
	fine = collect(&left, jvmti, jni);
	(*jni)->PopLocalFrame(jni, NULL);
	if (fine && left.count > 0)
		ag_walk_run(w, jvmti, AG_REST);
	drop(&left, jni);
	return fine && w->status == HPROF_OK;
}

/* ---- classes ------------------------------------------------------------- */

/*
 * Keeps CLASS if it is not in the table, though it was met or ALL is set; or if
 * it is there and some of its data are still missing.
 */
static const char *keep_class(struct ag_classes *t, bool all, jvmtiEnv *jvmti,
			      JNIEnv *jni, jclass class)
{
	jlong tag = 0;

	if ((*jvmti)->GetTag(jvmti, class, &tag) != 0)
		tag = 0;
	const struct ag_class *c = ag_class(t, ag_serial_of_tag((uint64_t)tag));
	if (c && c->kind == AG_UNLINKED && !c->dumped && c->needed) {
		t->refs[ag_class_serial(t, c)] = class;
		return NULL;
	}
	const uint32_t place =
		ag_tag_is_fresh((uint64_t)tag) ? 0 : (uint32_t)tag;
	if (!c && (all || place != 0))
		return ag_classes_add_late(t, jvmti, class, place);
	/* Already known, or not met by the walk. */
	(*jni)->DeleteLocalRef(jni, class);
	return NULL;
}

static const char *complete_class(struct ag_classes *t, struct ag_class *c,
				  bool late, jvmtiEnv *jvmti, JNIEnv *jni)
{
	jclass *class = &t->refs[ag_class_serial(t, c)];
	const char *why = NULL;

	if (!*class)
		return NULL;
	if (late)
		why = ag_classes_read_late(t, c, jvmti, jni);
	if (!why && c->kind == AG_UNLINKED && !t->heap_is_full) {
		ag_class_link(jni, *class);
		why = ag_classes_read_again(t, c, jvmti, jni, *class);
	}
	(*jni)->DeleteLocalRef(jni, *class);
	*class = NULL;
	return why;
}

static void look_at_classes(struct ag_walk *w, bool all, jvmtiEnv *jvmti,
			    JNIEnv *jni)
{
	struct ag_classes *t = w->classes;
	const uint32_t known = t->count;
	const char *why = NULL;
	jclass *list;
	jint count;
	jvmtiError e = (*jvmti)->GetLoadedClasses(jvmti, &count, &list);

	if (e != JVMTI_ERROR_NONE) {
		ag_walk_fail(w, HPROF_E_SYS, ag_error_text(e));
		return;
	}
	for (jint i = 0; i < count && !why; i++)
		why = keep_class(t, all, jvmti, jni, list[i]);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)list);
	for (uint32_t i = 1; i <= t->count && !why; i++)
		why = complete_class(t, &t->all[i], i > known, jvmti, jni);
	if (why)
		ag_walk_fail(w, HPROF_E_SYS, why);
}

/* ---- instances that were noted ------------------------------------------- */

static void set_static(struct ag_walk *w, const struct ag_note *n)
{
	struct ag_class *c = ag_class_with_id(
		w->classes, ag_id_of_place(&w->classes->ids, n->object));
	uint32_t i = c ? n->index - c->first_field : 0;

	if (c && !c->dumped && i < c->numbered && c->fields[i].is_static &&
	    c->fields[i].type == n->type)
		c->fields[i].value = n->value;
}

static void lay_out_classes(struct ag_walk *w)
{
	struct ag_classes *t = w->classes;

	for (uint32_t i = 1; i <= t->count; i++) {
		const char *why = ag_class_lay_out(t, &t->all[i]);

		if (why)
			ag_walk_fail(w, HPROF_E_NOMEM, why);
	}
	for (uint32_t i = 0; i < w->note_count; i++)
		if (w->notes[i].kind == AG_PARKED_STATIC)
			set_static(w, &w->notes[i]);
}

/*
 * A class may have been unloaded since the walk, while its instances are in the
 * dump, perhaps as roots. A class without fields stands in for it.
 */
static bool add_unloaded(struct ag_walk *w, uint64_t id)
{
	struct ag_classes *t = w->classes;
	uint32_t serial;

	if (ag_class_with_id(t, id))
		return true;
	serial = ag_classes_add(t);
	if (!serial)
		return false;
	t->late++;
	t->all[serial].id = id;
	t->all[serial].kind = AG_UNLINKED;
	t->all[serial].super = t->object;
	t->all[serial].name = ag_name(t->names, "<unloaded>");
	return t->all[serial].name != 0;
}

static void add_all_unloaded(struct ag_walk *w)
{
	for (uint32_t i = 0; i < w->note_count; i++)
		if (w->notes[i].kind == AG_PARKED &&
		    !add_unloaded(w, w->notes[i].value))
			ag_walk_fail(w, HPROF_E_NOMEM, "out of memory");
}

/*
 * Writes the instance whose notes begin at *AT, and moves *AT past them. BODY
 * has room for the largest instance of any class.
 */
static void put_parked(struct ag_walk *w, uint8_t *body, uint32_t *at)
{
	const struct ag_note *first = &w->notes[(*at)++];
	const struct ag_class *c = ag_class_with_id(w->classes, first->value);
	const bool fine = c->laid_out;

	memset(body, 0, c->body);
	if (!fine)
		w->bare_objects++;
	for (; *at < w->note_count; ++*at) {
		const struct ag_note *n = &w->notes[*at];

		if (n->kind != AG_PARKED_FIELD || n->object != first->object)
			break;
		uint32_t i = fine ? n->index - c->interface_fields : 0;
		if (fine && i < c->slot_count && c->slots[i].type == n->type &&
		    c->slots[i].offset != AG_NO_SLOT)
			ag_put_value(body + c->slots[i].offset, n->type,
				     n->value, w->id_size);
	}
	ag_walk_put_instance(w, ag_id_of_place(&w->classes->ids, first->object),
			     c->id, body, c->body);
}

static uint32_t largest_body(const struct ag_classes *t)
{
	uint32_t largest = 0;

	for (uint32_t i = 1; i <= t->count; i++)
		if (t->all[i].body > largest)
			largest = t->all[i].body;
	return largest;
}

static void put_all_parked(struct ag_walk *w)
{
	uint8_t *body = hp_alloc(largest_body(w->classes));

	if (!body)
		ag_walk_fail(w, HPROF_E_NOMEM, "out of memory");
	for (uint32_t i = 0; i < w->note_count && w->status == HPROF_OK;)
		if (w->notes[i].kind == AG_PARKED)
			put_parked(w, body, &i);
		else
			i++;
	hp_free(body);
}

bool ag_leftovers_find(struct ag_walk *w, jvmtiEnv *jvmti, JNIEnv *jni)
{
	look_at_classes(w, false, jvmti, jni);
	return w->status == HPROF_OK;
}

bool ag_leftovers_foresee(struct ag_walk *w, jvmtiEnv *jvmti, JNIEnv *jni)
{
	enum { MOST_TRIES = 8 };
	uint32_t known = 0;

	for (int i = 0; i < MOST_TRIES && w->status == HPROF_OK &&
			known != w->classes->count;
	     i++) {
		known = w->classes->count;
		look_at_classes(w, true, jvmti, jni);
	}
	if (w->status == HPROF_OK)
		lay_out_classes(w);
	return w->status == HPROF_OK;
}

bool ag_leftovers_put(struct ag_walk *w, const struct ag_mirrors *m,
		      bool constants, uint32_t known)
{
	add_all_unloaded(w);
	if (w->status == HPROF_OK)
		lay_out_classes(w);
	if (w->status != HPROF_OK || !ag_class_dumps(w, m, constants, true))
		return false;
	put_all_parked(w);
	if (w->status == HPROF_OK)
		ag_mirrors_put_unloaded(m, w);
	/* After the heap: its segments must be contiguous. */
	if (w->status == HPROF_OK)
		w->status = ag_names_write(w->classes->names, w->writer);
	if (w->status == HPROF_OK)
		w->status = ag_classes_write(w->classes, known + 1, w->writer);
	return w->status == HPROF_OK;
}
