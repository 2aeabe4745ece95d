/* SPDX-License-Identifier: MIT */
/*
 * number_text.h - numbers as text. Millions of them are written, so this is
 * faster than printf.
 */
#ifndef TEXT_NUMBER_TEXT_H
#define TEXT_NUMBER_TEXT_H

#include <stddef.h>
#include <stdint.h>

#define NUMBER_TEXT_MAX 32 /* enough for each of these */

/* Each writes to OUT and returns the length. These write no NUL: */
size_t number_text_unsigned(char *out, uint64_t number);
size_t number_text_signed(char *out, int64_t number);
size_t number_text_hex(char *out, uint64_t number); /* lower case, without 0x */

/* A short decimal number that reads back as the same value, with a NUL. */
size_t number_text_real(char *out, double real);

#endif
