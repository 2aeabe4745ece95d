/* SPDX-License-Identifier: MIT */
/*
 * leak_where.h - whose something is, in a few words: the field, ThreadLocal or root that
 * holds it, and objects and paths in short.
 *
 * Functions return strings that the caller frees with free.
 */
#ifndef TOOLS_LEAK_WHERE_H
#define TOOLS_LEAK_WHERE_H

#include <hprof.h>

/* Appends TEXT to *TO, and frees both. */
void leak_append(char **to, char *text);

/* "HashMap": NAME without its package, and without what makes it unique. */
char *leak_simple_name(const char *name);

/* The same of the class of an object, or "class com.acme.Feed". */
char *leak_simple_object(const struct hprof_object_info *info);

/* "ThreadLocal com.acme.Shop.CTX"; FIELD may be NULL. */
char *leak_local_name(const char *class_name, const char *field);

/*
 * "com.acme.Feed.listeners": how step OWNER of PATH (SIZE_MAX: its root) holds
 * step SUBJECT.
 */
char *leak_where(const struct hprof_path *path, size_t owner, size_t subject);

/* Steps FIRST to LAST in short: "Main.registry -> HashMap.table -> ..." */
char *leak_steps(const struct hprof_path *path, size_t first, size_t last);

#endif
