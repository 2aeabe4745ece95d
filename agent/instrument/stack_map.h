/* SPDX-License-Identifier: MIT */
/*
 * stack_map.h - the frames of a StackMapTable (JVMS 4.7.4), read and written
 * for code that moved.
 */
#ifndef AG_STACK_MAP_H
#define AG_STACK_MAP_H

#include "agent/instrument/instructions.h"

/* What a frame says of uninitialized objects; asked for in constructors. */
struct ag_frame {
	uint32_t pc;
	bool this_uninitialized;
	uint32_t objects; /* new ones whose constructor is to come */
};

struct ag_frames { /* all zero: none; the list is freed by hp_free */
	struct ag_frame *list;
	size_t count, room;
};

/*
 * Reads TABLE, the bytes of the attribute, and writes its count and frames to
 * OUT with new places. *RET_PC is the new place of the last one, -1 if there is
 * none. RET_FRAMES, NULL if this is no constructor, gets the frames
 * with their old places; LOCALS is the number of its arguments, including this,
 * which is not initialized at the entry. It is freed in any case by the caller.
 */
enum hprof_status ag_stack_map_move(struct ag_in table,
				    const struct ag_moves *moves,
				    uint32_t locals, struct ag_out *out,
				    int64_t *ret_pc,
				    struct ag_frames *ret_frames);

/*
 * Appends a full frame at PC, after the one at LAST_PC (-1: it is the first).
 * OUT begins with the count, which is now one more. The frame has an object of
 * class THROWABLE on the stack, and no local variables.
 */
void ag_stack_map_append(struct ag_out *out, int64_t last_pc, uint32_t pc,
			 unsigned throwable);

#endif
