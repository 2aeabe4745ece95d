/* SPDX-License-Identifier: MIT */
/*
 * test_diff.c - what differs between dumps: names and rows; and sizes that are
 * those of another dump.
 */
#include "fixture.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <hprof.h>

#include "heaps.h"
#include "maker.h"
#include "../inputs.h"
#include "base/mem.h"
#include "diff/diff_name.h"

/* ---- names --------------------------------------------------------------- */

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
		{ "com.Foo$MockitoMock$123", "com.Foo$MockitoMock" },
		{ "com.Foo_$$_jvst1a2_0", "com.Foo_$$_jvst" },
		{ "com.Foo_$$_jvst", "com.Foo_$$_jvst" },
		{ "a.GeneratedConstructorAccessor3",
		  "a.GeneratedConstructorAccessor" },
		{ "a.GeneratedSerializationConstructorAccessor3",
		  "a.GeneratedSerializationConstructorAccessor" },
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

/* How many places of NAME are held against all marks. */
static size_t count_places(const char *name)
{
	const struct hp_mark_starts starts = hp_mark_starts_make();
	size_t length = strlen(name), count = 0;

	for (size_t at = 0;; at++, count++) {
		at = hp_mark_starts_next(&starts, name, at, length);
		if (at == length)
			return count;
	}
}

/*
 * Names of classes can be long, and there can be many. To make one of a run is to
 * read it: only where a mark may begin is it held against all of them.
 */
Test(diff, long_names_are_read_once)
{
	enum { SIZE = 1 << 20 };
	char *name = malloc(SIZE + 1), *out = malloc(SIZE + 1);

	memset(name, 'x', SIZE);
	name[SIZE] = '\0';
	cr_expect_eq(count_places(name), 0);
	cr_assert_eq(hprof_diff_name(name, out, SIZE + 1), SIZE);
	cr_expect_str_eq(name, out);
	cr_expect_eq(count_places("com.example.shop.OrderService"), 0);
	cr_expect_eq(count_places("com.example.shop.CartService"), 1);
	free(name);
	free(out);
}

/* ---- rows ---------------------------------------------------------------- */

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
	/* Two loaders in the first dump: one row for each. */
	row = row_named(table, "a.A", "app");
	expect_values(row, 0, 1, 10, 0);
	expect_values(row, 1, 2, 10, 0);
	cr_expect(row->differs && row->grows[HPROF_DIFF_INSTANCES] &&
		  !row->grows[HPROF_DIFF_BYTES]);
	row = row_named(table, "a.A", "plugin");
	expect_values(row, 0, 2, 20, 5);
	cr_expect_eq(row->cells[1].items, 0);
	/* One loader in each dump, with different names: the same class. */
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

/* An unknown loader could be any of them. */
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

Test(diff, rows_without_memory)
{
	struct hprof_diff_table *table;
	int64_t after = 0;

	for (hp_mem_fail_after(0);
	     !had_memory(hprof_diff_match(both, 2, &table, NULL));)
		hp_mem_fail_after(++after);
	cr_expect(after > 3);
	hprof_diff_table_free(table);
}

/* ---- sizes by another dump ----------------------------------------------- */

Test(diff, resize_as_another)
{
	struct fixture fixtures[] = { fixture_load("shop_id8"),
				      fixture_load("shop_id4") };
	struct hprof_summary *summaries[2];
	struct hprof_size_convention like;
	struct hprof_heap *heap;

	for (size_t i = 0; i < 2; i++) {
		const char *path = maker_file("resize.hprof", fixtures[i].bytes,
					      fixtures[i].size);
		cr_assert_eq(hprof_summary_read(INPUT_PATH(path), NULL,
						&summaries[i], NULL),
			     HPROF_OK);
	}
	like = summaries[0]->convention;
	cr_expect_neq(summaries[0]->shallow, summaries[1]->shallow);
	cr_assert_eq(hprof_summary_resize(summaries[1], &like, NULL), HPROF_OK);
	cr_expect_eq(summaries[0]->shallow, summaries[1]->shallow);
	cr_expect_eq(summaries[1]->convention.header, like.header);
	heap_of_bytes(fixtures[1].bytes, fixtures[1].size, 1, &heap);
	cr_assert_eq(hprof_heap_resize(heap, &like, NULL), HPROF_OK);
	cr_expect_eq(hprof_heap_summary(heap)->shallow, summaries[0]->shallow);
	/* No layout, or one that another dump cannot have. */
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
