/* SPDX-License-Identifier: MIT */
/*
 * spare_memory.c - see spare_memory.h.
 *
 * Pages are moved by mremap, in chunks of the size of a huge page, which keeps
 * huge pages whole. A chunk is always within one mapping of the kernel's, as
 * mremap demands; a table that was made of several chunks need not be.
 */
#include "base/spare_memory.h"

#include <sys/mman.h>

enum { CHUNK = 2 << 20 };

static size_t round_down(size_t bytes)
{
	return bytes & ~(size_t)(CHUNK - 1);
}

/* Bytes up to the next chunk. */
static size_t before_chunk(const char *at)
{
	return -(uintptr_t)at & (CHUNK - 1);
}

/* New memory; what is as large as a chunk begins with one. */
static char *map_new(size_t bytes, bool huge)
{
	size_t more = bytes >= CHUNK ? CHUNK : 0, before;
	char *at = mmap(NULL, bytes + more, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	before = more ? before_chunk(at) : 0;
	if (before)
		munmap(at, before);
	if (more > before)
		munmap(at + before + bytes, more - before);
#ifdef MADV_HUGEPAGE
	if (huge)
		madvise(at + before, bytes, MADV_HUGEPAGE);
#endif
	return at + before;
}

/* Moves the first chunk of RANGE to TO, in place of what is mapped there. */
static bool move_chunk(struct hp_spare_memory *spare,
		       struct hp_spare_range *range, char *to)
{
#ifdef MREMAP_FIXED
	if (mremap(range->at, CHUNK, CHUNK, MREMAP_MAYMOVE | MREMAP_FIXED,
		   to) == MAP_FAILED)
		return false;
	range->at += CHUNK;
	range->bytes -= CHUNK;
	spare->bytes -= CHUNK;
	return true;
#else
	(void)spare, (void)range, (void)to;
	return false;
#endif
}

/* Returns what is more than MOST bytes to the system, the last ranges first. */
static void leave(struct hp_spare_memory *spare, uint64_t most)
{
	for (unsigned i = HP_SPARE_RANGES; i > 0 && spare->bytes > most; i--) {
		struct hp_spare_range *range = &spare->ranges[i - 1];
		uint64_t excess = spare->bytes - most;
		size_t less = excess < range->bytes
				      ? (size_t)excess / CHUNK * CHUNK
				      : range->bytes;

		if (!less)
			continue;
		range->bytes -= less;
		spare->bytes -= less;
		munmap(range->at + range->bytes, less);
	}
}

void hp_spare_memory_release(struct hp_spare_memory *spare)
{
	leave(spare, 0);
}

/*
 * A chunk could not be moved to AT + USED, where nothing may be mapped any more.
 */
static void *start_again(struct hp_spare_memory *spare, char *at, size_t used,
			 size_t bytes, bool huge)
{
	if (used)
		munmap(at, used);
	if (used + CHUNK < bytes)
		munmap(at + used + CHUNK, bytes - used - CHUNK);
	hp_spare_memory_release(spare);
	return map_new(bytes, huge);
}

void *hp_spare_memory_map(struct hp_spare_memory *spare, size_t bytes,
			  bool huge, size_t *ret_used)
{
	char *at = map_new(bytes, huge);
	size_t used = 0, most = round_down(bytes);

	*ret_used = 0;
	if (!at) { /* perhaps for want of addresses */
		hp_spare_memory_release(spare);
		at = map_new(bytes, huge);
	}
	for (unsigned i = 0; at && i < HP_SPARE_RANGES; i++) {
		struct hp_spare_range *range = &spare->ranges[i];
		for (; range->bytes && used < most; used += CHUNK)
			if (!move_chunk(spare, range, at + used))
				return start_again(spare, at, used, bytes,
						   huge);
	}
	*ret_used = used;
	return at;
}

void hp_spare_memory_keep(struct hp_spare_memory *spare, void *memory,
			  size_t bytes)
{
	char *at = memory;
	size_t before = before_chunk(at), whole = 0;
	unsigned i = 0;

#ifdef MREMAP_FIXED
	while (i < HP_SPARE_RANGES && spare->ranges[i].bytes)
		i++;
	if (i < HP_SPARE_RANGES && before < bytes)
		whole = round_down(bytes - before);
#endif
	if (!whole) {
		munmap(at, bytes);
		return;
	}
	if (before)
		munmap(at, before);
	if (before + whole < bytes)
		munmap(at + before + whole, bytes - before - whole);
	spare->ranges[i] = (struct hp_spare_range){ at + before, whole };
	spare->bytes += whole;
}

void hp_spare_memory_offer(struct hp_spare_memory *spare)
{
	bool taken = false;

	leave(spare, spare->bytes / 2);
#ifdef MADV_FREE
	taken = true;
	for (unsigned i = 0; i < HP_SPARE_RANGES && taken; i++)
		if (spare->ranges[i].bytes)
			taken = madvise(spare->ranges[i].at,
					spare->ranges[i].bytes, MADV_FREE) == 0;
#endif
	if (!taken)
		hp_spare_memory_release(spare);
}
