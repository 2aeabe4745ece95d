/*
 * test_diff.c - what differs between dumps: names, rows, paths, and what sets
 * retain; against what is right by definition, and when memory is short.
 */
#include "fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hprof.h>

#include "heaps.h"
#include "maker.h"
#include "mem.h"

/* ---- names ------------------------------------------------------------------- */

Test(diff, names)
{
	static const char *const names[][2] = {
		{ "java.lang.String", "java.lang.String" },
		{ "int[]", "int[]" },
		{ "", "" },
		{ "com.Foo$$Lambda$15+0x0000000800c4b020", "com.Foo$$Lambda" },
		{ "com.Foo$$Lambda+0x00007f0c0c4b0200", "com.Foo$$Lambda" },
		{ "com.Foo$$Lambda/0x00007f0c0c4b0200", "com.Foo$$Lambda" },
		{ "com.Foo$$Lambda$7.0x7f", "com.Foo$$Lambda" },
		{ "com.Foo$$Lambda$7/1234567", "com.Foo$$Lambda" },
		{ "com.Foo$$Lambda$7", "com.Foo$$Lambda" },
		{ "com.Foo$$Lambda$7[][]", "com.Foo$$Lambda[][]" },
		{ "com.Foo$$Lambda$7+0x12[]", "com.Foo$$Lambda[]" },
		{ "com.Foo$$Lambda$x", "com.Foo$$Lambda$x" },
		{ "java.lang.invoke.LambdaForm$MH.1234",
		  "java.lang.invoke.LambdaForm$MH" },
		{ "java.lang.invoke.LambdaForm$MH+0x0123",
		  "java.lang.invoke.LambdaForm$MH" },
		{ "com.sun.proxy.$Proxy12", "com.sun.proxy.$Proxy" },
		{ "jdk.proxy2.$Proxy12", "jdk.proxy.$Proxy" },
		{ "jdk.proxy2", "jdk.proxy" },
		{ "$Proxy3", "$Proxy" },
		{ "$Proxy3a", "$Proxy3a" },
		{ "com.Foo$Proxy3", "com.Foo$Proxy3" },
		{ "jdk.internal.reflect.GeneratedMethodAccessor12",
		  "jdk.internal.reflect.GeneratedMethodAccessor" },
		{ "com.MyGeneratedMethodAccessor12",
		  "com.MyGeneratedMethodAccessor12" },
		{ "com.Foo$$EnhancerBySpringCGLIB$$a1b2c3d4",
		  "com.Foo$$EnhancerBySpringCGLIB" },
		{ "com.Foo$$EnhancerBySpringCGLIB$$a1b2c3d4$$Lambda$3",
		  "com.Foo$$EnhancerBySpringCGLIB$$Lambda" },
		{ "com.Foo$$SpringCGLIB$$0", "com.Foo$$SpringCGLIB" },
		{ "com.Foo$$CGLIB$$abstractor", "com.Foo$$CGLIB$$abstractor" },
		{ "com.Foo$ByteBuddy$aXbY0", "com.Foo$ByteBuddy" },
		{ "com.Foo$HibernateProxy$aXbY0", "com.Foo$HibernateProxy" },
		{ "com.Foo$1", "com.Foo$1" },
		{ "com.Foo12", "com.Foo12" },
		{ "12", "12" },
		{ "+0x12", "+0x12" },
		{ "a+0x", "a+0x" },
		{ "a+0x1g", "a+0x1g" },
		{ "[]", "[]" },
		{ "[][]", "[][]" },
	};
	char name[80];

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		size_t length = hprof_diff_name(names[i][0], name, sizeof name);

		cr_expect_str_eq(name, names[i][1], "%s", names[i][0]);
		cr_expect_eq(length, strlen(names[i][1]));
		cr_expect_eq(hprof_diff_name(names[i][0], NULL, 0), length);
	}
	cr_expect_eq(hprof_diff_name("com.Foo$$Lambda$7", name, 4), 15);
	cr_expect_str_eq(name, "com");
	hprof_diff_name("abc", name, 1);
	cr_expect_str_eq(name, "");
}

/* ---- rows -------------------------------------------------------------------- */

static const struct hprof_diff_item first_items[] = {
	{ "a.A", "app", 1, 10, 0 },
	{ "a.A", "plugin", 2, 20, 5 },
	{ "a.B", "app", 3, 30, 0 },
	{ "a.L$$Lambda$1", "app", 1, 16, 0 },
	{ "a.L$$Lambda$2", "app", 1, 16, 0 },
	{ "a.Old", NULL, 1, 8, 0 },
};
static const struct hprof_diff_item second_items[] = {
	{ "a.L$$Lambda+0x77", "other", 2, 32, 0 },
	{ "a.A", "app", 2, 10, 0 },
	{ "a.B", "web", 3, 30, 1 },
	{ "a.New", "app", 7, 8, 0 },
};
static const struct hprof_diff_side both[] = {
	{ sizeof first_items / sizeof first_items[0], first_items },
	{ sizeof second_items / sizeof second_items[0], second_items },
};

static const struct hprof_diff_row *
row_named(const struct hprof_diff_table *table, const char *name,
	  const char *loader)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct hprof_diff_row *row = &table->rows[i];

		if (!strcmp(row->name, name) &&
		    (loader ? row->loader && !strcmp(row->loader, loader)
			    : !row->loader))
			return row;
	}
	cr_assert_fail("no row %s of %s", name, loader ? loader : "all");
	return NULL;
}

static void expect_values(const struct hprof_diff_row *row, size_t side,
			  uint64_t instances, uint64_t bytes, uint64_t retained)
{
	const uint64_t *values = row->cells[side].values;

	cr_expect_eq(values[HPROF_DIFF_INSTANCES], instances, "%s", row->name);
	cr_expect_eq(values[HPROF_DIFF_BYTES], bytes, "%s", row->name);
	cr_expect_eq(values[HPROF_DIFF_RETAINED], retained, "%s", row->name);
}

Test(diff, rows)
{
	struct hprof_diff_table *table;
	const struct hprof_diff_row *row;

	cr_assert_eq(hprof_diff_match(both, 2, &table, NULL), HPROF_OK);
	cr_expect_eq(table->count, 6);
	/* Two loaders in the first dump: a row each. */
	row = row_named(table, "a.A", "app");
	expect_values(row, 0, 1, 10, 0);
	expect_values(row, 1, 2, 10, 0);
	cr_expect(row->differs && row->grows[HPROF_DIFF_INSTANCES] &&
		  !row->grows[HPROF_DIFF_BYTES]);
	row = row_named(table, "a.A", "plugin");
	expect_values(row, 0, 2, 20, 5);
	cr_expect_eq(row->cells[1].items, 0);
	/* One in each dump, of another name: the same class. */
	row = row_named(table, "a.B", NULL);
	expect_values(row, 1, 3, 30, 1);
	cr_expect(row->differs && row->grows[HPROF_DIFF_RETAINED]);
	row = row_named(table, "a.L$$Lambda", NULL);
	expect_values(row, 0, 2, 32, 0);
	cr_expect(!row->differs && row->cells[0].items == 2);
	row_named(table, "a.New", NULL);
	row_named(table, "a.Old", NULL);
	cr_expect_eq(table->totals[0].values[HPROF_DIFF_BYTES], 100);
	cr_expect_eq(table->totals[1].values[HPROF_DIFF_INSTANCES], 14);
	hprof_diff_table_free(table);
	hprof_diff_table_free(NULL);
}

/* A loader that is not known could be any. */
Test(diff, unknown_loaders)
{
	static const struct hprof_diff_item unknown[] = { { "a.A", NULL, 3, 30,
							    0 } };
	const struct hprof_diff_side sides[] = { both[0], { 1, unknown } };
	struct hprof_diff_table *table;

	cr_assert_eq(hprof_diff_match(sides, 2, &table, NULL), HPROF_OK);
	expect_values(row_named(table, "a.A", NULL), 0, 3, 30, 5);
	cr_expect(row_named(table, "a.A", NULL)->differs);
	hprof_diff_table_free(table);
}

Test(diff, sums_do_not_wrap)
{
	static const struct hprof_diff_item items[] = {
		{ "a.A", "x", UINT64_MAX, 1, 0 }, { "a.A", "x", 5, 1, 0 }
	};
	const struct hprof_diff_side side = { 2, items };
	struct hprof_diff_table *table;

	cr_assert_eq(hprof_diff_match(&side, 1, &table, NULL), HPROF_OK);
	expect_values(&table->rows[0], 0, UINT64_MAX, 2, 0);
	cr_expect(!table->rows[0].differs &&
		  !table->rows[0].grows[HPROF_DIFF_BYTES]);
	hprof_diff_table_free(table);
	cr_expect_eq(hprof_diff_match(&side, 0, &table, NULL), HPROF_E_USAGE);
	cr_expect_eq(hprof_diff_match(NULL, 1, &table, NULL), HPROF_E_USAGE);
}

/* Each allocation fails once, until none is left to fail. */
static bool is_done(enum hprof_status status)
{
	hp_mem_fail_after(-1);
	cr_assert(status == HPROF_OK || status == HPROF_E_NOMEM);
	return status == HPROF_OK;
}

Test(diff, rows_without_memory)
{
	struct hprof_diff_table *table;
	int64_t after = 0;

	for (hp_mem_fail_after(0);
	     !is_done(hprof_diff_match(both, 2, &table, NULL));)
		hp_mem_fail_after(++after);
	cr_expect(after > 3);
	hprof_diff_table_free(table);
}

/* ---- trees of paths ------------------------------------------------------------- */

struct opened {
	struct hprof_heap *heap;
	struct hprof_graph *graph;
};

static bool open_bytes(struct opened *o, const uint8_t *bytes, size_t size)
{
	struct hprof_graph_options how = { .size = sizeof how,
					   .threads = 2,
					   .dominators = true };

	*o = (struct opened){ NULL, NULL };
	if (heap_of_bytes(bytes, size, 2, &o->heap) < 0)
		return false;
	cr_assert_eq(hprof_graph_build(o->heap, &how, &o->graph, NULL),
		     HPROF_OK);
	return true;
}

static void close_opened(struct opened *o)
{
	hprof_graph_free(o->graph);
	hprof_heap_close(o->heap);
}

/* Each reachable object is in it once; sums go up. */
static void check_tree(const char *name, const struct opened *o,
		       const struct hprof_path_tree *tree)
{
	const struct hprof_graph_totals *totals = hprof_graph_totals(o->graph);
	uint64_t tops = 0, below = 0, objects = 0;

	cr_expect_eq(tree->objects, totals->reachable, "%s", name);
	cr_expect_eq(tree->shallow, totals->reachable_shallow, "%s", name);
	for (size_t i = 0; i < tree->count; i++) {
		const struct hprof_path_node *node = &tree->nodes[i];

		objects += node->objects;
		cr_expect(node->objects > 0, "%s", name);
		if (node->parent == SIZE_MAX) {
			tops += node->held_objects;
			below += node->held;
			/* All that is reachable has a path. */
			cr_expect(node->root != 0, "%s", name);
			continue;
		}
		cr_assert(node->parent < i, "%s", name);
		cr_expect(tree->nodes[node->parent].held >= node->held, "%s",
			  name);
	}
	cr_expect_eq(objects, totals->reachable, "%s", name);
	cr_expect_eq(tops, totals->reachable, "%s", name);
	cr_expect_eq(below, totals->reachable_shallow, "%s", name);
}

static void expect_same(const char *name, const struct hprof_path_tree *a,
			const struct hprof_path_tree *b)
{
	const struct hprof_path_tree *trees[] = { a, b };
	struct hprof_diff_path_table *table;

	cr_assert_eq(hprof_diff_paths(trees, 2, &table, NULL), HPROF_OK);
	cr_expect_eq(table->count, 0, "%s", name);
	hprof_diff_path_table_free(table);
}

/* What rows keep adds up to what changed, of trees as different as can be. */
static void expect_sum(const char *name, const struct hprof_path_tree *a,
		       const struct hprof_path_tree *b)
{
	const struct hprof_path_tree *trees[] = { a, b, a };
	struct hprof_diff_path_table *table;
	uint64_t from = 0, to = 0;

	cr_assert_eq(hprof_diff_paths(trees, 2, &table, NULL), HPROF_OK);
	for (size_t i = 0; i < table->count; i++) {
		const struct hprof_diff_path *path = &table->paths[i];

		from += path->cells[0].values[HPROF_DIFF_RETAINED];
		to += path->cells[1].values[HPROF_DIFF_RETAINED];
		cr_expect(path->point < path->step_count, "%s", name);
		cr_expect(path->part_count <= 3, "%s", name);
	}
	cr_expect_eq(to - from, b->shallow - a->shallow, "%s", name);
	hprof_diff_path_table_free(table);
	cr_assert_eq(hprof_diff_paths(trees, 3, &table, NULL), HPROF_OK);
	for (size_t i = 0; i < table->count; i++)
		cr_expect(!table->paths[i].grows[HPROF_DIFF_RETAINED], "%s",
			  name);
	hprof_diff_path_table_free(table);
}

static struct hprof_path_tree *shop_tree(void)
{
	struct fixture fixture = fixture_load("stat-shop");
	struct hprof_path_tree *tree;
	struct opened o;

	cr_assert(open_bytes(&o, fixture.bytes, fixture.size));
	cr_assert_eq(hprof_path_tree_read(o.heap, o.graph, &tree, NULL),
		     HPROF_OK);
	close_opened(&o);
	fixture_free(&fixture);
	return tree;
}

static void check_fixture(const char *name, const struct hprof_path_tree *shop)
{
	struct fixture fixture = fixture_load(name);
	struct hprof_path_tree *tree, *again;
	struct opened o;

	if (open_bytes(&o, fixture.bytes, fixture.size)) {
		cr_assert_eq(hprof_path_tree_read(o.heap, o.graph, &tree, NULL),
			     HPROF_OK, "%s", name);
		cr_assert_eq(
			hprof_path_tree_read(o.heap, o.graph, &again, NULL),
			HPROF_OK, "%s", name);
		check_tree(name, &o, tree);
		close_opened(&o);
		expect_same(name, tree, again);
		expect_sum(name, tree, shop);
		expect_sum(name, shop, tree);
		hprof_path_tree_free(tree);
		hprof_path_tree_free(again);
	}
	fixture_free(&fixture);
}

Test(diff, trees_of_every_fixture)
{
	struct hprof_path_tree *shop = shop_tree();

	for (char **name = fixture_names(); *name; name++)
		check_fixture(*name, shop);
	hprof_path_tree_free(shop);
}

/* ---- the same heap, elsewhere ----------------------------------------------------- */

enum { OBJECTS = 60 };

static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) +
		 UINT64_C(1442695040888963407);
	return *state >> 33;
}

/* An object of three fields, of four classes, refers to others at random. */
static void put_object(struct maker *m, const unsigned *place, unsigned i,
		       uint64_t seed)
{
	uint64_t state = seed + i;
	uint8_t data[24] = { 0 };
	struct hprof_record record = { .tag = HPROF_INSTANCE_DUMP,
				       .id_size = 8 };

	for (unsigned field = 0; field < 3; field++) {
		uint64_t to = next_random(&state) % (2 * OBJECTS), id;

		if (to >= OBJECTS)
			continue;
		id = 0x10000 + 0x40 * (uint64_t)place[to];
		for (unsigned k = 0; k < 8; k++)
			data[8 * field + k] = (uint8_t)(id >> (56 - 8 * k));
	}
	record.u.instance_dump = (struct hprof_instance_dump){
		.object_id = 0x10000 + 0x40 * (uint64_t)place[i],
		.class_id = 0x200 + 0x100 * (uint64_t)(i % 4),
		.data_size = sizeof data,
		.data = { data, sizeof data },
	};
	maker_put(m, &record);
}

/* PLACE: the place of each object in memory and in the file. */
static void make_heap(struct maker *m, const unsigned *place, uint64_t seed)
{
	unsigned at[OBJECTS];
	uint64_t names;
	char name[16];

	*m = maker_begin(8);
	names = maker_string(m, "left");
	maker_string(m, "right");
	maker_string(m, "other");
	maker_load(m, 0x100, "java/lang/Object");
	for (unsigned i = 0; i < 4; i++) {
		snprintf(name, sizeof name, "app/C%u", i);
		maker_load(m, 0x200 + 0x100 * i, name);
	}
	maker_heap(m, HPROF_HEAP_DUMP_SEGMENT);
	for (unsigned i = 0; i < 3; i++) {
		struct hprof_record root = { .tag = HPROF_ROOT_JNI_GLOBAL,
					     .id_size = 8 };

		root.u.root.object_id = 0x10000 + 0x40 * (uint64_t)place[i];
		root.u.root.frame = -1;
		maker_put(m, &root);
	}
	maker_class(m, &(struct maker_class){ .class_id = 0x100,
					      .fields = "",
					      .statics = "" });
	for (unsigned i = 0; i < 4; i++)
		maker_class(
			m, &(struct maker_class){ .class_id = 0x200 + 0x100 * i,
						  .super_id = 0x100,
						  .instance_size = 24,
						  .fields = "LLL",
						  .statics = "",
						  .names_id = names });
	for (unsigned i = 0; i < OBJECTS; i++)
		at[place[i]] = i;
	for (unsigned i = 0; i < OBJECTS; i++)
		put_object(m, place, at[i], seed);
	maker_heap_end(m);
}

static struct hprof_path_tree *tree_of(struct maker *m)
{
	struct hprof_path_tree *tree;
	struct opened o;

	cr_assert(open_bytes(&o, m->out.bytes, m->out.size));
	cr_assert_eq(hprof_path_tree_read(o.heap, o.graph, &tree, NULL),
		     HPROF_OK);
	check_tree("random", &o, tree);
	close_opened(&o);
	buffer_free(&m->out);
	return tree;
}

Test(diff, a_tree_does_not_depend_on_places)
{
	unsigned place[OBJECTS];
	uint64_t state = 1;

	for (unsigned i = 0; i < OBJECTS; i++)
		place[i] = i;
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct hprof_path_tree *tree, *moved;
		struct maker m;

		make_heap(&m, place, seed * 1000);
		tree = tree_of(&m);
		for (unsigned i = OBJECTS; i-- > 1;) {
			unsigned k = (unsigned)(next_random(&state) % (i + 1));
			unsigned swap = place[i];

			place[i] = place[k];
			place[k] = swap;
		}
		make_heap(&m, place, seed * 1000);
		moved = tree_of(&m);
		cr_expect_eq(tree->count, moved->count);
		expect_same("moved", tree, moved);
		hprof_path_tree_free(tree);
		hprof_path_tree_free(moved);
	}
}

/* ---- memory ------------------------------------------------------------------------ */

static void open_random(struct opened *o, uint64_t seed)
{
	unsigned place[OBJECTS];
	struct maker m;

	for (unsigned i = 0; i < OBJECTS; i++)
		place[i] = OBJECTS - 1 - i;
	make_heap(&m, place, seed);
	cr_assert(open_bytes(o, m.out.bytes, m.out.size));
	buffer_free(&m.out);
}

Test(diff, trees_without_memory)
{
	struct hprof_path_tree *shop = shop_tree(), *tree;
	struct hprof_diff_path_table *table;
	int64_t after = 0;
	struct opened o;

	open_random(&o, 7);
	for (hp_mem_fail_after(0);
	     !is_done(hprof_path_tree_read(o.heap, o.graph, &tree, NULL));)
		hp_mem_fail_after(++after);
	cr_expect(after > 10);
	close_opened(&o);

	const struct hprof_path_tree *trees[] = { shop, tree };
	after = 0;
	for (hp_mem_fail_after(0);
	     !is_done(hprof_diff_paths(trees, 2, &table, NULL));)
		hp_mem_fail_after(++after);
	cr_expect(after > 5);
	cr_expect(table->count > 0);
	hprof_diff_path_table_free(table);
	cr_expect_eq(hprof_diff_paths(trees, 0, &table, NULL), HPROF_E_USAGE);
	cr_expect_eq(hprof_path_tree_read(NULL, NULL, &tree, NULL),
		     HPROF_E_USAGE);
	hprof_path_tree_free(shop);
	hprof_path_tree_free((struct hprof_path_tree *)(uintptr_t)trees[1]);
	hprof_path_tree_free(NULL);
	hprof_diff_path_table_free(NULL);
}

/* ---- what sets retain ---------------------------------------------------------------- */

enum { SETS = 3 };

struct sets {
	struct hprof_division division;
	uint32_t *instances, *class_objects;
	struct hprof_set_sum sums[SETS];
};

/* Numbers up to SETS, which is none. */
static void divide_at_random(struct sets *sets, size_t rows, uint64_t seed)
{
	sets->instances = calloc(rows + 1, sizeof(uint32_t));
	sets->class_objects = calloc(rows + 1, sizeof(uint32_t));
	for (size_t i = 0; i <= rows; i++) {
		sets->instances[i] =
			(uint32_t)(next_random(&seed) % (SETS + 1));
		sets->class_objects[i] =
			(uint32_t)(next_random(&seed) % (SETS + 1));
	}
	sets->division =
		(struct hprof_division){ sets->instances, sets->class_objects,
					 SETS, sets->sums };
}

static uint32_t set_of(const struct opened *o, const struct sets *sets,
		       struct hprof_cursor *cursor, uint64_t object)
{
	size_t rows = hprof_heap_summary(o->heap)->class_count;
	struct hprof_object about;
	size_t row;

	cr_assert_eq(hprof_cursor_go(cursor, object, &about), HPROF_OK);
	row = about.class_row < rows ? about.class_row : rows;
	return about.kind == HPROF_OBJECT_CLASS ? sets->class_objects[row]
						: sets->instances[row];
}

/* By definition: objects of the set that none of the set is above. */
static void check_sums(const char *name, const struct opened *o,
		       const struct sets *sets)
{
	struct hprof_cursor *cursor = cursor_of(o->heap);
	struct hprof_set_sum sums[SETS + 1] = { { 0, 0, 0 } };

	for (uint64_t i = 0; i < hprof_heap_count(o->heap); i++) {
		uint32_t set;
		uint64_t above = i;

		if (!hprof_graph_is_reachable(o->graph, i))
			continue;
		set = set_of(o, sets, cursor, i);
		sums[set].objects++;
		sums[set].shallow += hprof_graph_shallow(o->graph, i);
		do
			above = hprof_graph_dominator(o->graph, above);
		while (above != HPROF_NO_OBJECT &&
		       set_of(o, sets, cursor, above) != set);
		if (above == HPROF_NO_OBJECT)
			sums[set].retained += hprof_graph_retained(o->graph, i);
	}
	for (uint32_t i = 0; i < SETS; i++) {
		cr_expect_eq(sums[i].objects, sets->sums[i].objects, "%s",
			     name);
		cr_expect_eq(sums[i].shallow, sets->sums[i].shallow, "%s",
			     name);
		cr_expect_eq(sums[i].retained, sets->sums[i].retained, "%s",
			     name);
	}
	hprof_cursor_free(cursor);
}

static void check_division(const char *name, const struct opened *o)
{
	size_t rows = hprof_heap_summary(o->heap)->class_count;

	for (uint64_t seed = 0; seed < 5; seed++) {
		struct sets sets[2];
		struct hprof_division divisions[2];

		for (unsigned i = 0; i < 2; i++) {
			divide_at_random(&sets[i], rows, 2 * seed + i);
			divisions[i] = sets[i].division;
		}
		cr_assert_eq(hprof_retained_divide(o->heap, o->graph, divisions,
						   2, NULL),
			     HPROF_OK, "%s", name);
		for (unsigned i = 0; i < 2; i++) {
			check_sums(name, o, &sets[i]);
			free(sets[i].instances);
			free(sets[i].class_objects);
		}
	}
}

Test(diff, divisions_of_every_fixture)
{
	struct opened o;

	for (char **name = fixture_names(); *name; name++) {
		struct fixture fixture = fixture_load(*name);

		if (open_bytes(&o, fixture.bytes, fixture.size)) {
			check_division(*name, &o);
			close_opened(&o);
		}
		fixture_free(&fixture);
	}
	for (uint64_t seed = 0; seed < 20; seed++) {
		open_random(&o, seed * 1000);
		check_division("random", &o);
		close_opened(&o);
	}
}

Test(diff, divisions_without_memory)
{
	struct sets sets;
	int64_t after = 0;
	struct opened o;

	open_random(&o, 3);
	divide_at_random(&sets, hprof_heap_summary(o.heap)->class_count, 1);
	for (hp_mem_fail_after(0); !is_done(hprof_retained_divide(
		     o.heap, o.graph, &sets.division, 1, NULL));)
		hp_mem_fail_after(++after);
	cr_expect(after > 3);
	check_sums("random", &o, &sets);
	free(sets.instances);
	free(sets.class_objects);
	close_opened(&o);
}

/* ---- sizes by another dump --------------------------------------------------------- */

Test(diff, resize_as_another)
{
	struct fixture fixtures[] = { fixture_load("shop_id8"),
				      fixture_load("shop_id4") };
	struct hprof_summary *summaries[2];
	struct hprof_size_convention like;
	struct hprof_heap *heap;

	for (size_t i = 0; i < 2; i++)
		cr_assert_eq(hprof_summary_read(maker_file("resize.hprof",
							   fixtures[i].bytes,
							   fixtures[i].size),
						NULL, &summaries[i], NULL),
			     HPROF_OK);
	like = summaries[0]->convention;
	cr_expect_neq(summaries[0]->shallow, summaries[1]->shallow);
	cr_assert_eq(hprof_summary_resize(summaries[1], &like, NULL), HPROF_OK);
	cr_expect_eq(summaries[0]->shallow, summaries[1]->shallow);
	cr_expect_eq(summaries[1]->convention.header, like.header);
	heap_of_bytes(fixtures[1].bytes, fixtures[1].size, 1, &heap);
	cr_assert_eq(hprof_heap_resize(heap, &like, NULL), HPROF_OK);
	cr_expect_eq(hprof_heap_summary(heap)->shallow, summaries[0]->shallow);
	/* What is no layout, or none that others could have. */
	cr_expect_eq(hprof_summary_resize(summaries[1], NULL, NULL),
		     HPROF_E_USAGE);
	like.declared = true;
	cr_expect_eq(hprof_heap_resize(heap, &like, NULL), HPROF_E_USAGE);
	like.declared = false;
	like.alignment = 3;
	cr_expect_eq(hprof_heap_resize(heap, &like, NULL), HPROF_E_USAGE);
	hprof_heap_close(heap);
	for (size_t i = 0; i < 2; i++) {
		hprof_summary_free(summaries[i]);
		fixture_free(&fixtures[i]);
	}
}
