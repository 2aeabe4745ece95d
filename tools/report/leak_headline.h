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

/* "HashMap": NAME without its package, and without what makes it unique. */
char *leak_simple_name(const char *name);

/*
 * "com.acme.Feed.listeners": how step OWNER of PATH (SIZE_MAX: its root) holds
 * step SUBJECT.
 */
char *leak_where(const struct hprof_path *path, size_t owner, size_t subject);

/*
 * Whether LEAK is a group whose origin is only one of those that hold it, though nearly
 * all its members are there.
 */
bool leak_is_shared(const struct hprof_leak *leak);

/* "com.acme.Feed.listeners: ArrayList of 6,000 Listener" */
char *leak_headline(const struct hprof_leak *leak);

/* Steps FIRST to LAST in short: "Main.registry -> HashMap.table -> ..." */
char *leak_steps(const struct hprof_path *path, size_t first, size_t last);

#endif
