/* SPDX-License-Identifier: MIT */
/*
 * dump_sizes.c - one convention of sizes for all dumps that are compared, so
 * that a class that did not change has the same size in each of them.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/diff/dump_inputs.h"

/* A class whose size may have been measured in one dump, but not in another. */
struct sized {
	const char *name;
	uint64_t size, data; /* of one instance */
	bool measured;
};

static int compare_sized(const void *left, const void *right)
{
	const struct sized *a = left, *b = right;

	return strcmp(a->name, b->name);
}

/*
 * Classes with instances, without arrays and java.lang.Class, sorted by name.
 */
static struct sized *list_sizes(const struct hprof_summary *summary,
				size_t *ret_count)
{
	struct sized *all = cli_calloc(summary->class_count, sizeof(*all));
	size_t count = 0;

	for (size_t i = 0; i < summary->class_count; i++) {
		const struct hprof_class_row *row = &summary->class_rows[i];

		if (row->kind != HPROF_CLASS_PLAIN || !row->name ||
		    !row->instances || !strcmp(row->name, "java.lang.Class"))
			continue;
		all[count++] = (struct sized){ row->name,
					       row->shallow / row->instances,
					       row->data / row->instances,
					       row->measured };
	}
	if (count)
		qsort(all, count, sizeof(*all), compare_sized);
	*ret_count = count;
	return all;
}

/*
 * True if a class has the same fields in both dumps, but not the same size: in
 * one of them it was measured by the distances of addresses.
 */
static bool measured_apart(const struct hprof_summary *first,
			   const struct hprof_summary *second)
{
	size_t a_count, b_count, a = 0, b = 0;
	struct sized *as = list_sizes(first, &a_count);
	struct sized *bs = list_sizes(second, &b_count);
	bool apart = false;

	while (a < a_count && b < b_count && !apart) {
		int order = compare_sized(&as[a], &bs[b]);

		apart = !order && as[a].measured != bs[b].measured &&
			as[a].data == bs[b].data && as[a].size != bs[b].size;
		a += order <= 0;
		b += order >= 0;
	}
	free(as);
	free(bs);
	return apart;
}

static bool same_sizes(const struct hprof_summary *first,
		       const struct hprof_summary *second)
{
	const struct hprof_size_convention *a = &first->convention;
	const struct hprof_size_convention *b = &second->convention;

	if (a->sizes == HPROF_SIZES_DATA)
		return first->header.id_size == second->header.id_size;
	if (a->declared || b->declared)
		return a->declared && b->declared;
	return a->ref_width == b->ref_width && a->header == b->header &&
	       a->array_header == b->array_header &&
	       a->alignment == b->alignment && a->fill_gaps == b->fill_gaps &&
	       (a->sizes != HPROF_SIZES_JVM ||
		(a->measured == b->measured && !measured_apart(first, second)));
}

static bool resize(struct dump_input *dump,
		   const struct hprof_size_convention *like)
{
	struct hprof_error error = { 0 };
	enum hprof_status status =
		dump->heap
			? hprof_heap_resize(dump->heap, like, &error)
			: hprof_summary_resize(dump->own_summary, like, &error);

	if (status < 0)
		cli_message("%s: %s", dump->path, error.text);
	return status >= 0;
}

/*
 * The layout of all dumps is that of the last one that has a layout of a JVM. A
 * dump whose layout was measured is preferred to one where it was assumed.
 */
static size_t find_layout(const struct dump_inputs *dumps)
{
	size_t found = SIZE_MAX;

	for (size_t i = dumps->count; i-- > 0;) {
		const struct hprof_size_convention *convention =
			&dumps->items[i].summary->convention;

		if (convention->declared ||
		    convention->sizes == HPROF_SIZES_DATA)
			continue;
		if (convention->measured)
			return i;
		if (found == SIZE_MAX)
			found = i;
	}
	return found;
}

static bool choose_sizes(struct dump_inputs *dumps)
{
	struct hprof_size_convention like;

	dumps->like = find_layout(dumps);
	dumps->mixed = dumps->like == SIZE_MAX;
	if (dumps->mixed)
		return true;
	like = dumps->items[dumps->like].summary->convention;
	for (size_t i = 0; i < dumps->count; i++)
		if (!resize(&dumps->items[i], &like))
			return false;
	return true;
}

bool dump_inputs_agree_on_sizes(struct dump_inputs *dumps)
{
	const struct hprof_summary *first = dumps->items[0].summary;
	bool same = true;

	for (size_t i = 1; i < dumps->count; i++)
		same = same && same_sizes(first, dumps->items[i].summary);
	if (!same && !choose_sizes(dumps))
		return false;
	dumps->convention =
		dumps->items[dumps->count - 1].summary->convention.text;
	return true;
}
