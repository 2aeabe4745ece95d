/* SPDX-License-Identifier: MIT */
/*
 * json_graph.h - objects, references and paths as JSON, in the same form in
 * every program.
 */
#ifndef TOOLS_JSON_GRAPH_H
#define TOOLS_JSON_GRAPH_H

#include <hprof.h>

#include "tools/common/json.h"

/* An object on one line; null if there is none. */
void json_object_info(struct json *json, const char *key,
		      const struct hprof_object_info *info);

/* The members of such an object; the caller has begun it. */
void json_object_info_members(struct json *json,
			      const struct hprof_object_info *info);

void json_root(struct json *json, const char *key,
	       const struct hprof_path_root *root);

void json_frame(struct json *json, const char *key,
		const struct hprof_stack_frame *frame);

/* One object of a path on a line, with the reference to it if WITH_EDGE. */
void json_step(struct json *json, const struct hprof_path_step *step,
	       bool with_edge);

/* An array of paths. */
void json_paths(struct json *json, const char *key,
		const struct hprof_path *paths, size_t count);

/* The totals of the graph, as member "retention". */
void json_graph_totals(struct json *json,
		       const struct hprof_graph_totals *totals);

#endif
