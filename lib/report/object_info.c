/* SPDX-License-Identifier: MIT */
/*
 * object_info.c - see object_info.h.
 */
#include "report/object_info.h"

#include <stdlib.h>
#include <string.h>

#include "heap/cursor.h"
#include "graph/edge_build.h"
#include "base/error.h"
#include "base/mem.h"

/* ---- objects ------------------------------------------------------------- */

enum hprof_status hprof_object_info_get(struct hprof_cursor *cursor,
					const struct hprof_graph *graph,
					uint64_t object,
					struct hprof_object_info *ret_info,
					struct hprof_error *ret_error)
{
	struct hprof_object found;

	HP_NEED(ret_error, cursor);
	HP_NEED(ret_error, ret_info);
	if (graph && graph->heap != cursor->heap)
		return hp_bad_argument(ret_error, "graph",
				       "is of another heap than the cursor");
	if (hprof_cursor_seek(cursor, object, &found) < 0) {
		if (ret_error)
			*ret_error = cursor->error;
		return cursor->error.status;
	}
	*ret_info = (struct hprof_object_info){
		.object = object,
		.id = found.id,
		.kind = found.kind,
		.class_row = found.class_row,
		.class_name = hp_class_name(cursor->heap, found.class_row),
		.length = found.length,
		.shallow = found.shallow,
		.retained = hprof_graph_retained(graph, object),
	};
	return HPROF_OK;
}

enum hprof_status hp_object_info_get(const struct hp_look *look,
				     uint64_t object,
				     struct hprof_object_info *ret,
				     struct hprof_error *error)
{
	if (object == HPROF_NO_OBJECT) {
		*ret = (struct hprof_object_info){ .object = HPROF_NO_OBJECT };
		return HPROF_OK;
	}
	return hprof_object_info_get(look->cursor, look->graph, object, ret,
				     error);
}

bool hp_edge_holds(const struct hp_look *look, const struct hprof_edge *edge)
{
	return edge->kind != HPROF_EDGE_REFERENT ||
	       hp_class_holds(look->cursor->here.spot.of,
			      look->graph->options.hold);
}

enum hprof_status hp_look_failure(const struct hp_look *look,
				  struct hprof_error *error)
{
	if (error)
		*error = *hprof_cursor_error(look->cursor);
	return hprof_cursor_error(look->cursor)->status;
}

/* ---- classes ------------------------------------------------------------- */

const char *hp_class_name(const struct hprof_heap *heap, size_t row)
{
	const struct hprof_summary *summary = hprof_heap_summary(heap);

	return row < summary->class_count ? summary->class_rows[row].name
					  : NULL;
}

bool hp_class_is_runtime(const char *name)
{
	static const char *const prefixes[] = { "java.", "javax.", "jdk.",
						"sun.", "com.sun." };
	char package[64];

	if (!name)
		return true;
	hprof_package_name(name, package, sizeof package);
	if (!strcmp(package, "(primitive arrays)"))
		return true;
	for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

uint32_t *hp_class_marks(const struct hprof_heap *heap, const size_t *rows,
			 size_t count)
{
	size_t classes = hprof_heap_summary(heap)->class_count;
	size_t mirror = hprof_heap_class_named(heap, "java.lang.Class", 0);
	uint32_t *marks = hp_calloc(hp_kind_count(classes), sizeof *marks);

	for (size_t i = 0; marks && i < count; i++) {
		if (rows[i] >= classes)
			continue;
		marks[hp_kind_of_instances(rows[i])] = 1;
		for (size_t k = 0; rows[i] == mirror && k <= classes; k++)
			marks[hp_kind_of_class(k)] = 1;
	}
	return marks;
}

enum hprof_status hp_class_keys_init(struct hp_class_keys *keys,
				     const struct hprof_heap *heap)
{
	const struct hprof_summary *summary = hprof_heap_summary(heap);
	size_t count = summary->class_count;
	size_t mirror = hprof_heap_class_named(heap, "java.lang.Class", 0);

	*keys = (struct hp_class_keys){ .count = count + 2 };
	keys->key = hp_calloc(hp_kind_count(count), sizeof *keys->key);
	keys->names = hp_calloc(count + 2, sizeof *keys->names);
	if (!keys->key || !keys->names) {
		hp_class_keys_done(keys);
		return HPROF_E_NOMEM;
	}
	if (mirror >= count)
		mirror = count + 1; /* a dump whose class objects have none */
	for (size_t i = 0; i <= count; i++) {
		keys->key[hp_kind_of_instances(i)] = (uint32_t)i;
		keys->key[hp_kind_of_class(i)] = (uint32_t)mirror;
		keys->names[i].class_row = i < count ? i : SIZE_MAX;
		keys->names[i].name = hp_class_name(heap, i);
	}
	keys->names[count + 1].class_row = SIZE_MAX;
	keys->names[count + 1].name = "java.lang.Class";
	return HPROF_OK;
}

void hp_class_keys_done(struct hp_class_keys *keys)
{
	hp_free(keys->key);
	hp_free(keys->names);
	keys->key = NULL;
	keys->names = NULL;
}

/* ---- rows ---------------------------------------------------------------- */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_sets(const void *left, const void *right)
{
	const struct hprof_set_row *a = left, *b = right;
	int order = compare_numbers(b->retained, a->retained);

	if (!order)
		order = compare_numbers(b->shallow, a->shallow);
	if (!order)
		order = strcmp(a->name ? a->name : "", b->name ? b->name : "");
	if (!order)
		order = compare_numbers(a->loader_id, b->loader_id);
	return order ? order : compare_numbers(a->class_row, b->class_row);
}

struct hprof_set_row *hp_set_rows(struct hp_arena *arena,
				  const struct hp_sum *sums,
				  const struct hprof_set_row *names,
				  size_t count, size_t *ret_count)
{
	struct hprof_set_row *rows;
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		used += sums[i].objects != 0;
	rows = hp_arena_take(arena, (used + 1) * sizeof *rows);
	if (!rows)
		return NULL;
	used = 0;
	for (size_t i = 0; i < count; i++) {
		if (!sums[i].objects)
			continue;
		rows[used] = names[i];
		rows[used].objects = sums[i].objects;
		rows[used].shallow = sums[i].shallow;
		rows[used++].retained = sums[i].retained;
	}
	if (used)
		qsort(rows, used, sizeof *rows, compare_sets);
	*ret_count = used;
	return rows;
}
