/* SPDX-License-Identifier: MIT */
/*
 * fuzz_recipe.c - both directions of recipes. Any bytes become a recipe that
 * assembles to the same bytes; any text assembles or is refused.
 */
#include <stdlib.h>
#include <string.h>

#include <hprof.h>

#include "target.h"

struct buffer {
	uint8_t *bytes;
	size_t size;
	size_t room;
};

static int append(void *user, const void *bytes, size_t size)
{
	struct buffer *buffer = user;

	/* A few bytes of text can ask for much output. */
	if (buffer->size + size > (size_t)64 << 20)
		return -1;
	if (buffer->room - buffer->size < size) {
		size_t room = 2 * buffer->room + size;
		uint8_t *more = realloc(buffer->bytes, room);
		if (more == NULL)
			return -1;
		buffer->bytes = more;
		buffer->room = room;
	}
	if (size > 0)
		memcpy(buffer->bytes + buffer->size, bytes, size);
	buffer->size += size;
	return 0;
}

/* Dump to recipe to dump gives the same bytes, whatever they are. */
static void identity(const uint8_t *bytes, size_t size)
{
	struct buffer text = { 0 }, back = { 0 };
	struct hprof_error error;

	if (hprof_recipe_write(bytes, size, append, &text) == HPROF_OK) {
		if (hprof_recipe_assemble((const char *)text.bytes, text.size,
					  append, &back, &error) != HPROF_OK)
			abort();
		if (back.size != size ||
		    (size > 0 && memcmp(back.bytes, bytes, size) != 0))
			abort();
	}
	free(text.bytes);
	free(back.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct buffer dump = { 0 };
	struct hprof_error error;

	identity(bytes, size);
	hprof_recipe_assemble((const char *)bytes, size, append, &dump, &error);
	/* Repetitions make it long, and so slow. */
	if (dump.size > 0 && dump.size < 1 << 16)
		identity(dump.bytes, dump.size);
	free(dump.bytes);
	return 0;
}
