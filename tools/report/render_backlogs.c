/* SPDX-License-Identifier: MIT */
/*
 * render_backlogs.c - work of the JVM that is not done: a line for each above the
 * leak suspects, and what it consists of.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/common/describe.h"
#include "tools/common/prose.h"
#include "tools/common/table.h"
#include "tools/report/backlog_sentences.h"
#include "tools/report/render.h"

enum { INDENT = 3, ROWS_MAX = 5, FRAMES_MAX = 20 };

/* ---- what it consists of ------------------------------------------------- */

static void put_rows(FILE *out, const char *title,
		     const struct hprof_set_row *rows, size_t count)
{
	static const struct table_column columns[] = {
		{ "objects", TABLE_RIGHT },
		{ "shallow", TABLE_RIGHT },
		{ "kept", TABLE_RIGHT },
		{ "class", TABLE_LEFT },
	};
	struct table *table;

	if (!count)
		return;
	table = table_new(columns, 4);
	for (size_t i = 0; i < count && i < ROWS_MAX; i++) {
		char *name = describe_kind(rows[i].name, false);

		table_count(table, rows[i].objects);
		table_count(table, rows[i].shallow);
		table_count(table, rows[i].retained);
		table_text(table, name);
		free(name);
	}
	fprintf(out, "\n%*s%s:\n", INDENT, "", title);
	table_print(table, out, INDENT + 2);
	table_free(table);
}

/* Of the thread that runs finalizers. */
static void put_stack(FILE *out, const struct hprof_backlog *backlog)
{
	const struct hprof_thread_row *thread = backlog_stack(backlog);

	if (!thread)
		return;
	putc('\n', out);
	for (size_t i = 0; i < thread->frame_count && i < FRAMES_MAX; i++)
		render_frame(out, &thread->frames[i]);
}

static void put_backlog(FILE *out, const struct report *report,
			const struct hprof_backlog *backlog)
{
	char *line = backlog_headline(backlog, report->graph);
	struct prose text = { NULL };

	putc('\n', out);
	prose_lines(out, 0, line);
	putc('\n', out);
	free(line);
	backlog_say(&text, backlog);
	prose_put(&text, out, INDENT);
	put_stack(out, backlog);
	put_rows(out, backlog_title(backlog->kind), backlog->classes,
		 backlog->class_count);
	put_rows(out, backlog_holders_title, backlog->holders,
		 backlog->holder_count);
	for (size_t i = 0; i < backlog->path_count; i++) {
		fprintf(out, "\n%*sWhy %s is alive:\n", INDENT, "",
			backlog_subject(backlog->kind));
		render_path(out, &backlog->paths[i], NULL, INDENT + 2);
	}
}

void render_backlog_overview(FILE *out, const struct report *report)
{
	const struct hprof_leak_table *leaks = report->leaks;
	char *count;

	if (!leaks->backlog_count)
		return;
	count = describe_count(leaks->backlog_count, "backlog", "backlogs");
	fprintf(out, "\n%s: work of the JVM that is not done\n\n", count);
	free(count);
	for (size_t i = 0; i < leaks->backlog_count; i++) {
		char *line =
			backlog_headline(&leaks->backlogs[i], report->graph);

		fputs("   - ", out);
		prose_lines(out, 5, line);
		free(line);
	}
}

void render_backlogs(FILE *out, const struct report *report)
{
	const struct hprof_leak_table *leaks = report->leaks;

	for (size_t i = 0; leaks && i < leaks->backlog_count; i++)
		put_backlog(out, report, &leaks->backlogs[i]);
}
