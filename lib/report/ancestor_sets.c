/* SPDX-License-Identifier: MIT */
/*
 * ancestor_sets.c - see ancestor_sets.h.
 *
 * A program whose objects nest in arbitrary order, such as a compiler, has more
 * sets than are worth keeping. In that case too_many is set, early.
 */
#include "report/ancestor_sets.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"

enum { ELEMENTS_MOST = 1 << 21 };

enum hprof_status hp_ancestor_sets_begin(struct hp_ancestor_sets *all,
					 bool paths)
{
	*all = (struct hp_ancestor_sets){ .paths = paths };
	pthread_mutex_init(&all->lock, NULL);
	all->items = hp_calloc(2, sizeof *all->items);
	all->room = 2;
	all->count = 1; /* number 0 means none */
	HP_TRY(hp_u64_map_init(&all->steps, 2));
	return all->items ? HPROF_OK : HPROF_E_NOMEM;
}

void hp_ancestor_sets_end(struct hp_ancestor_sets *all)
{
	pthread_mutex_destroy(&all->lock);
	hp_free(all->items);
	hp_u64_map_done(&all->steps);
	hp_arena_done(&all->arena);
}

static uint16_t *head_of(struct hp_ancestor_sets *all,
			 const struct hp_ancestor_set *of)
{
	uint32_t hash = of->label;

	for (uint32_t i = 0; i < of->count; i++)
		hash = (hash ^ of->kinds[i]) * 0x9e3779b1;
	return &all->heads[hash >> 20];
}

static bool is_same(const struct hp_ancestor_set *a,
		    const struct hp_ancestor_set *b)
{
	return a->label == b->label && a->count == b->count &&
	       (!a->count ||
		!memcmp(a->kinds, b->kinds, a->count * sizeof *a->kinds));
}

/* The number of a new set, which takes over LIKE's elements. */
static uint16_t add(struct hp_ancestor_sets *all,
		    const struct hp_ancestor_set *like)
{
	uint16_t at;

	if (all->count > HP_ANCESTOR_SETS_MOST ||
	    all->elements + like->count > ELEMENTS_MOST) {
		all->too_many = true;
		return 0;
	}
	if (hp_grow((void **)&all->items, &all->room, all->count,
		    sizeof *all->items) != HPROF_OK) {
		all->no_memory = true;
		return 0;
	}
	at = (uint16_t)all->count++;
	all->items[at] = *like;
	all->elements += like->count;
	return at;
}

/* The number of the set that equals LIKE. */
static uint16_t take(struct hp_ancestor_sets *all,
		     const struct hp_ancestor_set *like)
{
	uint16_t *head = head_of(all, like), at = *head;

	while (at && !is_same(&all->items[at], like))
		at = all->items[at].next;
	if (at)
		return at;
	at = add(all, like);
	if (at) {
		all->items[at].next = *head;
		*head = at;
	}
	return at;
}

uint16_t hp_ancestor_sets_empty(struct hp_ancestor_sets *all, uint32_t label)
{
	struct hp_ancestor_set like = { .label = label };
	uint16_t number;

	pthread_mutex_lock(&all->lock);
	number = take(all, &like);
	pthread_mutex_unlock(&all->lock);
	return number;
}

/* The path FROM and below it KIND. */
static uint16_t lengthen(struct hp_ancestor_sets *all, uint16_t from,
			 uint32_t kind)
{
	struct hp_ancestor_set like = all->items[from];
	uint32_t *kinds;

	if (like.count && like.kinds[like.count - 1] == kind)
		return from;
	kinds = hp_arena_take(&all->arena, (like.count + 1) * sizeof *kinds);
	if (!kinds) {
		all->no_memory = true;
		return 0;
	}
	if (like.count)
		memcpy(kinds, like.kinds, like.count * sizeof *kinds);
	kinds[like.count++] = kind;
	like.kinds = kinds;
	like.from = from;
	return add(all, &like);
}

/* A copy of FROM plus KIND, from the arena. */
static uint16_t extend(struct hp_ancestor_sets *all, uint16_t from,
		       uint32_t kind)
{
	struct hp_ancestor_set like = all->items[from];
	uint32_t before = 0, *kinds;

	while (before < like.count && like.kinds[before] < kind)
		before++;
	if (before < like.count && like.kinds[before] == kind)
		return from;
	kinds = hp_arena_take(&all->arena, (like.count + 1) * sizeof *kinds);
	if (!kinds) {
		all->no_memory = true;
		return 0;
	}
	if (before)
		memcpy(kinds, like.kinds, before * sizeof *kinds);
	kinds[before] = kind;
	if (before < like.count)
		memcpy(kinds + before + 1, like.kinds + before,
		       (like.count - before) * sizeof *kinds);
	like.kinds = kinds;
	like.count++;
	return take(all, &like);
}

uint16_t hp_ancestor_sets_add(struct hp_ancestor_sets *all, uint16_t from,
			      uint32_t kind)
{
	uint64_t key = (uint64_t)from << 32 | kind;
	uintptr_t number;

	pthread_mutex_lock(&all->lock);
	number = (uintptr_t)hp_u64_map_get(&all->steps, key);
	if (!number && !all->too_many && !all->no_memory) {
		number = all->paths ? lengthen(all, from, kind)
				    : extend(all, from, kind);
		if (number && hp_u64_map_put(&all->steps, key,
					     (void *)number) != HPROF_OK) {
			all->no_memory = true;
			number = 0;
		}
	}
	pthread_mutex_unlock(&all->lock);
	return (uint16_t)number;
}
