/* SPDX-License-Identifier: MIT */
/*
 * converting.h - conversions for tests, in a directory of their own.
 */
#ifndef CONVERTING_H
#define CONVERTING_H

#include <hprof/convert.h>

#include "writing.h"

#define OPTIONS { .size = sizeof(struct hprof_convert_options) }
#define RESULT { .size = sizeof(struct hprof_convert_result) }

/* Writes the fixture NAME to the file "in". */
void put_input(const char *name);

/* Converts "in" to "out"; fails the test if the conversion fails. */
struct hprof_convert_result
converted(const struct hprof_convert_options *options);

struct hprof_header header_of(const char *path);

#endif
