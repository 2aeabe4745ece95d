/* SPDX-License-Identifier: MIT */
/*
 * render_threads.c - threads and stacks in a form similar to that of jstack.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/escape.h"
#include "tools/common/describe.h"
#include "tools/common/screen.h"
#include "tools/common/shorten.h"
#include "tools/report/render.h"
#include "tools/report/thread_groups.h"
#include "tools/common/units.h"

/* The first entry whose bits are all set. The words are HotSpot's. */
/* Where the text of a frame begins: after a tab and "at ". */
#define FRAME_INDENT 11

void render_frame(FILE *out, const struct hprof_stack_frame *frame)
{
	char *label = describe_frame(frame);
	char *text = shorten_text(label, screen_width_after(FRAME_INDENT));

	fprintf(out, "\tat %s\n", text);
	free(text);
	free(label);
}

/* Prints "\t- local java.util.ArrayList@0x7f retains 1,024 bytes". */
static void put_local(FILE *out, const struct hprof_thread_local_row *local)
{
	char *object = describe_object(&local->held), bytes[UNITS_MAX];
	bool java = local->tag == HPROF_ROOT_JAVA_FRAME;
	char *label = describe_format(
		"- %s %s retains %s",
		java ? "local" : hprof_root_name(local->tag), object,
		units_bytes(local->held.retained, bytes));
	char *text = shorten_text(label, screen_width_after(8));

	fprintf(out, "\t%s\n", text);
	free(text);
	free(label);
	free(object);
}

/*
 * Prints the locals of frame FRAME, from *NEXT on: they are sorted by frame, and those
 * of none are last. To look through all of them for each frame would be quadratic: a
 * thread may have 100,000 of both.
 */
static void put_locals(FILE *out, const struct hprof_thread_locals *locals,
		       size_t frame, size_t *next)
{
	for (; locals && *next < locals->count &&
	       locals->rows[*next].frame == (int64_t)frame;
	     ++*next)
		put_local(out, &locals->rows[*next]);
}

static void put_retained(FILE *out, const struct report *report,
			 const char *words, uint64_t retained)
{
	char bytes[UNITS_MAX], share[UNITS_MAX];

	char *label = describe_format(
		"%s %s (%s of the live heap)", words,
		units_bytes(retained, bytes),
		units_share(retained, report->graph->reachable_shallow, share));

	screen_line(out, 3, label);
	free(label);
}

static char *describe_name(const struct hprof_thread_row *row)
{
	return describe_thread_quoted(row->name, DESCRIBE_NAME_LIMIT);
}

/* ""main" #1 prio=5 tid=1 RUNNABLE" */
static char *describe_one(const struct hprof_thread_row *row)
{
	char *name = describe_name(row), *label;

	if (row->has_details)
		label = describe_format(
			"%s #%" PRIu32 "%s prio=%" PRId32 " tid=%" PRIu64 " %s",
			name, row->thread_serial, row->daemon ? " daemon" : "",
			row->priority, row->tid,
			hprof_thread_state_name(row->status));
	else
		label = describe_format("%s #%" PRIu32, name,
					row->thread_serial);
	free(name);
	return label;
}

/* Prints both parts in one line, or if that is too long, in two. */
static void put_parts(FILE *out, const char *first, const char *second)
{
	char *both = describe_format("%s %s", first, second);

	if (escape_width(both, strlen(both)) <= screen_width()) {
		screen_line(out, 0, both);
	} else {
		screen_line(out, 0, first);
		screen_line(out, 3, second);
	}
	free(both);
}

static void put_one(FILE *out, const struct hprof_thread_row *row)
{
	char *label = describe_one(row), *kind, *object;

	if (row->object_id) {
		kind = describe_kind(row->class_name, false);
		object = describe_format("%s@0x%" PRIx64, kind, row->object_id);
		put_parts(out, label, object);
		free(kind);
		free(object);
	} else {
		screen_line(out, 0, label);
	}
	free(label);
}

/* "120 threads, WAITING (parking): "pool-1" to "pool-120"" */
static void put_many(FILE *out, const struct thread_group *group)
{
	const struct hprof_thread_row *row = group->items[0].row;
	char *names = thread_group_names(group, DESCRIBE_NAME_LIMIT), *label;
	const char *before = group->nameless < group->count ? ":"
			     : row->has_details		    ? ","
							    : "";
	char count[UNITS_MAX];

	label = describe_format(
		"%s threads%s%s%s", units_count(group->count, count),
		row->has_details ? ", " : "",
		row->has_details ? hprof_thread_state_name(row->status) : "",
		before);
	put_parts(out, label, names);
	free(label);
	free(names);
}

/* Of many threads, the locals are those of the one that retains most. */
static void put_group(FILE *out, const struct report *report,
		      const struct thread_group *group)
{
	const struct hprof_thread_row *row = group->most->row;
	const struct hprof_thread_locals *locals = group->most->locals;
	char *name, *words;
	size_t next = 0;

	putc('\n', out);
	if (group->count == 1)
		put_one(out, row);
	else
		put_many(out, group);
	if (locals)
		put_retained(out, report,
			     group->count == 1 ? "retains" : "retain",
			     group->retained);
	if (locals && group->count > 1 && locals->retained) {
		name = describe_name(row);
		words = describe_format("of these %s #%" PRIu32 " most,", name,
					row->thread_serial);
		put_retained(out, report, words, locals->retained);
		free(words);
		free(name);
	}
	for (size_t i = 0; i < row->frame_count; i++) {
		render_frame(out, &row->frames[i]);
		put_locals(out, locals, i, &next);
	}
	/* Of frames that are not in the dump, or of none. */
	for (; locals && next < locals->count; next++)
		put_local(out, &locals->rows[next]);
}

void render_threads(FILE *out, const struct report *report)
{
	const struct hprof_thread_table *threads = report->threads;
	char *count, *left;
	struct thread_groups groups;
	size_t shown, more = 0;

	if (!threads)
		return;
	count = describe_count(threads->count, "thread", "threads");
	fprintf(out, "\n%s\n", count);
	free(count);
	groups = thread_groups_make(report);
	shown = report->top && report->top < groups.count ? (size_t)report->top
							  : groups.count;
	for (size_t i = 0; i < shown; i++)
		put_group(out, report, &groups.items[i]);
	for (size_t i = shown; i < groups.count; i++)
		more += groups.items[i].count;
	if (more) {
		left = describe_count(more, "more thread", "more threads");
		fprintf(out, "\n(%s; --top 0 prints all)\n", left);
		free(left);
	}
	thread_groups_done(&groups);
}
