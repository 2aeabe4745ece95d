/* SPDX-License-Identifier: MIT */
/*
 * view_suspects.c - what may leak: a line for each suspect, and for one of them
 * what it is, why it is alive and what it holds.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/browse/path_rows.h"
#include "tools/browse/views.h"
#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/escape.h"
#include "tools/common/units.h"
#include "tools/report/leak_headline.h"
#include "tools/report/leak_sentences.h"

enum { RETAINED, OBJECTS };

/* ---- all ----------------------------------------------------------------- */

/* The object that keys like p are about: where it accumulates. */
static void about_point(struct view_row *row, const struct hprof_leak *leak)
{
	const struct hprof_object_info *info =
		leak->point.object != HPROF_NO_OBJECT	 ? &leak->point
		: leak->origin.object != HPROF_NO_OBJECT ? &leak->origin
							 : &leak->member;

	row_about(row, info);
}

static void put_leak(struct view *v, const struct hprof_leak *leak,
		     uint64_t number)
{
	struct view_row *row = view_add(v, leak_headline(leak));

	row->values[RETAINED] = leak->retained;
	row->values[OBJECTS] = leak->objects;
	about_point(row, leak);
	row->target = target_of(TARGET_SUSPECT, number);
}

/* The thread that runs finalizers, else what holds what waits. */
static void about_backlog(struct view *v, struct view_row *row,
			  const struct hprof_backlog *backlog)
{
	const struct hprof_thread_table *threads = v->tables->threads;

	row_about(row, &backlog->holder);
	for (size_t i = 0; backlog->thread && threads && i < threads->count;
	     i++)
		if (threads->rows[i].thread_serial ==
		    backlog->thread->thread_serial)
			row->target = target_of(TARGET_THREAD, i);
}

static void put_backlog(struct view *v, const struct hprof_backlog *backlog)
{
	static const char *const texts[] = {
		[HPROF_BACKLOG_FINALIZERS] = "wait for their finalizers",
		[HPROF_BACKLOG_QUEUE] = "in a queue that nobody drains",
		[HPROF_BACKLOG_CLEANERS] = "held by their own Cleaners",
		[HPROF_BACKLOG_SOFT] = "kept by soft references alone",
		[HPROF_BACKLOG_CLASS_VALUES] = "values of a ClassValue",
	};
	const char *what = backlog->queues > 1 ? "in queues that nobody drains"
					       : texts[backlog->kind];
	const char *most =
		backlog->class_count ? backlog->classes[0].name : NULL;
	char *name = describe_kind(most, false);
	struct view_row *row = view_add(
		v, describe_format("%s%s%s", what, most ? ": most are " : "",
				   most ? name : ""));

	free(name);
	row->values[RETAINED] = backlog->retained;
	row->values[OBJECTS] = backlog->count;
	about_backlog(v, row, backlog);
}

/* Each may be small: a session is not what retains most. */
static void put_resource(struct view *v, const struct hprof_resource_row *r)
{
	const char *dot = strrchr(r->class_name, '.');
	char *name = describe_kind(dot ? dot + 1 : r->class_name, false);
	char *owner = r->owner.object == HPROF_NO_OBJECT
			      ? NULL
			      : describe_object(&r->owner);
	struct view_row *row = view_add(
		v, describe_format("%s%s%s%s", name, owner ? " of " : "",
				   owner ? owner : "",
				   owner && !r->owns_all ? " (not all)" : ""));

	free(owner);
	free(name);
	row->label = cli_strdup(hprof_resource_kind_name(r->kind));
	row->values[RETAINED] = r->retained;
	row->values[OBJECTS] = r->objects;
	row_about(row, &r->largest);
	if (row->class_row != SIZE_MAX)
		row->target = target_of(TARGET_INSTANCES, row->class_row);
}

static void put_resources(struct view *v)
{
	const struct hprof_resource_table *t = v->tables->resources;

	if (t && t->count)
		view_heading(v, "Objects that are usually few or short-lived");
	for (size_t i = 0; t && i < t->count; i++)
		put_resource(v, &t->rows[i]);
}

static void make_suspects(struct view *v)
{
	const struct hprof_leak_table *t = v->tables->leaks;
	char least[UNITS_MAX];

	view_title(v, cli_strdup("Leak suspects"));
	v->whole = t->live;
	for (size_t i = 0; i < t->count; i++)
		put_leak(v, &t->leaks[i], i);
	if (!t->count)
		view_add(v,
			 describe_format("nothing retains %s or more by itself",
					 units_bytes(t->threshold, least)));
	if (t->backlog_count)
		view_heading(v, "Objects that wait for the JVM");
	for (size_t i = 0; i < t->backlog_count; i++)
		put_backlog(v, &t->backlogs[i]);
	put_resources(v);
	if (t->next_count)
		view_heading(v, "Smaller ones");
	for (size_t i = 0; i < t->next_count; i++)
		put_leak(v, &t->next[i], t->count + i);
}

const struct view_kind suspects_view = {
	.columns = { [RETAINED] = { "retained", COLUMN_BYTES },
		     [OBJECTS] = { "objects", COLUMN_COUNT } },
	.text_title = "suspect",
	.wordy = true,
	.has_share = true,
	.needs = PART_LEAKS,
	.make = make_suspects,
};

/* ---- one ----------------------------------------------------------------- */

static void put_sentences(struct view *v, const struct hprof_leak *leak)
{
	struct prose prose = { 0 };

	leak_say(&prose, leak, true);
	if (prose.text)
		view_prose(v, prose.text);
	free(prose.text);
}

static void put_places(struct view *v, const struct hprof_leak *leak)
{
	const struct {
		const char *label;
		const struct hprof_object_info *info;
	} places[] = {
		{ "accumulates in", &leak->point },
		{ "collection", &leak->collection },
		{ "owner", &leak->owner },
		{ "origin", &leak->origin },
		{ "largest member", &leak->member },
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct view_row *row;

		if (places[i].info->object == HPROF_NO_OBJECT ||
		    !places[i].info->id)
			continue;
		row = view_add(v, describe_object(places[i].info));
		row->label = cli_strdup(places[i].label);
		row->values[RETAINED] = places[i].info->retained;
		row_about(row, places[i].info);
	}
}

static void put_parts(struct view *v, const struct hprof_leak *leak)
{
	if (leak->part_count)
		view_heading(v, "What it holds");
	for (size_t i = 0; i < leak->part_count; i++) {
		const struct hprof_leak_part *part = &leak->parts[i];
		struct view_row *row =
			view_add(v, describe_object(&part->step.held));

		row->label = part->direct ? describe_step(&part->step, true)
					  : cli_strdup("(indirectly)");
		row->values[RETAINED] = part->step.held.retained;
		row_about(row, &part->step.held);
	}
}

static void put_classes(struct view *v, const struct hprof_leak *leak)
{
	if (leak->class_count)
		view_heading(v, "What is retained, by class");
	for (size_t i = 0; i < leak->class_count; i++) {
		const struct hprof_set_row *set = &leak->classes[i];
		struct view_row *row = view_add(
			v, escape_copy(set->name, DESCRIBE_NAME_LIMIT));

		row->values[RETAINED] = set->shallow;
		row->values[OBJECTS] = set->objects;
		row->class_row = set->class_row;
		if (set->class_row != SIZE_MAX)
			row->target =
				target_of(TARGET_INSTANCES, set->class_row);
	}
}

static void make_suspect(struct view *v)
{
	const struct hprof_leak_table *t = v->tables->leaks;
	size_t i = (size_t)v->about.number;
	const struct hprof_leak *leak =
		i < t->count ? &t->leaks[i] : &t->next[i - t->count];

	view_title(v, leak_headline(leak));
	v->whole = t->live;
	put_sentences(v, leak);
	view_heading(v, "Where");
	put_places(v, leak);
	if (leak->path_count)
		view_heading(v, "Why it is alive");
	for (size_t k = 0; k < leak->path_count; k++)
		path_rows_put(v, &leak->paths[k]);
	put_parts(v, leak);
	put_classes(v, leak);
}

const struct view_kind suspect_view = {
	.columns = { [RETAINED] = { "retained", COLUMN_BYTES },
		     [OBJECTS] = { "objects", COLUMN_COUNT } },
	.text_title = "what",
	.needs = PART_LEAKS,
	.make = make_suspect,
};
