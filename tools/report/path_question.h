/* SPDX-License-Identifier: MIT */
/*
 * path_question.h - what hprof-path was asked, and what its reports share.
 */
#ifndef TOOLS_PATH_QUESTION_H
#define TOOLS_PATH_QUESTION_H

#include <stdbool.h>

#include <hprof.h>

#include "tools/common/input.h"
#include "tools/common/json.h"
#include "tools/common/object_selector.h"

struct path_question {
	const char *path;
	const char *text; /* the object or class */
	size_t paths;	  /* to an object */
	bool alike;
	bool top_given;
	uint64_t top; /* lines about a class */
	bool as_json;
	bool quiet;
	struct input_options input;
	struct hprof_heap *heap;
	struct hprof_graph *graph;
	struct object_selector selector;
	struct json json;
};

/* What must hold so that an object of a strength has a path; enum hprof_hold */
extern const unsigned path_holds[HPROF_STRENGTHS];

/*
 * Called when nothing can fail any more, so that the JSON is either complete or
 * missing.
 */
void path_begin_json(struct path_question *q);

/* Returns CLI_TROUBLE. */
int path_print_failure(const struct path_question *q,
		       const struct hprof_error *error);

/*
 * Builds the graph again, so that objects of STRENGTH are reachable. Returns
 * false after a message.
 */
bool path_hold_weaker(struct path_question *q, enum hprof_strength strength);

/* The report about all objects of the selected classes; an exit status. */
int path_report_class(struct path_question *q);

#endif
