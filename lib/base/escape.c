/* SPDX-License-Identifier: MIT */
/*
 * escape.c - tells which characters are unsafe to print, and escapes text of
 * unknown origin (file names, member names) for errors and diagnostics: unsafe
 * characters, backslashes and bytes that are not UTF-8 become \xNN.
 */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "hprof/text.h"

/*
 * The table includes zero-width characters, because two names that differ only
 * in those would look the same.
 */
bool hprof_char_is_unsafe(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} unsafe[] = {
		{ 0x0000, 0x001F },   { 0x007F, 0x009F },   { 0x00AD, 0x00AD },
		{ 0x034F, 0x034F },   { 0x061C, 0x061C },   { 0x115F, 0x1160 },
		{ 0x17B4, 0x17B5 },   { 0x180B, 0x180F },   { 0x200B, 0x200F },
		{ 0x2028, 0x202E },   { 0x2060, 0x206F },   { 0x3164, 0x3164 },
		{ 0xD800, 0xDFFF },   { 0xFE00, 0xFE0F },   { 0xFEFF, 0xFEFF },
		{ 0xFFA0, 0xFFA0 },   { 0xFFF0, 0xFFFB },   { 0xFFFE, 0xFFFF },
		{ 0x1D173, 0x1D17A }, { 0xE0000, 0xE0FFF },
	};

	if (code >= ' ' && code < 0x7F)
		return false; /* nearly every character */
	for (size_t i = 0; i < sizeof unsafe / sizeof unsafe[0]; i++)
		if (code >= unsafe[i].first && code <= unsafe[i].last)
			return true;
	return false;
}

/*
 * A surrogate pair, which takes six bytes in modified UTF-8, decodes to one
 * code point but is not valid UTF-8, so its bytes are escaped.
 */
static bool is_shown(uint32_t code, size_t bytes)
{
	return bytes > 0 && bytes <= 4 && code != '\\' &&
	       !hprof_char_is_unsafe(code);
}

void hp_text_escape(const char *bytes, size_t size, char *out, size_t room)
{
	const uint8_t *p = (const uint8_t *)bytes;
	const uint8_t *end = p + size;
	size_t used = 0;

	while (p < end) {
		uint32_t code = 0;
		size_t n = hp_utf8_next(p, (size_t)(end - p), &code);
		bool shown = is_shown(code, n);
		size_t need = shown ? n : 4;
		if (used + need + 4 > room) { /* room for "..." and NUL */
			memcpy(out + used, "...", 4);
			return;
		}
		if (shown)
			memcpy(out + used, p, n);
		else
			snprintf(out + used, 5, "\\x%02x", p[0]);
		used += need;
		p += shown ? n : 1;
	}
	out[used] = '\0';
}
