/* SPDX-License-Identifier: MIT */
/*
 * merged_paths.c - hprof_merged_paths_read: short paths to all objects of a
 * class, as one tree.
 *
 * They lead through what shunned_edges.h lists, and begin at what stacks hold, only
 * where no other path exists, and may begin at classes that are alive without any of
 * the objects.
 *
 * Each object on a path belongs to one node, which is found from the node of
 * the object before it. Nodes are remembered by object, so that each object is
 * visited only once, however many paths lead through it.
 */
#include "hprof/paths.h"

#include "base/error.h"
#include "report/object_info.h"
#include "base/mem.h"
#include "base/prefetch.h"
#include "report/merged_nodes.h"
#include "report/quick_edges.h"
#include "report/root_paths.h"

/* Which node was found last for such a step, below PARENT. */
struct step {
	uint32_t parent, kind, node;
	enum hprof_edge_kind edge;
	/* By place: names stay where they are. */
	const char *field, *local_class, *local_field;
};
enum { STEPS = 1 << 12 };

/*
 * Objects of which it is known whether they, or one that dominates them, are of
 * the classes. So no object is climbed past twice.
 */
struct covered {
	uint64_t *known, *yes; /* bits */
};

struct merged {
	struct hprof_merged_paths table;
	struct hp_arena arena;
	struct hp_root_paths paths;
	size_t class_count;
	size_t entry_row; /* of threads' maps of ThreadLocals; SIZE_MAX: none */
	uint32_t *key;	  /* by kind: 1 for requested classes, else 0 */
	struct covered covered;
	struct hp_quick_edges quick;
	struct step *steps; /* by hash; node HP_NO_MERGED_NODE: none */
	uint32_t *of;	    /* the node of each object, plus 1; 0: not known */
	uint64_t *pending;  /* objects still to be put into a node */
	size_t pending_count, pending_room;
	struct hp_merged_nodes nodes;
};

/* ---- nodes --------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* Where a step like STEP was noted last. */
static struct step *step_like(const struct merged *m, const struct step *step)
{
	uint64_t hash = mix((uint64_t)step->parent << 32 | step->kind,
			    (uint64_t)(uintptr_t)step->field + step->edge);

	return &m->steps[hash >> 40 & (STEPS - 1)];
}

static bool is_same_step(const struct step *a, const struct step *b)
{
	return a->node != HP_NO_MERGED_NODE && a->parent == b->parent &&
	       a->kind == b->kind && a->edge == b->edge &&
	       a->field == b->field && a->local_class == b->local_class &&
	       a->local_field == b->local_field;
}

/* The first class with the same name: copies by other loaders are as good. */
static size_t first_row(const struct merged *m, size_t row)
{
	return row < m->class_count
		       ? hp_kind_row(m->paths.key[hp_kind_of_instances(row)])
		       : row;
}

/* How FROM refers to OBJECT. */
static enum hprof_status find_edge(struct merged *m, uint64_t from,
				   uint64_t object, struct hprof_edge *ret,
				   struct hprof_error *error)
{
	bool known;

	HP_TRY(hp_quick_edge(&m->quick, (uint32_t)from, (uint32_t)object, ret,
			     &known, error));
	if (known)
		return HPROF_OK;
	*ret = (struct hprof_edge){ .kind = HPROF_EDGE_FIELD };
	return hp_root_paths_edge(&m->paths.look, from, object, false, &known,
				  ret, error);
}

/* The ThreadLocal whose value EDGE, of FROM, is; if it is one. */
static enum hprof_status find_local(struct merged *m, uint64_t from,
				    const struct hprof_edge *edge,
				    struct hprof_merged_path_node *ret,
				    struct hprof_error *error)
{
	const struct hp_look *look = &m->paths.look;
	uint32_t kind = hp_graph_kind(look->graph, (uint32_t)from);
	struct hprof_edge value = *edge;

	if (hp_kind_row(kind) != m->entry_row || hp_kind_is_class(kind))
		return HPROF_OK;
	value.from = from;
	return hp_thread_local_names_find(&m->paths.locals, look, &value,
					  &ret->local_class, &ret->local_field,
					  error);
}

/* What OBJECT is, and its row. */
static enum hprof_status find_class(struct merged *m, uint64_t object,
				    struct hprof_merged_path_node *ret,
				    struct hprof_error *error)
{
	const struct hp_look *look = &m->paths.look;
	struct hprof_object as = { .class_row = hp_kind_row(hp_graph_kind(
					   look->graph, (uint32_t)object)) };
	bool known;

	HP_TRY(hp_quick_kind(&m->quick, (uint32_t)object, &as.kind, &known,
			     error));
	if (!known && hprof_cursor_seek(look->cursor, object, &as) < 0)
		return hp_look_failure(look, error);
	ret->kind = as.kind;
	ret->class_row = first_row(m, as.class_row);
	ret->class_name = hp_class_name(look->heap, as.class_row);
	return HPROF_OK;
}

/* The node below PARENT for OBJECT, to which FROM refers, or no object. */
static enum hprof_status find_node(struct merged *m, uint32_t parent,
				   uint64_t from, uint64_t object,
				   uint32_t *ret, struct hprof_error *error)
{
	struct hprof_merged_path_node row = { .first = object };
	struct step step = {
		.parent = parent,
		.kind = hp_graph_kind(m->paths.look.graph, (uint32_t)object),
	};
	struct hprof_edge edge = { .kind = HPROF_EDGE_FIELD };
	struct step *last;

	if (from == HPROF_NO_OBJECT) {
		HP_TRY(hp_root_index_get(&m->paths.roots, object, &row.root,
					 error));
	} else {
		HP_TRY(find_edge(m, from, object, &edge, error));
		HP_TRY(find_local(m, from, &edge, &row, error));
	}
	step.edge = row.edge = edge.kind;
	step.field = row.field = edge.name;
	step.local_class = row.local_class;
	step.local_field = row.local_field;
	last = step_like(m, &step);
	if (from == HPROF_NO_OBJECT || !is_same_step(last, &step) ||
	    hp_kind_row(step.kind) >= m->class_count) {
		HP_TRY(find_class(m, object, &row, error));
		step.node = hp_merged_nodes_take(&m->nodes, parent, &row);
		if (step.node == HP_NO_MERGED_NODE)
			return hp_no_memory(error);
		*last = step;
	}
	*ret = last->node;
	return HPROF_OK;
}

/* ---- what exists without them ---------------------------------------------- */

static bool is_covered(const struct merged *m, uint64_t object)
{
	const struct covered *c = &m->covered;
	const struct hprof_graph *graph = m->paths.look.graph;
	uint64_t at = object;
	bool yes;

	while (at != HPROF_NO_OBJECT && !hp_bit(c->known, at) &&
	       !m->key[hp_graph_kind(graph, (uint32_t)at)])
		at = hprof_graph_dominator(graph, at);
	yes = at != HPROF_NO_OBJECT &&
	      (!hp_bit(c->known, at) || hp_bit(c->yes, at));
	for (; object != at; object = hprof_graph_dominator(graph, object)) {
		hp_bit_set(c->known, object);
		if (yes)
			hp_bit_set(c->yes, object);
	}
	return yes;
}

/* Finds the paths, which may begin at classes that none of the objects keeps. */
static enum hprof_status find_paths(struct merged *m,
				    const struct hprof_graph *graph,
				    struct hprof_error *error)
{
	const struct hprof_summary *summary = hprof_heap_summary(graph->heap);
	uint64_t *starts =
		hp_calloc(hp_bit_words(graph->edges.count), sizeof *starts);
	enum hprof_status status;

	if (!starts)
		return hp_no_memory(error);
	for (size_t i = 0; i < summary->class_count; i++) {
		const struct hprof_class_row *row = &summary->class_rows[i];
		uint64_t object = hprof_heap_find(graph->heap, row->class_id);

		if (object != HPROF_NO_OBJECT &&
		    !hp_root_paths_begin_at(&m->paths, object) &&
		    hprof_graph_is_reachable(graph, object) &&
		    !is_covered(m, object) &&
		    !is_covered(m,
				hprof_heap_find(graph->heap, row->loader_id)))
			hp_bit_set(starts, object);
	}
	status = hp_root_paths_take_from(&m->paths, graph, starts, NULL, error);
	hp_free(starts);
	return status;
}

/* ---- from objects to nodes ----------------------------------------------- */

/* Goes up to an object whose node is known, or to a root; then back down. */
static enum hprof_status place(struct merged *m, uint64_t object,
			       struct hprof_error *error)
{
	uint64_t at = object;
	uint32_t node = HP_NO_MERGED_NODE;

	m->pending_count = 0;
	while (at != HPROF_NO_OBJECT && !m->of[at]) {
		if (hp_grow((void **)&m->pending, &m->pending_room,
			    m->pending_count, sizeof *m->pending) != HPROF_OK)
			return hp_no_memory(error);
		m->pending[m->pending_count++] = at;
		at = hprof_shortest_paths_parent(m->paths.shortest, at);
	}
	if (at != HPROF_NO_OBJECT)
		node = m->of[at] - 1;
	for (size_t i = m->pending_count; i-- > 0;) {
		HP_TRY(find_node(m, node, at, m->pending[i], &node, error));
		m->nodes.items[node].row.objects++;
		at = m->pending[i];
		m->of[at] = node + 1;
	}
	return HPROF_OK;
}

/* Adds OBJECT, and what it retains that no other object of the classes does. */
static enum hprof_status take(struct merged *m, uint64_t object,
			      struct hprof_error *error)
{
	const struct hprof_graph *graph = m->paths.look.graph;
	uint64_t shallow = hprof_graph_shallow(graph, object);
	struct hprof_merged_path_node *row;

	HP_TRY(place(m, object, error));
	row = &m->nodes.items[m->of[object] - 1].row;
	row->targets++;
	row->shallow += shallow;
	m->table.targets++;
	m->table.shallow += shallow;
	if (!is_covered(m, hprof_graph_dominator(graph, object)))
		m->table.retained += hprof_graph_retained(graph, object);
	return HPROF_OK;
}

/* Objects whose paths are looked at together, so that memory is not waited for. */
enum { AT_ONCE = 64 };

/* The memory that place will need of OBJECT and of what is before it. */
static void fetch(const struct merged *m, uint64_t object)
{
	const uint32_t *before = hp_shortest_paths_before(m->paths.shortest);
	uint32_t up = before[object];

	if (up == 0 || up > m->paths.look.graph->edges.count)
		return;
	hp_prefetch(&m->of[up - 1]);
	hp_prefetch(&before[up - 1]);
	hp_quick_prefetch(&m->quick, up - 1);
}

static enum hprof_status take_many(struct merged *m, const uint64_t *objects,
				   size_t count, struct hprof_error *error)
{
	const uint32_t *before = hp_shortest_paths_before(m->paths.shortest);
	uint32_t most = m->paths.look.graph->edges.count;

	for (size_t i = 0; i < count; i++)
		fetch(m, objects[i]);
	for (size_t i = 0; i < count; i++) {
		uint32_t up = before[objects[i]];

		if (up && up <= most && !m->of[up - 1])
			fetch(m, up - 1);
	}
	for (size_t i = 0; i < count; i++)
		HP_TRY(take(m, objects[i], error));
	return HPROF_OK;
}

static enum hprof_status take_all(struct merged *m, struct hprof_error *error)
{
	uint64_t count = hprof_heap_count(m->paths.look.heap);
	const struct hprof_graph *graph = m->paths.look.graph;
	uint64_t objects[AT_ONCE];
	size_t found = 0;

	for (uint64_t i = 0; i < count; i++) {
		if (!m->key[hp_graph_kind(graph, (uint32_t)i)])
			continue;
		if (!hprof_graph_is_reachable(graph, i)) {
			m->table.unreachable++;
			m->table.by_strength[hprof_graph_strength(graph, i)]++;
			continue;
		}
		objects[found++] = i;
		if (found < AT_ONCE)
			continue;
		HP_TRY(take_many(m, objects, found, error));
		found = 0;
	}
	return take_many(m, objects, found, error);
}

/* ---- the table ----------------------------------------------------------- */

static enum hprof_status make_table(struct merged *m,
				    const struct hprof_graph *graph,
				    struct hprof_error *error)
{
	size_t count = (size_t)hprof_heap_count(graph->heap);
	size_t words = hp_bit_words(graph->edges.count);

	if (hp_merged_nodes_init(&m->nodes) != HPROF_OK)
		return hp_no_memory(error);
	HP_TRY(hp_root_paths_init(&m->paths, graph, &m->arena, error));
	m->covered.known = hp_calloc(words, sizeof *m->covered.known);
	m->covered.yes = hp_calloc(words, sizeof *m->covered.yes);
	if (!m->covered.known || !m->covered.yes)
		return hp_no_memory(error);
	HP_TRY(find_paths(m, graph, error));
	m->of = hp_calloc(count + 1, sizeof *m->of);
	m->steps = hp_calloc(STEPS, sizeof *m->steps);
	if (!m->of || !m->steps ||
	    hp_quick_edges_init(&m->quick, &m->paths.look) != HPROF_OK)
		return hp_no_memory(error);
	for (size_t i = 0; i < STEPS; i++)
		m->steps[i].node = HP_NO_MERGED_NODE;
	HP_TRY(take_all(m, error));
	hp_free(m->of);
	m->of = NULL;
	if (hp_merged_nodes_rows(&m->nodes, &m->arena, &m->table.nodes,
				 &m->table.count) != HPROF_OK)
		return hp_no_memory(error);
	return HPROF_OK;
}

static void drop_work(struct merged *m)
{
	hp_quick_edges_done(&m->quick);
	hp_root_paths_done(&m->paths);
	hp_free(m->steps);
	hp_free(m->key);
	hp_free(m->covered.known);
	hp_free(m->covered.yes);
	hp_free(m->of);
	hp_free(m->pending);
	hp_merged_nodes_done(&m->nodes);
}

enum hprof_status hprof_merged_paths_read(const struct hprof_graph *graph,
					  const size_t *rows, size_t row_count,
					  struct hprof_merged_paths **ret_table,
					  struct hprof_error *ret_error)
{
	enum hprof_status status;
	struct merged *m;

	HP_TRY(hp_graph_need(graph, HP_GRAPH_DOMINATORS | HP_GRAPH_EDGES,
			     ret_error));
	if (!rows && row_count)
		return hp_bad_argument(ret_error, "rows", "is NULL");
	HP_NEED(ret_error, ret_table);
	m = hp_calloc(1, sizeof *m);
	if (!m)
		return hp_no_memory(ret_error);
	m->table.impl = m;
	m->class_count = hprof_heap_summary(graph->heap)->class_count;
	m->entry_row = hprof_heap_class_named(
		graph->heap, "java.lang.ThreadLocal$ThreadLocalMap$Entry", 0);
	m->key = hp_class_marks(graph->heap, rows, row_count);
	status = m->key ? make_table(m, graph, ret_error)
			: hp_no_memory(ret_error);
	drop_work(m);
	if (status < 0) {
		hprof_merged_paths_free(&m->table);
		return status;
	}
	*ret_table = &m->table;
	return HPROF_OK;
}

void hprof_merged_paths_free(struct hprof_merged_paths *table)
{
	struct merged *m = table ? table->impl : NULL;

	if (!m)
		return;
	hp_arena_done(&m->arena);
	hp_free(m);
}
