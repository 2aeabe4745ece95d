/* SPDX-License-Identifier: MIT */
/*
 * units.h - numbers and times as text for people, the same in every locale.
 *
 * Each function fills OUT (UNITS_MAX bytes) and returns it.
 */
#ifndef TOOLS_UNITS_H
#define TOOLS_UNITS_H

#include <stdint.h>

#define UNITS_MAX 40

/* "11,048,799" */
const char *units_count(uint64_t count, char out[UNITS_MAX]);

/* "10.54 MiB"; "999 bytes" below 1 KiB */
const char *units_bytes(uint64_t bytes, char out[UNITS_MAX]);

/* "25.5%" of WHOLE; "-" if that is 0 */
const char *units_share(uint64_t part, uint64_t whole, char out[UNITS_MAX]);

/* The change from BEFORE to AFTER: "+1,024", "-5", "0" */
const char *units_change(uint64_t before, uint64_t after, char out[UNITS_MAX]);

/*
 * The same in percent: "+12.5%", "-100.0%"; "new" if BEFORE is 0. From tenfold on
 * the factor, "x17.2", and ">x1000" for what is beyond that.
 */
const char *units_growth(uint64_t before, uint64_t after, char out[UNITS_MAX]);

/* "1:02:03", "4:05" */
const char *units_duration(uint64_t seconds, char out[UNITS_MAX]);

#endif
