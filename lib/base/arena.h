/* SPDX-License-Identifier: MIT */
/*
 * arena.h - memory that is freed all at once, for many small items that live
 * as long as a table does.
 */
#ifndef HP_ARENA_H
#define HP_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct hp_arena {
	struct hp_arena_part *parts; /* all zero: empty */
	size_t taken;		     /* bytes in all */
};

void *hp_arena_take(struct hp_arena *arena, size_t size); /* not cleared */

/* A NUL-terminated copy of the SIZE bytes of TEXT; NULL if out of memory. */
char *hp_arena_text(struct hp_arena *arena, const char *text, size_t size);

void hp_arena_done(struct hp_arena *arena);

#endif
