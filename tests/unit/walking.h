/* SPDX-License-Identifier: MIT */
/*
 * walking.h - what the tests of the agent's walk share: dumps of a fake heap,
 * and what is in them.
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

/* A dump that succeeds and that our own check finds nothing wrong with. */
struct taken take(struct fake_jvm *jvm, unsigned id_size, bool live);

/* Frees both. */
void done(struct fake_jvm *jvm, struct taken *taken);

/*
 * The sub-record of TAG with the object ID, copied to RET: its data lives
 * until the next call.
 */
bool find(const struct taken *taken, unsigned tag, uint64_t id,
	  struct hprof_record *ret);

/* The same; fails the test if there is none. */
struct hprof_record object(const struct taken *taken, unsigned tag,
			   const struct fake_object *o);

/* The static field called NAME of CLASS; its value. */
bool find_static(const struct taken *taken, const struct fake_class *class,
		 const char *name, struct hprof_class_entry *ret);

unsigned count(const struct taken *taken, unsigned tag);
uint64_t id_of(const struct fake_object *o);

/* O, which a JNI reference holds from now on. */
struct fake_object *rooted(struct fake_jvm *jvm, struct fake_object *o);

#endif
