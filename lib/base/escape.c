/* SPDX-License-Identifier: MIT */
/*
 * escape.c - text of unknown origin (file names, member names) made safe for
 * the texts of errors and diagnostics: control characters and bytes that are
 * no UTF-8 become \xNN.
 */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

static bool is_shown(uint32_t code)
{
	return code >= 0x20 && !(code >= 0x7f && code < 0xa0) &&
	       !(code >= 0xd800 && code < 0xe000) && code != '\\' &&
	       !(code >= 0x202a && code <= 0x202e) &&
	       !(code >= 0x2066 && code <= 0x2069);
}

void hp_text_escape(const char *bytes, size_t size, char *out, size_t room)
{
	const uint8_t *p = (const uint8_t *)bytes;
	const uint8_t *end = p + size;
	size_t used = 0;

	while (p < end) {
		uint32_t code = 0;
		size_t n = hp_utf8_next(p, (size_t)(end - p), &code);
		bool shown = n > 0 && is_shown(code);
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
