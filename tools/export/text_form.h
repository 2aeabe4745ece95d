/* SPDX-License-Identifier: MIT */
/*
 * text_form.h - the text that the JDK's hprof agent wrote with format=a.
 */
#ifndef TOOLS_TEXT_FORM_H
#define TOOLS_TEXT_FORM_H

#include <hprof.h>

#include "tools/export/export_heap.h"

struct text_form {
	struct export_job *job;
	struct hprof_output *output;
	enum hprof_status status; /* the first failure of the output */
	struct hprof_names *names;
	bool has_threads; /* the dump has START_THREAD records */
};

/*
 * Writes what FORMAT says. It may have %s for text, which is escaped; %u for a
 * uint64_t and %d for an int64_t in decimal; %x for a uint64_t in hexadecimal;
 * nothing else.
 */
void text_put(struct text_form *text, const char *format, ...);

/* "Fri Nov 20 04:35:19 2026" and a newline: UTC. */
void text_put_time(struct text_form *text, const struct hprof_header *header,
		   uint32_t time_us);

void text_put_frame(struct text_form *text, const struct hprof_stack_frame *f);

/* The sections of the text. */
enum hprof_status text_put_heap(struct text_form *text,
				const struct export_heap *heap,
				struct hprof_error *error);
enum hprof_status text_put_threads(struct text_form *text,
				   const struct export_heap *heap,
				   struct hprof_error *error);
enum hprof_status text_put_profile(struct text_form *text,
				   const struct export_heap *heap,
				   struct hprof_error *error);

#endif
