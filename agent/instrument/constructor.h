/* SPDX-License-Identifier: MIT */
/*
 * constructor.h - which parts of a method one handler of all exceptions may
 * cover.
 */
#ifndef AG_CONSTRUCTOR_H
#define AG_CONSTRUCTOR_H

#include "agent/instrument/constant_pool.h"
#include "agent/instrument/stack_map.h"

/* A part of the old code, up to END. */
struct ag_covered {
	uint32_t start, end;
};

struct ag_covered_list { /* all zero: none; the list is freed by hp_free */
	struct ag_covered *list;
	size_t count, room;
};

/* Adds the one part of a method that is no constructor: all of it. */
enum hprof_status ag_cover_all(const struct ag_moves *moves,
			       struct ag_covered_list *list);

/*
 * Adds the parts of a constructor, whose frames are FRAMES, in which this is
 * initialized. None, if that cannot be told.
 */
enum hprof_status ag_cover_constructor(const struct ag_moves *moves,
				       const struct ag_pool *pool,
				       const struct ag_frames *frames,
				       struct ag_covered_list *list);

#endif
