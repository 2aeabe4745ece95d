/* SPDX-License-Identifier: MIT */
/*
 * options.h - option structs of the public calls.
 *
 * They begin with their size. A program that was built with an older, shorter
 * struct goes on working: members that it does not have are zero, which is
 * the default of every option. A newer, longer struct is accepted as long as
 * the members that this library does not know are zero, that is, not used.
 */
#ifndef HP_OPTIONS_H
#define HP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* No version will have more; a larger size was never set. */
enum { HP_OPTIONS_MOST = 4096 };

/*
 * Copies GIVEN (NULL: all defaults) into RET of ROOM bytes. False if its size
 * is impossible, or if it asks for something that this library does not know.
 */
static inline bool hp_options_take(const void *given, void *ret, size_t room)
{
	const unsigned char *bytes = given;
	size_t size;

	memset(ret, 0, room);
	if (!given)
		return true;
	memcpy(&size, given, sizeof size);
	if (size < sizeof size || size > HP_OPTIONS_MOST)
		return false;
	for (size_t i = room; i < size; i++)
		if (bytes[i])
			return false;
	memcpy(ret, given, size < room ? size : room);
	return true;
}

#endif
