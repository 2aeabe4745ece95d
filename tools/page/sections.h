/* SPDX-License-Identifier: MIT */
/*
 * sections.h - the sections of a page about one dump. Each is added if it is
 * wanted and REPORT has what it is about.
 */
#ifndef TOOLS_PAGE_SECTIONS_H
#define TOOLS_PAGE_SECTIONS_H

#include "tools/page/page.h"
#include "tools/report/render.h"

void section_overview(struct page *page, const struct report *report);
void section_suspects(struct page *page, const struct report *report);
void section_tree(struct page *page, const struct report *report);
void section_classes(struct page *page, const struct report *report);
void section_biggest(struct page *page, const struct report *report);
void section_threads(struct page *page, const struct report *report);
void section_loaders(struct page *page, const struct report *report);
void section_waste(struct page *page, const struct report *report);
void section_strings(struct page *page, const struct report *report);
void section_properties(struct page *page, const struct report *report);
void section_profiles(struct page *page, const struct report *report);

/*
 * All of them. One that was asked for by name is never left out: it says why it is
 * empty. Call it after growth was added.
 */
void sections_add(struct page *page, const struct report *report);

/* Prints which sections about PATH are empty though they were asked for. */
void sections_print_missing(const struct page *page, const char *path);

/* What is wrong with the dump; nothing if nothing is. */
void section_damage(struct html *html, const struct hprof_summary *summary);

/* Objects of which there should be few; nothing if there are none. */
void section_resources(struct page *page, const struct report *report);

/*
 * Memory outside of the heap, in the overview; and a line of the lead, if somebody holds
 * much of it.
 */
void section_outside(struct page *page, const struct report *report);
void section_outside_lead(struct page *page, const struct report *report);

/* A path as a table, folded away under LABEL, which is freed. */
void section_path(struct page *page, char *label,
		  const struct hprof_path *path);

#endif
