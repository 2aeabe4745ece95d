/* SPDX-License-Identifier: MIT */
/*
 * progress.h - how far a long run has come: a bar, a rate and the time left.
 *
 * It is drawn on standard error, but only if that is a terminal, and only after
 * a second. SIGUSR1 (and SIGINFO on systems that have it) asks for one line at
 * any time.
 */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* In the order of the words of CLI_OPTION_PROGRESS. */
enum progress_when {
	PROGRESS_AUTO,
	/* at once; one line each second if it is not a terminal */
	PROGRESS_ALWAYS,
	PROGRESS_NEVER
};

struct progress {
	const char *name; /* of the program */
	bool shown;	  /* it is to be drawn */
	bool terminal;
	bool drawn;	   /* there is a line to erase */
	uint64_t start_ms; /* monotonic clock */
	uint64_t next_ms;  /* when to draw */
	const char *phase; /* the phase at work; NULL: bytes are read */
};

void progress_begin(struct progress *progress, const char *name,
		    enum progress_when when);

/* TOTAL is 0 if it is not known. */
void progress_update(struct progress *progress, uint64_t done, uint64_t total);

/*
 * An hprof_progress_fn whose USER is the struct progress. It shows every phase
 * as bytes that are read.
 */
bool progress_bytes(void *user, const char *phase, uint64_t done,
		    uint64_t total);

/*
 * The same for a run whose phases have names and count other things than bytes.
 */
bool progress_phase(void *user, const char *phase, uint64_t done,
		    uint64_t total);

/* Erases the line. */
void progress_end(struct progress *progress);

#endif
