/* SPDX-License-Identifier: MIT */
/*
 * hprof/text.h - the text in records: names in a dump as UTF-8, and back.
 *
 * Nothing here does I/O, allocates memory or keeps state, so every function
 * may be called from any thread at any time. hprof/record.h includes it.
 */
#ifndef HPROF_TEXT_H
#define HPROF_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hprof/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Converts the text of a string in a dump to standard UTF-8. Accepts both
 * modified UTF-8 (C0 80, surrogate pairs as two three-byte sequences) and
 * standard UTF-8. A byte that is invalid in both and a lone surrogate become
 * U+FFFD; U+0000 becomes U+2400 (SYMBOL FOR NULL), so that the result is safe
 * as a C string.
 *
 * Writes at most ROOM bytes, never a part of a character, and adds no NUL.
 * Returns the size of the whole text in bytes, so a call with ROOM 0 gives the
 * size. OUT may be NULL if ROOM is 0.
 */
HPROF_API size_t hprof_text_decode(const void *bytes, size_t size, char *out,
				   size_t room);

/*
 * Converts standard UTF-8 to modified UTF-8, as in dumps; invalid bytes become
 * U+FFFD. ROOM and the result are as for hprof_text_decode.
 */
HPROF_API size_t hprof_text_encode(const void *bytes, size_t size, char *out,
				   size_t room);

/*
 * True if the character with the number CODE could change how the text around
 * it is shown: controls (C0, DEL, C1), line and paragraph separators,
 * bidirectional controls, zero-width characters, noncharacters of the first
 * plane, and surrogates. A program should escape these before it prints text
 * from a dump or a file name.
 */
HPROF_API bool hprof_char_is_unsafe(uint32_t code);

/*
 * A class name as Java source writes it: "java/lang/String" and
 * "java.lang.String" give "java.lang.String", "[[I" and "int[][]" give
 * "int[][]", "[Ljava/lang/String;" gives "java.lang.String[]". The "+0x..." or
 * "/0x..." at the end of a hidden class's name becomes "/0x...", as in
 * Class.getName. A malformed descriptor is left as it is. The text is decoded
 * as by hprof_text_decode; ROOM and the result are as there.
 */
HPROF_API size_t hprof_class_name_decode(const void *bytes, size_t size,
					 char *out, size_t room);

#ifdef __cplusplus
}
#endif

#endif
