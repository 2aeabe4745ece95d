/* SPDX-License-Identifier: MIT */
/*
 * render.h - the forms in which a report about one dump is printed.
 */
#ifndef TOOLS_RENDER_H
#define TOOLS_RENDER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <hprof.h>

#include "tools/report/rollup.h"
#include "tools/common/json.h"
#include "tools/common/shared_names.h"

struct report {
	const char *path; /* the dump argument */
	const struct hprof_summary *summary;
	const struct group_table *groups;
	uint64_t top; /* rows of the class table; 0: all */
	/* NULL: not asked for, or not to be had. */
	const struct hprof_thread_table *threads;
	const struct hprof_property_table *properties;
	const struct hprof_profile_table *profile;
	/* What needs the object graph, likewise. */
	const struct hprof_graph_totals *graph;
	const struct hprof_retained_table *retained;
	const struct hprof_leak_table *leaks;
	const struct hprof_garbage_table *garbage;
	const struct hprof_thread_locals_table *locals;
	const struct shared_names *names; /* with graph */
};

/* For people; each section starts with an empty line, but for the head. */
void render_head(FILE *out, const struct report *report);
void render_totals(FILE *out, const struct report *report);
void render_classes(FILE *out, const struct report *report);
void render_records(FILE *out, const struct report *report);
void render_roots(FILE *out, const struct report *report);
void render_threads(FILE *out, const struct report *report);
void render_properties(FILE *out, const struct report *report);
void render_profile(FILE *out, const struct report *report);
void render_retained(FILE *out, const struct report *report);
void render_leaks(FILE *out, const struct report *report);
void render_garbage(FILE *out, const struct report *report);

/* Time and memory of the graph's phases. */
void render_stats(FILE *out, const struct hprof_graph *graph);

/* For programs. */
void render_json(FILE *out, const struct report *report);
void render_csv(FILE *out, const struct report *report);

/* Parts of it. */
void render_json_graph(struct json *json, const struct report *report);
void render_json_locals(struct json *json,
			const struct hprof_thread_locals *locals);

/* ---- shared by them ----------------------------------------------------- */

/* Rows of the class table to print. */
size_t render_row_count(const struct report *report);

/* "WAITING (parking)" for the bits of a JVMTI thread state; never NULL. */
const char *render_thread_state(uint32_t status);

/* What the thread of that serial number holds, or NULL. */
const struct hprof_thread_locals *
render_find_locals(const struct hprof_thread_locals_table *locals,
		   uint32_t thread_serial);

/*
 * Every line behind INDENT blanks. FIRST was shown before, or is NULL: what
 * is the end of both is not shown again.
 */
void render_path(FILE *out, const struct hprof_path *path,
		 const struct hprof_path *first, unsigned indent);

/* "\tat pkg.Class.method(File.java:12)" and a newline. */
void render_frame(FILE *out, const struct hprof_stack_frame *frame);

/* The value of property KEY, or NULL. */
const char *render_property(const struct hprof_property_table *properties,
			    const char *key);

#endif
