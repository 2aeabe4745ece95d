/* SPDX-License-Identifier: MIT */
/*
 * leak_descent.c - see leak_descent.h, and leak_search.c for the shapes that
 * need care. Links of one class that recur on the way down are a chain, which
 * ends at its first link; an object with a few large children of different
 * kinds is no end.
 */
#include "leaks/leak_descent.h"

#include "base/mem.h"
#include "leaks/leak_parts.h"

enum {
	AHEAD = 4,	    /* steps down, to see whether a class comes back */
	REFERENCE_LEAST = 4 /* bytes of an element */
};

static void forget_path(struct hp_leak_search *h)
{
	struct hp_leak_search_work *w = h->work;

	while (w->path_count)
		w->seen[hp_leak_search_key(h, w->path[--w->path_count])] = 0;
}

static uint32_t go_to(struct hp_leak_search *h, uint32_t node)
{
	struct hp_leak_search_work *w = h->work;

	if (hp_grow((void **)&w->path, &w->path_room, w->path_count,
		    sizeof *w->path) != HPROF_OK) {
		w->no_memory = true;
		return 0;
	}
	w->path[w->path_count++] = node;
	return ++w->seen[hp_leak_search_key(h, node)];
}

/* The first node on the way that has KEY, or HP_NO_NODE. */
static uint32_t first_of(const struct hp_leak_search *h, uint32_t key)
{
	for (size_t i = 0; i < h->work->path_count; i++)
		if (hp_leak_search_key(h, h->work->path[i]) == key)
			return h->work->path[i];
	return HP_NO_NODE;
}

/* Whether objects of NODE's class can be links: those of the runtime are all over. */
static bool is_link(const struct hp_leak_search *h, uint32_t node)
{
	uint32_t kind = hp_graph_kind(h->graph, node);

	return !hp_kind_is_class(kind) &&
	       !hp_class_is_runtime(hp_class_name(h->heap, hp_kind_row(kind)));
}

/*
 * The key of a class of the program that was met on the way to NODE and comes back below
 * its largest child, as where the links of a tree are in arrays; or HP_NO_NODE.
 */
static uint32_t key_ahead(const struct hp_leak_search *h, uint32_t node)
{
	for (unsigned i = 0; i < AHEAD; i++) {
		if (!hp_dominator_children_has(&h->work->large, node))
			break;
		node = hp_leak_search_largest_child(h, node);
		if (node == HP_NO_NODE || hp_leak_search_is_container(h, node))
			break;
		if (h->work->seen[hp_leak_search_key(h, node)] &&
		    is_link(h, node))
			return hp_leak_search_key(h, node);
	}
	return HP_NO_NODE;
}

/*
 * The key of a chain that ends at NODE, or HP_NO_NODE: LINK, which was met
 * often enough, or that of most children, if it was met at all, or one that comes back
 * below them.
 */
static uint32_t chain_key(const struct hp_leak_search *h, uint32_t node,
			  uint32_t link)
{
	uint32_t most = hp_children_by_class_largest(&h->work->by_class);

	if (link != HP_NO_NODE)
		return link;
	return most != HP_NO_NODE && first_of(h, most) != HP_NO_NODE
		       ? most
		       : key_ahead(h, node);
}

/*
 * Whether NODE is an array too short for COUNT references: what it dominates beyond its
 * elements is reached from several of these, as in a graph.
 */
static bool is_too_short(const struct hp_leak_search *h, uint32_t node,
			 uint64_t count)
{
	return hp_leak_is_array(h, node) &&
	       hprof_graph_shallow(h->graph, node) / REFERENCE_LEAST < count;
}

/* Whether one place holds most of a chain: NODE, which is no link. */
static bool is_branch(const struct hp_leak_search *h, uint32_t node,
		      uint32_t first, bool is_large)
{
	const uint32_t *end, *child = hp_leak_search_children(h, node, &end);
	uint64_t count = (uint64_t)(end - child);

	return hp_leak_search_key(h, node) != hp_leak_search_key(h, first) &&
	       hp_leak_is_most(hp_leak_search_rest(h, node),
			       hp_leak_search_rest(h, first)) &&
	       (is_large ||
		(count >= HP_LEAK_ITEMS && !is_too_short(h, node, count)));
}

/*
 * No child retains most: a large object, the first link of a list or tree, or
 * a pile. LINK is the key of links that were met, or HP_NO_NODE.
 */
static struct hp_leak_end end_at(struct hp_leak_search *h, uint32_t node,
				 uint32_t link)
{
	struct hp_leak_end end = { HPROF_LEAK_POINT, node, false, false };
	uint32_t key;

	if (2 * hprof_graph_shallow(h->graph, node) >=
	    hp_leak_search_rest(h, node))
		end.kind = HPROF_LEAK_OBJECT;
	hp_leak_search_count_children(h, node);
	key = end.kind == HPROF_LEAK_OBJECT ? link : chain_key(h, node, link);
	if (key != HP_NO_NODE && !is_branch(h, node, first_of(h, key),
					    end.kind == HPROF_LEAK_OBJECT)) {
		end.kind = HPROF_LEAK_CHAIN;
		end.node = first_of(h, key);
	} else if (end.kind == HPROF_LEAK_POINT) {
		end.is_parted = hp_leak_is_parted(h, node);
	}
	return end;
}

struct hp_leak_end hp_leak_descend(struct hp_leak_search *h, uint32_t node,
				   uint64_t least, bool stop_at_containers)
{
	struct hp_leak_end end = { HPROF_LEAK_POINT, node, true, false };
	uint32_t link = HP_NO_NODE;

	forget_path(h);
	for (;;) {
		uint32_t times = go_to(h, node), child;

		if (h->work->no_memory)
			return end;
		end.node = node;
		if (stop_at_containers && hp_leak_search_is_container(h, node))
			return end;
		if (times == HP_LEAK_LINKS && link == HP_NO_NODE)
			link = hp_leak_search_key(h, node);
		child = hp_leak_search_largest_child(h, node);
		if (child == HP_NO_NODE ||
		    hp_leak_search_rest(h, child) < least ||
		    !hp_leak_is_most(hp_leak_search_rest(h, child),
				     hp_leak_search_rest(h, node)))
			return end_at(h, node, link);
		node = child;
	}
}
