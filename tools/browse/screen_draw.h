/* SPDX-License-Identifier: MIT */
/* screen_draw.h - the whole screen of the browser. */
#ifndef TOOLS_BROWSE_SCREEN_DRAW_H
#define TOOLS_BROWSE_SCREEN_DRAW_H

#include "tools/browse/browser.h"

/* Draws the columns and the two lines below them, and shows that. */
void screen_draw(struct browser *browser);

#endif
