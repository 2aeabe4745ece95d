/* SPDX-License-Identifier: MIT */
/*
 * leak_headline.c - see leak_headline.h.
 */
#include "tools/report/leak_headline.h"

#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/units.h"
#include "tools/report/leak_where.h"

enum {
	ROOM_MOST = 4
}; /* bytes for each character or byte, before it is told */

/* ---- what it is ---------------------------------------------------------- */

bool leak_is_buffer(const struct hprof_leak *leak, const char **ret_many)
{
	static const char *const words[][2] = { { "char", "characters" },
						{ "byte", "bytes" } };

	for (size_t i = 0; leak->element_class && i < 2; i++) {
		if (strcmp(leak->element_class, words[i][0]) != 0)
			continue;
		*ret_many = words[i][1];
		return true;
	}
	return false;
}

/* " in byte[3000000]", of which little is in use. */
static char *describe_room(const struct hprof_leak *leak)
{
	char *array = leak_simple_object(&leak->point);
	char *text = describe_format(" in %s", array);

	free(array);
	return text;
}

static char *describe_collection(const struct hprof_leak *leak)
{
	const char *many = "elements";
	char *name = leak_simple_name(leak->collection.class_name);
	char *element = leak_is_buffer(leak, &many) || !leak->element_class
				? cli_strdup(many)
				: leak_simple_name(leak->element_class);
	char count[UNITS_MAX], *text;

	text = leak->elements || leak_is_buffer(leak, &many)
		       ? describe_format("%s of %s %s", name,
					 units_count(leak->elements, count),
					 element)
		       : describe_format("%s of %s", name, element);
	free(name);
	free(element);
	if (leak_is_buffer(leak, &many) &&
	    leak->elements < leak->point.length / ROOM_MOST)
		leak_append(&text, describe_room(leak));
	return text;
}

static char *describe_members(const struct hprof_leak *leak)
{
	char *name = describe_kind(leak->member_class, false), *text;
	char count[UNITS_MAX];

	text = describe_format("%s %s %s", units_count(leak->members, count),
			       leak->member_is_class ? "classes called"
						     : "objects of class",
			       name);
	free(name);
	return text;
}

/* Nothing else holds them. */
static char *describe_roots(const struct hprof_leak *leak)
{
	char *members = describe_members(leak);
	char *text = describe_format("%s, each a GC root (%s)", members,
				     hprof_root_name(leak->root_tag));

	free(members);
	return text;
}

/* How many links a chain has; 0: not known. */
static uint64_t count_links(const struct hprof_leak *leak)
{
	const char *name = leak->point.class_name;

	for (size_t i = 0; i < leak->class_count; i++)
		if (leak->classes[i].class_row == leak->point.class_row)
			return leak->classes[i].objects;
	return name && leak->main.name && !strcmp(name, leak->main.name)
		       ? leak->main.objects
		       : 0;
}

/* A collection of the program's own may have the links. */
static char *describe_chain(const struct hprof_leak *leak)
{
	const struct hprof_path *path = leak->paths;
	char *name = leak_simple_name(leak->point.class_name), *whole, *text;
	uint64_t links = count_links(leak);
	char count[UNITS_MAX];

	if (links > 1) {
		text = describe_format("%s %s", units_count(links, count),
				       name);
		free(name);
		name = text;
	}
	if (!leak->path_count || leak->subject_step >= path->count - 1) {
		text = describe_format("%s, linked to each other", name);
	} else {
		whole = leak_simple_object(
			&path->steps[leak->subject_step].held);
		text = describe_format("%s with %s", whole, name);
		free(whole);
	}
	free(name);
	return text;
}

/* Whether LEAK is a class, and its path leads on to what has most of it. */
static bool leads_on(const struct hprof_leak *leak)
{
	const struct hprof_path *path = leak->paths;

	return leak->kind == HPROF_LEAK_POINT && leak->path_count &&
	       leak->subject_step < path->count &&
	       path->steps[path->count - 1].held.object != leak->point.object;
}

/* What the path leads to has most of what the class keeps, not all. */
static char *describe_other_statics(const struct hprof_leak *leak)
{
	const struct hprof_path_step *steps = leak->paths[0].steps;
	char *name, *text;

	if (leak->owner_step != SIZE_MAX &&
	    steps[leak->owner_step].held.object == leak->point.object)
		return cli_strdup(" and other statics");
	name = describe_kind(leak->point.class_name, false);
	text = describe_format(" and other statics of %s", name);
	free(name);
	return text;
}

static char *describe_point(const struct hprof_leak *leak)
{
	char *point = leak_simple_object(&leak->point), *item, *text;
	char count[UNITS_MAX];

	if (leak->kind == HPROF_LEAK_OBJECT || leak->items < 2)
		return point;
	item = leak_simple_name(leak->item_class);
	text = describe_format("%s with %s %s", point,
			       units_count(leak->items, count), item);
	free(point);
	free(item);
	return text;
}

static char *describe_subject(const struct hprof_leak *leak)
{
	if (leak->collection.object != HPROF_NO_OBJECT)
		return describe_collection(leak);
	switch (leak->kind) {
	case HPROF_LEAK_GROUP:
		return describe_members(leak);
	case HPROF_LEAK_CHAIN:
		return describe_chain(leak);
	default:
		return leads_on(leak)
			       ? leak_simple_object(
					 &leak->paths[0]
						  .steps[leak->subject_step]
						  .held)
			       : describe_point(leak);
	}
}

static char *describe_crowd(const struct hprof_leak *leak)
{
	char *name = describe_kind(leak->crowd_name, false), *loader, *text;
	char count[UNITS_MAX];

	units_count(leak->members, count);
	if (leak->kind == HPROF_LEAK_THREADS && !leak->crowd_name) {
		char *frame = describe_frame(&leak->frame);

		text = describe_format("%s threads in %s", count, frame);
		free(frame);
	} else if (leak->kind == HPROF_LEAK_THREADS) {
		text = describe_format("%s threads \"%s\"", count, name);
	} else {
		loader = describe_kind(leak->member_class, false);
		text = describe_format(
			"%s class loaders (%s) that each loaded %s", count,
			loader, name);
		free(loader);
	}
	free(name);
	return text;
}

/* "16 of 100 threads "http-*"" */
static char *describe_guilty(const struct hprof_leak_local *local)
{
	char threads[UNITS_MAX], of[UNITS_MAX], *name, *text;
	bool all = local->threads == local->of_threads;

	units_count(local->threads, threads);
	units_count(local->of_threads, of);
	text = describe_format("%s%s%s threads", threads, all ? "" : " of ",
			       all ? "" : of);
	if (!local->thread_name)
		return text;
	name = describe_kind(local->thread_name, false);
	leak_append(&text, describe_format(" \"%s\"", name));
	free(name);
	return text;
}

/* "ThreadLocal Shop.CTX of 16 threads "worker-*": 16 Context" */
static char *headline_of_local(const struct hprof_leak_local *local)
{
	char *name = leak_local_name(local->class_name, local->field);
	char *threads = describe_guilty(local), count[UNITS_MAX], *text;
	char *value = leak_simple_name(local->largest.class_name);

	text = describe_format("%s of %s: %s %s", name, threads,
			       units_count(local->values, count), value);
	free(name);
	free(threads);
	free(value);
	return text;
}

bool leak_is_shared(const struct hprof_leak *leak)
{
	return leak->kind == HPROF_LEAK_GROUP &&
	       leak->origin.object != HPROF_NO_OBJECT &&
	       leak->origin.retained < leak->retained / 2;
}

/* Statics of a class hold most of them. */
static char *headline_of_class(const struct hprof_leak *leak)
{
	char *class_name = describe_class(&leak->origin, false);
	char *what = describe_members(leak);
	char *text = describe_format("%s: %s", class_name, what);

	free(class_name);
	free(what);
	return text;
}

/*
 * Whether LEAK's owner holds the largest member of a group, or the collection that this
 * is, and with it most of what the group keeps.
 */
static bool is_most_in_member(const struct hprof_leak *leak)
{
	const struct hprof_path *path = leak->paths;

	if (leak->member.object == HPROF_NO_OBJECT || !leak->path_count ||
	    leak->subject_step >= path->count ||
	    leak->member.retained <= leak->retained / 2)
		return false;
	for (size_t i = leak->subject_step; i < path->count; i++)
		if (path->steps[i].held.object == leak->member.object)
			return true;
	return false;
}

char *leak_headline(const struct hprof_leak *leak)
{
	char *where, *what, *text;
	bool to_member = leak->kind == HPROF_LEAK_GROUP &&
			 leak->origin.object == HPROF_NO_OBJECT;
	bool most_in_member = to_member && is_most_in_member(leak);

	if (leak->local)
		return headline_of_local(leak->local);
	if (leak->kind == HPROF_LEAK_THREADS ||
	    leak->kind == HPROF_LEAK_LOADERS)
		return describe_crowd(leak);
	if (to_member && leak->root_tag)
		return describe_roots(leak);
	if (leak->kind == HPROF_LEAK_GROUP && !leak->subject_step &&
	    leak->origin.object != HPROF_NO_OBJECT &&
	    leak->origin.kind == HPROF_OBJECT_CLASS)
		return headline_of_class(leak);
	if (to_member)
		what = describe_members(leak);
	else
		what = describe_subject(leak);
	if (!leak->path_count || leak->subject_step == SIZE_MAX ||
	    (!leak->subject_step && !leak->paths[0].root.tag))
		return what; /* nothing is known to hold it */
	where = leak_where(&leak->paths[0], leak->owner_step,
			   leak->subject_step);
	if (leads_on(leak))
		leak_append(&where, describe_other_statics(leak));
	text = to_member && !most_in_member
		       ? describe_format("%s; the largest has most in %s", what,
					 where)
		       : describe_format(most_in_member || leak_is_shared(leak)
						 ? "%s and others: %s"
						 : "%s: %s",
					 where, what);
	free(where);
	free(what);
	return text;
}
