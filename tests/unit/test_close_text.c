/* SPDX-License-Identifier: MIT */
/* test_close_text.c - a text that is not whole is not taken for one. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/common/cli.h"

Test(close_text, whole)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	cr_assert_not_null(out);
	fputs("whole", out);
	cr_assert(cli_close_text(out, &text));
	cr_assert_str_eq(text, "whole");
	free(text);
}

/* As when memory ran out while it was written: that it closes is no sign. */
Test(close_text, written_in_part)
{
	char small[4], *text = small;
	FILE *out = fmemopen(small, sizeof small, "w");

	cr_assert_not_null(out);
	setvbuf(out, NULL, _IONBF, 0);
	fputs("much too long", out);
	cr_assert_not(cli_close_text(out, &text));
}

/* As when memory runs out while it is closed. */
Test(close_text, none)
{
	char *text = NULL;
	FILE *out = fopen("/dev/null", "w");

	cr_assert_not_null(out);
	cr_assert_not(cli_close_text(out, &text));
}
