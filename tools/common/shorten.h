/* SPDX-License-Identifier: MIT */
/*
 * shorten.h - makes lines with names of classes fit a terminal.
 */
#ifndef TOOLS_SHORTEN_H
#define TOOLS_SHORTEN_H

#include <stddef.h>

/*
 * Returns TEXT, which must be escaped already, in at most COLUMNS columns, as a
 * string that the caller frees. What it takes of this to make it fit, in this
 * order: package parts become one letter, from the left, as in
 * "o.s.b.factory.support.DefaultListableBeanFactory@0x7f0010"; packages are left
 * out, from the left; long words, such as names of classes, lose their middle, but
 * numbers, identifiers and plain words do not; the whole text loses its middle. What
 * is in double quotes has no packages.
 */
char *shorten_text(const char *text, size_t columns);

/*
 * The columns that TEXT takes without packages and with words of at most WORD
 * columns, 7 or more: with fewer, its names are hard to recognise.
 */
size_t shorten_least(const char *text, size_t word);

/* The same for the path of a file, which loses its beginning. */
char *shorten_file(const char *path, size_t columns);

#endif
