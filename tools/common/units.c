/* SPDX-License-Identifier: MIT */
/*
 * units.c - see units.h.
 *
 * gmtime is not used: it is not thread-safe, and a dump may have any of 2^64
 * values as its time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/common/units.h"

const char *units_count(uint64_t count, char out[UNITS_MAX])
{
	char digits[UNITS_MAX];
	size_t length =
		(size_t)snprintf(digits, sizeof(digits), "%" PRIu64, count);
	char *to = out;

	for (size_t i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = 0;
	return out;
}

const char *units_bytes(uint64_t bytes, char out[UNITS_MAX])
{
	static const char prefixes[] = "KMGTPE";
	unsigned power = 0;
	double value = (double)bytes;

	if (bytes < 1024) {
		snprintf(out, UNITS_MAX, "%" PRIu64 " byte%s", bytes,
			 bytes == 1 ? "" : "s");
		return out;
	}
	/* 1023.995 and more would be printed as 1024.00. */
	for (value /= 1024; value >= 1023.995; value /= 1024)
		power++;
	snprintf(out, UNITS_MAX, "%.2f %ciB", value, prefixes[power]);
	return out;
}

const char *units_share(uint64_t part, uint64_t whole, char out[UNITS_MAX])
{
	if (whole)
		snprintf(out, UNITS_MAX, "%.1f%%",
			 100.0 * (double)part / (double)whole);
	else
		memcpy(out, "-", 2);
	return out;
}

const char *units_change(uint64_t before, uint64_t after, char out[UNITS_MAX])
{
	out[0] = after > before ? '+' : '-';
	units_count(after > before ? after - before : before - after,
		    out + (before != after));
	return out;
}

/* A percentage of hundreds of thousands says no more than "very much". */
static const char *units_factor(double factor, char out[UNITS_MAX])
{
	/* 999.5 would be printed as 1000. */
	if (factor >= 999.5)
		memcpy(out, ">x1000", 7);
	else
		snprintf(out, UNITS_MAX, "x%.*f", factor < 99.95, factor);
	return out;
}

const char *units_growth(uint64_t before, uint64_t after, char out[UNITS_MAX])
{
	if (!before) {
		memcpy(out, after ? "new" : "-", after ? 4 : 2);
		return out;
	}
	if (after / before >= 10)
		return units_factor((double)after / (double)before, out);
	snprintf(out, UNITS_MAX, "%+.1f%%",
		 100 * ((double)after - (double)before) / (double)before);
	return out;
}

const char *units_duration(uint64_t seconds, char out[UNITS_MAX])
{
	uint64_t hours = seconds / 3600;
	unsigned minutes = (unsigned)(seconds / 60 % 60);

	if (hours)
		snprintf(out, UNITS_MAX, "%" PRIu64 ":%02u:%02u", hours,
			 minutes, (unsigned)(seconds % 60));
	else
		snprintf(out, UNITS_MAX, "%u:%02u", minutes,
			 (unsigned)(seconds % 60));
	return out;
}
