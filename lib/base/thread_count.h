/* SPDX-License-Identifier: MIT */
/*
 * thread_count.h - what the number of threads in an input or in options means.
 */
#ifndef HP_THREAD_COUNT_H
#define HP_THREAD_COUNT_H

/*
 * How many threads WANTED are: 0 stands for the CPUs that the process may use,
 * at most 8. At least 1; there is a limit far above what is of use.
 */
unsigned hp_thread_count(unsigned wanted);

#endif
