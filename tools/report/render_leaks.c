/* SPDX-License-Identifier: MIT */
/*
 * render_leaks.c - leak suspects.
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
#include "tools/report/backlog_sentences.h"
#include "tools/report/leak_headline.h"
#include "tools/report/leak_sentences.h"
#include "tools/report/leak_where.h"
#include "tools/report/render.h"
#include "tools/common/table.h"
#include "tools/common/units.h"

#define INDENT 3

/* ---- of what it consists -------------------------------------------------- */

static bool is_crowd(const struct hprof_leak *leak)
{
	return leak->kind == HPROF_LEAK_THREADS ||
	       leak->kind == HPROF_LEAK_LOADERS;
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
	const struct hprof_allocation *site;
	struct prose text = { NULL };

	putc('\n', out);
	put_headline(out, report, describe_format("%zu. ", i + 1), leak);
	putc('\n', out);
	leak_say(&text, leak, !is_crowd(leak));
	prose_put(&text, out, INDENT);
	put_parts(out, leak);
	put_classes(out, leak);
	if (is_crowd(leak))
		put_reasons(out, leak);
	else
		put_paths(out, leak);
	site = render_leak_site(report, i);
	if (site)
		render_allocated_at(out, site, INDENT);
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

/* "They and the backlog above explain" */
static char *who_explains(const struct hprof_leak_table *leaks)
{
	size_t live = 0;
	const char *s;

	for (size_t i = 0; i < leaks->backlog_count; i++)
		live += backlog_is_live(&leaks->backlogs[i]);
	s = live == 1 ? "" : "s";
	if (!leaks->count)
		return live ? describe_format("The backlog%s above explain%s",
					      s, live == 1 ? "s" : "")
			    : NULL;
	if (!live)
		return cli_strdup(leaks->count == 1 ? "This explains"
						    : "They explain");
	return describe_format("%s and the backlog%s above explain",
			       leaks->count == 1 ? "It" : "They", s);
}

/* How much the suspects explain, and what else there is. */
static void put_closing(FILE *out, const struct report *report)
{
	const struct hprof_leak_table *leaks = report->leaks;
	char bytes[UNITS_MAX], share[UNITS_MAX];
	char *who = who_explains(leaks);

	if (who)
		fprintf(out, "\n%s %s, %s of the live heap.\n", who,
			units_bytes(leaks->explained, bytes),
			units_share(leaks->explained, leaks->live, share));
	else if (leaks->next_count)
		putc('\n', out);
	free(who);
	put_next(out, report);
}

static void put_out_of_memory(FILE *out, const struct hprof_leak_table *leaks)
{
	char *line = leak_out_of_memory(leaks);

	if (!line)
		return;
	putc('\n', out);
	prose_lines(out, 0, line);
	free(line);
}

/* A line for each: what follows takes more than a screen. */
void render_leak_overview(FILE *out, const struct report *report)
{
	const struct hprof_leak_table *leaks = report->leaks;
	char live[UNITS_MAX], least[UNITS_MAX], *count;

	if (!leaks)
		return;
	put_out_of_memory(out, leaks);
	render_backlog_overview(out, report);
	count = describe_count(leaks->count, "leak suspect", "leak suspects");
	fprintf(out, "\n%s in %s of live objects (each keeps %s or more)\n",
		leaks->count ? count : "no leak suspects",
		units_bytes(leaks->live, live),
		units_bytes(leaks->threshold, least));
	free(count);
	if (leaks->count)
		putc('\n', out);
	for (size_t i = 0; i < leaks->count; i++)
		put_headline(out, report, describe_format("%4zu. ", i + 1),
			     &leaks->leaks[i]);
	put_closing(out, report);
}

void render_leaks(FILE *out, const struct report *report)
{
	if (!report->leaks)
		return;
	for (size_t i = 0; i < report->leaks->count; i++)
		put_leak(out, report, i);
}
