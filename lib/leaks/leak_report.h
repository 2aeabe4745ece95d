/* SPDX-License-Identifier: MIT */
/*
 * leak_report.h - what leak_report.c, which makes the table of suspects, and those that
 * it calls share: leak_describe.c, leak_next.c, which adds what is below the threshold,
 * and leak_paths.c, which tells why they are alive.
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
	struct hprof_thread_table *threads;
	struct hp_leak_search search;
	struct hp_leak_crowds crowds;
	struct hprof_leak *crowd_leaks; /* of each, to begin with */
	size_t wanted;			/* paths */
	struct hp_leak_contents kept;
	struct hp_look look;
	struct hp_root_paths paths;
	struct hprof_graph *with_edges; /* if nothing else suffices */
	/* For each suspect of the search: */
	struct hp_members *members; /* of groups */
	struct hp_path_set *sets;
};

/* ---- leak_describe.c ----------------------------------------------------- */

/* What a key of the search stands for. */
const char *hp_leaks_key_name(const struct hp_leaks *l, uint32_t key);
bool hp_leaks_key_is_class(uint32_t key);

/* NODE, which may be HP_NO_NODE. */
enum hprof_status hp_leaks_hold(struct hp_leaks *l, uint32_t node,
				struct hprof_object_info *ret,
				struct hprof_error *error);
/* Sets the items of LEAK, whose point is NODE. */
void hp_leaks_find_items(struct hp_leaks *l, uint32_t node,
			 struct hprof_leak *leak);
/* Sets all that the tree tells of suspect I. */
enum hprof_status hp_leaks_describe(struct hp_leaks *l, size_t i,
				    struct hprof_leak *leak,
				    struct hprof_error *error);
/* Gives LEAK the paths of SET, and what follows from these. */
enum hprof_status hp_leaks_take_paths(struct hp_leaks *l,
				      struct hprof_leak *leak,
				      const struct hp_path_set *set,
				      struct hprof_error *error);

/* ---- leak_next.c --------------------------------------------------------- */

/* Says to what paths are to be found; then, when there are these: the rest. */
void hp_leaks_choose_next(struct hp_leaks *l);
enum hprof_status hp_leaks_describe_next(struct hp_leaks *l,
					 struct hprof_error *error);

/* ---- leak_paths.c -------------------------------------------------------- */

/* Finds the origins of groups, and the paths to all suspects. */
enum hprof_status hp_leaks_explain(struct hp_leaks *l,
				   struct hprof_error *error);

#endif
