/* SPDX-License-Identifier: MIT */
/*
 * char_width.h - how many columns of a terminal a character takes.
 */
#ifndef TOOLS_CHAR_WIDTH_H
#define TOOLS_CHAR_WIDTH_H

#include <stdint.h>

/*
 * 2 for a character of the Chinese, Japanese or Korean scripts and for an
 * emoji, 0 for one that joins the character before it, otherwise 1. POINT must
 * be one that is shown as it is, not escaped.
 */
unsigned char_width(uint32_t point);

#endif
