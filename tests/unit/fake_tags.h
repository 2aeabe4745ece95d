/* SPDX-License-Identifier: MIT */
/*
 * fake_tags.h - a JVM that only has objects with tags, with those functions of JVMTI and
 * JNI that following them needs: it tells of allocations at once, and of ends when the
 * test says so.
 */
#ifndef FAKE_TAGS_H
#define FAKE_TAGS_H

#include <jvmti.h>
#include <stdbool.h>

/* Environments, in the order in which the follower makes them; NAMES is the test's. */
enum { MARKS, SENTINELS, ALLOCATIONS, NAMES, ENVS };

struct object {
	bool live;
	jlong tags[ENVS];
};

/* A jvmtiEnv is a pointer to one of these. */
struct env {
	const struct jvmtiInterface_1_ *functions;
	jvmtiEventCallbacks callbacks;
	int enabled; /* events */
	bool disposed, refuses;
};

extern struct env envs[ENVS];
extern int env_count;
extern jmethodID innermost; /* of each allocation's stack */
extern const jmethodID clone_method;

extern const struct jvmtiInterface_1_ fake_tags_jvmti;
extern const struct JNINativeInterface_ fake_tags_jni;
extern JavaVM fake_tags_vm;

/* A new object, of which the follower is told. */
struct object *allocate(jlong size);

/* A collection of those that are no longer live: its begin, and the ends; both. */
void begin_collection(void);
void tell_ends(void);
void collect(void);

#endif
