/* SPDX-License-Identifier: MIT */
/* together.h - threads that do something at the same time. */
#ifndef TOGETHER_H
#define TOGETHER_H

#include <stddef.h>

enum { TOGETHER_MOST = 8 };

/* Calls ASK with each of COUNT items, in threads that begin all at once. */
void together(void (*ask)(void *), void *items, size_t count, size_t item_size);

#endif
