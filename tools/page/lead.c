/* SPDX-License-Identifier: MIT */
/*
 * lead.c - see lead.h.
 *
 * It is written while the section is: so each of its links leads to something.
 */
#include "tools/page/lead.h"

#include <stdlib.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/units.h"
#include "tools/report/backlog_sentences.h"
#include "tools/report/leak_sentences.h"

enum {
	LINES_MOST = 10,
	LINE_LEAST = 1500 /* bytes for one that is not the first */
};

void lead_say(struct page *page, char *text)
{
	html_element(&page->lead, "p", text);
	free(text);
}

static size_t count_live(const struct hprof_leak_table *leaks)
{
	size_t live = 0;

	for (size_t i = 0; i < leaks->backlog_count; i++)
		live += backlog_is_live(&leaks->backlogs[i]);
	return live;
}

/* "4 leak suspects and 1 backlog"; NULL: nothing explains a part of the live heap. */
static char *describe_who(size_t suspects, size_t backlogs)
{
	char *both, *leaks, *queues;

	if (!suspects && !backlogs)
		return NULL;
	leaks = describe_count(suspects, "leak suspect", "leak suspects");
	queues = describe_count(backlogs, "backlog", "backlogs");
	both = describe_format("%s%s%s", suspects ? leaks : "",
			       suspects && backlogs ? " and " : "",
			       backlogs ? queues : "");
	free(leaks);
	free(queues);
	return both;
}

/*
 * What waits for a finalizer, or is held softly, is no part of the live heap: "; 1
 * backlog keeps objects that are not live". Free it.
 */
static char *describe_not_live(size_t backlogs, const char *link)
{
	char *count, *text;

	if (!backlogs)
		return cli_strdup("");
	count = describe_count(backlogs, "backlog keeps", "backlogs keep");
	text = describe_format("%s %s objects that are not live", link, count);
	free(count);
	return text;
}

/* Of suspects, if there is none. */
static char *describe_none(const struct report *report, const char *where)
{
	const struct hprof_leak_table *leaks = report->leaks;
	char live[UNITS_MAX];

	if (render_no_roots(report))
		return describe_format("%s leak suspects were found, but what "
				       "is live is not known",
				       *where ? "no" : "No");
	return describe_format("%s leak suspects were found in %s of live "
			       "objects",
			       *where ? "no" : "No",
			       units_bytes(leaks->live, live));
}

/* Why there is a dump at all, if that is known. */
static void say_why_written(struct page *page,
			    const struct hprof_leak_table *leaks)
{
	char *written = leak_out_of_memory(leaks), *last;

	if (written && page->options.since) {
		last = describe_format("The last dump was w%s", written + 1);
		free(written);
		written = last;
	}
	if (written)
		lead_say(page, written);
}

void lead_suspects(struct page *page, const struct report *report)
{
	const struct hprof_leak_table *leaks = report->leaks;
	char live[UNITS_MAX], bytes[UNITS_MAX], share[UNITS_MAX];
	const char *where = page->options.since ? "In the last dump, " : "";
	size_t backlogs = count_live(leaks);
	char *who = describe_who(leaks->count, backlogs);
	char *others = describe_not_live(leaks->backlog_count - backlogs,
					 who ? ";" : ", but");
	char *text;

	say_why_written(page, leaks);
	if (who)
		text = describe_format(
			"%s %s %s of the live heap, %s of %s", who,
			leaks->count + backlogs > 1 ? "explain" : "explains",
			units_share(leaks->explained, leaks->live, share),
			units_bytes(leaks->explained, bytes),
			units_bytes(leaks->live, live));
	else
		text = describe_none(report, where);
	lead_say(page, describe_format("%s%s%s.", where, text, others));
	free(who);
	free(others);
	free(text);
}

void lead_headline(struct page *page, struct lead_list *list, char *line)
{
	struct html *lead = &page->lead;
	size_t number = ++list->all;

	html_putf(&page->body, "<%s id=\"%s-%zu\">", list->tag, list->anchor,
		  number);
	html_name(&page->body, line);
	html_putf(&page->body, "</%s>\n", list->tag);
	if (list->shown + 1 == number && number <= LINES_MOST &&
	    (number == 1 || html_has_room(lead, LINE_LEAST))) {
		html_put(lead, number == 1 ? "<ol>\n" : "");
		html_putf(lead, "<li><a href=\"#%s-%zu\">", list->anchor,
			  number);
		html_name(lead, line);
		html_put(lead, "</a></li>\n");
		list->shown++;
	}
	free(line);
}

void lead_link(struct page *page, const char *anchor, char *text)
{
	struct html *lead = &page->lead;

	html_putf(lead, "<p><a href=\"#%s\">", anchor);
	html_name(lead, text);
	free(text);
	html_put(lead, "</a></p>\n");
}

void lead_end(struct page *page, const struct lead_list *list,
	      const char *anchor, char *rest)
{
	if (list->shown)
		html_put(&page->lead, "</ol>\n");
	if (rest)
		lead_link(page, anchor, rest);
}
