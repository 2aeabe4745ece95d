/* SPDX-License-Identifier: MIT */
/*
 * dump.h - a whole dump of the JVM, into an open writer.
 */
#ifndef AG_DUMP_H
#define AG_DUMP_H

#include <jvmti.h>

#include "hprof/writer.h"

struct ag_dump_options {
	bool live;	   /* only what can be reached */
	bool constants;	   /* the references in constant pools */
	unsigned id_size;  /* 4 or 8 */
	bool heap_is_full; /* nothing can be allocated in the Java heap */
};

struct ag_dump_result {
	uint64_t objects; /* instances and arrays */
	uint64_t bytes;
	uint64_t pause_ns; /* that the JVM stood still, as we see it */
	/* What is not as it should be; all 0 nearly always. */
	uint64_t changed_statics; /* between the classes and the objects */
	uint64_t cut_arrays;	  /* too long for a record */
	uint64_t lost;		  /* values that had no place */
	uint64_t bare_objects;	  /* that have no fields */
	uint64_t unsized;	  /* objects whose ids do not tell their size */
	bool left_out;		  /* no memory to find unreachable objects */
	char error[1024];
};

/*
 * Everything up to hprof_writer_finish, which is the caller's. JVMTI must be
 * able to tag objects; its tags are left to the caller, who disposes it. No
 * local reference stays. 0, or -1 with a message.
 */
int ag_dump(jvmtiEnv *jvmti, JNIEnv *jni, struct hprof_writer *writer,
	    const struct ag_dump_options *options,
	    struct ag_dump_result *ret_result);

#endif
