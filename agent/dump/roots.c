/* SPDX-License-Identifier: MIT */
/*
 * roots.c - each kind of root that JVMTI reports, as a sub-record.
 *
 * Readers look up the thread of a stack root, so its ROOT_THREAD_OBJ must come
 * first. The JVM reports the thread itself first and then its stack, except for
 * virtual threads: their ROOT_THREAD_OBJ is written with the first root of
 * their stack.
 */
#include "agent/dump/held_objects.h"
#include "agent/dump/walk.h"

static void put_root(struct ag_walk *w, unsigned tag, uint64_t id,
		     uint32_t thread, jint frame)
{
	struct hprof_record r = { .tag = (uint16_t)tag };

	r.u.root.object_id = id;
	r.u.root.thread_serial = thread;
	r.u.root.frame = frame;
	ag_walk_put(w, &r);
}

static void announce(struct ag_walk *w, uint64_t id, uint32_t thread)
{
	struct hprof_record r = { .tag = HPROF_ROOT_THREAD_OBJ };

	w->announced = thread;
	r.u.root.object_id = id;
	r.u.root.thread_serial = thread;
	r.u.root.trace_serial = ag_stacks_trace(w->stacks, thread);
	ag_walk_put(w, &r);
}

/* A root on a stack; THREAD_TAG is that of the thread's object, or 0. */
static void stack_root(struct ag_walk *w, unsigned tag, uint64_t id,
		       jlong thread_tag, jlong number, jint depth,
		       jmethodID method, jlocation location)
{
	uint64_t thread_id =
		ag_id_of_tag(&w->classes->ids, (uint64_t)thread_tag);
	uint32_t serial =
		ag_stacks_thread_by_number(w->stacks, number, thread_id);

	if (serial == 0) {
		put_root(w, HPROF_ROOT_UNKNOWN, id, 0, -1);
		return;
	}
	if (serial != w->announced)
		announce(w, thread_id, serial);
	put_root(w, tag, id, serial,
		 method ? ag_stacks_frame(w->stacks, serial, depth, method,
					  location)
			: -1);
}

static void thread_root(struct ag_walk *w, uint64_t id)
{
	uint32_t serial = ag_stacks_thread(w->stacks, id);

	if (serial)
		announce(w, id, serial);
	else
		put_root(w, HPROF_ROOT_UNKNOWN, id, 0, -1);
}

static void global_root(struct ag_walk *w, uint64_t tag, uint64_t id)
{
	struct hprof_record r = { .tag = HPROF_ROOT_JNI_GLOBAL };

	r.u.root.object_id = id; /* JVMTI does not report the JNI reference */
	if (!ag_held_is_ours(w->held, w->classes, tag))
		ag_walk_put(w, &r);
}

void ag_walk_root(struct ag_walk *w, jvmtiHeapReferenceKind kind,
		  const jvmtiHeapReferenceInfo *info, uint64_t tag)
{
	const uint64_t id = ag_id_of_tag(&w->classes->ids, tag);

	switch (kind) {
	case JVMTI_HEAP_REFERENCE_JNI_GLOBAL:
		global_root(w, tag, id);
		break;
	case JVMTI_HEAP_REFERENCE_SYSTEM_CLASS:
		/* The JVM also reports other objects of the boot loader. */
		put_root(w,
			 ag_serial_of_tag(tag) ? HPROF_ROOT_STICKY_CLASS
					       : HPROF_ROOT_UNKNOWN,
			 id, 0, -1);
		break;
	case JVMTI_HEAP_REFERENCE_MONITOR:
		put_root(w, HPROF_ROOT_MONITOR_USED, id, 0, -1);
		break;
	case JVMTI_HEAP_REFERENCE_STACK_LOCAL:
		w->stack_locals++;
		stack_root(w, HPROF_ROOT_JAVA_FRAME, id,
			   info->stack_local.thread_tag,
			   info->stack_local.thread_id, info->stack_local.depth,
			   info->stack_local.method,
			   info->stack_local.location);
		break;
	case JVMTI_HEAP_REFERENCE_JNI_LOCAL:
		stack_root(w, HPROF_ROOT_JNI_LOCAL, id,
			   info->jni_local.thread_tag,
			   info->jni_local.thread_id, info->jni_local.depth,
			   info->jni_local.method, AG_ANYWHERE);
		break;
	case JVMTI_HEAP_REFERENCE_THREAD:
		thread_root(w, id);
		break;
	default: /* OTHER, and kinds that later versions may add */
		put_root(w, HPROF_ROOT_UNKNOWN, id, 0, -1);
	}
}
