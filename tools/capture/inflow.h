/* SPDX-License-Identifier: MIT */
/*
 * inflow.h - takes the bytes of a dump as fast as they come, and gives up if
 * they do not.
 *
 * A thread of the caller's waits with inflow_wait, which puts what has come into
 * a spool; the dump is read from that with inflow_read by another thread. So
 * the JVM waits neither for the file system nor for our compressor.
 */
#ifndef TOOLS_INFLOW_H
#define TOOLS_INFLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/capture/failure_text.h"
#include "tools/capture/spool.h"

struct inflow {
	struct spool *spool;
	int enough; /* an eventfd: no more bytes are wanted */
	unsigned timeout_s;
	bool has_room;	   /* the spool had some when it was asked last */
	uint64_t received; /* bytes of the dump */
	uint64_t progress_ms, progress_at; /* the last progress */
	bool failed;
	struct reason reason; /* set if it has failed */
};

/* What inflow_wait has met; or-ed. */
enum {
	INFLOW_BYTES = 1,  /* of the dump; they are in the spool */
	INFLOW_END = 2,	   /* the dump's descriptor has no more */
	INFLOW_OTHER = 4,  /* can be read */
	INFLOW_ENOUGH = 8, /* somebody called inflow_enough */
	INFLOW_FAILED = 16 /* the reason is set; a signal to stop is one, too */
};

/* FOLDER, IN_MEMORY: see spool_new. False with the reason. */
bool inflow_init(struct inflow *inflow, const char *folder, bool in_memory,
		 unsigned timeout_s, struct reason *reason);
void inflow_free(struct inflow *inflow);

/*
 * Waits, not for long, for bytes of the descriptor DUMP, which is read, or of
 * OTHER, which is not; either may be -1. What is full is not read.
 */
unsigned inflow_wait(struct inflow *inflow, int dump, int other);

/* Reads what there is in DUMP now, if there is room, as inflow_wait. */
unsigned inflow_take(struct inflow *inflow, int dump);

/*
 * Is the dump on the move, that is, have enough bytes come, or gone to the
 * output while there is no room, since that was so the last time? *RET_MOVED;
 * false if that was too long ago.
 */
bool inflow_is_alive(struct inflow *inflow, bool *ret_moved);

/* There was progress of another kind. */
void inflow_moved(struct inflow *inflow);

/* Have so many bytes moved that it is progress? */
bool inflow_is_progress(const struct inflow *inflow, uint64_t bytes);

/*
 * There is no room since the output takes nothing, and whoever sends, NAME, was
 * let go. The thread that writes the output may wait for its reader forever, so
 * the process ends here.
 */
void __attribute__((noreturn))
inflow_output_is_stuck(const struct inflow *inflow, const char *name);

/* From any thread: ends inflow_wait, and what is not read yet is dropped. */
void inflow_enough(struct inflow *inflow);

/* A hprof_read_fn. */
int64_t inflow_read(void *inflow, void *out, size_t room);

#endif
