/* SPDX-License-Identifier: MIT */
/*
 * lead.h - the lead of a page: who holds the memory, in a line each, with links to
 * where the section of suspects says more.
 */
#ifndef TOOLS_PAGE_LEAD_H
#define TOOLS_PAGE_LEAD_H

#include <hprof.h>

#include "tools/page/page.h"

/* Of what has a headline in the section: the first of these are in the lead. */
struct lead_list {
	size_t shown, all;
};

/*
 * "3 leak suspects explain 84.9% of the live heap, 24.5 MiB of 29.3 MiB."; of the last
 * of several dumps, with which the page begins, it says so.
 */
void lead_begin(struct page *page, const struct hprof_leak_table *leaks);

/* The headline of a suspect or backlog, in its section and here; frees LINE. */
void lead_headline(struct page *page, struct lead_list *list, char *line);

/* LEFT suspects have no place even in their section. */
void lead_end(struct page *page, const struct lead_list *list, size_t left);

#endif
