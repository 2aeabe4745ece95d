/* SPDX-License-Identifier: MIT */
/*
 * frame_table.c - see frame_table.h. Frames are appended, then sorted by
 * method, so that each method is described once; a frame's id is its rank.
 */
#include "agent/common/frame_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "agent/common/string_table.h"

struct ag_frame {
	jvmtiFrameInfo place;
	uint64_t method, signature, source;
	uint32_t class_serial; /* 0: not known */
	int32_t line;
};

/* The method of the frames that are being described. */
struct method {
	jmethodID id;
	struct ag_method info;
	uint64_t name, signature, source;
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
	return found ? f->before + (uint64_t)(found - f->list) + 1 : 0;
}

/* ---- describing the frames ----------------------------------------------- */

void ag_frames_describe(struct ag_frames *f, ag_method_fn *describe, void *user,
			struct ag_names *names)
{
	struct method m = { 0 };

	put_in_order(f);
	for (size_t i = 0; i < f->count; i++) {
		struct ag_frame *frame = &f->list[i];
		if (i == 0 || frame->place.method != m.id) {
			m.id = frame->place.method;
			describe(user, m.id, &m.info);
			m.name = ag_name(names, m.info.name);
			m.signature = ag_name(names, m.info.signature);
			m.source = ag_name(names, m.info.source);
		}
		frame->method = m.name;
		frame->signature = m.signature;
		frame->source = m.source;
		frame->class_serial = m.info.class_serial;
		frame->line = ag_method_line(&m.info, frame->place.location);
	}
}

enum hprof_status ag_frames_write(const struct ag_frames *f,
				  struct hprof_writer *writer)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct ag_frame *frame = &f->list[i];
		const struct hprof_record record = {
			.tag = HPROF_FRAME,
			.u.frame = {
				.frame_id = f->before + i + 1,
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
