/* SPDX-License-Identifier: MIT */
/*
 * write.h - pages and the command line: which sections, and where to.
 */
#ifndef TOOLS_PAGE_WRITE_H
#define TOOLS_PAGE_WRITE_H

#include "tools/page/page.h"

/*
 * The bits of a list of sections, "overview,suspects"; NULL: all. An unknown word
 * is wrong usage.
 */
unsigned page_parts(const char *list);

/*
 * A copy of the command line, whose order the parser changes; for struct
 * page_options. Free it.
 */
char **page_command(int argc, char *const *argv);

/*
 * Whether page_write could write to PATH now, to be known before much is read.
 * Returns false after a message.
 */
bool page_can_be_written(const char *path, bool force);

/*
 * Finishes the page and writes it to PATH, with FORCE also over a file; NULL or
 * "-": to standard output. NAME is of the dump. Returns false after a message.
 */
bool page_write(struct page *page, const char *name, const char *path,
		bool force);

#endif
