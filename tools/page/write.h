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
 * Opens PATH for a page, with FORCE also over a file; NULL or "-" is standard
 * output. Whether it can be written is to be known before much is read, and a pipe
 * is opened only once: who reads it would take closing it for the end. Returns
 * false after a message.
 */
bool page_output_open(const char *path, bool force,
		      struct hprof_output **ret_output);

/*
 * Finishes the page and writes it to OUTPUT, which PATH was opened as; the caller
 * frees it. NAME is of the dump. Returns false after a message.
 */
bool page_write(struct page *page, const char *name, const char *path,
		struct hprof_output *output);

/* The same to standard output. */
bool page_print(struct page *page, const char *name);

#endif
