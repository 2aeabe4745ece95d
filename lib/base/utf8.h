/* SPDX-License-Identifier: MIT */
/*
 * utf8.h - one character of a dump's text; for forms that show the bytes.
 */
#ifndef HP_UTF8_H
#define HP_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The code point at P, ROOM > 0 bytes: modified and standard UTF-8, a pair of
 * surrogates joined. Returns its bytes; 0 if P starts no character. C0 80
 * gives 0, a lone surrogate itself.
 */
size_t hp_utf8_next(const uint8_t *p, size_t room, uint32_t *ret_code);

/*
 * BYTES made safe to print, cut to ROOM (at least 16) with "..." at the end,
 * NUL-terminated.
 */
void hp_text_escape(const char *bytes, size_t size, char *out, size_t room);

#endif
