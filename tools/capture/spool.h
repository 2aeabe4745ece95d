/* SPDX-License-Identifier: MIT */
/*
 * spool.h - a queue of bytes between a JVM, which is paused until it has
 * written them, and our compressor or output, which may be slow.
 *
 * It holds some bytes in memory and the rest in an unlinked temporary file, so
 * that the JVM does not wait. One thread puts, another takes. Only calls
 * described as waiting block.
 */
#ifndef TOOLS_SPOOL_H
#define TOOLS_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct spool;

/*
 * FOLDER is the directory for the temporary file; NULL: TMPDIR or /var/tmp.
 * IN_MEMORY: there is none, and whoever writes waits when the memory is full.
 * Returns NULL if memory runs out.
 */
struct spool *spool_new(const char *folder, bool in_memory);
void spool_free(struct spool *spool);

/*
 * Returns room for up to *RET_SIZE bytes, for the thread that puts; NULL if
 * there is no room until some bytes are taken.
 */
void *spool_room(struct spool *spool, size_t *ret_size);

/* Tells that SIZE bytes were written to that room. */
void spool_put(struct spool *spool, size_t size);

/* Waits up to MS milliseconds until there may be room. */
void spool_wait_room(struct spool *spool, unsigned ms);

/* No more bytes will be put. */
void spool_end(struct spool *spool);

/* No more bytes will be taken: the queue is emptied and ignores new bytes. */
void spool_drop(struct spool *spool);

/*
 * Takes up to ROOM bytes. Waits for at least one; 0 means the end. -1 with
 * errno if they cannot be read back.
 */
int64_t spool_take(struct spool *spool, void *out, size_t room);

/* Bytes taken so far: shows whether the consumer makes progress. */
uint64_t spool_taken(struct spool *spool);

#endif
