/* SPDX-License-Identifier: MIT */
/*
 * options.h - option and result structs of the public functions.
 *
 * They begin with their size. A program that was built with an older, shorter
 * struct keeps working: members that it does not have are taken as zero, which
 * is the default of every option. A newer, longer struct is accepted as long as
 * the members that this library does not know are zero, that is, unused.
 */
#ifndef HP_OPTIONS_H
#define HP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* No struct will ever be larger; a larger size was not set by the program. */
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

static inline bool hp_is_zero(const void *bytes, size_t size)
{
	const unsigned char *p = bytes;

	while (size && !*p) {
		p++;
		size--;
	}
	return size == 0;
}

/*
 * Like hp_options_take, for OPTIONS with a member "reserved", which must be 0:
 * a later version may put an option there that this one could not honour.
 */
#define HP_OPTIONS_TAKE(given, options)                                        \
	(hp_options_take(given, options, sizeof *(options)) &&                 \
	 hp_is_zero(&(options)->reserved, sizeof((options)->reserved)))

/* ---- results ------------------------------------------------------------- */

/* True if GIVEN is NULL, or a result struct whose size is set. */
static inline bool hp_result_is_good(const void *given)
{
	size_t size = sizeof size;

	if (given)
		memcpy(&size, given, sizeof size);
	return size >= sizeof size && size <= HP_OPTIONS_MOST;
}

/*
 * Copies the members that the program knows from RESULT of ROOM bytes to GIVEN,
 * which may be NULL. Members that only the program knows become 0. The member
 * size does not change.
 */
static inline void hp_result_put(void *given, const void *result, size_t room)
{
	size_t size;

	if (!given)
		return;
	memcpy(&size, given, sizeof size);
	memset((char *)given + sizeof size, 0, size - sizeof size);
	memcpy((char *)given + sizeof size, (const char *)result + sizeof size,
	       (size < room ? size : room) - sizeof size);
}

#endif
