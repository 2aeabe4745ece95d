/* SPDX-License-Identifier: MIT */
/*
 * For Criterion in a build with ThreadSanitizer.
 *
 * Criterion maps the memory that its processes share at a random address,
 * 2^45 and up to 2^22 times 2^24 more, and gives up when that is refused.
 * ThreadSanitizer refuses most of that room, which holds its own tables, but
 * leaves it 0x5600'0000'0000 to 0x5680'0000'0000, for programs. So the number
 * that Criterion asks for is one that leads there. Where something else is
 * there it asks again.
 */
#include <stdlib.h>

int rand_r(unsigned int *seed)
{
	enum { FIRST = 0x360000, MOST = 0x7fff };

	*seed = *seed * 1103515245 + 12345;
	return FIRST + (int)(*seed >> 16 & MOST);
}
