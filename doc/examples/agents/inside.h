/* SPDX-License-Identifier: MIT */
/*
 * inside.h - what 03_objects and 04_ages have in common: they follow the objects
 * that are allocated in the calls of a method, and in calls from there.
 */
#ifndef INSIDE_H
#define INSIDE_H

#include <stddef.h>

#include <hprof/prof.h>

/* Is the calling thread inside of the method? */
int is_inside(void);

/*
 * Gets the JVMTI environment, and hooks for the method that the agent's option
 * CLASS.METHOD names. NULL, with a message of the agent NAME, if that fails.
 */
jvmtiEnv *inside_begin(JavaVM *vm, const char *options, const char *name);

/*
 * Subscribes to VMInit, VMDeath and objects: to allocations, of which JVMTI
 * samples every one at an interval of 0, and to the end of those with a tag.
 * CAN and MORE, which may be 0, are the capabilities and an event beyond these.
 * VMInit is handled here. 0 if it succeeded.
 */
int inside_listen(jvmtiEnv *jvmti, jvmtiCapabilities can,
		  jvmtiEventCallbacks callbacks, jvmtiEvent more);

/* To be called for each object that JVMTI tells of. */
void inside_told(void);

#endif
