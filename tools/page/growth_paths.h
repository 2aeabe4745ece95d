/* SPDX-License-Identifier: MIT */
/*
 * growth_paths.h - growth by path, as a part of the section about several dumps.
 */
#ifndef TOOLS_PAGE_GROWTH_PATHS_H
#define TOOLS_PAGE_GROWTH_PATHS_H

#include "tools/diff/diff.h"
#include "tools/page/page.h"

/*
 * Lines over time, a table over the dumps, and of what changed most of which objects
 * it is, and the path that holds it. REPORT has paths.
 */
void growth_paths(struct page *page, const struct diff_report *report);

#endif
