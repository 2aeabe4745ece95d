/* SPDX-License-Identifier: MIT */
/*
 * slow_heap.c - see slow_heap.h.
 */
#include "slow_heap.h"

#include <stdlib.h>
#include <string.h>

#include "slow.h"

struct check {
	const struct hprof_heap *heap;
	struct hprof_graph_options options;
	struct hprof_graph *graph;
	struct slow_graph slow;
	struct slow_answer answer;
	uint64_t edges, weak, dangling;
	uint64_t at;
	size_t count;
};

/* ---- the slow graph ------------------------------------------------------ */

static bool is_a(const struct hprof_heap *heap, size_t row, const char *name)
{
	size_t of = 0;

	for (; (of = hprof_heap_class_named(heap, name, of)) != SIZE_MAX; of++)
		if (hprof_heap_class_is(heap, row, of))
			return true;
	return false;
}

/* True if the options say to follow the referent of a class ROW instance. */
static bool referent_holds(const struct check *c, size_t row)
{
	static const struct {
		const char *name;
		enum hprof_hold hold;
	} kinds[] = {
		{ "java.lang.ref.SoftReference", HPROF_HOLD_SOFT },
		{ "java.lang.ref.WeakReference", HPROF_HOLD_WEAK },
		{ "java.lang.ref.PhantomReference", HPROF_HOLD_PHANTOM },
		{ "java.lang.ref.FinalReference", HPROF_HOLD_FINAL },
		{ "java.lang.ref.FinalizerReference", HPROF_HOLD_FINAL },
	};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (is_a(c->heap, row, kinds[i].name))
			return c->options.hold & kinds[i].hold;
	return true;
}

static void take_edge(struct check *c, const struct hprof_object *object,
		      const struct hprof_edge *edge)
{
	if (edge->kind == HPROF_EDGE_REFERENT &&
	    !referent_holds(c, object->class_row)) {
		c->weak++;
		return;
	}
	if (edge->to == HPROF_NO_OBJECT) {
		c->dangling++;
		return;
	}
	c->edges++;
	/* It does not matter how a class is reached that is itself a root. */
	if (edge->kind != HPROF_EDGE_CLASS || !c->slow.root[edge->to])
		c->slow.edge[object->index * c->count + edge->to] = true;
}

static void find_roots(struct check *c)
{
	const struct hprof_heap_root *roots = hprof_heap_roots(c->heap);
	const struct hprof_summary *s = hprof_heap_summary(c->heap);
	bool system_classes = false;

	for (size_t i = 0; i < hprof_heap_root_count(c->heap); i++) {
		if (roots[i].tag == HPROF_ROOT_STICKY_CLASS)
			system_classes = true;
		if (roots[i].tag != HPROF_ROOT_UNREACHABLE &&
		    roots[i].object != HPROF_NO_OBJECT)
			c->slow.root[roots[i].object] = true;
	}
	for (size_t i = 0; i < s->class_count; i++) {
		const struct hprof_class_row *row = &s->class_rows[i];
		uint64_t object = hprof_heap_find(c->heap, row->class_id);
		if (row->dumped && row->loader_id == 0 &&
		    object != HPROF_NO_OBJECT &&
		    (!system_classes || strchr(row->name, '[')))
			c->slow.root[object] = true;
	}
}

static const char *make_slow(struct check *c, struct hprof_cursor *cursor)
{
	struct hprof_object object;
	struct hprof_edge edge;
	enum hprof_status status = HPROF_OK;

	find_roots(c);
	for (uint64_t i = 0; i < c->count; i++) {
		c->at = i;
		if (hprof_cursor_seek(cursor, i, &object) < 0)
			return "the cursor fails";
		c->slow.size[i] = object.shallow;
		for (uint64_t k = 0;; k++) {
			status = hprof_cursor_edge(cursor, k, &edge);
			if (status != HPROF_OK)
				break;
			take_edge(c, &object, &edge);
		}
		if (status < 0)
			return "the cursor fails at an edge";
	}
	c->answer = slow_find(&c->slow, c->options.unreachable);
	return NULL;
}

/* ---- comparing ----------------------------------------------------------- */

static const char *compare_object(struct check *c, uint64_t i)
{
	const struct hprof_graph *g = c->graph;
	const struct slow_answer *a = &c->answer;
	uint64_t dominator = a->dominator[i] == SLOW_NONE
				     ? HPROF_NO_OBJECT
				     : (uint64_t)a->dominator[i];

	if (hprof_graph_is_root(g, i) != c->slow.root[i])
		return "is a root, or is none";
	if (hprof_graph_is_reachable(g, i) != a->reachable[i])
		return "is reachable, or is not";
	if (hprof_graph_shallow(g, i) != c->slow.size[i])
		return "another size";
	if (hprof_graph_dominator(g, i) != dominator)
		return "another dominator";
	if (hprof_graph_retained(g, i) != a->retained[i])
		return "another retained size";
	return NULL;
}

static const char *compare_totals(const struct check *c)
{
	const struct hprof_graph_totals *t = hprof_graph_totals(c->graph);
	uint64_t shallow = 0, reachable = 0, live = 0, roots = 0;

	for (size_t i = 0; i < c->count; i++) {
		shallow += c->slow.size[i];
		roots += c->slow.root[i];
		reachable += c->answer.reachable[i];
		if (c->answer.reachable[i])
			live += c->slow.size[i];
	}
	if (t->objects != c->count || t->reachable != reachable)
		return "another number of objects";
	if (t->shallow != shallow || t->reachable_shallow != live)
		return "other bytes";
	if (t->edges != c->edges || t->weak != c->weak)
		return "another number of references";
	if (t->dangling != c->dangling)
		return "another number of dangling references";
	return t->roots == roots ? NULL : "another number of roots";
}

/* True if OF dominates OBJECT, or is it. */
static bool retains(const struct check *c, uint64_t of, uint64_t object)
{
	for (;;) {
		if (object == of)
			return true;
		if (c->answer.dominator[object] == SLOW_NONE)
			return false;
		object = (uint64_t)c->answer.dominator[object];
	}
}

static bool note(void *user, uint64_t object)
{
	((unsigned char *)user)[object]++;
	return true;
}

static const char *compare_sets(struct check *c, uint64_t i,
				unsigned char *seen)
{
	const struct hprof_graph *g = c->graph;
	bool known = c->answer.reachable[i] || c->options.unreachable;

	memset(seen, 0, c->count);
	if (hprof_graph_referrers(g, i, note, seen, NULL) != HPROF_OK)
		return "no referrers";
	for (uint64_t k = 0; k < c->count; k++)
		if (seen[k] != c->slow.edge[k * c->count + i])
			return "other referrers";
	memset(seen, 0, c->count);
	if ((hprof_graph_retained_set(g, i, note, seen, NULL) == HPROF_OK) !=
	    known)
		return "a retained set, or none";
	for (uint64_t k = 0; known && k < c->count; k++)
		if (seen[k] !=
		    ((c->answer.reachable[k] || c->options.unreachable) &&
		     retains(c, i, k)))
			return "another retained set";
	return NULL;
}

static const char *compare_children(const struct check *c, uint64_t of,
				    uint64_t *children)
{
	size_t n = hprof_graph_children(c->graph, of, c->count, children);
	int wanted = of == HPROF_NO_OBJECT ? SLOW_NONE : (int)of;
	size_t all = 0;

	for (size_t i = 0; i < c->count; i++)
		all += c->answer.dominator[i] == wanted &&
		       (c->answer.reachable[i] || c->options.unreachable);
	if (n != all)
		return "another number of children";
	for (size_t i = 0; i < n; i++) {
		uint64_t size = c->answer.retained[children[i]];
		if (c->answer.dominator[children[i]] != wanted)
			return "a child of somebody else";
		if (i == 0)
			continue;
		uint64_t before = c->answer.retained[children[i - 1]];
		if (before < size ||
		    (before == size && children[i - 1] > children[i]))
			return "children in another order";
	}
	return NULL;
}

/* ---- ways ---------------------------------------------------------------- */

/* The distance of each object from the roots; SIZE_MAX if unreachable. */
static size_t *find_lengths(const struct check *c)
{
	size_t *length = malloc((c->count + 1) * sizeof *length);
	bool changed = true;

	for (size_t i = 0; i < c->count; i++)
		length[i] = c->slow.root[i] ? 0 : SIZE_MAX;
	for (size_t step = 0; changed; step++) {
		changed = false;
		for (size_t i = 0; i < c->count * c->count; i++)
			if (c->slow.edge[i] && length[i / c->count] == step &&
			    length[i % c->count] == SIZE_MAX) {
				length[i % c->count] = step + 1;
				changed = true;
			}
	}
	return length;
}

static const char *compare_ways(struct check *c)
{
	struct hprof_shortest_paths *ways;
	const char *wrong = NULL;
	size_t *length;

	if (hprof_shortest_paths_build(c->graph, &ways, NULL) != HPROF_OK)
		return "no ways";
	length = find_lengths(c);
	for (uint64_t i = 0; i < c->count && !wrong; i++) {
		uint64_t before = HPROF_NO_OBJECT;
		for (uint64_t k = c->count; k > 0; k--)
			if (length[i] != 0 && length[i] != SIZE_MAX &&
			    length[k - 1] == length[i] - 1 &&
			    c->slow.edge[(k - 1) * c->count + i])
				before = k - 1;
		c->at = i;
		if (hprof_shortest_paths_parent(ways, i) != before)
			wrong = "another way";
		if (hprof_shortest_paths_depth(ways, i) !=
		    (length[i] == SIZE_MAX ? UINT64_MAX : length[i]))
			wrong = "a way of another length";
	}
	free(length);
	hprof_shortest_paths_free(ways);
	return wrong;
}

/* ---- all of it ----------------------------------------------------------- */

static const char *compare_all(struct check *c, unsigned char *seen,
			       uint64_t *children)
{
	const char *wrong = compare_totals(c);

	for (uint64_t i = 0; i < c->count && !wrong; i++) {
		c->at = i;
		wrong = compare_object(c, i);
		if (!wrong)
			wrong = compare_sets(c, i, seen);
		if (!wrong)
			wrong = compare_children(c, i, children);
	}
	if (!wrong)
		wrong = compare_children(c, HPROF_NO_OBJECT, children);
	return wrong ? wrong : compare_ways(c);
}

const char *graph_wrong(const struct hprof_heap *heap,
			const struct hprof_graph_options *options,
			uint64_t *ret_at)
{
	struct check c = { .heap = heap, .options = *options };
	struct hprof_cursor *cursor;
	const char *wrong;

	c.count = (size_t)hprof_heap_count(heap);
	c.options.dominators = c.options.edges = true;
	/* Referrers are found in two ways; half of the policies use each. */
	c.options.referrers = options->hold & 2;
	if (hprof_graph_build(heap, &c.options, &c.graph, NULL) != HPROF_OK)
		return "no graph";
	if (hprof_cursor_new(heap, &cursor, NULL) != HPROF_OK) {
		hprof_graph_free(c.graph);
		return "no cursor";
	}
	unsigned char *seen = malloc(c.count + 1);
	uint64_t *children = malloc((c.count + 1) * sizeof *children);
	c.slow = slow_new((int)c.count);
	wrong = make_slow(&c, cursor);
	if (!wrong) {
		wrong = compare_all(&c, seen, children);
		slow_answer_free(&c.answer);
	}
	*ret_at = c.at;
	slow_free(&c.slow);
	free(seen);
	free(children);
	hprof_cursor_free(cursor);
	hprof_graph_free(c.graph);
	return wrong;
}
