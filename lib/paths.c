/*
 * paths.c - hprof_paths_read: why an object is alive.
 *
 * The first path is the shortest one. Another one leaves it at the object
 * itself, or at one before it, by another referrer, and goes from there to a
 * root by the shortest way that comes by none of the objects behind.
 */
#include "paths.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "mem.h"
#include "options.h"

enum {
	COUNT_MAX = 1000,
	STEPS_MAX = 2000,     /* of a path; the middle is left out beyond */
	BRANCHES = 16,	      /* objects from the end where others may leave */
	REFERRERS_MAX = 4096, /* looked at, of an object */
	DETOUR_MAX = 1 << 16  /* longer ones are not worth showing */
};

/* A path in the making: up the ways from START, then down the first path. */
struct candidate {
	uint64_t start;
	size_t tail; /* objects of the first path behind start; 0: all of it */
	uint64_t length;
};

struct search {
	struct hp_paths *paths;
	uint64_t tail[BRANCHES]; /* the object, the one before it, ... */
	size_t tail_count;
	struct candidate *found;
	size_t found_count, found_room;
	/* Of the referrers of one object: */
	uint64_t expected; /* the one on the first path */
	size_t at;	   /* of the object in tail */
	size_t seen;
	bool no_memory;
};

enum hprof_status hp_paths_init(struct hp_paths *p,
				const struct hprof_heap *heap,
				const struct hprof_graph *graph,
				struct hp_arena *arena,
				struct hprof_error *error)
{
	*p = (struct hp_paths){ .look = { heap, graph, NULL }, .arena = arena };
	HP_TRY(hprof_cursor_new(heap, &p->look.cursor, error));
	HP_TRY(hp_rootinfo_init(&p->roots, &p->look, arena, error));
	return hprof_graph_ways(graph, &p->ways, error);
}

void hp_paths_done(struct hp_paths *p)
{
	hprof_ways_free(p->ways);
	if (p->roots.look)
		hp_rootinfo_done(&p->roots);
	hprof_cursor_free(p->look.cursor);
	*p = (struct hp_paths){ .ways = NULL };
}

/* ---- references ------------------------------------------------------------- */

/* Fields say more than what every object has; strong more than weak. */
static unsigned edge_rank(enum hprof_edge_kind kind)
{
	switch (kind) {
	case HPROF_EDGE_FIELD:
	case HPROF_EDGE_ELEMENT:
	case HPROF_EDGE_STATIC:
		return 0;
	case HPROF_EDGE_REFERENT:
		return 2;
	default:
		return 1;
	}
}

static enum hprof_status from_array(const struct hp_look *look,
				    const struct hprof_object *array,
				    uint64_t to, struct hprof_edge *ret)
{
	const struct hprof_summary *summary = hprof_heap_summary(look->heap);
	size_t row = array->class_row;

	*ret = (struct hprof_edge){ .kind = HPROF_EDGE_ELEMENT,
				    .from = array->index,
				    .to = to };
	if (row < summary->class_count &&
	    hprof_heap_find(look->heap, summary->class_rows[row].class_id) ==
		    to)
		ret->kind = HPROF_EDGE_CLASS;
	return HPROF_OK;
}

enum hprof_status hp_paths_edge(const struct hp_look *look, uint64_t from,
				uint64_t to, bool numbered, bool *ret_found,
				struct hprof_edge *ret,
				struct hprof_error *error)
{
	struct hprof_object object;
	struct hprof_edge edge;
	enum hprof_status status = hprof_cursor_go(look->cursor, from, &object);
	unsigned best = 3;

	if (status == HPROF_OK && !numbered &&
	    object.kind == HPROF_OBJECT_OBJ_ARRAY) {
		*ret_found = true;
		return from_array(look, &object, to, ret);
	}
	for (uint64_t i = 0; status == HPROF_OK && best; i++) {
		status = hprof_cursor_edge(look->cursor, i, &edge);
		if (status != HPROF_OK || edge.to != to ||
		    edge_rank(edge.kind) >= best)
			continue;
		best = edge_rank(edge.kind);
		*ret = edge;
	}
	*ret_found = best < 3;
	if (status < 0 && error)
		*error = *hprof_cursor_error(look->cursor);
	return status < 0 ? status : HPROF_OK;
}

/* The class that declares field NAME which holds the object with that id. */
static const char *declaring_class(const struct hp_look *look,
				   const struct hprof_edge *edge)
{
	struct hprof_object object;
	struct hprof_field field;

	if (!edge->name ||
	    hprof_cursor_go(look->cursor, edge->from, &object) != HPROF_OK)
		return NULL;
	for (size_t i = 0;
	     hprof_cursor_field(look->cursor, i, &field) == HPROF_OK; i++)
		if (field.type == HPROF_TYPE_OBJECT &&
		    field.value == edge->to_id &&
		    !strcmp(field.name, edge->name))
			return hp_class_name(look->heap, field.class_row);
	return NULL;
}

/* ---- candidates ------------------------------------------------------------- */

static uint64_t before(const struct hp_paths *p, uint64_t object)
{
	return hprof_ways_before(p->ways, object);
}

/* The way of OBJECT must not come by what is behind it on the new path. */
static bool is_clear(const struct search *s, uint64_t object)
{
	uint64_t length = hprof_ways_length(s->paths->ways, object);

	for (size_t i = 0; i <= s->at; i++) {
		uint64_t behind = s->tail[i], at = object, steps = length;
		uint64_t least = hprof_ways_length(s->paths->ways, behind);

		if (length > least && length - least > DETOUR_MAX)
			return false;
		while (steps > least) {
			at = before(s->paths, at);
			steps--;
		}
		if (at == behind)
			return false;
	}
	return true;
}

static bool add_candidate(struct search *s, uint64_t start, size_t tail)
{
	if (hp_grow((void **)&s->found, &s->found_room, s->found_count,
		    sizeof *s->found) != 0) {
		s->no_memory = true;
		return false;
	}
	s->found[s->found_count++] = (struct candidate){
		start, tail, hprof_ways_length(s->paths->ways, start) + tail
	};
	return true;
}

static bool take_referrer(void *user, uint64_t referrer)
{
	struct search *s = user;

	if (s->seen++ == REFERRERS_MAX)
		return false;
	if (referrer == s->expected ||
	    hprof_ways_length(s->paths->ways, referrer) == UINT64_MAX ||
	    !is_clear(s, referrer))
		return true;
	return add_candidate(s, referrer, s->at + 1);
}

static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	if (a->tail != b->tail)
		return a->tail < b->tail ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

/* An object that has a root and a referrer besides: its root is one way. */
static enum hprof_status find_others(struct search *s, size_t count,
				     struct hprof_error *error)
{
	for (s->at = 0; s->at < s->tail_count; s->at++) {
		if (s->found_count >= count && s->at)
			break;
		s->expected = before(s->paths, s->tail[s->at]);
		s->seen = 0;
		HP_TRY(hprof_graph_referrers(s->paths->look.graph,
					     s->tail[s->at], take_referrer, s,
					     error));
		if (s->no_memory)
			return hp_no_memory(error);
	}
	if (s->found_count > 1)
		qsort(s->found + 1, s->found_count - 1, sizeof *s->found,
		      compare_candidates);
	return HPROF_OK;
}

/* ---- from candidates to paths ----------------------------------------------- */

static enum hprof_status fill_step(struct hp_paths *p, uint64_t from,
				   uint64_t object, struct hprof_path_step *to,
				   struct hprof_error *error)
{
	struct hprof_edge edge;
	bool found = false;

	*to = (struct hprof_path_step){ .edge = HPROF_EDGE_FIELD };
	HP_TRY(hp_held_get(&p->look, object, &to->held, error));
	if (from == HPROF_NO_OBJECT)
		return HPROF_OK;
	HP_TRY(hp_paths_edge(&p->look, from, object, true, &found, &edge,
			     error));
	if (!found)
		return HPROF_OK;
	to->edge = edge.kind;
	to->field = edge.name;
	to->number = edge.number;
	to->weak = edge.kind == HPROF_EDGE_REFERENT;
	to->field_class = declaring_class(&p->look, &edge);
	return HPROF_OK;
}

/* Object number I of the path, from its end. */
static uint64_t object_at(const struct search *s, const struct candidate *c,
			  uint64_t i, uint64_t *at, uint64_t *at_index)
{
	if (i < c->tail)
		return s->tail[i];
	if (*at_index == UINT64_MAX) {
		*at = c->start;
		*at_index = c->tail;
	}
	while (*at_index < i) {
		*at = before(s->paths, *at);
		++*at_index;
	}
	return *at;
}

static enum hprof_status fill_steps(const struct search *s,
				    const struct candidate *c,
				    struct hprof_path *path,
				    struct hprof_error *error)
{
	uint64_t count = c->length + 1, at = 0, at_index = UINT64_MAX;
	size_t kept = path->count, i = kept;

	for (uint64_t n = 0; n < count; n++) {
		uint64_t object, from;

		if (path->left_out && n == kept - path->gap)
			n += path->left_out;
		object = object_at(s, c, n, &at, &at_index);
		from = n + 1 < count ? object_at(s, c, n + 1, &at, &at_index)
				     : HPROF_NO_OBJECT;
		HP_TRY(fill_step(s->paths, from, object, &path->steps[--i],
				 error));
	}
	return hp_rootinfo_get(&s->paths->roots, path->steps[0].held.object,
			       &path->root, error);
}

static enum hprof_status make_path(const struct search *s,
				   const struct candidate *c,
				   struct hprof_path *path,
				   struct hprof_error *error)
{
	uint64_t count = c->length + 1;

	*path = (struct hprof_path){ .count = (size_t)count };
	if (count > STEPS_MAX) {
		path->count = STEPS_MAX;
		path->gap = STEPS_MAX / 2;
		path->left_out = count - STEPS_MAX;
	}
	path->steps = hp_arena_take(s->paths->arena,
				    path->count * sizeof *path->steps);
	if (!path->steps)
		return hp_no_memory(error);
	return fill_steps(s, c, path, error);
}

static enum hprof_status make_paths(const struct search *s, size_t count,
				    struct hprof_path **ret_paths,
				    size_t *ret_count,
				    struct hprof_error *error)
{
	struct hprof_path *paths;

	if (count > s->found_count)
		count = s->found_count;
	paths = hp_arena_take(s->paths->arena, count * sizeof *paths);
	if (!paths)
		return hp_no_memory(error);
	for (size_t i = 0; i < count; i++)
		HP_TRY(make_path(s, &s->found[i], &paths[i], error));
	*ret_paths = paths;
	*ret_count = count;
	return HPROF_OK;
}

enum hprof_status hp_paths_find(struct hp_paths *p, uint64_t object,
				size_t count, struct hprof_path **ret_paths,
				size_t *ret_count, struct hprof_error *error)
{
	struct search s = { .paths = p };
	enum hprof_status status = HPROF_OK;

	*ret_paths = NULL;
	*ret_count = 0;
	if (hprof_ways_length(p->ways, object) == UINT64_MAX || !count)
		return HPROF_OK;
	for (uint64_t at = object;
	     at != HPROF_NO_OBJECT && s.tail_count < BRANCHES;
	     at = before(p, at))
		s.tail[s.tail_count++] = at;
	if (!add_candidate(&s, object, 0))
		status = hp_no_memory(error);
	if (status == HPROF_OK && count > 1)
		status = find_others(&s, count, error);
	if (status == HPROF_OK)
		status = make_paths(&s, count, ret_paths, ret_count, error);
	hp_free(s.found);
	return status;
}

/* ---- the table -------------------------------------------------------------- */

struct table {
	struct hprof_path_table table;
	struct hp_arena arena;
};

enum hprof_status hprof_paths_read(const struct hprof_heap *heap,
				   const struct hprof_graph *graph,
				   uint64_t object,
				   const struct hprof_path_options *given,
				   struct hprof_path_table **ret_table,
				   struct hprof_error *ret_error)
{
	struct hprof_path_options options;
	struct hp_paths paths;
	enum hprof_status status;
	struct table *t;

	if (!heap || !graph || !ret_table || object >= hprof_heap_count(heap) ||
	    !hp_options_take(given, &options, sizeof options) ||
	    options.count > COUNT_MAX)
		return hp_wrong_arguments(ret_error);
	t = hp_calloc(1, sizeof *t);
	if (!t)
		return hp_no_memory(ret_error);
	t->table.impl = t;
	status = hp_paths_init(&paths, heap, graph, &t->arena, ret_error);
	if (status == HPROF_OK)
		status = hp_paths_find(
			&paths, object, options.count ? options.count : 1,
			&t->table.paths, &t->table.count, ret_error);
	hp_paths_done(&paths);
	if (status < 0) {
		hprof_path_table_free(&t->table);
		return status;
	}
	*ret_table = &t->table;
	return HPROF_OK;
}

void hprof_path_table_free(struct hprof_path_table *table)
{
	struct table *t = table ? table->impl : NULL;

	if (!t)
		return;
	hp_arena_done(&t->arena);
	hp_free(t);
}
