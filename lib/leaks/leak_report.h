/* SPDX-License-Identifier: MIT */
/*
 * leak_report.h - what leak_report.c, which makes the table of suspects, and
 * leak_paths.c, which tells why they are alive, share.
 */
#ifndef HP_LEAK_REPORT_H
#define HP_LEAK_REPORT_H

#include "hprof/leaks.h"
#include "leaks/backlog.h"
#include "leaks/leak_contents.h"
#include "leaks/leak_crowd_join.h"
#include "leaks/leak_origins.h"
#include "leaks/leak_search.h"
#include "report/root_paths.h"

struct hp_leaks {
	struct hprof_leak_table table;
	struct hp_arena arena;
	struct hp_backlogs backlogs;
	struct hp_leak_search search;
	struct hp_leak_crowds crowds;
	size_t wanted; /* paths */
	struct hp_leak_contents kept;
	struct hp_look look;
	struct hp_root_paths paths;
	struct hprof_graph *with_edges; /* if nothing else suffices */
	/* For each suspect of the search: */
	struct hp_members *members; /* of groups */
	struct hp_path_set *sets;
};

/* Finds the origins of groups, and the paths to all suspects. */
enum hprof_status hp_leaks_explain(struct hp_leaks *l,
				   struct hprof_error *error);

#endif
