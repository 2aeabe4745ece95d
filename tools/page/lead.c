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

void lead_begin(struct page *page, const struct hprof_leak_table *leaks)
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
	html_element(&page->lead, "p", text);
	free(count);
	free(text);
}

void lead_headline(struct page *page, struct lead_list *list, char *line)
{
	struct html *lead = &page->lead;
	size_t number = ++list->all;

	html_putf(&page->body, "<h3 id=\"suspect-%zu\">", number);
	html_text(&page->body, line);
	html_put(&page->body, "</h3>\n");
	if (list->shown + 1 == number && number <= LINES_MOST &&
	    (number == 1 || html_has_room(lead, LINE_LEAST))) {
		html_put(lead, number == 1 ? "<ol>\n" : "");
		html_putf(lead, "<li><a href=\"#suspect-%zu\">", number);
		html_text(lead, line);
		html_put(lead, "</a></li>\n");
		list->shown++;
	}
	free(line);
}

void lead_end(struct page *page, const struct lead_list *list, size_t left)
{
	struct html *lead = &page->lead;
	size_t more = list->all - list->shown + left;

	if (list->shown)
		html_put(lead, "</ol>\n");
	if (more)
		html_putf(lead, "<p><a href=\"#suspects\">%zu more</a></p>\n",
			  more);
}
