/* SPDX-License-Identifier: MIT */
/*
 * shared_names.h - which names several classes share.
 */
#ifndef TOOLS_SHARED_NAMES_H
#define TOOLS_SHARED_NAMES_H

#include <stdbool.h>

#include <hprof.h>

struct names;

/* Needs SUMMARY as long as it lives. */
struct names *names_new(const struct hprof_summary *summary);
void names_free(struct names *names);

bool names_shared(const struct names *names, const char *name);

#endif
