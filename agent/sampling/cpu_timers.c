/* SPDX-License-Identifier: MIT */
/*
 * cpu_timers.c - see cpu_timers.h.
 *
 * Counters of perf_event_open keep to their period; timers of POSIX are looked
 * at only when the kernel's clock ticks (each 4 ms or so), and say afterwards
 * how many periods went by. Not every process may open counters (a container's
 * filter of system calls, perf_event_paranoid), and each takes a file
 * descriptor, of which the program must keep most. So there is a counter where
 * one can be had, else a timer.
 */
#include "agent/sampling/cpu_timers.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

enum { BUCKETS = 1024, COUNTERS_MOST = 1024 };

struct timer {
	struct timer *next;
	pid_t tid;
	uint32_t serial;
	int fd;	   /* of a counter, or -1 */
	int timer; /* the kernel's number, if there is no counter */
};

static struct {
	pthread_mutex_t lock;
	struct timer *buckets[BUCKETS];
	int signal_number;
	uint64_t interval_ns;
	unsigned open, open_most; /* counters */
	struct ag_timers_kind kind;
} the = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct timer **bucket_of(pid_t tid)
{
	return &the.buckets[(unsigned)tid % BUCKETS];
}

void ag_timers_init(int signal_number, uint64_t interval_ns)
{
	struct rlimit files = { 0, 0 };

	getrlimit(RLIMIT_NOFILE, &files);
	pthread_mutex_lock(&the.lock);
	the.signal_number = signal_number;
	the.interval_ns = interval_ns;
	the.open_most = files.rlim_cur / 4 < COUNTERS_MOST
				? (unsigned)(files.rlim_cur / 4)
				: COUNTERS_MOST;
	the.kind = (struct ag_timers_kind){ 0, 0, 0 };
	pthread_mutex_unlock(&the.lock);
}

/* ---- counters ------------------------------------------------------------ */

static int open_counter(pid_t tid, bool with_kernel)
{
	struct perf_event_attr a;

	memset(&a, 0, sizeof a);
	a.size = sizeof a;
	a.type = PERF_TYPE_SOFTWARE;
	a.config = PERF_COUNT_SW_CPU_CLOCK;
	a.sample_period = the.interval_ns;
	a.exclude_kernel = !with_kernel;
	a.exclude_hv = 1;
	a.disabled = 1;
	a.wakeup_events = 1;
	return (int)syscall(SYS_perf_event_open, &a, tid, -1, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

static bool start_counter(int fd, pid_t tid)
{
	const struct f_owner_ex owner = { F_OWNER_TID, tid };

	return fcntl(fd, F_SETFL, O_ASYNC) == 0 &&
	       fcntl(fd, F_SETSIG, the.signal_number) == 0 &&
	       fcntl(fd, F_SETOWN_EX, &owner) == 0 &&
	       ioctl(fd, PERF_EVENT_IOC_REFRESH, 1) == 0;
}

/* -1 if there is none for this thread. */
static int add_counter(pid_t tid)
{
	int fd;

	if (the.open >= the.open_most)
		return -1;
	fd = open_counter(tid, true);
	if (fd < 0)
		fd = open_counter(tid, false);
	if (fd < 0)
		return -1;
	if (!start_counter(fd, tid)) {
		close(fd);
		return -1;
	}
	the.open++;
	the.kind.counters++;
	return fd;
}

/* ---- timers -------------------------------------------------------------- */

/* The clock of the CPU time of any thread of this process, as Linux has it. */
static clockid_t clock_of(pid_t tid)
{
	enum { PER_THREAD = 4, SCHEDULED = 2 };

	return (clockid_t)((~(unsigned)tid << 3) | PER_THREAD | SCHEDULED);
}

/*
 * By system calls: timer_create of the C library allocates, and its struct
 * has no member for the thread that all libraries agree upon.
 */
static bool add_timer(pid_t tid, int *ret)
{
	const struct timespec period = {
		(time_t)(the.interval_ns / 1000000000),
		(long)(the.interval_ns % 1000000000),
	};
	const struct itimerspec when = { period, period };
	struct sigevent event;
	int timer;

	memset(&event, 0, sizeof event);
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = the.signal_number;
	event.sigev_value.sival_ptr = &the;
	/* The first word after sigev_notify, in the kernel's layout. */
	memcpy((char *)&event + offsetof(struct sigevent, sigev_notify) +
		       sizeof event.sigev_notify,
	       &tid, sizeof tid);
	if (syscall(SYS_timer_create, clock_of(tid), &event, &timer))
		return false;
	if (syscall(SYS_timer_settime, timer, 0, &when, NULL)) {
		syscall(SYS_timer_delete, timer);
		return false;
	}
	the.kind.timers++;
	*ret = timer;
	return true;
}

/* ---- both ---------------------------------------------------------------- */

static void stop(struct timer *t)
{
	if (t->fd < 0) {
		syscall(SYS_timer_delete, t->timer);
		return;
	}
	close(t->fd);
	the.open--;
}

static struct timer **find(pid_t tid)
{
	struct timer **t = bucket_of(tid);

	while (*t && (*t)->tid != tid)
		t = &(*t)->next;
	return t;
}

static bool start(pid_t tid, uint32_t serial)
{
	struct timer *t;

	if (*find(tid))
		return true;
	t = hp_calloc(1, sizeof *t);
	if (!t)
		return false;
	t->tid = tid;
	t->serial = serial;
	t->fd = add_counter(tid);
	if (t->fd < 0 && !add_timer(tid, &t->timer)) {
		hp_free(t);
		return false;
	}
	t->next = *bucket_of(tid);
	*bucket_of(tid) = t;
	return true;
}

bool ag_timers_add(pid_t tid, uint32_t serial)
{
	bool done;

	pthread_mutex_lock(&the.lock);
	done = start(tid, serial);
	the.kind.refused += !done;
	pthread_mutex_unlock(&the.lock);
	return done;
}

uint32_t ag_timers_serial(pid_t tid)
{
	const struct timer *t;
	uint32_t serial;

	pthread_mutex_lock(&the.lock);
	t = *find(tid);
	serial = t ? t->serial : 0;
	pthread_mutex_unlock(&the.lock);
	return serial;
}

static void take_out(struct timer **at)
{
	struct timer *t = *at;

	*at = t->next;
	stop(t);
	hp_free(t);
}

void ag_timers_remove(pid_t tid)
{
	struct timer **t;

	pthread_mutex_lock(&the.lock);
	t = find(tid);
	if (*t)
		take_out(t);
	pthread_mutex_unlock(&the.lock);
}

void ag_timers_remove_all(void)
{
	pthread_mutex_lock(&the.lock);
	for (size_t i = 0; i < BUCKETS; i++)
		while (the.buckets[i])
			take_out(&the.buckets[i]);
	pthread_mutex_unlock(&the.lock);
}

struct ag_timers_kind ag_timers_kind(void)
{
	struct ag_timers_kind kind;

	pthread_mutex_lock(&the.lock);
	kind = the.kind;
	pthread_mutex_unlock(&the.lock);
	return kind;
}

/* ---- in handlers --------------------------------------------------------- */

static bool is_counter(const siginfo_t *info)
{
	return info->si_code >= POLL_IN && info->si_code <= POLL_HUP;
}

uint64_t ag_timers_weight(const siginfo_t *info)
{
	if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &the)
		return info->si_overrun > 0 ? 1 + (uint64_t)info->si_overrun
					    : 1;
	return is_counter(info);
}

void ag_timers_rearm(const siginfo_t *info)
{
	if (is_counter(info))
		ioctl(info->si_fd, PERF_EVENT_IOC_REFRESH, 1);
}
