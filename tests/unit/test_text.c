/* SPDX-License-Identifier: MIT */
/*
 * test_text.c - strings and class names of a dump to and from UTF-8.
 */
#include <criterion/criterion.h>
#include <hprof/text.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

typedef size_t text_fn(const void *bytes, size_t size, char *out, size_t room);

struct text_case {
	const char *in;
	const char *out;
	size_t in_size; /* 0: strlen */
};

#define FFFD "\xef\xbf\xbd"

/* Is OUT, cut behind SIZE bytes, cut between characters? */
static bool whole(const char *out, size_t size)
{
	return ((unsigned char)out[size] & 0xc0) != 0x80;
}

/*
 * Every room: what fits is written and is the start of the whole, the rest of
 * the room stays as it was, the result is always what would be needed.
 */
static void check_rooms(text_fn *convert, const struct text_case *c,
			size_t in_size)
{
	size_t full = strlen(c->out);

	for (size_t room = 0; room <= full + 1; room++) {
		char *out = malloc(room + 1);
		size_t used = room < full ? room : full;
		memset(out, '~', room + 1);
		cr_assert(convert(c->in, in_size, room ? out : NULL, room) ==
				  full,
			  "%s: size", c->in);
		while (used && !whole(c->out, used))
			used--;
		cr_assert(memcmp(out, c->out, used) == 0, "%s", c->in);
		for (size_t i = used; i <= room; i++)
			cr_assert(out[i] == '~', "%s, room %zu: byte %zu",
				  c->in, room, i);
		free(out);
	}
}

static void check(text_fn *convert, const struct text_case *c)
{
	size_t size = c->in_size ? c->in_size : strlen(c->in);
	char out[256] = "";
	/* Of exactly its size, for sanitizers. */
	char *in = malloc(size + 1);
	struct text_case exact = { in, c->out, size };

	memcpy(in, c->in, size);
	in = realloc(in, size ? size : 1);
	exact.in = in;
	cr_assert(convert(in, size, out, sizeof out - 1) == strlen(c->out),
		  "%s: %s", c->in, out);
	cr_assert_str_eq(out, c->out);
	check_rooms(convert, &exact, size);
	free(in);
}

static const struct text_case decode_cases[] = {
	{ "", "", 0 },
	{ "java/lang/Object", "java/lang/Object", 0 },
	/* The same text in modified and in standard UTF-8. */
	{ "A\xc0\x80\xe2\x82\xac\xed\xa0\xbd\xed\xb8\x80",
	  "A\xe2\x90\x80\xe2\x82\xac\xf0\x9f\x98\x80", 0 },
	{ "A\0\xe2\x82\xac\xf0\x9f\x98\x80",
	  "A\xe2\x90\x80\xe2\x82\xac\xf0\x9f\x98\x80", 9 },
	{ "\xc3\xa9\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf",
	  "\xc3\xa9\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf", 0 },
	{ "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
	  "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 0 },
	/* The first and last pairs. */
	{ "\xed\xa0\x80\xed\xb0\x80", "\xf0\x90\x80\x80", 0 },
	{ "\xed\xaf\xbf\xed\xbf\xbf", "\xf4\x8f\xbf\xbf", 0 },
	/* Lone surrogates, also the wrong way round. */
	{ "x\xed\xa0\x80y", "x" FFFD "y", 0 },
	{ "x\xed\xb0\x80y", "x" FFFD "y", 0 },
	{ "\xed\xb8\x80\xed\xa0\xbd", FFFD FFFD, 0 },
	{ "\xed\xa0\xbd\xed\xa0\xbd\xed\xb8\x80", FFFD "\xf0\x9f\x98\x80", 0 },
	{ "\xed\xa0\xbd", FFFD, 0 },
	{ "\xed\xa0\xbd\xed\xb8", FFFD FFFD FFFD, 0 },
	/* One replacement for each byte that fits nowhere. */
	{ "\xff\xfe", FFFD FFFD, 0 },
	{ "\x80", FFFD, 0 },
	{ "cut \xe4\xb8", "cut " FFFD FFFD, 0 },
	{ "\xe4"
	  "A",
	  FFFD "A", 0 },
	{ "\xc1\xbf", FFFD FFFD, 0 },
	{ "\xc0\x81", FFFD FFFD, 0 },
	{ "\xe0\x80\x80", FFFD FFFD FFFD, 0 },
	{ "\xe0\x9f\xbf", FFFD FFFD FFFD, 0 },
	{ "\xf0\x8f\xbf\xbf", FFFD FFFD FFFD FFFD, 0 },
	{ "\xf4\x90\x80\x80", FFFD FFFD FFFD FFFD, 0 },
	{ "\xf5\x80", FFFD FFFD, 0 },
};

Test(text, decode)
{
	for (size_t i = 0; i < sizeof decode_cases / sizeof decode_cases[0];
	     i++)
		check(hprof_text_decode, &decode_cases[i]);
	cr_assert_eq(hprof_text_decode(NULL, 0, NULL, 0), 0);
}

static const struct text_case encode_cases[] = {
	{ "", "", 0 },
	{ "abc", "abc", 0 },
	{ "A\0\xe2\x82\xac\xf0\x9f\x98\x80",
	  "A\xc0\x80\xe2\x82\xac\xed\xa0\xbd\xed\xb8\x80", 9 },
	{ "\xf4\x8f\xbf\xbf", "\xed\xaf\xbf\xed\xbf\xbf", 0 },
	/* This does not accept modified UTF-8. */
	{ "\xc0\x80", FFFD FFFD, 0 },
	{ "\xed\xa0\xbd\xed\xb8\x80", FFFD FFFD, 0 },
	{ "\xff\xe4\xb8", FFFD FFFD FFFD, 0 },
};

Test(text, encode)
{
	for (size_t i = 0; i < sizeof encode_cases / sizeof encode_cases[0];
	     i++) {
		const struct text_case *c = &encode_cases[i];
		size_t size = c->in_size ? c->in_size : strlen(c->in);
		char out[256] = "";
		cr_assert_eq(hprof_text_encode(c->in, size, out, 255),
			     strlen(c->out));
		cr_assert_str_eq(out, c->out);
	}
}

/* The six bytes of a pair of surrogates are one character: all or none. */
Test(text, encode_never_half)
{
	for (size_t room = 0; room < 8; room++) {
		char out[9] = "~~~~~~~~";
		cr_assert_eq(hprof_text_encode("a\xf0\x9f\x98\x80"
					       "b",
					       6, out, room),
			     8);
		cr_assert_eq(out[0], room ? 'a' : '~');
		cr_assert_eq(out[1], room >= 7 ? '\xed' : '~');
		cr_assert_eq(out[7], '~', "not b, since it does not fit");
	}
}

/* Every character but NUL survives both conversions. */
Test(text, every_character)
{
	for (uint32_t code = 1; code <= 0x10ffff; code++) {
		unsigned char in[4];
		char coded[8];
		char out[8];
		size_t size = code < 0x80      ? 1
			      : code < 0x800   ? 2
			      : code < 0x10000 ? 3
					       : 4;
		static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
		if (code == 0xd800)
			code = 0xe000;
		for (size_t i = size; i-- > 1;)
			in[i] = (unsigned char)(0x80 |
						(code >> (6 * (size - 1 - i)) &
						 0x3f));
		in[0] = (unsigned char)(first[size] | code >> (6 * (size - 1)));
		size_t used = hprof_text_encode(in, size, coded, sizeof coded);
		cr_assert_eq(used, size == 4 ? 6 : size);
		cr_assert_eq(hprof_text_decode(coded, used, out, sizeof out),
			     size);
		cr_assert(memcmp(in, out, size) == 0, "U+%x", (unsigned)code);
	}
}

static const struct text_case name_cases[] = {
	{ "", "", 0 },
	{ "java/lang/String", "java.lang.String", 0 },
	{ "java.lang.String", "java.lang.String", 0 },
	{ "java/util/Map$Entry", "java.util.Map$Entry", 0 },
	{ "[I", "int[]", 0 },
	{ "[Z", "boolean[]", 0 },
	{ "[C", "char[]", 0 },
	{ "[F", "float[]", 0 },
	{ "[D", "double[]", 0 },
	{ "[B", "byte[]", 0 },
	{ "[S", "short[]", 0 },
	{ "[[J", "long[][]", 0 },
	{ "[Ljava/lang/String;", "java.lang.String[]", 0 },
	{ "[[Ljava.lang.String;", "java.lang.String[][]", 0 },
	{ "int[][]", "int[][]", 0 },
	{ "java/lang/String[]", "java.lang.String[]", 0 },
	/* Hidden classes: as Class.getName and jcmd show them. */
	{ "a/B$$Lambda$15+0x0000000800c4b020",
	  "a.B$$Lambda$15/0x0000000800c4b020", 0 },
	{ "a/B$$Lambda+0x00007F0012", "a.B$$Lambda/0x00007F0012", 0 },
	{ "a.B$$Lambda/0x00007f0012", "a.B$$Lambda/0x00007f0012", 0 },
	{ "a/B/0x12", "a.B/0x12", 0 },
	{ "[La/B+0x12;", "a.B/0x12[]", 0 },
	/* Not that suffix. */
	{ "a/B+0x", "a.B+0x", 0 },
	{ "a/B+0x12g", "a.B+0x12g", 0 },
	{ "a/0x12/B", "a.0x12.B", 0 },
	{ "a/B+12", "a.B+12", 0 },
	{ "0x12", "0x12", 0 },
	{ "x12", "x12", 0 },
	/* Malformed descriptors stay as they are. */
	{ "[", "[", 0 },
	{ "[[", "[[", 0 },
	{ "[X", "[X", 0 },
	{ "[II", "[II", 0 },
	{ "[L;", "[L;", 0 },
	{ "[La/b", "[La/b", 0 },
	{ "[La;b;", "[La;b;", 0 },
	{ "[La[b;", "[La[b;", 0 },
	{ "[\0", "[\xe2\x90\x80", 2 },
	/* Plain text stays as it is. */
	{ "\xc3\x9cn\xc3\xaf/\xed\xa0\xbd\xed\xb8\x80",
	  "\xc3\x9cn\xc3\xaf.\xf0\x9f\x98\x80", 0 },
	{ "a/\xff", "a." FFFD, 0 },
};

Test(text, class_names)
{
	for (size_t i = 0; i < sizeof name_cases / sizeof name_cases[0]; i++)
		check(hprof_class_name_decode, &name_cases[i]);
}

/* The JVM allows 255 dimensions; more is not a class name. */
Test(text, dimensions)
{
	char in[300];
	char out[1024];

	memset(in, '[', sizeof in);
	in[255] = 'I';
	cr_assert_eq(hprof_class_name_decode(in, 256, out, sizeof out),
		     3 + 2 * 255);
	cr_assert(memcmp(out, "int[][]", 7) == 0);
	in[255] = '[';
	in[256] = 'I';
	cr_assert_eq(hprof_class_name_decode(in, 257, out, sizeof out), 257);
	cr_assert(memcmp(out, in, 257) == 0);
}

/* ---- text that is shown -------------------------------------------------- */

struct range {
	uint32_t first, last;
};

/* Unsafe characters, and their neighbours, which are safe. */
Test(text, unsafe_characters)
{
	static const struct range ranges[] = {
		{ 0x7f, 0x9f },	    { 0xad, 0xad },	  { 0x61c, 0x61c },
		{ 0x200b, 0x200f }, { 0x2028, 0x202e },	  { 0x2060, 0x206f },
		{ 0xd800, 0xdfff }, { 0xfeff, 0xfeff },	  { 0xfffe, 0xffff },
		{ 0x3164, 0x3164 }, { 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
		const struct range *r = &ranges[i];
		cr_assert(!hprof_char_is_unsafe(r->first - 1), "%x", r->first);
		cr_assert(hprof_char_is_unsafe(r->first), "%x", r->first);
		cr_assert(hprof_char_is_unsafe(r->last), "%x", r->last);
		cr_assert(!hprof_char_is_unsafe(r->last + 1), "%x", r->last);
	}
	cr_assert(hprof_char_is_unsafe(0) && hprof_char_is_unsafe(0x1f));
	cr_assert(!hprof_char_is_unsafe(' '));
}

static void check_escaped(const char *in, const char *wanted)
{
	char out[256];

	hp_text_escape(in, strlen(in), out, sizeof out);
	cr_assert_str_eq(out, wanted);
}

/* The texts of errors escape by the same rule as the programs. */
Test(text, escaped_for_errors)
{
	check_escaped("a\xc3\xa9/b c", "a\xc3\xa9/b c");
	check_escaped("a\x1b[0m\\", "a\\x1b[0m\\x5c");
	check_escaped("\xff\xc3", "\\xff\\xc3");
	/* Right-to-left override, zero width space, soft hyphen. */
	check_escaped("a\xe2\x80\xae", "a\\xe2\\x80\\xae");
	check_escaped("a\xe2\x80\x8b", "a\\xe2\\x80\\x8b");
	check_escaped("a\xc2\xad", "a\\xc2\\xad");
	/* A pair of surrogates is no UTF-8. */
	check_escaped("\xed\xa0\xbd\xed\xb8\x80",
		      "\\xed\\xa0\\xbd\\xed\\xb8\\x80");
	check_escaped("\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80");
}
