/* SPDX-License-Identifier: MIT */
/*
 * view_overview.c - what the dump is, and the ways into it; properties of the
 * JVM, and what is wrong with the dump.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/browse/views.h"
#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/escape.h"
#include "tools/common/units.h"
#include "tools/report/render.h"

/* ---- overview ------------------------------------------------------------ */

/* Takes TEXT. */
static struct view_row *fact(struct view *v, const char *label, char *text)
{
	struct view_row *row = view_add(v, text);

	row->label = cli_strdup(label);
	return row;
}

/* The keys 1 to 9 open them as well, so they have these numbers. */
const struct target overview_ways[OVERVIEW_WAYS] = {
	{ TARGET_DOMINATED, HPROF_NO_OBJECT, NULL },
	{ TARGET_SUSPECTS, 0, NULL },
	{ TARGET_CLASSES, 0, NULL },
	{ TARGET_PACKAGES, 0, NULL },
	{ TARGET_LOADERS, 0, NULL },
	{ TARGET_THREADS, 0, NULL },
	{ TARGET_WASTE, 0, NULL },
	{ TARGET_PROPERTIES, 0, NULL },
	{ TARGET_NATIVE, 0, NULL },
};

/* Takes TEXT. */
static void way(struct view *v, unsigned number, const char *name, char *text)
{
	char *label = describe_format("%u %s", number, name);

	fact(v, label, text)->target = overview_ways[number - 1];
	free(label);
}

static const char *property(const struct view *v, const char *key)
{
	const struct hprof_property_table *t = v->tables->properties;

	for (size_t i = 0; t && i < t->count; i++)
		if (t->rows[i].value && strcmp(t->rows[i].key, key) == 0)
			return t->rows[i].value;
	return NULL;
}

static void put_jvm(struct view *v)
{
	const char *version = property(v, "java.runtime.version");
	const char *vm = property(v, "java.vm.name");
	char *text;

	if (!version)
		version = property(v, "java.version");
	if (!version)
		return;
	text = describe_format("%s %s", vm ? vm : "Java", version);
	fact(v, "JVM", escape_copy(text, DESCRIBE_NAME_LIMIT));
	free(text);
}

/* "DAMAGED, cut short: 2 errors, 1 warning" */
static void put_damage(struct view *v)
{
	const struct hprof_summary *s = v->tables->summary;
	char *errors, *warnings;

	if (!s->errors && !s->warnings)
		return;
	errors = describe_count(s->errors, "error", "errors");
	warnings = describe_count(s->warnings, "warning", "warnings");
	fact(v, "dump",
	     describe_format("%s%s: %s%s%s", s->errors ? "DAMAGED" : "odd",
			     s->input.truncated ? ", cut short" : "",
			     s->errors ? errors : "",
			     s->errors && s->warnings ? ", " : "",
			     s->warnings ? warnings : ""))
		->target = target_of(TARGET_DIAGNOSTICS, 0);
	free(errors);
	free(warnings);
}

static void put_no_roots(struct view *v)
{
	const char *text = render_no_roots_line(v->tables->summary);

	if (text)
		fact(v, "GC roots", cli_strdup(text));
}

static void put_file(struct view *v)
{
	const struct hprof_summary *s = v->tables->summary;
	char size[UNITS_MAX], time[UNITS_MAX];

	fact(v, "file", escape_copy(v->tables->path, DESCRIBE_NAME_LIMIT));
	if (hprof_time_text(s->header.time_ms, ' ', time))
		fact(v, "taken", describe_format("%s", time));
	put_jvm(v);
	fact(v, "heap",
	     describe_format("%s in %s objects, shallow",
			     units_bytes(s->shallow, size),
			     units_count(s->objects, time)));
}

static void put_live(struct view *v)
{
	const struct hprof_graph_totals *t;
	char live[UNITS_MAX], count[UNITS_MAX];

	if (!v->with_graph)
		return;
	t = hprof_graph_totals(v->tables->graph);
	fact(v, "live",
	     describe_format("%s in %s objects that can be reached",
			     units_bytes(t->reachable_shallow, live),
			     units_count(t->reachable, count)));
	fact(v, "garbage",
	     describe_format(
		     "%s in %s objects that cannot",
		     units_bytes(t->shallow - t->reachable_shallow, live),
		     units_count(t->objects - t->reachable, count)));
}

static void put_ways(struct view *v)
{
	const struct model_tables *t = v->tables;

	view_heading(v, "Ways in");
	way(v, 1, "dominators",
	    cli_strdup("what keeps what: the biggest objects first"));
	way(v, 2, "suspects",
	    cli_strdup("what may leak, who owns it, why it is alive"));
	way(v, 3, "classes",
	    describe_count(t->summary->class_count, "class", "classes"));
	way(v, 4, "packages", cli_strdup("the same, by package"));
	way(v, 5, "loaders", cli_strdup("by class loader"));
	way(v, 6, "threads",
	    describe_count(t->threads ? t->threads->count : 0, "thread",
			   "threads"));
	way(v, 7, "waste",
	    cli_strdup("memory that the program could do without"));
	way(v, 8, "properties",
	    describe_count(t->properties ? t->properties->count : 0,
			   "system property", "system properties"));
	way(v, 9, "native", cli_strdup("memory outside of the heap"));
	fact(v, "a allocation",
	     cli_strdup("sites and profiles, if the dump has any"))
		->target = target_of(TARGET_SITES, 0);
}

static void make_overview(struct view *v)
{
	view_title(v, cli_strdup("Overview"));
	put_file(v);
	put_damage(v);
	put_live(v);
	put_no_roots(v);
	put_ways(v);
}

const struct view_kind overview_view = {
	.improves = true,
	.make = make_overview,
};

/* ---- properties ---------------------------------------------------------- */

static void make_properties(struct view *v)
{
	const struct hprof_property_table *t = v->tables->properties;

	view_title(v, cli_strdup("System properties"));
	for (size_t i = 0; t && i < t->count; i++) {
		const struct hprof_property *p = &t->rows[i];
		char *key = escape_copy(p->key, DESCRIBE_NAME_LIMIT);
		char *value =
			escape_copy(p->value ? p->value : "(not known)", 0);

		view_add(v, describe_format("%s = %s", key, value));
		free(value);
		free(key);
	}
}

const struct view_kind properties_view = {
	.text_title = "property",
	.make = make_properties,
};

/* ---- diagnostics --------------------------------------------------------- */

static void make_diagnostics(struct view *v)
{
	static const char *const words[] = { "note", "warning", "error" };
	const struct hprof_summary *s = v->tables->summary;

	view_title(v, cli_strdup("What is wrong with the dump"));
	for (size_t i = 0; i < s->diagnostic_count; i++) {
		const struct hprof_kept_diagnostic *d = &s->diagnostics[i];
		char *text = escape_copy(d->text, DESCRIBE_NAME_LIMIT);
		struct view_row *row = view_add(
			v,
			d->offset == UINT64_MAX
				? cli_strdup(text)
				: describe_format("0x%llx: %s",
						  (unsigned long long)d->offset,
						  text));

		if ((unsigned)d->severity < 3)
			row->label = cli_strdup(words[d->severity]);
		free(text);
	}
}

const struct view_kind diagnostics_view = {
	.text_title = "place in the dump, and what is there",
	.make = make_diagnostics,
};
