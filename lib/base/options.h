/* SPDX-License-Identifier: MIT */
/*
 * options.h - option structs of the public calls.
 *
 * They begin with their size, so that a program built with an older, shorter
 * one goes on working: what it does not have is zero.
 */
#ifndef HP_OPTIONS_H
#define HP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* GIVEN (NULL: all defaults) into RET of ROOM bytes. False if it is none. */
static inline bool hp_options_take(const void *given, void *ret, size_t room)
{
	size_t size;

	memset(ret, 0, room);
	if (!given)
		return true;
	memcpy(&size, given, sizeof size);
	if (size < sizeof size || size > room)
		return false;
	memcpy(ret, given, size);
	return true;
}

#endif
