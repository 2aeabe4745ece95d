/* SPDX-License-Identifier: MIT */
/*
 * take_walk.h - one dump by a walk in this process, from beginning to end; and
 * what a dump by a forked process has in common with it.
 */
#ifndef AG_TAKE_WALK_H
#define AG_TAKE_WALK_H

#include "agent/common/options.h"
#include "agent/common/output.h"
#include "agent/dump/dump.h"

/* To the file with that number. Returns an enum ag_taken. */
int ag_take_by_walk(JavaVM *vm, JNIEnv *jni, const struct ag_options *options,
		    bool heap_is_full, unsigned number);

/* Where the dump goes: a connection or a file; text gets a claim. */
enum hprof_status ag_take_open(const struct ag_options *options,
			       unsigned number, struct ag_output *ret,
			       struct hprof_error *ret_error);

/*
 * Walks once, into an output with a writer, with the profile, if that is not
 * NULL; FORK as of ag_dump. False, with a message logged, on failure.
 */
bool ag_take_walk(JavaVM *vm, JNIEnv *jni, const struct ag_options *options,
		  bool heap_is_full, struct ag_fork *fork,
		  const struct ag_profile *profile, struct ag_output *output,
		  struct ag_dump_result *ret);

/* The message of a dump that was taken. */
void ag_say_taken(const struct ag_output *output,
		  const struct ag_dump_result *result, uint64_t bytes,
		  uint64_t total_ns);

/* Defects of the dump, which are rare enough to be always logged. */
void ag_say_lacks(const struct ag_output *output,
		  const struct ag_dump_result *result);

#endif
