/* SPDX-License-Identifier: MIT */
/* test_json_check.c - what is JSON, and what only looks like it. */
#include <criterion/criterion.h>
#include <string.h>

#include "tools/common/json_check.h"

Test(json_check, whole)
{
	static const char *const good[] = {
		"{}",
		" [ ] ",
		"0",
		"-1.5e+10",
		"\"\"",
		"null",
		"true",
		"{\"a\":[1,2,{\"b\":null}],\"c\":\"\\u00ff\\n\\\"\"}",
		"[[], {}, \"x\", false]",
	};

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		cr_expect(json_is_whole(good[i]), "%s", good[i]);
}

Test(json_check, broken)
{
	static const char *const bad[] = {
		"",	      " ",	     "{",	  "}",	      "[",
		"[1,]",	      "[,1]",	     "{\"a\"}",	  "{\"a\":}", "{a:1}",
		"{\"a\":1,}", "{} {}",	     "{}x",	  "\"",	      "\"\\",
		"\"\\x\"",    "\"\\u12g4\"", "\"\\u12",	  "01",	      "-",
		"1.",	      "1e",	     ".5",	  "+1",	      "nul",
		"nulll",      "[1 2]",	     "{\"a\" 1}", "\"a\nb\"", "tru",
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		cr_expect(!json_is_whole(bad[i]), "%s", bad[i]);
}

/* The stack of who reads it has an end. */
Test(json_check, deep)
{
	char text[200001];

	memset(text, '[', 100000);
	memset(text + 100000, ']', 100000);
	text[200000] = '\0';
	cr_expect(!json_is_whole(text));
	text[100000 + 64] = '\0';
	cr_expect(json_is_whole(text + 100000 - 64));
	text[100000 + 64] = ']';
	text[100000 + 65] = '\0';
	cr_expect(!json_is_whole(text + 100000 - 65));
}
