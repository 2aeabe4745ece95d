/* SPDX-License-Identifier: MIT */
/*
 * thread_choice.c - see thread_choice.h.
 */
#include "agent/sampling/thread_choice.h"

void ag_choice_all(struct ag_thread_choice *c, bool on)
{
	c->none = !on;
	c->count = 0;
}

/* The place of the thread among those that differ; COUNT if it is none. */
static size_t find(const struct ag_thread_choice *c, uint32_t thread)
{
	size_t i = 0;

	while (i < c->count && c->but[i] != thread)
		i++;
	return i;
}

bool ag_choice_has(const struct ag_thread_choice *c, uint32_t thread)
{
	return (find(c, thread) < c->count) == c->none;
}

bool ag_choice_one(struct ag_thread_choice *c, uint32_t thread, bool on)
{
	const size_t at = find(c, thread);

	if (ag_choice_has(c, thread) == on)
		return true;
	if (at < c->count) {
		c->but[at] = c->but[--c->count];
		return true;
	}
	if (c->count == AG_CHOICE_MOST)
		return false;
	c->but[c->count++] = thread;
	return true;
}
