/* SPDX-License-Identifier: MIT */
/*
 * calls.c - see calls.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "agent/fork/calls.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

enum {
	LOCKS_MOST = 64, /* that are taken over */
	/* What the filter says about a futex call. */
	WAKES = 1,
	WAITS = 2,
	LOCKS = 3 /* as a mutex of glibc waits */
};

static struct {
	ag_on_call *wakes, *waits;
} when;

/* ---- the call in a handler's registers -------------------------------------- */

struct call {
	uintptr_t first, third; /* arguments; 0 on another processor */
};

static struct call read_call(const ucontext_t *context)
{
	struct call call = { 0 };

#if defined __x86_64__ && defined __LP64__
	call.first = (uintptr_t)context->uc_mcontext.gregs[REG_RDI];
	call.third = (uintptr_t)context->uc_mcontext.gregs[REG_RDX];
#elif defined __aarch64__
	call.first = (uintptr_t)context->uc_mcontext.regs[0];
	call.third = (uintptr_t)context->uc_mcontext.regs[2];
#else
	(void)context;
#endif
	return call;
}

/* Sets what the call returns when the handler has returned. */
static void return_from(ucontext_t *context, int result)
{
#if defined __x86_64__ && defined __LP64__
	context->uc_mcontext.gregs[REG_RAX] = result;
#elif defined __aarch64__
	context->uc_mcontext.regs[0] = (uint64_t)result;
#else
	(void)context;
	(void)result;
#endif
}

/* ---- locks ------------------------------------------------------------------ */

/*
 * Threads that do not stop for a safepoint, such as those of the compilers, may
 * hold a lock when the process is forked. Seen was that of the pool of arena
 * chunks, which each stack that is walked takes chunks from and gives them back
 * to (ThreadCritical in JDK 17). In the child its holder does not exist, so
 * nobody else will ever change what it guards; and what the holder has done of
 * its work is a beginning of it, as fork() copies a page either before or after
 * what one thread stores there. Lists that such locks guard can be read at any
 * such moment. Should one be in pieces nevertheless, then the child crashes or
 * makes no progress, which harms nobody else.
 */
enum { MUTEX_AWAITED = 2 /* in glibc's pthread_mutex_t */ };

static struct {
	pthread_mutex_t *all[LOCKS_MOST];
	unsigned count;
} locks;

#ifdef __GLIBC__
/* Held once, by a thread that is known, and of an ordinary kind? */
static bool is_held(const pthread_mutex_t *mutex)
{
	const int kind = mutex->__data.__kind & 0x7f;

	return mutex->__data.__owner > 0 && mutex->__data.__nusers == 1 &&
	       kind >= PTHREAD_MUTEX_TIMED_NP &&
	       kind <= PTHREAD_MUTEX_ADAPTIVE_NP;
}

/*
 * Takes the lock over that the call waits for; false if it is none. glibc tries
 * again after the call, and takes it as one that nobody holds.
 */
static bool take_over(const struct call *call)
{
	pthread_mutex_t *mutex = (pthread_mutex_t *)call->first;

	_Static_assert(offsetof(pthread_mutex_t, __data.__lock) == 0,
		       "a call has the address of the mutex");
	if (call->third != MUTEX_AWAITED || locks.count == LOCKS_MOST ||
	    !is_held(mutex))
		return false;
	locks.all[locks.count++] = mutex;
	mutex->__data.__owner = 0;
	mutex->__data.__nusers = 0;
	mutex->__data.__lock = 0;
	return true;
}
#else
static bool take_over(const struct call *call)
{
	(void)call;
	return false;
}
#endif

/* Is a lock given back that was taken over? glibc tells others of it. */
static bool is_taken_over(const struct call *call)
{
	for (unsigned i = 0; i < locks.count; i++)
		if ((uintptr_t)locks.all[i] == call->first)
			return true;
	return false;
}

static void on_futex(int signal, siginfo_t *info, void *context)
{
	const struct call call = read_call(context);
	const int what = info->si_errno;

	(void)signal;
	if (what == WAITS || (what == LOCKS && !take_over(&call)))
		when.waits();
	else if (what == WAKES && !is_taken_over(&call))
		when.wakes();
	return_from(context, 0);
}

/* ---- the filter ---------------------------------------------------------- */

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OPERATION offsetof(struct seccomp_data, args[1])
#else
#define OPERATION (offsetof(struct seccomp_data, args[1]) + 4)
#endif

#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offset))
#define IF(value, then, otherwise) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (then), (otherwise))
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, (value))
#define DENY(call) IF((call), 0, 1), ANSWER(SECCOMP_RET_ERRNO | EPERM)

/*
 * Makes each futex call a SIGSYS, whose si_errno says what it is for. If the JVM
 * runs out of memory here then it would write a report of that, and run what
 * -XX:OnError says.
 */
static bool set_filter(void)
{
	struct sock_filter code[] = {
		LOAD(offsetof(struct seccomp_data, nr)),
#ifdef SYS_open
		DENY(SYS_open),
		DENY(SYS_fork),
		DENY(SYS_vfork),
#endif
		DENY(SYS_openat),
		DENY(SYS_execve),
		DENY(SYS_clone),
#ifdef SYS_clone3
		DENY(SYS_clone3),
#endif
		IF(SYS_futex, 1, 0),
		ANSWER(SECCOMP_RET_ALLOW),
		LOAD(OPERATION),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, (uint32_t)FUTEX_CMD_MASK),
		IF(FUTEX_WAKE, 4, 0),
		IF(FUTEX_WAKE_OP, 3, 0),
		IF(FUTEX_WAIT, 1, 0),
		ANSWER(SECCOMP_RET_TRAP | WAITS),
		ANSWER(SECCOMP_RET_TRAP | LOCKS),
		ANSWER(SECCOMP_RET_TRAP | WAKES),
	};
	const struct sock_fprog program = { sizeof code / sizeof *code, code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool ag_calls_trap(ag_on_call *wakes, ag_on_call *waits)
{
	const struct sigaction trap = { .sa_sigaction = on_futex,
					.sa_flags = SA_SIGINFO };

	when.wakes = wakes;
	when.waits = waits;
	return sigaction(SIGSYS, &trap, NULL) == 0 && set_filter();
}
