/* SPDX-License-Identifier: MIT */
/*
 * leak_where.c - see leak_where.h.
 */
#include "tools/report/leak_where.h"

#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/escape.h"

enum {
	LINKS_SHOWN = 4, /* fields of a holder, before some are left out */
	STEPS_SHOWN = 6	 /* of a path in short */
};

void leak_append(char **to, char *text)
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

char *leak_simple_object(const struct hprof_object_info *info)
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

enum { KEY_STEPS = 1000 }; /* at most, from a map to a value */

/* The step of FROM to TO that a map before FROM has at a key; or SIZE_MAX. */
static size_t find_key(const struct hprof_path *path, size_t from, size_t to)
{
	for (size_t i = from; i <= to && i - from < KEY_STEPS; i++)
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
		const bool some = count > LINKS_SHOWN && shown;
		char *link = next_link(path, &i, to);

		if (some && shown < count - 2) {
			free(link);
			continue;
		}
		if (some && shown == count - 2) /* no fourth dot */
			leak_append(&text,
				    cli_strdup(*link == '.' ? ".." : "..."));
		leak_append(&text, link);
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

char *leak_local_name(const char *class_name, const char *field)
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
	char *text = leak_local_name(step->local_class, step->local_field);

	if (path->root.thread_name) {
		leak_append(&text, cli_strdup(" of "));
		leak_append(&text, describe_root_thread(&path->root));
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

/* Whether the owner is a pool that nothing is known to have but its threads. */
static bool is_of_threads(const struct hprof_path *path, size_t owner)
{
	const struct hprof_object_info *info = &path->steps[owner].held;

	return path->root.thread_serial &&
	       info->kind == HPROF_OBJECT_INSTANCE && info->class_name &&
	       !strncmp(info->class_name, "java.", 5);
}

char *leak_where(const struct hprof_path *path, size_t owner, size_t subject)
{
	size_t first = owner == SIZE_MAX ? 1 : owner + 1;
	size_t local = find_local(path, first, subject);
	char *text;

	if (local <= subject) {
		text = describe_local(path, local);
		leak_append(&text, describe_links(path, local + 1, subject));
		return text;
	}
	if (owner == SIZE_MAX && first <= subject &&
	    path->root.tag == HPROF_ROOT_THREAD_OBJ && path->root.thread_serial)
		return describe_of_thread(path, first, subject);
	if (owner == SIZE_MAX) {
		text = describe_begin(path);
		if (first <= subject && path->root.tag)
			leak_append(&text, cli_strdup(" "));
		leak_append(&text, describe_links(path, first, subject));
		return text;
	}
	text = describe_kind(path->steps[owner].held.class_name, false);
	leak_append(&text, describe_links(path, first, subject));
	if (is_of_threads(path, owner)) {
		leak_append(&text, cli_strdup(" of "));
		leak_append(&text, describe_root_thread(&path->root));
	}
	local = owner ? find_local(path, 1, owner) : owner + 1;
	if (local <= owner) {
		leak_append(&text, cli_strdup(", in "));
		leak_append(&text, describe_local(path, local));
	}
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
			leak_append(&text,
				    describe_format(" -> ... (%zu more)",
						    count - STEPS_SHOWN));
			i = last - (STEPS_SHOWN - 3);
		}
		if (shown++)
			leak_append(&text, cli_strdup(" -> "));
		leak_append(&text, leak_simple_object(&path->steps[i].held));
		if (i < path->count - 1 && !is_in_array(&path->steps[i + 1]))
			leak_append(&text, describe_link(&path->steps[i + 1]));
	}
	return text;
}
