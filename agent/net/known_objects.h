/* SPDX-License-Identifier: MIT */
/*
 * known_objects.h - numbers for objects that peers were told of, by which they
 * ask for more. They stay valid for the life of the agent, over any number of
 * connections, and do not keep the objects alive. For one thread.
 */
#ifndef AG_KNOWN_OBJECTS_H
#define AG_KNOWN_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include <jvmti.h>

#include "agent/net/answer.h"

struct ag_known {
	JavaVM *vm;
	jvmtiEnv *jvmti; /* whose tags they are; NULL: not made yet */
	jvmtiCapabilities can;
	jlong last;
};

/* Makes the environment if there is none. False, with a message logged. */
bool ag_known_begin(struct ag_known *known);

/* The number of an object, a new one if it has none; 0 for NULL. */
int64_t ag_known_number(struct ag_known *known, jobject object);

/* A local reference; NULL: there is no such number, or the object is gone. */
jobject ag_known_object(struct ag_known *known, int64_t number);

/* {"id":7,"class":"java.lang.String"}, or null. */
void ag_known_put(struct ag_known *known, JNIEnv *jni, struct ag_answer *answer,
		  const char *name, jobject object);

/* The name of a class as in Java. */
void ag_known_put_class(struct ag_known *known, struct ag_answer *answer,
			const char *name, jclass class);

#endif
