/* SPDX-License-Identifier: MIT */
/*
 * utf16.h - the characters of java.lang.String objects, as UTF-8.
 *
 * Where the characters are depends on the class library; this is what all
 * layouts have in common, wherever the bytes come from.
 */
#ifndef HP_UTF16_H
#define HP_UTF16_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known of a String, and of the array that its value refers to. */
struct hp_java_string {
	unsigned type;	 /* of the array's elements */
	uint64_t length; /* of the array */
	bool has_coder, has_offset, has_count;
	uint64_t coder, offset, count; /* fields, if it has them */
};

/* Which part of the array the characters are. */
struct hp_utf16_view {
	uint64_t start; /* bytes from the first element */
	uint64_t units;
	unsigned width;	   /* bytes of a unit */
	bool native_order; /* of the dumped JVM; else big-endian */
};

/* False: the array holds no characters. */
bool hp_utf16_view(const struct hp_java_string *string,
		   struct hp_utf16_view *ret);

/* COUNT units of WIDTH bytes. */
struct hp_utf16_units {
	const uint8_t *bytes;
	size_t count;
	unsigned width;
	bool big_endian;
};

/*
 * The code point at *I, which moves behind it. NUL becomes U+2400, half of a
 * surrogate pair U+FFFD.
 */
uint32_t hp_utf16_next(const struct hp_utf16_units *units, size_t *i);

/* True if the unit at I is the first half of a pair. */
bool hp_utf16_is_high(const struct hp_utf16_units *units, size_t i);

size_t hp_utf8_size(uint32_t code);
char *hp_utf8_put(char *out, uint32_t code);

#endif
