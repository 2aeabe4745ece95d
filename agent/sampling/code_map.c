/* SPDX-License-Identifier: MIT */
/*
 * code_map.c - see code_map.h. A hash table of pages: a page's entries are the
 * pieces of code that reach into it. Code comes and goes all the time, while it
 * is looked for only where a stack had lost its first frame. What does not fit
 * into memory is not found.
 */
#include "agent/sampling/code_map.h"

#include <pthread.h>
#include <stddef.h>

#include "base/mem.h"

enum { PAGE = 4096, BUCKETS = 4096 };

struct piece {
	struct piece *next;
	uintptr_t start, end;
	jmethodID method;
};

static struct piece *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct piece **bucket_of(uintptr_t address)
{
	return &buckets[address / PAGE % BUCKETS];
}

static struct piece *find(uintptr_t address)
{
	struct piece *p = *bucket_of(address);

	while (p && (address < p->start || address >= p->end))
		p = p->next;
	return p;
}

/* In the bucket of the page of ADDRESS. */
static void add(uintptr_t address, struct piece piece)
{
	struct piece *p = hp_alloc(sizeof *p);

	if (!p)
		return;
	piece.next = *bucket_of(address);
	*p = piece;
	*bucket_of(address) = p;
}

static void remove_all(uintptr_t address, uintptr_t start)
{
	struct piece **p = bucket_of(address);

	while (*p) {
		struct piece *gone = *p;

		if (gone->start == start) {
			*p = gone->next;
			hp_free(gone);
		} else {
			p = &gone->next;
		}
	}
}

static void forget(uintptr_t start)
{
	const struct piece *p = find(start);
	uintptr_t end;

	if (!p || p->start != start)
		return;
	end = p->end;
	for (uintptr_t page = start / PAGE; page <= (end - 1) / PAGE; page++)
		remove_all(page * PAGE, start);
}

void ag_code_add(jmethodID method, const void *code, uintptr_t size)
{
	const uintptr_t start = (uintptr_t)code, end = start + size;

	if (size == 0 || end < start)
		return;
	pthread_mutex_lock(&lock);
	forget(start);
	for (uintptr_t page = start / PAGE; page <= (end - 1) / PAGE; page++)
		add(page * PAGE, (struct piece){ NULL, start, end, method });
	pthread_mutex_unlock(&lock);
}

void ag_code_remove(const void *code)
{
	pthread_mutex_lock(&lock);
	forget((uintptr_t)code);
	pthread_mutex_unlock(&lock);
}

jmethodID ag_code_method(uintptr_t address)
{
	const struct piece *p;
	jmethodID method;

	pthread_mutex_lock(&lock);
	p = find(address);
	method = p ? p->method : NULL;
	pthread_mutex_unlock(&lock);
	return method;
}
