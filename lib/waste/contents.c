/* SPDX-License-Identifier: MIT */
/*
 * contents.c - strings and primitive arrays with equal contents.
 *
 * What is there more than once has been sorted by hash, so equal ones form a run. Of a
 * run with arrays of strings and others, each is a group of its own. The member with the
 * lowest number stays, the others are what could be saved. An array that several strings
 * have is a run even if its content is nowhere else.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/search.h"
#include "waste/waste.h"

enum {
	AHEAD = 16, /* contents that are fetched before they are needed */
	TRIM_INTERVAL = 1 << 12
};

/* The groups that save most: a heap with the least of them at the top. */
struct best {
	struct hprof_waste_content *items;
	size_t count, room;
};

struct contents {
	struct hp_waste *w;
	const uint32_t *run;
	uint64_t first, length; /* of the run; FIRST is its place in the list */
	struct best strings, arrays;
	/* Of one group: objects by holder. */
	uint32_t *held, *stamp;
	uint32_t holder_room, now;
	uint32_t most_holder, most_held;
	struct hp_number_list group;
};

/* ---- the best groups ----------------------------------------------------- */

static bool is_less(const struct hprof_waste_content *a,
		    const struct hprof_waste_content *b)
{
	if (a->saved != b->saved)
		return a->saved < b->saved;
	return a->example > b->example;
}

static void swap(struct hprof_waste_content *a, struct hprof_waste_content *b)
{
	struct hprof_waste_content one = *a;

	*a = *b;
	*b = one;
}

static void sift_down(struct best *b)
{
	for (size_t i = 0;;) {
		size_t least = i;

		for (size_t k = 2 * i + 1; k <= 2 * i + 2; k++)
			if (k < b->count &&
			    is_less(&b->items[k], &b->items[least]))
				least = k;
		if (least == i)
			return;
		swap(&b->items[i], &b->items[least]);
		i = least;
	}
}

static void put_best(struct best *b, const struct hprof_waste_content *one)
{
	size_t i = b->count;

	if (i == b->room) {
		if (!is_less(&b->items[0], one))
			return;
		b->items[0] = *one;
		sift_down(b);
		return;
	}
	b->items[b->count++] = *one;
	for (; i && is_less(&b->items[i], &b->items[(i - 1) / 2]);
	     i = (i - 1) / 2)
		swap(&b->items[i], &b->items[(i - 1) / 2]);
}

static bool may_be_best(const struct best *b, uint64_t saved)
{
	return b->count < b->room || saved >= b->items[0].saved;
}

static int compare_best(const void *left, const void *right)
{
	const struct hprof_waste_content *a = left, *b = right;

	return is_less(a, b) ? 1 : is_less(b, a) ? -1 : 0;
}

/* ---- holders of a group -------------------------------------------------- */

static enum hprof_status count_holder(struct contents *c, uint32_t object)
{
	uint32_t holder;

	HP_TRY(hp_holder_of(c->w, object, &holder));
	if (holder >= c->holder_room) {
		uint32_t room = 2 * (holder + 32);
		uint32_t *held = hp_realloc(c->held, room, sizeof *held);
		uint32_t *stamp;

		if (!held)
			return hp_no_memory(c->w->error);
		c->held = held;
		stamp = hp_realloc(c->stamp, room, sizeof *stamp);
		if (!stamp)
			return hp_no_memory(c->w->error);
		memset(stamp + c->holder_room, 0,
		       (room - c->holder_room) * sizeof *stamp);
		c->stamp = stamp;
		c->holder_room = room;
	}
	if (c->stamp[holder] != c->now) {
		c->stamp[holder] = c->now;
		c->held[holder] = 0;
	}
	if (++c->held[holder] > c->most_held) {
		c->most_held = c->held[holder];
		c->most_holder = holder;
	}
	return HPROF_OK;
}

static enum hprof_status add_best(struct contents *c, struct best *best,
				  uint64_t saved)
{
	const struct hp_number_list *group = &c->group;

	if (!saved || !may_be_best(best, saved))
		return HPROF_OK;
	c->now++;
	c->most_held = c->most_holder = 0;
	for (size_t i = 0; i < group->count; i++)
		HP_TRY(count_holder(c, group->items[i]));
	put_best(best, &(struct hprof_waste_content){
			       .example = group->items[0],
			       .objects = group->count,
			       .saved = saved,
			       .holder = hp_holder_get(c->w, c->most_holder),
			       .held = c->most_held,
		       });
	return HPROF_OK;
}

/* ---- one run ------------------------------------------------------------- */

static enum hprof_status add_to_group(struct contents *c, uint32_t object)
{
	return hp_waste_add_number(c->w, &c->group, object);
}

/* The string whose array OBJECT is; HP_NOBODY: it is none. */
static uint32_t string_of(const struct hp_waste *w, uint32_t object)
{
	uint32_t up = hp_waste_referrer(w, object);
	const struct hp_waste_class *c;
	bool is_class;
	uint8_t field = hp_referrers_field(&w->referrers, object);

	if (up == HP_NOBODY || hp_waste_role(w, up) != HP_ROLE_STRING)
		return HP_NOBODY;
	/* A graph that was kept elsewhere could say otherwise. */
	c = &w->classes[hp_waste_row(w, up, &is_class)];
	if (c->role != HP_ROLE_STRING)
		return HP_NOBODY;
	if (field >= c->of->ref_count || c->of->refs[field] != c->store.at)
		return HP_NOBODY;
	return c->partial ? HP_NOBODY : up;
}

/* The strings that also have the array OBJECT. */
static size_t find_sharers(const struct hp_waste *w, uint32_t object,
			   const struct hp_characters **ret)
{
	const struct hp_characters *all = w->sharers.items;
	size_t first, n = 0;

	HP_LOWER_BOUND(&first, w->sharers.count, all[hp_at].array < object);
	*ret = all ? all + first : NULL;
	while (first + n < w->sharers.count && all[first + n].array == object)
		n++;
	return n;
}

static void claim(struct hp_waste *w, uint32_t object)
{
	hp_bit_set(w->claimed, object);
}

static enum hprof_status note_string(struct contents *c, uint32_t string,
				     uint64_t array, uint64_t *saved)
{
	uint64_t bytes = hp_waste_shallow(c->w, string) + array;

	claim(c->w, string);
	*saved += bytes;
	return hp_waste_note(c->w, HPROF_WASTE_EQUAL_STRINGS, string, bytes,
			     bytes);
}

/* The strings of one array; FIRST: the array stays, and its first string. */
static enum hprof_status take_strings(struct contents *c, uint32_t array,
				      bool first, uint64_t *saved)
{
	const struct hp_characters *sharers;
	uint32_t string = string_of(c->w, array);
	size_t n = find_sharers(c->w, array, &sharers);

	HP_TRY(add_to_group(c, string));
	if (!first) {
		claim(c->w, array);
		HP_TRY(note_string(c, string, hp_waste_shallow(c->w, array),
				   saved));
	}
	for (size_t i = 0; i < n; i++) {
		HP_TRY(add_to_group(c, sharers[i].string));
		HP_TRY(note_string(c, sharers[i].string, 0, saved));
	}
	return HPROF_OK;
}

/*
 * Members of a run are anywhere in the heap. Lengths of runs are among them, for which
 * something is fetched in vain.
 */
static void fetch_ahead(const struct contents *c, uint64_t i)
{
	const uint64_t count = c->w->heap->count;
	const uint32_t *near;

	if (c->first + i + 2 * AHEAD >= c->w->content_listed)
		return;
	near = (const uint32_t *)c->w->contents.at + c->first + i + AHEAD;
	if (near[0] < count && near[AHEAD] < count)
		hp_waste_fetch_holders(c->w, near[0], near[AHEAD]);
}

static enum hprof_status group_strings(struct contents *c)
{
	uint64_t saved = 0;
	bool first = true;

	c->group.count = 0;
	for (uint64_t i = 0; i < c->length; i++) {
		fetch_ahead(c, i);
		if (string_of(c->w, c->run[i]) == HP_NOBODY)
			continue;
		HP_TRY(take_strings(c, c->run[i], first, &saved));
		first = false;
	}
	return add_best(c, &c->strings, saved);
}

/* Is it the array of an old string, which may have but a part of it? */
static bool is_characters(const struct hp_waste *w, uint32_t object)
{
	uint32_t up = hp_waste_referrer(w, object);

	return up != HP_NOBODY && hp_waste_role(w, up) == HP_ROLE_STRING;
}

static enum hprof_status group_arrays(struct contents *c, bool empty)
{
	enum hprof_waste_kind kind =
		empty ? HPROF_WASTE_EMPTY_ARRAYS : HPROF_WASTE_EQUAL_ARRAYS;
	uint64_t saved = 0;

	c->group.count = 0;
	for (uint64_t i = 0; i < c->length; i++) {
		uint32_t object = c->run[i];
		uint64_t bytes = hp_waste_shallow(c->w, object);

		if (is_characters(c->w, object))
			continue;
		HP_TRY(add_to_group(c, object));
		if (c->group.count == 1)
			continue;
		claim(c->w, object);
		saved += bytes;
		HP_TRY(hp_waste_note(c->w, kind, object, bytes, bytes));
	}
	return empty ? HPROF_OK : add_best(c, &c->arrays, saved);
}

/* ---- all runs ------------------------------------------------------------ */

static enum hprof_status take_run(struct contents *c)
{
	HP_TRY(group_strings(c));
	return group_arrays(c, hp_waste_is_listed(&c->w->empties, c->run[0]));
}

/* Moves the reachable ones to the front. */
static uint64_t leave_reachable(const struct hp_waste *w, uint32_t *objects,
				uint64_t count)
{
	uint64_t left = 0;

	if (w->table.live_objects == w->heap->count)
		return count;
	for (uint64_t i = 0; i < count; i++) {
		const uint32_t object = objects[i];

		objects[left] = object;
		left += hp_waste_reachable(w, object);
	}
	return left;
}

static enum hprof_status take_runs(struct contents *c)
{
	uint32_t *all = c->w->contents.at;
	uint64_t n;

	for (uint64_t i = 0; i < c->w->content_listed; i += n) {
		n = all[i++];
		c->run = &all[i];
		c->first = i;
		c->length = leave_reachable(c->w, &all[i], n);
		if (c->length > 1)
			HP_TRY(take_run(c));
		if (i % TRIM_INTERVAL < n)
			hp_waste_trim_memory(c->w);
	}
	return HPROF_OK;
}

/*
 * Arrays of several strings that were in no run; what has been in one has claimed
 * these strings. Those whose elements the dump leaves out are there, too: one array
 * is as equal as can be.
 */
static enum hprof_status take_shared(struct contents *c)
{
	const struct hp_waste *w = c->w;
	const struct hp_characters *all = w->sharers.items;

	for (size_t i = 0; i < w->sharers.count; i++) {
		const uint32_t array = all[i].array;

		if (i % TRIM_INTERVAL == 0)
			hp_waste_trim_memory(w);
		if ((i && all[i - 1].array == array) ||
		    hp_bit(w->claimed, all[i].string) ||
		    hp_waste_role(w, array) != HP_ROLE_PRIM_ARRAY)
			continue;
		c->run = &array;
		/* It is not in the list. */
		c->first = w->content_listed;
		c->length = 1;
		HP_TRY(take_run(c));
	}
	return HPROF_OK;
}

static enum hprof_status best_open(struct contents *c, struct best *best)
{
	best->room = c->w->top;
	best->items = hp_arena_take(&c->w->arena,
				    (best->room + 1) * sizeof *best->items);
	return best->items ? HPROF_OK : hp_no_memory(c->w->error);
}

static void best_take(struct best *best, struct hprof_waste_content **ret,
		      size_t *ret_count)
{
	if (best->count)
		qsort(best->items, best->count, sizeof *best->items,
		      compare_best);
	*ret = best->items;
	*ret_count = best->count;
}

enum hprof_status hp_waste_contents(struct hp_waste *w)
{
	struct contents c = { .w = w };
	enum hprof_status status;

	status = best_open(&c, &c.strings);
	if (status >= 0)
		status = best_open(&c, &c.arrays);
	if (status >= 0)
		status = take_runs(&c);
	if (status >= 0)
		status = take_shared(&c);
	best_take(&c.strings, &w->table.strings, &w->table.string_count);
	best_take(&c.arrays, &w->table.arrays, &w->table.array_count);
	hp_free(c.held);
	hp_free(c.stamp);
	HP_WASTE_DROP(w, &c.group);
	hp_mapped_table_free(&w->tables, &w->contents);
	return status;
}
