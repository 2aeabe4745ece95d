/*
 * leaks.c - hprof_leaks_read: suspects with all that a person needs to judge
 * them. hunt.c finds them; here is what they keep, who owns them, and why
 * they are alive.
 */
#include "hprof/retained.h"

#include <stdlib.h>
#include <string.h>

#include "above.h"
#include "error.h"
#include "hunt.h"
#include "idmap.h"
#include "mem.h"
#include "paths.h"
#include "trails.h"

enum {
	CLASSES = 10, /* rows of what is kept */
	PATHS = 3,
	PARTS = 5,
	SAMPLES = 1000,	  /* members of a group that are asked for origins */
	PIVOTS = 3,	  /* ways of members that others are compared with */
	WAY_MAX = 1 << 16 /* steps of a way that are looked at */
};

/* Members of a group, evenly taken from all of them. */
struct sample {
	uint32_t *nodes;
	size_t count;
	bool needs_origin;
};

struct leaks {
	struct hprof_leak_table table;
	struct hp_arena arena;
	struct hp_above *above; /* labels are suspects */
	struct hp_begin *begins;
	struct hp_hunt hunt;
	struct hp_look look;
	struct hp_paths paths;
	struct hprof_graph *with_edges; /* where no other way helps */
	struct hp_class_keys classes;
	struct hp_sum *class_sums;
	uint32_t *copy_key; /* of a class object its name's, else 0 */
	struct hp_sum *copy_sums;
	/* For each suspect of the hunt: */
	struct sample *samples;
	struct hp_path_set *sets;
};

static uint32_t what_of(const struct leaks *l, uint32_t node)
{
	return hp_graph_what(l->look.graph, node);
}

static uint32_t above_of(const struct leaks *l, uint32_t node)
{
	uint64_t above = hprof_graph_dominator(l->look.graph, node);

	return above == HPROF_NO_OBJECT ? HP_NO_NODE : (uint32_t)above;
}

/* ---- what a key stands for ------------------------------------------------- */

static const char *key_name(const struct leaks *l, uint32_t key)
{
	return key == HP_NO_NODE ? NULL : hp_class_name(l->look.heap, key / 2);
}

static bool key_is_class(uint32_t key)
{
	return key != HP_NO_NODE && (key & 1);
}

static enum hprof_status hold(struct leaks *l, uint32_t node,
			      struct hprof_held *ret, struct hprof_error *error)
{
	return hp_held_get(&l->look,
			   node == HP_NO_NODE ? HPROF_NO_OBJECT : node, ret,
			   error);
}

/* ---- what is kept ------------------------------------------------------------ */

static int compare_shallow(const void *left, const void *right)
{
	const struct hprof_set_row *a = left, *b = right;

	if (a->shallow != b->shallow)
		return a->shallow > b->shallow ? -1 : 1;
	return strcmp(a->name ? a->name : "", b->name ? b->name : "");
}

static void clear_sums(struct leaks *l)
{
	memset(l->class_sums, 0, l->classes.count * sizeof *l->class_sums);
	memset(l->copy_sums, 0, l->hunt.what_count * sizeof *l->copy_sums);
}

static void sum_up(struct leaks *l, size_t i)
{
	const struct hp_division divisions[] = {
		{ l->classes.key, l->class_sums },
		{ l->copy_key, l->copy_sums },
	};

	clear_sums(l);
	hp_above_sum(l->above, (uint32_t)i + 1, divisions, 2);
}

static void find_main(const struct hprof_set_row *rows, size_t count,
		      struct hprof_leak *leak)
{
	for (size_t i = 0; i < count; i++)
		if (!hp_class_is_runtime(rows[i].name) &&
		    rows[i].retained > leak->main.retained)
			leak->main = rows[i];
}

static bool has_more(const struct hp_sum *a, const struct hp_sum *b)
{
	if (a->objects != b->objects)
		return a->objects > b->objects;
	return a->retained > b->retained;
}

static enum hprof_status find_copies(struct leaks *l, struct hprof_leak *leak,
				     struct hprof_error *error)
{
	const struct hprof_summary *summary = hprof_heap_summary(l->look.heap);
	struct hprof_held loader;
	uint32_t best = 0;

	for (uint32_t i = 1; i < l->hunt.what_count; i++)
		if (!best || has_more(&l->copy_sums[i], &l->copy_sums[best]))
			best = i;
	if (!best || l->copy_sums[best].objects < 2 ||
	    best / 2 >= summary->class_count)
		return HPROF_OK;
	leak->copies = l->copy_sums[best].objects;
	leak->copies_class = key_name(l, best);
	HP_TRY(hp_held_get(
		&l->look,
		hprof_heap_find(l->look.heap,
				summary->class_rows[best / 2].loader_id),
		&loader, error));
	leak->loader_class = loader.class_name;
	return HPROF_OK;
}

static enum hprof_status find_classes(struct leaks *l, size_t suspect,
				      struct hprof_leak *leak,
				      struct hprof_error *error)
{
	struct hp_arena arena = { 0 };
	struct hprof_set_row *rows;
	size_t count = 0;

	sum_up(l, suspect);
	for (size_t i = 0; i < l->classes.count; i++)
		leak->objects += l->class_sums[i].objects;
	rows = hp_set_rows(&arena, l->class_sums, l->classes.names,
			   l->classes.count, &count);
	if (rows) {
		find_main(rows, count, leak);
		qsort(rows, count, sizeof *rows, compare_shallow);
		leak->class_count = count < CLASSES ? count : CLASSES;
		leak->classes = hp_arena_take(&l->arena,
					      CLASSES * sizeof *leak->classes);
	}
	if (leak->classes)
		memcpy(leak->classes, rows, leak->class_count * sizeof *rows);
	hp_arena_done(&arena);
	return leak->classes ? find_copies(l, leak, error)
			     : hp_no_memory(error);
}

/* ---- where groups come from -------------------------------------------------- */

static int take_sample(struct leaks *l, const struct hp_suspect *suspect,
		       struct sample *sample)
{
	uint64_t every = suspect->members / SAMPLES + 1, seen = 0;
	const uint32_t *end;
	const uint32_t *child = hp_hunt_kids(&l->hunt, suspect->above, &end);

	sample->count = 0;
	sample->nodes = hp_calloc(SAMPLES + 1, sizeof *sample->nodes);
	if (!sample->nodes)
		return -1;
	for (; child < end; child++)
		if (l->hunt.key[what_of(l, *child)] == suspect->key &&
		    seen++ % every == 0 && sample->count < SAMPLES)
			sample->nodes[sample->count++] = *child;
	return 0;
}

/* The way of one member, root last, and how many others come by it where. */
struct pivot {
	uint64_t *way;
	uint64_t *joined;
	size_t count;
	struct hp_idmap at; /* object + 1 -> its place in joined */
};

/* Ways are a tree: where two of them meet, they go on together. */
static void join(const struct hprof_ways *ways, const struct pivot *pivot,
		 uint64_t object)
{
	size_t steps = 0;

	while (object != HPROF_NO_OBJECT && steps++ < WAY_MAX) {
		uint64_t *joined = hp_idmap_get(&pivot->at, object + 1);

		if (joined) {
			++*joined;
			return;
		}
		object = hprof_ways_before(ways, object);
	}
}

static int begin_pivot(const struct hprof_ways *ways, struct pivot *pivot,
		       uint64_t object)
{
	pivot->count = 0;
	hp_idmap_done(&pivot->at);
	if (hp_idmap_init(&pivot->at, 2) != 0)
		return -1;
	while (object != HPROF_NO_OBJECT && pivot->count < WAY_MAX) {
		size_t i = pivot->count++;

		pivot->joined[i] = 0;
		pivot->way[i] = object;
		if (hp_idmap_put(&pivot->at, object + 1, &pivot->joined[i]))
			return -1;
		object = hprof_ways_before(ways, object);
	}
	return 0;
}

/* The object nearest to the members that nearly all of them come by. */
static int origin_by(const struct hprof_ways *ways, struct pivot *pivot,
		     const struct sample *sample, size_t first, uint64_t *ret)
{
	uint64_t needed = (sample->count * HP_LEAK_ORIGIN_PERCENT + 99) / 100;
	uint64_t sum = 0;

	if (begin_pivot(ways, pivot, sample->nodes[first]) != 0)
		return -1;
	for (size_t i = 0; i < sample->count; i++)
		join(ways, pivot, sample->nodes[i]);
	for (size_t i = 0; i < pivot->count; i++) {
		sum += pivot->joined[i];
		if (sum < needed || i == 0)
			continue;
		*ret = pivot->way[i];
		break;
	}
	return 0;
}

static enum hprof_status find_origin(const struct leaks *l,
				     const struct sample *sample, uint64_t *ret,
				     struct hprof_error *error)
{
	struct pivot pivot = { .way = hp_calloc(WAY_MAX, sizeof *pivot.way) };
	bool good;

	pivot.joined = hp_calloc(WAY_MAX, sizeof *pivot.joined);
	good = pivot.way && pivot.joined;
	*ret = HPROF_NO_OBJECT;
	for (size_t i = 0; good && i < PIVOTS && *ret == HPROF_NO_OBJECT; i++)
		if (i < sample->count)
			good = origin_by(l->paths.ways, &pivot, sample,
					 sample->count * i / PIVOTS, ret) == 0;
	hp_idmap_done(&pivot.at);
	hp_free(pivot.way);
	hp_free(pivot.joined);
	return good ? HPROF_OK : hp_no_memory(error);
}

/*
 * Small objects that many others share belong to nobody in particular; what
 * comes from one place does.
 */
static bool needs_origin(const struct leaks *l, const struct hp_suspect *group)
{
	uint64_t largest = hprof_graph_retained(l->look.graph, group->largest);

	return group->above == HP_NO_NODE &&
	       !hp_hunt_is_hub(&l->hunt, group->largest) &&
	       largest < l->hunt.live / 100 * HP_LEAK_MEMBER_PERCENT;
}

/* ---- with the tree ----------------------------------------------------------- */

static enum hprof_status find_owner(struct leaks *l, uint32_t node,
				    struct hprof_leak *leak,
				    struct hprof_error *error)
{
	while (node != HP_NO_NODE &&
	       hp_class_is_runtime(
		       hp_class_name(l->look.heap, what_of(l, node) / 2)))
		node = above_of(l, node);
	return hold(l, node, &leak->owner, error);
}

static void find_items(struct leaks *l, uint32_t node, struct hprof_leak *leak)
{
	struct hp_kin kin = hp_hunt_kin(&l->hunt, node);

	leak->item_class = key_name(l, kin.key);
	leak->item_is_class = key_is_class(kin.key);
	leak->items = kin.count;
	leak->item_retained = kin.retained;
	leak->all_items = kin.all;
}

/* The children of NODE that retain most: at most PARTS. */
static size_t find_largest(const struct leaks *l, uint32_t node,
			   uint32_t largest[PARTS])
{
	const struct hprof_graph *graph = l->look.graph;
	const uint32_t *end, *kid = hp_hunt_kids(&l->hunt, node, &end);
	size_t count = 0;

	for (; kid < end; kid++) {
		uint64_t size = hprof_graph_retained(graph, *kid);
		size_t i = count;

		while (i > 0 &&
		       hprof_graph_retained(graph, largest[i - 1]) < size)
			i--;
		if (i == PARTS)
			continue;
		count += count < PARTS;
		memmove(largest + i + 1, largest + i,
			(count - 1 - i) * sizeof *largest);
		largest[i] = *kid;
	}
	return count;
}

/*
 * An object of a program has fields with names, each with something of its
 * own; elements of an array are much the same.
 */
static enum hprof_status find_parts(struct leaks *l, uint32_t node,
				    struct hprof_leak *leak,
				    struct hprof_error *error)
{
	uint32_t largest[PARTS];
	size_t count;

	if (leak->kind != HPROF_LEAK_POINT ||
	    (leak->point.kind != HPROF_OBJECT_INSTANCE &&
	     leak->point.kind != HPROF_OBJECT_CLASS))
		return HPROF_OK;
	count = find_largest(l, node, largest);
	leak->parts =
		hp_arena_take(&l->arena, (count + 1) * sizeof *leak->parts);
	if (!leak->parts)
		return hp_no_memory(error);
	for (size_t i = 0; i < count; i++) {
		struct hprof_leak_part *part = &leak->parts[i];

		HP_TRY(hp_paths_step(&l->paths, node, largest[i], &part->step,
				     &part->direct, error));
		if (part->step.held.retained < leak->retained / 100)
			break;
		leak->part_count++;
	}
	return HPROF_OK;
}

static enum hprof_status describe_group(struct leaks *l, size_t i,
					struct hprof_leak *leak,
					struct hprof_error *error)
{
	const struct hp_suspect *suspect = &l->hunt.suspects[i];

	leak->member_class = key_name(l, suspect->key);
	leak->member_is_class = key_is_class(suspect->key);
	leak->members = suspect->members;
	l->samples[i].needs_origin = needs_origin(l, suspect);
	if (take_sample(l, suspect, &l->samples[i]) != 0)
		return hp_no_memory(error);
	return hold(l, suspect->largest, &leak->member, error);
}

static enum hprof_status describe(struct leaks *l, size_t i,
				  struct hprof_leak *leak,
				  struct hprof_error *error)
{
	const struct hp_suspect *suspect = &l->hunt.suspects[i];
	bool is_group = suspect->kind == HPROF_LEAK_GROUP;

	*leak = (struct hprof_leak){ .kind = suspect->kind,
				     .retained = suspect->retained };
	leak->origin.object = leak->member.object = HPROF_NO_OBJECT;
	HP_TRY(hold(l, suspect->point, &leak->point, error));
	HP_TRY(find_owner(l, is_group ? suspect->above : suspect->point, leak,
			  error));
	find_items(l, suspect->point, leak);
	HP_TRY(find_parts(l, suspect->point, leak, error));
	HP_TRY(find_classes(l, i, leak, error));
	return is_group ? describe_group(l, i, leak, error) : HPROF_OK;
}

static enum hprof_status describe_all(struct leaks *l,
				      struct hprof_error *error)
{
	for (size_t i = 0; i < l->hunt.count; i++)
		HP_TRY(describe(l, i, &l->table.leaks[i], error));
	return HPROF_OK;
}

/* ---- origins and paths ------------------------------------------------------- */

/* Members that are roots, or that what dominates them refers to itself. */
static enum hprof_status count_near(struct leaks *l, uint32_t above,
				    const struct sample *sample,
				    size_t *ret_roots, size_t *ret_direct,
				    struct hprof_error *error)
{
	*ret_roots = *ret_direct = 0;
	for (size_t i = 0; i < sample->count; i++)
		*ret_roots += hprof_graph_is_root(l->look.graph,
						  sample->nodes[i]);
	if (above == HP_NO_NODE)
		return HPROF_OK;
	return hp_trails_count(&l->look, above, sample->nodes, sample->count,
			       ret_direct, error);
}

/*
 * The origin, where no search is needed for it. Roots have none; and there is
 * nothing between an object and those that it refers to.
 */
static enum hprof_status guess_origin(struct leaks *l, size_t i,
				      uint64_t *ret_origin, bool *ret_known,
				      struct hprof_error *error)
{
	const struct sample *sample = &l->samples[i];
	uint32_t above = l->hunt.suspects[i].above;
	size_t roots, direct, needed;

	HP_TRY(count_near(l, above, sample, &roots, &direct, error));
	needed = (sample->count * HP_LEAK_ORIGIN_PERCENT + 99) / 100;
	*ret_origin = HPROF_NO_OBJECT;
	*ret_known = sample->count - roots < needed;
	if (above != HP_NO_NODE && direct >= needed) {
		*ret_origin = above;
		*ret_known = true;
	}
	return HPROF_OK;
}

static enum hprof_status take_origin(struct leaks *l, size_t i, uint64_t origin,
				     struct hprof_error *error)
{
	struct hprof_leak *leak = &l->table.leaks[i];

	HP_TRY(hp_held_get(&l->look, origin, &leak->origin, error));
	if (origin != HPROF_NO_OBJECT)
		l->sets[i].object = origin;
	else if (l->samples[i].needs_origin)
		l->sets[i].object = HPROF_NO_OBJECT;
	return HPROF_OK;
}

/* Sets of those whose origin has to be searched for are empty for now. */
static enum hprof_status guess_origins(struct leaks *l, bool *known,
				       struct hprof_error *error)
{
	for (size_t i = 0; i < l->hunt.count; i++) {
		const struct hprof_leak *leak = &l->table.leaks[i];
		uint64_t origin = HPROF_NO_OBJECT;

		l->sets[i].object = leak->point.object;
		known[i] = true;
		if (leak->kind != HPROF_LEAK_GROUP)
			continue;
		HP_TRY(guess_origin(l, i, &origin, &known[i], error));
		if (known[i])
			HP_TRY(take_origin(l, i, origin, error));
		else
			l->sets[i].object = HPROF_NO_OBJECT;
	}
	return HPROF_OK;
}

/* All that is not FOUND, by the shortest ways of a graph with all edges. */
static enum hprof_status search_ways(struct leaks *l, const bool *known,
				     const bool *found,
				     struct hprof_error *error)
{
	struct hp_path_set *set;
	uint64_t origin;

	for (size_t i = 0; i < l->hunt.count; i++) {
		set = &l->sets[i];
		if (!known[i]) {
			HP_TRY(find_origin(l, &l->samples[i], &origin, error));
			set->object = l->table.leaks[i].point.object;
			HP_TRY(take_origin(l, i, origin, error));
		}
		if (known[i] && (found[i] || set->object == HPROF_NO_OBJECT))
			continue;
		HP_TRY(hp_paths_find(&l->paths, set, 1, PATHS, error));
	}
	return HPROF_OK;
}

static enum hprof_status build_ways(struct leaks *l, struct hprof_error *error)
{
	struct hprof_graph_options how = l->look.graph->options;

	if (how.edges)
		return hp_paths_take_ways(&l->paths, l->look.graph, error);
	how.edges = true;
	how.dominators = how.unreachable = false;
	HP_TRY(hprof_graph_build(l->look.heap, &how, &l->with_edges, error));
	return hp_paths_take_ways(&l->paths, l->with_edges, error);
}

static enum hprof_status leave_open(struct leaks *l, const bool *known)
{
	for (size_t i = 0; i < l->hunt.count; i++) {
		if (known[i])
			continue;
		l->table.leaks[i].origin.object = HPROF_NO_OBJECT;
		l->sets[i].object = l->table.leaks[i].point.object;
	}
	return HPROF_OK;
}

static enum hprof_status find_paths(struct leaks *l, bool *known, bool *found,
				    struct hprof_error *error)
{
	enum hprof_status status;
	bool all = true;

	HP_TRY(guess_origins(l, known, error));
	HP_TRY(hp_trails_find(&l->paths, l->sets, l->hunt.count, PATHS, found,
			      error));
	for (size_t i = 0; i < l->hunt.count; i++)
		all = all && known[i] &&
		      (found[i] || l->sets[i].object == HPROF_NO_OBJECT);
	if (all)
		return HPROF_OK;
	status = build_ways(l, error);
	if (status == HPROF_E_LIMIT)
		return leave_open(l, known); /* suspects without a path */
	HP_TRY(status);
	return search_ways(l, known, found, error);
}

static enum hprof_status explain(struct leaks *l, struct hprof_error *error)
{
	bool *known = hp_calloc(l->hunt.count + 1, 2 * sizeof *known);
	enum hprof_status status;

	if (!known)
		return hp_no_memory(error);
	status = find_paths(l, known, known + l->hunt.count, error);
	hp_free(known);
	return status;
}

/* Suspects without an origin that need one are none. */
static void keep_suspects(struct leaks *l)
{
	for (size_t i = 0; i < l->hunt.count; i++) {
		struct hprof_leak *leak = &l->table.leaks[i];

		if (l->sets[i].object == HPROF_NO_OBJECT)
			continue;
		leak->paths = l->sets[i].paths;
		leak->path_count = l->sets[i].count;
		l->table.leaks[l->table.count++] = *leak;
	}
}

/* ---- the table -------------------------------------------------------------- */

static struct hp_begin begin_of(const struct leaks *l,
				const struct hp_suspect *suspect)
{
	if (suspect->kind == HPROF_LEAK_GROUP)
		return (struct hp_begin){ suspect->above, HP_NO_NODE,
					  suspect->key };
	return (struct hp_begin){ above_of(l, suspect->point), suspect->point,
				  0 };
}

static int take_sums(struct leaks *l)
{
	size_t count = l->hunt.count + 1;

	l->copy_key = hp_calloc(l->hunt.what_count, sizeof *l->copy_key);
	l->copy_sums = hp_calloc(l->hunt.what_count, sizeof *l->copy_sums);
	l->begins = hp_calloc(count, sizeof *l->begins);
	l->samples = hp_calloc(count, sizeof *l->samples);
	l->sets = hp_calloc(count, sizeof *l->sets);
	l->table.leaks =
		hp_arena_take(&l->arena, count * sizeof *l->table.leaks);
	if (!l->copy_key || !l->copy_sums || !l->begins || !l->samples ||
	    !l->sets || !l->table.leaks ||
	    hp_class_keys_init(&l->classes, l->look.heap) != 0)
		return -1;
	for (uint32_t i = 1; i < l->hunt.what_count; i += 2)
		l->copy_key[i] = l->hunt.key[i];
	for (size_t i = 0; i < l->hunt.count; i++)
		l->begins[i] = begin_of(l, &l->hunt.suspects[i]);
	l->class_sums = hp_calloc(l->classes.count, sizeof *l->class_sums);
	return l->class_sums ? 0 : -1;
}

static enum hprof_status make_table(struct leaks *l, struct hprof_error *error)
{
	const struct hprof_heap *heap = l->look.heap;
	const struct hprof_graph *graph = l->look.graph;

	HP_TRY(hp_hunt_run(&l->hunt, heap, graph, error));
	l->table.live = l->hunt.live;
	l->table.threshold = l->hunt.threshold;
	if (!l->hunt.count)
		return HPROF_OK;
	if (take_sums(l) != 0)
		return hp_no_memory(error);
	HP_TRY(hprof_cursor_new(heap, &l->look.cursor, error));
	HP_TRY(hp_above_find(heap, graph, l->begins, l->hunt.count,
			     l->hunt.key, &l->above, error));
	HP_TRY(hp_paths_init(&l->paths, heap, graph, &l->arena, error));
	HP_TRY(describe_all(l, error));
	HP_TRY(explain(l, error));
	keep_suspects(l);
	return HPROF_OK;
}

static void drop_work(struct leaks *l)
{
	for (size_t i = 0; l->samples && i < l->hunt.count; i++)
		hp_free(l->samples[i].nodes);
	hp_free(l->samples);
	hp_free(l->sets);
	hp_paths_done(&l->paths);
	hprof_graph_free(l->with_edges);
	hp_hunt_done(&l->hunt);
	hp_above_done(l->above);
	hp_free(l->begins);
	hp_class_keys_done(&l->classes);
	hprof_cursor_free(l->look.cursor);
	hp_free(l->class_sums);
	hp_free(l->copy_key);
	hp_free(l->copy_sums);
}

enum hprof_status hprof_leaks_read(const struct hprof_heap *heap,
				   const struct hprof_graph *graph,
				   struct hprof_leak_table **ret_table,
				   struct hprof_error *ret_error)
{
	enum hprof_status status;
	struct leaks *l;

	if (!heap || !graph || !ret_table)
		return hp_wrong_arguments(ret_error);
	l = hp_calloc(1, sizeof *l);
	if (!l)
		return hp_no_memory(ret_error);
	l->table.impl = l;
	l->look = (struct hp_look){ heap, graph, NULL };
	status = make_table(l, ret_error);
	drop_work(l);
	if (status < 0) {
		hprof_leak_table_free(&l->table);
		return status;
	}
	*ret_table = &l->table;
	return HPROF_OK;
}

void hprof_leak_table_free(struct hprof_leak_table *table)
{
	struct leaks *l = table ? table->impl : NULL;

	if (!l)
		return;
	hp_arena_done(&l->arena);
	hp_free(l);
}
