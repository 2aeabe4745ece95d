/* SPDX-License-Identifier: MIT */
/*
 * trace_table.h - the stacks of profiles: each one once, with a serial.
 *
 * A method is described when a trace with it is first added, so that traces
 * outlive the unloading of its class. What is not met costs nothing. Methods that
 * look the same, as those of a class that many loaders load, are the same in traces.
 *
 * Threads: any function by any thread at any time. A trace that is known is
 * found without a lock. Not for signal handlers.
 */
#ifndef AG_TRACE_TABLE_H
#define AG_TRACE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jvmti.h>

#include "agent/common/method_info.h"

struct ag_class_list;
struct ag_traces;

/* Serials. Those of the stacks of a heap dump are between the first two. */
enum {
	AG_TRACE_EMPTY = 1,	 /* no Java frame */
	AG_TRACE_EARLY = 300000, /* before the profile could begin */
	AG_TRACE_FIRST
};

/* A trace. It is never freed before its table. */
struct ag_trace {
	struct ag_trace *next; /* private */
	uint64_t hash;	       /* private */
	uint32_t serial;
	uint32_t thread; /* serial, or 0: of any thread */
	uint32_t count;
	jvmtiFrameInfo frames[]; /* innermost first */
};

/*
 * With LINES false, a location is only a method: traces that differ in lines
 * are the same, and no frame has a line. NULL without memory.
 */
struct ag_traces *ag_traces_new(jvmtiEnv *jvmti, struct ag_class_list *classes,
				bool lines);
void ag_traces_free(struct ag_traces *traces); /* NULL is fine */

/*
 * How many bytes the traces and what is known of their methods may take: a program
 * can make classes, so stacks, for ever. Once it is full, stacks that are not known
 * yet get no serial.
 */
enum { AG_TRACES_LIMIT = 256 << 20 };
void ag_traces_limit(struct ag_traces *traces, size_t bytes);
bool ag_traces_full(const struct ag_traces *traces);

/*
 * The serial of a stack, as GetStackTrace returns it; THREAD is the serial of
 * its thread if that is to be part of it, else 0. AG_TRACE_EMPTY without frames.
 * 0 without memory, or when the table is full: it is for the caller to count what
 * is lost. COUNT is at most AG_MOST_FRAMES. JNI is that of the calling thread; the stack may be another's.
 */
enum { AG_MOST_FRAMES = 1024 };
uint32_t ag_traces_add(struct ag_traces *traces, JNIEnv *jni,
		       const jvmtiFrameInfo *frames, uint32_t count,
		       uint32_t thread);

/* As ag_methods_describe, before a trace with it is added. */
bool ag_traces_describe(struct ag_traces *traces, jmethodID id,
			const struct ag_method *method);

/*
 * All traces so far, sorted by serial. The array is freed by hp_free; the traces
 * are not. False without memory.
 */
struct ag_trace_list {
	const struct ag_trace **all;
	size_t count;
};
bool ag_traces_list(const struct ag_traces *traces,
		    struct ag_trace_list *ret_list);

/* NULL if there is none: AG_TRACE_EMPTY, AG_TRACE_EARLY. */
const struct ag_trace *ag_trace_find(const struct ag_trace_list *list,
				     uint32_t serial);

/* What is known of a method in a trace, as ag_methods_find. */
const struct ag_method *ag_traces_method(const struct ag_traces *traces,
					 jmethodID id);

#endif
