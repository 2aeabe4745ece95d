/* SPDX-License-Identifier: MIT */
/*
 * show.h - one object or class, for people or as JSON.
 *
 * What is shown is collected once, as rows of text that both forms print.
 */
#ifndef TOOLS_SHOW_H
#define TOOLS_SHOW_H

#include <stdbool.h>

#include <hprof.h>

#include "tools/common/json.h"
#include "tools/common/table.h"
#include "tools/common/object_selector.h"

struct show {
	const char *path;
	struct hprof_heap *heap;
	struct hprof_graph *graph;
	uint64_t top; /* rows of a table; 0: all */
	bool as_json;
	/* For the parts of a report: */
	struct hprof_cursor *cursor;
	struct json json;
};

/* Returns an exit status. */
int show_report(struct show *show, const struct object_selector *selector);

/* ---- parts -------------------------------------------------------------- */

/* A value as a person reads it. */
struct show_value {
	unsigned type;
	uint64_t bits; /* as in struct hprof_field */
	/* Of references: */
	bool dangling;
	struct hprof_object_info object; /* none: null, or dangling */
	char *text; /* of a String, cut short, raw; else NULL: free it */
};

/* What BITS of TYPE stand for. Moves the cursor. */
void show_take_value(const struct show *show, unsigned type, uint64_t bits,
		     struct show_value *ret_value);
void show_value_done(struct show_value *value);

/* "42", "'a'", "java.util.HashMap@0x7f" ...; free it. */
char *show_value_label(const struct show_value *value);

/* As members "value" or "ref", "text" of an object that has been begun. */
void show_value_json(struct json *json, const struct show_value *value);

/* Sections, in order. They move the cursor, but for the first. */
void show_fields(struct show *show, uint64_t object, bool statics);
void show_elements(struct show *show, const struct hprof_object *array);
bool show_referrers(struct show *show, uint64_t object);

/* A line that says what class, at ROW of the summary, the fields below are of. */
void show_declaring(const struct show *show, struct table *table, size_t row);

/* A table's or array's name: "fields:" before, or "fields": [. */
void show_begin(struct show *show, const char *key, const char *title);
void show_end(struct show *show);

/* Rows to show of COUNT. */
uint64_t show_limit(const struct show *show, uint64_t count);
void show_left_out(const struct show *show, uint64_t count, uint64_t shown);

/* A label and its text, or a member. NULL is left out in text. */
void show_line(struct show *show, const char *key, const char *label,
	       const char *text);

#endif
