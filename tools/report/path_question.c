/* SPDX-License-Identifier: MIT */
/*
 * path_question.c - see path_question.h.
 */
#include "tools/report/path_question.h"

#include "tools/common/cli.h"

#define SCHEMA 1

const unsigned path_holds[HPROF_STRENGTHS] = {
	[HPROF_STRENGTH_SOFT] = HPROF_HOLD_SOFT,
	[HPROF_STRENGTH_FINALIZER] = HPROF_HOLD_SOFT | HPROF_HOLD_FINAL,
	[HPROF_STRENGTH_WEAK] =
		HPROF_HOLD_SOFT | HPROF_HOLD_FINAL | HPROF_HOLD_WEAK,
	[HPROF_STRENGTH_PHANTOM] = HPROF_HOLD_SOFT | HPROF_HOLD_FINAL |
				   HPROF_HOLD_WEAK | HPROF_HOLD_PHANTOM,
};

void path_begin_json(struct path_question *q)
{
	json_start(&q->json, stdout);
	json_begin_object(&q->json, NULL, JSON_BLOCK);
	json_string(&q->json, "tool", "hprof-path");
	json_number(&q->json, "schema", SCHEMA);
	json_string(&q->json, "file", q->path);
}

int path_print_failure(const struct path_question *q,
		       const struct hprof_error *error)
{
	cli_message("%s: %s", q->path, error->text);
	return CLI_TROUBLE;
}

bool path_hold_weaker(struct path_question *q, enum hprof_strength strength)
{
	hprof_graph_free(q->graph);
	q->input.graph.hold |= path_holds[strength];
	q->graph = input_graph(q->path, q->heap, &q->input);
	return q->graph != NULL;
}
