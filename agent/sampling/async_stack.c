/* SPDX-License-Identifier: MIT */
/*
 * async_stack.c - see async_stack.h.
 *
 * AsyncGetCallTrace gives up where a compiled method is just being entered or
 * left, or where the CPU is in a stub: the frame pointer or the return address
 * is not where the frame's layout says. In tight recursion that is every third
 * sample. The caller's frame is complete, though. So it is tried again with the
 * registers as they would be in the caller, as three rules guess them; each
 * guess counts only if it points into code that the JVM has made. The frame that
 * is lost is the one of the interrupted code, whose address the caller gets.
 *
 * The stack is read by a system call that fails where there is no memory, since
 * a guess may be wrong. What AsyncGetCallTrace reads by itself, it checks, but for
 * one thing: JDK 17 up to 17.0.15 aborts where it is asked about a method's code
 * that was given up but not yet freed ("unsafe access to zombie method"), and a
 * guess that is an old word of the stack may point into such. See live_code.h.
 */
#include "agent/sampling/async_stack.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "agent/sampling/live_code.h"

static _Atomic uintptr_t code_start = UINTPTR_MAX, code_end;

void ag_async_know_code(const void *start, uintptr_t size)
{
	const uintptr_t from = (uintptr_t)start, to = from + size;
	uintptr_t old = atomic_load(&code_start);

	while (from < old &&
	       !atomic_compare_exchange_weak(&code_start, &old, from))
		;
	old = atomic_load(&code_end);
	while (to > old && !atomic_compare_exchange_weak(&code_end, &old, to))
		;
}

const char *ag_async_reason(int reason)
{
	static const char *const words[AG_ASYNC_KINDS] = {
		[0] = "no Java frame",
		[1] = "classes not announced",
		[2] = "in a collection",
		[3] = "unknown native frame",
		[4] = "native frame not walkable",
		[5] = "unknown Java frame",
		[6] = "Java frame not walkable",
		[7] = "unknown state",
		[8] = "thread ends",
		[9] = "in deoptimization",
		[10] = "at a safepoint",
		[11] = "not a thread of the JVM",
	};

	return reason <= 0 && reason > -AG_ASYNC_KINDS ? words[-reason]
						       : "other reason";
}

#if defined __x86_64__ && defined __linux__

/* As HotSpot declares it in its source; there is no header. */
struct call_trace {
	JNIEnv *env;
	jint count; /* or a reason */
	struct ag_async_frame *frames;
};

typedef void get_call_trace(struct call_trace *trace, jint depth,
			    void *context);

static struct {
	JavaVM *vm;
	get_call_trace *get;
	pid_t pid;
	bool can_read;
} the;

enum { RET = 8, SCAN_WORDS = 24, FRAME_MOST = 4096 };

/* The registers that say where a thread is. */
struct place {
	uintptr_t pc, sp, bp;
};

static struct place get_place(const ucontext_t *context)
{
	const greg_t *r = context->uc_mcontext.gregs;

	return (struct place){ (uintptr_t)r[REG_RIP], (uintptr_t)r[REG_RSP],
			       (uintptr_t)r[REG_RBP] };
}

static void set_place(ucontext_t *context, struct place place)
{
	greg_t *r = context->uc_mcontext.gregs;

	r[REG_RIP] = (greg_t)place.pc;
	r[REG_RSP] = (greg_t)place.sp;
	r[REG_RBP] = (greg_t)place.bp;
}

/* How many of COUNT words could be read. */
static size_t read_words(uintptr_t from, uintptr_t *words, size_t count)
{
	struct iovec local = { words, count * sizeof *words };
	struct iovec remote = { (void *)from, count * sizeof *words };
	ssize_t n;

	if (from % sizeof *words)
		return 0;
	n = process_vm_readv(the.pid, &local, 1, &remote, 1, 0);
	return n > 0 ? (size_t)n / sizeof *words : 0;
}

static bool is_code(uintptr_t address)
{
	return address >= atomic_load(&code_start) &&
	       address < atomic_load(&code_end);
}

/* Asks with the registers as in PLACE, which are put back. */
static bool ask_at(struct call_trace *trace, jint depth, ucontext_t *context,
		   struct place place)
{
	const struct place real = get_place(context);

	if (!is_code(place.pc) || !ag_live_code_has(place.pc))
		return false;
	trace->count = 0;
	set_place(context, place);
	the.get(trace, depth, context);
	set_place(context, real);
	return trace->count > 0;
}

/*
 * The caller of code that has no frame yet, or none any more; the caller of
 * code whose frame pointer is right; and any return address near the top of the
 * stack, for stubs that saved registers.
 */
static bool ask_callers(struct call_trace *trace, jint depth,
			ucontext_t *context)
{
	const struct place real = get_place(context);
	uintptr_t top[SCAN_WORDS], saved[2];
	const size_t count = read_words(real.sp, top, SCAN_WORDS);
	struct place p = real;

	if (count) {
		p.pc = top[0];
		p.sp = real.sp + RET;
		if (ask_at(trace, depth, context, p))
			return true;
	}
	if (real.bp >= real.sp && real.bp - real.sp < FRAME_MOST &&
	    read_words(real.bp, saved, 2) == 2) {
		p = (struct place){ saved[1], real.bp + 2 * RET, saved[0] };
		if (ask_at(trace, depth, context, p))
			return true;
	}
	for (size_t i = 1; i < count; i++) {
		p = (struct place){ top[i], real.sp + (i + 1) * RET, real.bp };
		if (ask_at(trace, depth, context, p))
			return true;
	}
	return false;
}

/*
 * In Java. Elsewhere the JVM goes by what it noted when Java was left, and not by
 * registers: there is nothing to guess.
 */
static bool may_be_a_lost_frame(jint reason)
{
	return reason == -5 || reason == -6;
}

jint ag_async_stack(void *context, struct ag_async_frame *frames, jint depth,
		    uintptr_t *ret_pc)
{
	struct call_trace trace = { .frames = frames };
	jint reason;
	void *jni = NULL;

	*ret_pc = 0;
	if ((*the.vm)->GetEnv(the.vm, &jni, JNI_VERSION_1_6) != JNI_OK || !jni)
		return AG_ASYNC_DETACHED;
	trace.env = jni;
	the.get(&trace, depth, context);
	reason = trace.count;
	if (reason > 0)
		return reason;
	if (!the.can_read || !may_be_a_lost_frame(reason) ||
	    !ask_callers(&trace, depth, context))
		return reason;
	*ret_pc = get_place(context).pc;
	return trace.count;
}

const char *ag_async_prepare(JavaVM *vm)
{
	uintptr_t here = 0, read = 0;

	the.vm = vm;
	the.pid = getpid();
	/* POSIX lets a symbol of dlsym be made a function, ISO C does not. */
	*(void **)&the.get = dlsym(RTLD_DEFAULT, "AsyncGetCallTrace");
	if (!the.get)
		return "this JVM has no AsyncGetCallTrace";
	here = (uintptr_t)&here;
	the.can_read =
		read_words((uintptr_t)&here, &read, 1) == 1 && read == here;
	return NULL;
}

#else

const char *ag_async_prepare(JavaVM *vm)
{
	(void)vm;
	return "only on Linux on x86-64";
}

jint ag_async_stack(void *context, struct ag_async_frame *frames, jint depth,
		    uintptr_t *ret_pc)
{
	(void)context;
	(void)frames;
	(void)depth;
	*ret_pc = 0;
	return AG_ASYNC_NO_JAVA;
}

#endif
