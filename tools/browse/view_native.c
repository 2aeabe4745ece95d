/* SPDX-License-Identifier: MIT */
/*
 * view_native.c - memory outside of the heap that objects stand for: by kind,
 * and who holds it.
 */
#include <stdlib.h>

#include "tools/browse/views.h"
#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/units.h"
#include "tools/report/render.h"

enum { BYTES, OBJECTS };

static void put_kind(struct view *v, unsigned kind,
		     const struct hprof_native_sum *sum)
{
	const char *name = render_native_kind((enum hprof_native_kind)kind);
	char bytes[UNITS_MAX];
	struct view_row *row = view_add(
		v, sum->unreachable_bytes
			   ? describe_format(
				     "%s, %s of it unreachable", name,
				     units_bytes(sum->unreachable_bytes, bytes))
			   : cli_strdup(name));

	row->values[BYTES] = sum->bytes;
	row->values[OBJECTS] = sum->objects;
}

static void put_pool(struct view *v, const struct hprof_native_pool *pool)
{
	char *name = describe_object(&pool->allocator);
	char bytes[UNITS_MAX];
	struct view_row *row = view_add(
		v, describe_format("%s free in chunks of %s",
				   units_bytes(pool->free, bytes), name));

	free(name);
	row->values[BYTES] = pool->bytes;
	row->values[OBJECTS] = pool->chunks;
	row_about(row, &pool->allocator);
}

static void put_owner(struct view *v, const struct hprof_native_owner *owner)
{
	char *name = render_native_owner(owner);
	struct view_row *row = view_add(
		v, describe_format("%s held by %s",
				   render_native_kind(owner->kind), name));

	free(name);
	row->values[BYTES] = owner->bytes;
	row->values[OBJECTS] = owner->objects;
	row_about(row, &owner->owner);
}

static void make_native(struct view *v)
{
	const struct hprof_native_table *t = v->tables->native;
	size_t count = t->owner_count < v->limit ? t->owner_count : v->limit;
	char *sum = render_native_sum(t);

	view_title(v, describe_format("Memory outside of the heap: %s", sum));
	free(sum);
	v->whole = t->bytes;
	if (!t->bytes)
		view_add(v, cli_strdup("the dump knows of none"));
	for (unsigned i = 0; i < HPROF_NATIVE_KINDS; i++)
		if (t->kinds[i].objects && i != HPROF_NATIVE_MODULES)
			put_kind(v, i, &t->kinds[i]);
	if (t->pool_count)
		view_heading(v, "Of this, netty's pools have");
	for (size_t i = 0; i < t->pool_count && i < v->limit; i++)
		put_pool(v, &t->pools[i]);
	if (count)
		view_heading(v, "What holds it, by class");
	for (size_t i = 0; i < count; i++)
		if (t->owners[i].kind != HPROF_NATIVE_MODULES)
			put_owner(v, &t->owners[i]);
	view_more(v, t->owner_count - count);
}

const struct view_kind native_view = {
	.columns = { [BYTES] = { "bytes", COLUMN_BYTES },
		     [OBJECTS] = { "objects", COLUMN_COUNT } },
	.text_title = "what",
	.has_share = true,
	.needs = PART_NATIVE,
	.make = make_native,
};
