/* SPDX-License-Identifier: MIT */
/*
 * frame_table.h - code locations as FRAME records: one for each location,
 * however many threads are there, and however often.
 */
#ifndef AG_FRAME_TABLE_H
#define AG_FRAME_TABLE_H

#include <jvmti.h>

#include "hprof/writer.h"

struct ag_names; /* string_table.h */

struct ag_frames {
	struct ag_frame *list; /* sorted, once they are described */
	size_t count, room;
};

void ag_frames_free(struct ag_frames *frames);

/* 0, or -1 when there is no memory. */
int ag_frames_add(struct ag_frames *frames, const jvmtiFrameInfo *more,
		  size_t count);

/*
 * Asks the JVM for names and line numbers, once all frames were added. The tags
 * of the classes must have their serials. ag_names_failed tells whether memory
 * ran out.
 */
void ag_frames_describe(struct ag_frames *frames, jvmtiEnv *jvmti, JNIEnv *jni,
			struct ag_names *names);

/* The id of a frame that was added. */
uint64_t ag_frames_id(const struct ag_frames *frames,
		      const jvmtiFrameInfo *place);

enum hprof_status ag_frames_write(const struct ag_frames *frames,
				  struct hprof_writer *writer);

#endif
