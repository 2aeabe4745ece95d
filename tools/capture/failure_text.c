/* SPDX-License-Identifier: MIT */
/*
 * failure_text.c - see failure_text.h.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tools/capture/failure_text.h"

static size_t put(struct reason *reason, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

static size_t put(struct reason *reason, const char *format, va_list arguments)
{
	int length = vsnprintf(reason->text, sizeof(reason->text), format,
			       arguments);

	if (length < 0)
		return 0;
	return (size_t)length < sizeof(reason->text) ? (size_t)length
						     : sizeof(reason->text) - 1;
}

bool reason_set(struct reason *reason, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	put(reason, format, arguments);
	va_end(arguments);
	return false;
}

bool reason_errno(struct reason *reason, const char *format, ...)
{
	int why = errno;
	size_t length;
	va_list arguments;

	va_start(arguments, format);
	length = put(reason, format, arguments);
	va_end(arguments);
	snprintf(reason->text + length, sizeof(reason->text) - length, ": %s",
		 strerror(why));
	return false;
}
