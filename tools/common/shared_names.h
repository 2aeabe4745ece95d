/* SPDX-License-Identifier: MIT */
/*
 * shared_names.h - the names that several classes of a dump have in common.
 */
#ifndef TOOLS_SHARED_NAMES_H
#define TOOLS_SHARED_NAMES_H

#include <stdbool.h>

#include <hprof.h>

struct shared_names;

/* SUMMARY must outlive the result. */
struct shared_names *shared_names_new(const struct hprof_summary *summary);
void shared_names_free(struct shared_names *names);

bool shared_names_has(const struct shared_names *names, const char *name);

#endif
