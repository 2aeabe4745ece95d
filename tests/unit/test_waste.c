/* SPDX-License-Identifier: MIT */
/*
 * test_waste.c - the figures of hprof_waste_read against counts by hand, and
 * equal contents against a comparison of each object with each other one.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "heaps.h"

static struct hprof_waste_table *waste_of(const struct hprof_graph *graph)
{
	struct hprof_waste_table *table = NULL;
	struct hprof_error error = { 0 };

	cr_assert(hprof_waste_read(graph, NULL, &table, &error) == HPROF_OK,
		  "%s", error.text);
	return table;
}

static void open_fixture(struct opened *ret, const char *name)
{
	struct fixture f = fixture_load(name);

	cr_assert(open_bytes(ret, f.bytes, f.size, 1), "%s", name);
	fixture_free(&f);
}

Test(waste, one_of_each_kind)
{
	/* Sizes are those of a 32-bit JVM; see the comments of the recipe. */
	static const struct hprof_waste_sum wanted[HPROF_WASTE_KINDS] = {
		[HPROF_WASTE_EQUAL_STRINGS] = { 2, 16 + 24 + 16, 56 },
		[HPROF_WASTE_EQUAL_ARRAYS] = { 1, 24, 24 },
		[HPROF_WASTE_HIGH_BYTES] = { 1, 40, 40 - 24 },
		[HPROF_WASTE_BOXES] = { 3, 3 * 16, 48 },
		[HPROF_WASTE_UNUSED_COLLECTIONS] = { 1, 24, 24 },
		[HPROF_WASTE_EMPTIED_COLLECTIONS] = { 1, 24 + 56, 80 },
		[HPROF_WASTE_SINGLE_COLLECTIONS] = { 1, 24 + 80 + 24,
						     128 - 24 },
		[HPROF_WASTE_SMALL_COLLECTIONS] = { 2, 152 + 88,
						    152 - 32 + 88 - 32 },
		[HPROF_WASTE_SPARSE_COLLECTIONS] = { 1, 24 + 216, 216 - 16 },
		[HPROF_WASTE_COLLISIONS] = { 1, 24, 0 },
		[HPROF_WASTE_WEAK_MAPS] = { 1, 16, 0 },
		[HPROF_WASTE_EMPTY_ARRAYS] = { 2, 2 * 16, 32 },
		[HPROF_WASTE_SINGLE_ARRAYS] = { 1, 16, 16 },
		[HPROF_WASTE_NULL_ARRAYS] = { 1, 48, 48 },
		[HPROF_WASTE_ZERO_ARRAYS] = { 1, 1616, 1600 },
		[HPROF_WASTE_ZERO_TAILS] = { 1, 272, 272 - 24 },
		[HPROF_WASTE_WIDE_ARRAYS] = { 1, 24, 8 },
		[HPROF_WASTE_NULL_FIELDS] = { 5, 5 * 32, 5 * 8 },
		/* 7 and 2 bytes of 14, in units of 8 */
		[HPROF_WASTE_WIDE_FIELDS] = { 3, 3 * 24, 3 * 8 },
	};
	struct hprof_waste_table *table;
	struct opened o;
	uint64_t saved = 0;

	open_fixture(&o, "waste");
	table = waste_of(o.graph);
	for (int k = 0; k < HPROF_WASTE_KINDS; k++) {
		const char *name = hprof_waste_kind_name(k);

		cr_expect_eq(table->kinds[k].objects, wanted[k].objects, "%s",
			     name);
		cr_expect_eq(table->kinds[k].bytes, wanted[k].bytes, "%s",
			     name);
		cr_expect_eq(table->kinds[k].saved, wanted[k].saved, "%s",
			     name);
		saved += wanted[k].saved;
	}
	cr_expect_eq(table->saved, saved);
	cr_expect_eq(table->live,
		     hprof_graph_totals(o.graph)->reachable_shallow);
	hprof_waste_table_free(table);
	close_opened(&o);
}

Test(waste, contents_and_maps)
{
	const struct hprof_waste_map *map;
	struct hprof_waste_table *table;
	struct opened o;

	open_fixture(&o, "waste");
	table = waste_of(o.graph);
	cr_assert_eq(table->string_count, 1);
	cr_expect_str_eq(table->strings[0].text, "Germany");
	cr_expect_eq(table->strings[0].objects, 3);
	cr_expect_eq(table->strings[0].example_id, 0x200);
	cr_expect_eq(table->strings[0].held, 3);
	cr_expect_str_eq(table->strings[0].holder.field, "name");
	cr_assert_eq(table->array_count, 1);
	cr_expect_eq(table->arrays[0].example_id, 0x300);
	cr_expect_null(table->arrays[0].text);
	cr_assert_eq(table->map_count, 2);
	map = &table->maps[0];
	cr_expect_eq(map->id, 0x420);
	cr_expect(map->entries == 16 && map->used == 1 && map->deepest == 16);
	map = &table->maps[1];
	cr_expect_eq(map->id, 0x400);
	cr_expect(map->entries == 2 && map->refer_back == 1);
	hprof_waste_table_free(table);
	close_opened(&o);
}

/* ---- the slow count ------------------------------------------------------ */

enum { ARRAYS_MOST = 3000 };

struct array {
	struct hprof_object object;
	uint64_t *values;
	bool of_string;
};

struct naive {
	struct array arrays[ARRAYS_MOST];
	size_t count;
	uint64_t boxes, strings;
};

static bool is_called(const struct hprof_heap *heap, size_t row,
		      const char *name)
{
	const struct hprof_summary *s = hprof_heap_summary(heap);

	return row < s->class_count && !strcmp(s->class_rows[row].name, name);
}

static void take_array(struct naive *n, struct hprof_cursor *cursor,
		       const struct hprof_object *at)
{
	struct array *a = &n->arrays[n->count++];
	size_t got;

	cr_assert_leq(n->count, ARRAYS_MOST);
	a->object = *at;
	a->values = calloc(at->length + 1, sizeof *a->values);
	cr_assert(hprof_cursor_elements(cursor, 0, at->length, a->values,
					&got) == HPROF_OK);
}

static void take_all(struct naive *n, const struct opened *o)
{
	struct hprof_cursor *cursor = cursor_of(o->heap);
	struct hprof_object at;
	struct hprof_field f;

	for (uint64_t i = 0; i < hprof_heap_count(o->heap); i++) {
		cr_assert(hprof_cursor_seek(cursor, i, &at) == HPROF_OK);
		if (hprof_graph_is_reachable(o->graph, i) &&
		    at.kind == HPROF_OBJECT_PRIM_ARRAY &&
		    at.data / (hprof_type_size(at.type, 8)) == at.length)
			take_array(n, cursor, &at);
	}
	for (uint64_t i = 0; i < hprof_heap_count(o->heap); i++) {
		cr_assert(hprof_cursor_seek(cursor, i, &at) == HPROF_OK);
		if (!hprof_graph_is_reachable(o->graph, i) ||
		    at.kind != HPROF_OBJECT_INSTANCE)
			continue;
		n->boxes +=
			is_called(o->heap, at.class_row, "java.lang.Integer");
		if (!is_called(o->heap, at.class_row, "java.lang.String") ||
		    hprof_cursor_field_named(cursor, NULL, "value", &f) !=
			    HPROF_OK)
			continue;
		for (size_t k = 0; k < n->count; k++)
			n->arrays[k].of_string |=
				n->arrays[k].object.id == f.value;
	}
	hprof_cursor_free(cursor);
}

static bool are_equal(const struct array *a, const struct array *b)
{
	return a->object.type == b->object.type &&
	       a->object.length == b->object.length &&
	       a->of_string == b->of_string &&
	       !memcmp(a->values, b->values,
		       a->object.length * sizeof *a->values);
}

/* Bytes of arrays that equal one before, of strings or of others. */
static uint64_t naive_saving(const struct naive *n, bool of_string, bool empty)
{
	uint64_t saved = 0;

	for (size_t i = 0; i < n->count; i++) {
		const struct array *a = &n->arrays[i];

		if (a->of_string != of_string ||
		    (!of_string && (a->object.length == 0) != empty))
			continue;
		for (size_t k = 0; k < i; k++) {
			if (!are_equal(a, &n->arrays[k]))
				continue;
			saved += a->object.shallow;
			break;
		}
	}
	return saved;
}

static void check_naively(const char *name, const struct opened *o)
{
	struct hprof_waste_table *table = waste_of(o->graph);
	struct naive *n = calloc(1, sizeof *n);
	uint64_t empty = 0;

	take_all(n, o);
	for (size_t i = 0; i < table->row_count; i++)
		if (table->rows[i].kind == HPROF_WASTE_EMPTY_ARRAYS &&
		    hprof_heap_summary(o->heap)
				    ->class_rows[table->rows[i].class_row]
				    .kind == HPROF_CLASS_PRIM_ARRAY)
			empty += table->rows[i].sum.saved;
	cr_expect_eq(table->kinds[HPROF_WASTE_EQUAL_ARRAYS].saved,
		     naive_saving(n, false, false), "%s", name);
	cr_expect_eq(empty, naive_saving(n, false, true), "%s", name);
	/* Strings have their own bytes as well. */
	cr_expect_geq(table->kinds[HPROF_WASTE_EQUAL_STRINGS].saved,
		      naive_saving(n, true, false), "%s", name);
	cr_expect_geq(table->kinds[HPROF_WASTE_BOXES].objects, n->boxes, "%s",
		      name);
	cr_expect_leq(table->saved, table->live, "%s", name);
	for (size_t i = 0; i < n->count; i++)
		free(n->arrays[i].values);
	free(n);
	hprof_waste_table_free(table);
}

Test(waste, all_fixtures_naively, .timeout = 600)
{
	for (char **name = fixture_names(); *name; name++) {
		struct fixture f = fixture_load(*name);
		struct opened o;

		if (open_bytes(&o, f.bytes, f.size, 1)) {
			check_naively(*name, &o);
			close_opened(&o);
		}
		fixture_free(&f);
	}
}

/* ---- arrays of small numbers --------------------------------------------- */

Test(waste, wide_arrays)
{
	const struct hprof_waste_sum *wide;
	struct hprof_waste_table *table;
	struct opened o;

	open_fixture(&o, "waste_wide");
	table = waste_of(o.graph);
	wide = &table->kinds[HPROF_WASTE_WIDE_ARRAYS];
	cr_expect_eq(wide->objects, 6);
	cr_expect_eq(wide->bytes, 48 + 80 + 80 + 48 + 416 + 816);
	/* short, int, long and char to byte, int to short, long to int */
	cr_expect_eq(wide->saved, 16 + 48 + 56 + 16 + 200 + 400);
	cr_expect_eq(table->saved, wide->saved);
	hprof_waste_table_free(table);
	close_opened(&o);
}

/* ---- holders ------------------------------------------------------------- */

static const struct hprof_waste_row *
row_of_kind(const struct hprof_waste_table *table, enum hprof_waste_kind kind)
{
	const struct hprof_waste_row *found = NULL;

	for (size_t i = 0; i < table->row_count; i++) {
		if (table->rows[i].kind != kind)
			continue;
		cr_expect_null(found);
		found = &table->rows[i];
	}
	cr_assert_not_null(found);
	return found;
}

/* Classes of one name are one holder; those of the program come first. */
Test(waste, holders_by_name)
{
	const struct hprof_waste_row *row;
	struct hprof_waste_table *table;
	struct opened o;

	open_fixture(&o, "waste_holders");
	table = waste_of(o.graph);
	row = row_of_kind(table, HPROF_WASTE_EQUAL_ARRAYS);
	cr_expect_eq(row->sum.objects, 2);
	cr_expect(row->holder.is_static);
	cr_expect_str_eq(row->holder.field, "TABLE");
	cr_assert_eq(table->array_count, 1);
	cr_expect_eq(table->arrays[0].objects, 3);
	cr_expect_eq(table->arrays[0].held, 3);
	row = row_of_kind(table, HPROF_WASTE_ZERO_ARRAYS);
	cr_expect_str_eq(row->holder.field, "zeros");
	hprof_waste_table_free(table);
	close_opened(&o);
}

struct held {
	const char *field; /* NULL: not known */
	bool known;	   /* is the class */
	uint64_t boxes;
};

static bool is_held_so(const struct held *h, const struct hprof_waste_row *row)
{
	const char *field = row->holder.field;

	return row->kind == HPROF_WASTE_BOXES &&
	       (row->holder.class_row != SIZE_MAX) == h->known &&
	       !field == !h->field && (!field || !strcmp(field, h->field));
}

/* Whichever way leads to the holder; see the comments of the recipe. */
Test(waste, holders_of_single_objects)
{
	static const struct held wanted[] = {
		{ "once", true, 2 }, { "twice", true, 1 },
		{ "down", true, 1 }, { "FIRST", true, 1 },
		{ NULL, true, 7 },   { NULL, false, 1 + 1 + 6 + 2 },
	};
	struct hprof_waste_table *table;
	uint64_t all = 0;
	struct opened o;

	open_fixture(&o, "waste_referrers");
	table = waste_of(o.graph);
	for (unsigned k = 0; k < sizeof wanted / sizeof *wanted; k++) {
		uint64_t found = 0;

		for (size_t i = 0; i < table->row_count; i++)
			if (is_held_so(&wanted[k], &table->rows[i]))
				found += table->rows[i].sum.objects;
		cr_expect_eq(found, wanted[k].boxes, "%u", k);
		all += found;
	}
	cr_expect_eq(table->kinds[HPROF_WASTE_BOXES].objects, all);
	hprof_waste_table_free(table);
	close_opened(&o);
}

/*
 * Nothing is equal to their array, but all strings but one could be saved. One of
 * these is in an array, the other one is a root that nobody holds.
 */
Test(waste, strings_that_share_an_array)
{
	struct hprof_waste_table *table;
	uint64_t held[2] = { 0 };
	struct opened o;

	open_fixture(&o, "waste_shared");
	table = waste_of(o.graph);
	for (size_t i = 0; i < table->row_count; i++)
		if (table->rows[i].kind == HPROF_WASTE_EQUAL_STRINGS)
			held[table->rows[i].holder.class_row != SIZE_MAX] +=
				table->rows[i].sum.objects;
	cr_expect_eq(held[0], 1);
	cr_expect_eq(held[1], 1);
	cr_expect_eq(table->array_count, 0);
	cr_assert_eq(table->string_count, 1);
	cr_expect_str_eq(table->strings[0].text, "Three");
	cr_expect_eq(table->strings[0].objects, 3);
	hprof_waste_table_free(table);
	close_opened(&o);
}

/* Of collections that count no changes nobody knows whether they were used. */
Test(waste, enums)
{
	const struct hprof_waste_sum *kinds;
	struct hprof_waste_table *table;
	struct opened o;

	open_fixture(&o, "waste_enums");
	table = waste_of(o.graph);
	kinds = table->kinds;
	cr_expect_eq(kinds[HPROF_WASTE_SINGLE_COLLECTIONS].objects, 1);
	cr_expect_gt(kinds[HPROF_WASTE_SINGLE_COLLECTIONS].saved, 0);
	cr_expect_eq(kinds[HPROF_WASTE_EMPTY_COLLECTIONS].objects, 2);
	cr_expect_eq(kinds[HPROF_WASTE_EMPTIED_COLLECTIONS].objects, 0);
	cr_expect_eq(kinds[HPROF_WASTE_UNUSED_COLLECTIONS].objects, 0);
	hprof_waste_table_free(table);
	close_opened(&o);
}

/* What has no array, or ends outside of it, is not judged. */
Test(waste, rings)
{
	const struct hprof_waste_sum *kinds;
	struct hprof_waste_table *table;
	struct opened o;

	open_fixture(&o, "waste_rings");
	table = waste_of(o.graph);
	kinds = table->kinds;
	cr_expect_eq(kinds[HPROF_WASTE_SMALL_COLLECTIONS].objects, 1);
	cr_expect_eq(kinds[HPROF_WASTE_UNUSED_COLLECTIONS].objects, 1);
	cr_expect_eq(kinds[HPROF_WASTE_EMPTIED_COLLECTIONS].objects, 0);
	cr_expect_eq(kinds[HPROF_WASTE_SINGLE_COLLECTIONS].objects, 0);
	hprof_waste_table_free(table);
	close_opened(&o);
}

static void check_without_memory(const char *fixture)
{
	struct hprof_waste_table *table;
	struct opened o;
	enum hprof_status status = HPROF_E_NOMEM;

	open_fixture(&o, fixture);
	for (int64_t n = 0; status == HPROF_E_NOMEM && n < 10000; n++) {
		table = NULL;
		hp_mem_fail_after(n);
		status = hprof_waste_read(o.graph, NULL, &table, NULL);
		hp_mem_fail_after(-1);
		cr_expect((status == HPROF_OK) == (table != NULL));
	}
	cr_expect(status == HPROF_OK);
	hprof_waste_table_free(table);
	close_opened(&o);
}

/* The second one has a long chain of nodes. */
Test(waste, without_memory)
{
	check_without_memory("waste");
	check_without_memory("waste_referrers");
}
