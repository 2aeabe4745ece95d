/* SPDX-License-Identifier: MIT */
/* commands.h - what keys do. */
#ifndef TOOLS_BROWSE_COMMANDS_H
#define TOOLS_BROWSE_COMMANDS_H

#include "tools/browse/browser.h"

void commands_key(struct browser *browser, int key);

/* Until the user has enough. */
void commands_loop(struct browser *browser);

#endif
