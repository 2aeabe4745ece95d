/* SPDX-License-Identifier: MIT */
/*
 * leak_contents.h - what each leak suspect keeps alive, by class.
 */
#ifndef HP_LEAK_CONTENTS_H
#define HP_LEAK_CONTENTS_H

#include "report/retained_sets.h"
#include "leaks/leak_crowds.h"
#include "leaks/leak_search.h"

struct hp_leak_contents {
	const struct hp_look *look;
	const struct hp_leak_search *search;
	const struct hp_leak_crowds *crowds;
	struct hp_begin *begins;       /* of each suspect, then of each crowd */
	struct hp_retained_sets *sets; /* labels are these */
	bool all; /* they are paths, and those of all objects */
	/* To whom the sums of all objects are promised, or NULL. */
	const struct hprof_graph *promised;
	struct hp_class_keys classes;
	struct hp_sum *class_sums;
	uint32_t *copy_key; /* of a class object: its name's key, else 0 */
	struct hp_sum *copy_sums;
};

/*
 * The sums of all objects will be found, too, and left to GRAPH, unless there are too
 * many paths; others who ask for them wait.
 */
void hp_leak_contents_promise(struct hp_leak_contents *kept,
			      const struct hprof_graph *graph);

/*
 * Runs BESIDE meanwhile; not always after a failure. The sums of all objects are found as
 * well if they are promised and the graph has none. LOOK, SEARCH and CROWDS, which are
 * joined, stay the caller's. Free with hp_leak_contents_done in any case.
 */
enum hprof_status hp_leak_contents_find(struct hp_leak_contents *kept,
					const struct hp_look *look,
					const struct hp_leak_search *search,
					const struct hp_leak_crowds *crowds,
					struct hp_beside *beside,
					struct hprof_error *error);
/* Leaves the sums of all objects to the graph. Nothing can be described then. */
void hp_leak_contents_leave(struct hp_leak_contents *kept);
void hp_leak_contents_done(struct hp_leak_contents *kept);

/*
 * Fills in suspect number I, or, behind the last one, a crowd of threads: LEAK's objects, classes, main class, and the class
 * of which it has most copies, if any. The rows are from ARENA.
 */
enum hprof_status hp_leak_contents_describe(const struct hp_leak_contents *kept,
					    size_t i, struct hp_arena *arena,
					    struct hprof_leak *leak,
					    struct hprof_error *error);

#endif
