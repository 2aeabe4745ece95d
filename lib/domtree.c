/*
 * domtree.c - see domtree.h.
 */
#include "domtree.h"

#include "error.h"
#include "mem.h"

/* ---- what the objects are ------------------------------------------------- */

static uint32_t what_of(const struct hprof_object *object, uint32_t row_count)
{
	uint32_t row = object->class_row < row_count
			       ? (uint32_t)object->class_row
			       : row_count;

	return 2 * row + (object->kind == HPROF_OBJECT_CLASS);
}

static enum hprof_status fill_what(const struct hprof_heap *heap,
				   struct hprof_cursor *cursor, uint32_t *what)
{
	uint64_t count = hprof_heap_count(heap);
	uint32_t rows = (uint32_t)hprof_heap_summary(heap)->class_count;
	struct hprof_object object;

	for (uint64_t i = 0; i < count; i++) {
		HP_TRY(hprof_cursor_go(cursor, i, &object));
		what[i] = what_of(&object, rows);
	}
	return HPROF_OK;
}

enum hprof_status hp_domtree_what(const struct hprof_heap *heap,
				  uint32_t **ret_what,
				  struct hprof_error *error)
{
	uint64_t count = hprof_heap_count(heap);
	struct hprof_cursor *cursor = NULL;
	uint32_t *what = NULL;
	enum hprof_status status;

	HP_TRY(hprof_cursor_new(heap, &cursor, error));
	if (count < SIZE_MAX / sizeof *what)
		what = hp_alloc((size_t)(count + 1) * sizeof *what);
	if (!what) {
		hprof_cursor_free(cursor);
		return hp_no_memory(error);
	}
	status = fill_what(heap, cursor, what);
	if (status < 0) {
		if (error)
			*error = *hprof_cursor_error(cursor);
		hp_free(what);
	} else {
		*ret_what = what;
	}
	hprof_cursor_free(cursor);
	return status;
}

/* ---- the tree -------------------------------------------------------------- */

/* From the last to the first, so that children come in ascending order. */
static void link_children(struct hp_domtree *tree)
{
	for (uint32_t i = 0; i < tree->count; i++)
		tree->first[i] = HP_NO_NODE;
	for (uint32_t i = tree->count; i-- > 0;) {
		uint32_t above, *list;

		if (!hprof_graph_is_reachable(tree->graph, i))
			continue;
		above = hp_domtree_above(tree, i);
		list = above == HP_NO_NODE ? &tree->top : &tree->first[above];
		tree->next[i] = *list;
		*list = i;
	}
}

enum hprof_status hp_domtree_init(struct hp_domtree *tree,
				  const struct hprof_heap *heap,
				  const struct hprof_graph *graph,
				  struct hprof_error *error)
{
	uint64_t count = hprof_heap_count(heap);
	size_t rows = hprof_heap_summary(heap)->class_count;
	size_t size;

	*tree = (struct hp_domtree){ .heap = heap,
				     .graph = graph,
				     .top = HP_NO_NODE };
	if (count >= HP_NO_NODE || rows >= HP_NO_NODE / 2)
		return hp_fail(error, HPROF_E_LIMIT, HP_NO_OFFSET,
			       "too many objects for a dominator tree");
	tree->count = (uint32_t)count;
	tree->what_count = 2 * (uint32_t)rows + 2;
	size = (size_t)count + 1;
	tree->first = hp_alloc(size * sizeof *tree->first);
	tree->next = hp_alloc(size * sizeof *tree->next);
	if (!tree->first || !tree->next) {
		hp_domtree_done(tree);
		return hp_no_memory(error);
	}
	link_children(tree);
	return hp_domtree_what(heap, &tree->what, error);
}

void hp_domtree_done(struct hp_domtree *tree)
{
	hp_free(tree->first);
	hp_free(tree->next);
	hp_free(tree->what);
	tree->first = tree->next = tree->what = NULL;
}

/* ---- sums ------------------------------------------------------------------ */

struct walk {
	const struct hp_domtree *tree;
	const struct hp_division *divisions;
	size_t count;
};

static void enter(const struct walk *w, uint32_t node, bool has_children)
{
	uint32_t what = w->tree->what[node];
	uint64_t shallow = hprof_graph_shallow(w->tree->graph, node);
	uint64_t retained = hprof_graph_retained(w->tree->graph, node);

	for (size_t i = 0; i < w->count; i++) {
		const struct hp_division *d = &w->divisions[i];
		struct hp_sum *sum = &d->sums[d->key[what]];

		sum->objects++;
		sum->shallow += shallow;
		if (!sum->above)
			sum->retained += retained;
		sum->above += has_children;
	}
}

static void leave(const struct walk *w, uint32_t node)
{
	uint32_t what = w->tree->what[node];

	for (size_t i = 0; i < w->count; i++)
		w->divisions[i].sums[w->divisions[i].key[what]].above--;
}

/* The way back up is the dominators' own, so that no stack is needed. */
static void walk_subtree(const struct walk *w, uint32_t top)
{
	const struct hp_domtree *tree = w->tree;
	uint32_t node = top;

	for (;;) {
		uint32_t child = tree->first[node];

		enter(w, node, child != HP_NO_NODE);
		if (child != HP_NO_NODE) {
			node = child;
			continue;
		}
		while (node != top && tree->next[node] == HP_NO_NODE) {
			node = hp_domtree_above(tree, node);
			leave(w, node);
		}
		if (node == top)
			return;
		node = tree->next[node];
	}
}

void hp_domtree_sum(const struct hp_domtree *tree, uint32_t node,
		    const struct hp_division *divisions, size_t count)
{
	struct walk w = { tree, divisions, count };

	if (node != HP_NO_NODE) {
		walk_subtree(&w, node);
		return;
	}
	for (node = tree->top; node != HP_NO_NODE; node = tree->next[node])
		walk_subtree(&w, node);
}
