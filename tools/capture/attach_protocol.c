/* SPDX-License-Identifier: MIT */
/*
 * attach_protocol.c - see attach_protocol.h.
 *
 * HotSpot has only ever added to its messages, so this code searches them for
 * phrases and never depends on their layout.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "tools/capture/attach_protocol.h"

/* ---- requests ----------------------------------------------------------- */

bool attach_fits_v1(const char *const *arguments, size_t count)
{
	if (count > ATTACH_V1_ARGUMENTS)
		return false;
	for (size_t i = 0; i < count; i++)
		if (strlen(arguments[i]) > ATTACH_V1_LONGEST)
			return false;
	return true;
}

/*
 * A growing sequence of NUL-terminated strings. Once it is too long, it stays
 * marked as such.
 */
struct request {
	char *out;
	size_t room, used;
	bool failed;
};

static void add(struct request *r, const char *text)
{
	size_t size = strlen(text) + 1;

	if (r->failed || size > r->room - r->used) {
		r->failed = true;
		return;
	}
	memcpy(r->out + r->used, text, size);
	r->used += size;
}

size_t attach_request_v1(const char *command, const char *const *arguments,
			 size_t count, char *out, size_t room)
{
	struct request r = { .out = out, .room = room };

	if (!attach_fits_v1(arguments, count))
		return 0;
	add(&r, "1");
	add(&r, command);
	for (size_t i = 0; i < ATTACH_V1_ARGUMENTS; i++)
		add(&r, i < count ? arguments[i] : "");
	return r.failed ? 0 : r.used;
}

size_t attach_request_v2(const char *command, const char *const *arguments,
			 size_t count, char *out, size_t room)
{
	struct request r = { .out = out, .room = room };
	size_t size = strlen(command) + 1;
	char number[24];

	for (size_t i = 0; i < count; i++)
		size += strlen(arguments[i]) + 1;
	if (size > ATTACH_V2_MOST)
		return 0;
	snprintf(number, sizeof(number), "%zu", size);
	add(&r, "2");
	add(&r, number);
	add(&r, command);
	for (size_t i = 0; i < count; i++)
		add(&r, arguments[i]);
	return r.failed ? 0 : r.used;
}

/* ---- replies ------------------------------------------------------------ */

/* Parses a number at *AT, before END, and moves *AT past it. */
static bool take_number(const char **at, const char *end, int *ret_number)
{
	const char *p = *at;
	bool negative = p < end && *p == '-';
	int number = 0;

	p += negative;
	if (p == end || *p < '0' || *p > '9')
		return false;
	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		if (number > (INT_MAX - 9) / 10)
			return false;
		number = number * 10 + (*p - '0');
	}
	*at = p;
	*ret_number = negative ? -number : number;
	return true;
}

bool attach_parse_reply(const char *bytes, size_t size,
			struct attach_reply *ret_reply)
{
	const char *at = bytes, *end = bytes + size;
	int code;

	if (!take_number(&at, end, &code))
		return false;
	if (at < end && *at == '\r')
		at++;
	if (at == end || *at != '\n')
		return false;
	at++;
	*ret_reply = (struct attach_reply){ code, at, (size_t)(end - at) };
	return true;
}

/* Where TEXT begins in the reply, or NULL. */
static const char *find(const struct attach_reply *reply, const char *text)
{
	return memmem(reply->text, reply->size, text, strlen(text));
}

/* The end of TEXT in the reply, or NULL. */
static const char *find_end(const struct attach_reply *reply, const char *text)
{
	const char *at = find(reply, text);

	return at ? at + strlen(text) : NULL;
}

unsigned attach_version(const struct attach_reply *reply)
{
	const char *at = reply->text;
	int version;

	if (reply->code != 0 ||
	    !take_number(&at, reply->text + reply->size, &version) ||
	    version < 1)
		return 1;
	return (unsigned)version;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '-';
}

/* Matches whole words: "-over" is not in "-overwrite". */
bool attach_help_has(const struct attach_reply *reply, const char *option)
{
	size_t length = strlen(option);
	const char *end = reply->text + reply->size;

	for (const char *p = reply->text; (size_t)(end - p) >= length; p++)
		if (memcmp(p, option, length) == 0 &&
		    (p == reply->text || !is_word(p[-1])) &&
		    (p + length == end || !is_word(p[length])))
			return true;
	return false;
}

enum attach_dump_result attach_dump_result(const struct attach_reply *reply,
					   uint64_t *ret_bytes)
{
	const char *end = reply->text + reply->size;
	const char *p = find_end(reply, "Heap dump file created");
	uint64_t bytes = 0;

	*ret_bytes = 0;
	if (!p)
		return find(reply, "File exists") ? ATTACH_DUMP_EXISTS
						  : ATTACH_DUMP_FAILED;
	while (p < end && (*p == ' ' || *p == '['))
		p++;
	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		if (bytes > (UINT64_MAX - 9) / 10)
			return ATTACH_DUMP_MADE;
		bytes = bytes * 10 + (uint64_t)(*p - '0');
	}
	*ret_bytes = bytes;
	return ATTACH_DUMP_MADE;
}

/*
 * "return code: N" exists from JDK 9 on. Before, the code of the reply is that
 * of Agent_OnAttach, and there is no text.
 */
enum attach_load_result attach_load_result(const struct attach_reply *reply,
					   int *ret_code)
{
	const char *p = find_end(reply, "return code: ");

	*ret_code = reply->code;
	if (p && take_number(&p, reply->text + reply->size, ret_code))
		return *ret_code == 0 ? ATTACH_LOADED : ATTACH_LOAD_FAILED;
	if (find(reply, "ynamic agent loading is not enabled") ||
	    find(reply, "EnableDynamicAgentLoading"))
		return ATTACH_LOAD_REFUSED;
	if (reply->size == 0)
		return reply->code == 0 ? ATTACH_LOADED : ATTACH_LOAD_FAILED;
	return ATTACH_LOAD_MISSING;
}

/* ---- for people --------------------------------------------------------- */

/* The last line between AT and END that is not empty. */
static const char *last_line(const char *at, const char *end, size_t *ret_size)
{
	const char *begin;

	while (end > at &&
	       (end[-1] == '\n' || end[-1] == '\r' || end[-1] == ' '))
		end--;
	for (begin = end; begin > at && begin[-1] != '\n'; begin--)
		;
	*ret_size = (size_t)(end - begin);
	return begin;
}

void attach_reply_line(const struct attach_reply *reply, char *out, size_t room)
{
	const char *end = reply->text + reply->size;
	const char *line = find_end(reply, "Exception: ");
	size_t size;

	if (line) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		size = (size_t)((stop ? stop : end) - line);
	} else {
		line = last_line(reply->text, end, &size);
	}
	if (size >= room)
		size = room - 1;
	memcpy(out, line, size);
	out[size] = '\0';
}
