/* SPDX-License-Identifier: MIT */
/*
 * lives.c - see lives.h.
 *
 * Records are in segments, so that they never move; those that are free form a
 * list. An id is the place of a record and how often it has been used.
 */
#include "agent/profile/lives.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "agent/profile/site_counts.h"
#include "base/mem.h"

enum { SEGMENT_BITS = 12, SEGMENT = 1 << SEGMENT_BITS };

/* Sizes are multiples of 8 bytes in each JVM. */
enum { SIZE_UNIT = 8 };

/* 20 bytes for each object that is followed. */
struct record {
	uint32_t site; /* 0: free */
	uint32_t reached : 1;
	uint32_t use : 31; /* how often it was used before */
	uint32_t birth; /* collections before; of a free one: the next place */
	uint32_t units;
	float parts;
};

struct ended {
	uint64_t ages[AG_AGES];
};

struct ag_lives {
	_Atomic uint32_t collections;
	pthread_mutex_t lock; /* of all that follows */
	struct record **segments;
	size_t segment_count, segment_room;
	uint32_t next_place; /* never used so far */
	uint32_t free_place; /* NO_PLACE: none */
	struct ag_life_count count;
	struct ended *ended; /* by site number - 1 */
	size_t ended_count;
};

static const uint32_t NO_PLACE = UINT32_MAX;

struct ag_lives *ag_lives_new(void)
{
	struct ag_lives *l = hp_calloc(1, sizeof *l);

	if (!l)
		return NULL;
	pthread_mutex_init(&l->lock, NULL);
	l->free_place = NO_PLACE;
	return l;
}

void ag_lives_free(struct ag_lives *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->segment_count; i++)
		hp_free(l->segments[i]);
	hp_free(l->segments);
	hp_free(l->ended);
	pthread_mutex_destroy(&l->lock);
	hp_free(l);
}

void ag_lives_collection(struct ag_lives *l)
{
	atomic_fetch_add(&l->collections, 1);
}

uint32_t ag_lives_collections(const struct ag_lives *l)
{
	return atomic_load(&l->collections);
}

/* ---- records; the lock is held --------------------------------------------- */

static struct record *record_at(const struct ag_lives *l, uint32_t place)
{
	return &l->segments[place >> SEGMENT_BITS][place & (SEGMENT - 1)];
}

static bool add_segment(struct ag_lives *l)
{
	if (hp_grow((void **)&l->segments, &l->segment_room, l->segment_count,
		    sizeof *l->segments) != HPROF_OK)
		return false;
	l->segments[l->segment_count] =
		hp_calloc(SEGMENT, sizeof(struct record));
	if (!l->segments[l->segment_count])
		return false;
	l->segment_count++;
	return true;
}

/* NO_PLACE without memory. */
static uint32_t take_place(struct ag_lives *l)
{
	const uint32_t place = l->free_place;

	if (place != NO_PLACE) {
		l->free_place = record_at(l, place)->birth;
		return place;
	}
	if (l->next_place == NO_PLACE ||
	    (l->next_place >> SEGMENT_BITS == l->segment_count &&
	     !add_segment(l)))
		return NO_PLACE;
	return l->next_place++;
}

/* Room for the ages of SITE. */
static bool know_site(struct ag_lives *l, uint32_t site)
{
	size_t room = l->ended_count ? l->ended_count : 64;
	struct ended *more;

	if (site <= l->ended_count)
		return true;
	while (room < site)
		room *= 2;
	more = hp_calloc(room, sizeof *more);
	if (!more)
		return false;
	if (l->ended_count)
		memcpy(more, l->ended, l->ended_count * sizeof *more);
	hp_free(l->ended);
	l->ended = more;
	l->ended_count = room;
	return true;
}

static uint64_t id_of(const struct record *r, uint32_t place)
{
	return (uint64_t)r->use << 32 | ((uint64_t)place + 1);
}

/* NULL if there is no object with this id. */
static struct record *find(const struct ag_lives *l, uint64_t id)
{
	const uint32_t place = (uint32_t)id - 1;
	struct record *r;

	if ((uint32_t)id == 0 || place >= l->next_place)
		return NULL;
	r = record_at(l, place);
	return r->site != 0 && id_of(r, place) == id ? r : NULL;
}

/* ---- lives ----------------------------------------------------------------- */

uint64_t ag_lives_add(struct ag_lives *l, uint32_t site, uint64_t size,
		      uint64_t parts)
{
	const uint64_t units = size / SIZE_UNIT;
	struct record *r;
	uint32_t place;
	uint64_t id = 0;

	assert(site > 0);
	pthread_mutex_lock(&l->lock);
	place = know_site(l, site) ? take_place(l) : NO_PLACE;
	if (place != NO_PLACE) {
		r = record_at(l, place);
		r->site = site;
		r->reached = 0;
		r->birth = ag_lives_collections(l);
		r->units = units < UINT32_MAX ? (uint32_t)units : UINT32_MAX;
		r->parts = (float)parts;
		l->count.live += (uint64_t)r->parts;
		l->count.made += (uint64_t)r->parts;
		id = id_of(r, place);
	}
	pthread_mutex_unlock(&l->lock);
	return id;
}

static unsigned age_class(uint32_t age)
{
	unsigned class = 0;

	for (; age > 0 && class < AG_AGES - 1; age >>= 1)
		class ++;
	return class;
}

bool ag_lives_end(struct ag_lives *l, uint64_t id, struct ag_life *ret)
{
	const uint32_t now = ag_lives_collections(l);
	struct record *r;

	pthread_mutex_lock(&l->lock);
	r = find(l, id);
	if (r) {
		/* The collection that took it is none that it lived through. */
		const uint32_t passed = now - r->birth;

		*ret = (struct ag_life){
			.site = r->site,
			.age = passed > 0 ? passed - 1 : 0,
			.size = (uint64_t)r->units * SIZE_UNIT,
			.parts = (uint64_t)r->parts,
		};
		l->ended[r->site - 1].ages[age_class(ret->age)] += ret->parts;
		assert(l->count.live >= ret->parts);
		l->count.live -= ret->parts;
		r->site = 0;
		r->use = (r->use + 1) & INT32_MAX;
		r->birth = l->free_place;
		l->free_place = (uint32_t)id - 1;
	}
	pthread_mutex_unlock(&l->lock);
	return r != NULL;
}

struct ag_life_count ag_lives_count(struct ag_lives *l)
{
	struct ag_life_count count;

	pthread_mutex_lock(&l->lock);
	count = l->count;
	pthread_mutex_unlock(&l->lock);
	return count;
}

/* ---- sums ------------------------------------------------------------------ */

void ag_lives_reach(struct ag_lives *l, uint64_t id)
{
	struct record *r;

	pthread_mutex_lock(&l->lock);
	r = find(l, id);
	if (r)
		r->reached = 1;
	pthread_mutex_unlock(&l->lock);
}

static void add_live(struct ag_life_sum *sum, const struct record *r,
		     uint32_t now, bool is_live)
{
	const uint64_t parts = (uint64_t)r->parts;

	sum->ages[age_class(now - r->birth)] += parts;
	if (!is_live)
		return;
	sum->live += parts;
	sum->live_bytes += (uint64_t)((double)r->parts * r->units * SIZE_UNIT /
				      AG_OBJECT_PARTS);
}

static void add_ended(struct ag_life_sum *sum, const struct ended *ended)
{
	for (unsigned age = 0; age < AG_AGES; age++) {
		sum->ages[age] = ended->ages[age];
		if (age > 0)
			sum->late += ended->ages[age];
	}
}

struct ag_life_sum *ag_lives_sum(struct ag_lives *l, size_t sites, bool reached)
{
	struct ag_life_sum *sums = hp_calloc(sites + 1, sizeof *sums);
	const uint32_t now = ag_lives_collections(l);

	if (!sums)
		return NULL;
	pthread_mutex_lock(&l->lock);
	for (size_t i = 0; i < sites && i < l->ended_count; i++)
		add_ended(&sums[i], &l->ended[i]);
	for (uint32_t place = 0; place < l->next_place; place++) {
		struct record *r = record_at(l, place);

		/* A site may be newer than the caller's count. */
		if (r->site != 0 && r->site <= sites)
			add_live(&sums[r->site - 1], r, now,
				 !reached || r->reached);
		r->reached = 0;
	}
	pthread_mutex_unlock(&l->lock);
	return sums;
}

void ag_lives_clear(struct ag_lives *l)
{
	pthread_mutex_lock(&l->lock);
	if (l->ended_count)
		memset(l->ended, 0, l->ended_count * sizeof *l->ended);
	pthread_mutex_unlock(&l->lock);
}
