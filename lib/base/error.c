/* SPDX-License-Identifier: MIT */
/*
 * error.c - filling struct hprof_error, names of statuses, the version.
 *
 * The text is cut to fit, never in the middle of a UTF-8 character.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * GNU's strerror_r returns the text, that of POSIX a status. ERROR_TEXT selects
 * the function that fits the C library. NULL: the text is in the buffer.
 */
static const char *gnu_text(const char *text)
{
	return text;
}

static const char *posix_text(int failed)
{
	return failed ? "unknown error" : NULL;
}

#define ERROR_TEXT(number, buffer)                               \
	_Generic(strerror_r(number, buffer, sizeof(buffer)), int \
		 : posix_text, default                           \
		 : gnu_text)(strerror_r(number, buffer, sizeof(buffer)))

/* Drops an incomplete character from the end of TEXT, which fills its ROOM. */
static void cut_character(char *text, size_t room)
{
	size_t end = room - 1;
	size_t start = end;

	while (start > 0 && end - start < 4 &&
	       ((unsigned char)text[start - 1] & 0xc0) == 0x80)
		start--;
	if (start > 0 && (unsigned char)text[start - 1] >= 0xc0)
		text[start - 1] = '\0';
}

static __attribute__((format(printf, 2, 0))) void
fill_text(struct hprof_error *error, const char *format, va_list values)
{
	int length =
		vsnprintf(error->text, sizeof(error->text), format, values);

	if (length < 0)
		error->text[0] = '\0';
	else if ((size_t)length >= sizeof(error->text))
		cut_character(error->text, sizeof(error->text));
}

static void append_text(struct hprof_error *error, const char *text)
{
	size_t used = strlen(error->text);
	int length = snprintf(error->text + used, sizeof(error->text) - used,
			      ": %s", text);

	if (length > 0 && (size_t)length >= sizeof(error->text) - used)
		cut_character(error->text, sizeof(error->text));
}

enum hprof_status hp_fail(struct hprof_error *error, enum hprof_status status,
			  uint64_t offset, const char *format, ...)
{
	va_list values;

	if (error == NULL)
		return status;
	error->status = status;
	error->sys_errno = 0;
	error->offset = offset;
	va_start(values, format);
	fill_text(error, format, values);
	va_end(values);
	return status;
}

enum hprof_status hp_fail_errno(struct hprof_error *error, const char *format,
				...)
{
	int number = errno;
	char buffer[256] = "";
	const char *text;
	va_list values;

	if (error == NULL)
		return HPROF_E_SYS;
	error->status = HPROF_E_SYS;
	error->sys_errno = number;
	error->offset = HP_NO_OFFSET;
	va_start(values, format);
	fill_text(error, format, values);
	va_end(values);
	text = ERROR_TEXT(number, buffer);
	append_text(error, text != NULL ? text : buffer);
	errno = number;
	return HPROF_E_SYS;
}

const char *hprof_status_text(enum hprof_status status)
{
	switch (status) {
	case HPROF_OK:
		return "success";
	case HPROF_END:
		return "end";
	case HPROF_E_USAGE:
		return "wrong use";
	case HPROF_E_SYS:
		return "system error";
	case HPROF_E_NOMEM:
		return "out of memory";
	case HPROF_E_FORMAT:
		return "not an HPROF dump";
	case HPROF_E_CORRUPT:
		return "corrupt data";
	case HPROF_E_TRUNCATED:
		return "truncated data";
	case HPROF_E_LIMIT:
		return "too large";
	case HPROF_E_UNSUPPORTED:
		return "not supported";
	case HPROF_E_AMBIGUOUS:
		return "several dumps";
	case HPROF_E_CANCELLED:
		return "cancelled";
	}
	return "unknown status";
}

const char *hprof_version(void)
{
	return HPROF_VERSION_TEXT;
}

uint32_t hprof_version_number(void)
{
	return HPROF_VERSION_NUMBER;
}

enum hprof_status hp_no_memory(struct hprof_error *error)
{
	return hp_fail(error, HPROF_E_NOMEM, HP_NO_OFFSET, "out of memory");
}

enum hprof_status hp_cancelled(struct hprof_error *error)
{
	return hp_fail(error, HPROF_E_CANCELLED, HP_NO_OFFSET,
		       "cancelled by the progress function");
}

enum hprof_status hp_file_changed(struct hprof_error *error)
{
	return hp_fail(error, HPROF_E_CORRUPT, HP_NO_OFFSET,
		       "the file has changed since it was opened");
}

enum hprof_status hp_bad_argument(struct hprof_error *error, const char *name,
				  const char *why)
{
	return hp_fail(error, HPROF_E_USAGE, HP_NO_OFFSET, "argument %s: %s",
		       name, why);
}

enum hprof_status hp_bad_options(struct hprof_error *error)
{
	return hp_bad_argument(error, "options",
			       "its size is wrong, or it has members that "
			       "this version of the library does not know");
}
