/* SPDX-License-Identifier: MIT */
/*
 * environment.h - JVMTI environments. Tags and capabilities belong to an
 * environment, so each use has its own.
 */
#ifndef AG_ENVIRONMENT_H
#define AG_ENVIRONMENT_H

#include <stdbool.h>

#include <jvmti.h>

/* A new JVMTI environment; NULL, with a message logged, on failure. */
jvmtiEnv *ag_environment(JavaVM *vm);

/*
 * Adds the capabilities to tag objects and, where the JVM has them, to tell line
 * numbers and source files, and to ask about virtual threads. False, with a
 * message logged, if objects cannot be tagged.
 */
bool ag_environment_can_tag(jvmtiEnv *jvmti);

#endif
