/* SPDX-License-Identifier: MIT */
/*
 * utf8.h - text of a dump character by character, and text that is safe to
 * print.
 */
#ifndef HP_UTF8_H
#define HP_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decodes the code point at P, ROOM > 0 bytes, of modified or standard UTF-8. A
 * surrogate pair gives one code point, a lone surrogate itself, and C0 80
 * gives 0. Returns the number of bytes; 0 if no character starts at P.
 */
size_t hp_utf8_next(const uint8_t *p, size_t room, uint32_t *ret_code);

/* The number of bytes, 1 to 4, that a code point takes in UTF-8. */
size_t hp_utf8_size(uint32_t code);

/*
 * Writes a code point, even a surrogate, as UTF-8 without a NUL; returns the
 * address behind it.
 */
char *hp_utf8_put(char *out, uint32_t code);

/*
 * Text that grows piece by piece in a buffer that may be too small: needed
 * counts the bytes of all pieces, and nothing is written after the first piece
 * that does not fit.
 */
struct hp_utf8_sink {
	char *out;
	size_t room;
	size_t used;
	size_t needed;
};

/* Appends BYTES as one piece. */
void hp_utf8_append(struct hp_utf8_sink *sink, const char *bytes, size_t size);

/*
 * Appends the text of [P, P + SIZE) as hprof_text_decode gives it; with DOTS,
 * '/' becomes '.'.
 */
void hp_utf8_append_text(struct hp_utf8_sink *sink, const uint8_t *p,
			 size_t size, bool dots);

/*
 * BYTES made safe to print, cut to ROOM (at least 16) with "..." at the end,
 * NUL-terminated.
 */
void hp_text_escape(const char *bytes, size_t size, char *out, size_t room);

#endif
