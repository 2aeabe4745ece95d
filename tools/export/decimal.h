/* SPDX-License-Identifier: MIT */
/*
 * decimal.h - numbers as text, quicker than printf: millions of them are
 * written.
 */
#ifndef TOOLS_DECIMAL_H
#define TOOLS_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

#define DIGITS_MAX 32 /* more than any of these needs */

/* Each returns the length; there is no NUL. */
size_t digits_unsigned(char *out, uint64_t number);
size_t digits_signed(char *out, int64_t number);
size_t digits_hex(char *out, uint64_t number); /* lower case, without 0x */

#endif
