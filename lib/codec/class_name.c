/* SPDX-License-Identifier: MIT */
/*
 * class_name.c - converts class names from the form in dumps to the form in
 * Java source.
 *
 * HotSpot writes "java/lang/String" and, for arrays, descriptors such as
 * "[[I"; others write dots, or "int[][]". Whatever is not a valid descriptor
 * is decoded as text and left as it is.
 */
#include <string.h>

#include "base/utf8.h"
#include "hprof/record.h"

enum { MAX_DIMENSIONS = 255 }; /* the JVM's own limit */

/* Appends ASCII text: each byte is one character. */
static void put_ascii(struct hp_utf8_sink *s, const char *text)
{
	while (*text)
		hp_utf8_append(s, text++, 1);
}

static const char *primitive_name(uint8_t letter)
{
	static const char letters[] = "ZCFDBSIJ";
	const char *found = letter ? strchr(letters, letter) : NULL;

	if (!found)
		return NULL;
	return hprof_type_name(HPROF_TYPE_BOOLEAN +
			       (unsigned)(found - letters));
}

static bool is_hex(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
	       (c >= 'A' && c <= 'F');
}

/*
 * The offset of the suffix "+0x..." of a hidden class, or SIZE. Symbols of the
 * JVM have '+', while Class.getName and jcmd write "/0x...".
 */
static size_t hidden_suffix(const uint8_t *p, size_t size)
{
	size_t digits = size;

	while (digits > 0 && is_hex(p[digits - 1]))
		digits--;
	/* In "0x0a" the hexadecimal digits end at the 'x'. */
	if (digits == size || digits < 3 || p[digits - 1] != 'x' ||
	    p[digits - 2] != '0')
		return size;
	if (p[digits - 3] != '+' && p[digits - 3] != '/')
		return size;
	return digits - 3;
}

static void decode_plain(struct hp_utf8_sink *s, const uint8_t *p, size_t size)
{
	size_t suffix = hidden_suffix(p, size);

	hp_utf8_append_text(s, p, suffix, true);
	if (suffix == size)
		return;
	put_ascii(s, "/");
	hp_utf8_append_text(s, p + suffix + 1, size - suffix - 1, false);
}

/* "Lpkg/Name;" without characters inside that delimit descriptors. */
static bool is_class_descriptor(const uint8_t *p, size_t size)
{
	return size > 2 && p[0] == 'L' && p[size - 1] == ';' &&
	       !memchr(p, '[', size) && !memchr(p, ';', size - 1);
}

/* Decodes an array descriptor; returns false and writes nothing for others. */
static bool decode_array(struct hp_utf8_sink *s, const uint8_t *p, size_t size)
{
	const char *primitive = NULL;
	size_t depth = 0;

	while (depth < size && p[depth] == '[')
		depth++;
	p += depth;
	size -= depth;
	if (depth > MAX_DIMENSIONS || size == 0)
		return false;
	if (size == 1)
		primitive = primitive_name(p[0]);
	if (primitive)
		put_ascii(s, primitive);
	else if (is_class_descriptor(p, size))
		decode_plain(s, p + 1, size - 2);
	else
		return false;
	while (depth-- > 0)
		put_ascii(s, "[]");
	return true;
}

size_t hprof_class_name_decode(const void *bytes, size_t size, char *out,
			       size_t room)
{
	struct hp_utf8_sink s = { .out = out, .room = room };
	const uint8_t *p = bytes;

	if (size == 0 || p[0] != '[')
		decode_plain(&s, p, size);
	else if (!decode_array(&s, p, size))
		hp_utf8_append_text(&s, p, size, false);
	return s.needed;
}
