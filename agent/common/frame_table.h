/* SPDX-License-Identifier: MIT */
/*
 * frame_table.h - code locations as FRAME records: one for each location,
 * however many threads are there, and however often.
 */
#ifndef AG_FRAME_TABLE_H
#define AG_FRAME_TABLE_H

#include <jvmti.h>

#include "hprof/writer.h"
#include "agent/common/method_info.h"

struct ag_names; /* string_table.h */

struct ag_frames {
	struct ag_frame *list; /* sorted, once they are described */
	size_t count, room;
	uint64_t before; /* the ids of the frames come after this one */
};

/*
 * Describes a method. What is in RET stays valid until the next call, and its
 * class_serial is that of a LOAD_CLASS record, or 0.
 */
typedef void ag_method_fn(void *user, jmethodID id, struct ag_method *ret);

void ag_frames_free(struct ag_frames *frames);

/* 0, or -1 when there is no memory. */
int ag_frames_add(struct ag_frames *frames, const jvmtiFrameInfo *more,
		  size_t count);

/*
 * Finds names and line numbers, once all frames were added. DESCRIBE is called
 * once for each method. ag_names_failed tells whether memory ran out.
 */
void ag_frames_describe(struct ag_frames *frames, ag_method_fn *describe,
			void *user, struct ag_names *names);

/* The id of a frame that was added. */
uint64_t ag_frames_id(const struct ag_frames *frames,
		      const jvmtiFrameInfo *place);

enum hprof_status ag_frames_write(const struct ag_frames *frames,
				  struct hprof_writer *writer);

#endif
