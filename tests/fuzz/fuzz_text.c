/* SPDX-License-Identifier: MIT */
/*
 * fuzz_text.c - strings of a dump. What is measured is what is written, the
 * output is never half a character, and encoding undoes decoding.
 */
#include <stdlib.h>
#include <string.h>

#include <hprof.h>

#include "target.h"

typedef size_t text_fn(const void *bytes, size_t size, char *out, size_t room);

/* The output of CONVERT, in memory of exactly its size. */
static char *convert(text_fn *function, const void *bytes, size_t size,
		     size_t *ret_size)
{
	size_t need = function(bytes, size, NULL, 0);
	char *out = malloc(need + (need == 0));

	if (out == NULL)
		exit(2);
	if (function(bytes, size, out, need) != need)
		abort();
	*ret_size = need;
	return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	size_t text_size, coded_size, again_size, name_size;
	char *text = convert(hprof_text_decode, bytes, size, &text_size);
	char *coded = convert(hprof_text_encode, text, text_size, &coded_size);
	char *again =
		convert(hprof_text_decode, coded, coded_size, &again_size);

	if (again_size != text_size || memcmp(text, again, text_size) != 0)
		abort();
	/* With less room, a prefix is written. */
	if (text_size > 0) {
		char *part = malloc(text_size);
		if (part == NULL)
			exit(2);
		if (hprof_text_decode(bytes, size, part, text_size - 1) !=
		    text_size)
			abort();
		free(part);
	}
	free(convert(hprof_class_name_decode, bytes, size, &name_size));
	free(again);
	free(coded);
	free(text);
	return 0;
}
