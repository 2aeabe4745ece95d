/* SPDX-License-Identifier: MIT */
/*
 * mutate.c - damages a file, the same way each time for the same seed.
 *
 *   mutate SEED IN OUT
 *
 * One to four changes: a bit flipped, a byte replaced by a tag or a limit, a
 * length or count of four bytes replaced, bytes cut out, or bytes doubled, here
 * or elsewhere. So that lengths, ids, types and whole records go wrong.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 20, LONGEST = 256 };

static uint64_t state;

/* Below LIMIT; by the generator xorshift64*. */
static size_t pick(size_t limit)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (size_t)((state * 0x2545f4914f6cdd1dU) >> 33) % limit;
}

static const uint8_t bytes_of_interest[] = { 0,	   1,	 2,    8,    0x0c,
					     0x1c, 0x20, 0x21, 0x22, 0x23,
					     0x2c, 0x7f, 0xff };
static const uint32_t lengths[] = { 0, 1, 16, 0x7fffffff, 0xffffffff };

static size_t change(uint8_t *bytes, size_t size)
{
	size_t at = pick(size), n = 1 + pick(pick(2) ? 16 : LONGEST);
	size_t from = pick(2) ? at : pick(size);
	uint8_t copy[LONGEST];

	if (n > size - at)
		n = size - at;
	switch (pick(5)) {
	case 0:
		bytes[at] ^= (uint8_t)(1 << pick(8));
		return size;
	case 1:
		bytes[at] = bytes_of_interest[pick(sizeof bytes_of_interest)];
		return size;
	case 2:
		if (size - at < 4)
			return size;
		uint32_t length = lengths[pick(sizeof lengths / 4)];
		for (int i = 0; i < 4; i++)
			bytes[at + (size_t)i] =
				(uint8_t)(length >> (24 - 8 * i));
		return size;
	case 3:
		memmove(bytes + at, bytes + at + n, size - at - n);
		return size - n;
	}
	if (n > size - from)
		n = size - from;
	memcpy(copy, bytes + from, n);
	memmove(bytes + at + n, bytes + at, size - at);
	memcpy(bytes + at, copy, n);
	return size + n;
}

int main(int argc, char **argv)
{
	static uint8_t bytes[MOST + 4 * LONGEST];
	FILE *in = argc == 4 ? fopen(argv[2], "rb") : NULL;
	FILE *out = argc == 4 ? fopen(argv[3], "wb") : NULL;

	if (!in || !out) {
		fputs("usage: mutate SEED IN OUT\n", stderr);
		return 2;
	}
	size_t size = fread(bytes, 1, MOST, in);
	state = strtoull(argv[1], NULL, 10) * 0x9e3779b97f4a7c15U + 1;
	pick(1);
	for (size_t left = 1 + pick(4); left > 0 && size > 0; left--)
		size = change(bytes, size);
	fwrite(bytes, 1, size, out);
	fclose(in);
	return fclose(out) == 0 ? 0 : 2;
}
