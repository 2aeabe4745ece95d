/*
 * render.h - the forms in which a report about one dump is printed.
 */
#ifndef TOOLS_RENDER_H
#define TOOLS_RENDER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <hprof.h>

#include "group.h"

struct report {
	const char *path; /* the dump argument */
	const struct hprof_summary *summary;
	const struct group_table *groups;
	uint64_t top; /* rows of the class table; 0: all */
	/* NULL: not asked for, or not to be had. */
	const struct hprof_thread_table *threads;
	const struct hprof_property_table *properties;
	const struct hprof_profile_table *profile;
};

/* Names are cut behind so many characters in text; JSON, CSV have them all. */
#define RENDER_NAME_LIMIT 500

/* For people; each section starts with an empty line, but for the head. */
void render_head(FILE *out, const struct report *report);
void render_totals(FILE *out, const struct report *report);
void render_classes(FILE *out, const struct report *report);
void render_records(FILE *out, const struct report *report);
void render_roots(FILE *out, const struct report *report);
void render_threads(FILE *out, const struct report *report);
void render_properties(FILE *out, const struct report *report);
void render_profile(FILE *out, const struct report *report);

/* For programs. */
void render_json(FILE *out, const struct report *report);
void render_csv(FILE *out, const struct report *report);

/* ---- shared by them ----------------------------------------------------- */

/* Rows of the class table to print. */
size_t render_row_count(const struct report *report);

/* "JNI global"; "other" if TAG is no root. */
const char *render_root_name(unsigned tag);

/* "WAITING (parking)" for the bits of a JVMTI thread state; never NULL. */
const char *render_thread_state(uint32_t status);

/* "\tat pkg.Class.method(File.java:12)" and a newline. */
void render_frame(FILE *out, const struct hprof_stack_frame *frame);

/* The value of property KEY, or NULL. */
const char *render_property(const struct hprof_property_table *properties,
			    const char *key);

#endif
