/* SPDX-License-Identifier: MIT */
/*
 * utf16.h - finds the characters of a java.lang.String and decodes them.
 *
 * Which fields and which array hold the characters depends on the class
 * library. The functions here work on field values that the caller has read,
 * so the object may come from a file, a heap index or a stream.
 */
#ifndef HP_UTF16_H
#define HP_UTF16_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The fields of a String, and the array that its field "value" refers to. */
struct hp_java_string {
	unsigned type;	 /* of the array's elements; 0: no primitive array */
	uint64_t length; /* of the array */
	bool has_coder, has_offset, has_count;
	uint64_t coder, offset, count; /* valid if the class has the field */
};

/* The part of the array that holds the characters. */
struct hp_utf16_view {
	uint64_t start;	   /* offset in bytes from the first element */
	uint64_t units;	   /* number of code units */
	unsigned width;	   /* bytes of a unit, 1 or 2 */
	bool native_order; /* byte order of the dumped JVM, not big-endian */
};

/* False if the array is not one that can hold characters. */
bool hp_utf16_view(const struct hp_java_string *string,
		   struct hp_utf16_view *ret);

/* COUNT code units of WIDTH bytes: UTF-16 (2) or Latin-1 (1). */
struct hp_utf16_units {
	const uint8_t *bytes;
	size_t count;
	unsigned width;
	bool big_endian;
};

/*
 * Returns the code point at unit *I, which must be less than the count, and
 * advances *I past it. NUL becomes U+2400, an unpaired surrogate U+FFFD.
 */
uint32_t hp_utf16_next(const struct hp_utf16_units *units, size_t *i);

/* True if unit I is a high surrogate, the first half of a pair. */
bool hp_utf16_is_high(const struct hp_utf16_units *units, size_t i);

#endif
