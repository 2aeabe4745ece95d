/* SPDX-License-Identifier: MIT */
/*
 * bounded_bfs.c - see bounded_bfs.h.
 */
#include "report/bounded_bfs.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/sort_numbers.h"
#include "graph/graph.h"
#include "graph/kept_references.h"

enum {
	OBJECTS = 1 << 16,
	PART = 8,	 /* this fraction of all objects, if more */
	EDGES_EACH = 16, /* references allowed for each object of the limit */
	SEEN_EACH = 4,	 /* objects met but not visited */
	SHUN_MOST = 1 << 16,   /* visits after which nothing is put off */
	LARGE_LEAST = 1 << 10, /* objects of a level that is sorted by bits */
	SEVERAL = 8	       /* that are needed and probably out of reach */
};

/* A shunned reference. */
struct hp_put_off {
	uint64_t object, from;
};

uint64_t hp_bounded_bfs_most(const struct hp_look *look)
{
	uint64_t part = look->graph->edges.count / PART;

	return part > OBJECTS ? part : OBJECTS;
}

void hp_bounded_bfs_note(const struct hp_bounded_bfs *s, bool found,
			 uint64_t *limit)
{
	if (!found && *limit > 1)
		*limit -= s->refused ? s->objects / 8 : *limit / 2;
}

/*
 * Most searches touch little of these tables. What comes before an object may be
 * anything as long as it is not seen. Without a limit that takes memory that the graph
 * has left; with one, what is not touched is never mapped.
 */
enum hprof_status hp_bounded_bfs_begin(struct hp_bounded_bfs *s)
{
	const bool limited = s->look->graph->build.tables.limit;
	const uint64_t count = s->look->graph->edges.count;
	struct hprof_error ignored;
	enum hprof_status status;

	s->seen = hp_calloc(hp_bit_words(count), sizeof *s->seen);
	if (!s->seen)
		return HPROF_E_NOMEM;
	hp_graph_begin_tables(s->look->graph, &s->tables, 0);
	status = hp_mapped_table_make(
		&s->tables, &s->before_table, count + 1, sizeof *s->before,
		limited ? HP_MAPPED_TABLE_PARTS : HP_MAPPED_TABLE_RAW,
		&ignored);
	s->before = s->before_table.at;
	/* Not everybody ends a search that has not begun. */
	if (status != HPROF_OK) {
		hp_free(s->seen);
		s->seen = NULL;
	}
	return status;
}

void hp_bounded_bfs_end(struct hp_bounded_bfs *s)
{
	hp_free(s->seen);
	hp_mapped_table_free(&s->tables, &s->before_table);
	/* What was lent stays for the next search. */
	if (!s->tables.lender)
		hp_mapped_tables_release(&s->tables);
	hp_free(s->put_off);
	hp_free(s->level.items);
	hp_free(s->next.items);
}

bool hp_bounded_bfs_has(const struct hp_bounded_bfs *s, uint64_t object)
{
	return hp_bit(s->seen, object);
}

static bool is_left_out(const struct hp_bounded_bfs *s, uint64_t object)
{
	return !s->all && hp_graph_leaves_out(s->look->graph, object);
}

uint64_t hp_bounded_bfs_before(const struct hp_bounded_bfs *s, uint64_t object)
{
	if (is_left_out(s, object))
		return hprof_graph_dominator(s->look->graph, object);
	return hp_bit(s->seen, object) && s->before[object]
		       ? s->before[object] - 1
		       : HPROF_NO_OBJECT;
}

static inline void add(struct hp_bounded_bfs *s, uint64_t object,
		       uint32_t before)
{
	if (hp_bit(s->seen, object))
		return;
	if (hp_grow((void **)&s->next.items, &s->next.room, s->next.count,
		    sizeof *s->next.items) != HPROF_OK) {
		s->no_memory = true;
		return;
	}
	hp_bit_set(s->seen, object);
	s->before[object] = before;
	s->seen_count++;
	s->next.items[s->next.count++] = (uint32_t)object;
}

void hp_bounded_bfs_add(struct hp_bounded_bfs *s, uint64_t object)
{
	if (!is_left_out(s, object))
		add(s, object, 0);
}

/* Adds the roots of PASSING, or all others. */
static void add_roots(struct hp_bounded_bfs *s, bool passing)
{
	const struct hp_edges *e = &s->look->graph->edges;

	for (uint64_t i = 0; i < hp_bit_words(e->count); i++) {
		uint64_t late = s->passing ? s->passing[i] : 0;

		for (uint64_t w = e->roots[i] & (passing ? late : ~late); w;
		     w &= w - 1) {
			uint64_t root = i << 6 | hp_bit_lowest(w);

			if (root == s->except || hp_bit(s->seen, root))
				continue;
			if (!passing || s->meets(s, root, HPROF_NO_OBJECT))
				add(s, root, 0);
		}
	}
}

void hp_bounded_bfs_add_roots(struct hp_bounded_bfs *s, uint64_t except)
{
	s->except = except;
	add_roots(s, false);
	s->waits = s->passing;
}

void hp_bounded_bfs_add_classes(struct hp_bounded_bfs *s,
				hp_class_choice_fn *is_apart, void *user)
{
	const struct hprof_heap *heap = s->look->heap;
	const struct hprof_summary *summary = hprof_heap_summary(heap);

	for (size_t i = 0; i < summary->class_count; i++) {
		uint64_t object =
			hprof_heap_find(heap, summary->class_rows[i].class_id);

		if (object != HPROF_NO_OBJECT &&
		    hprof_graph_is_reachable(s->look->graph, object) &&
		    is_apart(user, i, object))
			hp_bounded_bfs_add(s, object);
	}
}

/* ---- the search ---------------------------------------------------------- */

/* All that a search comes to is reachable. */
static inline bool has_dominator(const struct hp_bounded_bfs *s,
				 uint64_t object)
{
	const uint32_t *dominator = s->look->graph->sizes.dominator.at;

	return dominator[object] != 0;
}

static inline void come_to(struct hp_bounded_bfs *s, uint64_t object,
			   uint64_t from)
{
	const bool seen = hp_bit(s->seen, object);

	if ((!seen || !s->once) && s->meets(s, object, from) && !seen &&
	    (!s->inside || has_dominator(s, object)))
		add(s, object, (uint32_t)from + 1);
}

static inline bool is_over(const struct hp_bounded_bfs *s)
{
	return s->objects >= s->limit || s->edges / EDGES_EACH >= s->limit ||
	       s->seen_count / SEEN_EACH >= s->limit || s->no_memory;
}

bool hp_bounded_bfs_is_over(const struct hp_bounded_bfs *s)
{
	return is_over(s);
}

static void put_off(struct hp_bounded_bfs *s, uint64_t object, uint64_t from)
{
	if (hp_bit(s->seen, object))
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

/* Reads the references of FROM, with their kinds and names. */
static enum hprof_status look_at(struct hp_bounded_bfs *s, uint64_t from,
				 struct hprof_error *error)
{
	struct hprof_object object;
	struct hprof_edge edge;
	enum hprof_status status =
		hprof_cursor_seek(s->look->cursor, from, &object);

	for (uint64_t i = 0; status == HPROF_OK && !is_over(s); i++) {
		status = hprof_cursor_edge(s->look->cursor, i, &edge);
		s->edges++;
		if (status != HPROF_OK || edge.to == HPROF_NO_OBJECT ||
		    is_left_out(s, edge.to) || !hp_edge_holds(s->look, &edge))
			continue;
		if (shuns(s, &object, &edge))
			put_off(s, edge.to, from);
		else
			come_to(s, edge.to, from);
	}
	return status < 0 ? hp_look_failure(s->look, error) : HPROF_OK;
}

/* The reference to its class is the only one that may have to be shunned. */
static void follow_kept(struct hp_bounded_bfs *s, uint64_t from)
{
	const struct hprof_graph *graph = s->look->graph;
	struct hp_kept_walk walk = hp_kept_references_of(graph, (uint32_t)from);
	uint32_t to;
	bool own;

	while (!is_over(s) && hp_kept_walk_next(&walk, &to, &own)) {
		s->edges++;
		if (own && may_shun(s))
			put_off(s, to, from);
		else
			come_to(s, to, from);
	}
}

/* Whether some references of FROM may be shunned, so that they must be read. */
static bool must_read(const struct hp_bounded_bfs *s, uint64_t from)
{
	const struct hprof_graph *graph = s->look->graph;

	if (s->all || !hp_graph_has_kept(graph))
		return true;
	return may_shun(s) &&
	       hp_shunned_edges_any(s->shunned,
				    hp_graph_kind(graph, (uint32_t)from));
}

static enum hprof_status visit(struct hp_bounded_bfs *s, uint64_t from,
			       struct hprof_error *error)
{
	s->objects++;
	if (must_read(s, from))
		return look_at(s, from, error);
	follow_kept(s, from);
	return HPROF_OK;
}

/* A large level is read off bits. False: it is small, or there is no memory for these. */
static bool sort_by_bits(struct hp_bounded_bfs *s)
{
	const size_t words = hp_bit_words(s->look->graph->edges.count);
	uint64_t *bits;

	if (s->next.count < LARGE_LEAST || s->next.count < words / 4)
		return false;
	bits = hp_calloc(words, sizeof *bits);
	if (!bits)
		return false;
	for (size_t i = 0; i < s->next.count; i++)
		hp_bit_set(bits, s->next.items[i]);
	hp_list_bits(bits, words, s->level.items);
	hp_free(bits);
	return true;
}

static void next_level(struct hp_bounded_bfs *s)
{
	if (s->level.room < s->next.room) {
		hp_free(s->level.items);
		s->level.items =
			hp_alloc(s->next.room * sizeof *s->level.items);
		s->level.room = s->level.items ? s->next.room : 0;
	}
	s->level.count = 0;
	s->no_memory |= s->level.room < s->next.count;
	if (s->no_memory)
		return;
	if (!sort_by_bits(s))
		hp_sort_numbers(s->next.items, s->next.count, s->level.items);
	s->level.count = s->next.count;
	s->next.count = 0;
}

/* Whether half of the limit has been used up. */
static bool is_half_over(const struct hp_bounded_bfs *s)
{
	const uint64_t half = s->limit / 2;

	return s->objects >= half || s->edges / EDGES_EACH >= half ||
	       s->seen_count / SEEN_EACH >= half;
}

/* Follows what was put off if nothing else is left, or it is time to. */
static void catch_up(struct hp_bounded_bfs *s)
{
	if (!s->next.count || !may_shun(s)) {
		for (size_t i = 0; i < s->put_off_count; i++)
			if (!hp_bit(s->seen, s->put_off[i].object))
				come_to(s, s->put_off[i].object,
					s->put_off[i].from);
		s->put_off_count = 0;
	}
	if (s->waits && !s->enough && (!s->next.count || is_half_over(s))) {
		s->waits = false;
		add_roots(s, true);
	}
}

/* Whether the limit would leave more than half of the next level unvisited. */
static bool leaves_most(const struct hp_bounded_bfs *s)
{
	return s->objects + s->next.count / 2 > s->limit;
}

/* Whether it would leave several of what is missing, if these are spread evenly. */
static bool is_in_vain(const struct hp_bounded_bfs *s)
{
	const uint64_t end = s->objects + s->next.count;
	const uint64_t left = end > s->limit ? end - s->limit : 0;

	return left * *s->missing > SEVERAL * (uint64_t)s->next.count;
}

enum hprof_status hp_bounded_bfs_run(struct hp_bounded_bfs *s,
				     struct hprof_error *error)
{
	do {
		catch_up(s);
		if (s->enough)
			break;
		s->refused = s->missing && leaves_most(s);
		if (s->refused || (s->missing && is_in_vain(s)))
			break;
		next_level(s);
		for (size_t i = 0; i < s->level.count && !is_over(s); i++)
			HP_TRY(visit(s, s->level.items[i], error));
	} while (!s->enough && !is_over(s) &&
		 (s->next.count || s->put_off_count || s->waits));
	return s->no_memory ? hp_no_memory(error) : HPROF_OK;
}
