/* SPDX-License-Identifier: MIT */
/* json_check.c - see json_check.h. Each part moves on, or to a NULL for ever. */
#include "tools/common/json_check.h"

#include <stddef.h>
#include <string.h>

enum { MOST_LEVELS = 64 };

static const char *skip_value(const char *p, int levels);

static const char *skip_blanks(const char *p)
{
	return p ? p + strspn(p, " \t\n\r") : NULL;
}

/* What comes next, with blanks around it. */
static const char *skip_char(const char *p, char c)
{
	p = skip_blanks(p);
	return p && *p == c ? skip_blanks(p + 1) : NULL;
}

static const char *skip_escape(const char *p)
{
	if (*p == 'u')
		return strspn(p + 1, "0123456789abcdefABCDEF") >= 4 ? p + 5
								    : NULL;
	return *p && strchr("\"\\/bfnrt", *p) ? p + 1 : NULL;
}

static const char *skip_string(const char *p)
{
	if (!p || *p++ != '"')
		return NULL;
	while (p && *p != '"') {
		if ((unsigned char)*p < ' ')
			return NULL;
		p = *p == '\\' ? skip_escape(p + 1) : p + 1;
	}
	return p ? skip_blanks(p + 1) : NULL;
}

static const char *skip_digits(const char *p)
{
	const size_t n = p ? strspn(p, "0123456789") : 0;

	return n > 0 ? p + n : NULL;
}

static const char *skip_number(const char *p)
{
	p += *p == '-';
	p = *p == '0' ? p + 1 : skip_digits(p);
	if (p && *p == '.')
		p = skip_digits(p + 1);
	if (p && (*p == 'e' || *p == 'E')) {
		p++;
		p += *p == '+' || *p == '-';
		p = skip_digits(p);
	}
	return skip_blanks(p);
}

static const char *skip_word(const char *p)
{
	static const char *const words[] = { "true", "false", "null" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strncmp(p, words[i], strlen(words[i])))
			return skip_blanks(p + strlen(words[i]));
	return skip_number(p);
}

/* Members of an object, or elements of an array, up to END. */
static const char *skip_list(const char *p, char end, int levels)
{
	p = skip_blanks(p + 1);
	if (*p == end)
		return skip_blanks(p + 1);
	for (;;) {
		if (end == '}')
			p = skip_char(skip_string(p), ':');
		p = skip_value(p, levels - 1);
		if (!p || *p != ',')
			return skip_char(p, end);
		p = skip_blanks(p + 1);
	}
}

static const char *skip_value(const char *p, int levels)
{
	if (!p || levels == 0)
		return NULL;
	if (*p == '{')
		return skip_list(p, '}', levels);
	if (*p == '[')
		return skip_list(p, ']', levels);
	return *p == '"' ? skip_string(p) : skip_word(p);
}

bool json_is_whole(const char *text)
{
	const char *end = skip_value(skip_blanks(text), MOST_LEVELS);

	return end && *end == '\0';
}
