/* SPDX-License-Identifier: MIT */
/*
 * test_fork.c - what the agent's child does without its parent's threads: it
 * takes over what they held, waits for none, and has its own memory.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/fork/child.h"
#include "base/mem.h"

enum { RESERVE = 1 << 20 };

static const char passed[] = "passed";

static _Noreturn void pass(const struct ag_fork *f)
{
	ag_child_exit(f, AG_CHILD_DONE, passed, sizeof passed);
}

static void not_yet(void *user)
{
	(void)user;
}

/*
 * Forks. In the child this returns true. In the parent it checks that the child
 * ended in the way that is expected.
 */
static bool begins(struct ag_fork *f, enum ag_child_end expected, int signal)
{
	char data[sizeof passed] = "";
	int by = -1;

	f->output = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (!f->limit_s)
		f->limit_s = 100;
	if (!f->over)
		f->over = not_yet;
	f->user = f;
	cr_assert(ag_fork_prepare(f));
	cr_assert(ag_fork_reserve(f, RESERVE));
	switch (ag_fork_now(f)) {
	case AG_SIDE_CHILD:
		return true;
	case AG_SIDE_SCOUT:
		return true;
	case AG_SIDE_NONE:
		cr_assert(false, "it cannot fork");
		break;
	case AG_SIDE_PARENT:
		break;
	}
	cr_assert_eq(ag_fork_wait(f, data, sizeof data, &by), expected);
	cr_assert_eq(by, signal);
	if (expected == AG_CHILD_DONE)
		cr_assert_str_eq(data, passed);
	ag_fork_done(f);
	close(f->output);
	return false;
}

/* ---- a scout --------------------------------------------------------------- */

/* What it has written is there before the child goes on. */
Test(fork, a_scout_goes_first)
{
	struct ag_fork f = { .scouts = true };
	const pid_t test = getpid();
	int order[2];
	char said = 0;

	cr_assert_eq(pipe(order), 0);
	f.output = order[1];
	f.limit_s = 100;
	f.over = not_yet;
	cr_assert(ag_fork_prepare(&f) && ag_fork_reserve(&f, RESERVE));
	switch (ag_fork_now(&f)) {
	case AG_SIDE_SCOUT:
		said = getppid() != test && write(order[1], "s", 1) == 1;
		if (said)
			ag_scout_exit();
		_exit(1);
	case AG_SIDE_CHILD:
		if (getppid() == test && write(order[1], "c", 1) == 1)
			pass(&f);
		_exit(1);
	default:
		break;
	}
	char data[sizeof passed] = "";
	int by = -1;
	cr_assert_eq(ag_fork_wait(&f, data, sizeof data, &by), AG_CHILD_DONE);
	ag_fork_done(&f);
	cr_assert_eq(read(order[0], &said, 1), 1);
	cr_assert_eq(said, 's');
	cr_assert_eq(read(order[0], &said, 1), 1);
	cr_assert_eq(said, 'c');
	close(order[0]);
	close(order[1]);
}

/* Nobody but the scout gets here: the child ends without its result. */
Test(fork, a_scout_that_fails_says_why)
{
	struct ag_fork f = { .scouts = true };

	if (begins(&f, AG_CHILD_FAILED, 0))
		ag_child_exit(&f, AG_CHILD_FAILED, passed, sizeof passed);
}

Test(fork, a_scout_that_is_killed)
{
	struct ag_fork f = { .scouts = true };

	if (begins(&f, AG_CHILD_DIED, SIGKILL))
		raise(SIGKILL);
}

Test(fork, a_scout_that_does_not_end)
{
	struct ag_fork f = { .scouts = true, .limit_s = 1 };

	if (begins(&f, AG_CHILD_LATE, 0))
		for (;;)
			pause();
}

/* ---- locks --------------------------------------------------------------- */

struct holder {
	pthread_t thread;
	pthread_mutex_t mutex;
	sem_t held, enough;
};

static void *hold(void *user)
{
	struct holder *h = user;

	pthread_mutex_lock(&h->mutex);
	sem_post(&h->held);
	while (sem_wait(&h->enough) != 0)
		;
	pthread_mutex_unlock(&h->mutex);
	return NULL;
}

/* Another thread takes a mutex of that kind. */
static void start_holder(struct holder *h, int kind)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, kind);
	pthread_mutex_init(&h->mutex, &attributes);
	sem_init(&h->held, 0, 0);
	sem_init(&h->enough, 0, 0);
	cr_assert_eq(pthread_create(&h->thread, NULL, hold, h), 0);
	while (sem_wait(&h->held) != 0)
		;
}

static void end_holder(struct holder *h)
{
	/* Here it is still held. */
	cr_assert_eq(pthread_mutex_trylock(&h->mutex), EBUSY);
	sem_post(&h->enough);
	pthread_join(h->thread, NULL);
	cr_assert_eq(pthread_mutex_trylock(&h->mutex), 0);
}

static void check_mutex(int kind)
{
	struct ag_fork f = { 0 };
	struct holder h;

	start_holder(&h, kind);
	if (begins(&f, AG_CHILD_DONE, 0)) {
		for (int i = 0; i < 3; i++)
			if (pthread_mutex_lock(&h.mutex) != 0 ||
			    pthread_mutex_unlock(&h.mutex) != 0)
				_exit(1);
		pass(&f);
	}
	end_holder(&h);
}

Test(fork, a_mutex_of_another_thread_is_taken_over)
{
	check_mutex(PTHREAD_MUTEX_NORMAL);
	check_mutex(PTHREAD_MUTEX_RECURSIVE);
	check_mutex(PTHREAD_MUTEX_ERRORCHECK);
	check_mutex(PTHREAD_MUTEX_ADAPTIVE_NP);
}

Test(fork, it_does_not_wait_for_an_event)
{
	struct ag_fork f = { 0 };
	sem_t never;

	sem_init(&never, 0, 0);
	if (begins(&f, AG_CHILD_LOCKED, 0)) {
		sem_wait(&never);
		pass(&f);
	}
}

/* The value is that of a mutex, but there is no mutex. */
Test(fork, what_is_no_mutex_is_not_taken_over)
{
	struct ag_fork f = { 0 };
	uint32_t words[10] = { 2, 0, 77, 7, 99 };

	if (begins(&f, AG_CHILD_LOCKED, 0)) {
		syscall(SYS_futex, words, FUTEX_WAIT_PRIVATE, 2, NULL);
		pass(&f);
	}
}

static void is_over(void *user)
{
	pass(user);
}

/* How many threads were woken. */
static long wake(uint32_t *word)
{
	return syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
}

Test(fork, a_thread_that_is_woken_is_the_end)
{
	struct ag_fork f = { .over = is_over };
	uint32_t word = 0;

	if (begins(&f, AG_CHILD_DONE, 0)) {
		wake(&word);
		_exit(1);
	}
}

/* Nobody is woken, of which the caller is told. */
Test(fork, it_goes_on_after_what_is_woken_too_early)
{
	struct ag_fork f = { 0 };
	uint32_t word = 0;

	if (begins(&f, AG_CHILD_DONE, 0)) {
		for (int i = 0; i < 3; i++)
			if (wake(&word) != 0)
				_exit(1);
		pass(&f);
	}
}

Test(fork, a_walk_that_is_given_up)
{
	struct ag_fork f = { 0 };
	uint32_t word = 0;
	sem_t never;

	sem_init(&never, 0, 0);
	if (begins(&f, AG_CHILD_PARTIAL, 0)) {
		wake(&word);
		sem_wait(&never);
		pass(&f);
	}
}

/* ---- memory, files, crashes ---------------------------------------------- */

static bool is_within(const struct ag_fork *f, const char *at)
{
	return at >= f->reserve && at < f->reserve + f->reserve_size;
}

/* What was allocated by the parent keeps its contents when it grows. */
static bool grows_well(const struct ag_fork *f, char *text)
{
	char *grown = hp_realloc(text, 1000, 1);
	char *again = grown ? hp_realloc(grown, 5000, 1) : NULL;

	return again && is_within(f, grown) && is_within(f, again) &&
	       memcmp(again, "of the parent", 14) == 0;
}

static bool is_used_again(const struct ag_fork *f)
{
	for (int i = 0; i < 100000; i++) {
		char *cleared = hp_calloc(10, 100);

		if (!cleared || !is_within(f, cleared) || cleared[i % 1000])
			return false;
		memset(cleared, 1, 1000);
		hp_free(cleared);
	}
	return true;
}

Test(fork, its_memory_is_the_reserve)
{
	struct ag_fork f = { 0 };
	char *text = hp_strdup("of the parent");

	if (begins(&f, AG_CHILD_DONE, 0)) {
		hp_free(hp_strdup("anything"));
		if (grows_well(&f, text) && is_used_again(&f) &&
		    !hp_alloc(RESERVE) && !hp_alloc(SIZE_MAX) &&
		    !hp_calloc(SIZE_MAX, 2) && hp_alloc(0) &&
		    hp_alloc(RESERVE / 4))
			pass(&f);
		_exit(1);
	}
	hp_free(text);
}

Test(fork, it_opens_and_starts_nothing)
{
	struct ag_fork f = { 0 };
	char *const none[] = { NULL };

	if (begins(&f, AG_CHILD_DONE, 0)) {
		if (open("/dev/null", O_RDONLY) < 0 && errno == EPERM &&
		    execve("/bin/true", none, none) < 0 && errno == EPERM &&
		    fork() < 0 && errno == EPERM)
			pass(&f);
		_exit(1);
	}
}

Test(fork, a_signal)
{
	struct ag_fork f = { 0 };

	if (begins(&f, AG_CHILD_DIED, SIGTERM)) {
		raise(SIGTERM);
		pass(&f);
	}
}

#ifndef __SANITIZE_ADDRESS__ /* which has handlers of its own */
Test(fork, a_crash)
{
	struct ag_fork f = { 0 };

	if (begins(&f, AG_CHILD_DIED, SIGSEGV)) {
		raise(SIGSEGV);
		pass(&f);
	}
}
#endif
