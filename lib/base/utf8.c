/* SPDX-License-Identifier: MIT */
/*
 * utf8.c - the text of strings and class names in a dump, to and from UTF-8.
 *
 * HotSpot and the old agents write modified UTF-8 (NUL as C0 80, characters
 * above U+FFFF as two surrogates of three bytes each), other writers standard
 * UTF-8, and nothing says which: one decoder takes both. The two differ only
 * where the other is invalid.
 */
#include "hprof/record.h"
#include "base/utf8.h"

#include <string.h>

enum {
	REPLACEMENT = 0xfffd,
	SYMBOL_FOR_NULL = 0x2400,
	MAX_DIMENSIONS = 255, /* the JVM's own limit */
};

/* Output that only counts once it is full. */
struct sink {
	char *out;
	size_t room;
	size_t used;
	size_t needed;
};

static void put(struct sink *s, const char *bytes, size_t size)
{
	if (s->used == s->needed && size <= s->room - s->used) {
		memcpy(s->out + s->used, bytes, size);
		s->used += size;
	}
	s->needed += size;
}

/* ASCII: each byte is a character of its own. */
static void put_ascii(struct sink *s, const char *text)
{
	while (*text)
		put(s, text++, 1);
}

/* Bytes of a sequence by its first byte; 0: cannot be first. */
static size_t sequence_size(uint8_t first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc0 || first > 0xf4)
		return 0;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* One code point, surrogates included; 0 if [P, P + ROOM) starts with none. */
static size_t get_unit(const uint8_t *p, size_t room, uint32_t *ret_code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	static const uint8_t mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	size_t size = sequence_size(p[0]);
	uint32_t code;

	if (size == 0 || size > room)
		return 0;
	code = p[0] & mask[size];
	for (size_t i = 1; i < size; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	if (code < least[size] && !(size == 2 && code == 0))
		return 0;
	if (code > 0x10ffff)
		return 0;
	*ret_code = code;
	return size;
}

static bool is_surrogate(uint32_t code)
{
	return code >= 0xd800 && code <= 0xdfff;
}

size_t hp_utf8_next(const uint8_t *p, size_t room, uint32_t *ret_code)
{
	uint32_t low;
	size_t size = get_unit(p, room, ret_code);
	size_t second;

	if (size == 0)
		return 0;
	if (*ret_code < 0xd800 || *ret_code > 0xdbff || room == size)
		return size;
	second = get_unit(p + size, room - size, &low);
	if (second != 3 || low < 0xdc00 || low > 0xdfff)
		return size;
	*ret_code = 0x10000 + ((*ret_code - 0xd800) << 10) + (low - 0xdc00);
	return size + second;
}

/* CODE as UTF-8, without asking what it means. */
static size_t put_unit(char *out, uint32_t code)
{
	static const uint8_t first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t size = code < 0x80      ? 1
		      : code < 0x800   ? 2
		      : code < 0x10000 ? 3
				       : 4;

	for (size_t i = size - 1; i > 0; i--) {
		out[i] = (char)(0x80 | (code & 0x3f));
		code >>= 6;
	}
	out[0] = (char)(first[size] | code);
	return size;
}

static void put_code(struct sink *s, uint32_t code)
{
	char text[4];

	if (code == 0)
		code = SYMBOL_FOR_NULL;
	else if (is_surrogate(code))
		code = REPLACEMENT;
	put(s, text, put_unit(text, code));
}

/* The text of [P, P + SIZE); DOTS: '/' becomes '.'. */
static void decode(struct sink *s, const uint8_t *p, size_t size, bool dots)
{
	while (size > 0) {
		uint32_t code = REPLACEMENT;
		size_t used = hp_utf8_next(p, size, &code);

		if (used == 0)
			used = 1; /* the next byte may well be the start */
		put_code(s, dots && code == '/' ? '.' : code);
		p += used;
		size -= used;
	}
}

size_t hprof_text_decode(const void *bytes, size_t size, char *out, size_t room)
{
	struct sink s = { .out = out, .room = room };

	decode(&s, bytes, size, false);
	return s.needed;
}

/* A code point as modified UTF-8. */
static void encode_code(struct sink *s, uint32_t code)
{
	char text[6];
	size_t size;

	if (code == 0) {
		put(s, "\xc0\x80", 2);
	} else if (code < 0x10000) {
		put(s, text, put_unit(text, code));
	} else {
		code -= 0x10000;
		size = put_unit(text, 0xd800 + (code >> 10));
		size += put_unit(text + size, 0xdc00 + (code & 0x3ff));
		put(s, text, size);
	}
}

size_t hprof_text_encode(const void *bytes, size_t size, char *out, size_t room)
{
	struct sink s = { .out = out, .room = room };
	const uint8_t *p = bytes;

	while (size > 0) {
		uint32_t code = REPLACEMENT;
		size_t used = get_unit(p, size, &code);

		if (used == 0 || (used == 2 && code == 0)) {
			used = 1;
			code = REPLACEMENT;
		} else if (is_surrogate(code)) {
			code = REPLACEMENT;
		}
		encode_code(&s, code);
		p += used;
		size -= used;
	}
	return s.needed;
}

/* ---- class names --------------------------------------------------------- */

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
 * Where the "+0x..." of a hidden class starts, SIZE if there is none. The
 * JVM's symbols have '+', Class.getName and jcmd say "/0x...".
 */
static size_t hidden_suffix(const uint8_t *p, size_t size)
{
	size_t digits = size;

	while (digits > 0 && is_hex(p[digits - 1]))
		digits--;
	/* "0x0a" leaves digits at the 'x', which is no hexadecimal digit. */
	if (digits == size || digits < 3 || p[digits - 1] != 'x' ||
	    p[digits - 2] != '0')
		return size;
	if (p[digits - 3] != '+' && p[digits - 3] != '/')
		return size;
	return digits - 3;
}

static void decode_plain(struct sink *s, const uint8_t *p, size_t size)
{
	size_t suffix = hidden_suffix(p, size);

	decode(s, p, suffix, true);
	if (suffix == size)
		return;
	put_ascii(s, "/");
	decode(s, p + suffix + 1, size - suffix - 1, false);
}

/* "Lpkg/Name;" with nothing that ends or starts a descriptor inside. */
static bool is_class_descriptor(const uint8_t *p, size_t size)
{
	return size > 2 && p[0] == 'L' && p[size - 1] == ';' &&
	       !memchr(p, '[', size) && !memchr(p, ';', size - 1);
}

/* An array descriptor; false, and nothing written, if it is none. */
static bool decode_array(struct sink *s, const uint8_t *p, size_t size)
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
	struct sink s = { .out = out, .room = room };
	const uint8_t *p = bytes;

	if (size == 0 || p[0] != '[')
		decode_plain(&s, p, size);
	else if (!decode_array(&s, p, size))
		decode(&s, p, size, false);
	return s.needed;
}
