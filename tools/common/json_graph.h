/* SPDX-License-Identifier: MIT */
/*
 * json_graph.h - objects, references and paths as JSON, alike in every
 * program.
 */
#ifndef TOOLS_JSON_GRAPH_H
#define TOOLS_JSON_GRAPH_H

#include <hprof.h>

#include "tools/common/json.h"

/* An object on one line, null for none. */
void json_object_info(struct json *json, const char *key,
		      const struct hprof_object_info *info);

/* Its members, into an object that has been begun. */
void json_object_info_members(struct json *json,
			      const struct hprof_object_info *info);

void json_root(struct json *json, const char *key,
	       const struct hprof_path_root *root);

void json_frame(struct json *json, const char *key,
		const struct hprof_stack_frame *frame);

/* One object of a path on a line; WITH_EDGE: and how it is referred to. */
void json_step(struct json *json, const struct hprof_path_step *step,
	       bool with_edge);

/* An array of paths. */
void json_paths(struct json *json, const char *key,
		const struct hprof_path *paths, size_t count);

/* "retention": what the tool and the graph have in common: totals. */
void json_graph_totals(struct json *json,
		       const struct hprof_graph_totals *totals);

/* "jni_global" for the tag of a root. */
const char *json_root_word(unsigned tag, char word[32]);

#endif
