/* SPDX-License-Identifier: MIT */
/*
 * lead.c - see lead.h.
 *
 * It is written while the section is: so each of its links leads to something.
 */
#include "tools/page/lead.h"

#include <stdlib.h>

#include "tools/common/describe.h"
#include "tools/common/units.h"

enum {
	LINES_MOST = 10,
	LINE_LEAST = 1500 /* bytes for one that is not the first */
};

void lead_say(struct page *page, char *text)
{
	html_put(&page->lead, "<p>");
	html_own(&page->lead, text);
	html_put(&page->lead, "</p>\n");
}

void lead_suspects(struct page *page, const struct hprof_leak_table *leaks)
{
	char live[UNITS_MAX], bytes[UNITS_MAX], share[UNITS_MAX];
	const char *where = page->options.since ? "In the last dump, " : "";
	char *count =
		describe_count(leaks->count, "leak suspect", "leak suspects");
	char *text;

	if (leaks->count)
		text = describe_format(
			"%s%s %s %s of the live heap, %s of %s.", where, count,
			leaks->count > 1 ? "explain" : "explains",
			units_share(leaks->explained, leaks->live, share),
			units_bytes(leaks->explained, bytes),
			units_bytes(leaks->live, live));
	else
		text = describe_format("%sno leak suspects were found in %s of "
				       "live objects.",
				       where, units_bytes(leaks->live, live));
	if (*text == 'n')
		*text = 'N';
	lead_say(page, text);
	free(count);
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

void lead_end(struct page *page, const struct lead_list *list,
	      const char *anchor, char *rest)
{
	struct html *lead = &page->lead;

	if (list->shown)
		html_put(lead, "</ol>\n");
	if (!rest)
		return;
	html_putf(lead, "<p><a href=\"#%s\">", anchor);
	html_own(lead, rest);
	html_put(lead, "</a></p>\n");
}
