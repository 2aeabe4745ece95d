/* SPDX-License-Identifier: MIT */
/*
 * tracing.h - shared by the tests of traces and of the records that are made of them:
 * a JVM that is an array of methods, and the tables of its classes and traces.
 */
#ifndef TRACING_H
#define TRACING_H

#include <jvmti.h>
#include <stdbool.h>

#include "agent/profile/class_list.h"
#include "agent/profile/trace_table.h"

/* A jclass is the address of one of these. */
struct class
{
	const char *signature, *source;
	_Atomic jlong tag;
};

/* A jmethodID is the address of one of these. */
struct method {
	const char *name;
	struct class *class;
	bool native, unloaded;
};

/* Those of a shop: open, sell, wrap (native) and gone (unloaded). */
enum { METHODS = 4 };
extern struct method methods[METHODS];
jmethodID method(unsigned i);

extern const struct jvmtiInterface_1_ tracing_jvmti;
extern const struct JNINativeInterface_ tracing_jni;

extern struct ag_class_list *classes;
extern struct ag_traces *traces;

/* For the two tables, which know the lines of methods. */
void tracing_set_up(void);
void tracing_tear_down(void);

#endif
