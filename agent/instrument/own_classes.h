/* SPDX-License-Identifier: MIT */
/*
 * own_classes.h - the classes that the code of instrumented methods calls: our
 * agent's tracker, and the hooks of libhprof-prof. Both may be in one JVM, and
 * neither changes a class of the other: each would call the other for ever.
 */
#ifndef AG_OWN_CLASSES_H
#define AG_OWN_CLASSES_H

#include <stdbool.h>
#include <stddef.h>

#define AG_TRACKER_CLASS "java/lang/HprofTracker"
#define AG_TRACKER_NATIVES "hprof/Native"
#define AG_HOOK_CLASS "java/lang/HprofHooks"
#define AG_HOOK_NATIVES "hprof/Hooks"

/* Is it one of these, or nested in one? */
bool ag_class_is_own(const char *name, size_t size);

#endif
