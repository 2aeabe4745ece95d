/* SPDX-License-Identifier: MIT */
/*
 * diff_name.c - names of classes as they are in every run of a program.
 *
 * Classes that are generated at run time have a counter, an address or random
 * letters in their names. Without these the name tells what the class was
 * generated from, so that all lambdas of a class form one row in a diff.
 */
#include "diff/diff_name.h"

#include <string.h>

#include "base/bits.h"
#include "hprof/diff.h"

/* The variable part of a name, after a mark. */
enum rest {
	REST_DIGITS, /* a number before the end of the name or a '.' */
	REST_HEX,    /* the same, or a '$' */
	REST_WORD    /* letters, digits and underscores */
};

static const struct mark {
	const char *text;
	bool begins; /* at the beginning of a class or package name */
	enum rest rest;
} marks[] = {
	{ "$$Lambda$", false, REST_DIGITS },
	{ "$Proxy", true, REST_DIGITS },
	{ "jdk.proxy", true, REST_DIGITS },
	{ "GeneratedMethodAccessor", true, REST_DIGITS },
	{ "GeneratedConstructorAccessor", true, REST_DIGITS },
	{ "GeneratedSerializationConstructorAccessor", true, REST_DIGITS },
	{ "CGLIB$$", false, REST_HEX },
	{ "$ByteBuddy$", false, REST_WORD },
	{ "$HibernateProxy$", false, REST_WORD },
	{ "$MockitoMock$", false, REST_WORD },
	{ "_$$_jvst", false, REST_WORD },
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_';
}

/*
 * The length of the address or number at the end of a hidden class's NAME, with
 * the character before it; 0 if there is none. Examples: "+0x7f00", "/0x7f00",
 * ".0x7f00", "/1234", ".1234".
 */
static size_t hidden_suffix(const char *name, size_t length)
{
	size_t at = length;

	while (at && is_hex(name[at - 1]))
		at--;
	if (at < length && at > 2 && name[at - 1] == 'x' && name[at - 2] == '0')
		at -= 2;
	else
		for (at = length; at && is_digit(name[at - 1]);)
			at--;
	if (at == length || at < 2 || !strchr("+/.", name[at - 1]))
		return 0;
	return length - at + 1;
}

static bool is_part(char c, enum rest rest)
{
	switch (rest) {
	case REST_DIGITS:
		return is_digit(c);
	case REST_HEX:
		return is_hex(c);
	default:
		return is_word(c);
	}
}

/* The length of the unique part after a mark; 0 if it was no mark. */
static size_t rest_length(const char *name, size_t length, enum rest rest)
{
	size_t size = 0;

	while (size < length && is_part(name[size], rest))
		size++;
	if (size == length || rest == REST_WORD || name[size] == '.' ||
	    (rest == REST_HEX && name[size] == '$'))
		return size;
	return 0;
}

/* The length of TEXT if NAME begins with it; otherwise 0. */
static size_t prefix_length(const char *name, const char *text)
{
	size_t size = 0;

	while (text[size] && name[size] == text[size])
		size++;
	return text[size] ? 0 : size;
}

/* The mark at AT in NAME, if a unique part follows it. */
static const struct mark *find_mark(const char *name, size_t at, size_t length,
				    size_t *ret_rest)
{
	bool begins = !at || name[at - 1] == '.';

	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
		const struct mark *mark = &marks[i];
		size_t behind = at + prefix_length(name + at, mark->text);

		if (behind == at || behind >= length ||
		    (mark->begins && !begins))
			continue;
		*ret_rest =
			rest_length(name + behind, length - behind, mark->rest);
		if (*ret_rest)
			return mark;
	}
	return NULL;
}

/*
 * Nearly all characters of a name begin no mark, and to hold each against all marks
 * would take most of the time of a diff.
 */
struct hp_mark_starts hp_mark_starts_make(void)
{
	struct hp_mark_starts starts = { { 0 } };

	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
		hp_bit_set(starts.bits, (unsigned char)marks[i].text[0]);
	return starts;
}

size_t hp_mark_starts_next(const struct hp_mark_starts *starts,
			   const char *name, size_t at, size_t length)
{
	while (at < length && !hp_bit(starts->bits, (unsigned char)name[at]))
		at++;
	return at;
}

struct output {
	char *out;
	size_t room, size;
};

static void put(struct output *to, const char *text, size_t length)
{
	size_t left = to->size + 1 < to->room ? to->room - 1 - to->size : 0;

	if (left)
		memcpy(to->out + to->size, text, length < left ? length : left);
	to->size += length;
}

/* Writes a mark; "$$Lambda$" ends in a '$' only because of the number. */
static void put_mark(struct output *to, const char *text)
{
	size_t length = strlen(text);

	while (length && text[length - 1] == '$')
		length--;
	put(to, text, length);
}

size_t hprof_diff_name(const char *name, char *out, size_t room)
{
	const struct hp_mark_starts starts = hp_mark_starts_make();
	struct output to = { out, room, 0 };
	size_t all, length;

	if (!name || (!out && room))
		return 0;
	all = length = strlen(name);

	while (length > 2 && !memcmp(name + length - 2, "[]", 2))
		length -= 2;
	size_t stem = length - hidden_suffix(name, length);
	for (size_t i = 0; i < stem;) {
		size_t rest, next;
		const struct mark *mark = find_mark(name, i, stem, &rest);

		if (mark) {
			put_mark(&to, mark->text);
			i += strlen(mark->text) + rest;
			continue;
		}
		next = hp_mark_starts_next(&starts, name, i + 1, stem);
		put(&to, name + i, next - i);
		i = next;
	}
	put(&to, name + length, all - length);
	if (room)
		out[to.size < room ? to.size : room - 1] = 0;
	return to.size;
}
