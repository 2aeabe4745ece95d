/* SPDX-License-Identifier: MIT */
/*
 * section_suspects.c - leak suspects, and backlogs of the JVM: each in prose, with
 * what it holds, and folded away why it is alive. Their headlines are also the lead
 * of the page, where links lead to the rest.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/common/describe.h"
#include "tools/common/prose.h"
#include "tools/common/units.h"
#include "tools/page/lead.h"
#include "tools/page/sections.h"
#include "tools/page/suspect_bar.h"
#include "tools/report/backlog_sentences.h"
#include "tools/report/leak_headline.h"
#include "tools/report/leak_sentences.h"
#include "tools/report/leak_where.h"
#include "tools/report/path_folds.h"

enum {
	SUSPECTS_MOST = 25,
	CLASSES_MOST = 8,
	STEPS_MOST = 60,
	FRAMES_MOST = 40,
	SUSPECT_LEAST = 4000 /* bytes that one needs to be worth a place */
};

/* Frees the text. */
static void put_prose(struct html *html, struct prose *prose)
{
	if (!prose->text)
		return;
	html_element(html, "p", prose->text);
	free(prose->text);
	prose->text = NULL;
}

/* ---- paths --------------------------------------------------------------- */

static void put_step(struct html_table *table,
		     const struct hprof_path_step *step, bool first)
{
	html_cell_own(table, render_path_held(step));
	html_cell_own(table, first ? describe_format("%s", "")
				   : describe_step(step, true));
	html_cell_number(table, step->held.retained);
}

/* A row for what is not shown; nothing without TEXT, which is freed. */
static void put_gap(struct html_table *table, char *text)
{
	if (!text)
		return;
	html_cell_own(table, text);
	html_cell_text(table, "");
	html_cell_number(table, 0);
}

/* Half of a path with more ROWS than there may be is before the gap. */
static void put_steps(struct html_table *table, const struct hprof_path *path,
		      size_t rows)
{
	size_t row = 1;

	for (size_t i = 0, next; i < path->count; i = next, row++) {
		put_step(table, &path->steps[i], i == 0);
		next = path_folds_next(path, i, path->count);
		if (row != STEPS_MOST / 2 || rows <= STEPS_MOST) {
			put_gap(table, next < path->count
					       ? path_folds_text(path, i, next)
					       : NULL);
			continue;
		}
		for (; row < rows - STEPS_MOST / 2; row++)
			next = path_folds_next(path, next, path->count);
		put_gap(table,
			describe_count(path_folds_hidden(path, i, next),
				       "object left out", "objects left out"));
	}
}

void section_path(struct page *page, char *label, const struct hprof_path *path)
{
	static const struct html_column columns[] = {
		{ "object", HTML_NAME, false },
		{ "held by its predecessor's", HTML_TEXT, false },
		{ "retains", HTML_BYTES, false },
	};
	struct html *html = &page->body;
	char *start = render_path_start(path), *caption;
	struct html_table table;

	html_put(html, "<details><summary>");
	html_own(html, label);
	html_put(html, "</summary>\n");
	caption = describe_format("From GC root: %s", start);
	html_table_begin(&table, html, caption, columns, 3, 0, 0);
	put_steps(&table, path, path_folds_count(path, 0, path->count));
	html_table_end(&table);
	html_put(html, "</details>\n");
	free(start);
	free(caption);
}

/* ---- of what it consists ------------------------------------------------- */

static void put_classes(struct page *page, const char *caption,
			const struct hprof_set_row *rows, size_t count,
			uint64_t whole)
{
	static const struct html_column columns[] = {
		{ "class", HTML_NAME, false },
		{ "objects", HTML_COUNT, true },
		{ "size", HTML_BYTES, true },
		{ "share", HTML_SHARE, true },
	};
	struct html_table table;

	if (!count)
		return;
	html_table_begin(&table, &page->body, caption, columns, 4,
			 page_rows(page, CLASSES_MOST), whole);
	for (size_t i = 0; i < count; i++) {
		html_cell_own(&table, describe_kind(rows[i].name, false));
		html_cell_number(&table, rows[i].objects);
		html_cell_number(&table, rows[i].shallow);
		html_cell_number(&table, rows[i].shallow);
	}
	html_table_end(&table);
}

/* What is kept; of threads, some of it may have other holders as well. */
static uint64_t sum_of(const struct hprof_leak *leak)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < leak->class_count; i++)
		sum += leak->classes[i].shallow;
	return sum > leak->retained ? sum : leak->retained;
}

static void put_parts(struct page *page, const struct hprof_leak *leak)
{
	static const struct html_column columns[] = {
		{ "object", HTML_NAME, false },
		{ "held by", HTML_TEXT, false },
		{ "retains", HTML_BYTES, false },
	};
	struct html_table table;

	if (!leak->part_count)
		return;
	html_table_begin(&table, &page->body, "What it holds", columns, 3, 0,
			 0);
	for (size_t i = 0; i < leak->part_count; i++) {
		const struct hprof_leak_part *part = &leak->parts[i];

		html_cell_own(&table, describe_object(&part->step.held));
		html_cell_own(&table,
			      part->direct ? describe_step(&part->step, true)
					   : describe_format("(indirectly)"));
		html_cell_number(&table, part->step.held.retained);
	}
	html_table_end(&table);
}

static void put_reasons(struct page *page, const struct hprof_leak *leak)
{
	static const struct html_column columns[] = {
		{ "held by", HTML_NAME, false },
		{ "loaders", HTML_COUNT, false },
	};
	struct html_table table;

	if (!leak->reason_count)
		return;
	html_table_begin(&table, &page->body, "Why they are alive", columns, 2,
			 0, 0);
	for (size_t i = 0; i < leak->reason_count; i++) {
		const struct hprof_leak_reason *reason = &leak->reasons[i];

		html_cell_own(&table,
			      leak_where(&reason->path, reason->owner_step,
					 reason->path.count - 1));
		html_cell_number(&table, reason->members);
	}
	html_table_end(&table);
}

static void put_site(struct html *html, const struct hprof_allocation *site)
{
	html_put(html, "<details><summary>Where most of it was allocated"
		       "</summary>\n");
	html_frames(html, site->frames, site->frame_count, FRAMES_MOST);
	html_put(html, "</details>\n");
}

/* ---- one suspect --------------------------------------------------------- */

/*
 * One suspect has at most half of what is left for all, since others follow; each
 * of its tables leaves room for the next. Returns the limit to put back.
 */
static size_t limit_block(struct html *html)
{
	return html_share(html, 2);
}

/* "HashMap of 6,000 Listener, 8.00 MiB, 40.0%"; free it. */
static char *describe_leak(const struct hprof_leak *leak, uint64_t live)
{
	char bytes[UNITS_MAX], share[UNITS_MAX];
	char *headline = leak_headline(leak);
	char *line = describe_format("%s, %s, %s", headline,
				     units_bytes(leak->retained, bytes),
				     units_share(leak->retained, live, share));

	free(headline);
	return line;
}

static void put_paths(struct page *page, const struct hprof_leak *leak)
{
	for (size_t i = 0; i < leak->path_count; i++) {
		const struct hprof_path *path = &leak->paths[i];

		if (i && !html_has_room(&page->body, SUSPECT_LEAST)) {
			html_putf(&page->body,
				  "<p>%zu more ways to it are left out.</p>\n",
				  leak->path_count - i);
			return;
		}
		section_path(page,
			     describe_format(i ? "Another way to it (%zu "
						 "objects)"
					       : "Why it is alive (%zu "
						 "objects)",
					     path->count),
			     path);
	}
}

/* Of COUNT equal parts of the room, one for what PUT writes. */
static void
put_share(struct page *page, const struct hprof_leak *leak, size_t count,
	  void (*put)(struct page *page, const struct hprof_leak *leak))
{
	size_t limit = html_share(&page->body, count);

	put(page, leak);
	page->body.limit = limit;
}

static void put_kept_classes(struct page *page, const struct hprof_leak *leak)
{
	put_classes(page, "What is kept, by class", leak->classes,
		    leak->class_count, sum_of(leak));
}

static void put_leak(struct page *page, const struct report *report, size_t i,
		     struct lead_list *list)
{
	const struct hprof_leak *leak = &report->leaks->leaks[i];
	size_t limit = limit_block(&page->body);
	const struct hprof_allocation *site = render_leak_site(report, i);
	bool crowd = leak->kind == HPROF_LEAK_THREADS ||
		     leak->kind == HPROF_LEAK_LOADERS;
	struct prose text = { NULL };

	lead_headline(page, list, describe_leak(leak, report->leaks->live));
	leak_say(&text, leak, !crowd);
	put_prose(&page->body, &text);
	if (report->leaks->live)
		suspect_bar(&page->body, leak, report->leaks->live);
	put_share(page, leak, 3, put_kept_classes);
	if (crowd) {
		put_share(page, leak, 2, put_reasons);
	} else {
		put_share(page, leak, 3, put_parts);
		put_share(page, leak, 2, put_paths);
	}
	if (site)
		put_site(&page->body, site);
	page->body.limit = limit;
}

/* ---- backlogs ------------------------------------------------------------ */

static void put_kept(struct page *page, const char *caption,
		     const struct hprof_set_row *rows, size_t count,
		     uint64_t heap)
{
	static const struct html_column columns[] = {
		{ "class", HTML_NAME, false }, { "objects", HTML_COUNT, true },
		{ "size", HTML_BYTES, true },  { "keeps", HTML_BYTES, true },
		{ "share", HTML_SHARE, true },
	};
	struct html_table table;

	if (!count)
		return;
	html_table_begin(&table, &page->body, caption, columns, 5,
			 page_rows(page, CLASSES_MOST), heap);
	for (size_t i = 0; i < count; i++) {
		html_cell_own(&table, describe_kind(rows[i].name, false));
		html_cell_number(&table, rows[i].objects);
		html_cell_number(&table, rows[i].shallow);
		html_cell_number(&table, rows[i].retained);
		html_cell_number(&table, rows[i].retained);
	}
	html_table_end(&table);
}

static void put_backlog(struct page *page, const struct report *report,
			const struct hprof_backlog *backlog,
			struct lead_list *list)
{
	const uint64_t heap = backlog_whole(backlog, report->graph);
	const struct hprof_thread_row *thread = backlog_stack(backlog);
	struct html *html = &page->body;
	struct prose text = { NULL };
	size_t limit = limit_block(html), outer;

	lead_headline(page, list, backlog_headline(backlog, report->graph));
	backlog_say(&text, backlog);
	put_prose(html, &text);
	if (thread)
		html_frames(html, thread->frames, thread->frame_count,
			    FRAMES_MOST);
	outer = html_share(html, 3);
	put_kept(page, backlog_title(backlog->kind), backlog->classes,
		 backlog->class_count, heap);
	html->limit = outer;
	outer = html_share(html, 2);
	put_kept(page, backlog_holders_title, backlog->holders,
		 backlog->holder_count, heap);
	html->limit = outer;
	for (size_t i = 0; i < backlog->path_count; i++)
		section_path(page,
			     describe_format("Why %s is alive",
					     backlog_subject(backlog->kind)),
			     &backlog->paths[i]);
	html->limit = limit;
}

/* Those that keep at least LEAST, and less than *BOUND, which becomes LEAST. */
static void put_backlogs(struct page *page, const struct report *report,
			 uint64_t least, uint64_t *bound,
			 struct lead_list *list)
{
	const struct hprof_leak_table *leaks = report->leaks;

	for (size_t i = 0; i < leaks->backlog_count; i++) {
		const struct hprof_backlog *one = &leaks->backlogs[i];

		if (one->retained >= least && one->retained < *bound)
			put_backlog(page, report, one, list);
	}
	if (least < *bound)
		*bound = least;
}

/* ---- all of them --------------------------------------------------------- */

static void put_next(struct html *html, const struct hprof_leak_table *leaks)
{
	if (!leaks->next_count)
		return;
	html_element(html, "h3", "Next below the limit");
	html_put(html, "<ul>\n");
	for (size_t i = 0; i < leaks->next_count; i++) {
		char *line = describe_leak(&leaks->next[i], leaks->live);

		html_element(html, "li", line);
		free(line);
	}
	html_put(html, "</ul>\n");
}

/* What it is that explains so much of the heap. */
static const char *explained(size_t suspects, size_t backlogs)
{
	if (!suspects)
		return "Backlogs explain";
	if (backlogs)
		return suspects > 1 ? "With backlogs, they explain"
				    : "With backlogs, it explains";
	return suspects > 1 ? "Together they explain" : "It explains";
}

static void put_summary(struct html *html, const struct hprof_leak_table *leaks)
{
	char live[UNITS_MAX], least[UNITS_MAX], bytes[UNITS_MAX];
	char share[UNITS_MAX];
	char *count =
		describe_count(leaks->count, "leak suspect", "leak suspects");
	char *written = leak_out_of_memory(leaks);
	struct prose text = { NULL };
	size_t live_backlogs = 0;

	if (written)
		prose_say(&text, "%s", written);
	free(written);
	for (size_t i = 0; i < leaks->backlog_count; i++)
		live_backlogs += backlog_is_live(&leaks->backlogs[i]);
	prose_say(&text,
		  "%s in %s of live objects; a suspect keeps %s or more.",
		  leaks->count ? count : "No leak suspects",
		  units_bytes(leaks->live, live),
		  units_bytes(leaks->threshold, least));
	if (leaks->count || live_backlogs)
		prose_say(&text, "%s %s, %s.",
			  explained(leaks->count, live_backlogs),
			  units_bytes(leaks->explained, bytes),
			  units_share(leaks->explained, leaks->live, share));
	free(count);
	put_prose(html, &text);
}

static void put_left_out(struct html *html,
			 const struct hprof_leak_table *leaks, size_t shown)
{
	char *count = describe_count(leaks->count - shown, "more suspect",
				     "more suspects");
	uint64_t retained = 0;
	char bytes[UNITS_MAX];
	struct prose text = { NULL };

	for (size_t i = shown; i < leaks->count; i++)
		retained += leaks->leaks[i].retained;
	prose_say(&text, "There is no room for %s, of %s together.", count,
		  units_bytes(retained, bytes));
	free(count);
	put_prose(html, &text);
}

/* A backlog comes before the suspects that keep less. */
void section_suspects(struct page *page, const struct report *report)
{
	const struct hprof_leak_table *leaks = report->leaks;
	struct html *html = &page->body;
	uint64_t bound = UINT64_MAX;
	size_t limit, shown = 0, most = page_rows(page, SUSPECTS_MOST), more;
	struct lead_list list = { .anchor = "suspect", .tag = "h3" };

	if (!leaks || !page_section(page, PAGE_SUSPECTS, "Leak suspects"))
		return;
	lead_suspects(page, report);
	put_summary(html, leaks);
	limit = html_keep(html, PAGE_TABLE_KEEP);
	for (; shown < leaks->count && shown < most; shown++) {
		if (shown && !html_has_room(html, SUSPECT_LEAST))
			break;
		put_backlogs(page, report, leaks->leaks[shown].retained, &bound,
			     &list);
		put_leak(page, report, shown, &list);
	}
	if (leaks->count > shown)
		put_left_out(html, leaks, shown);
	put_backlogs(page, report, 0, &bound, &list);
	more = list.all - list.shown + leaks->count - shown;
	lead_end(page, &list, page_part_words[PAGE_SUSPECTS],
		 more ? describe_format("%zu more", more) : NULL);
	section_outside_lead(page, report);
	put_next(html, leaks);
	html->limit = limit;
	section_resources(page, report);
	page_section_end(page);
}
