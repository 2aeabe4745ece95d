/* SPDX-License-Identifier: MIT */
/*
 * utf8.c - the text of strings and class names in a dump, to and from UTF-8.
 *
 * HotSpot and the old agents write modified UTF-8 (NUL as C0 80, characters
 * above U+FFFF as two surrogates of three bytes each), other writers standard
 * UTF-8, and nothing says which. One decoder accepts both: where the encodings
 * differ, the bytes of one are invalid in the other.
 */
#include "hprof/text.h"
#include "base/utf8.h"

#include <string.h>

enum {
	REPLACEMENT = 0xfffd,
	SYMBOL_FOR_NULL = 0x2400,
};

void hp_utf8_append(struct hp_utf8_sink *s, const char *bytes, size_t size)
{
	if (s->used == s->needed && size <= s->room - s->used) {
		memcpy(s->out + s->used, bytes, size);
		s->used += size;
	}
	s->needed += size;
}

/* The length of a sequence by its first byte; 0: no sequence starts so. */
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

size_t hp_utf8_size(uint32_t code)
{
	return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

char *hp_utf8_put(char *out, uint32_t code)
{
	static const uint8_t first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t size = hp_utf8_size(code);

	for (size_t i = size - 1; i > 0; i--) {
		out[i] = (char)(0x80 | (code & 0x3f));
		code >>= 6;
	}
	out[0] = (char)(first[size] | code);
	return out + size;
}

/* Appends CODE as one piece. */
static void append_code(struct hp_utf8_sink *s, uint32_t code)
{
	char text[4];

	hp_utf8_append(s, text, (size_t)(hp_utf8_put(text, code) - text));
}

static void put_code(struct hp_utf8_sink *s, uint32_t code)
{
	if (code == 0)
		code = SYMBOL_FOR_NULL;
	else if (is_surrogate(code))
		code = REPLACEMENT;
	append_code(s, code);
}

void hp_utf8_append_text(struct hp_utf8_sink *s, const uint8_t *p, size_t size,
			 bool dots)
{
	while (size > 0) {
		uint32_t code = REPLACEMENT;
		size_t used = hp_utf8_next(p, size, &code);

		if (used == 0)
			used = 1; /* the next byte may start a character */
		put_code(s, dots && code == '/' ? '.' : code);
		p += used;
		size -= used;
	}
}

size_t hprof_text_decode(const void *bytes, size_t size, char *out, size_t room)
{
	struct hp_utf8_sink s = { .out = out, .room = room };

	hp_utf8_append_text(&s, bytes, size, false);
	return s.needed;
}

/* A code point as modified UTF-8. */
static void encode_code(struct hp_utf8_sink *s, uint32_t code)
{
	char text[6], *end;

	if (code == 0) {
		hp_utf8_append(s, "\xc0\x80", 2);
	} else if (code < 0x10000) {
		append_code(s, code);
	} else {
		code -= 0x10000;
		end = hp_utf8_put(text, 0xd800 + (code >> 10));
		end = hp_utf8_put(end, 0xdc00 + (code & 0x3ff));
		hp_utf8_append(s, text, (size_t)(end - text));
	}
}

size_t hprof_text_encode(const void *bytes, size_t size, char *out, size_t room)
{
	struct hp_utf8_sink s = { .out = out, .room = room };
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
