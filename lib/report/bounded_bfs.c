/* SPDX-License-Identifier: MIT */
/*
 * bounded_bfs.c - see bounded_bfs.h.
 */
#include "report/bounded_bfs.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"

enum {
	OBJECTS = 1 << 16,
	PART = 8,	 /* this fraction of all objects, if more */
	EDGES_EACH = 16, /* references allowed for each object of the limit */
	SEEN_EACH = 4,	 /* objects met but not visited */
	SHUN_MOST = 1 << 16 /* visits after which nothing is put off */
};

/* A shunned reference. */
struct hp_put_off {
	uint64_t object;
	const struct hp_step *from;
};

uint64_t hp_bounded_bfs_most(const struct hp_look *look)
{
	uint64_t part = look->graph->edges.count / PART;

	return part > OBJECTS ? part : OBJECTS;
}

void hp_bounded_bfs_note(bool found, uint64_t *limit)
{
	if (!found && *limit > 1)
		*limit /= 2;
}

enum hprof_status hp_bounded_bfs_begin(struct hp_bounded_bfs *s)
{
	return hp_u64_map_init(&s->seen, 2);
}

void hp_bounded_bfs_end(struct hp_bounded_bfs *s)
{
	hp_u64_map_done(&s->seen);
	hp_arena_done(&s->arena);
	hp_free(s->put_off);
	hp_free(s->level.items);
	hp_free(s->next.items);
}

static void add(struct hp_bounded_bfs *s, uint64_t object,
		const struct hp_step *before)
{
	struct hp_step *step;

	if (hp_u64_map_get(&s->seen, object + 1))
		return;
	step = hp_arena_take(&s->arena, sizeof *step);
	if (!step || hp_u64_map_put(&s->seen, object + 1, step) != HPROF_OK ||
	    hp_grow((void **)&s->next.items, &s->next.room, s->next.count,
		    sizeof(struct hp_step *)) != HPROF_OK) {
		s->no_memory = true;
		return;
	}
	*step = (struct hp_step){ object, before };
	s->next.items[s->next.count++] = step;
}

void hp_bounded_bfs_add(struct hp_bounded_bfs *s, uint64_t object)
{
	add(s, object, NULL);
}

void hp_bounded_bfs_add_roots(struct hp_bounded_bfs *s, uint64_t except)
{
	const struct hp_edges *e = &s->look->graph->edges;

	for (uint64_t i = 0; i < hp_bit_words(e->count); i++)
		for (uint64_t w = e->roots[i]; w; w &= w - 1) {
			uint64_t root = i << 6 | hp_bit_lowest(w);

			if (root != except)
				add(s, root, NULL);
		}
}

/* ---- the search ---------------------------------------------------------- */

static void come_to(struct hp_bounded_bfs *s, uint64_t object,
		    const struct hp_step *from)
{
	const struct hprof_graph *graph = s->look->graph;

	if (s->meets(s, object, from) &&
	    (!s->inside ||
	     hprof_graph_dominator(graph, object) != HPROF_NO_OBJECT))
		add(s, object, from);
}

static bool is_over(const struct hp_bounded_bfs *s)
{
	return s->objects >= s->limit || s->edges / EDGES_EACH >= s->limit ||
	       s->seen.count / SEEN_EACH >= s->limit || s->no_memory;
}

static void put_off(struct hp_bounded_bfs *s, uint64_t object,
		    const struct hp_step *from)
{
	if (hp_u64_map_get(&s->seen, object + 1))
		return;
	if (hp_grow((void **)&s->put_off, &s->put_off_room, s->put_off_count,
		    sizeof *s->put_off) != HPROF_OK)
		s->no_memory = true;
	else
		s->put_off[s->put_off_count++] =
			(struct hp_put_off){ object, from };
}

static bool may_shun(const struct hp_bounded_bfs *s)
{
	return s->shunned && s->objects < s->limit / 2 &&
	       s->objects < SHUN_MOST;
}

static bool shuns(const struct hp_bounded_bfs *s,
		  const struct hprof_object *from,
		  const struct hprof_edge *edge)
{
	return may_shun(s) && hp_shunned_edges_has(s->shunned, from, edge);
}

static enum hprof_status look_at(struct hp_bounded_bfs *s,
				 const struct hp_step *from,
				 struct hprof_error *error)
{
	struct hprof_object object;
	struct hprof_edge edge;
	enum hprof_status status =
		hprof_cursor_seek(s->look->cursor, from->object, &object);

	s->objects++;
	for (uint64_t i = 0; status == HPROF_OK && !is_over(s); i++) {
		status = hprof_cursor_edge(s->look->cursor, i, &edge);
		s->edges++;
		if (status != HPROF_OK || edge.to == HPROF_NO_OBJECT ||
		    !hp_edge_holds(s->look, &edge))
			continue;
		if (shuns(s, &object, &edge))
			put_off(s, edge.to, from);
		else
			come_to(s, edge.to, from);
	}
	return status < 0 ? hp_look_failure(s->look, error) : HPROF_OK;
}

static int compare_steps(const void *left, const void *right)
{
	const struct hp_step *a = *(struct hp_step *const *)left;
	const struct hp_step *b = *(struct hp_step *const *)right;

	return a->object < b->object ? -1 : a->object > b->object;
}

static void next_level(struct hp_bounded_bfs *s)
{
	struct hp_steps done = s->level;

	s->level = s->next;
	s->next = done;
	s->next.count = 0;
	if (s->level.count)
		qsort(s->level.items, s->level.count, sizeof(struct hp_step *),
		      compare_steps);
}

/* Follows what was put off if nothing else is left, or it is time to. */
static void catch_up(struct hp_bounded_bfs *s)
{
	if (s->next.count && may_shun(s))
		return;
	for (size_t i = 0; i < s->put_off_count; i++)
		if (!hp_u64_map_get(&s->seen, s->put_off[i].object + 1))
			come_to(s, s->put_off[i].object, s->put_off[i].from);
	s->put_off_count = 0;
}

enum hprof_status hp_bounded_bfs_run(struct hp_bounded_bfs *s,
				     struct hprof_error *error)
{
	do {
		catch_up(s);
		if (s->enough)
			break;
		next_level(s);
		for (size_t i = 0; i < s->level.count && !is_over(s); i++)
			HP_TRY(look_at(s, s->level.items[i], error));
	} while (!s->enough && !is_over(s) &&
		 (s->next.count || s->put_off_count));
	return s->no_memory ? hp_no_memory(error) : HPROF_OK;
}
