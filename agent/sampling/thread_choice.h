/* SPDX-License-Identifier: MIT */
/*
 * thread_choice.h - the threads whose samples count: all or none, but for some.
 * Threads are known by serial. Not safe for several threads at a time.
 */
#ifndef AG_THREAD_CHOICE_H
#define AG_THREAD_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AG_CHOICE_MOST = 256 };

/* Begin with { 0 }: all threads. */
struct ag_thread_choice {
	bool none; /* the others than these */
	size_t count;
	uint32_t but[AG_CHOICE_MOST];
};

/* All threads, or none; what was said of single ones is forgotten. */
void ag_choice_all(struct ag_thread_choice *choice, bool on);

/* One thread. False if too many differ from the rest. */
bool ag_choice_one(struct ag_thread_choice *choice, uint32_t thread, bool on);

bool ag_choice_has(const struct ag_thread_choice *choice, uint32_t thread);

#endif
