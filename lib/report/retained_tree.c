/* SPDX-License-Identifier: MIT */
/*
 * retained_tree.c - hprof_retained_tree_read: the upper part of the dominator
 * tree, chains folded.
 *
 * An object follows its dominator if it keeps nearly all that this does; at most
 * one of the dominator's children can. So the tree is made of chains, each with
 * a head that follows nothing. What does not follow is clearly smaller than what
 * dominates it. Hence the chains with the largest heads form a tree among
 * themselves: a search for the largest heads, which needs no lists of children,
 * gives all that is shown. A second pass over the objects collects what follows
 * in these chains; as nothing has two followers, a set of what is followed says
 * where each one's follower is.
 */
#include "hprof/retained.h"

#include <assert.h>
#include <stdlib.h>

#include "graph/top_objects.h"
#include "base/error.h"
#include "report/object_info.h"
#include "base/mem.h"
#include "base/options.h"
#include "base/ranked_bits.h"

enum { TOP = 25, TOP_MAX = 1 << 24, LINES_MOST = 3 };

/* Members of chains that are collected at most, 12 bytes each. */
#define MEMBERS_MOST (1u << 20)

#define NO_CHAIN UINT32_MAX

/* An object that follows its dominator. */
struct member {
	uint32_t object;
	uint32_t chain;
};

/* An object that follows nothing, and what follows it. */
struct chain {
	uint32_t head, second, end;
	uint32_t length; /* objects */
	/* Of all but head and end: how many kinds, and bytes. */
	uint32_t kinds;
	uint64_t shallow;
	bool below_end; /* the end of the parent dominates it */
	uint32_t rows;	/* that show it; 0: none */
	size_t depth;
	uint32_t parent, child, sibling; /* chains */
};

struct head {
	uint32_t object, chain;
};

struct tree {
	struct hprof_retained_tree table;
	struct hp_arena arena;
	struct hp_look look;
	struct hp_top_objects heads;
	uint32_t *found; /* the objects of members, while they are collected */
	size_t member_count, member_room;
	uint64_t least; /* members that retain less are not collected */
	struct hp_mapped_tables tables;
	struct hp_mapped_table followed; /* hp_ranked_bits: their dominators */
	struct hp_mapped_table member_table;
	struct member *members; /* in the order of these */
	struct chain *chains;	/* in the order of heads */
	struct head *by_head;	/* the same sorted by object */
	uint32_t *seen; /* while they are made: the last one with each kind */
	size_t chain_count;
	uint32_t top; /* the largest chain that nothing shown dominates */
};

/* ---- chains --------------------------------------------------------------- */

/* OBJECT is reachable. If it retains nothing, it follows nothing. */
static bool follows(const struct hprof_graph *graph, uint32_t object)
{
	const struct hp_retained_sizes *sizes = &graph->sizes;
	uint32_t dominator = hp_retained_sizes_dominator(sizes, object);
	uint64_t all, own;

	if (dominator == HP_NONE)
		return false;
	all = hp_retained_sizes_retained(sizes, dominator);
	own = hp_retained_sizes_retained(sizes, object);
	return own && own >= all - all / 10;
}

static bool is_head(const void *user, const struct hprof_graph *graph,
		    uint32_t object)
{
	(void)user;
	return hprof_graph_retained(graph, object) && !follows(graph, object);
}

/* Forgets the smaller members, so that half of the room is free at least. */
static void drop_small(struct tree *t)
{
	const struct hp_retained_sizes *sizes = &t->look.graph->sizes;

	while (t->member_count > MEMBERS_MOST / 2) {
		size_t kept = 0;

		t->least += t->least / 2 + 1;
		for (size_t i = 0; i < t->member_count; i++)
			if (hp_retained_sizes_retained(sizes, t->found[i]) >=
			    t->least)
				t->found[kept++] = t->found[i];
		t->member_count = kept;
	}
}

static enum hprof_status add_member(struct tree *t, uint32_t object)
{
	if (t->member_count == MEMBERS_MOST) {
		drop_small(t);
		if (hp_retained_sizes_retained(&t->look.graph->sizes, object) <
		    t->least)
			return HPROF_OK;
	}
	HP_TRY(hp_grow((void **)&t->found, &t->member_room, t->member_count,
		       sizeof *t->found));
	t->found[t->member_count++] = object;
	return HPROF_OK;
}

static enum hprof_status find_members(struct tree *t)
{
	const struct hprof_graph *graph = t->look.graph;
	const struct hp_retained_sizes *sizes = &graph->sizes;
	uint32_t count = graph->edges.count;

	/* With more heads, those without rows would be smaller. */
	if (t->heads.count && t->heads.count == t->heads.room)
		t->least = hprof_graph_retained(
			graph, t->heads.objects[t->heads.count - 1]);
	for (uint32_t i = 0;
	     (i = hp_retained_sizes_next(&graph->build, sizes, i, count,
					 t->least)) < count;
	     i++) {
		if (!hp_bit(sizes->reachable, i) || !follows(graph, i))
			continue;
		HP_TRY(add_member(t, i));
	}
	return HPROF_OK;
}

/* Puts each member where its dominator says. */
static enum hprof_status collect_members(struct tree *t)
{
	const struct hprof_graph *graph = t->look.graph;
	const struct hp_retained_sizes *sizes = &graph->sizes;
	const size_t words = hp_bit_words(graph->edges.count);
	struct hprof_error ignored; /* the caller knows only one reason */
	struct hp_ranked_bits *followed;

	HP_TRY(find_members(t));
	hp_graph_begin_tables(graph, &t->tables, graph->build.tables.limit);
	HP_TRY(hp_mapped_table_make(&t->tables, &t->followed, words,
				    sizeof *followed, HP_MAPPED_TABLE_CLEAR,
				    &ignored));
	followed = t->followed.at;
	HP_TRY(hp_mapped_table_make(&t->tables, &t->member_table,
				    t->member_count + 1, sizeof *t->members,
				    HP_MAPPED_TABLE_RAW, &ignored));
	t->members = t->member_table.at;
	for (size_t i = 0; i < t->member_count; i++)
		hp_ranked_bits_set(followed, hp_retained_sizes_dominator(
						     sizes, t->found[i]));
	hp_ranked_bits_finish(followed, words);
	for (size_t i = 0; i < t->member_count; i++) {
		uint32_t at = hp_ranked_bits_number(
			followed,
			hp_retained_sizes_dominator(sizes, t->found[i]));
		t->members[at] = (struct member){ t->found[i], NO_CHAIN };
	}
	return HPROF_OK;
}

/* What follows OBJECT, or NULL. */
static struct member *follower(const struct tree *t, uint32_t object)
{
	const struct hp_ranked_bits *followed = t->followed.at;

	return hp_ranked_bits_have(followed, object)
		       ? &t->members[hp_ranked_bits_number(followed, object)]
		       : NULL;
}

/* OBJECT is neither the head nor the end of chain number INDEX. */
static void count_inner(struct tree *t, uint32_t index, uint32_t object)
{
	const struct hprof_graph *graph = t->look.graph;
	uint32_t *seen = &t->seen[hp_graph_kind(graph, object)];

	t->chains[index].kinds += *seen != index + 1;
	t->chains[index].shallow += hp_edges_shallow(&graph->edges, object);
	*seen = index + 1;
}

static void walk_chain(struct tree *t, uint32_t index)
{
	struct chain *chain = &t->chains[index];
	struct member *member;

	chain->head = chain->end = (uint32_t)t->heads.objects[index];
	chain->length = 1;
	while ((member = follower(t, chain->end)) != NULL) {
		if (chain->length == 1)
			chain->second = member->object;
		else
			count_inner(t, index, chain->end);
		member->chain = index;
		chain->end = member->object;
		chain->length++;
	}
}

/* ---- the tree of chains --------------------------------------------------- */

static int compare_heads(const void *left, const void *right)
{
	const struct head *a = left, *b = right;

	return (a->object > b->object) - (a->object < b->object);
}

/* The chain that OBJECT is part of, or NO_CHAIN. */
static uint32_t chain_of(const struct tree *t, uint32_t object)
{
	const struct hprof_graph *graph = t->look.graph;
	const struct member *member;
	struct head key = { .object = object };
	const struct head *head;

	if (follows(graph, object)) {
		member = follower(
			t, hp_retained_sizes_dominator(&graph->sizes, object));
		assert(!member || member->object == object);
		return member ? member->chain : NO_CHAIN;
	}
	head = bsearch(&key, t->by_head, t->chain_count, sizeof key,
		       compare_heads);
	return head ? head->chain : NO_CHAIN;
}

/*
 * Makes a chain of each head, but for those that could be part of a chain whose
 * members were not collected.
 */
static enum hprof_status make_chains(struct tree *t)
{
	const struct hprof_graph *graph = t->look.graph;
	size_t count = t->heads.count;

	while (count && hprof_graph_retained(
				graph, t->heads.objects[count - 1]) < t->least)
		count--;
	t->chains = hp_calloc(count + 1, sizeof *t->chains);
	t->by_head = hp_calloc(count + 1, sizeof *t->by_head);
	t->seen = hp_calloc(hp_kind_count(graph->heap->infos->count),
			    sizeof *t->seen);
	if (!t->chains || !t->by_head || !t->seen)
		return HPROF_E_NOMEM;
	t->chain_count = count;
	for (uint32_t i = 0; i < count; i++) {
		walk_chain(t, i);
		t->by_head[i] = (struct head){ t->chains[i].head, i };
	}
	if (count)
		qsort(t->by_head, count, sizeof *t->by_head, compare_heads);
	return HPROF_OK;
}

/* Head, what lies between, end: one row each. */
static uint32_t rows_of(const struct chain *chain)
{
	return chain->length < LINES_MOST ? chain->length : LINES_MOST;
}

/*
 * Shows the largest chains in TOP rows, and returns how many these are. If the
 * last chain does not fit, its head alone is shown.
 */
static size_t choose_rows(struct tree *t, size_t top)
{
	size_t used = 0;

	for (size_t i = 0; i < t->chain_count && used < top; i++) {
		struct chain *chain = &t->chains[i];

		chain->rows = rows_of(chain);
		if (used + chain->rows > top) {
			chain->rows = 1;
			return used + 1;
		}
		used += chain->rows;
	}
	return used;
}

/*
 * Finds where the chain hangs: below the end of another one, or, if something
 * in the middle of that dominates it, beside what follows its head.
 */
static void find_parent(struct tree *t, uint32_t index)
{
	struct chain *chain = &t->chains[index];
	const struct chain *parent;
	uint32_t dominator =
		hp_retained_sizes_dominator(&t->look.graph->sizes, chain->head);

	chain->child = chain->sibling = chain->parent = NO_CHAIN;
	if (dominator != HP_NONE)
		chain->parent = chain_of(t, dominator);
	if (chain->parent == NO_CHAIN)
		return;
	/* It is smaller, and so comes later. */
	assert(chain->parent < index);
	parent = &t->chains[chain->parent];
	chain->below_end = dominator == parent->end;
	chain->depth = parent->depth + (chain->below_end ? rows_of(parent) : 1);
}

static void link_chain(struct tree *t, uint32_t index)
{
	struct chain *chain = &t->chains[index];
	uint32_t *first = chain->parent == NO_CHAIN
				  ? &t->top
				  : &t->chains[chain->parent].child;

	chain->sibling = *first;
	*first = index;
}

/* Links the chains that are shown; the last that is linked comes first. */
static void link_chains(struct tree *t)
{
	uint32_t count = (uint32_t)t->chain_count;

	t->top = NO_CHAIN;
	for (uint32_t i = 0; i < count; i++)
		find_parent(t, i);
	for (uint32_t i = count; i-- > 0;)
		if (t->chains[i].rows && !t->chains[i].below_end)
			link_chain(t, i);
	for (uint32_t i = count; i-- > 0;)
		if (t->chains[i].rows && t->chains[i].below_end)
			link_chain(t, i);
}

/* The chain after that one, parents first; NO_CHAIN at the end. */
static uint32_t next_chain(const struct tree *t, uint32_t chain)
{
	if (t->chains[chain].child != NO_CHAIN)
		return t->chains[chain].child;
	while (chain != NO_CHAIN && t->chains[chain].sibling == NO_CHAIN)
		chain = t->chains[chain].parent;
	return chain == NO_CHAIN ? NO_CHAIN : t->chains[chain].sibling;
}

/* ---- rows ----------------------------------------------------------------- */

static enum hprof_status add_row(struct tree *t, uint32_t object, size_t depth,
				 struct hprof_error *error)
{
	struct hprof_tree_row *row = &t->table.rows[t->table.count++];

	*row = (struct hprof_tree_row){ .depth = depth };
	HP_TRY(hp_object_info_get(&t->look, object, &row->held, error));
	row->shallow = row->held.shallow;
	return HPROF_OK;
}

static enum hprof_status add_chain(struct tree *t, const struct chain *chain,
				   struct hprof_error *error)
{
	HP_TRY(add_row(t, chain->head, chain->depth, error));
	if (chain->rows == LINES_MOST) {
		HP_TRY(add_row(t, chain->second, chain->depth + 1, error));
		/* One object takes no more room than its fold would. */
		if (chain->length > LINES_MOST) {
			struct hprof_tree_row *row =
				&t->table.rows[t->table.count - 1];

			row->folded = chain->length - 2;
			row->classes = chain->kinds;
			row->shallow = chain->shallow;
		}
	}
	if (chain->rows > 1)
		HP_TRY(add_row(t, chain->end, chain->depth + chain->rows - 1,
			       error));
	return HPROF_OK;
}

static enum hprof_status add_chains(struct tree *t, size_t rows,
				    struct hprof_error *error)
{
	t->table.rows =
		hp_arena_take(&t->arena, (rows + 1) * sizeof *t->table.rows);
	if (!t->table.rows)
		return hp_no_memory(error);
	for (uint32_t i = t->top; i != NO_CHAIN; i = next_chain(t, i))
		HP_TRY(add_chain(t, &t->chains[i], error));
	assert(t->table.count == rows);
	return HPROF_OK;
}

static enum hprof_status make_tree(struct tree *t, size_t top,
				   struct hprof_error *error)
{
	size_t rows;

	HP_TRY(hprof_cursor_new(t->look.heap, &t->look.cursor, error));
	if (hp_top_objects_find(&t->heads, t->look.graph, top, is_head, NULL) !=
		    HPROF_OK ||
	    collect_members(t) != HPROF_OK || make_chains(t) != HPROF_OK)
		return hp_no_memory(error);
	rows = choose_rows(t, top);
	link_chains(t);
	return add_chains(t, rows, error);
}

static void drop_work(struct tree *t)
{
	hprof_cursor_free(t->look.cursor);
	hp_top_objects_done(&t->heads);
	hp_free(t->found);
	hp_mapped_table_free(&t->tables, &t->followed);
	hp_mapped_table_free(&t->tables, &t->member_table);
	hp_mapped_tables_release(&t->tables);
	hp_free(t->chains);
	hp_free(t->by_head);
	hp_free(t->seen);
}

enum hprof_status
hprof_retained_tree_read(const struct hprof_graph *graph,
			 const struct hprof_retained_options *given,
			 struct hprof_retained_tree **ret_tree,
			 struct hprof_error *ret_error)
{
	struct hprof_retained_options options;
	enum hprof_status status;
	struct tree *t;

	HP_TRY(hp_graph_need(graph, HP_GRAPH_DOMINATORS, ret_error));
	HP_NEED(ret_error, ret_tree);
	if (!hp_options_take(given, &options, sizeof options))
		return hp_bad_options(ret_error);
	if (options.top > TOP_MAX)
		return hp_bad_argument(ret_error, "options.top",
				       "is more than 16777216");
	if (options.wanted)
		return hp_bad_argument(ret_error, "options.wanted",
				       "is not for trees");
	t = hp_calloc(1, sizeof *t);
	if (!t)
		return hp_no_memory(ret_error);
	t->table.impl = t;
	t->look.heap = graph->heap;
	t->look.graph = graph;
	status = make_tree(t, options.top ? options.top : TOP, ret_error);
	drop_work(t);
	if (status < 0) {
		hprof_retained_tree_free(&t->table);
		return status;
	}
	*ret_tree = &t->table;
	return HPROF_OK;
}

void hprof_retained_tree_free(struct hprof_retained_tree *tree)
{
	struct tree *t = tree ? tree->impl : NULL;

	if (!t)
		return;
	hp_arena_done(&t->arena);
	hp_free(t);
}
