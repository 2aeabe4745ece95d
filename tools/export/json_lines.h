/* SPDX-License-Identifier: MIT */
/*
 * json_lines.h - JSON, one object on each line, for millions of objects.
 *
 * json.h prints reports through stdio. Here bytes go directly into a buffer,
 * and nesting is not tracked: the caller writes brackets and commas.
 */
#ifndef TOOLS_JSON_LINES_H
#define TOOLS_JSON_LINES_H

#include <stdbool.h>
#include <string.h>

#include <hprof.h>

enum { JSON_LINES_ROOM = 256 << 10, JSON_LINES_PIECE = 1024 };

struct json_lines {
	struct hprof_output *output;
	enum hprof_status status; /* the first failure */
	size_t used;
	char buffer[JSON_LINES_ROOM];
};

void json_lines_flush(struct json_lines *lines);

/*
 * Room for JSON_LINES_PIECE bytes. The caller passes how many it used to
 * json_lines_used.
 */
static inline char *json_lines_room(struct json_lines *lines)
{
	if (lines->used > JSON_LINES_ROOM - JSON_LINES_PIECE)
		json_lines_flush(lines);
	return lines->buffer + lines->used;
}

static inline void json_lines_used(struct json_lines *lines, size_t count)
{
	lines->used += count;
}

/* Writes bytes that are JSON already, at most JSON_LINES_PIECE. */
static inline void json_lines_raw(struct json_lines *lines, const char *text,
				  size_t size)
{
	memcpy(json_lines_room(lines), text, size);
	json_lines_used(lines, size);
}

#define json_lines_literal(lines, text)                                        \
	json_lines_raw((lines), (text), sizeof(text) - 1)

/* Writes ,"KEY": but without the comma if KEY is the first of its object. */
void json_lines_key(struct json_lines *lines, const char *key, bool first);

void json_lines_number(struct json_lines *lines, uint64_t number);
void json_lines_signed(struct json_lines *lines, int64_t number);

/* Writes an identifier as a string: "0x1f". */
void json_lines_id(struct json_lines *lines, uint64_t id);

/* Writes SIZE bytes of UTF-8 as a string; null if TEXT is NULL. */
void json_lines_text(struct json_lines *lines, const char *text, size_t size);

/* Writes text inside a string. */
void json_lines_escaped(struct json_lines *lines, const char *text,
			size_t size);
void json_lines_hex(struct json_lines *lines, const uint8_t *bytes,
		    size_t size);

/* Writes a UTF-16 unit inside a string; a surrogate in the form \uD800. */
void json_lines_unit(struct json_lines *lines, unsigned unit);

/*
 * Writes a value of TYPE, given by its bits; a reference as an identifier, or
 * null.
 */
void json_lines_value(struct json_lines *lines, unsigned type, uint64_t bits);

#endif
