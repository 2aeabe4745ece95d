/* SPDX-License-Identifier: MIT */
/*
 * shorten.c - see shorten.h.
 *
 * The text is laid out under three limits: how many package parts keep one letter
 * only, how many names lose their package, and how many columns a word may have.
 * All are as mild as the width allows, and the next one is tried only where those
 * before it are not enough. Less never takes more columns, so a binary search
 * finds them; its passes end where the text no longer fits.
 *
 * A word of a package is told by its form alone, since labels are made of many
 * pieces: it does not begin with a capital or a digit, and another word follows
 * its dot. The last word is the class, also if it begins with a small letter;
 * before a "(" it is the method, and the one before it the class. A package is left
 * out only before a class that looks like one: of "a.b.c.d" it may be the class.
 *
 * A plain word of a sentence stays whole: in pieces nobody can read it. A text in
 * quotes is one word, and may have twice the columns of others: it is what tells
 * one row of a map from the next.
 */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/char_width.h"
#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/escape.h"
#include "tools/common/shorten.h"

/* Words are not made shorter than that. */
#define WORD_LEAST 7
#define DOTS 3
/* Of a longer text, and one that is eight times as wide as its place, the middle is
   not looked at. */
#define TEXT_LEAST 2000

static const char dots[] = "...";

struct limits {
	size_t parts; /* package parts of which one letter remains */
	size_t names; /* of which no package remains */
	size_t word;  /* columns of a word */
};

/* Where the text goes, and what it takes so far. */
struct line {
	char *out;   /* NULL: it is only measured */
	size_t most; /* columns after which the rest does not matter */
	size_t used, columns;
};

static bool is_word(char c)
{
	switch (c) {
	case '\0':
	case ' ':
	case '\t':
	case '"':
	case '\'':
	case '@':
	case '(':
	case ')':
	case '<':
	case '>':
	case '[':
	case ']':
	case '{':
	case '}':
	case ',':
	case ':':
	case ';':
	case '=':
	case '.':
	case '#':
	case '/':
		return false;
	default:
		return true;
	}
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool can_begin_part(char c)
{
	return is_word(c) && !is_digit(c) && !(c >= 'A' && c <= 'Z');
}

static const char *word_end(const char *at)
{
	while (is_word(*at))
		at++;
	return at;
}

/* The length of the character at AT, and the columns it takes. */
static size_t measure(const char *at, size_t size, size_t *ret_columns)
{
	uint32_t point = 0;
	size_t length;

	*ret_columns = 1;
	if (size && *at >= ' ' && *at <= '~') /* nearly always */
		return 1;
	length = escape_decode(at, size, &point);
	*ret_columns = length ? char_width(point) : 1;
	return length ? length : 1;
}

static size_t columns_of(const char *at, const char *end)
{
	size_t columns = 0;

	while (at < end) {
		size_t width;

		at += measure(at, (size_t)(end - at), &width);
		columns += width;
	}
	return columns;
}

static void put(struct line *line, const char *from, const char *to)
{
	size_t size = (size_t)(to - from);

	if (line->out)
		memcpy(line->out + line->used, from, size);
	line->used += size;
	line->columns += columns_of(from, to);
}

/*
 * Moves from AT by at most COLUMNS columns. A character that joins the one
 * before it goes with that.
 */
static const char *skip_columns(const char *at, const char *end, size_t columns)
{
	while (at < end) {
		size_t width, length = measure(at, (size_t)(end - at), &width);

		if (width > columns)
			break;
		columns -= width;
		at += length;
	}
	return at;
}

/* Moves behind the character at AT and those that join it. */
static const char *skip_character(const char *at, const char *end)
{
	size_t width;

	at += measure(at, (size_t)(end - at), &width);
	return skip_columns(at, end, 0);
}

/* Are there dots that would run into those of a cut? */
static const char *before_dots(const char *from, const char *at)
{
	while (at > from && at[-1] == '.')
		at--;
	return at;
}

static const char *behind_dots(const char *at, const char *to)
{
	while (at < to && *at == '.')
		at++;
	return at;
}

/* Puts the text with dots for its middle. */
static void put_cut(struct line *line, const char *from, const char *to,
		    size_t limit)
{
	size_t columns = columns_of(from, to), tail = (limit - DOTS) / 2;
	const char *head_end, *tail_start;

	assert(limit >= DOTS && columns > limit);
	head_end = skip_columns(from, to, limit - DOTS - tail);
	tail_start = skip_columns(from, to, columns - tail);
	/* A wide character across the limit is left out. */
	if (columns_of(tail_start, to) > tail)
		tail_start = skip_character(tail_start, to);
	put(line, from, before_dots(from, head_end));
	put(line, dots, dots + DOTS);
	put(line, behind_dots(tail_start, to), to);
}

/*
 * The end of the package, with its last dot, of the name that begins at AT; AT
 * if it has none.
 */
static const char *package_end(const char *at)
{
	const char *ends[2] = { at, at }, *part = at, *end;

	while (can_begin_part(*part)) {
		end = word_end(part);
		if (*end != '.' || !is_word(end[1]) || is_digit(end[1]))
			break;
		part = end + 1;
		ends[0] = ends[1];
		ends[1] = part;
	}
	end = word_end(part);
	if (*end == ':' && is_digit(end[1]))
		return at; /* a file and a line */
	return *end == '(' ? ends[0] : ends[1];
}

/* Is it of a sentence in TEXT: small letters, and no part of a longer name? */
static bool is_plain(const char *text, const char *at, const char *end)
{
	if ((at > text && !strchr(" (", at[-1])) ||
	    (*end && !strchr(" :,;)", *end)))
		return false;
	while (at < end && *at >= 'a' && *at <= 'z')
		at++;
	return at == end;
}

static void put_word(struct line *line, const char *text, const char *at,
		     const char *end, size_t limit)
{
	if (columns_of(at, end) > limit && !is_digit(*at) &&
	    !is_plain(text, at, end))
		put_cut(line, at, end, limit);
	else
		put(line, at, end);
}

/* The quote that ends the text behind AT, or the end of all. */
static const char *text_end(const char *at)
{
	while (*at && *at != '"')
		at += at[0] == '\\' && at[1] ? 2 : 1;
	return at;
}

/* Puts a text with its quotes; returns what follows. */
static const char *put_text(struct line *line, const char *quote, size_t word)
{
	const char *from = quote + 1, *to = text_end(from);
	size_t limit = word > SIZE_MAX / 2 ? word : 2 * word;

	put(line, quote, from);
	if (columns_of(from, to) > limit)
		put_cut(line, from, to, limit);
	else
		put(line, from, to);
	if (!*to)
		return to;
	put(line, to, to + 1);
	return to + 1;
}

/* Is what follows a package the name of a class? */
static bool is_class(const char *at)
{
	return is_word(*at) && !can_begin_part(*at);
}

static void lay_out(struct line *line, const char *text,
		    const struct limits *limits)
{
	const char *at = text, *package = text;
	size_t parts = limits->parts, names = limits->names;

	while (*at && line->columns <= line->most) {
		const char *end = word_end(at);

		if (*at == '"') {
			at = put_text(line, at, limits->word);
			continue;
		}
		if (end == at) {
			put(line, at, at + 1);
			at++;
			continue;
		}
		if (at == text || at[-1] != '.') {
			package = package_end(at);
			if (names && at < package && is_class(package)) {
				names--;
				at = package;
				continue;
			}
		}
		if (at < package && parts) {
			put(line, at, skip_character(at, end));
			parts--;
		} else {
			put_word(line, text, at, end, limits->word);
		}
		at = end;
	}
}

static bool fits(const char *text, struct limits limits, size_t columns)
{
	struct line line = { .most = columns };

	lay_out(&line, text, &limits);
	return line.columns <= columns;
}

/* How many packages there may be at most, and parts of them. */
static size_t count_dots(const char *text)
{
	size_t count = 1;

	for (const char *at = text; *at; at++)
		count += *at == '.';
	return count;
}

/* The least LIMIT, one of LIMITS, that fits, or MOST. */
static void find_least(const char *text, struct limits *limits, size_t *limit,
		       size_t most, size_t columns)
{
	size_t low = 0, high = most;

	while (low < high) {
		*limit = low + (high - low) / 2;
		if (fits(text, *limits, columns))
			high = *limit;
		else
			low = *limit + 1;
	}
	*limit = low;
}

/* The longest words that fit, or the shortest that are allowed. */
static void find_word(const char *text, struct limits *limits, size_t columns)
{
	size_t low = WORD_LEAST, high = columns > low ? columns : low;

	while (low < high) {
		limits->word = low + (high - low + 1) / 2;
		if (fits(text, *limits, columns))
			low = limits->word;
		else
			high = limits->word - 1;
	}
	limits->word = low;
}

static struct limits find_limits(const char *text, size_t columns)
{
	struct limits limits = { 0, 0, SIZE_MAX };
	size_t most = count_dots(text);

	find_least(text, &limits, &limits.parts, most, columns);
	if (!fits(text, limits, columns))
		find_least(text, &limits, &limits.names, most, columns);
	if (!fits(text, limits, columns))
		find_word(text, &limits, columns);
	return limits;
}

/*
 * Where the number or identifier begins that AT is inside of; AT if it is in
 * none. The "@" of an identifier belongs to it.
 */
static const char *number_start(const char *text, const char *at)
{
	const char *start = at;

	while (start > text && (is_word(start[-1]) || start[-1] == ','))
		start--;
	if (!is_digit(*start) || start == at)
		start = at;
	return start > text && start[-1] == '@' ? start - 1 : start;
}

/* Puts a text with dots for its middle, where that has no number in pieces. */
static void put_middle_cut(struct line *line, const char *from, const char *to,
			   size_t limit)
{
	size_t columns = columns_of(from, to);
	const char *tail = skip_columns(from, to, columns - (limit - DOTS) / 2);
	const char *start = number_start(from, tail), *end;
	size_t left = columns_of(start, to);

	if (start == tail || left + DOTS > limit) {
		put_cut(line, from, to, limit);
		return;
	}
	end = skip_columns(from, start, limit - DOTS - left);
	put(line, from, before_dots(from, number_start(from, end)));
	put(line, dots, dots + DOTS);
	put(line, start, to);
}

/* TEXT, whose length is SIZE, without its middle: in LIMIT columns. */
static char *without_middle(const char *text, size_t size, size_t limit)
{
	struct line cut = { 0 };

	cut.out = cli_calloc(size + 1, 1);
	put_middle_cut(&cut, text, text + size, limit);
	return cut.out;
}

/*
 * The names of hostile dumps have 65,535 characters, and the searches lay the text
 * out some twenty times: what can be no part of the result is left out before.
 */
static size_t columns_most(size_t columns)
{
	return columns < SIZE_MAX / 8 && 8 * columns > TEXT_LEAST ? 8 * columns
								  : TEXT_LEAST;
}

char *shorten_text(const char *text, size_t columns)
{
	size_t size = strlen(text), width = columns_of(text, text + size);
	struct line line = { .most = SIZE_MAX };
	struct limits limits;
	char *shorter;

	if (width <= columns)
		return cli_strdup(text);
	if (width > columns_most(columns)) {
		shorter = without_middle(text, size, columns_most(columns));
		line.out = shorten_text(shorter, columns);
		free(shorter);
		return line.out;
	}
	limits = find_limits(text, columns);
	/* Dots replace at least four columns, so it never grows. */
	line.out = cli_calloc(size + 1, 1);
	lay_out(&line, text, &limits);
	assert(line.used <= size);
	if (line.columns <= columns || columns < DOTS)
		return line.out;
	shorter = without_middle(line.out, line.used, columns);
	free(line.out);
	return shorter;
}

size_t shorten_least(const char *text, size_t word)
{
	size_t most = count_dots(text);
	struct limits limits = { most, most, word };
	struct line line = { .most = SIZE_MAX };

	lay_out(&line, text, &limits);
	return line.columns;
}

char *shorten_file(const char *path, size_t columns)
{
	size_t size = strlen(path), width = columns_of(path, path + size);
	const char *tail;

	if (width <= columns || columns <= DOTS)
		return cli_strdup(path);
	tail = skip_columns(path, path + size, width - (columns - DOTS));
	/* A wide character across the limit is left out. */
	if (columns_of(tail, path + size) > columns - DOTS)
		tail = skip_character(tail, path + size);
	return describe_format("%s%s", dots, tail);
}
