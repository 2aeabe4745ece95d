/* SPDX-License-Identifier: MIT */
/*
 * thread.h - starts the library's threads, and decides how many to use.
 */
#ifndef HP_THREAD_H
#define HP_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/*
 * Starts a thread that runs RUN(ARGUMENT) with all signals blocked, so that
 * handlers of the program keep running in its own threads. False, with *RET
 * undefined, if the system refuses: the caller then does without the thread.
 */
bool hp_thread_start(pthread_t *ret, void *(*run)(void *), void *argument);

/*
 * The number of threads to use where an input or options ask for WANTED:
 * 0 stands for the CPUs that the process may use, but at most 8. The result
 * is from 1 to 256.
 */
unsigned hp_thread_count(unsigned wanted);

#endif
