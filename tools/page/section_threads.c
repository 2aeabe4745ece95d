/* SPDX-License-Identifier: MIT */
/*
 * section_threads.c - threads, each folded: its stack, and what the frames hold.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/common/describe.h"
#include "tools/common/escape.h"
#include "tools/common/units.h"
#include "tools/page/sections.h"
#include "tools/report/thread_groups.h"

enum {
	GROUPS_MOST = 200,
	FRAMES_MOST = 100,
	LOCALS_MOST = 200,
	NAME_MOST = 120
};

static char *describe_thread(const struct hprof_thread_row *row)
{
	return row->name ? escape_copy(row->name, NAME_MOST)
			 : describe_format("(no name)");
}

/* "main" #1, RUNNABLE; 3 threads "pool-1" to "pool-3", WAITING */
static void put_label(struct html *html, const struct thread_group *group)
{
	const struct hprof_thread_row *row = group->items[0].row;
	char *first = describe_thread(group->first);
	char *last = describe_thread(group->last), *label;

	if (group->count == 1)
		label = describe_format("\"%s\" #%" PRIu32 "%s", first,
					row->thread_serial,
					row->daemon ? ", daemon" : "");
	else
		label = describe_format("%zu threads \"%s\" to \"%s\"",
					group->count, first, last);
	html_own(html, label);
	if (row->has_details) {
		html_put(html, ", ");
		html_text(html, hprof_thread_state_name(row->status));
	}
	free(first);
	free(last);
}

static void put_retained(struct html *html, const struct report *report,
			 const struct thread_group *group)
{
	char bytes[UNITS_MAX], share[UNITS_MAX];

	if (!group->most->locals)
		return;
	html_putf(html, ": %s, %s", units_bytes(group->retained, bytes),
		  units_share(group->retained, report->graph->reachable_shallow,
			      share));
}

/* What frame DEPTH holds; -1: what belongs to no frame that is shown. */
static void put_locals(struct html *html,
		       const struct hprof_thread_locals *locals, size_t frames,
		       int64_t depth)
{
	size_t shown = 0;

	for (size_t i = 0; locals && i < locals->count; i++) {
		const struct hprof_thread_local_row *row = &locals->rows[i];
		int64_t frame = row->frame >= (int64_t)frames ? -1 : row->frame;
		char bytes[UNITS_MAX];

		if (frame != depth)
			continue;
		if (shown++ == LOCALS_MOST || html->size > html->limit) {
			html_put(html, "    ...\n");
			return;
		}
		html_put(html, "    - ");
		html_text(html, row->tag == HPROF_ROOT_JAVA_FRAME
					? "local"
					: hprof_root_name(row->tag));
		html_put(html, " ");
		html_own(html, describe_object(&row->held));
		html_putf(html, " retains %s\n",
			  units_bytes(row->held.retained, bytes));
	}
}

static void put_stack(struct html *html, const struct thread_group *group)
{
	const struct hprof_thread_row *row = group->most->row;
	size_t frames =
		row->frame_count < FRAMES_MOST ? row->frame_count : FRAMES_MOST;

	html_put(html, "<pre>");
	if (!row->frame_count)
		html_put(html, "(no stack)\n");
	for (size_t i = 0; i < frames && html->size <= html->limit; i++) {
		html_put(html, "at ");
		html_own(html, describe_frame(&row->frames[i]));
		html_put(html, "\n");
		put_locals(html, group->most->locals, frames, (int64_t)i);
	}
	if (row->frame_count > frames)
		html_putf(html, "... %zu more frames\n",
			  row->frame_count - frames);
	put_locals(html, group->most->locals, frames, -1);
	html_put(html, "</pre>\n");
}

void section_threads(struct page *page, const struct report *report)
{
	struct html *html = &page->body;
	size_t most = page_rows(page, GROUPS_MOST), shown = 0, left = 0;
	struct thread_groups groups;
	char *count;

	if (!report->threads || !page_section(page, PAGE_THREADS, "Threads"))
		return;
	count = describe_count(report->threads->count, "thread", "threads");
	html_element(html, "p", count);
	free(count);
	groups = thread_groups_make(report);
	for (; shown < groups.count && shown < most; shown++) {
		if (html->size > html->limit)
			break;
		html_put(html, "<details><summary>");
		put_label(html, &groups.items[shown]);
		put_retained(html, report, &groups.items[shown]);
		html_put(html, "</summary>\n");
		put_stack(html, &groups.items[shown]);
		html_put(html, "</details>\n");
	}
	for (size_t i = shown; i < groups.count; i++)
		left += groups.items[i].count;
	if (left)
		html_putf(html, "<p>%zu more threads are left out.</p>\n",
			  left);
	thread_groups_done(&groups);
	page_section_end(page);
}
