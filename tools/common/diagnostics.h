/* SPDX-License-Identifier: MIT */
/*
 * diagnostics.h - tells on stderr what was wrong with a dump.
 */
#ifndef TOOLS_DIAGNOSTICS_H
#define TOOLS_DIAGNOSTICS_H

#include <stdbool.h>
#include <stddef.h>

#include <hprof.h>

/*
 * A line for each error and warning, "NAME: PATH: 0xOFFSET: severity: text
 * [code]", the first few of each code and then how many more there are.
 * Of the notes only "several-dumps" is printed: the reader may want another.
 * QUIET leaves warnings and notes out.
 */
void diagnostics_print(const char *path,
		       const struct hprof_kept_diagnostic *diagnostics,
		       size_t count, bool quiet);

/* One of them as an element of an array; without "count" if that is 0. */
struct json;
void diagnostics_json(struct json *json,
		      const struct hprof_kept_diagnostic *diagnostic);

/* "error" ... */
const char *diagnostics_severity(enum hprof_severity severity);

#endif
