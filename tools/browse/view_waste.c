/* SPDX-License-Identifier: MIT */
/*
 * view_waste.c - memory that a program could do without: by kind, and of a kind
 * by class and holder, with the contents that are there several times.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/browse/views.h"
#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/escape.h"
#include "tools/common/units.h"
#include "tools/report/render.h"

enum { SAVED, BYTES, OBJECTS };
enum { TEXT_MOST = 60 };

/* ---- kinds --------------------------------------------------------------- */

static void make_waste(struct view *v)
{
	const struct hprof_waste_table *t = v->tables->waste;
	char saved[UNITS_MAX];

	view_title(v, describe_format("Waste: %s could be saved",
				      units_bytes(t->saved, saved)));
	v->whole = t->live;
	for (unsigned k = 0; k < HPROF_WASTE_KINDS; k++) {
		struct view_row *row;

		if (!t->kinds[k].objects)
			continue;
		row = view_add(v, render_waste_kind((enum hprof_waste_kind)k));
		row->values[SAVED] = t->kinds[k].saved;
		row->values[BYTES] = t->kinds[k].bytes;
		row->values[OBJECTS] = t->kinds[k].objects;
		row->target = target_of(TARGET_WASTE_KIND, k);
	}
}

const struct view_kind waste_view = {
	.columns = { [SAVED] = { "saved", COLUMN_BYTES },
		     [BYTES] = { "bytes", COLUMN_BYTES },
		     [OBJECTS] = { "objects", COLUMN_COUNT } },
	.text_title = "kind",
	.has_share = true,
	.sortable = true,
	.needs = PART_WASTE,
	.make = make_waste,
};

/* ---- one kind ------------------------------------------------------------ */

static const char *class_name(const struct view *v, size_t row)
{
	const struct hprof_summary *s = v->tables->summary;

	return row < s->class_count ? s->class_rows[row].name : NULL;
}

static void put_row(struct view *v, const struct hprof_waste_row *waste)
{
	char *name = describe_kind(class_name(v, waste->class_row), false);
	char *holder =
		waste->fields ? describe_count(waste->fields, "field", "fields")
			      : render_waste_holder(v->tables->summary,
						    &waste->holder);
	struct view_row *row = view_add(
		v, describe_format("%s%s%s", name,
				   waste->fields ? ", " : " held by ", holder));

	free(holder);
	free(name);
	row->values[SAVED] = waste->sum.saved;
	row->values[BYTES] = waste->sum.bytes;
	row->values[OBJECTS] = waste->sum.objects;
	row->class_row = waste->class_row;
	row->object = waste->example;
	if (waste->example != HPROF_NO_OBJECT)
		row->target = target_of(TARGET_OBJECT, waste->example);
	else if (waste->class_row != SIZE_MAX)
		row->target = target_of(TARGET_INSTANCES, waste->class_row);
}

static char *content_text(const struct view *v,
			  const struct hprof_waste_content *content)
{
	char *text, *label, *name;

	if (content->text) {
		text = escape_copy(content->text, TEXT_MOST);
		label = describe_format("\"%s\"", text);
		free(text);
		return label;
	}
	name = describe_kind(class_name(v, content->class_row), false);
	label = describe_format("%s of %" PRIu64 " elements", name,
				content->length);
	free(name);
	return label;
}

static void put_contents(struct view *v,
			 const struct hprof_waste_content *contents,
			 size_t count)
{
	if (count)
		view_heading(v, "Contents");
	for (size_t i = 0; i < count; i++) {
		struct view_row *row =
			view_add(v, content_text(v, &contents[i]));

		row->values[SAVED] = contents[i].saved;
		row->values[OBJECTS] = contents[i].objects;
		row->object = contents[i].example;
		row->class_row = contents[i].class_row;
		row->target = target_of(TARGET_OBJECT, contents[i].example);
	}
}

static void put_maps(struct view *v, enum hprof_waste_kind kind)
{
	const struct hprof_waste_table *t = v->tables->waste;
	bool first = true;

	for (size_t i = 0; i < t->map_count; i++) {
		const struct hprof_waste_map *map = &t->maps[i];
		struct view_row *row;
		char *name;

		if (map->kind != kind)
			continue;
		if (first)
			view_heading(v, "Maps");
		first = false;
		name = describe_kind(class_name(v, map->class_row), false);
		row = view_add(v, describe_format("%s@0x%" PRIx64 ", %" PRIu64
						  " entries",
						  name, map->id, map->entries));
		free(name);
		row->object = map->object;
		row->class_row = map->class_row;
		row->target = target_of(TARGET_OBJECT, map->object);
	}
}

static void make_waste_kind(struct view *v)
{
	const struct hprof_waste_table *t = v->tables->waste;
	enum hprof_waste_kind kind = (enum hprof_waste_kind)v->about.number;
	uint64_t left = 0;
	size_t shown = 0;
	char *name = render_waste_kind(kind);

	view_title(v, describe_format("Waste: %s", name));
	free(name);
	v->whole = t->live;
	for (size_t i = 0; i < t->row_count; i++) {
		if (t->rows[i].kind != kind)
			continue;
		if (shown++ < v->limit)
			put_row(v, &t->rows[i]);
		else
			left++;
	}
	view_more(v, left);
	if (kind == HPROF_WASTE_EQUAL_STRINGS)
		put_contents(v, t->strings, t->string_count);
	if (kind == HPROF_WASTE_EQUAL_ARRAYS)
		put_contents(v, t->arrays, t->array_count);
	put_maps(v, kind);
}

const struct view_kind waste_kind_view = {
	.columns = { [SAVED] = { "saved", COLUMN_BYTES },
		     [BYTES] = { "bytes", COLUMN_BYTES },
		     [OBJECTS] = { "objects", COLUMN_COUNT } },
	.text_title = "class and holder",
	.needs = PART_WASTE,
	.make = make_waste_kind,
};
