/* SPDX-License-Identifier: MIT */
/*
 * json_lines.c - see json_lines.h.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "text/number_text.h"
#include "tools/common/escape.h"
#include "tools/export/json_lines.h"

void json_lines_flush(struct json_lines *lines)
{
	if (lines->status == HPROF_OK)
		lines->status = hprof_output_write(lines->output, lines->buffer,
						   lines->used);
	lines->used = 0;
}

void json_lines_key(struct json_lines *lines, const char *key, bool first)
{
	if (!first)
		json_lines_literal(lines, ",");
	json_lines_literal(lines, "\"");
	json_lines_raw(lines, key, strlen(key));
	json_lines_literal(lines, "\":");
}

/* ---- numbers ------------------------------------------------------------- */

void json_lines_number(struct json_lines *lines, uint64_t number)
{
	json_lines_used(lines,
			number_text_unsigned(json_lines_room(lines), number));
}

void json_lines_signed(struct json_lines *lines, int64_t number)
{
	json_lines_used(lines,
			number_text_signed(json_lines_room(lines), number));
}

void json_lines_id(struct json_lines *lines, uint64_t id)
{
	char *out = json_lines_room(lines);
	size_t size;

	memcpy(out, "\"0x", 3);
	size = 3 + number_text_hex(out + 3, id);
	out[size++] = '"';
	json_lines_used(lines, size);
}

/*
 * The shortest number that reads back as the same value; with SINGLE, as the
 * same float. JSON has no form for NaN and infinities.
 */
static void put_real(struct json_lines *lines, double real, bool single)
{
	char text[NUMBER_TEXT_MAX];
	int most = single ? 9 : 17, size = 0;

	if (isnan(real)) {
		json_lines_literal(lines, "\"NaN\"");
		return;
	}
	if (isinf(real)) {
		json_lines_text(lines, real < 0 ? "-Infinity" : "Infinity",
				real < 0 ? 9 : 8);
		return;
	}
	if (real > -1e15 && real < 1e15 && real == (double)(int64_t)real &&
	    !(real == 0 && signbit(real))) {
		json_lines_signed(lines, (int64_t)real);
		json_lines_literal(lines, ".0");
		return;
	}
	for (int digits = single ? 6 : 15; digits <= most; digits++) {
		double back;

		size = snprintf(text, sizeof(text), "%.*g", digits, real);
		back = strtod(text, NULL);
		if (single ? (float)back == (float)real : back == real)
			break;
	}
	json_lines_raw(lines, text, (size_t)size);
}

/* ---- text ---------------------------------------------------------------- */

/* ASCII characters that need no escape. */
static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

void json_lines_escaped(struct json_lines *lines, const char *text, size_t size)
{
	while (size) {
		size_t run = 0;
		size_t most = size < JSON_LINES_PIECE ? size : JSON_LINES_PIECE;

		while (run < most && is_plain((unsigned char)text[run]))
			run++;
		json_lines_raw(lines, text, run);
		text += run;
		size -= run;
		if (run < most) {
			char piece[ESCAPE_MAX];
			size_t length =
				escape_next(&text, &size, ESCAPE_JSON, piece);

			json_lines_raw(lines, piece, length);
		}
	}
}

void json_lines_text(struct json_lines *lines, const char *text, size_t size)
{
	if (!text) {
		json_lines_literal(lines, "null");
		return;
	}
	json_lines_literal(lines, "\"");
	json_lines_escaped(lines, text, size);
	json_lines_literal(lines, "\"");
}

void json_lines_hex(struct json_lines *lines, const uint8_t *bytes, size_t size)
{
	static const char hex[17] = "0123456789abcdef";

	while (size) {
		char *out = json_lines_room(lines);
		size_t count = size < JSON_LINES_PIECE / 2
				       ? size
				       : JSON_LINES_PIECE / 2;

		for (size_t i = 0; i < count; i++) {
			out[2 * i] = hex[bytes[i] >> 4];
			out[2 * i + 1] = hex[bytes[i] & 15];
		}
		json_lines_used(lines, 2 * count);
		bytes += count;
		size -= count;
	}
}

void json_lines_unit(struct json_lines *lines, unsigned unit)
{
	char *out = json_lines_room(lines);

	if (unit < 0x80 && is_plain((unsigned char)unit)) {
		out[0] = (char)unit;
		json_lines_used(lines, 1);
		return;
	}
	json_lines_used(lines,
			(size_t)snprintf(out, 8, "\\u%04x", unit & 0xFFFF));
}

/* ---- values -------------------------------------------------------------- */

void json_lines_value(struct json_lines *lines, unsigned type, uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	double real;
	float single;

	switch (type) {
	case HPROF_TYPE_OBJECT:
		if (bits)
			json_lines_id(lines, bits);
		else
			json_lines_literal(lines, "null");
		break;
	case HPROF_TYPE_BOOLEAN:
		if (bits)
			json_lines_literal(lines, "true");
		else
			json_lines_literal(lines, "false");
		break;
	case HPROF_TYPE_FLOAT:
		memcpy(&single, &low, sizeof(single));
		put_real(lines, (double)single, true);
		break;
	case HPROF_TYPE_DOUBLE:
		memcpy(&real, &bits, sizeof(real));
		put_real(lines, real, false);
		break;
	case HPROF_TYPE_BYTE:
		json_lines_signed(lines, (int8_t)bits);
		break;
	case HPROF_TYPE_SHORT:
		json_lines_signed(lines, (int16_t)bits);
		break;
	case HPROF_TYPE_INT:
		json_lines_signed(lines, (int32_t)bits);
		break;
	case HPROF_TYPE_LONG:
		json_lines_signed(lines, (int64_t)bits);
		break;
	default:
		json_lines_number(lines, bits);
	}
}
