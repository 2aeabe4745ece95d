/* SPDX-License-Identifier: MIT */
/*
 * prof_errors.h - the errors that the functions of libhprof-prof give, each tried
 * with what should cause it. Says BAD and what on standard error.
 */
#ifndef PROF_ERRORS_H
#define PROF_ERRORS_H

#include <stdio.h>

#include <hprof/prof.h>

#define BAD(...)                                                   \
	do {                                                       \
		fprintf(stderr, "BAD %s:%d: ", __FILE__, __LINE__); \
		fprintf(stderr, __VA_ARGS__);                      \
		fputc('\n', stderr);                               \
	} while (0)
#define IS(call, wanted)                                                \
	do {                                                            \
		jvmtiProfError got_ = (call);                           \
		if (got_ != JVMTIPROF_ERROR_##wanted)                   \
			BAD("%s: %d instead of " #wanted, #call, got_); \
	} while (0)

extern const jvmtiProfCapabilities all_capabilities;

/* While the agent is loaded: before the first environment, and with one. */
void try_create(JavaVM *vm, jvmtiEnv *jvmti);
void try_all(jvmtiProfEnv *e, jvmtiEnv *jvmti);

/* A hook of Hooked.early at entry and exit; its number. */
jint hook_early(jvmtiProfEnv *e);

/* In the live phase, by a thread of the JVM. */
void try_live(jvmtiProfEnv *e, JNIEnv *jni, jvmtiEnv *jvmti);

#endif
