/* SPDX-License-Identifier: MIT */
/*
 * beside.c - what is done in another thread while the graph is being built, of
 * which some parts are for one thread; or later, if nobody has begun with it.
 *
 * While nodes are numbered: contents are sorted, which needs nothing of the graph. While
 * retained sizes are summed up: what is not reachable is left out, and of several
 * referrers one is chosen.
 */
#include "base/error.h"
#include "waste/waste.h"

static void sort_contents(void *user)
{
	struct hp_waste *w = user;

	hp_content_sort(w->contents.at, w->content_count);
	w->content_listed =
		hp_content_list_runs(w->contents.at, w->content_count);
	/* The memory that is not needed any more goes back at once. */
	hp_mapped_table_drop(&w->contents, w->content_listed * sizeof(uint32_t),
			     w->content_count * sizeof(struct hp_content));
}

void hp_waste_plan_beside(struct hp_waste *w)
{
	w->sorting = (struct hp_job){ .run = sort_contents, .user = w };
}

void hp_waste_beside(struct hp_waste *w)
{
	if (w->thread_count > 1)
		hp_job_begin(&w->sorting);
}

/* Leaves what is reachable in the lists, and of who refers to what. */
static enum hprof_status take_reachable(struct hp_waste *w)
{
	hp_job_end(&w->sorting);
	hp_mapped_table_cut(&w->tables, &w->contents,
			    w->content_listed * sizeof(uint32_t));
	hp_waste_drop_garbage(w);
	HP_TRY(hp_referrers_take_offers(w));
	hp_referrers_take_statics(w);
	HP_TRY(hp_waste_sort_arrays(w));
	return hp_waste_place_lists(w);
}

static void reach(void *user)
{
	struct hp_waste *w = user;

	w->reached_status = take_reachable(w);
	w->reached = true;
}

void hp_waste_reached(struct hp_waste *w, const struct hprof_graph *graph)
{
	if (w->thread_count <= 1)
		return;
	w->graph = graph;
	w->table.live_objects = graph->sizes.reachable_count;
	/* Whoever builds the graph has the other one. */
	w->error = &w->reached_error;
	w->reaching = (struct hp_job){ .run = reach, .user = w };
	hp_job_begin(&w->reaching);
}

void hp_waste_beside_end(struct hp_waste *w)
{
	hp_job_leave(&w->reaching);
}

enum hprof_status hp_waste_take_reachable(struct hp_waste *w)
{
	if (!w->reached)
		return take_reachable(w);
	if (w->reached_status < 0)
		*w->error = w->reached_error;
	return w->reached_status;
}

void hp_waste_beside_leave(struct hp_waste *w)
{
	hp_job_leave(&w->reaching);
	hp_job_leave(&w->sorting);
}
