/* SPDX-License-Identifier: MIT */
/*
 * child.c - see child.h: what the child does to be harmless.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "agent/fork/child.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/fork/calls.h"
#include "agent/fork/child_report.h"
#include "base/mem_reserve.h"

enum {
	STACK = 64 << 10,
	STALL_S = 30 /* without any report, while it computes */
};

volatile uint64_t ag_child_progress;

/* Of the only child; its handlers have no other way to it. */
static const struct ag_fork *current;

/* ---- its end ------------------------------------------------------------- */

/*
 * For what ends the process on its alternate stack: there AddressSanitizer asks for
 * the bounds of the stack first, which opens a file, and that is refused.
 */
#define AG_ENDS __attribute__((no_sanitize_address))

AG_ENDS static _Noreturn void leave(const struct ag_fork *f,
				    const struct ag_child_report *r)
{
	const char *from = (const char *)r;
	size_t size = offsetof(struct ag_child_report, data) + r->size;

	while (size > 0) {
		ssize_t n = write(f->report[1], from, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		from += n;
		size -= (size_t)n;
	}
	_exit(r->end == AG_CHILD_DONE ? 0 : 1);
}

_Noreturn void ag_child_exit(const struct ag_fork *f, enum ag_child_end end,
			     const void *data, size_t size)
{
	struct ag_child_report r = { .end = end };

	r.size = size <= AG_CHILD_DATA_MOST ? (uint32_t)size : 0;
	memcpy(r.data, data, r.size);
	leave(f, &r);
}

AG_ENDS static _Noreturn void end_early(enum ag_child_end end, int signal)
{
	struct ag_child_report r = { .end = end };

	r.signal = (uint32_t)signal;
	leave(current, &r);
}

/* ---- signals ------------------------------------------------------------- */

AG_ENDS static void on_fatal(int signal)
{
	end_early(AG_CHILD_DIED, signal);
}

/* Somebody was to be woken when the walk was not over. */
static bool woken_early;

static void on_wake(void)
{
	current->over(current->user);
	woken_early = true;
}

/* After such a call the JVM may have given up its walk, and wait for work. */
static void on_wait(void)
{
	end_early(woken_early ? AG_CHILD_PARTIAL : AG_CHILD_LOCKED, 0);
}

static uint64_t cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec;
}

/* The clock of the scout tells when time is over, and only one may report it. */
static volatile sig_atomic_t scout_is_out;

/* Once a second. A child that waits for its reader uses no processor time. */
AG_ENDS static void on_tick(int signal)
{
	static uint64_t seen, seen_s;
	static unsigned ticks;

	(void)signal;
	if (++ticks > current->limit_s && !scout_is_out)
		end_early(AG_CHILD_LATE, 0);
	if (ag_child_progress != seen) {
		seen = ag_child_progress;
		seen_s = cpu_s();
	} else if (cpu_s() > seen_s + STALL_S) {
		end_early(AG_CHILD_STALLED, 0);
	}
}

static void handle(int signal, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler,
				    .sa_flags = SA_ONSTACK | SA_RESTART };

	sigaction(signal, &action, NULL);
}

/*
 * None of the JVM's handlers may run. SIGTERM ends the child; what a terminal
 * sends is meant for the JVM.
 */
static void set_signals(const struct ag_fork *f)
{
	static const int fatal[] = { SIGSEGV, SIGBUS,  SIGILL,
				     SIGFPE,  SIGABRT, SIGTRAP };
	const stack_t stack = { .ss_sp = f->stack, .ss_size = STACK };
	sigset_t none;

	sigaltstack(&stack, NULL);
	for (int i = 1; i < NSIG; i++)
		handle(i, SIG_IGN);
	handle(SIGTERM, SIG_DFL);
	handle(SIGCHLD, SIG_DFL); /* how a scout ended is of interest */
	for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
		handle(fatal[i], on_fatal);
	handle(SIGALRM, on_tick);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void start_clock(void)
{
	const struct itimerval each = { { 1, 0 }, { 1, 0 } };

	setitimer(ITIMER_REAL, &each, NULL);
}

/* ---- descriptors and memory ---------------------------------------------- */

static void close_between(unsigned first, unsigned last)
{
#ifdef SYS_close_range
	if (first > last || syscall(SYS_close_range, first, last, 0) == 0)
		return;
#endif
	struct rlimit most;

	if (getrlimit(RLIMIT_NOFILE, &most) == 0 && last >= most.rlim_cur)
		last = (unsigned)most.rlim_cur;
	for (unsigned fd = first; fd <= last; fd++)
		close((int)fd);
}

/*
 * Keeps two descriptors; the standard streams lead to nothing. That is opened last:
 * before, the JVM may have as many descriptors as it can.
 */
static void close_others(int a, int b)
{
	const unsigned low = (unsigned)(a < b ? a : b);
	const unsigned high = (unsigned)(a < b ? b : a);
	int null;

	if (low > 3)
		close_between(3, low - 1);
	if (high > low + 1)
		close_between(low + 1 > 3 ? low + 1 : 3, high - 1);
	close_between(high + 1 > 3 ? high + 1 : 3, ~0u);
	null = open("/dev/null", O_RDWR);
	for (int i = 0; i < 3; i++)
		if (i != a && i != b && (null < 0 || dup2(null, i) < 0))
			close(i);
	if (null > 2)
		close(null);
}

/* NULL on failure. */
static void *map(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

/* The counters stay those of the JVM: the child gets a copy of its own. */
static bool detach_counters(const struct ag_fork *f)
{
	const size_t size = (size_t)(f->counters_end - f->counters);
	void *at = (void *)(uintptr_t)f->counters;
	void *copy;

	if (size == 0)
		return true;
	copy = map(size);
	if (!copy)
		return false;
	memcpy(copy, at, size);
	return mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, at) ==
	       at;
}

/* If memory runs short, then this process is to be ended, not the JVM. */
static void be_first_to_go(void)
{
	const struct rlimit none = { 0, 0 };
	int fd = open("/proc/self/oom_score_adj", O_WRONLY);

	setrlimit(RLIMIT_CORE, &none);
	if (fd < 0)
		return;
	if (write(fd, "1000", 4) < 0)
		errno = 0; /* the kernel decides by size then */
	close(fd);
}

/*
 * It computes for seconds, and may not keep the JVM's threads from a processor,
 * as one of real-time priority would.
 */
static void run_as_others_do(void)
{
	const struct sched_param none = { 0 };
	const int policy = sched_getscheduler(0);

	if (policy == SCHED_FIFO || policy == SCHED_RR)
		sched_setscheduler(0, SCHED_OTHER, &none);
}

/* ---- the fork ------------------------------------------------------------ */

bool ag_fork_prepare(struct ag_fork *f)
{
	f->pid = 0;
	f->reserve = NULL;
	f->reserve_size = 0;
	f->stack = map(STACK);
	f->report[0] = f->report[1] = -1;
	f->parent = getpid();
	if (f->stack && pipe2(f->report, O_CLOEXEC) == 0)
		return true;
	ag_fork_done(f);
	return false;
}

bool ag_fork_reserve(struct ag_fork *f, size_t size)
{
	assert(!f->reserve);
	f->reserve = map(size);
	f->reserve_size = f->reserve ? size : 0;
	return f->reserve != NULL;
}

static void close_end(int *end)
{
	if (*end >= 0)
		close(*end);
	*end = -1;
}

void ag_fork_done(struct ag_fork *f)
{
	int why = errno;

	close_end(&f->report[0]);
	close_end(&f->report[1]);
	if (f->stack)
		munmap(f->stack, STACK);
	if (f->reserve)
		munmap(f->reserve, f->reserve_size);
	f->stack = f->reserve = NULL;
	errno = why;
}

/* The process would be of no use without its parent, but take memory. */
static void end_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
}

/*
 * Waits for the scout. If that failed then it has told the parent why, unless it
 * was killed.
 */
static void await_scout(pid_t scout)
{
	int status = 0;
	pid_t got;

	scout_is_out = true;
	do
		got = waitpid(scout, &status, 0);
	while (got < 0 && errno == EINTR);
	if (got == scout && WIFEXITED(status)) {
		if (WEXITSTATUS(status) != 0)
			_exit(1);
		scout_is_out = false;
		return;
	}
	end_early(AG_CHILD_DIED, got == scout ? WTERMSIG(status) : 0);
}

_Noreturn void ag_scout_exit(void)
{
	_exit(0);
}

/* True in the scout; false when it has ended. */
static bool send_scout(void)
{
	const pid_t child = getpid();
	const pid_t scout = fork();

	if (scout < 0)
		end_early(AG_CHILD_UNFIT, 0);
	if (scout > 0) {
		await_scout(scout);
		return false;
	}
	end_with(child);
	start_clock();
	return true;
}

static enum ag_side enter(const struct ag_fork *f)
{
	enum ag_side side = AG_SIDE_CHILD;

	current = f;
	hp_reserve_use(f->reserve, f->reserve_size);
	end_with(f->parent);
	set_signals(f);
	close_others(f->output, f->report[1]);
	be_first_to_go();
	run_as_others_do();
	prctl(PR_SET_NAME, "hprof-fork");
	start_clock();
	if (!detach_counters(f))
		end_early(AG_CHILD_UNFIT, 0);
	if (f->scouts && send_scout())
		side = AG_SIDE_SCOUT;
	if (!ag_calls_trap(on_wake, on_wait))
		end_early(AG_CHILD_UNFIT, 0);
	return side;
}

enum ag_side ag_fork_now(struct ag_fork *f)
{
	pid_t pid;

	assert(f->reserve && f->over && f->output >= 0 && f->report[1] >= 0);
	pid = fork();
	if (pid == 0)
		return enter(f);
	if (pid < 0) {
		f->error = errno;
		return AG_SIDE_NONE;
	}
	f->pid = pid;
	close_end(&f->report[1]);
	return AG_SIDE_PARENT;
}
