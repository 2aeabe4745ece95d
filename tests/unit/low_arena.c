/* SPDX-License-Identifier: MIT */
/*
 * low_arena.c - lets Criterion run in a build with ThreadSanitizer.
 *
 * Criterion maps the memory that its processes share at a random address, 2^45
 * plus rand_r() times 2^24, and gives up if that fails. ThreadSanitizer keeps
 * most of that range for its own tables, but leaves 0x5600'0000'0000 to
 * 0x5680'0000'0000 to programs. This rand_r() gives numbers that lead there;
 * where something else is mapped, Criterion asks again.
 */
#include <stdlib.h>

int rand_r(unsigned int *seed)
{
	enum { FIRST = 0x360000, MOST = 0x7fff };

	*seed = *seed * 1103515245 + 12345;
	return FIRST + (int)(*seed >> 16 & MOST);
}
