/* SPDX-License-Identifier: MIT */
/*
 * number_text.h - numbers as text, quicker than printf: millions of them are
 * written.
 */
#ifndef TOOLS_NUMBER_TEXT_H
#define TOOLS_NUMBER_TEXT_H

#include <stddef.h>
#include <stdint.h>

#define NUMBER_TEXT_MAX 32 /* more than any of these needs */

/* Each returns the length; there is no NUL. */
size_t number_text_unsigned(char *out, uint64_t number);
size_t number_text_signed(char *out, int64_t number);
size_t number_text_hex(char *out, uint64_t number); /* lower case, without 0x */

#endif
