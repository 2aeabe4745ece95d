/* SPDX-License-Identifier: MIT */
/*
 * site_counts.c - see site_counts.h.
 *
 * A thread's table is an open hash table that only its owner writes. Whatever
 * moves memory (new cells, growth, the end of a thread) is done under the lock,
 * and so is reading: only the two counts of a cell may change meanwhile, and
 * these are atomic.
 */
#include "agent/profile/site_counts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "base/u64_map.h"

enum { FIRST_CELLS = 64 };

struct cell {
	uint64_t key; /* 0: free; a class has a number above 0, or a trace */
	uint32_t site;
	_Atomic uint64_t parts, bytes;
};

/* The table of one thread. */
struct local {
	struct ag_site_counts *owner;
	struct local *next, **link;
	struct cell *cells;
	size_t room, used; /* room is a power of two */
};

struct ag_site_counts {
	pthread_mutex_t lock; /* of all that follows */
	struct local *locals;
	struct hp_u64_map sites;  /* keys to numbers */
	struct ag_site_sum *sums; /* by number - 1: of no thread's table */
	struct ag_site_sum *base; /* what was cleared; BASE_COUNT of them */
	size_t count, room, base_count;
	_Atomic uint64_t lost;
};

static _Thread_local struct local *mine;

static uint64_t key_of(uint32_t trace, uint32_t class_number)
{
	return (uint64_t)trace << 32 | class_number;
}

/* ---- the table of a thread ----------------------------------------------- */

static size_t place_of(uint64_t key, size_t room)
{
	key *= 0x9e3779b97f4a7c15u;
	return (size_t)(key >> 32) & (room - 1);
}

/* The cell with the key, or the free one where it belongs. */
static struct cell *find_cell(struct cell *cells, size_t room, uint64_t key)
{
	size_t i = place_of(key, room);

	while (cells[i].key != 0 && cells[i].key != key)
		i = (i + 1) & (room - 1);
	return &cells[i];
}

static void increase(_Atomic uint64_t *count, uint64_t by)
{
	atomic_store_explicit(
		count, atomic_load_explicit(count, memory_order_relaxed) + by,
		memory_order_relaxed);
}

static bool grow(struct local *l)
{
	size_t room = l->room ? 2 * l->room : FIRST_CELLS;
	struct cell *cells = hp_calloc(room, sizeof *cells);

	if (!cells)
		return false;
	for (size_t i = 0; i < l->room; i++) {
		const struct cell *from = &l->cells[i];
		struct cell *to = find_cell(cells, room, from->key);

		if (from->key == 0)
			continue;
		to->key = from->key;
		to->site = from->site;
		increase(&to->parts, from->parts);
		increase(&to->bytes, from->bytes);
	}
	hp_free(l->cells);
	l->cells = cells;
	l->room = room;
	return true;
}

/* Adds the counts of a table to SUMS. */
static void add_up(const struct local *l, struct ag_site_sum *sums)
{
	for (size_t i = 0; i < l->room; i++) {
		const struct cell *c = &l->cells[i];

		if (c->key == 0)
			continue;
		sums[c->site - 1].parts +=
			atomic_load_explicit(&c->parts, memory_order_relaxed);
		sums[c->site - 1].bytes +=
			atomic_load_explicit(&c->bytes, memory_order_relaxed);
	}
}

static void unlink_local(struct local *l)
{
	*l->link = l->next;
	if (l->next)
		l->next->link = l->link;
	hp_free(l->cells);
	hp_free(l);
}

/* The thread ends. */
static void retire(void *local)
{
	struct local *l = local;
	struct ag_site_counts *c = l->owner;

	mine = NULL;
	pthread_mutex_lock(&c->lock);
	add_up(l, c->sums);
	unlink_local(l);
	pthread_mutex_unlock(&c->lock);
}

/*
 * A destructor of the C library, rather than an event of the JVM: a thread may
 * allocate after its last event.
 */
static pthread_key_t at_end;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_key(void)
{
	pthread_key_create(&at_end, retire);
}

/*
 * The lock is held. A table of counts that are no longer in use is left to
 * them: they are never freed while threads count.
 */
static struct local *make_local(struct ag_site_counts *c)
{
	struct local *l = hp_calloc(1, sizeof *l);

	if (!l)
		return NULL;
	l->owner = c;
	l->next = c->locals;
	l->link = &c->locals;
	if (l->next)
		l->next->link = &l->next;
	c->locals = l;
	pthread_setspecific(at_end, l);
	mine = l;
	return l;
}

/* ---- sites --------------------------------------------------------------- */

struct ag_site_counts *ag_site_counts_new(void)
{
	struct ag_site_counts *c = hp_calloc(1, sizeof *c);

	if (!c)
		return NULL;
	if (hp_u64_map_init(&c->sites, 3) != HPROF_OK) {
		hp_free(c);
		return NULL;
	}
	pthread_once(&once, make_key);
	pthread_mutex_init(&c->lock, NULL);
	return c;
}

void ag_site_counts_free(struct ag_site_counts *c)
{
	if (!c)
		return;
	while (c->locals) {
		if (c->locals == mine) {
			mine = NULL;
			pthread_setspecific(at_end, NULL);
		}
		unlink_local(c->locals);
	}
	hp_u64_map_done(&c->sites);
	hp_free(c->sums);
	hp_free(c->base);
	pthread_mutex_destroy(&c->lock);
	hp_free(c);
}

/* The number of a site; 0 without memory. The lock is held. */
static uint32_t number_of(struct ag_site_counts *c, uint32_t trace,
			  uint32_t class_number)
{
	const uint64_t key = key_of(trace, class_number);
	const uintptr_t known = (uintptr_t)hp_u64_map_get(&c->sites, key);

	if (known)
		return (uint32_t)known;
	if (c->count == UINT32_MAX - 1 ||
	    hp_grow((void **)&c->sums, &c->room, c->count, sizeof *c->sums) !=
		    HPROF_OK ||
	    hp_u64_map_put(&c->sites, key, (void *)(c->count + 1)) != HPROF_OK)
		return 0;
	c->sums[c->count++] =
		(struct ag_site_sum){ .trace = trace,
				      .class_number = class_number };
	return (uint32_t)c->count;
}

/* Makes a cell for the site; NULL without memory. The lock is held. */
static struct cell *add_cell(struct ag_site_counts *c, uint64_t key,
			     uint32_t site)
{
	struct local *l = mine && mine->owner == c ? mine : make_local(c);
	struct cell *cell;

	if (!l || (2 * l->used >= l->room && !grow(l)))
		return NULL;
	cell = find_cell(l->cells, l->room, key);
	cell->key = key;
	cell->site = site;
	l->used++;
	return cell;
}

/* The first allocation of this thread at a site. */
static uint32_t add_slowly(struct ag_site_counts *c, uint32_t trace,
			   uint32_t class_number, uint64_t parts,
			   uint64_t bytes)
{
	struct cell *cell;
	uint32_t site;

	pthread_mutex_lock(&c->lock);
	site = number_of(c, trace, class_number);
	if (site) {
		cell = add_cell(c, key_of(trace, class_number), site);
		if (cell) {
			increase(&cell->parts, parts);
			increase(&cell->bytes, bytes);
		} else {
			c->sums[site - 1].parts += parts;
			c->sums[site - 1].bytes += bytes;
		}
	}
	pthread_mutex_unlock(&c->lock);
	if (!site)
		ag_site_counts_lose(c, parts);
	return site;
}

uint32_t ag_site_counts_add(struct ag_site_counts *c, uint32_t trace,
			    uint32_t class_number, uint64_t parts,
			    uint64_t bytes)
{
	const uint64_t key = key_of(trace, class_number);
	struct local *l = mine;
	struct cell *cell;

	if (l && l->owner == c && l->room) {
		cell = find_cell(l->cells, l->room, key);
		if (cell->key == key) {
			increase(&cell->parts, parts);
			increase(&cell->bytes, bytes);
			return cell->site;
		}
	}
	return add_slowly(c, trace, class_number, parts, bytes);
}

void ag_site_counts_lose(struct ag_site_counts *c, uint64_t parts)
{
	atomic_fetch_add(&c->lost, parts);
}

/* ---- sums ---------------------------------------------------------------- */

/* All counts since the beginning. NULL without memory. The lock is held. */
static struct ag_site_sum *sum(const struct ag_site_counts *c)
{
	struct ag_site_sum *sums = hp_calloc(c->count + 1, sizeof *sums);

	if (!sums)
		return NULL;
	if (c->count)
		memcpy(sums, c->sums, c->count * sizeof *sums);
	for (const struct local *l = c->locals; l; l = l->next)
		add_up(l, sums);
	return sums;
}

struct ag_site_sum *ag_site_counts_sum(struct ag_site_counts *c,
				       size_t *ret_count, uint64_t *ret_lost)
{
	struct ag_site_sum *sums;

	pthread_mutex_lock(&c->lock);
	sums = sum(c);
	for (size_t i = 0; sums && i < c->base_count; i++) {
		sums[i].parts -= c->base[i].parts;
		sums[i].bytes -= c->base[i].bytes;
	}
	*ret_count = c->count;
	pthread_mutex_unlock(&c->lock);
	*ret_lost = atomic_load(&c->lost) / AG_OBJECT_PARTS;
	return sums;
}

void ag_site_counts_clear(struct ag_site_counts *c)
{
	struct ag_site_sum *sums;

	pthread_mutex_lock(&c->lock);
	sums = sum(c);
	if (sums) {
		hp_free(c->base);
		c->base = sums;
		c->base_count = c->count;
		atomic_store(&c->lost, 0);
	}
	pthread_mutex_unlock(&c->lock);
}
