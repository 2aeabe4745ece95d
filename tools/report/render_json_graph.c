/* SPDX-License-Identifier: MIT */
/*
 * render_json_graph.c - what hprof-stat reports about the object graph, as
 * JSON.
 */
#include <stdlib.h>

#include "tools/common/json_graph.h"
#include "tools/common/describe.h"
#include "tools/report/leak_headline.h"
#include "tools/report/render.h"

/* ---- what is big -------------------------------------------------------- */

static void put_big(struct json *json, const struct hprof_big_row *row)
{
	json_begin_object(json, NULL, JSON_LINE);
	json_object_info_members(json, &row->held);
	json_object_info(json, "dominator", &row->dominator);
	json_end(json);
}

static void put_set(struct json *json, const struct report *report,
		    const struct hprof_set_row *row, const char *word,
		    bool retained)
{
	const struct hprof_summary *summary = report->summary;

	json_begin_object(json, NULL, JSON_LINE);
	json_string(json, word, row->name);
	json_number(json, "objects", row->objects);
	json_number(json, "shallow", row->shallow);
	if (retained)
		json_number(json, "retained", row->retained);
	if (row->class_row < summary->class_count)
		json_id(json, "class_id",
			summary->class_rows[row->class_row].class_id);
	else if (word[0] == 'l')
		json_id(json, "loader_id", row->loader_id);
	json_end(json);
}

static void put_sets(struct json *json, const struct report *report,
		     const char *key, const char *word,
		     const struct hprof_set_row *rows, size_t count,
		     bool retained)
{
	json_begin_array(json, key, JSON_BLOCK);
	for (size_t i = 0; i < render_rows(report, count); i++)
		put_set(json, report, &rows[i], word, retained);
	json_end(json);
}

static void put_retained(struct json *json, const struct report *report)
{
	const struct hprof_retained_table *table = report->retained;

	json_begin_object(json, "retained", JSON_BLOCK);
	json_begin_array(json, "objects", JSON_BLOCK);
	for (size_t i = 0; i < table->big_count; i++)
		put_big(json, &table->big[i]);
	json_end(json);
	put_sets(json, report, "classes", "class", table->classes,
		 table->class_count, true);
	put_sets(json, report, "packages", "package", table->packages,
		 table->package_count, true);
	put_sets(json, report, "loaders", "loader", table->loaders,
		 table->loader_count, true);
	json_end(json);
}

/* ---- what leaks --------------------------------------------------------- */

static void put_group(struct json *json, const struct hprof_leak *leak)
{
	char word[32];

	json_begin_object(json, "members", JSON_BLOCK);
	json_string(json, "class", leak->member_class);
	json_bool(json, "are_classes", leak->member_is_class);
	json_number(json, "count", leak->members);
	json_object_info(json, "largest", &leak->member);
	json_object_info(json, "origin", &leak->origin);
	if (leak->root_tag)
		json_string(json, "root",
			    hprof_root_word(leak->root_tag, word));
	json_end(json);
}

static void put_items(struct json *json, const struct hprof_leak *leak)
{
	json_begin_object(json, "items", JSON_LINE);
	json_string(json, "class", leak->item_class);
	json_bool(json, "are_classes", leak->item_is_class);
	json_number(json, "count", leak->items);
	json_number(json, "retained", leak->item_retained);
	json_number(json, "all", leak->all_items);
	json_end(json);
}

static void put_parts(struct json *json, const struct hprof_leak *leak)
{
	json_begin_array(json, "holds", JSON_BLOCK);
	for (size_t i = 0; i < leak->part_count; i++)
		json_step(json, &leak->parts[i].step, leak->parts[i].direct);
	json_end(json);
}

static void put_step_number(struct json *json, const char *key, size_t step)
{
	if (step == SIZE_MAX)
		json_null(json, key);
	else
		json_number(json, key, step);
}

/* What the suspect is about, and which steps of the first path tell so. */
static void put_subject(struct json *json, const struct hprof_leak *leak)
{
	char *headline = leak_headline(leak);

	json_string(json, "headline", headline);
	free(headline);
	put_step_number(json, "owner_step", leak->owner_step);
	put_step_number(json, "subject_step", leak->subject_step);
	json_object_info(json, "collection", &leak->collection);
	if (leak->collection.object == HPROF_NO_OBJECT)
		return;
	json_number(json, "elements", leak->elements);
	json_string(json, "element_class", leak->element_class);
}

static void put_local(struct json *json, const struct hprof_leak_local *local)
{
	if (!local)
		return;
	json_begin_object(json, "thread_local", JSON_BLOCK);
	json_string(json, "class", local->class_name);
	json_string(json, "field", local->field);
	json_number(json, "threads", local->threads);
	json_number(json, "of_threads", local->of_threads);
	json_string(json, "thread_name", local->thread_name);
	json_number(json, "values", local->values);
	json_number(json, "retained", local->retained);
	json_object_info(json, "largest", &local->largest);
	json_end(json);
}

static void put_crowd(struct json *json, const struct hprof_leak *leak)
{
	json_begin_object(json, "members", JSON_BLOCK);
	json_string(json, "class", leak->member_class);
	json_number(json, "count", leak->members);
	json_string(json, leak->kind == HPROF_LEAK_THREADS ? "name" : "loaded",
		    leak->crowd_name);
	json_object_info(json, "largest", &leak->member);
	if (leak->kind == HPROF_LEAK_THREADS)
		json_number(json, "largest_retained", leak->member_retained);
	if (leak->at_frame) {
		json_number(json, "at_frame", leak->at_frame);
		json_frame(json, "frame", &leak->frame);
	}
	json_begin_array(json, "reasons", JSON_BLOCK);
	for (size_t i = 0; i < leak->reason_count; i++) {
		const struct hprof_leak_reason *reason = &leak->reasons[i];

		json_begin_object(json, NULL, JSON_BLOCK);
		json_number(json, "members", reason->members);
		put_step_number(json, "owner_step", reason->owner_step);
		json_paths(json, "paths", &reason->path, 1);
		json_end(json);
	}
	json_end(json);
	json_end(json);
}

static bool is_crowd(const struct hprof_leak *leak)
{
	return leak->kind == HPROF_LEAK_THREADS ||
	       leak->kind == HPROF_LEAK_LOADERS;
}

static void put_leak(struct json *json, const struct report *report, size_t i)
{
	const struct hprof_leak *leak = &report->leaks->leaks[i];
	const struct hprof_allocation *site = render_leak_site(report, i);

	json_begin_object(json, NULL, JSON_BLOCK);
	json_string(json, "kind", hprof_leak_kind_name(leak->kind));
	json_number(json, "objects", leak->objects);
	json_number(json, "retained", leak->retained);
	put_subject(json, leak);
	json_object_info(json, "point", &leak->point);
	json_object_info(json, "owner", &leak->owner);
	put_items(json, leak);
	if (leak->part_count)
		put_parts(json, leak);
	if (is_crowd(leak))
		put_crowd(json, leak);
	if (leak->kind == HPROF_LEAK_GROUP)
		put_group(json, leak);
	put_local(json, leak->local);
	if (leak->main.name) {
		json_begin_object(json, "main", JSON_LINE);
		json_string(json, "class", leak->main.name);
		json_number(json, "objects", leak->main.objects);
		json_number(json, "retained", leak->main.retained);
		json_end(json);
	}
	if (leak->copies > 1) {
		json_begin_object(json, "copies", JSON_LINE);
		json_string(json, "class", leak->copies_class);
		json_number(json, "count", leak->copies);
		json_string(json, "loader_class", leak->loader_class);
		json_end(json);
	}
	put_sets(json, report, "classes", "class", leak->classes,
		 leak->class_count, false);
	if (site)
		render_json_site(json, "allocated_at", site);
	json_paths(json, "paths", leak->paths, leak->path_count);
	json_end(json);
}

/* Of these, only what one line tells is known. */
static void put_next(struct json *json, const struct hprof_leak *leak)
{
	json_begin_object(json, NULL, JSON_BLOCK);
	json_string(json, "kind", hprof_leak_kind_name(leak->kind));
	json_number(json, "retained", leak->retained);
	put_subject(json, leak);
	json_object_info(json, "point", &leak->point);
	if (leak->kind == HPROF_LEAK_GROUP)
		put_group(json, leak);
	json_paths(json, "paths", leak->paths, leak->path_count);
	json_end(json);
}

static void put_thread(struct json *json, const struct hprof_backlog *backlog)
{
	const struct hprof_thread_row *thread = backlog->thread;

	json_begin_object(json, "thread", JSON_BLOCK);
	json_string(json, "name", thread->name);
	json_number(json, "thread_serial", thread->thread_serial);
	if (backlog->running)
		json_frame(json, "running", backlog->running);
	json_begin_array(json, "frames", JSON_BLOCK);
	for (size_t i = 0; i < thread->frame_count; i++)
		json_frame(json, NULL, &thread->frames[i]);
	json_end(json);
	json_end(json);
}

static void put_backlog(struct json *json, const struct report *report,
			const struct hprof_backlog *backlog)
{
	bool weaker = backlog->kind == HPROF_BACKLOG_FINALIZERS ||
		      backlog->kind == HPROF_BACKLOG_SOFT;
	bool has_objects =
		weaker || backlog->kind == HPROF_BACKLOG_CLASS_VALUES;

	json_begin_object(json, NULL, JSON_BLOCK);
	json_string(json, "kind", hprof_backlog_kind_name(backlog->kind));
	json_number(json, "count", backlog->count);
	if (backlog->kind == HPROF_BACKLOG_FINALIZERS)
		json_number(json, "enqueued", backlog->enqueued);
	if (has_objects)
		json_number(json, "objects", backlog->objects);
	if (backlog->kind == HPROF_BACKLOG_QUEUE)
		json_number(json, "queues", backlog->queues);
	json_number(json, "retained", backlog->retained);
	if (!weaker || backlog->holder.object != HPROF_NO_OBJECT) {
		json_object_info(json, "holder", &backlog->holder);
		json_object_info(json, "owner", &backlog->owner);
	}
	if (backlog->thread)
		put_thread(json, backlog);
	put_sets(json, report, "classes", "class", backlog->classes,
		 backlog->class_count, true);
	if (backlog->holder_count)
		put_sets(json, report, "holders", "class", backlog->holders,
			 backlog->holder_count, true);
	if (!weaker || backlog->path_count)
		json_paths(json, "paths", backlog->paths, backlog->path_count);
	json_end(json);
}

static void put_leaks(struct json *json, const struct report *report)
{
	const struct hprof_leak_table *leaks = report->leaks;

	json_begin_object(json, "leaks", JSON_BLOCK);
	json_number(json, "live", leaks->live);
	json_number(json, "threshold", leaks->threshold);
	if (leaks->out_of_memory)
		json_root(json, "out_of_memory", leaks->out_of_memory);
	json_begin_array(json, "backlogs", JSON_BLOCK);
	for (size_t i = 0; i < leaks->backlog_count; i++)
		put_backlog(json, report, &leaks->backlogs[i]);
	json_end(json);
	json_begin_array(json, "suspects", JSON_BLOCK);
	for (size_t i = 0; i < leaks->count; i++)
		put_leak(json, report, i);
	json_end(json);
	json_number(json, "explained", leaks->explained);
	json_begin_array(json, "next", JSON_BLOCK);
	for (size_t i = 0; i < leaks->next_count; i++)
		put_next(json, &leaks->next[i]);
	json_end(json);
	json_end(json);
}

/* ---- garbage, threads --------------------------------------------------- */

static void put_garbage(struct json *json, const struct report *report)
{
	const struct hprof_garbage_table *garbage = report->garbage;

	json_begin_object(json, "unreachable", JSON_BLOCK);
	json_number(json, "objects", garbage->objects);
	json_number(json, "bytes", garbage->shallow);
	put_sets(json, report, "classes", "class", garbage->classes,
		 garbage->class_count, false);
	json_end(json);
}

void render_json_locals(struct json *json,
			const struct hprof_thread_locals *locals)
{
	char word[32];

	json_number(json, "retained", locals->retained);
	json_begin_array(json, "locals", JSON_BLOCK);
	for (size_t i = 0; i < locals->count; i++) {
		const struct hprof_thread_local_row *row = &locals->rows[i];

		json_begin_object(json, NULL, JSON_LINE);
		json_string(json, "root", hprof_root_word(row->tag, word));
		if (row->frame >= 0)
			json_number(json, "depth", (uint64_t)row->frame);
		json_object_info_members(json, &row->held);
		json_end(json);
	}
	json_end(json);
}

void render_json_graph(struct json *json, const struct report *report)
{
	if (report->graph)
		json_graph_totals(json, report->graph);
	if (report->leaks)
		put_leaks(json, report);
	if (report->retained)
		put_retained(json, report);
	if (report->garbage)
		put_garbage(json, report);
	render_json_allocations(json, report);
	if (report->native && report->all_native)
		render_json_native(json, report);
	if (report->waste)
		render_json_waste(json, report);
	if (report->loaders)
		render_json_loaders(json, report);
}
