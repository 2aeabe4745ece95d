/* SPDX-License-Identifier: MIT */
/*
 * profile.h - what a profile found, as plain rows: the collectors fill it, and
 * it is written as records or as text. Traces are serials of the session's
 * trace table, classes are numbers of its class list.
 */
#ifndef AG_PROFILE_H
#define AG_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Objects of one class that were allocated at one trace. */
struct ag_site_row {
	uint32_t trace, class_number;
	uint64_t live_bytes, live_objects;
	uint64_t bytes, objects; /* allocated, or estimated */
};

struct ag_site_table {
	struct ag_site_row *rows; /* sorted */
	size_t count;		  /* of the rows above the cutoff */
	size_t all;		  /* those below follow */
	double cutoff;
	bool by_allocation; /* the order; else by live bytes */
	bool collected;	    /* garbage was collected first */
	bool incremental;   /* only what has changed since the last one */
	uint64_t interval;  /* bytes; 0: every allocation was seen */
	/* Of all rows, also those that were cut. */
	uint64_t live_bytes, live_objects, bytes, objects;
	uint64_t lost; /* allocations that are in no row */
};

/* The same, and how many collections they lived through. */
enum { AG_LIFE_ROWS = 16 };
struct ag_life_row {
	uint32_t trace, class_number;
	uint64_t objects, bytes;	 /* allocated, or estimated */
	uint64_t survived[AG_LIFE_ROWS]; /* [i]: 2^i collections or more */
	/* Of those that lived through one or more, those that are gone. */
	uint64_t late_garbage;
	uint64_t live_objects, live_bytes;
};

struct ag_life_table {
	struct ag_life_row *rows; /* the most late garbage first */
	size_t count;
	uint64_t interval;    /* bytes; 0: every allocation was seen */
	uint64_t collections; /* so far */
	uint64_t uncertain;   /* objects whose age may be too high */
	uint64_t lost;	      /* allocations that are in no row */
};

/*
 * A trace and what it costs: CPU samples (COST is 0, COUNT are samples), CPU
 * times (COST is in ns), monitors (COST is in ns; CLASS_NUMBER is that of the
 * monitor).
 */
struct ag_cost_row {
	uint32_t trace, class_number;
	uint64_t count, cost;
};

struct ag_cost_table {
	struct ag_cost_row *rows; /* sorted, and cut by the cutoff */
	size_t count;
	double cutoff;
	uint64_t total;	 /* of all rows, also those that were cut */
	uint64_t failed; /* samples without a trace; they are in TOTAL */
};

enum ag_cost_order { AG_BY_COST, AG_BY_COUNT };

/*
 * Sorts the rows, the highest first, and cuts them where the share of the total
 * falls below the cutoff; the total is the sum of what they are sorted by.
 */
void ag_cost_table_order(struct ag_cost_table *table, enum ag_cost_order order);

/* A thread calls Object.wait, or comes back from it. */
struct ag_wait_line {
	uint32_t class_number, thread;
	bool waited; /* it has come back */
	int64_t ms;  /* the timeout, or the time that went by */
};

struct ag_monitor_thread {
	uint32_t serial, trace;
	uint32_t state; /* bits of GetThreadState */
};

struct ag_monitor_state {
	uint32_t class_number;
	uint32_t owner; /* a thread; 0: none that is listed */
	uint32_t entry_count;
	size_t entering_count, waiting_count;
	uint32_t *waiters; /* those that enter, then those that wait */
};

struct ag_monitor_report {
	struct ag_cost_table times; /* of waits, in ns */
	struct ag_wait_line *lines; /* since the last report */
	size_t line_count;
	uint64_t lines_lost;
	/* The moment of the report, if it could be looked at. */
	bool dumped;
	struct ag_monitor_thread *threads;
	size_t thread_count;
	struct ag_monitor_state *monitors;
	size_t monitor_count;
};

struct ag_marks;

struct ag_profile {
	/*
	 * For a dump whose objects carry their traces: lent by the sites.
	 */
	struct ag_marks *marks;
	bool has_sites, has_life, has_samples, has_monitors;
	struct ag_site_table sites;
	struct ag_life_table life;
	struct ag_cost_table samples;
	/* CPU times: a trace's own, and, of cpu=old, with what it called. */
	bool has_times, has_calls;
	struct ag_cost_table times, calls;
	struct ag_monitor_report monitors;
};

/* Frees the rows, by hp_free. */
void ag_profile_done(struct ag_profile *profile);

#endif
