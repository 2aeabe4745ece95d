/* SPDX-License-Identifier: MIT */
/*
 * perfdata.h - the counters that a HotSpot JVM keeps in a file for jstat:
 * /tmp/hsperfdata_USER/PID.
 *
 * A header and a chain of entries, each with a name and a 64-bit number or a
 * string. The JVM writes while we read, and the file may be another user's, so
 * each look-up checks the offsets.
 */
#ifndef TOOLS_PERFDATA_H
#define TOOLS_PERFDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfdata {
	const uint8_t *bytes; /* borrowed */
	size_t size;
	bool big_endian;
	uint32_t first; /* offset of the first entry */
	uint32_t count;
};

/* False if BYTES are no such file, or of a JVM that has only just started. */
bool perfdata_open(struct perfdata *perfdata, const void *bytes, size_t size);

bool perfdata_number(const struct perfdata *perfdata, const char *name,
		     uint64_t *ret_number);

/* Copies the string with a NUL, cut to ROOM. */
bool perfdata_text(const struct perfdata *perfdata, const char *name, char *out,
		   size_t room);

struct perfdata_heap {
	uint64_t used;	   /* as of the last collection */
	uint64_t capacity; /* what is reserved from the system */
	uint64_t most;	   /* that it may grow to; 0: unknown */
};

bool perfdata_get_heap(const struct perfdata *perfdata,
		       struct perfdata_heap *ret_heap);

struct perfdata_pauses {
	uint64_t time_ns; /* spent at safepoints since the JVM's start */
	uint64_t count;
};

bool perfdata_get_pauses(const struct perfdata *perfdata,
			 struct perfdata_pauses *ret_pauses);

#endif
