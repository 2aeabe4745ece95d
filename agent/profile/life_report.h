/* SPDX-License-Identifier: MIT */
/* life_report.h - the table of heap=life as text and as JSON. */
#ifndef AG_LIFE_REPORT_H
#define AG_LIFE_REPORT_H

#include "agent/profile/profile.h"
#include "text/text_writer.h"

/* How numbers get names. What is returned is valid until the report ends. */
struct ag_life_names {
	const char *(*class_name)(void *user, uint32_t number); /* or NULL */
	/* All NULL if the trace is not so deep. */
	struct hprof_stack_frame (*frame)(void *user, uint32_t trace,
					  uint32_t depth);
	void *user;
};

void ag_life_put_text(struct text_writer *w, const struct ag_life_table *table,
		      const struct ag_life_names *names, uint64_t time_ms);
void ag_life_put_json(struct text_writer *w, const struct ag_life_table *table,
		      const struct ag_life_names *names);

#endif
