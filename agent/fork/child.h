/* SPDX-License-Identifier: MIT */
/*
 * child.h - a process that is forked from within a heap callback, and finishes
 * the walk on the heap as it was.
 *
 * The JVM has stopped all Java threads and calls the agent from one of its own.
 * fork() copies that thread alone, which goes on in the child until the walk is
 * over. The JVM's code behind the walk must not run there: it would wake
 * threads that do not exist. The first thing that it does is a futex call, so
 * the kernel is told to send a signal instead of executing one, and the handler
 * does not return. What wakes somebody before, as a log does that others wait for,
 * wakes nobody, and the walk goes on. If the walk needs a mutex that another thread
 * held when the process was forked, then it is taken over; if it waits for anything
 * else, then the child ends, instead of waiting forever.
 */
#ifndef AG_CHILD_H
#define AG_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* How the child ended; the numbers are those of hprof-agent(7), as above. */
enum ag_child_end {
	AG_CHILD_DONE = 0,
	AG_CHILD_FAILED = 1,   /* with a message of its own */
	AG_CHILD_DIED = 20,    /* killed, or by a fatal signal */
	AG_CHILD_LATE = 21,    /* the time limit */
	AG_CHILD_LOCKED = 22,  /* it waited for another thread */
	AG_CHILD_STALLED = 23, /* the JVM's walk made no progress */
	AG_CHILD_PARTIAL = 24, /* the walk ended early */
	AG_CHILD_UNFIT = 25    /* it could not be set up */
};

/* Called in the child when the walk may be over; if it is, it must not return. */
typedef void ag_child_over(void *user);

struct ag_fork {
	/* Set by the caller. */
	int output; /* the only descriptor that the child keeps */
	unsigned limit_s;
	bool scouts; /* the child forks a scout, and waits for it */
	uint64_t counters, counters_end; /* see struct ag_maps */
	ag_child_over *over;
	void *user;

	int report[2];
	char *stack;   /* of signal handlers */
	char *reserve; /* all memory that the child allocates */
	size_t reserve_size;
	pid_t parent, pid;
	int error; /* errno of fork() */
};

enum ag_side {
	AG_SIDE_PARENT,
	AG_SIDE_CHILD,
	AG_SIDE_SCOUT, /* the child's child */
	AG_SIDE_NONE   /* no fork */
};

/* Allocates what the child needs; false, with errno set, on failure. */
bool ag_fork_prepare(struct ag_fork *fork);
void ag_fork_done(struct ag_fork *fork);

/*
 * Sets SIZE bytes aside, from which the child's hp_alloc takes; pages are only
 * committed when touched. malloc is not called there by the agent, though it is
 * by the JVM; see hprof-agent(7). False, with errno set, on failure.
 */
bool ag_fork_reserve(struct ag_fork *fork, size_t size);

/*
 * Forks. In the child everything is set up when this returns. A scout has the same
 * snapshot, and goes on first; only if it ends by ag_scout_exit does the child go
 * on, too. If it ends in another way, so does the child.
 */
enum ag_side ag_fork_now(struct ag_fork *fork);
_Noreturn void ag_scout_exit(void);

/* Of the child: something was reported by the JVM. */
extern volatile uint64_t ag_child_progress;

/* Ends the child, and passes SIZE bytes, at most 2048, to ag_fork_wait. */
_Noreturn void ag_child_exit(const struct ag_fork *fork, enum ag_child_end end,
			     const void *data, size_t size);

/*
 * Waits in the parent until the child has ended. RET_DATA gets what it passed,
 * if it ended by ag_child_exit with as many bytes; *RET_SIGNAL the signal that
 * ended it, or 0. A child that is stopped keeps no time: it is killed some
 * seconds after its limit.
 */
enum ag_child_end ag_fork_wait(struct ag_fork *fork, void *ret_data,
			       size_t size, int *ret_signal);

/* What ended the child, as a sentence without a full stop. */
const char *ag_child_text(enum ag_child_end end);

#endif
