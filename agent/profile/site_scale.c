/* SPDX-License-Identifier: MIT */
/*
 * site_scale.c - see site_scale.h.
 */
#include "agent/profile/site_scale.h"

#include "agent/profile/site_counts.h"

/*
 * The share of objects of this size that are reported: 1 - exp(-size/interval),
 * by its series near 0 and p(2x) = 2p - p*p.
 */
static double share(uint64_t size, uint64_t interval)
{
	double x = (double)size / (double)interval;
	unsigned doublings = 0;
	double p;

	if (x > 40)
		return 1;
	for (; x > 0.01; x /= 2)
		doublings++;
	p = x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4)));
	for (; doublings > 0; doublings--)
		p = p * (2 - p);
	return p;
}

uint64_t ag_site_parts(uint64_t interval, uint64_t size)
{
	if (interval == 0 || size == 0)
		return AG_OBJECT_PARTS;
	return (uint64_t)(AG_OBJECT_PARTS / share(size, interval) + 0.5);
}

uint64_t ag_site_bytes(uint64_t interval, uint64_t size)
{
	if (interval == 0 || size == 0)
		return size;
	return (uint64_t)((double)size / share(size, interval) + 0.5);
}
