/* SPDX-License-Identifier: MIT */
/*
 * waits.h - which threads wait for monitors, and since when. Independent of the
 * JVM. Any function by any thread at any time.
 *
 * A thread has a number of its own: virtual threads leave their carriers while
 * they wait, so variables of a thread would mix them up.
 */
#ifndef AG_WAITS_H
#define AG_WAITS_H

#include <stdbool.h>
#include <stdint.h>

struct ag_waits;

struct ag_waits *ag_waits_new(void);	    /* NULL without memory */
void ag_waits_free(struct ag_waits *waits); /* NULL is fine */

/* What a thread waits for; it does one of each at a time. */
enum ag_wait {
	AG_WAIT_ENTER, /* for a monitor that another thread has */
	AG_WAIT_NOTIFY /* Object.wait */
};

/*
 * A thread begins to wait; KEPT, any number, is what its end is told. A wait of
 * it that has not ended is forgotten.
 */
void ag_waits_begin(struct ag_waits *waits, enum ag_wait what, uint64_t thread,
		    uint64_t kept, uint64_t now_ns);

/*
 * It has ended. False if it is not known to have begun: JVMs tell of virtual
 * threads' ends without beginnings. Sets *RET_NS to the time.
 */
bool ag_waits_end(struct ag_waits *waits, enum ag_wait what, uint64_t thread,
		  uint64_t now_ns, uint64_t *ret_ns, uint64_t *ret_kept);

/* Nobody waits: ends are told no more, or beginnings were not. */
void ag_waits_clear(struct ag_waits *waits);

/* Beginnings for which there was no memory. */
uint64_t ag_waits_lost(struct ag_waits *waits);

#endif
