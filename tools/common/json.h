/* SPDX-License-Identifier: MIT */
/*
 * json.h - writes JSON (RFC 8259) while it is called; nothing stays in memory.
 *
 * Members of an object appear in the order of the calls. KEY is NULL for the
 * elements of an array and for the outermost value. An object or array that was
 * begun with JSON_LINE stays on one line with everything in it, for rows of
 * tables.
 */
#ifndef TOOLS_JSON_H
#define TOOLS_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum json_layout { JSON_BLOCK, JSON_LINE };

#define JSON_DEPTH 16

struct json {
	FILE *out;
	unsigned depth;
	unsigned line_depth;	      /* depth of the open JSON_LINE; 0: none */
	char close[JSON_DEPTH];	      /* closing bracket of each level */
	bool has_members[JSON_DEPTH]; /* of each level */
};

void json_start(struct json *json, FILE *out);

void json_begin_object(struct json *json, const char *key,
		       enum json_layout layout);
void json_begin_array(struct json *json, const char *key,
		      enum json_layout layout);
/* Ends an object or array. The outermost one also ends the line. */
void json_end(struct json *json);

/* TEXT is escaped; NULL gives null. */
void json_string(struct json *json, const char *key, const char *text);
void json_number(struct json *json, const char *key, uint64_t number);
void json_signed(struct json *json, const char *key, int64_t number);
void json_raw(struct json *json, const char *key, const char *number);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/* "0x1f", as a string: JSON numbers are exact only up to 2^53. */
void json_id(struct json *json, const char *key, uint64_t id);

#endif
