/* SPDX-License-Identifier: MIT */
/*
 * render_leaks.c - leak suspects, in sentences.
 *
 * Each suspect is told in the order in which one would explain it to a
 * colleague: what grew, who owns it, what it consists of, and why it is alive.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/prose.h"
#include "tools/report/leak_headline.h"
#include "tools/report/render.h"
#include "tools/common/table.h"
#include "tools/common/units.h"

#define INDENT 3

/* ---- what happened ------------------------------------------------------ */

static void say_items(struct prose *text, const struct hprof_leak *leak)
{
	char *items = describe_count(leak->items, "object", "objects"), *item;
	char bytes[UNITS_MAX];

	item = describe_kind(leak->item_class, leak->item_is_class);
	units_bytes(leak->item_retained, bytes);
	if (leak->items == 1)
		prose_say(text,
			  "Of what it holds, one object keeps most: a %s, %s.",
			  item, bytes);
	else if (leak->item_is_class)
		prose_say(text, "It holds %s called %s, which keep %s.", items,
			  item, bytes);
	else
		prose_say(text, "It holds %s of class %s, which keep %s.",
			  items, item, bytes);
	free(items);
	free(item);
}

/* What the point is a part of: its array means nothing to a program. */
static void say_collection(struct prose *text, const struct hprof_leak *leak)
{
	char *collection, *element, *elements;

	if (leak->collection.object == HPROF_NO_OBJECT)
		return;
	collection = describe_object(&leak->collection);
	elements = describe_count(leak->elements, "element", "elements");
	element = describe_kind(leak->element_class, false);
	if (leak->collection.object != leak->point.object)
		prose_say(text, "That is a part of %s.", collection);
	if (leak->elements && leak->element_class)
		prose_say(text, "It has %s, most of which are of class %s.",
			  elements, element);
	free(collection);
	free(element);
	free(elements);
}

static void say_point(struct prose *text, const struct hprof_leak *leak)
{
	char *point = describe_object(&leak->point);

	prose_say(text, "They pile up in %s.", point);
	free(point);
	if (leak->items > 1 || !leak->part_count)
		say_items(text, leak); /* else the table of parts shows it */
	say_collection(text, leak);
}

static void say_chain(struct prose *text, const struct hprof_leak *leak)
{
	char *point = describe_object(&leak->point);
	char *links = describe_class(&leak->point, false);

	prose_say(text,
		  "They are linked to each other, as in a list or a tree: "
		  "objects of "
		  "class %s hold one another. The first of them is %s.",
		  links, point);
	say_collection(text, leak);
	free(point);
	free(links);
}

static void say_object(struct prose *text, const struct hprof_leak *leak)
{
	char *point = describe_object(&leak->point), bytes[UNITS_MAX];

	prose_say(text, "It is one large object, %s, which takes %s by itself.",
		  point, units_bytes(leak->point.shallow, bytes));
	say_collection(text, leak);
	free(point);
}

static void say_group(struct prose *text, const struct hprof_leak *leak)
{
	char *origin = describe_object(&leak->origin);
	char *member = describe_object(&leak->member);
	char *point = describe_object(&leak->point);
	char *item = describe_kind(leak->item_class, leak->item_is_class);
	char bytes[UNITS_MAX], count[UNITS_MAX];

	if (leak->origin.object != HPROF_NO_OBJECT)
		prose_say(text,
			  "None of them is large; nearly all are reached by "
			  "way of "
			  "%s.",
			  origin);
	units_bytes(leak->member.retained, bytes);
	if (leak->point.object == leak->member.object)
		prose_say(text, "The largest is %s with %s.", member, bytes);
	else
		prose_say(text,
			  "The largest is %s with %s, most of which piles up "
			  "in %s.",
			  member, bytes, point);
	if (leak->point.object != leak->member.object && leak->items > 1)
		prose_say(text, "That holds %s of %s.",
			  units_count(leak->items, count), item);
	free(origin);
	free(member);
	free(point);
	free(item);
}

static void say_threads(struct prose *text, const struct hprof_leak *leak)
{
	char *member = describe_object(&leak->member);
	char bytes[UNITS_MAX], count[UNITS_MAX], *frame;

	prose_say(text,
		  "Threads of one name, but for its digits, that are all there "
		  "at "
		  "once. With what their stacks hold they keep %s; the largest "
		  "is "
		  "%s with %s.",
		  units_bytes(leak->retained, bytes), member,
		  units_bytes(leak->member.retained, count));
	free(member);
	if (!leak->at_frame)
		return;
	frame = describe_frame(&leak->frame);
	prose_say(text, "%s of them are in %s.",
		  units_count(leak->at_frame, count), frame);
	free(frame);
}

static void say_loaders(struct prose *text, const struct hprof_leak *leak)
{
	char *name = describe_kind(leak->crowd_name, false);
	char *member = describe_object(&leak->member), count[UNITS_MAX];

	prose_say(text,
		  "Class %s is there %s times, each time by a class loader of "
		  "its "
		  "own: loaded again and again, and never unloaded. One of "
		  "them is "
		  "%s.",
		  name, units_count(leak->members, count), member);
	free(name);
	free(member);
}

static void say_what(struct prose *text, const struct hprof_leak *leak)
{
	switch (leak->kind) {
	case HPROF_LEAK_POINT:
		say_point(text, leak);
		break;
	case HPROF_LEAK_CHAIN:
		say_chain(text, leak);
		break;
	case HPROF_LEAK_OBJECT:
		say_object(text, leak);
		break;
	case HPROF_LEAK_GROUP:
		say_group(text, leak);
		break;
	case HPROF_LEAK_THREADS:
		say_threads(text, leak);
		break;
	case HPROF_LEAK_LOADERS:
		say_loaders(text, leak);
		break;
	}
}

static bool is_crowd(const struct hprof_leak *leak)
{
	return leak->kind == HPROF_LEAK_THREADS ||
	       leak->kind == HPROF_LEAK_LOADERS;
}

/* ---- whose it is, of what it consists ------------------------------------ */

static void say_owner(struct prose *text, const struct hprof_leak *leak)
{
	char *owner = describe_object(&leak->owner);

	if (leak->owner.object != HPROF_NO_OBJECT &&
	    leak->owner.object != leak->point.object)
		prose_say(text, "%s to %s: without it, %s would go.",
			  leak->kind == HPROF_LEAK_OBJECT ? "It belongs"
							  : "They belong",
			  owner,
			  leak->kind == HPROF_LEAK_OBJECT ? "it" : "they");
	free(owner);
}

static bool is_named(const char *name, const char *said)
{
	return said && !strcmp(name, said);
}

static void say_main(struct prose *text, const struct hprof_leak *leak)
{
	char *name, *objects, bytes[UNITS_MAX];

	if (!leak->main.name || leak->main.retained < leak->retained / 10 ||
	    is_named(leak->main.name, leak->item_class) ||
	    is_named(leak->main.name, leak->member_class) ||
	    is_named(leak->main.name, leak->point.class_name))
		return;
	name = describe_kind(leak->main.name, false);
	objects = describe_count(leak->main.objects, "object", "objects");
	prose_say(text, "Among what is kept are %s of class %s, with %s.",
		  objects, name, units_bytes(leak->main.retained, bytes));
	free(name);
	free(objects);
}

static void say_copies(struct prose *text, const struct hprof_leak *leak)
{
	char *name, *loader, count[UNITS_MAX];

	if (leak->copies < 2 || leak->kind == HPROF_LEAK_LOADERS)
		return;
	name = describe_kind(leak->copies_class, false);
	loader = describe_kind(leak->loader_class, false);
	prose_say(text,
		  "Class %s is there %s times, each time by a class loader of "
		  "its "
		  "own (%s): loaded again and again, and never unloaded.",
		  name, units_count(leak->copies, count), loader);
	free(name);
	free(loader);
}

/* The reference by which the accumulation point holds PART; free it. */
static char *part_edge(const struct hprof_leak_part *part)
{
	const struct hprof_path_step *step = &part->step;

	return part->direct ? describe_step(step, true)
			    : describe_format("%s", "(indirectly)");
}

static void put_parts(FILE *out, const struct hprof_leak *leak)
{
	static const struct table_column columns[] = {
		{ NULL, TABLE_RIGHT },
		{ NULL, TABLE_LEFT },
		{ NULL, TABLE_LEFT },
	};
	struct table *table;
	char bytes[UNITS_MAX];

	if (!leak->part_count || is_crowd(leak))
		return;
	table = table_new(columns, 3);
	for (size_t i = 0; i < leak->part_count; i++) {
		const struct hprof_object_info *info =
			&leak->parts[i].step.held;
		char *edge = part_edge(&leak->parts[i]);
		char *object = describe_object(info);

		table_text(table, units_bytes(info->retained, bytes));
		table_text(table, edge);
		table_text(table, object);
		free(edge);
		free(object);
	}
	if (leak->all_items > leak->part_count) {
		char count[UNITS_MAX], *more;

		more = describe_format(
			"(%s more)",
			units_count(leak->all_items - leak->part_count, count));
		table_text(table, "");
		table_text(table, "");
		table_text(table, more);
		free(more);
	}
	fprintf(out, "\n%*sWhat it holds:\n", INDENT, "");
	table_print(table, out, INDENT + 2);
	table_free(table);
}

static void put_classes(FILE *out, const struct hprof_leak *leak)
{
	static const struct table_column columns[] = {
		{ "objects", TABLE_RIGHT },
		{ "bytes", TABLE_RIGHT },
		{ "share", TABLE_RIGHT },
		{ "class", TABLE_LEFT },
	};
	struct table *table;

	if (!leak->class_count)
		return;
	table = table_new(columns, 4);
	for (size_t i = 0; i < leak->class_count && i < 5; i++) {
		const struct hprof_set_row *row = &leak->classes[i];
		char *name = describe_kind(row->name, false);

		table_count(table, row->objects);
		table_count(table, row->shallow);
		table_share(table, row->shallow, leak->retained);
		table_text(table, name);
		free(name);
	}
	fprintf(out, "\n%*sWhat is kept, by class:\n", INDENT, "");
	table_print(table, out, INDENT + 2);
	table_free(table);
}

/* ---- why it is alive ----------------------------------------------------- */

/* Who holds the first of the steps that are shown, in short. */
static void put_prefix(FILE *out, const struct hprof_path *path, size_t first)
{
	struct prose text = { NULL };
	char *root = describe_root(&path->root);
	char *loader = describe_class(&path->loader, false), *steps;

	if (first) {
		steps = leak_steps(path, 0, first - 1);
		prose_say(&text, "It is held by %s.", steps);
		free(steps);
	}
	if (path->loader.object != HPROF_NO_OBJECT)
		prose_say(&text, "%s class was loaded by %s.",
			  first ? "That" : "The", loader);
	else
		prose_say(&text, "GC root: %s.", root);
	free(root);
	free(loader);
	prose_put(&text, out, INDENT);
}

static void put_path(FILE *out, const struct hprof_leak *leak)
{
	const struct hprof_path *path = &leak->paths[0];
	size_t first = leak->owner_step == SIZE_MAX ? 0 : leak->owner_step;

	render_path_from(out, path, first, INDENT + 2);
	put_prefix(out, path, first);
}

static void put_paths(FILE *out, const struct hprof_leak *leak)
{
	bool to_origin = leak->kind == HPROF_LEAK_GROUP &&
			 leak->origin.object != HPROF_NO_OBJECT;
	bool to_member = leak->kind == HPROF_LEAK_GROUP && !to_origin;

	if (!leak->path_count)
		return;
	fprintf(out, "\n%*sWhy %s is alive:\n", INDENT, "",
		to_member   ? "the largest one"
		: to_origin ? "their origin"
			    : "it");
	put_path(out, leak);
	for (size_t i = 1; i < leak->path_count; i++) {
		fprintf(out, "\n%*sAnother way to it:\n", INDENT, "");
		render_path(out, &leak->paths[i], &leak->paths[0], INDENT + 2);
	}
}

static void put_reasons(FILE *out, const struct hprof_leak *leak)
{
	static const struct table_column columns[] = {
		{ "loaders", TABLE_RIGHT },
		{ "held by", TABLE_LEFT },
	};
	struct table *table;

	if (!leak->reason_count)
		return;
	table = table_new(columns, 2);
	for (size_t i = 0; i < leak->reason_count; i++) {
		const struct hprof_leak_reason *reason = &leak->reasons[i];
		char *where = leak_where(&reason->path, reason->owner_step,
					 reason->path.count - 1);

		table_count(table, reason->members);
		table_text(table, where);
		free(where);
	}
	fprintf(out, "\n%*sWhy they are alive:\n", INDENT, "");
	table_print(table, out, INDENT + 2);
	table_free(table);
}

/* ---- one suspect, all of them -------------------------------------------- */

/* "LABEL HEADLINE, 20.8 MiB, 96.0%"; frees LABEL. */
static void put_headline(FILE *out, const struct report *report, char *label,
			 const struct hprof_leak *leak)
{
	char bytes[UNITS_MAX], share[UNITS_MAX];
	char *headline = leak_headline(leak);
	char *line = describe_format(
		"%s, %s, %s", headline, units_bytes(leak->retained, bytes),
		units_share(leak->retained, report->leaks->live, share));

	fputs(label, out);
	prose_lines(out, (unsigned)strlen(label), line);
	free(label);
	free(headline);
	free(line);
}

static void put_leak(FILE *out, const struct report *report, size_t i)
{
	const struct hprof_leak *leak = &report->leaks->leaks[i];
	struct prose text = { NULL };

	putc('\n', out);
	put_headline(out, report, describe_format("%zu. ", i + 1), leak);
	putc('\n', out);
	say_what(&text, leak);
	if (!is_crowd(leak))
		say_owner(&text, leak);
	say_main(&text, leak);
	say_copies(&text, leak);
	prose_put(&text, out, INDENT);
	put_parts(out, leak);
	put_classes(out, leak);
	if (is_crowd(leak))
		put_reasons(out, leak);
	else
		put_paths(out, leak);
}

static void put_next(FILE *out, const struct report *report)
{
	const struct hprof_leak_table *leaks = report->leaks;

	if (!leaks->next_count)
		return;
	fprintf(out, "Next below the limit:\n");
	for (size_t i = 0; i < leaks->next_count; i++) {
		put_headline(out, report, cli_strdup("   - "), &leaks->next[i]);
	}
}

/* How much the suspects explain, and what else there is. */
static void put_closing(FILE *out, const struct report *report)
{
	const struct hprof_leak_table *leaks = report->leaks;
	char bytes[UNITS_MAX], share[UNITS_MAX];

	if (leaks->count)
		fprintf(out, "\n%s %s, %s of the live heap.\n",
			leaks->count == 1 ? "This explains" : "They explain",
			units_bytes(leaks->explained, bytes),
			units_share(leaks->explained, leaks->live, share));
	else if (leaks->next_count)
		putc('\n', out);
	put_next(out, report);
}

/*
 * Several suspects take more than a screen, so the first screen has a line for
 * each of them.
 */
static void put_overview(FILE *out, const struct report *report)
{
	if (report->leaks->count < 2)
		return;
	putc('\n', out);
	for (size_t i = 0; i < report->leaks->count; i++) {
		put_headline(out, report, describe_format("%4zu. ", i + 1),
			     &report->leaks->leaks[i]);
	}
	put_closing(out, report);
}

void render_leaks(FILE *out, const struct report *report)
{
	const struct hprof_leak_table *leaks = report->leaks;
	char live[UNITS_MAX], least[UNITS_MAX], *count;

	if (!leaks)
		return;
	count = describe_count(leaks->count, "leak suspect", "leak suspects");
	fprintf(out, "\n%s in %s of live objects (each keeps %s or more)\n",
		leaks->count ? count : "no leak suspects",
		units_bytes(leaks->live, live),
		units_bytes(leaks->threshold, least));
	free(count);
	put_overview(out, report);
	for (size_t i = 0; i < leaks->count; i++)
		put_leak(out, report, i);
	if (leaks->count < 2)
		put_closing(out, report);
}
