/* SPDX-License-Identifier: MIT */
/*
 * test_quick_edges.c - what the graph says of objects and references is what
 * the dump says.
 */
#include <criterion/criterion.h>

#include <string.h>

#include <hprof.h>

#include "heaps.h"
#include "report/quick_edges.h"
#include "report/root_paths.h"

struct told {
	size_t kinds, edges, by_masks;
};

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static void compare_edge(struct hp_quick_edges *q, uint32_t from, uint32_t to,
			 size_t *told)
{
	struct hprof_edge quick, slow = { 0 };
	bool known, found;

	cr_assert_eq(hp_quick_edge(q, from, to, &quick, &known, NULL),
		     HPROF_OK);
	if (!known)
		return;
	cr_assert_eq(hp_root_paths_edge(q->look, from, to, false, &found, &slow,
					NULL),
		     HPROF_OK);
	cr_expect(found);
	cr_expect_eq(quick.kind, slow.kind);
	cr_expect(is_same_text(quick.name, slow.name));
	++*told;
}

static void compare_kind(struct hp_quick_edges *q, uint32_t object,
			 size_t *told)
{
	enum hprof_object_kind kind;
	struct hprof_object slow;
	bool known;

	cr_assert_eq(hp_quick_kind(q, object, &kind, &known, NULL), HPROF_OK);
	if (!known)
		return;
	cr_assert_eq(hprof_cursor_seek(q->look->cursor, object, &slow),
		     HPROF_OK);
	cr_expect_eq(kind, slow.kind, "%d %d %s", kind, slow.kind,
		     hp_class_name(q->look->heap, slow.class_row));
	++*told;
}

/* Of all objects and references: without masks, and then with them. */
static void compare_all(const struct opened *o, bool masks, struct told *told)
{
	struct hp_look look = { o->heap, o->graph, cursor_of(o->heap) };
	struct hp_quick_edges q;

	cr_assert_eq(hp_quick_edges_init(&q, &look), HPROF_OK);
	if (masks)
		cr_assert_eq(hp_field_masks_read(o->graph, &q.masks, NULL),
			     HPROF_OK);
	for (uint32_t i = 0; i < hprof_heap_count(o->heap); i++) {
		const uint32_t *to = NULL;
		uint64_t count = hp_graph_targets(o->graph, i, &to);

		compare_kind(&q, i, &told->kinds);
		for (uint64_t k = 0; k < count; k++)
			if (to[k] != HP_NONE)
				compare_edge(&q, i, to[k],
					     masks ? &told->by_masks
						   : &told->edges);
	}
	hp_quick_edges_done(&q);
	hprof_cursor_free(look.cursor);
}

Test(quick_edges, are_those_of_the_dump)
{
	struct told told = { 0 };

	for (char **name = fixture_names(); *name; name++) {
		struct fixture f = fixture_load(*name);
		struct opened o;

		if (open_bytes(&o, f.bytes, f.size, 1)) {
			compare_all(&o, false, &told);
			compare_all(&o, true, &told);
			close_opened(&o);
		}
		fixture_free(&f);
	}
	cr_expect_gt(told.kinds, 1000, "%zu", told.kinds);
	cr_expect_gt(told.edges, 100, "%zu", told.edges);
	cr_expect_gt(told.by_masks, told.edges + 100, "%zu and %zu",
		     told.by_masks, told.edges);
}
