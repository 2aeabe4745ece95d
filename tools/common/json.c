/* SPDX-License-Identifier: MIT */
/*
 * json.c - see json.h.
 */
#include <assert.h>
#include <inttypes.h>

#include "tools/common/escape.h"
#include "tools/common/json.h"

void json_start(struct json *json, FILE *out)
{
	*json = (struct json){ .out = out };
}

static void new_line(const struct json *json)
{
	putc('\n', json->out);
	for (unsigned i = 0; i < json->depth; i++)
		fputs("  ", json->out);
}

static void put_string(const struct json *json, const char *text)
{
	putc('"', json->out);
	escape_write(json->out, text, ESCAPE_JSON);
	putc('"', json->out);
}

/* Writes what precedes a value: comma, indentation, key. */
static void put_key(struct json *json, const char *key)
{
	/* Members of objects have keys, elements and the outermost value not. */
	assert((key != NULL) ==
	       (json->depth && json->close[json->depth - 1] == '}'));
	if (json->depth) {
		bool *has_members = &json->has_members[json->depth - 1];

		if (*has_members)
			putc(',', json->out);
		if (!json->line_depth)
			new_line(json);
		else if (*has_members)
			putc(' ', json->out);
		*has_members = true;
	}
	if (key) {
		put_string(json, key);
		fputs(": ", json->out);
	}
}

static void begin(struct json *json, const char *key, enum json_layout layout,
		  char open, char close)
{
	assert(json->depth < JSON_DEPTH);
	put_key(json, key);
	putc(open, json->out);
	json->close[json->depth] = close;
	json->has_members[json->depth] = false;
	json->depth++;
	if (layout == JSON_LINE && !json->line_depth)
		json->line_depth = json->depth;
}

void json_begin_object(struct json *json, const char *key,
		       enum json_layout layout)
{
	begin(json, key, layout, '{', '}');
}

void json_begin_array(struct json *json, const char *key,
		      enum json_layout layout)
{
	begin(json, key, layout, '[', ']');
}

void json_end(struct json *json)
{
	bool on_line = json->line_depth != 0;

	assert(json->depth > 0);
	if (json->line_depth == json->depth)
		json->line_depth = 0;
	json->depth--;
	if (!on_line && json->has_members[json->depth])
		new_line(json);
	putc(json->close[json->depth], json->out);
	if (!json->depth)
		putc('\n', json->out);
}

void json_string(struct json *json, const char *key, const char *text)
{
	put_key(json, key);
	if (text)
		put_string(json, text);
	else
		fputs("null", json->out);
}

void json_number(struct json *json, const char *key, uint64_t number)
{
	put_key(json, key);
	fprintf(json->out, "%" PRIu64, number);
}

void json_signed(struct json *json, const char *key, int64_t number)
{
	put_key(json, key);
	fprintf(json->out, "%" PRId64, number);
}

void json_raw(struct json *json, const char *key, const char *number)
{
	put_key(json, key);
	fputs(number, json->out);
}

void json_bool(struct json *json, const char *key, bool value)
{
	put_key(json, key);
	fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key)
{
	put_key(json, key);
	fputs("null", json->out);
}

void json_id(struct json *json, const char *key, uint64_t id)
{
	put_key(json, key);
	fprintf(json->out, "\"0x%" PRIx64 "\"", id);
}
