/* SPDX-License-Identifier: MIT */
/*
 * text_profile.h - the sections of profiles: SITES, CPU SAMPLES, CPU TIME (ms),
 * the table of cpu=old, and MONITOR TIME. Rows are printed in the order they
 * are given, which should be that of their costs.
 *
 * A section ends before the first row whose share of the whole is less than the
 * cutoff. The traces that rows name are printed before, by text_put_trace.
 */
#ifndef TEXT_TEXT_PROFILE_H
#define TEXT_TEXT_PROFILE_H

#include "text/text_writer.h"

/* ---- allocations --------------------------------------------------------- */

struct text_site {
	const char *class_name; /* "java.lang.String", "int[]"; or NULL */
	uint32_t trace_serial;
	uint64_t live_bytes, live_objects;
	uint64_t allocated_bytes, allocated_objects;
};

struct text_sites {
	uint64_t time_ms;   /* since 1970 */
	bool by_allocation; /* the order, and what cutoff and shares are of */
	double cutoff;	    /* 0 to 1; always of live bytes, as it always was */
	uint64_t live_bytes, allocated_bytes; /* in all, not only of rows */
	size_t count;
	const struct text_site *rows;
};

void text_put_sites(struct text_writer *w, const struct text_sites *sites);

/* The number of rows that will be printed: whose traces are needed. */
size_t text_sites_shown(const struct text_sites *sites);

/* ---- time ---------------------------------------------------------------- */

/* A method that is on top of a stack; or a monitor. */
struct text_cost {
	uint64_t cost;	/* samples; for times, nanoseconds */
	uint64_t count; /* calls or waits; of samples, their number again */
	uint32_t trace_serial;
	const char *class_name; /* NULL: of the trace nothing is known */
	const char *method;	/* NULL for monitors */
};

struct text_costs {
	uint64_t time_ms; /* since 1970 */
	uint64_t total;	  /* the costs of all rows, not only of these */
	double cutoff;	  /* 0 to 1 */
	size_t count;
	const struct text_cost *rows;
};

void text_put_samples(struct text_writer *w, const struct text_costs *costs);
void text_put_times(struct text_writer *w, const struct text_costs *costs);
/* Class names are those of Java, such as "java.lang.Object". */
void text_put_monitor_times(struct text_writer *w,
			    const struct text_costs *costs);

size_t text_costs_shown(const struct text_costs *costs);

/* ---- cpu=old ------------------------------------------------------------- */

struct text_call {
	uint64_t count, time_ns;
	/* Names and signatures; class_name NULL: not known. */
	struct hprof_stack_frame callee, caller;
};

/* The whole file: there is no prelude, and no thread is named. */
void text_put_calls(struct text_writer *w, const struct text_call *rows,
		    size_t count);

#endif
