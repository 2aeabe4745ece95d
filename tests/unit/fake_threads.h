/* SPDX-License-Identifier: MIT */
/*
 * fake_threads.h - a JVM that has only threads, with those functions of JVMTI
 * and JNI that collecting their stacks needs.
 *
 * The threads, by serial: 1 first, 2 virtual, 3 carrier (which runs it), 4 other
 * (which runs it a moment later), 5 deep. One more has ended.
 */
#ifndef FAKE_THREADS_H
#define FAKE_THREADS_H

#include <jvmti.h>
#include <stdbool.h>

/* Objects that JNI and JVMTI return; references are pointers to them. */
struct fake_thing {
	enum { THREAD, GROUP, CLASS } kind;
	const char *name;	   /* of a class: its signature */
	struct fake_thing *parent; /* its group; of a class its super */
	jlong tag;
	jlong number;		    /* of a thread */
	struct fake_thing *mounted; /* on this carrier */
	bool ended;		    /* the JVM knows nothing of it any more */
	const jvmtiFrameInfo *frames;
	jint depth;
};

struct fake_method {
	const char *name, *signature;
	struct fake_thing *class;
	bool native, gone;
	const jvmtiLineNumberEntry *lines;
	jint line_count;
};

struct fake_threads {
	const struct jvmtiInterface_1_ *jvmti;
	const struct JNINativeInterface_ *jni;
	struct fake_thing *threads[8];
	jint thread_count;
	bool no_extension;
	int fail_in;	 /* the Nth call of JVMTI fails; 0: none */
	int blocks;	 /* of JVMTI memory, not given back */
	int frames;	 /* for local references, pushed */
	bool push_fails; /* there is no memory for one */
};
extern struct fake_threads fake_threads;

enum { FAKE_DEEP = 5000 /* frames of deep; two places, the last one gone */ };
extern struct fake_thing fake_first, fake_virtual, fake_deep, fake_ended;
extern struct fake_method fake_run, fake_wait, fake_plain;
#define FAKE_METHOD(method) ((jmethodID)&(method))

/* Puts it into its initial state. */
void fake_threads_reset(void);

#endif
