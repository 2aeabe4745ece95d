/* SPDX-License-Identifier: MIT */
/*
 * show_referrers.c - the objects that refer to the one that is shown.
 *
 * Each of a few has a line. Many are mostly alike: objects of one class that
 * refer to it in the same way share a line, so that the others can be seen.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/json_graph.h"
#include "tools/common/describe.h"
#include "tools/report/show.h"
#include "tools/common/table.h"
#include "tools/common/units.h"

enum {
	LOOKS_MAX = 1 << 20, /* referrers that are examined */
	EDGES_MAX = 1 << 24, /* references that are examined to do so */
	SPARE = 256 /* groups counted beyond those shown, to find the largest */
};

/* Referrers of one class that refer in the same way. */
struct group {
	uint64_t first; /* the object that was found first */
	size_t class_row;
	enum hprof_edge_kind kind;
	const char *field; /* owned by the heap */
	uint64_t count;
};

struct referrers {
	uint64_t *objects;
	size_t object_count, room;
	uint64_t count;
	struct group *groups;
	size_t group_count;
};

static bool take_referrer(void *user, uint64_t object)
{
	struct referrers *r = user;

	if (r->object_count < r->room)
		r->objects[r->object_count++] = object;
	r->count++;
	return true;
}

static bool is_telling(const struct hprof_edge *edge)
{
	return edge->kind != HPROF_EDGE_CLASS;
}

bool show_find_edge(const struct show *show, uint64_t from, uint64_t to,
		    struct hprof_edge *ret, uint64_t *looks)
{
	struct hprof_object at;
	struct hprof_edge edge;
	bool found = false;

	if (hprof_cursor_seek(show->cursor, from, &at) != HPROF_OK)
		return false;
	for (uint64_t i = 0;
	     hprof_cursor_edge(show->cursor, i, &edge) == HPROF_OK; i++) {
		++*looks;
		if (edge.to != to || (found && !is_telling(&edge)))
			continue;
		*ret = edge;
		found = true;
		if (is_telling(&edge))
			break;
	}
	return found;
}

/* ---- lines -------------------------------------------------------------- */

char *show_edge_label(const struct show *show, size_t class_row,
		      const struct hprof_edge *edge)
{
	if (edge->kind != HPROF_EDGE_REFERENT)
		return describe_edge(edge->kind, edge->name, edge->number,
				     true);
	return describe_reference(
		edge->name, describe_referent_strength(show->heap, class_row));
}

/* MORE is how many other objects the line stands for. */
static void put_referrer(const struct show *show, struct table *table,
			 const struct hprof_object_info *info,
			 const struct hprof_edge *edge, uint64_t more)
{
	char *by = show_edge_label(show, info->class_row, edge);
	char *object = describe_object(info), *label;
	char size[UNITS_MAX], count[UNITS_MAX];

	label = more ? describe_format("%s and %s more", object,
				       units_count(more, count))
		     : describe_format("%s", object);
	table_text(table, units_bytes(info->retained, size));
	table_text(table, by);
	table_text(table, label);
	free(label);
	free(object);
	free(by);
}

static void put_referrer_json(struct json *json,
			      const struct hprof_object_info *info,
			      const struct hprof_edge *edge)
{
	json_begin_object(json, NULL, JSON_LINE);
	json_string(json, "by", describe_edge_word(edge->kind));
	if (edge->name)
		json_string(json, "field", edge->name);
	if (edge->kind == HPROF_EDGE_ELEMENT)
		json_number(json, "index", edge->number);
	json_object_info_members(json, info);
	json_end(json);
}

static void put_line(struct show *show, struct table *table, uint64_t from,
		     uint64_t object, uint64_t more)
{
	struct hprof_edge edge = { .kind = HPROF_EDGE_FIELD };
	struct hprof_object_info info;
	uint64_t looks = 0;

	if (!show_find_edge(show, from, object, &edge, &looks) ||
	    hprof_object_info_get(show->cursor, show->graph, from, &info,
				  NULL) != HPROF_OK)
		return;
	if (show->as_json)
		put_referrer_json(&show->json, &info, &edge);
	else
		put_referrer(show, table, &info, &edge, more);
}

/* ---- groups ------------------------------------------------------------- */

static bool fits(const struct group *group, const struct group *like)
{
	return group->class_row == like->class_row &&
	       group->kind == like->kind &&
	       (group->field == like->field ||
		(group->field && like->field &&
		 !strcmp(group->field, like->field)));
}

/* For arrays the index is not searched for: all elements count as one way. */
static bool look_at(const struct show *show, uint64_t from, uint64_t to,
		    struct group *ret, uint64_t *looks)
{
	struct hprof_edge edge = { .kind = HPROF_EDGE_ELEMENT };
	struct hprof_object at;

	if (hprof_cursor_seek(show->cursor, from, &at) != HPROF_OK ||
	    (at.kind != HPROF_OBJECT_OBJ_ARRAY &&
	     !show_find_edge(show, from, to, &edge, looks)))
		return false;
	*ret = (struct group){ .first = from,
			       .class_row = at.class_row,
			       .kind = edge.kind,
			       .field = edge.name,
			       .count = 1 };
	if (edge.kind == HPROF_EDGE_STATIC)
		ret->class_row =
			SIZE_MAX - (size_t)from; /* a group of its own */
	return true;
}

/* Makes at most MOST groups. Objects that are in none of them are left out. */
static void divide(const struct show *show, struct referrers *r,
		   uint64_t object, size_t most)
{
	uint64_t looks = 0;

	r->groups = cli_calloc(most, sizeof(*r->groups));
	for (size_t i = 0; i < r->object_count && looks < EDGES_MAX; i++) {
		struct group one;
		size_t k = 0;

		if (!look_at(show, r->objects[i], object, &one, &looks))
			continue;
		while (k < r->group_count && !fits(&r->groups[k], &one))
			k++;
		if (k < r->group_count)
			r->groups[k].count++;
		else if (k < most)
			r->groups[r->group_count++] = one;
	}
}

static int compare_groups(const void *left, const void *right)
{
	const struct group *a = left, *b = right;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

/* ---- the section -------------------------------------------------------- */

/* Returns how many referrers the lines stand for. */
static uint64_t put_groups(struct show *show, struct table *table,
			   struct referrers *r, uint64_t object, size_t most)
{
	uint64_t shown = 0;

	divide(show, r, object, most + SPARE);
	if (r->group_count)
		qsort(r->groups, r->group_count, sizeof(*r->groups),
		      compare_groups);
	for (size_t i = 0; i < r->group_count && i < most; i++) {
		const struct group *group = &r->groups[i];

		put_line(show, table, group->first, object, group->count - 1);
		shown += group->count;
	}
	free(r->groups);
	return shown;
}

static void put_referrers(struct show *show, struct referrers *r,
			  uint64_t object, size_t most)
{
	static const struct table_column columns[] = {
		{ "retained", TABLE_RIGHT },
		{ "by", TABLE_LEFT },
		{ "referrer", TABLE_LEFT },
	};
	struct table *table = table_new(columns, 3);
	uint64_t shown = r->object_count < most ? r->object_count : most;

	if (r->count > most && !show->as_json)
		shown = put_groups(show, table, r, object, most);
	else
		for (size_t i = 0; i < shown; i++)
			put_line(show, table, r->objects[i], object, 0);
	show_end(show);
	if (!show->as_json && shown)
		table_print(table, stdout, 2);
	show_left_out(show, r->count, shown);
	table_free(table);
}

bool show_referrers(struct show *show, uint64_t object)
{
	uint64_t all = hprof_heap_count(show->heap);
	size_t most = (size_t)show_limit(show, all);
	struct referrers r = { .room = most };
	struct hprof_error error = { 0 };
	enum hprof_status status;

	if (r.room < LOOKS_MAX && !show->as_json)
		r.room = all < LOOKS_MAX ? (size_t)all : LOOKS_MAX;
	r.objects = cli_calloc(r.room, sizeof(*r.objects));
	status = hprof_graph_referrers(show->graph, object, take_referrer, &r,
				       &error);
	if (status < 0)
		cli_message("%s: %s", show->path, error.text);
	if (show->as_json)
		json_number(&show->json, "referrer_count", r.count);
	show_begin(show, "referrers", r.count ? "referrers" : "no referrers");
	put_referrers(show, &r, object, most);
	free(r.objects);
	return status >= 0;
}
