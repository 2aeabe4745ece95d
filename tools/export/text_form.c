/* SPDX-License-Identifier: MIT */
/*
 * text_form.c - see text_form.h.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tools/export/number_text.h"
#include "tools/common/escape.h"
#include "tools/export/text_form.h"

static void put(struct text_form *text, const char *bytes, size_t size)
{
	if (text->status == HPROF_OK)
		text->status = hprof_output_write(text->output, bytes, size);
}

/* Escapes line ends in names, so that each record stays on its line. */
static void put_escaped(struct text_form *text, const char *name)
{
	size_t size = strlen(name);

	while (size) {
		char piece[ESCAPE_MAX];
		size_t run = 0, length;

		while (run < size && (unsigned char)name[run] >= 0x20 &&
		       (unsigned char)name[run] < 0x7F)
			run++;
		put(text, name, run);
		name += run;
		size -= run;
		if (!size)
			break;
		length = escape_next(&name, &size, ESCAPE_TERMINAL, piece);
		put(text, piece, length);
	}
}

void text_put(struct text_form *text, const char *format, ...)
{
	char digits[NUMBER_TEXT_MAX];
	va_list values;

	va_start(values, format);
	while (*format) {
		size_t run = strcspn(format, "%");

		put(text, format, run);
		format += run;
		if (!*format)
			break;
		switch (format[1]) {
		case 's':
			put_escaped(text, va_arg(values, const char *));
			break;
		case 'u':
			put(text, digits,
			    number_text_unsigned(digits,
						 va_arg(values, uint64_t)));
			break;
		case 'd':
			put(text, digits,
			    number_text_signed(digits,
					       va_arg(values, int64_t)));
			break;
		default:
			put(text, digits,
			    number_text_hex(digits, va_arg(values, uint64_t)));
		}
		format += 2;
	}
	va_end(values);
}

void text_put_time(struct text_form *text, const struct hprof_header *header,
		   uint32_t time_us)
{
	uint64_t seconds = header->time_ms / 1000 + time_us / 1000000;
	time_t now = (time_t)seconds;
	struct tm parts;
	char line[64];

	/* Years have four digits. Beyond these it is not a time. */
	if (seconds > 253402300799 || !gmtime_r(&now, &parts) ||
	    !strftime(line, sizeof(line), "%a %b %e %H:%M:%S %Y", &parts))
		snprintf(line, sizeof(line), "?");
	text_put(text, "%s\n", line);
}

static const char *line_text(int32_t line, char digits[NUMBER_TEXT_MAX])
{
	if (line == -2)
		return "Compiled method";
	if (line == -3)
		return "Native method";
	if (line <= 0)
		return "Unknown line";
	digits[number_text_unsigned(digits, (uint64_t)line)] = 0;
	return digits;
}

void text_put_frame(struct text_form *text, const struct hprof_stack_frame *f)
{
	char digits[NUMBER_TEXT_MAX];

	text_put(text, "\t%s.%s(%s:%s)\n",
		 f->class_name ? f->class_name : "<Unknown Class>",
		 f->method ? f->method : "<Unknown Method>",
		 f->source ? f->source : "<Unknown Source>",
		 line_text(f->line, digits));
}
