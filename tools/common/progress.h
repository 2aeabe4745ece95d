/* SPDX-License-Identifier: MIT */
/*
 * progress.h - how far a long run has come: a bar, rate and time left.
 *
 * On stderr, and only when somebody looks: on a terminal, after a second.
 * SIGUSR1 (and SIGINFO where there is one) asks for one line at any time.
 */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* In the order of the words of CLI_OPTION_PROGRESS. */
enum progress_when {
	PROGRESS_AUTO,
	PROGRESS_ALWAYS, /* at once; a line a second if it is no terminal */
	PROGRESS_NEVER
};

struct progress {
	const char *name; /* of the program */
	bool shown;	  /* somebody looks */
	bool terminal;
	bool drawn;	   /* there is something to wipe out */
	uint64_t start_ms; /* monotonic clock */
	uint64_t next_ms;  /* when to draw */
	const char *phase; /* of several; NULL: bytes are read */
};

void progress_begin(struct progress *progress, const char *name,
		    enum progress_when when);

/* TOTAL 0: not known. */
void progress_update(struct progress *progress, uint64_t done, uint64_t total);

/*
 * The same as an hprof_progress_fn, whose USER is the struct progress, for a
 * run that is told as bytes that are read, whatever the phase.
 */
bool progress_bytes(void *user, const char *phase, uint64_t done,
		    uint64_t total);

/* The same for a run of several phases, which count other things than bytes. */
bool progress_phase(void *user, const char *phase, uint64_t done,
		    uint64_t total);

/* Wipes the line out. */
void progress_end(struct progress *progress);

#endif
