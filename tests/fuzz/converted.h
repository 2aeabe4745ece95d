/* SPDX-License-Identifier: MIT */
/*
 * converted.h - a converted dump has what its options promise: a repaired one
 * no fault for any reader, a redacted one no value that is not 0, one of what
 * is alive nothing else, and none a fault that was not there before.
 */
#ifndef CONVERTED_H
#define CONVERTED_H

#include <hprof.h>

/* The options of a conversion, as bits. */
enum {
	REDACT = 3,  /* enum hprof_redact */
	WIDTH_4 = 4, /* of identifiers */
	WIDTH_8 = 8,
	FORMAT_101 = 16,
	FORMAT_102 = 32,
	REPAIR = 64,
	LIVE = 128,
	NO_ZYGOTE = 256,
	OBFUSCATE = 512, /* and back */
	KEEP = 1024
};

/* Says WHAT does not hold of a conversion with BITS, and aborts. */
void converted_fail(unsigned bits, const char *what);

/*
 * Reads the dump at PATH, which is the one at IN converted with BITS, or options
 * O. Aborts if something does not hold.
 */
void converted_check(const char *in, const char *path, unsigned bits,
		     const struct hprof_convert_options *o);

#endif
