/* SPDX-License-Identifier: MIT */
/*
 * walk.c - the callbacks, see walk.h: each report of the JVM goes to the file
 * that turns it into a record: object_writer.c, walk_class.c or roots.c.
 */
#include "agent/dump/walk.h"

#include "agent/common/errors.h"
#include "agent/dump/scout.h"
#include "agent/fork/child.h"

/* ---- the callbacks ------------------------------------------------------- */

static jint follow(const struct ag_walk *w)
{
	return w->status == HPROF_OK ? JVMTI_VISIT_OBJECTS : JVMTI_VISIT_ABORT;
}

/* Handles a reference from an object or a class. */
static void reference(struct ag_walk *w, jvmtiHeapReferenceKind kind,
		      const jvmtiHeapReferenceInfo *info, uint64_t from,
		      uint64_t tag)
{
	const uint64_t id = ag_id_of_tag(&w->classes->ids, tag);

	switch (kind) {
	case JVMTI_HEAP_REFERENCE_FIELD:
		ag_record_field(w, from, info->field.index, HPROF_TYPE_OBJECT,
				id);
		break;
	case JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT:
		ag_record_element(w, from, info->array.index, id);
		break;
	case JVMTI_HEAP_REFERENCE_CLASS:
		ag_record_open(w, from, tag);
		break;
	case JVMTI_HEAP_REFERENCE_STATIC_FIELD:
		ag_record_close(w);
		ag_walk_static(w, from, info->field.index, HPROF_TYPE_OBJECT,
			       id);
		break;
	default:
		ag_record_close(w);
		ag_walk_class_reference(w, kind, info, from, id);
	}
}

static void keep_mirror(struct ag_walk *w, uint64_t tag)
{
	if (w->mirror_count < AG_MIRRORS)
		w->mirrors[w->mirror_count++] =
			ag_id_of_tag(&w->classes->ids, tag);
}

static bool is_class(const struct ag_walk *w, jlong class_tag)
{
	return ag_serial_of_tag((uint64_t)class_tag) == w->classes->class_class;
}

/* The tag of an object that is met for the first time; 0 on failure. */
static uint64_t new_tag(struct ag_walk *w, uint64_t old, jlong class_tag,
			jlong size, jint length)
{
	uint64_t tag = ag_walk_new_tag(w, old, size, length);

	/* Nothing is reported when an object of Class is visited. */
	if (!is_class(w, class_tag))
		w->unvisited++;
	else if (tag)
		keep_mirror(w, tag);
	return tag;
}

/* The same where a scout has been, or in the scout itself. */
static uint64_t scouted_tag(struct ag_walk *w, const jlong *tag_ptr,
			    jlong class_tag, jlong size, jint length)
{
	uint64_t tag = 0;

	if (!ag_scout_fits(tag_ptr, size)) {
		ag_walk_fail(w, HPROF_E_FORMAT,
			     "the JVM does not tell where an object is");
	} else if (w->pass == AG_CLASSES) {
		tag = new_tag(w, 0, class_tag, size, length);
		if (tag && !ag_scout_add(w->scout, tag_ptr, tag))
			ag_walk_fail(w, HPROF_E_LIMIT,
				     "classes refer to too many objects");
	} else {
		tag = ag_scout_tag(w->scout, tag_ptr);
		if (!tag)
			tag = new_tag(w, 0, class_tag, size, length);
		else if (is_class(w, class_tag))
			keep_mirror(w, tag);
	}
	return w->status == HPROF_OK ? tag : 0;
}

/* Does the pass follow this root? */
static bool is_start(enum ag_pass pass, uint64_t tag)
{
	switch (pass) {
	case AG_CLASSES:
		return ag_serial_of_tag(tag) != 0;
	case AG_REST:
		return tag == (uint64_t)AG_TAG_LEFT;
	default:
		return true;
	}
}

/*
 * Forks; false if this process has nothing to do any more. TAG_PTR and SIZE are
 * those of the first report.
 */
static bool begin_apart(struct ag_walk *w, const jlong *tag_ptr, jlong size)
{
	w->fork_due = false;
	w->scout_unfit = w->scout && !ag_scout_fits(tag_ptr, size);
	if (w->scout_unfit)
		return false;
	switch (ag_fork_now(w->fork)) {
	case AG_SIDE_CHILD:
		return !w->scout || ag_scout_follow(w->scout, w);
	case AG_SIDE_SCOUT:
		w->pass = AG_CLASSES;
		return true;
	case AG_SIDE_NONE:
		ag_walk_fail(w, HPROF_E_SYS, "the process cannot be forked");
		break;
	case AG_SIDE_PARENT:
		break;
	}
	return false;
}

static jint JNICALL on_reference(jvmtiHeapReferenceKind kind,
				 const jvmtiHeapReferenceInfo *info,
				 jlong class_tag, jlong referrer_class_tag,
				 jlong size, jlong *tag_ptr,
				 jlong *referrer_tag_ptr, jint length,
				 void *user)
{
	struct ag_walk *w = user;
	uint64_t tag = (uint64_t)*tag_ptr;
	const bool new = ag_tag_is_fresh(tag);

	(void)referrer_class_tag;
	ag_child_progress++;
	if (w->status != HPROF_OK ||
	    (w->fork_due && !begin_apart(w, tag_ptr, size)))
		return JVMTI_VISIT_ABORT;
	if (!referrer_tag_ptr && !is_start(w->pass, tag))
		return 0;
	if (new) {
		tag = w->scout
			      ? scouted_tag(w, tag_ptr, class_tag, size, length)
			      : new_tag(w, tag, class_tag, size, length);
		if (!tag)
			return JVMTI_VISIT_ABORT;
		*tag_ptr = (jlong)tag;
	} else if (w->scout && w->pass == AG_CLASSES) {
		ag_scout_prove(w->scout, tag_ptr, tag);
	}
	if (!referrer_tag_ptr) {
		ag_record_close(w);
		if (w->pass == AG_OBJECTS)
			ag_walk_root(w, kind, info, tag);
		return follow(w);
	}
	reference(w, kind, info, (uint64_t)*referrer_tag_ptr, tag);
	if (w->status != HPROF_OK)
		return JVMTI_VISIT_ABORT;
	if (w->pass == AG_OBJECTS || (w->pass == AG_REST && new))
		return JVMTI_VISIT_OBJECTS;
	return 0;
}

static jint JNICALL on_primitive_field(jvmtiHeapReferenceKind kind,
				       const jvmtiHeapReferenceInfo *info,
				       jlong class_tag, jlong *tag_ptr,
				       jvalue value, jvmtiPrimitiveType type,
				       void *user)
{
	struct ag_walk *w = user;
	uint8_t t = ag_type_of((int)type);
	uint64_t bits = ag_value_bits(value, t);

	(void)class_tag;
	if (w->status != HPROF_OK)
		return JVMTI_VISIT_ABORT;
	if (kind == JVMTI_HEAP_REFERENCE_FIELD) {
		ag_record_field(w, (uint64_t)*tag_ptr, info->field.index, t,
				bits);
	} else {
		ag_record_close(w);
		ag_walk_static(w, (uint64_t)*tag_ptr, info->field.index, t,
			       bits);
	}
	return follow(w);
}

static jint JNICALL on_primitive_array(jlong class_tag, jlong size,
				       jlong *tag_ptr, jint count,
				       jvmtiPrimitiveType type,
				       const void *elements, void *user)
{
	struct ag_walk *w = user;

	(void)class_tag;
	(void)size;
	if (w->status != HPROF_OK)
		return JVMTI_VISIT_ABORT;
	ag_record_values(w, (uint64_t)*tag_ptr, ag_type_of((int)type), elements,
			 count);
	return follow(w);
}

const jvmtiHeapCallbacks ag_walk_callbacks = {
	.heap_reference_callback = on_reference,
	.primitive_field_callback = on_primitive_field,
	.array_primitive_value_callback = on_primitive_array,
};

/*
 * For levels without values. Arrays are asked for nevertheless: by their type
 * the fillers of gaps in the heap are told from arrays of objects.
 */
static const jvmtiHeapCallbacks without_values = {
	.heap_reference_callback = on_reference,
	.array_primitive_value_callback = on_primitive_array,
};

enum hprof_status ag_walk_run(struct ag_walk *w, jvmtiEnv *jvmti,
			      enum ag_pass pass)
{
	uint64_t start = ag_walk_now();

	w->pass = pass;
	w->first_place = (uint32_t)w->classes->ids.next;
	w->unvisited = 0;
	w->visited = false;
	jvmtiError e = (*jvmti)->FollowReferences(jvmti, 0, NULL, NULL,
						  ag_walk_has(w, HPROF_TYPE_INT)
							  ? &ag_walk_callbacks
							  : &without_values,
						  w);
	w->pause_ns += ag_walk_now() - start;
	ag_record_close(w);
	if (e != JVMTI_ERROR_NONE)
		ag_walk_fail(w, HPROF_E_SYS, ag_error_text(e));
	return w->status;
}
