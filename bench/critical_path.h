/* SPDX-License-Identifier: MIT */
/*
 * critical_path.h - how long work would take if each of its threads had a
 * processor of its own, told from their processor time: so that other programs
 * on the machine hardly matter.
 *
 * The program is linked so that its calls of pthread_create and pthread_join
 * come here. From the start of a thread until all are joined, the thread with
 * the most processor time counts; otherwise the main thread. Waiting for disks
 * and locks does not count. All threads must be started by the main thread.
 */
#ifndef BENCH_CRITICAL_PATH_H
#define BENCH_CRITICAL_PATH_H

/* Seconds so far, while no other thread runs. */
double critical_path_seconds(void);

#endif
