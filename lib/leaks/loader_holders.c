/* SPDX-License-Identifier: MIT */
/*
 * loader_holders.c - see loader_holders.h.
 *
 * A loader, its classes and their instances keep each other alive, so a path to
 * the loader itself often leads through what it has loaded, which explains
 * nothing. One search for all loaders begins at the roots and at the classes of
 * the JVM's own loaders, and notes the first object of each loader that it
 * meets: what refers to that one holds the loader from outside.
 */
#include "leaks/loader_holders.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "leaks/leak_subject.h"
#include "report/bounded_bfs.h"

enum {
	LOADERS = 300,	 /* that have paths */
	PATH_MOST = 1000 /* steps */
};

/* How a loader was reached. */
struct way {
	uint64_t object; /* HPROF_NO_OBJECT: not reached */
	uint64_t from;	 /* HPROF_NO_OBJECT: it is a root */
	bool wanted;
};

struct search {
	const struct hp_loader_holders *h;
	const struct hp_bounded_bfs *bfs;
	struct way *ways;	     /* of each row */
	struct hp_u64_map by_object; /* loader + 1 -> struct way */
	size_t missing;
};

/* The way of the loader that OBJECT belongs to; NULL: none that is wanted. */
static struct way *way_of(const struct search *s, uint64_t object)
{
	const struct hp_root_paths *paths = s->h->paths;
	const struct hprof_summary *summary =
		hprof_heap_summary(paths->look.heap);
	struct way *way = hp_u64_map_get(&s->by_object, object + 1);
	size_t row =
		hp_kind_row(hp_graph_kind(paths->look.graph, (uint32_t)object));

	if (!way && row < summary->class_count)
		way = &s->ways[s->h->row_of_class[row]];
	return way && way->wanted ? way : NULL;
}

static void reach(struct search *s, uint64_t object, uint64_t from)
{
	struct way *way = way_of(s, object);

	if (!way || way->object != HPROF_NO_OBJECT)
		return;
	way->object = object;
	way->from = from;
	s->missing--;
}

static bool meets(struct hp_bounded_bfs *bfs, uint64_t object, uint64_t from)
{
	struct search *s = bfs->user;

	reach(s, object, from);
	bfs->enough = s->missing == 0;
	return true;
}

/* ---- what is searched for ------------------------------------------------ */

static bool wants(const struct hprof_loader_use *row, bool stopped)
{
	return stopped ? row->state == HPROF_LOADER_STOPPED
		       : row->state == HPROF_LOADER_ALIVE;
}

static enum hprof_status begin(struct search *s)
{
	const struct hp_loader_holders *h = s->h;

	s->ways = hp_calloc(h->count + 1, sizeof *s->ways);
	if (!s->ways || hp_u64_map_init(&s->by_object, 2) != HPROF_OK)
		return HPROF_E_NOMEM;
	for (unsigned round = 0; round < 2; round++)
		for (size_t i = 0; i < h->count && s->missing < LOADERS; i++) {
			if (!wants(&h->rows[i], round == 0))
				continue;
			s->ways[i] = (struct way){ .object = HPROF_NO_OBJECT,
						   .wanted = true };
			s->missing++;
			HP_TRY(hp_u64_map_put(&s->by_object,
					      h->rows[i].loader.object + 1,
					      &s->ways[i]));
		}
	return HPROF_OK;
}

/* Roots come before classes: a root is the better reason, unless it is a stack. */
static void reach_roots(struct search *s)
{
	const struct hprof_heap *heap = s->h->paths->look.heap;
	const struct hprof_heap_root *roots = hprof_heap_roots(heap);

	for (size_t i = 0; i < hprof_heap_root_count(heap); i++)
		if (roots[i].object != HPROF_NO_OBJECT &&
		    roots[i].tag != HPROF_ROOT_STICKY_CLASS &&
		    !hp_root_paths_pass(s->h->paths, roots[i].object))
			reach(s, roots[i].object, HPROF_NO_OBJECT);
}

static void add_system_classes(const struct search *s,
			       struct hp_bounded_bfs *bfs)
{
	const struct hprof_heap *heap = s->h->paths->look.heap;
	const struct hprof_summary *summary = hprof_heap_summary(heap);

	for (size_t i = 0; i < summary->class_count; i++) {
		size_t row = s->h->row_of_class[i];
		uint64_t object =
			hprof_heap_find(heap, summary->class_rows[i].class_id);

		if (object != HPROF_NO_OBJECT &&
		    s->h->rows[row].state == HPROF_LOADER_SYSTEM)
			hp_bounded_bfs_add(bfs, object);
	}
}

/* ---- paths --------------------------------------------------------------- */

static enum hprof_status make_path(const struct search *s, size_t row,
				   struct hprof_error *error)
{
	struct hprof_loader_use *use = &s->h->rows[row];
	const struct way *way = &s->ways[row];
	uint64_t objects[PATH_MOST];
	size_t count = 0;

	objects[count++] = way->object;
	for (uint64_t at = way->from;
	     at != HPROF_NO_OBJECT && count < PATH_MOST;
	     at = hp_bounded_bfs_before(s->bfs, at))
		objects[count++] = at;
	HP_TRY(hp_root_paths_make(s->h->paths, objects, count, &use->path,
				  error));
	use->owner_step = hp_leak_owner_step(&s->h->paths->look, &use->path,
					     use->path.count - 1);
	return HPROF_OK;
}

static enum hprof_status make_paths(const struct search *s,
				    struct hprof_error *error)
{
	for (size_t i = 0; i < s->h->count; i++)
		if (s->ways[i].wanted && s->ways[i].object != HPROF_NO_OBJECT)
			HP_TRY(make_path(s, i, error));
	return HPROF_OK;
}

static enum hprof_status run(struct search *s, struct hprof_error *error)
{
	struct hp_look *look = &s->h->paths->look;
	struct hp_bounded_bfs bfs = { .look = look,
				      .meets = meets,
				      .user = s,
				      .all = true,
				      .shunned = &s->h->paths->shunned,
				      .passing = s->h->paths->passing,
				      .limit = hp_bounded_bfs_most(look) };
	enum hprof_status status = HPROF_OK;

	s->bfs = &bfs;
	if (hp_bounded_bfs_begin(&bfs) != HPROF_OK)
		return hp_no_memory(error);
	reach_roots(s);
	hp_bounded_bfs_add_roots(&bfs, HPROF_NO_OBJECT);
	add_system_classes(s, &bfs);
	if (s->missing)
		status = hp_bounded_bfs_run(&bfs, error);
	if (status == HPROF_OK)
		status = make_paths(s, error);
	hp_bounded_bfs_end(&bfs);
	return status;
}

enum hprof_status hp_loader_holders_find(const struct hp_loader_holders *h,
					 struct hprof_error *error)
{
	struct search s = { .h = h };
	enum hprof_status status =
		begin(&s) == HPROF_OK ? run(&s, error) : hp_no_memory(error);

	if (s.by_object.slots)
		hp_u64_map_done(&s.by_object);
	hp_free(s.ways);
	return status;
}
