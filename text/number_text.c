/* SPDX-License-Identifier: MIT */
/*
 * number_text.c - see number_text.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/number_text.h"

/* Two digits at a time. */
static const char pairs[201] = "00010203040506070809"
			       "10111213141516171819"
			       "20212223242526272829"
			       "30313233343536373839"
			       "40414243444546474849"
			       "50515253545556575859"
			       "60616263646566676869"
			       "70717273747576777879"
			       "80818283848586878889"
			       "90919293949596979899";

size_t number_text_unsigned(char *out, uint64_t number)
{
	char text[20];
	size_t at = sizeof(text);

	while (number >= 100) {
		at -= 2;
		memcpy(text + at, pairs + number % 100 * 2, 2);
		number /= 100;
	}
	if (number >= 10) {
		at -= 2;
		memcpy(text + at, pairs + number * 2, 2);
	} else {
		text[--at] = (char)('0' + number);
	}
	memcpy(out, text + at, sizeof(text) - at);
	return sizeof(text) - at;
}

size_t number_text_signed(char *out, int64_t number)
{
	if (number >= 0)
		return number_text_unsigned(out, (uint64_t)number);
	out[0] = '-';
	return 1 + number_text_unsigned(out + 1, 0 - (uint64_t)number);
}

size_t number_text_hex(char *out, uint64_t number)
{
	static const char hex[17] = "0123456789abcdef";
	size_t length = 1;

	while (length < 16 && number >> (4 * length))
		length++;
	for (size_t i = length; i > 0; i--) {
		out[i - 1] = hex[number & 15];
		number >>= 4;
	}
	return length;
}

size_t number_text_real(char *out, double real)
{
	int length = 0;

	for (int digits = 9; digits <= 17; digits += 4) {
		length = snprintf(out, NUMBER_TEXT_MAX, "%.*g", digits, real);
		if (strtod(out, NULL) == real)
			break;
	}
	return (size_t)length;
}
