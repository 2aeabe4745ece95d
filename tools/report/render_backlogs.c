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
#include "tools/common/units.h"
#include "tools/report/render.h"

enum { INDENT = 3, ROWS_MAX = 5, FRAMES_MAX = 20 };

/* ---- what happened ------------------------------------------------------- */

/* "6,000 objects wait for finalizers": what waits, and for what. */
char *render_backlog_headline(const struct hprof_backlog *backlog)
{
	static const char *const texts[][2] = {
		[HPROF_BACKLOG_FINALIZERS] = { "object waits for its finalizer",
					       "objects wait for finalizers" },
		[HPROF_BACKLOG_QUEUE] = { "reference waits in an undrained "
					  "queue",
					  "references wait in an undrained "
					  "queue" },
		[HPROF_BACKLOG_CLEANERS] = { "Cleaner holds its own object",
					     "Cleaners hold their own "
					     "objects" },
		[HPROF_BACKLOG_SOFT] = { "object is held only softly",
					 "objects are held only softly" },
	};

	return describe_count(backlog->count, texts[backlog->kind][0],
			      texts[backlog->kind][1]);
}

static char *frame_method(const struct hprof_stack_frame *frame)
{
	char *name = describe_kind(frame->class_name, false);
	char *method = describe_kind(frame->method, false);
	char *both = describe_format("%s.%s", name, method);

	free(name);
	free(method);
	return both;
}

static void put_finalizers(FILE *out, const struct hprof_backlog *backlog)
{
	const char *are = backlog->enqueued == 1 ? "is" : "are";
	char enqueued[UNITS_MAX], *name, *method;
	struct prose text = { NULL };

	units_count(backlog->enqueued, enqueued);
	if (!backlog->thread) {
		prose_say(&text, "%s of them %s in the queue.", enqueued, are);
		prose_put(&text, out, INDENT);
		return;
	}
	name = describe_kind(backlog->thread->name, false);
	if (backlog->running) {
		method = frame_method(backlog->running);
		prose_say(&text,
			  "%s of them %s in the queue; thread \"%s\" is busy "
			  "in %s:",
			  enqueued, are, name, method);
		free(method);
	} else {
		prose_say(&text,
			  "%s of them %s in the queue; the stack of thread "
			  "\"%s\":",
			  enqueued, are, name);
	}
	prose_put(&text, out, INDENT);
	putc('\n', out);
	for (size_t i = 0; i < backlog->thread->frame_count && i < FRAMES_MAX;
	     i++)
		render_frame(out, &backlog->thread->frames[i]);
	free(name);
}

static void put_queue(FILE *out, const struct hprof_backlog *backlog)
{
	char *queue = describe_object(&backlog->holder);
	char *owner = describe_object(&backlog->owner);
	struct prose text = { NULL };

	if (backlog->owner.object != HPROF_NO_OBJECT)
		prose_say(&text, "The queue is %s, which belongs to %s.", queue,
			  owner);
	else
		prose_say(&text, "The queue is %s.", queue);
	prose_put(&text, out, INDENT);
	free(queue);
	free(owner);
}

static void put_cleaners(FILE *out, const struct hprof_backlog *backlog)
{
	char *action = describe_kind(
		backlog->class_count ? backlog->classes[0].name : NULL, false);
	struct prose text = { NULL };

	prose_say(&text,
		  "A Cleaner runs when its object is unreachable, which the "
		  "action itself prevents: %s.",
		  action);
	prose_put(&text, out, INDENT);
	free(action);
}

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
	fprintf(out, "\n%*s%s\n", INDENT, "", title);
	table_print(table, out, INDENT + 2);
	table_free(table);
}

static const char *title_of(enum hprof_backlog_kind kind)
{
	switch (kind) {
	case HPROF_BACKLOG_FINALIZERS:
		return "What waits, and what it keeps, by class:";
	case HPROF_BACKLOG_QUEUE:
		return "The references, by class:";
	case HPROF_BACKLOG_CLEANERS:
		return "The actions, by class:";
	default:
		return "What is held, by class:";
	}
}

/* "5,999 objects wait for finalizers, with 16.11 MiB, 40.9% of the heap" */
static char *describe_backlog(const struct report *report,
			      const struct hprof_backlog *backlog)
{
	uint64_t heap = report->graph->shallow;
	char bytes[UNITS_MAX], share[UNITS_MAX];
	char *line = render_backlog_headline(backlog);
	char *whole =
		describe_format("%s, with %s, %s of the heap", line,
				units_bytes(backlog->retained, bytes),
				units_share(backlog->retained, heap, share));

	free(line);
	return whole;
}

static void put_backlog(FILE *out, const struct report *report,
			const struct hprof_backlog *backlog)
{
	char *line = describe_backlog(report, backlog);

	putc('\n', out);
	prose_lines(out, 0, line);
	putc('\n', out);
	free(line);
	if (backlog->kind == HPROF_BACKLOG_FINALIZERS)
		put_finalizers(out, backlog);
	else if (backlog->kind == HPROF_BACKLOG_QUEUE)
		put_queue(out, backlog);
	else if (backlog->kind == HPROF_BACKLOG_CLEANERS)
		put_cleaners(out, backlog);
	else
		fprintf(out, "%*sThey go when memory runs short.\n", INDENT,
			"");
	put_rows(out, title_of(backlog->kind), backlog->classes,
		 backlog->class_count);
	put_rows(out,
		 "Whose soft references hold it, by class:", backlog->holders,
		 backlog->holder_count);
	for (size_t i = 0; i < backlog->path_count; i++) {
		fprintf(out, "\n%*sWhy %s is alive:\n", INDENT, "",
			backlog->kind == HPROF_BACKLOG_QUEUE ? "the queue"
							     : "the largest");
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
		char *line = describe_backlog(report, &leaks->backlogs[i]);

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
