/* SPDX-License-Identifier: MIT */
/*
 * text_writer.c - see text_writer.h.
 */
#include "text/text_writer.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "text/escape.h"
#include "text/number_text.h"

/* ---- bytes --------------------------------------------------------------- */

enum hprof_status text_flush(struct text_writer *w)
{
	if (w->status == HPROF_OK && w->used > 0)
		w->status = w->write(w->user, w->buffer, w->used);
	w->used = 0;
	return w->status;
}

static void put(struct text_writer *w, const char *bytes, size_t size)
{
	while (size > 0) {
		size_t room = TEXT_BUFFER - w->used;
		size_t piece = size < room ? size : room;

		memcpy(w->buffer + w->used, bytes, piece);
		w->used += piece;
		bytes += piece;
		size -= piece;
		if (w->used == TEXT_BUFFER)
			text_flush(w);
	}
}

static bool is_half(const unsigned char *at, unsigned char least)
{
	return at[0] == 0xED && at[1] >= least && at[1] < least + 0x10 &&
	       (at[2] & 0xC0) == 0x80;
}

/*
 * If the next six bytes are a surrogate pair of modified UTF-8: the character
 * in UTF-8, of four bytes.
 */
static bool join_pair(const char *name, size_t size, char out[4])
{
	const unsigned char *at = (const unsigned char *)name;
	uint32_t point;

	if (size < 6 || !is_half(at, 0xA0) || !is_half(at + 3, 0xB0))
		return false;
	point = 0x10000 + ((at[1] & 0xFu) << 16 | (at[2] & 0x3Fu) << 10 |
			   (at[4] & 0xFu) << 6 | (at[5] & 0x3Fu));
	out[0] = (char)(0xF0 | point >> 18);
	out[1] = (char)(0x80 | (point >> 12 & 0x3F));
	out[2] = (char)(0x80 | (point >> 6 & 0x3F));
	out[3] = (char)(0x80 | (point & 0x3F));
	return true;
}

/* Escapes line ends in names, so that each record stays on its line. */
static void put_escaped(struct text_writer *w, const char *name)
{
	size_t size = strlen(name);

	while (size) {
		char piece[ESCAPE_MAX], joined[4];
		const char *one = joined;
		size_t run = 0, length = sizeof(joined);

		while (run < size && (unsigned char)name[run] >= 0x20 &&
		       (unsigned char)name[run] < 0x7F)
			run++;
		put(w, name, run);
		name += run;
		size -= run;
		if (!size)
			break;
		if (join_pair(name, size, joined)) {
			name += 6;
			size -= 6;
			length = escape_next(&one, &length, ESCAPE_TERMINAL,
					     piece);
		} else {
			length = escape_next(&name, &size, ESCAPE_TERMINAL,
					     piece);
		}
		put(w, piece, length);
	}
}

/* ---- numbers and text ---------------------------------------------------- */

static void pad(struct text_writer *w, size_t width, size_t length)
{
	for (; length < width; length++)
		put(w, " ", 1);
}

void text_put(struct text_writer *w, const char *format, ...)
{
	char digits[NUMBER_TEXT_MAX];
	va_list values;

	va_start(values, format);
	for (;;) {
		size_t run = strcspn(format, "%"), width = 0, length = 0;
		const char *name = NULL;

		put(w, format, run);
		format += run;
		if (!*format++)
			break;
		for (; *format >= '0' && *format <= '9'; format++)
			width = width * 10 + (size_t)(*format - '0');
		if (*format == 's')
			name = va_arg(values, const char *);
		else if (*format == 'u')
			length = number_text_unsigned(digits,
						      va_arg(values, uint64_t));
		else if (*format == 'd')
			length = number_text_signed(digits,
						    va_arg(values, int64_t));
		else if (*format == 'x')
			length = number_text_hex(digits,
						 va_arg(values, uint64_t));
		else
			assert(false &&
			       "a conversion that text_put does not have");
		format++;
		if (name) {
			pad(w, width, strlen(name));
			put_escaped(w, name);
		} else {
			pad(w, width, length);
			put(w, digits, length);
		}
	}
	va_end(values);
}

void text_put_time(struct text_writer *w, uint64_t time_ms)
{
	uint64_t seconds = time_ms / 1000;
	time_t now = (time_t)seconds;
	static const char days[] = "SunMonTueWedThuFriSat";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct tm parts;
	char line[64];

	/* Years have four digits. Beyond these it is not a time. */
	if (seconds > 253402300799 || !gmtime_r(&now, &parts))
		snprintf(line, sizeof(line), "?");
	else /* not by strftime, whose names are those of the locale */
		snprintf(line, sizeof(line), "%.3s %.3s %2d %02d:%02d:%02d %d",
			 days + 3 * parts.tm_wday, months + 3 * parts.tm_mon,
			 parts.tm_mday, parts.tm_hour, parts.tm_min,
			 parts.tm_sec, parts.tm_year + 1900);
	text_put(w, "%s\n", line);
}

/* Not by printf, whose decimal point is that of the locale. */
void text_put_share(struct text_writer *w, uint64_t part, uint64_t whole)
{
	double exact = (double)part * 100 / (whole ? (double)whole : 1) * 100;
	uint64_t n = exact < 1e15 ? (uint64_t)exact : UINT64_C(1000000000000);
	double rest = exact - (double)n;
	char cents[3];

	if (rest > 0.5 || (rest == 0.5 && n % 2 == 1))
		n++;
	cents[0] = (char)('0' + n % 100 / 10);
	cents[1] = (char)('0' + n % 10);
	cents[2] = 0;
	text_put(w, "%2u.%s%s", n / 100, cents, "%");
}

/* ---- the prelude --------------------------------------------------------- */

void text_put_prelude(struct text_writer *w, const char *version,
		      uint64_t time_ms)
{
	text_put(w, "%s, created ", version);
	text_put_time(w, time_ms);
	text_put(
		w,
		"\nA heap dump as text. Identifiers are hexadecimal, times are "
		"UTC.\n\n"
		"THREAD START, THREAD END\n"
		"  A thread: its object, number, name and group.\n"
		"TRACE\n"
		"  A stack by its number, the innermost frame first.\n"
		"HEAP DUMP\n"
		"  ROOT  an object that is alive of itself, and why\n"
		"  CLS   a class: superclass, loader, signers, protection "
		"domain, statics\n"
		"  OBJ   an instance: size, stack where it was made, class, "
		"fields\n"
		"  ARR   an array: size, stack, length, class of elements, "
		"elements\n"
		"  References that are null are left out.\n"
		"SITES\n"
		"  Where objects were made: now alive, and all since the "
		"start.\n"
		"CPU SAMPLES\n"
		"  Which stacks were seen running, and how often.\n"
		"CPU TIME (ms)\n"
		"  How long methods ran, without those they called, by "
		"stack.\n"
		"MONITOR TIME\n"
		"  How long threads waited to enter monitors, by stack.\n"
		"MONITOR DUMP\n"
		"  Which threads own monitors, and which wait for them.\n"
		"\n--------\n\n");
}

/* ---- threads and stacks -------------------------------------------------- */

void text_put_thread_start(struct text_writer *w,
			   const struct text_thread *thread)
{
	text_put(w,
		 "THREAD START (obj=%x, id = %u, name=\"%s\", "
		 "group=\"%s\")\n",
		 thread->object_id, (uint64_t)thread->serial,
		 thread->name ? thread->name : "",
		 thread->group ? thread->group : "");
}

void text_put_thread_end(struct text_writer *w, uint32_t serial)
{
	text_put(w, "THREAD END (id = %u)\n", (uint64_t)serial);
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

void text_put_frame(struct text_writer *w, const struct hprof_stack_frame *f)
{
	char digits[NUMBER_TEXT_MAX];

	text_put(w, "\t%s.%s(%s:%s)\n",
		 f->class_name ? f->class_name : "<Unknown Class>",
		 f->method ? f->method : "<Unknown Method>",
		 f->source ? f->source : "<Unknown Source>",
		 line_text(f->line, digits));
}

void text_put_no_frames(struct text_writer *w)
{
	text_put(w, "\t<empty>\n");
}

void text_put_trace_head(struct text_writer *w, const struct text_trace *trace)
{
	text_put(w, "TRACE %u:", (uint64_t)trace->serial);
	if (trace->thread_serial)
		text_put(w, " (thread=%u)", (uint64_t)trace->thread_serial);
	if (trace->phase)
		text_put(w, " (from %s phase of JVM)", trace->phase);
	text_put(w, "\n");
}

void text_put_trace(struct text_writer *w, const struct text_trace *trace)
{
	text_put_trace_head(w, trace);
	for (size_t i = 0; i < trace->frame_count; i++)
		text_put_frame(w, &trace->frames[i]);
	if (trace->frame_count == 0)
		text_put_no_frames(w);
}
