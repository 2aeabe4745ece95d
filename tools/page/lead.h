/* SPDX-License-Identifier: MIT */
/*
 * lead.h - the lead of a page: what grew from the first of several dumps to the last,
 * who holds the memory, and what took the processor's time, in a line each, with links
 * to where its section says more.
 */
#ifndef TOOLS_PAGE_LEAD_H
#define TOOLS_PAGE_LEAD_H

#include <hprof.h>

#include "tools/page/page.h"
#include "tools/report/render.h"

/* Of what has a headline in a section: the first of these are in the lead. */
struct lead_list {
	const char *anchor; /* of headlines: this and a number */
	const char *tag;    /* their element */
	size_t shown, all;
};

/* A sentence; frees TEXT. */
void lead_say(struct page *page, char *text);
/* The same, with a link to ANCHOR. */
void lead_link(struct page *page, const char *anchor, char *text);

/*
 * "3 leak suspects and 1 backlog explain 84.9% of the live heap, 24.5 MiB of 29.3 MiB.";
 * of the last of several dumps, it says so.
 */
void lead_suspects(struct page *page, const struct report *report);

/* A headline, in its section and here; frees LINE. */
void lead_headline(struct page *page, struct lead_list *list, char *line);

/*
 * The end of the list. REST, which is freed, says what is not in it and links to
 * ANCHOR; NULL: nothing.
 */
void lead_end(struct page *page, const struct lead_list *list,
	      const char *anchor, char *rest);

#endif
