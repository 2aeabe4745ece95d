/* SPDX-License-Identifier: MIT */
/*
 * spool.h - a queue of bytes between a JVM, which is paused until it has
 * written them, and our compressor or reader, which may be slow.
 *
 * It holds some in memory and the rest in an unlinked temporary file, so that
 * the JVM waits for neither. One thread puts, another takes; only the calls
 * that say so block.
 */
#ifndef TOOLS_SPOOL_H
#define TOOLS_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct spool;

/*
 * FOLDER is where the temporary file may be made, NULL: TMPDIR or /var/tmp.
 * NULL if there is no memory.
 */
struct spool *spool_new(const char *folder);
void spool_free(struct spool *spool);

/*
 * Room for up to *RET_SIZE bytes, for the thread that puts; NULL if there is
 * none until some bytes are taken.
 */
void *spool_room(struct spool *spool, size_t *ret_size);

/* SIZE bytes were put into that room. */
void spool_put(struct spool *spool, size_t size);

/* Waits up to MS milliseconds until there may be room. */
void spool_wait_room(struct spool *spool, unsigned ms);

/* No more bytes will be put. */
void spool_end(struct spool *spool);

/* No more bytes will be taken: those in the queue are dropped. */
void spool_drop(struct spool *spool);

/*
 * Takes up to ROOM bytes; waits for some, or for the end, which is 0. -1 with
 * errno if they cannot be read back.
 */
int64_t spool_take(struct spool *spool, void *out, size_t room);

/* Bytes taken so far: grows as long as the other side makes progress. */
uint64_t spool_taken(struct spool *spool);

#endif
