/* SPDX-License-Identifier: MIT */
/*
 * dump.h - a whole dump of the JVM, into an open writer.
 */
#ifndef AG_DUMP_H
#define AG_DUMP_H

#include <jvmti.h>

#include "hprof/writer.h"

struct ag_fork;	   /* agent/fork/child.h */
struct ag_profile; /* agent/profile/profile.h */
struct ag_session; /* agent/profile/session.h */

struct ag_dump_options {
	bool live;	    /* only reachable objects */
	bool constants;	    /* the references in constant pools */
	unsigned level;	    /* contents: 0 none, 1 references, 2 all */
	unsigned id_size;   /* 4 or 8 */
	uint64_t last_name; /* the last id of a string before this dump */
	bool traces_only;   /* threads and their stacks, and no heap */
	bool heap_is_full;  /* nothing can be allocated in the Java heap */

	/*
	 * NULL, or a prepared fork: another process walks the heap and finishes
	 * the part file (hp_writer_finish_part), and passes a result to
	 * ag_fork_wait. LIVE must be set.
	 */
	struct ag_fork *fork;

	/*
	 * Both NULL, or a profile of SESSION that goes into the dump, before the
	 * objects. Then the JVMTI environment is that of the profile's marks,
	 * FORK is NULL, and the caller restores the marks.
	 */
	struct ag_session *session;
	const struct ag_profile *profile;
};

struct ag_dump_result {
	uint64_t objects; /* instances and arrays */
	uint64_t bytes;
	uint64_t last_name; /* with this dump */
	uint64_t pause_ns;  /* how long the JVM stood still, measured here */
	/* Defects of the dump; nearly always all 0. */
	uint64_t changed_statics; /* changed between the two walks */
	uint64_t cut_arrays;	  /* too long for a record */
	uint64_t lost;		  /* values without a place in a body */
	uint64_t bare_objects;	  /* written without their fields */
	uint64_t unsized;	  /* objects whose ids do not show their size */
	uint64_t clamped;	  /* counts that are too large for a record */
	bool left_out;		  /* no memory to find unreachable objects */
	bool no_stack_roots;	  /* the JVM does not report what stacks hold */
	char error[1024];
};

/*
 * Writes everything up to hprof_writer_finish, which is left to the caller.
 * JVMTI must have can_tag_objects. The tags are not removed: the caller
 * disposes of the environment. No local reference is left behind. Returns 0, or
 * -1 with a message.
 */
int ag_dump(jvmtiEnv *jvmti, JNIEnv *jni, struct hprof_writer *writer,
	    const struct ag_dump_options *options,
	    struct ag_dump_result *ret_result);

#endif
