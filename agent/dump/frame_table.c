/* SPDX-License-Identifier: MIT */
/*
 * frame_table.c - see frame_table.h. Frames are appended, then sorted by
 * method, so that JVMTI is asked about each method once; a frame's id is its
 * rank.
 */
#include "agent/dump/frame_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "agent/dump/object_ids.h"
#include "agent/dump/string_table.h"

enum { LINE_UNKNOWN = -1, LINE_NATIVE = -3 };

struct ag_frame {
	jvmtiFrameInfo place;
	uint64_t method, signature, source;
	uint32_t class_serial; /* 0: not known */
	int32_t line;
};

/* The method of the frames that are being described. */
struct method {
	jmethodID id;
	uint64_t name, signature, source;
	uint32_t class_serial;
	bool native;
	jvmtiLineNumberEntry *lines;
	jint line_count;
};

void ag_frames_free(struct ag_frames *f)
{
	hp_free(f->list);
	*f = (struct ag_frames){ 0 };
}

int ag_frames_add(struct ag_frames *f, const jvmtiFrameInfo *more, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (hp_grow((void **)&f->list, &f->room, f->count,
			    sizeof *f->list))
			return -1;
		f->list[f->count++] = (struct ag_frame){ .place = more[i] };
	}
	return 0;
}

/* ---- order --------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const jvmtiFrameInfo *x = &((const struct ag_frame *)a)->place;
	const jvmtiFrameInfo *y = &((const struct ag_frame *)b)->place;
	uintptr_t m = (uintptr_t)x->method, n = (uintptr_t)y->method;

	if (m != n)
		return m > n ? 1 : -1;
	return (x->location > y->location) - (x->location < y->location);
}

/* Sorts the frames and drops duplicates. */
static void put_in_order(struct ag_frames *f)
{
	size_t kept = 0;

	if (f->count == 0)
		return;
	qsort(f->list, f->count, sizeof *f->list, compare);
	for (size_t i = 1; i < f->count; i++)
		if (compare(&f->list[kept], &f->list[i]) != 0)
			f->list[++kept] = f->list[i];
	f->count = kept + 1;
}

uint64_t ag_frames_id(const struct ag_frames *f, const jvmtiFrameInfo *place)
{
	const struct ag_frame wanted = { .place = *place };
	const struct ag_frame *found = NULL;

	if (f->count)
		found = bsearch(&wanted, f->list, f->count, sizeof wanted,
				compare);
	return found ? (uint64_t)(found - f->list) + 1 : 0;
}

/* ---- describing the frames ----------------------------------------------- */

static void release(jvmtiEnv *jvmti, void *memory)
{
	(*jvmti)->Deallocate(jvmti, memory);
}

/* The class may have been unloaded, or not be in the table. */
static void read_class(struct method *m, jvmtiEnv *jvmti, JNIEnv *jni,
		       struct ag_names *names)
{
	jclass class;
	jlong tag;
	char *source;

	if ((*jvmti)->GetMethodDeclaringClass(jvmti, m->id, &class))
		return;
	if ((*jvmti)->GetTag(jvmti, class, &tag) == JVMTI_ERROR_NONE)
		m->class_serial = ag_serial_of_tag((uint64_t)tag);
	if ((*jvmti)->GetSourceFileName(jvmti, class, &source) ==
	    JVMTI_ERROR_NONE) {
		m->source = ag_name(names, source);
		release(jvmti, source);
	}
	(*jni)->DeleteLocalRef(jni, class);
}

static void forget_method(struct method *m, jvmtiEnv *jvmti)
{
	if (m->lines)
		release(jvmti, m->lines);
	*m = (struct method){ 0 };
}

static void read_method(struct method *m, jmethodID id, jvmtiEnv *jvmti,
			JNIEnv *jni, struct ag_names *names)
{
	char *name, *signature;
	jboolean native;

	forget_method(m, jvmti);
	m->id = id;
	if ((*jvmti)->GetMethodName(jvmti, id, &name, &signature, NULL) ==
	    JVMTI_ERROR_NONE) {
		m->name = ag_name(names, name);
		m->signature = ag_name(names, signature);
		release(jvmti, name);
		release(jvmti, signature);
	}
	if ((*jvmti)->IsMethodNative(jvmti, id, &native) == JVMTI_ERROR_NONE)
		m->native = native;
	if (m->native ||
	    (*jvmti)->GetLineNumberTable(jvmti, id, &m->line_count, &m->lines))
		m->lines = NULL;
	read_class(m, jvmti, jni, names);
}

/* The last line entry that starts at or before LOCATION; they are unsorted. */
static int32_t find_line(const struct method *m, jlocation location)
{
	const jvmtiLineNumberEntry *best = NULL;

	if (m->native)
		return LINE_NATIVE;
	for (jint i = 0; m->lines && i < m->line_count; i++) {
		const jvmtiLineNumberEntry *e = &m->lines[i];
		if (e->start_location <= location &&
		    (!best || e->start_location >= best->start_location))
			best = e;
	}
	return best && best->line_number > 0 ? best->line_number : LINE_UNKNOWN;
}

void ag_frames_describe(struct ag_frames *f, jvmtiEnv *jvmti, JNIEnv *jni,
			struct ag_names *names)
{
	struct method m = { 0 };

	put_in_order(f);
	for (size_t i = 0; i < f->count; i++) {
		struct ag_frame *frame = &f->list[i];
		if (i == 0 || frame->place.method != m.id)
			read_method(&m, frame->place.method, jvmti, jni, names);
		frame->method = m.name;
		frame->signature = m.signature;
		frame->source = m.source;
		frame->class_serial = m.class_serial;
		frame->line = find_line(&m, frame->place.location);
	}
	forget_method(&m, jvmti);
}

enum hprof_status ag_frames_write(const struct ag_frames *f,
				  struct hprof_writer *writer)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct ag_frame *frame = &f->list[i];
		const struct hprof_record record = {
			.tag = HPROF_FRAME,
			.u.frame = {
				.frame_id = i + 1,
				.method_id = frame->method,
				.signature_id = frame->signature,
				.source_id = frame->source,
				.class_serial = frame->class_serial,
				.line = frame->line,
			},
		};
		enum hprof_status status = hprof_writer_put(writer, &record);
		if (status != HPROF_OK)
			return status;
	}
	return HPROF_OK;
}
