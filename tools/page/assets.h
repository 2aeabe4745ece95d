/* SPDX-License-Identifier: MIT */
/*
 * assets.h - the script and the style of the page. embed.sh makes them of page.js,
 * tables.js and page.css when the programs are built; they have no NUL at their end.
 */
#ifndef TOOLS_PAGE_ASSETS_H
#define TOOLS_PAGE_ASSETS_H

#include <stddef.h>

extern const char page_script[], page_style[];
extern const size_t page_script_size, page_style_size;
/* "sha256-...": what a Content-Security-Policy calls them. */
extern const char page_script_hash[], page_style_hash[];

#endif
