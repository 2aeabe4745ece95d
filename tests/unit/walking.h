/* SPDX-License-Identifier: MIT */
/*
 * walking.h - shared by the tests of the agent's walk: making dumps of a fake
 * heap and finding records in them.
 */
#ifndef WALKING_H
#define WALKING_H

#include <hprof.h>

#include "agent/dump/dump.h"
#include "agent/dump/walk.h"
#include "fake_jvmti.h"
#include "fixture.h"

struct taken {
	int status;
	struct ag_dump_result result;
	struct buffer bytes;
};

struct taken take_with(struct fake_jvm *jvm, unsigned id_size, bool live);

/* Takes a dump; fails the test unless hprof_check finds nothing wrong. */
struct taken take(struct fake_jvm *jvm, unsigned id_size, bool live);

/* Frees the JVM and the dump. */
void done(struct fake_jvm *jvm, struct taken *taken);

/*
 * Finds the sub-record TAG of object ID and copies it to RET. Its data is valid
 * until the next call.
 */
bool find(const struct taken *taken, unsigned tag, uint64_t id,
	  struct hprof_record *ret);

/* The same; fails the test if there is none. */
struct hprof_record object(const struct taken *taken, unsigned tag,
			   const struct fake_object *o);

/* Finds the static field NAME of CLASS and its value. */
bool find_static(const struct taken *taken, const struct fake_class *class,
		 const char *name, struct hprof_class_entry *ret);

unsigned count(const struct taken *taken, unsigned tag);
uint64_t id_of(const struct fake_object *o);

/* Returns O after adding a JNI reference to it. */
struct fake_object *rooted(struct fake_jvm *jvm, struct fake_object *o);

#endif
