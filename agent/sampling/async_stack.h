/* SPDX-License-Identifier: MIT */
/*
 * async_stack.h - the Java stack of the running thread, from a signal handler:
 * HotSpot's AsyncGetCallTrace, and what it takes to make it succeed where the
 * frame on top is not complete. For x86-64 only, since registers are read.
 */
#ifndef AG_ASYNC_STACK_H
#define AG_ASYNC_STACK_H

#include <stdint.h>

#include <jvmti.h>

/* As AsyncGetCallTrace writes it. */
struct ag_async_frame {
	jint location; /* an index of bytecode; AG_ASYNC_NATIVE: none */
	jmethodID method;
};

enum { AG_ASYNC_NATIVE = -3 };

/* Why there is no stack: AsyncGetCallTrace's numbers, and one of ours. */
enum {
	AG_ASYNC_NO_JAVA = 0,
	AG_ASYNC_DETACHED = -11, /* not a thread of the JVM */
	AG_ASYNC_KINDS = 12	 /* that are from 0 down */
};

/*
 * Looks for what is needed. Returns NULL, or why there are no such stacks in
 * this process.
 */
const char *ag_async_prepare(JavaVM *vm);

/* Code that the JVM has made is at SIZE bytes from START on. Any thread. */
void ag_async_know_code(const void *start, uintptr_t size);

/*
 * The stack where a signal came that gave CONTEXT: at most DEPTH frames, the
 * innermost first. Returns their number, or 0 or less, the reason as above.
 * *RET_PC: 0, or where the code was that is above the first frame, if the
 * stack could only be had from its caller on. Safe in a handler.
 */
jint ag_async_stack(void *context, struct ag_async_frame *frames, jint depth,
		    uintptr_t *ret_pc);

/* What a reason means: a few words. */
const char *ag_async_reason(int reason);

#endif
