/* SPDX-License-Identifier: MIT */
/*
 * shared_names.h - which names several classes share.
 */
#ifndef TOOLS_SHARED_NAMES_H
#define TOOLS_SHARED_NAMES_H

#include <stdbool.h>

#include <hprof.h>

struct shared_names;

/* Needs SUMMARY as long as it lives. */
struct shared_names *shared_names_new(const struct hprof_summary *summary);
void shared_names_free(struct shared_names *names);

bool shared_names_has(const struct shared_names *names, const char *name);

#endif
