/* SPDX-License-Identifier: MIT */
/*
 * model.h - the dump that is browsed, and what was found out about it.
 *
 * One pass over the dump is enough to begin with. What takes longer is a part:
 * the worker makes it when it is asked for, and then it stays.
 */
#ifndef TOOLS_BROWSE_MODEL_H
#define TOOLS_BROWSE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <hprof.h>

#include "tools/browse/worker.h"
#include "tools/common/input.h"

enum model_part {
	PART_NONE,  /* what one pass knows */
	PART_GRAPH, /* the graph, and what classes, packages, loaders retain */
	PART_LOCALS,
	PART_LEAKS, /* and resources */
	PART_WASTE,
	PART_NATIVE,
	PART_SITES,
	PARTS
};

struct model;
struct marks; /* marks.h */

/* What a part consists of. They live as long as the model. */
struct model_tables {
	const char *path;
	struct hprof_heap *heap;
	const struct hprof_summary *summary;
	struct hprof_loader_table *loaders; /* NULL: not known */
	struct hprof_thread_table *threads; /* likewise */
	struct hprof_property_table *properties;
	struct hprof_profile_table *profile;
	/* These only if their part is ready. */
	struct hprof_graph *graph;
	struct hprof_retained_table *retained;
	struct hprof_thread_locals_table *locals;
	struct hprof_leak_table *leaks;
	struct hprof_resource_table *resources; /* NULL: not known */
	struct hprof_waste_table *waste;
	struct hprof_native_table *native;
	struct hprof_allocation_table *sites;
	struct marks *marks; /* the user's: of the screen's thread alone */
};

/* Takes HEAP. The other arguments must outlive it. */
struct model *model_new(const char *path, struct hprof_heap *heap,
			const struct input_options *options,
			struct marks *marks);

/*
 * Ends what runs, as soon as it can; nothing else is begun. After that the views
 * can be freed, and the model. False: something runs that cannot be ended soon,
 * so nothing may be freed; the program is to exit.
 */
bool model_end(struct model *model);
void model_free(struct model *model);

/*
 * The worker that makes the rows of views, so that they need not wait for a part
 * that they do not need. Not after the end.
 */
struct worker *model_worker(struct model *model);

/* Is nothing being made? */
bool model_is_idle(struct model *model);
/* Waits until then. */
void model_wait(struct model *model);

/*
 * Gives up the parts that are not there yet, as soon as that is possible. Who
 * asks for one again has it made. False: there was nothing to give up.
 */
bool model_cancel(struct model *model);

/* The tables: those of parts that are not ready must not be looked at. */
const struct model_tables *model_tables(const struct model *model);

/* Has the part made, unless it is there or was asked for. */
void model_ask(struct model *model, enum model_part part);

bool model_is_ready(struct model *model, enum model_part part);

/* Why the part could not be made; NULL: it could, or is not there yet. */
const char *model_failure(struct model *model, enum model_part part);

/*
 * What is being done, as "dominators", and how far it is, in thousandths.
 * False: nothing.
 */
bool model_progress(struct model *model, char phase[40], unsigned *ret_done);

#endif
