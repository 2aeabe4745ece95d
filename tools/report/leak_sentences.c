/* SPDX-License-Identifier: MIT */
/*
 * leak_sentences.c - see leak_sentences.h.
 */
#include "tools/report/leak_sentences.h"

#include <stdlib.h>
#include <string.h>

#include "tools/common/describe.h"
#include "tools/common/units.h"
#include "tools/report/leak_headline.h"
#include "tools/report/leak_where.h"

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
	char *collection, *element, *elements, count[UNITS_MAX];
	const char *many;

	if (leak->collection.object == HPROF_NO_OBJECT)
		return;
	collection = describe_object(&leak->collection);
	elements = describe_count(leak->elements, "element", "elements");
	element = describe_kind(leak->element_class, false);
	if (leak->point.kind == HPROF_OBJECT_CLASS)
		prose_say(text, "Most of it is in %s.", collection);
	else if (leak->collection.object != leak->point.object)
		prose_say(text, "That is a part of %s.", collection);
	if (leak_is_buffer(leak, &many))
		prose_say(text, "It has %s %s.",
			  units_count(leak->elements, count), many);
	else if (leak->elements && leak->element_class)
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

/* Which of the threads do so, and by what. */
static void say_local(struct prose *text, const struct hprof_leak *leak)
{
	const struct hprof_leak_local *local = leak->local;
	char bytes[UNITS_MAX], count[UNITS_MAX], *name;

	if (!local)
		return;
	name = leak_local_name(local->class_name, local->field);
	prose_say(text, "%s of the threads keep%s %s in %s.",
		  units_count(local->threads, count),
		  local->threads == 1 ? "s" : "",
		  units_bytes(local->retained, bytes), name);
	free(name);
}

static void say_group(struct prose *text, const struct hprof_leak *leak)
{
	char *origin = describe_object(&leak->origin);
	char *member = describe_object(&leak->member);
	char *point = describe_object(&leak->point);
	char *item = describe_kind(leak->item_class, leak->item_is_class);
	char bytes[UNITS_MAX], count[UNITS_MAX];

	say_local(text, leak);
	if (leak->origin.object != HPROF_NO_OBJECT)
		prose_say(text,
			  "None of them is large; nearly all are reached by "
			  "way of "
			  "%s.",
			  origin);
	if (leak_is_shared(leak))
		prose_say(text,
			  "By itself that keeps %s: others hold them as well.",
			  units_bytes(leak->origin.retained, bytes));
	if (leak->root_tag)
		prose_say(text,
			  "Nearly all are roots of the garbage collector (%s): "
			  "no object holds them.",
			  hprof_root_name(leak->root_tag));
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
		  "%s that are all there at once. With what their stacks hold "
		  "they keep %s; the largest is %s with %s.",
		  leak->crowd_name ? "Threads of one name, but for its digits,"
				   : "Threads in one method",
		  units_bytes(leak->retained, bytes), member,
		  units_bytes(leak->member_retained, count));
	free(member);
	say_local(text, leak);
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

char *leak_out_of_memory(const struct hprof_leak_table *leaks)
{
	const struct hprof_path_root *root = leaks->out_of_memory;
	char *thread, *frame, *text;

	if (!root)
		return NULL;
	thread = describe_root_thread(root);
	frame = root->has_frame ? describe_frame(&root->frame) : NULL;
	text = describe_format("Written at an OutOfMemoryError of %s%s%s.",
			       thread, frame ? ", in " : "",
			       frame ? frame : "");
	free(thread);
	free(frame);
	return text;
}

void leak_say(struct prose *text, const struct hprof_leak *leak,
	      bool with_owner)
{
	say_what(text, leak);
	if (with_owner)
		say_owner(text, leak);
	say_main(text, leak);
	say_copies(text, leak);
}
