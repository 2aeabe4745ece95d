/* SPDX-License-Identifier: MIT */
/*
 * method_table.h - what is known of the methods in traces. A method is described
 * when it is first met, so that it outlives its class. What is not met costs
 * nothing.
 *
 * Methods that look the same, by class, name, signature, source and lines, are one:
 * a program that loads a class again and again, each time by a new loader, has no
 * more of them than one that loads it once.
 *
 * Threads: any function by any thread at any time. A method that is known is found
 * without a lock. Not for signal handlers.
 */
#ifndef AG_METHOD_TABLE_H
#define AG_METHOD_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include <jvmti.h>

#include "agent/common/method_info.h"

struct ag_class_list;
struct ag_methods;

/* NULL without memory. */
struct ag_methods *ag_methods_new(jvmtiEnv *jvmti,
				  struct ag_class_list *classes);
void ag_methods_free(struct ag_methods *methods); /* NULL is fine */

/*
 * Asks the JVM about ID, if it is not known. Returns the first method that was met
 * and looks the same, often ID itself; NULL without memory. JNI is that of the
 * calling thread.
 */
jmethodID ag_methods_learn(struct ag_methods *methods, JNIEnv *jni,
			   jmethodID id);

/*
 * Describes a method that the JVM is not to be asked about: ID is none of its
 * own, but an address of the caller's. The texts are copied; there are no lines.
 * False without memory.
 */
bool ag_methods_describe(struct ag_methods *methods, jmethodID id,
			 const struct ag_method *method);

/*
 * Never NULL, and empty if it is not known. Its texts live as long as the table,
 * and its class_serial is a number of the class list.
 */
const struct ag_method *ag_methods_find(const struct ag_methods *methods,
					jmethodID id);

/* The bytes that they take, about. */
size_t ag_methods_size(const struct ag_methods *methods);

#endif
