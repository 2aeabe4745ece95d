/* SPDX-License-Identifier: MIT */
/*
 * leak_headline.h - leak suspects in one line that a person can act on: whose
 * field holds how many objects of which class.
 *
 * Functions return strings that the caller frees with free.
 */
#ifndef TOOLS_LEAK_HEADLINE_H
#define TOOLS_LEAK_HEADLINE_H

#include <hprof.h>

/*
 * Whether LEAK is a group whose origin is only one of those that hold it, though nearly
 * all its members are there.
 */
bool leak_is_shared(const struct hprof_leak *leak);

/*
 * Whether LEAK's collection is a string, a builder or a stream: *RET_MANY is what it has
 * in it.
 */
bool leak_is_buffer(const struct hprof_leak *leak, const char **ret_many);

/* "com.acme.Feed.listeners: ArrayList of 6,000 Listener" */
char *leak_headline(const struct hprof_leak *leak);

#endif
