/* SPDX-License-Identifier: MIT */
/* suspect_bar.h - a small picture of a leak suspect. */
#ifndef TOOLS_PAGE_SUSPECT_BAR_H
#define TOOLS_PAGE_SUSPECT_BAR_H

#include <hprof.h>

#include "tools/page/html.h"

/* What LEAK keeps of LIVE bytes, which are not 0; nothing if there is no room for it. */
void suspect_bar(struct html *html, const struct hprof_leak *leak,
		 uint64_t live);

#endif
