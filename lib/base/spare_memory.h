/* SPDX-License-Identifier: MIT */
/*
 * spare_memory.h - memory that was used and is used again.
 *
 * The kernel clears new memory, which takes as long as some of the work on it;
 * in a virtual machine even longer, as the host must find it first. So what one
 * table gives back becomes part of the next one. Its pages are moved to there,
 * so it does not matter at what addresses they were, nor in how many pieces.
 *
 * Used by one thread at a time. Where the system cannot move pages, nothing is
 * kept.
 */
#ifndef HP_SPARE_MEMORY_H
#define HP_SPARE_MEMORY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HP_SPARE_RANGES = 32 };

/* Zeroed, it is ready. */
struct hp_spare_memory {
	uint64_t bytes; /* mapped, but in no table */
	struct hp_spare_range {
		char *at;
		size_t bytes; /* 0: a free slot */
	} ranges[HP_SPARE_RANGES];
};

/*
 * Maps BYTES bytes, a multiple of the size of a page. The first *RET_USED are
 * as their last user left them, or 0 like all others. HUGE: of huge pages, if
 * possible. NULL without memory.
 */
void *hp_spare_memory_map(struct hp_spare_memory *spare, size_t bytes,
			  bool huge, size_t *ret_used);

/* Takes what is mapped at AT. */
void hp_spare_memory_keep(struct hp_spare_memory *spare, void *at,
			  size_t bytes);

/* Returns everything to the system. */
void hp_spare_memory_release(struct hp_spare_memory *spare);

/*
 * What one job leaves to the next, or to others at the same time: whoever uses
 * SPARE holds LOCK.
 */
struct hp_spare_lender {
	pthread_mutex_t lock;
	struct hp_spare_memory spare;
};

/*
 * Half of SPARE goes back to the system, for whatever is in no table: what comes
 * after a graph needs less than the other half. That the system may take, too, if it
 * has too little memory before SPARE is used again; if it does not know how, it gets
 * it at once.
 */
void hp_spare_memory_offer(struct hp_spare_memory *spare);

#endif
