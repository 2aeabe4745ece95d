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
	NAME_MOST = 120,
	THREAD_LEAST = 1000 /* bytes that one needs to be worth a place */
};

/* "main" #1, RUNNABLE; 3 threads "pool-1" to "pool-3", WAITING */
static void put_label(struct html *html, const struct thread_group *group)
{
	const struct hprof_thread_row *row = group->items[0].row;
	char *names, *label;

	if (group->count == 1) {
		names = describe_thread_quoted(row->name, NAME_MOST);
		label = describe_format("%s #%" PRIu32 "%s", names,
					row->thread_serial,
					row->daemon ? ", daemon" : "");
	} else {
		names = thread_group_names(group, NAME_MOST);
		label = describe_format("%zu threads %s", group->count, names);
	}
	html_own(html, label);
	if (row->has_details) {
		html_put(html, ", ");
		html_text(html, hprof_thread_state_name(row->status));
	}
	free(names);
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

static void put_local(struct html *html,
		      const struct hprof_thread_local_row *row)
{
	char bytes[UNITS_MAX];

	html_put(html, "    - ");
	html_text(html, row->tag == HPROF_ROOT_JAVA_FRAME
				? "local"
				: hprof_root_name(row->tag));
	html_put(html, " ");
	html_own(html, describe_object(&row->held));
	html_putf(html, " retains %s\n",
		  units_bytes(row->held.retained, bytes));
}

/* What frame DEPTH holds; -1: what belongs to no frame that is shown. */
static void put_locals(struct html *html,
		       const struct hprof_thread_locals *locals, size_t frames,
		       int64_t depth)
{
	size_t shown = 0, left = 0;

	for (size_t i = 0; locals && i < locals->count; i++) {
		const struct hprof_thread_local_row *row = &locals->rows[i];
		int64_t frame = row->frame >= (int64_t)frames ? -1 : row->frame;

		if (frame != depth)
			continue;
		if (shown == LOCALS_MOST || !html_has_room(html, 0)) {
			left++;
			continue;
		}
		shown++;
		put_local(html, row);
	}
	if (left)
		html_putf(html, "    ... %zu more\n", left);
}

/* The first frame is shown in any case. */
static void put_stack(struct html *html, const struct thread_group *group)
{
	const struct hprof_thread_row *row = group->most->row;
	size_t frames =
		row->frame_count < FRAMES_MOST ? row->frame_count : FRAMES_MOST;

	html_put(html, "<pre>");
	if (!row->frame_count)
		html_put(html, "(no stack)\n");
	for (size_t i = 0; i < frames; i++) {
		if (i && !html_has_room(html, 0)) {
			frames = i;
			break;
		}
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

/* Of one thread or several alike; at most half of what is left for all. */
static void put_group(struct html *html, const struct report *report,
		      const struct thread_group *group)
{
	size_t limit = html_share(html, 2);

	html_put(html, "<details><summary>");
	put_label(html, group);
	put_retained(html, report, group);
	html_put(html, "</summary>\n");
	put_stack(html, group);
	html_put(html, "</details>\n");
	html->limit = limit;
}

static void put_left_out(struct html *html, const struct thread_group *groups,
			 size_t count)
{
	size_t threads = 0;
	uint64_t retained = 0;
	char bytes[UNITS_MAX], *text;

	for (size_t i = 0; i < count; i++) {
		threads += groups[i].count;
		retained += groups[i].most->locals ? groups[i].retained : 0;
	}
	text = describe_format("%zu more threads are left out%s%s.", threads,
			       retained ? ", which hold " : "",
			       retained ? units_bytes(retained, bytes) : "");
	html_element(html, "p", text);
	free(text);
}

void section_threads(struct page *page, const struct report *report)
{
	struct html *html = &page->body;
	size_t most = page_rows(page, GROUPS_MOST), shown = 0;
	struct thread_groups groups;
	char *count;

	if (!report->threads || !page_section(page, PAGE_THREADS, "Threads"))
		return;
	count = describe_count(report->threads->count, "thread", "threads");
	html_element(html, "p", count);
	free(count);
	if (report->locals)
		html_put(
			html,
			"<p class=\"soft\">A size is what the threads of a row "
			"and what their stacks hold retain together; rows "
			"can have the same objects.</p>\n");
	groups = thread_groups_make(report);
	for (; shown < groups.count && shown < most; shown++) {
		if (shown && !html_has_room(html, THREAD_LEAST))
			break;
		put_group(html, report, &groups.items[shown]);
	}
	if (shown < groups.count)
		put_left_out(html, groups.items + shown, groups.count - shown);
	thread_groups_done(&groups);
	page_section_end(page);
}
