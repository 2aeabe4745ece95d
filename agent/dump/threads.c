/* SPDX-License-Identifier: MIT */
/*
 * threads.c - see threads.h.
 *
 * Stacks are read one thread at a time: a request for all of them would make
 * the JVM allocate the deepest stack's size for every thread. Frames with the
 * same method and location share a record.
 *
 * A thread may end and its class may be unloaded at any moment: what the JVM
 * no longer knows is left out. Only lack of memory is a failure.
 */
#include "agent/dump/threads.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "agent/common/frame_table.h"
#include "agent/common/hotspot.h"
#include "agent/dump/object_ids.h"
#include "base/mem.h"
#include "base/search.h"
#include "agent/common/string_table.h"
#include "base/wire.h"

enum {
	FIRST_DEPTH = 1024,
	MAX_DEPTH = 1 << 20,
	LATE_THREADS = 256,
	NO_NUMBER = -1
};

struct thread {
	uint64_t id;  /* of its object; they ascend */
	jlong number; /* Thread.getId, or NO_NUMBER */
	uint64_t name, group, parent;
	jvmtiFrameInfo *frames;
	uint32_t depth;
};

struct number {
	jlong number;
	uint32_t serial;
};

/* A thread that started after the stacks were collected. */
struct late_thread {
	uint64_t object_id; /* 0: not known */
	jlong number;
};

struct ag_stacks {
	struct thread *threads; /* by serial - 1 */
	size_t count, room;
	struct number *by_number; /* sorted */
	struct ag_frames frames;
	struct late_thread late[LATE_THREADS];
	uint32_t late_count;
};

/* The state while threads are collected. */
struct collector {
	jvmtiEnv *jvmti;
	JNIEnv *jni;
	struct ag_names *names;
	struct ag_ids *ids;
	struct ag_stacks *stacks;
	jfieldID number;		    /* NULL: no such field */
	jvmtiExtensionFunction get_virtual; /* NULL: not in this JVM */
	jvmtiFrameInfo *buffer;
	jint buffer_depth;
	struct ag_method method; /* described last */
	const char *why;	 /* of a failure */
};

static const char no_memory[] = "out of memory";

static void release(struct collector *c, void *memory)
{
	(*c->jvmti)->Deallocate(c->jvmti, memory);
}

/* ---- one thread ---------------------------------------------------------- */

/* The id of the name, or 0 if unknown. RET_PARENT may be NULL. */
static uint64_t group_name(struct collector *c, jthreadGroup group,
			   jthreadGroup *ret_parent)
{
	jvmtiThreadGroupInfo info;
	uint64_t id;

	if (ret_parent)
		*ret_parent = NULL;
	if (!group || (*c->jvmti)->GetThreadGroupInfo(c->jvmti, group, &info))
		return 0;
	id = ag_name(c->names, info.name);
	release(c, info.name);
	if (ret_parent)
		*ret_parent = info.parent;
	else
		(*c->jni)->DeleteLocalRef(c->jni, info.parent);
	return id;
}

/* False if the thread has ended. */
static bool take_names(struct collector *c, jthread thread, struct thread *t)
{
	jvmtiThreadInfo info;
	jthreadGroup parent;

	if ((*c->jvmti)->GetThreadInfo(c->jvmti, thread, &info))
		return false;
	t->name = ag_name(c->names, info.name);
	release(c, info.name);
	t->group = group_name(c, info.thread_group, &parent);
	t->parent = group_name(c, parent, NULL);
	(*c->jni)->DeleteLocalRef(c->jni, parent);
	(*c->jni)->DeleteLocalRef(c->jni, info.thread_group);
	(*c->jni)->DeleteLocalRef(c->jni, info.context_class_loader);
	return true;
}

static bool grow_buffer(struct collector *c, jint depth)
{
	void *more = hp_realloc(c->buffer, (size_t)depth, sizeof *c->buffer);

	if (!more) {
		c->why = no_memory;
		return false;
	}
	c->buffer = more;
	c->buffer_depth = depth;
	return true;
}

/* Reads the stack into the buffer; returns its depth, 0 for none. */
static jint read_stack(struct collector *c, jthread thread)
{
	jint depth = 0;

	for (;;) {
		if ((*c->jvmti)->GetStackTrace(c->jvmti, thread, 0,
					       c->buffer_depth, c->buffer,
					       &depth))
			return 0;
		if (depth < c->buffer_depth || depth >= MAX_DEPTH)
			return depth;
		if (!grow_buffer(c, 2 * c->buffer_depth))
			return 0;
	}
}

static void take_stack(struct collector *c, jthread thread, struct thread *t)
{
	jint depth = read_stack(c, thread);

	if (depth <= 0)
		return;
	t->frames = hp_alloc((size_t)depth * sizeof *t->frames);
	if (!t->frames) {
		c->why = no_memory;
		return;
	}
	memcpy(t->frames, c->buffer, (size_t)depth * sizeof *t->frames);
	t->depth = (uint32_t)depth;
}

static bool tag_thread(struct collector *c, jthread thread, struct thread *t)
{
	jlong tag = 0, size;
	uint32_t place;

	/*
	 * A virtual thread may have moved to a carrier that is visited later.
	 */
	if ((*c->jvmti)->GetTag(c->jvmti, thread, &tag) ||
	    !ag_tag_is_fresh((uint64_t)tag) ||
	    (*c->jvmti)->GetObjectSize(c->jvmti, thread, &size))
		return false;
	place = ag_ids_take(c->ids, size, (uint64_t)tag);
	t->id = ag_id_of_place(c->ids, place);
	return (*c->jvmti)->SetTag(c->jvmti, thread,
				   (jlong)ag_object_tag(place, -1)) ==
	       JVMTI_ERROR_NONE;
}

static void add_thread(struct collector *c, jthread thread)
{
	struct ag_stacks *s = c->stacks;
	struct thread t = { .number = NO_NUMBER };

	if (hp_grow((void **)&s->threads, &s->room, s->count, sizeof t)) {
		c->why = no_memory;
		return;
	}
	if (!take_names(c, thread, &t) || !tag_thread(c, thread, &t))
		return;
	if (c->number)
		t.number = (*c->jni)->GetLongField(c->jni, thread, c->number);
	take_stack(c, thread, &t);
	s->threads[s->count++] = t;
}

/* ---- all threads --------------------------------------------------------- */

static void add_mounted(struct collector *c, jthread carrier)
{
	jthread mounted = NULL;

	if (!c->get_virtual || c->get_virtual(c->jvmti, carrier, &mounted) ||
	    !mounted)
		return;
	add_thread(c, mounted);
	(*c->jni)->DeleteLocalRef(c->jni, mounted);
}

static void add_all(struct collector *c)
{
	jthread *threads;
	jint count;

	c->get_virtual = ag_virtual_thread_getter(c->jvmti);
	if (!grow_buffer(c, FIRST_DEPTH))
		return;
	if ((*c->jvmti)->GetAllThreads(c->jvmti, &count, &threads)) {
		c->why = "the JVM does not list its threads";
		return;
	}
	if (count > 0)
		c->number = ag_thread_number(c->jvmti, c->jni, threads[0]);
	for (jint i = 0; i < count && !c->why; i++) {
		add_mounted(c, threads[i]);
		if (!c->why)
			add_thread(c, threads[i]);
	}
	release(c, threads);
}

/* ---- numbers and frames -------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
	jlong x = ((const struct number *)a)->number;
	jlong y = ((const struct number *)b)->number;

	return (x > y) - (x < y);
}

static void sort_numbers(struct collector *c)
{
	struct ag_stacks *s = c->stacks;

	s->by_number = hp_calloc(s->count, sizeof *s->by_number);
	if (!s->by_number) {
		c->why = no_memory;
		return;
	}
	for (uint32_t i = 0; i < s->count; i++)
		s->by_number[i] =
			(struct number){ s->threads[i].number, i + 1 };
	qsort(s->by_number, s->count, sizeof *s->by_number, compare_numbers);
}

/* The class may have been unloaded, or not be in the table. */
static void describe(void *user, jmethodID id, struct ag_method *m)
{
	struct collector *c = user;
	jclass class;
	jlong tag;

	ag_method_release(&c->method, c->jvmti);
	ag_method_read(c->jvmti, id, &c->method, &class);
	if (class && !(*c->jvmti)->GetTag(c->jvmti, class, &tag))
		c->method.class_serial = ag_serial_of_tag((uint64_t)tag);
	(*c->jni)->DeleteLocalRef(c->jni, class);
	*m = c->method;
}

static void collect_frames(struct collector *c)
{
	struct ag_stacks *s = c->stacks;
	int status = 0;

	for (size_t i = 0; i < s->count && status == 0; i++)
		status = ag_frames_add(&s->frames, s->threads[i].frames,
				       s->threads[i].depth);
	if (status == 0)
		ag_frames_describe(&s->frames, describe, c, c->names);
	ag_method_release(&c->method, c->jvmti);
	if (status != 0 || ag_names_failed(c->names))
		c->why = no_memory;
}

/* Collects within a frame for local references, so that none stays. */
static void collect(struct collector *c)
{
	enum { LOCAL_REFS = 4096 /* for threads; -Xcheck:jni warns of more */ };

	if ((*c->jni)->PushLocalFrame(c->jni, LOCAL_REFS) != 0) {
		(*c->jni)->ExceptionClear(c->jni);
		c->why = no_memory;
		return;
	}
	add_all(c);
	if (!c->why)
		sort_numbers(c);
	if (!c->why)
		collect_frames(c);
	(*c->jni)->PopLocalFrame(c->jni, NULL);
	hp_free(c->buffer);
}

struct ag_stacks *ag_stacks_collect(jvmtiEnv *jvmti, JNIEnv *jni,
				    struct ag_names *names, struct ag_ids *ids,
				    const char **ret_why)
{
	struct collector c = {
		.jvmti = jvmti, .jni = jni, .names = names, .ids = ids
	};

	c.stacks = hp_calloc(1, sizeof *c.stacks);
	if (!c.stacks) {
		*ret_why = no_memory;
		return NULL;
	}
	collect(&c);
	if (c.why) {
		ag_stacks_free(c.stacks);
		*ret_why = c.why;
		return NULL;
	}
	return c.stacks;
}

void ag_stacks_free(struct ag_stacks *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->count; i++)
		hp_free(s->threads[i].frames);
	ag_frames_free(&s->frames);
	hp_free(s->threads);
	hp_free(s->by_number);
	hp_free(s);
}

/* ---- records ------------------------------------------------------------- */

/* Thread serials begin at 1, trace serials after the empty trace. */
static uint32_t trace_of(uint32_t serial)
{
	return serial + AG_EMPTY_TRACE;
}

static enum hprof_status write_start(const struct ag_stacks *s, uint32_t serial,
				     struct hprof_writer *writer)
{
	const struct thread *t = &s->threads[serial - 1];
	const struct hprof_record record = {
		.tag = HPROF_START_THREAD,
		.u.start_thread = {
			.thread_serial = serial,
			.thread_id = t->id,
			/* JVMTI does not report where it was started. */
			.trace_serial = AG_EMPTY_TRACE,
			.name_id = t->name,
			.group_id = t->group,
			.parent_id = t->parent,
		},
	};

	return hprof_writer_put(writer, &record);
}

/* A stack may be deep, so its frame ids are written in pieces. */
static enum hprof_status write_trace(const struct ag_stacks *s, uint32_t serial,
				     struct hprof_writer *writer, unsigned z)
{
	const struct thread *t = &s->threads[serial - 1];
	const struct hprof_record record = {
		.tag = HPROF_TRACE,
		.id_size = (uint8_t)z,
		.u.trace = {
			.trace_serial = trace_of(serial),
			.thread_serial = serial,
			.frame_count = t->depth,
			.frames.size = (uint64_t)t->depth * z,
		},
	};
	uint8_t piece[512 * 8];
	size_t used = 0;

	HP_TRY(hprof_writer_put(writer, &record));
	for (uint32_t i = 0; i < t->depth; i++) {
		hp_put_id(piece + used, z,
			  ag_frames_id(&s->frames, &t->frames[i]));
		used += z;
		if (used == sizeof piece || i + 1 == t->depth) {
			HP_TRY(hprof_writer_body(writer, piece, used));
			used = 0;
		}
	}
	return HPROF_OK;
}

bool ag_stacks_have_frames(const struct ag_stacks *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->threads[i].depth > 0)
			return true;
	return false;
}

enum hprof_status ag_stacks_write(const struct ag_stacks *s,
				  struct hprof_writer *writer, unsigned id_size)
{
	HP_TRY(ag_frames_write(&s->frames, writer));
	for (uint32_t i = 0; i < s->count; i++)
		HP_TRY(write_trace(s, i + 1, writer, id_size));
	for (uint32_t i = 0; i < s->count; i++)
		HP_TRY(write_start(s, i + 1, writer));
	return HPROF_OK;
}

/* ---- in heap callbacks --------------------------------------------------- */

static uint32_t late_serial(const struct ag_stacks *s, uint32_t i)
{
	return (uint32_t)s->count + i + 1;
}

static uint32_t add_late(struct ag_stacks *s, uint64_t object_id, jlong number)
{
	if (s->late_count == LATE_THREADS)
		return 0;
	s->late[s->late_count] = (struct late_thread){ .object_id = object_id,
						       .number = number };
	return late_serial(s, s->late_count++);
}

uint32_t ag_stacks_thread(struct ag_stacks *s, uint64_t object_id)
{
	size_t at;

	HP_LOWER_BOUND(&at, s->count, s->threads[hp_at].id < object_id);
	if (at < s->count && s->threads[at].id == object_id)
		return (uint32_t)at + 1;
	for (uint32_t i = 0; i < s->late_count; i++)
		if (s->late[i].object_id == object_id)
			return late_serial(s, i);
	return add_late(s, object_id, NO_NUMBER);
}

uint32_t ag_stacks_thread_by_number(struct ag_stacks *s, jlong number,
				    uint64_t object_id)
{
	const struct number wanted = { .number = number };
	const struct number *found = NULL;

	if (object_id != 0)
		return ag_stacks_thread(s, object_id);
	if (s->count)
		found = bsearch(&wanted, s->by_number, s->count, sizeof wanted,
				compare_numbers);
	if (found)
		return found->serial;
	for (uint32_t i = 0; i < s->late_count; i++)
		if (s->late[i].number == number)
			return late_serial(s, i);
	return add_late(s, 0, number);
}

uint32_t ag_stacks_trace(const struct ag_stacks *s, uint32_t serial)
{
	return serial != 0 && serial <= s->count ? trace_of(serial)
						 : AG_EMPTY_TRACE;
}

jint ag_stacks_frame(const struct ag_stacks *s, uint32_t serial, jint depth,
		     jmethodID method, jlocation location)
{
	const struct thread *t;

	if (serial == 0 || serial > s->count)
		return -1;
	t = &s->threads[serial - 1];
	if (depth < 0 || (uint32_t)depth >= t->depth ||
	    t->frames[depth].method != method ||
	    (location != AG_ANYWHERE && t->frames[depth].location != location))
		return -1;
	return depth;
}
