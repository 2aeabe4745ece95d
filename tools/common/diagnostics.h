/* SPDX-License-Identifier: MIT */
/*
 * diagnostics.h - prints on standard error what is wrong with a dump.
 */
#ifndef TOOLS_DIAGNOSTICS_H
#define TOOLS_DIAGNOSTICS_H

#include <stdbool.h>
#include <stddef.h>

#include <hprof.h>

/*
 * Prints a line for each error and warning, "NAME: PATH: 0xOFFSET: severity:
 * text [code]": the first few of each code, and then how many more there are.
 * The only note that is printed is "several-dumps", since the user may have
 * meant another dump. With QUIET there are errors only.
 */
void diagnostics_print(const char *path,
		       const struct hprof_kept_diagnostic *diagnostics,
		       size_t count, bool quiet);

/*
 * Prints one of them as an element of an array. There is no "count" if it is 0.
 */
struct json;
void diagnostics_json(struct json *json,
		      const struct hprof_kept_diagnostic *diagnostic);

/* "error", "warning" or "note". */
const char *diagnostics_severity(enum hprof_severity severity);

#endif
