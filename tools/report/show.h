/* SPDX-License-Identifier: MIT */
/*
 * show.h - shows one object or class, as text or JSON.
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
	/* For the parts of a report. */
	struct hprof_cursor *cursor;
	struct hprof_thread_local_names *locals; /* or NULL */
	struct json json;
};

/* Prints the report and returns an exit status. */
int show_report(struct show *show, const struct object_selector *selector);

/* ---- parts -------------------------------------------------------------- */

/* The value of a field or element. */
struct show_value {
	unsigned type;
	uint64_t bits; /* as in struct hprof_field */
	/* For references. */
	bool dangling;
	struct hprof_object_info
		object; /* HPROF_NO_OBJECT if null or dangling */
	/* of a String: its text, cut, not escaped; else NULL. */
	char *text;
	/* of a box, a date and the like: its value, not escaped; or NULL. */
	char *plain;
	unsigned
		boxed; /* the type of the number in a box; 0: it is no number */
	uint64_t boxed_bits;
	bool is_collection;
	struct hprof_collection collection;
};

/*
 * The value that BITS of TYPE stand for. Moves the cursor. Free it with
 * show_value_done.
 */
void show_take_value(const struct show *show, unsigned type, uint64_t bits,
		     struct show_value *ret_value);
void show_value_done(struct show_value *value);

/*
 * The value as text: "42", "'a'", "java.util.HashMap@0x7f (3 entries)". Of what
 * stands for a value, show_value_brief has that alone. Free the text.
 */
char *show_value_label(const struct show_value *value);
char *show_value_brief(const struct show_value *value);

/*
 * Prints it as "value", or as "ref" with "text", "value" or "collection", into
 * an object that the caller has begun.
 */
void show_value_json(struct json *json, const struct show_value *value);
/* The parts behind "ref" alone. */
void show_meaning_json(struct json *json, const struct show_value *value);

/* "3 entries", "1 element"; of a size that is not known "entries". Free it. */
char *show_size_label(const struct hprof_collection *collection);

/* For JSON: "map", "list" ... A constant. */
const char *show_collection_word(enum hprof_collection_kind kind);

/* The sections of a report, in order. All but the first move the cursor. */
void show_meaning(struct show *show, uint64_t object);
void show_entries(struct show *show, uint64_t object);
void show_fields(struct show *show, uint64_t object, bool statics);
void show_elements(struct show *show, const struct hprof_object *array);
bool show_referrers(struct show *show, uint64_t object);

/*
 * A line that names the class at ROW of the summary, which declares the fields
 * that follow.
 */
void show_declaring(const struct show *show, struct table *table, size_t row);

/* Prints what precedes a table or array: "fields:", or "fields": [. */
void show_begin(struct show *show, const char *key, const char *title);
void show_end(struct show *show);

/*
 * Finds how FROM refers to TO: by the first such reference, but by the one to
 * its class only if there is no other. LOOKS counts references. Moves the
 * cursor.
 */
bool show_find_edge(const struct show *show, uint64_t from, uint64_t to,
		    struct hprof_edge *ret_edge, uint64_t *looks);

/* ".table", "[3]", ".referent (soft)" of an instance of the class; free it. */
char *show_edge_label(const struct show *show, size_t class_row,
		      const struct hprof_edge *edge);

/* How many of COUNT rows to show. */
uint64_t show_limit(const struct show *show, uint64_t count);
void show_left_out(const struct show *show, uint64_t count, uint64_t shown);

/*
 * Prints a label and TEXT, or a member of JSON. NULL prints no line in text.
 * show_text prints what is of the program: in one line, never shortened.
 */
void show_text(struct show *show, const char *key, const char *label,
	       const char *text);
void show_line(struct show *show, const char *key, const char *label,
	       const char *text);

#endif
