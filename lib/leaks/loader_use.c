/* SPDX-License-Identifier: MIT */
/*
 * loader_use.c - hprof_loader_use_read: the tree of class loaders, what each
 * has defined and keeps, and classes that several have defined.
 */
#include "hprof/leaks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "graph/kind_search.h"
#include "leaks/loader_holders.h"
#include "leaks/loader_names.h"

enum { OTHERS_MOST = 100000 }; /* loaders that have defined nothing */

/* A loader can be told only by an id, which the parents of others add. */
struct uses {
	struct hprof_loader_use_table table;
	struct hp_arena arena;
	struct hp_look look;
	const struct hprof_summary *summary;
	struct hprof_loader_use *rows;
	uint64_t *parent_ids; /* of each row */
	size_t count, room, parent_room;
	struct hp_u64_map by_id; /* rows by id + 1 */
	size_t *row_of_class;
};

/* ---- which loaders there are --------------------------------------------- */

static size_t row_of_id(const struct uses *u, uint64_t id)
{
	return hp_u64_map_number(&u->by_id, id + 1);
}

static enum hprof_status add_loader(struct uses *u, uint64_t id)
{
	if (row_of_id(u, id) != SIZE_MAX)
		return HPROF_OK;
	HP_TRY(hp_grow((void **)&u->rows, &u->room, u->count, sizeof *u->rows));
	HP_TRY(hp_grow((void **)&u->parent_ids, &u->parent_room, u->count,
		       sizeof *u->parent_ids));
	HP_TRY(hp_u64_map_put_number(&u->by_id, id + 1, u->count));
	u->parent_ids[u->count] = 0;
	u->rows[u->count++] = (struct hprof_loader_use){
		.loader_id = id,
		.loader.object = HPROF_NO_OBJECT,
		.parent = SIZE_MAX,
		.owner_step = SIZE_MAX,
	};
	return HPROF_OK;
}

static enum hprof_loader_state state_of(const struct uses *u,
					const struct hprof_loader_use *row,
					const struct hp_loader_self *self)
{
	if (self->is_system)
		return HPROF_LOADER_SYSTEM;
	if (!hprof_graph_is_reachable(u->look.graph, row->loader.object))
		return HPROF_LOADER_UNREACHABLE;
	return self->is_stopped ? HPROF_LOADER_STOPPED : HPROF_LOADER_ALIVE;
}

/* Looks at row I, and adds its parent behind all others. */
static enum hprof_status look_at(struct uses *u,
				 const struct hp_loader_names *names, size_t i,
				 struct hprof_error *error)
{
	struct hprof_loader_use *row = &u->rows[i];
	uint64_t object = hprof_heap_find(u->look.heap, row->loader_id);
	struct hp_loader_self self;

	if (object == HPROF_NO_OBJECT) {
		row->state = row->loader_id ? HPROF_LOADER_UNREACHABLE
					    : HPROF_LOADER_SYSTEM;
		row->name = row->loader_id ? NULL : "<boot>";
		return HPROF_OK;
	}
	HP_TRY(hp_object_info_get(&u->look, object, &row->loader, error));
	HP_TRY(hp_loader_names_get(names, object, &self, error));
	row->name = self.name;
	row->state = state_of(u, row, &self);
	u->table.stopped += row->state == HPROF_LOADER_STOPPED;
	u->parent_ids[i] = self.parent_id;
	return add_loader(u, self.parent_id) == HPROF_OK ? HPROF_OK
							 : hp_no_memory(error);
}

/* Of each kind, see object_kind.h: its objects are loaders. NULL: no memory. */
static uint8_t *loader_kinds(const struct uses *u, size_t base)
{
	const struct hprof_heap *heap = u->look.heap;
	size_t count = u->summary->class_count;
	size_t boot = hprof_heap_class_named(
		heap, "jdk.internal.loader.ClassLoaders$BootClassLoader", 0);
	uint8_t *kinds = hp_calloc(hp_kind_count(count), sizeof *kinds);

	for (size_t row = 0; kinds && row < count; row++)
		kinds[hp_kind_of_instances(row)] =
			row != boot && hprof_heap_class_is(heap, row, base);
	return kinds;
}

/*
 * Adds the reachable loaders that have defined nothing, but not the object that
 * stands for the boot loader, which is row 0.
 */
static enum hprof_status add_others(struct uses *u, const uint8_t *is_loader,
				    struct hprof_error *error)
{
	const struct hprof_graph *graph = u->look.graph;
	uint64_t count = hprof_heap_count(u->look.heap);
	size_t most = u->count + OTHERS_MOST;
	uint64_t i = hp_kind_search_next(graph, is_loader, 0);
	struct hprof_object object;

	for (; i < count && u->count < most;
	     i = hp_kind_search_next(graph, is_loader, i + 1)) {
		if (!hprof_graph_is_reachable(graph, i))
			continue;
		if (hprof_cursor_seek(u->look.cursor, i, &object) < 0)
			return hp_look_failure(&u->look, error);
		if (add_loader(u, object.id) != HPROF_OK)
			return hp_no_memory(error);
	}
	return HPROF_OK;
}

static enum hprof_status find_others(struct uses *u, size_t base,
				     struct hprof_error *error)
{
	uint8_t *is_loader = loader_kinds(u, base);
	enum hprof_status status = is_loader ? add_others(u, is_loader, error)
					     : hp_no_memory(error);

	hp_free(is_loader);
	return status;
}

static enum hprof_status look_at_all(struct uses *u,
				     const struct hp_loader_names *names,
				     struct hprof_error *error)
{
	if (names->loader_row != SIZE_MAX)
		HP_TRY(find_others(u, names->loader_row, error));
	for (size_t i = 0; i < u->count; i++)
		HP_TRY(look_at(u, names, i, error));
	return HPROF_OK;
}

static enum hprof_status find_loaders(struct uses *u, struct hprof_error *error)
{
	const struct hprof_class_row *classes = u->summary->class_rows;
	struct hp_loader_names names;
	enum hprof_status status = add_loader(u, 0);

	for (size_t i = 0; i < u->summary->class_count && status == HPROF_OK;
	     i++)
		status = add_loader(u, classes[i].loader_id);
	if (status != HPROF_OK ||
	    hp_loader_names_init(&names, &u->look, &u->arena) != HPROF_OK)
		return hp_no_memory(error);
	status = look_at_all(u, &names, error);
	hp_loader_names_done(&names);
	return status;
}

/* ---- what they have ------------------------------------------------------ */

static void count_classes(struct uses *u)
{
	for (size_t i = 0; i < u->summary->class_count; i++) {
		const struct hprof_class_row *class =
			&u->summary->class_rows[i];
		struct hprof_loader_use *row = &u->rows[u->row_of_class[i]];

		row->classes += class->kind == HPROF_CLASS_PLAIN;
		row->instances += class->instances;
		row->shallow += class->shallow;
	}
}

static enum hprof_status sum_retained(struct uses *u, struct hprof_error *error)
{
	size_t classes = u->summary->class_count;
	uint32_t *sets = hp_calloc(classes + 1, sizeof *sets);
	struct hprof_set_sum *sums = hp_calloc(u->count + 1, sizeof *sums);
	struct hprof_retained_groups groups = { .instances = sets,
						.class_objects = sets,
						.sums = sums,
						.set_count =
							(uint32_t)u->count };
	enum hprof_status status;

	for (size_t i = 0; sets && i < classes; i++)
		sets[i] = (uint32_t)u->row_of_class[i];
	if (sets)
		sets[classes] = UINT32_MAX;
	status = sets && sums ? hprof_retained_by_group(u->look.graph, &groups,
							1, error)
			      : hp_no_memory(error);
	for (size_t i = 0; status == HPROF_OK && i < u->count; i++)
		u->rows[i].retained = sums[i].retained;
	hp_free(sets);
	hp_free(sums);
	return status;
}

/* ---- classes of several loaders ------------------------------------------ */

struct named {
	const char *name;
	size_t row, loader;
};

static int compare_named(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	if (order)
		return order;
	if (a->loader != b->loader)
		return a->loader < b->loader ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

static int compare_duplicates(const void *left, const void *right)
{
	const struct hprof_duplicate_class *a = left, *b = right;

	if (a->loaders != b->loaders)
		return a->loaders > b->loaders ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* COUNT classes of one name. */
static void add_duplicate(struct uses *u, const struct named *named,
			  size_t count)
{
	struct hprof_loader_use_table *t = &u->table;
	uint64_t loaders = 1;

	for (size_t i = 1; i < count; i++)
		loaders += named[i].loader != named[i - 1].loader;
	if (loaders < 2)
		return;
	t->duplicates[t->duplicate_count++] =
		(struct hprof_duplicate_class){ named[0].name, loaders,
						named[0].row };
	for (size_t i = 0; i < count; i++)
		u->rows[named[i].loader].duplicates++;
}

static enum hprof_status find_duplicates(struct uses *u)
{
	size_t count = 0;
	struct named *named =
		hp_calloc(u->summary->class_count + 1, sizeof *named);

	u->table.duplicates = hp_calloc(u->summary->class_count / 2 + 1,
					sizeof *u->table.duplicates);
	if (!named || !u->table.duplicates) {
		hp_free(named);
		return HPROF_E_NOMEM;
	}
	for (size_t i = 0; i < u->summary->class_count; i++)
		if (u->summary->class_rows[i].kind == HPROF_CLASS_PLAIN)
			named[count++] =
				(struct named){ u->summary->class_rows[i].name,
						i, u->row_of_class[i] };
	if (count)
		qsort(named, count, sizeof *named, compare_named);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count; end++)
			if (strcmp(named[end].name, named[i].name) != 0)
				break;
		add_duplicate(u, &named[i], end - i);
	}
	if (u->table.duplicate_count)
		qsort(u->table.duplicates, u->table.duplicate_count,
		      sizeof *u->table.duplicates, compare_duplicates);
	hp_free(named);
	return HPROF_OK;
}

/* ---- the tree ------------------------------------------------------------ */

/* A row before it is in its place: PARENT is one of the old rows. */
struct place {
	size_t row, parent;
	uint64_t retained, id;
};

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->retained != b->retained)
		return a->retained > b->retained ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

struct tree {
	struct place *places; /* sorted: children of one parent together */
	size_t *first;	      /* of each old row, its first child in places */
	size_t *moved_to;     /* of each old row its new one, or SIZE_MAX */
	struct hprof_loader_use *rows;
	size_t count, used;
};

/* Adds the old row I and all below, without recursion. */
static void add_below(struct tree *t, const struct hprof_loader_use *old,
		      size_t row, size_t *stack)
{
	size_t depth = 0;

	stack[depth++] = row;
	while (depth) {
		size_t i = stack[--depth], end, parent = old[i].parent;
		struct hprof_loader_use *to;

		if (t->moved_to[i] != SIZE_MAX)
			continue; /* a circle of parents */
		to = &t->rows[t->used];
		*to = old[i];
		to->parent = parent == SIZE_MAX || i == row
				     ? SIZE_MAX
				     : t->moved_to[parent];
		to->depth = to->parent == SIZE_MAX
				    ? 0
				    : t->rows[to->parent].depth + 1;
		t->moved_to[i] = t->used++;
		for (end = t->first[i];
		     end < t->count && t->places[end].parent == i; end++)
			;
		/* The last one on the stack is the next: siblings backwards. */
		while (end > t->first[i] && t->first[i] != SIZE_MAX)
			stack[depth++] = t->places[--end].row;
	}
}

static enum hprof_status begin_tree(const struct uses *u, struct tree *t)
{
	size_t n = u->count + 1;

	t->count = u->count;
	t->places = hp_calloc(n, sizeof *t->places);
	t->first = hp_calloc(n, sizeof *t->first);
	t->moved_to = hp_calloc(n, sizeof *t->moved_to);
	t->rows = hp_calloc(n, sizeof *t->rows);
	if (!t->places || !t->first || !t->moved_to || !t->rows)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i < u->count; i++) {
		t->places[i] = (struct place){ i, u->rows[i].parent,
					       u->rows[i].retained,
					       u->rows[i].loader_id };
		t->first[i] = t->moved_to[i] = SIZE_MAX;
	}
	qsort(t->places, u->count, sizeof *t->places, compare_places);
	for (size_t i = u->count; i-- > 0;)
		if (t->places[i].parent != SIZE_MAX)
			t->first[t->places[i].parent] = i;
	return HPROF_OK;
}

/* Puts the rows in the order of the tree; boot comes first. */
static enum hprof_status sort_rows(struct uses *u)
{
	size_t *stack = hp_calloc(u->count + 1, sizeof *stack);
	struct tree t = { 0 };
	enum hprof_status status = HPROF_E_NOMEM;

	for (size_t i = 1; i < u->count; i++)
		u->rows[i].parent = row_of_id(u, u->parent_ids[i]);
	if (stack && begin_tree(u, &t) == HPROF_OK) {
		struct hprof_loader_use *old = u->rows;

		for (size_t i = 0; i < u->count; i++)
			if (t.moved_to[i] == SIZE_MAX)
				add_below(&t, old, i, stack);
		assert(t.used == u->count);
		for (size_t i = 0; i < u->summary->class_count; i++)
			u->row_of_class[i] = t.moved_to[u->row_of_class[i]];
		u->rows = t.rows;
		t.rows = old;
		status = HPROF_OK;
	}
	hp_free(stack);
	hp_free(t.places);
	hp_free(t.first);
	hp_free(t.moved_to);
	hp_free(t.rows);
	return status;
}

/* ---- all together -------------------------------------------------------- */

static enum hprof_status take_classes(struct uses *u)
{
	u->row_of_class =
		hp_calloc(u->summary->class_count + 1, sizeof *u->row_of_class);
	if (!u->row_of_class)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i < u->summary->class_count; i++)
		u->row_of_class[i] =
			row_of_id(u, u->summary->class_rows[i].loader_id);
	return HPROF_OK;
}

static enum hprof_status make_table(struct uses *u,
				    const struct hprof_graph *graph,
				    struct hprof_error *error)
{
	struct hp_root_paths paths;
	enum hprof_status status =
		hp_root_paths_init(&paths, graph, &u->arena, error);

	u->look = paths.look;
	if (status == HPROF_OK && hp_u64_map_init(&u->by_id, 2) != HPROF_OK)
		status = hp_no_memory(error);
	if (status == HPROF_OK)
		status = find_loaders(u, error);
	if (status == HPROF_OK && take_classes(u) != HPROF_OK)
		status = hp_no_memory(error);
	if (status == HPROF_OK) {
		count_classes(u);
		status = sum_retained(u, error);
	}
	if (status == HPROF_OK &&
	    (sort_rows(u) != HPROF_OK || find_duplicates(u) != HPROF_OK))
		status = hp_no_memory(error);
	if (status == HPROF_OK) {
		struct hp_loader_holders holders = { &paths, u->rows, u->count,
						     u->row_of_class };

		status = hp_loader_holders_find(&holders, error);
	}
	hp_root_paths_done(&paths);
	return status;
}

enum hprof_status hprof_loader_use_read(const struct hprof_graph *graph,
					struct hprof_loader_use_table **ret,
					struct hprof_error *ret_error)
{
	struct hprof_error local, *error = ret_error ? ret_error : &local;
	enum hprof_status status;
	struct uses *u;

	HP_TRY(hp_graph_need(graph, HP_GRAPH_DOMINATORS, error));
	if (!ret)
		return hp_bad_argument(error, "ret_table", "is NULL");
	u = hp_calloc(1, sizeof *u);
	if (!u)
		return hp_no_memory(error);
	u->table.impl = u;
	u->summary = hprof_heap_summary(graph->heap);
	status = make_table(u, graph, error);
	if (u->by_id.slots)
		hp_u64_map_done(&u->by_id);
	hp_free(u->parent_ids);
	u->parent_ids = NULL;
	u->table.rows = u->rows;
	u->table.count = u->count;
	u->table.row_of_class = u->row_of_class;
	if (status < 0) {
		hprof_loader_use_free(&u->table);
		return status;
	}
	*ret = &u->table;
	return HPROF_OK;
}

void hprof_loader_use_free(struct hprof_loader_use_table *table)
{
	struct uses *u = table ? table->impl : NULL;

	if (!u)
		return;
	hp_free(u->rows);
	hp_free(u->row_of_class);
	hp_free(table->duplicates);
	hp_arena_done(&u->arena);
	hp_free(u);
}
