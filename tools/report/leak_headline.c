/* SPDX-License-Identifier: MIT */
/*
 * leak_headline.c - see leak_headline.h.
 */
#include "tools/report/leak_headline.h"

#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/escape.h"
#include "tools/common/units.h"

enum {
	LINKS_SHOWN = 4, /* fields of a holder, before some are left out */
	STEPS_SHOWN = 6	 /* of a path in short */
};

/* Appends TEXT to *TO, and frees both. */
static void append(char **to, char *text)
{
	char *both = describe_format("%s%s", *to, text);

	free(*to);
	free(text);
	*to = both;
}

/* ---- names --------------------------------------------------------------- */

char *leak_simple_name(const char *name)
{
	char *whole = describe_kind(name, false), *simple;
	size_t length = strcspn(whole, "/+"), from = 0;

	/* Hidden classes have numbers or addresses behind their names. */
	if (!strstr(whole, "$$"))
		length = strlen(whole);
	for (size_t i = 0; i < length; i++)
		if (whole[i] == '.')
			from = i + 1;
	simple = describe_format("%.*s", (int)(length - from), whole + from);
	free(whole);
	return simple;
}

static char *simple_object(const struct hprof_object_info *info)
{
	char *whole = describe_class(info, true), *simple;

	if (!strncmp(whole, "class ", 6))
		return whole;
	simple = leak_simple_name(whole);
	free(whole);
	return simple;
}

/* ---- whose it is --------------------------------------------------------- */

static bool is_in_array(const struct hprof_path_step *step)
{
	return step->edge == HPROF_EDGE_ELEMENT;
}

static char *describe_link(const struct hprof_path_step *step)
{
	struct hprof_path_step plain = *step;

	if (step->edge == HPROF_EDGE_STATIC)
		return describe_edge(HPROF_EDGE_FIELD, step->field, 0, false);
	plain.key = NULL; /* one of many */
	return describe_step(&plain, false);
}

/* The step of FROM to TO that a map before FROM has at a key; or SIZE_MAX. */
static size_t find_key(const struct hprof_path *path, size_t from, size_t to)
{
	for (size_t i = from; i <= to; i++)
		if (path->steps[i].key && path->steps[i].key_steps &&
		    i - path->steps[i].key_steps + 1 == from)
			return i;
	return SIZE_MAX;
}

/*
 * The reference of step *AT, which is moved on. What leads from a map to its value at a
 * key is one: ["key"].
 */
static char *next_link(const struct hprof_path *path, size_t *at, size_t to)
{
	size_t value = find_key(path, *at, to);
	const struct hprof_path_step *step;
	char *key, *text;

	if (value == SIZE_MAX)
		return describe_link(&path->steps[(*at)++]);
	step = &path->steps[value];
	key = escape_copy(step->key, DESCRIBE_NAME_LIMIT);
	text = describe_format(step->key_is_string ? "[\"%s\"]" : "[%s]", key);
	free(key);
	*at = value + 1;
	return text;
}

/* The references of steps FROM to TO, without the middle of a long way. */
static char *describe_links(const struct hprof_path *path, size_t from,
			    size_t to)
{
	char *text = cli_strdup("");
	size_t count = 0, shown = 0;

	for (size_t i = from; i <= to; count++)
		free(next_link(path, &i, to));
	for (size_t i = from; i <= to; shown++) {
		const bool all = count <= LINKS_SHOWN || !shown;
		char *link = next_link(path, &i, to), *dotted = NULL;

		if (!all && shown == count - 2) /* no fourth dot */
			dotted =
				describe_format("...%s", link + (*link == '.'));
		if (all || shown > count - 2)
			dotted = cli_strdup(link);
		if (dotted)
			append(&text, dotted);
		free(link);
	}
	return text;
}

/* The last step of FROM to TO that is the value of a ThreadLocal, or TO + 1. */
static size_t find_local(const struct hprof_path *path, size_t from, size_t to)
{
	for (size_t i = to + 1; i-- > from;)
		if (path->steps[i].local_class)
			return i;
	return to + 1;
}

/* "ThreadLocal com.acme.Shop.CTX"; FIELD may be NULL. */
static char *name_local(const char *class_name, const char *field)
{
	char *name = describe_kind(class_name, false);
	char *of = field ? describe_edge(HPROF_EDGE_FIELD, field, 0, false)
			 : cli_strdup("");
	char *text = describe_format("ThreadLocal %s%s", name, of);

	free(name);
	free(of);
	return text;
}

static char *describe_local(const struct hprof_path *path, size_t at)
{
	const struct hprof_path_step *step = &path->steps[at];
	char *text = name_local(step->local_class, step->local_field);

	if (path->root.thread_name) {
		append(&text, cli_strdup(" of "));
		append(&text, describe_root_thread(&path->root));
	}
	return text;
}

/* What holds the first step: the root, or what the path begins with. */
static char *describe_begin(const struct hprof_path *path)
{
	if (path->root.tag)
		return describe_root(&path->root);
	return describe_kind(path->steps[0].held.class_name, false);
}

/* "contextClassLoader of thread "main" #1" */
static char *describe_of_thread(const struct hprof_path *path, size_t from,
				size_t to)
{
	char *links = describe_links(path, from, to);
	char *thread = describe_root_thread(&path->root);
	char *text = describe_format("%s of %s",
				     *links == '.' ? links + 1 : links, thread);

	free(thread);
	free(links);
	return text;
}

char *leak_where(const struct hprof_path *path, size_t owner, size_t subject)
{
	size_t first = owner == SIZE_MAX ? 1 : owner + 1;
	size_t local = find_local(path, first, subject);
	char *text;

	if (local <= subject) {
		text = describe_local(path, local);
		append(&text, describe_links(path, local + 1, subject));
		return text;
	}
	if (owner == SIZE_MAX && first <= subject &&
	    path->root.tag == HPROF_ROOT_THREAD_OBJ && path->root.thread_serial)
		return describe_of_thread(path, first, subject);
	if (owner == SIZE_MAX) {
		text = describe_begin(path);
		if (first <= subject && path->root.tag)
			append(&text, cli_strdup(" "));
		append(&text, describe_links(path, first, subject));
		return text;
	}
	text = describe_kind(path->steps[owner].held.class_name, false);
	append(&text, describe_links(path, first, subject));
	local = owner ? find_local(path, 1, owner) : owner + 1;
	if (local <= owner) {
		append(&text, cli_strdup(", in "));
		append(&text, describe_local(path, local));
	}
	return text;
}

/* ---- what it is ---------------------------------------------------------- */

static char *describe_collection(const struct hprof_leak *leak)
{
	char *name = leak_simple_name(leak->collection.class_name);
	char *element = leak->element_class
				? leak_simple_name(leak->element_class)
				: cli_strdup("elements");
	char count[UNITS_MAX], *text;

	text = leak->elements
		       ? describe_format("%s of %s %s", name,
					 units_count(leak->elements, count),
					 element)
		       : describe_format("%s of %s", name, element);
	free(name);
	free(element);
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
		whole = simple_object(&path->steps[leak->subject_step].held);
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
	char *point = simple_object(&leak->point), *item, *text;
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
			       ? simple_object(
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
	append(&text, describe_format(" \"%s\"", name));
	free(name);
	return text;
}

/* "ThreadLocal Shop.CTX of 16 threads "worker-*": 16 Context" */
static char *headline_of_local(const struct hprof_leak_local *local)
{
	char *name = name_local(local->class_name, local->field);
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
		append(&where, describe_other_statics(leak));
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

/* ---- paths in short ------------------------------------------------------ */

char *leak_steps(const struct hprof_path *path, size_t first, size_t last)
{
	char *text = cli_strdup("");
	size_t count = last - first + 1, shown = 0;

	for (size_t i = first; i <= last; i++) {
		bool hides = count > STEPS_SHOWN && i == first + 2;

		/* Elements of arrays are told with what has the array. */
		if (hides) {
			append(&text, describe_format(" -> ... (%zu more)",
						      count - STEPS_SHOWN));
			i = last - (STEPS_SHOWN - 3);
		}
		if (shown++)
			append(&text, cli_strdup(" -> "));
		append(&text, simple_object(&path->steps[i].held));
		if (i < path->count - 1 && !is_in_array(&path->steps[i + 1]))
			append(&text, describe_link(&path->steps[i + 1]));
	}
	return text;
}
