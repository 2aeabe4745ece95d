/* SPDX-License-Identifier: MIT */
/*
 * diff_sites.h - where what grew was allocated: the allocation sites of the first
 * and the last dump side by side, if an agent wrote them (heap=all). There is a
 * record of them, or, without one, the stack's number in the record of each object.
 */
#ifndef TOOLS_DIFF_SITES_H
#define TOOLS_DIFF_SITES_H

#include "tools/common/json.h"
#include "tools/diff/diff.h"

/* What is alive of a class that a stack allocated, in the first and last dump. */
struct diff_site {
	char *name; /* of the class, as hprof_diff_name says */
	uint64_t bytes[2], objects[2];
	/* Innermost first; those of the last dump, if it is there. */
	const struct hprof_stack_frame *frames;
	size_t frame_count;
};

/* Those that grew most, of classes in the report that did, too. */
struct diff_sites {
	size_t count; /* 0: none, or the dumps do not say */
	struct diff_site *rows;
	struct hprof_profile_table *profiles[2];
};

/* Ends the program without memory. */
void diff_sites_make(struct diff_sites *sites,
		     const struct diff_report *report);
void diff_sites_done(struct diff_sites *sites);

/* "+3.2 MiB, to 4 MiB; from 10 to 20 objects", of a site that grew. Free it. */
char *diff_site_growth(const struct diff_site *site);

/* Nothing without sites. */
void render_diff_sites(FILE *out, const struct diff_report *report);
void render_diff_sites_json(struct json *json,
			    const struct diff_report *report);

#endif
