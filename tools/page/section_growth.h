/* SPDX-License-Identifier: MIT */
/*
 * section_growth.h - what differs between dumps, as a section of a page.
 */
#ifndef TOOLS_PAGE_SECTION_GROWTH_H
#define TOOLS_PAGE_SECTION_GROWTH_H

#include "tools/diff/diff.h"
#include "tools/page/page.h"

/*
 * The limits of hprof-diff, the dumps, lines over time, with retained sizes growth by
 * path, and growth by class.
 */
void section_growth(struct page *page, const struct diff_report *report);

#endif
