/* SPDX-License-Identifier: MIT */
/*
 * test_collections.c - the sizes and entries of collections, and that those
 * that lie or are circles end.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collections/field_path.h"
#include "heaps.h"
#include "maker.h"

struct text {
	char at[512];
	size_t size;
};

static void put(struct text *t, uint64_t number, const char *behind)
{
	t->size += (size_t)snprintf(t->at + t->size, sizeof t->at - t->size,
				    "%" PRIx64 "%s", number, behind);
	cr_assert_lt(t->size, sizeof t->at);
}

/* "1=2 2=3 " of a map, "1 2 " of a list: ids, or numbers. */
static bool put_entry(void *user, const struct hprof_collection_entry *entry)
{
	struct text *t = user;

	if (t->size > 400)
		return true;
	if (entry->key_type)
		put(t, entry->key, "=");
	put(t, entry->value, " ");
	return true;
}

struct wanted {
	uint64_t id;
	uint64_t size, capacity, changes;
	const char *entries; /* NULL: too many */
	bool odd;
};

#define UNKNOWN HPROF_COLLECTION_UNKNOWN

static void check_one(const struct hprof_heap *heap, const struct wanted *w)
{
	struct hprof_cursor *cursor = cursor_of(heap);
	uint64_t object = hprof_heap_find(heap, w->id);
	struct hprof_collection c = { .object = 77 };
	struct hprof_collection_walk walk;
	struct text t = { .size = 0 };

	cr_assert(hprof_collection_open(cursor, object, &c) == HPROF_OK,
		  "%" PRIx64, w->id);
	cr_expect_eq(c.object, object);
	cr_expect_eq(c.size, w->size, "%" PRIx64, w->id);
	cr_expect_eq(c.capacity, w->capacity, "%" PRIx64, w->id);
	cr_expect_eq(c.changes, w->changes, "%" PRIx64, w->id);
	cr_assert(hprof_collection_each(cursor, object, 0, put_entry, &t,
					&walk) == HPROF_OK,
		  "%" PRIx64, w->id);
	if (w->entries)
		cr_expect_str_eq(t.at, w->entries, "%" PRIx64, w->id);
	cr_expect_eq(walk.odd, w->odd, "%" PRIx64, w->id);
	/* Leaves of vectors have 32 elements. */
	cr_expect_leq(walk.entries, 32 * hprof_heap_count(heap));
	hprof_cursor_free(cursor);
}

static void check_all(const char *recipe, const struct wanted *all,
		      size_t count)
{
	struct hprof_heap *heap = heap_of(recipe);

	for (size_t i = 0; i < count; i++)
		check_one(heap, &all[i]);
	hprof_heap_close(heap);
}

Test(collections, sizes_and_entries)
{
	static const struct wanted all[] = {
		{ 0x1, 0, 0, 0, "", false },
		{ 0x2, 0, 0, 7, "", false },
		{ 0x100, 3, 4, 5, "1=2 2=3 3=0 ", false },
		{ 0x108, 3, 4, 5, "1 2 3 ", false },
		{ 0x110, 3, 5, 4, "1 0 2 ", false },
		{ 0x120, 2, 4, UNKNOWN, "1 2 ", false },
		{ 0x130, 3, UNKNOWN, UNKNOWN, "1=102 2=102 3=102 ", false },
		{ 0x140, 1, UNKNOWN, UNKNOWN, "1 ", false },
		{ 0x141, 2, UNKNOWN, UNKNOWN, "1 2 ", false },
		{ 0x150, 2, 4, UNKNOWN, "5=32 6=3c ", false },
		{ 0x234, 0, 0, 0, "", false },
	};

	check_all("collections", all, sizeof all / sizeof *all);
}

/* The user's keys and values, not Caffeine's nodes. */
Test(collections, caffeine)
{
	static const struct wanted all[] = {
		{ 0x100, 2, 3, UNKNOWN, "1=2 2=3 ", false },
		{ 0x101, 2, 3, UNKNOWN, "1=2 2=3 ", false },
		{ 0x102, 2, 3, UNKNOWN, "1=106 2=107 ", false },
		{ 0x110, 9, 1, UNKNOWN, "0=0 ", true },
		{ 0x120, 0, UNKNOWN, UNKNOWN, "", false },
	};

	check_all("caffeine", all, sizeof all / sizeof *all);
}

Test(collections, sorted_maps)
{
	static const struct wanted all[] = {
		{ 0x100, 2, 2, UNKNOWN, "1=2 2=3 ", false },
		{ 0x110, 1, UNKNOWN, UNKNOWN, "1=105 ", false },
		{ 0x120, 0, 0, UNKNOWN, "", false },
		/* a list of two as the value of what has two keys */
		{ 0x130, 1, UNKNOWN, UNKNOWN, "1=2 2=3 ", false },
	};
	struct hprof_heap *heap = heap_of("sorted_map");
	struct hprof_cursor *cursor = cursor_of(heap);

	check_all("sorted_map", all, sizeof all / sizeof *all);
	/* Itself as its lists, or no list: not known, not empty. */
	for (uint64_t id = 0x131; id <= 0x132; id++) {
		struct text none = { .size = 0 };

		cr_expect_eq(hprof_collection_each(cursor,
						   hprof_heap_find(heap, id), 0,
						   put_entry, &none, NULL),
			     HPROF_E_UNSUPPORTED, "%" PRIx64, id);
	}
	hprof_cursor_free(cursor);
	hprof_heap_close(heap);
}

#define THREE "1 2 3 0 "
#define LEAF THREE THREE THREE THREE THREE THREE THREE THREE

Test(collections, vectors)
{
	static const struct wanted all[] = {
		{ 0x100, 34, UNKNOWN, UNKNOWN, LEAF "4 5 ", false },
		{ 0x108, 2, UNKNOWN, UNKNOWN, "4 5 ", false },
		{ 0x120, 7, UNKNOWN, UNKNOWN, "1 2 3 4 5 1 0 ", false },
		{ 0x130, 2, 2, UNKNOWN, "2 3 ", false },
		{ 0x131, 33, UNKNOWN, UNKNOWN,
		  "2 3 0 " THREE THREE THREE THREE THREE THREE THREE "4 5 ",
		  false },
		/* shifts that are none, and a circle */
		{ 0x109, 34, UNKNOWN, UNKNOWN, "", true },
		{ 0x10a, 34, UNKNOWN, UNKNOWN, "", true },
		{ 0x10b, 0x7fffffff, UNKNOWN, UNKNOWN, NULL, true },
	};

	check_all("tries", all, sizeof all / sizeof *all);
}

Test(collections, only_the_size)
{
	struct hprof_heap *heap = heap_of("tries");
	struct hprof_cursor *cursor = cursor_of(heap);
	uint64_t queue = hprof_heap_find(heap, 0x190);
	struct hprof_collection c;
	struct text none = { .size = 0 };

	cr_assert_eq(hprof_collection_open(cursor, queue, &c), HPROF_OK);
	cr_expect_eq(c.kind, HPROF_COLLECTION_QUEUE);
	cr_expect_eq(c.size, 70);
	cr_expect_eq(
		hprof_collection_each(cursor, queue, 0, put_entry, &none, NULL),
		HPROF_E_UNSUPPORTED);
	hprof_cursor_free(cursor);
	hprof_heap_close(heap);
}

Test(collections, tries, .timeout = 60)
{
	static const struct wanted all[] = {
		{ 0x110, 4, UNKNOWN, UNKNOWN, "1=2 2=3 3=0 0=5 ", false },
		{ 0x140, 3, UNKNOWN, UNKNOWN, "1=2 2=3 3=0 ", false },
		{ 0x150, 3, UNKNOWN, UNKNOWN, "1 2 3 ", false },
		{ 0x160, UNKNOWN, UNKNOWN, UNKNOWN, "1=2 2=3 3=0 ", false },
		/* circles, and a node that is none */
		{ 0x118, 1, UNKNOWN, UNKNOWN, "", true },
		{ 0x11c, 1, UNKNOWN, UNKNOWN, "", true },
		{ 0x158, 1, UNKNOWN, UNKNOWN, "", true },
	};

	check_all("tries", all, sizeof all / sizeof *all);
}

/* Hash tables without nodes: the key 0, values that were removed. */
Test(collections, keys_of_zero)
{
	static const struct wanted all[] = {
		{ 0x170, 3, 5, UNKNOWN, "5=32 6=3c 0=9 ", false },
		{ 0x174, 2, 5, UNKNOWN, "5=32 6=3c ", false },
		{ 0x178, 3, 5, UNKNOWN, "5 6 0 ", false },
		{ 0x179, 2, 5, UNKNOWN, "5 6 ", false },
		{ 0x180, 2, 4, UNKNOWN, "1 2 ", false },
	};

	check_all("tries", all, sizeof all / sizeof *all);
}

/* Bits of a word or of many; numbers, or elements of an array. */
Test(collections, bits)
{
	static const struct wanted all[] = {
		{ 0x100, 4, 192, UNKNOWN, "0 3 3f 41 ", false },
		{ 0x102, 0, 0, UNKNOWN, "", false },
		{ 0x104, 0, 64, UNKNOWN, "", false },
		{ 0x106, 0, 0, UNKNOWN, "", false },
		{ 0x110, 2, 3, UNKNOWN, "1 3 ", false },
		{ 0x112, 0, 3, UNKNOWN, "", false },
		{ 0x113, 2, 3, UNKNOWN, "1 ", true },
		{ 0x114, 2, 65, UNKNOWN, "2 3 ", false },
		{ 0x120, 3, 3, UNKNOWN, "1 2 3 ", false },
	};

	check_all("forms", all, sizeof all / sizeof *all);
}

Test(collections, views)
{
	static const struct wanted all[] = {
		{ 0x122, 2, 3, UNKNOWN, "2 3 ", false },
		{ 0x134, 2, 2, UNKNOWN, "1 3 ", false },
		{ 0x135, 2, 2, UNKNOWN, "2 1 ", false },
	};
	struct hprof_heap *heap = heap_of("forms");
	struct hprof_cursor *cursor = cursor_of(heap);
	struct text none = { .size = 0 };

	check_all("forms", all, sizeof all / sizeof *all);
	cr_expect_eq(hprof_collection_each(cursor, hprof_heap_find(heap, 0x136),
					   0, put_entry, &none, NULL),
		     HPROF_E_UNSUPPORTED);
	hprof_cursor_free(cursor);
	hprof_heap_close(heap);
}

/* Trees with threads, arrays of keys, rings, and arrays in the slots of a table. */
Test(collections, links_of_libraries, .timeout = 60)
{
	static const struct wanted all[] = {
		{ 0x140, 3, UNKNOWN, UNKNOWN, "5=1 7=2 9=3 ", false },
		{ 0x144, 3, UNKNOWN, UNKNOWN, NULL, true },
		{ 0x150, 2, 4, UNKNOWN, "0=1 6=0 ", false },
		{ 0x153, 77, 4, UNKNOWN, "0=1 6=0 7=3 8=0 ", true },
		{ 0x160, 2, UNKNOWN, UNKNOWN, "1=2 2=3 ", false },
		{ 0x164, 3, UNKNOWN, UNKNOWN, "1=2 2=3 ", true },
		{ 0x165, 1, UNKNOWN, UNKNOWN, NULL, true },
		{ 0x170, 3, 3, UNKNOWN, "1=1 2=2 1=3 ", false },
		{ 0x17a, 3, 16, UNKNOWN, "", true },
		{ 0x180, 2, UNKNOWN, UNKNOWN, "1 2 ", false },
	};

	check_all("forms", all, sizeof all / sizeof *all);
}

/* References of a cache's own; tries and vectors of other versions. */
Test(collections, other_versions)
{
	static const struct wanted all[] = {
		{ 0x190, 1, 1, UNKNOWN, "1=196 ", false },
		{ 0x1a0, 3, UNKNOWN, UNKNOWN, "1=2 2=3 3=1 ", false },
		{ 0x1a5, 3, UNKNOWN, UNKNOWN, "", true },
		{ 0x1a8, 3, UNKNOWN, UNKNOWN, "1 2 3 ", false },
		{ 0x1b0, 3, UNKNOWN, UNKNOWN, "1 2 3 ", false },
		{ 0x1c0, 3, UNKNOWN, UNKNOWN, "1=2 2=3 3=1 ", false },
	};

	check_all("forms", all, sizeof all / sizeof *all);
}

Test(collections, lies_and_circles, .timeout = 60)
{
	static const struct wanted all[] = {
		{ 0x200, 0x7fffffff, UNKNOWN, 1, NULL, true },
		{ 0x210, 1, UNKNOWN, UNKNOWN, NULL, true },
		{ 0x230, 9, 5, 4, "1 0 2 0 0 ", true },
		{ 0x231, UNKNOWN, 5, 4, "1 0 2 0 0 ", false },
		{ 0x233, 1, 0, 4, "", true },
		{ 0x240, 2, 2, 5, NULL, true },
		{ 0x250, UNKNOWN, 4, UNKNOWN, "2 0 0 1 ", false },
	};

	check_all("collections", all, sizeof all / sizeof *all);
}

Test(collections, not_recognised)
{
	/* No collection, odd fields, and an array that is none. */
	static const uint64_t ids[] = {
		0x4, 0x102, 0x101, 0x260, 0x232, 0x1000
	};
	struct hprof_heap *heap = heap_of("collections");
	struct hprof_cursor *cursor = cursor_of(heap);
	struct hprof_collection c, untouched;

	memset(&c, 0x5a, sizeof c);
	untouched = c;
	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
		uint64_t object = hprof_heap_find(heap, ids[i]);

		cr_assert_lt(object, hprof_heap_count(heap));
		cr_expect(hprof_collection_open(cursor, object, &c) ==
				  HPROF_END,
			  "%" PRIx64, ids[i]);
		cr_expect(!memcmp(&c, &untouched, sizeof c));
	}
	hprof_cursor_free(cursor);
	hprof_heap_close(heap);
}

Test(collections, a_set_of_itself)
{
	struct hprof_heap *heap = heap_of("collections");
	struct hprof_cursor *cursor = cursor_of(heap);
	uint64_t object = hprof_heap_find(heap, 0x220);
	struct text t = { .size = 0 };
	struct hprof_collection c;

	cr_assert(hprof_collection_open(cursor, object, &c) == HPROF_OK);
	cr_expect(c.shape == HPROF_COLLECTION_WRAPPER);
	cr_expect_eq(c.storage, object);
	cr_expect_eq(c.size, UNKNOWN);
	cr_expect(hprof_collection_each(cursor, object, 0, put_entry, &t,
					NULL) == HPROF_E_UNSUPPORTED);
	hprof_cursor_free(cursor);
	hprof_heap_close(heap);
}

Test(collections, a_walk_stops_when_told)
{
	struct hprof_heap *heap = heap_of("collections");
	struct hprof_cursor *cursor = cursor_of(heap);
	uint64_t object = hprof_heap_find(heap, 0x100);
	struct hprof_collection_walk walk;
	struct text t = { .size = 0 };

	cr_assert(hprof_collection_each(cursor, object, 2, put_entry, &t,
					&walk) == HPROF_OK);
	cr_expect_str_eq(t.at, "1=2 2=3 ");
	cr_expect_eq(walk.entries, 2);
	cr_expect(!walk.complete && !walk.odd);
	hprof_cursor_free(cursor);
	hprof_heap_close(heap);
}

Test(collections, classes)
{
	static const struct {
		const char *name;
		int kind; /* -1: none */
		bool part;
	} all[] = {
		{ "java.util.HashMap", HPROF_COLLECTION_MAP, false },
		{ "java.util.HashMap$Node", -1, true },
		{ "acme.OwnList", HPROF_COLLECTION_LIST, false },
		{ "java.util.HashSet", HPROF_COLLECTION_SET, false },
		{ "java.util.ArrayDeque", HPROF_COLLECTION_QUEUE, false },
		{ "java.util.Vector", -1, false },
		{ "java.lang.Object", -1, false },
	};
	struct hprof_heap *heap = heap_of("collections");

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		size_t row = hprof_heap_class_named(heap, all[i].name, 0);
		enum hprof_collection_kind kind;

		cr_assert_neq(row, SIZE_MAX);
		cr_expect_eq(hprof_collection_is_part(heap, row), all[i].part,
			     "%s", all[i].name);
		if (hprof_collection_class(heap, row, &kind))
			cr_expect_eq((int)kind, all[i].kind, "%s", all[i].name);
		else
			cr_expect_eq(all[i].kind, -1, "%s", all[i].name);
	}
	cr_expect(!hprof_collection_class(heap, SIZE_MAX, NULL));
	cr_expect(!hprof_collection_class(NULL, 0, NULL));
	cr_expect(!hprof_collection_is_part(heap, SIZE_MAX));
	cr_expect(!hprof_collection_is_part(NULL, 0));
	hprof_heap_close(heap);
}

/*
 * A field is looked for once an object: behind very many others, as only a hostile
 * dump has them, it is not found.
 */
Test(collections, very_many_fields)
{
	enum { LEVELS = 10, OWN = 400, FIELDS_MOST = 1024 };
	struct maker m = maker_begin(8);
	const uint64_t own = maker_field_names(&m, OWN);
	const uint64_t table = maker_string(&m, "table");
	char fields[OWN + 1] = { 0 };
	struct hprof_heap *heap;
	struct hprof_field field;
	const char *rest;

	memset(fields, 'B', OWN);
	maker_heap(&m, HPROF_HEAP_DUMP);
	maker_class(&m, &(struct maker_class){ 16, 0, 8, "L", "", table });
	for (uint64_t i = 1; i <= LEVELS; i++)
		maker_class(&m, &(struct maker_class){ 16 * (i + 1), 16 * i, 0,
						       fields, "", own });
	maker_heap_end(&m);
	cr_assert_eq(heap_of_bytes(m.out.bytes, m.out.size, 1, &heap),
		     HPROF_OK);
	for (uint64_t i = 0; i <= LEVELS; i++) {
		const size_t before = i * OWN;

		cr_expect_eq(hp_field_path_first(
				     heap, hprof_heap_class(heap, 16 * (i + 1)),
				     SIZE_MAX, "table", &field, &rest),
			     before < FIELDS_MOST ? before : SIZE_MAX);
	}
	hprof_heap_close(heap);
	buffer_free(&m.out);
}
