/* SPDX-License-Identifier: MIT */
/*
 * boxes.c - boxed values of primitive types.
 *
 * Often there are more of them than of all else that is waste, and most are right in
 * fields of objects of a few classes. So of a class of boxes in a place, which is a field
 * of a class or a holder, the first one is noted, and those that follow are counted, and
 * noted together.
 */
#include "base/error.h"
#include "waste/waste.h"

enum { BATCH = 64, COUNT_BITS = 8, COUNTS = 1 << COUNT_BITS };

#define HOLDER_UNKNOWN UINT32_MAX

/* Boxes of one kind and size that follow OBJECT, which is noted. */
struct box_count {
	uint64_t place; /* 0: there are none */
	uint64_t boxes, bytes;
	uint32_t kind, object, holder;
};

struct box_search {
	struct hp_waste *w;
	/* By place and kind; of several with the same hash, the last one. */
	struct box_count counts[COUNTS];
};

/* ---- places -------------------------------------------------------------- */

/* A number for each; none is 0. */
static inline uint64_t place_of_field(uint32_t kind, uint8_t field)
{
	return (uint64_t)kind << 10 | (uint64_t)field << 2 | 1;
}

static inline uint64_t place_of_holder(uint32_t holder)
{
	return (uint64_t)holder << 2 | 2;
}

static inline struct box_count *find_count(struct box_search *s, uint64_t place,
					   uint32_t kind)
{
	const uint64_t key = place ^ (uint64_t)kind << 32;

	return &s->counts[key * UINT64_C(0x9e3779b97f4a7c15) >>
			  (64 - COUNT_BITS)];
}

/* ---- one box ------------------------------------------------------------- */

static enum hprof_status note(struct hp_waste *w, const struct box_count *c,
			      uint64_t boxes)
{
	return boxes ? hp_waste_note_objects(w, HPROF_WASTE_BOXES, c->object,
					     c->holder, boxes, c->bytes)
		     : HPROF_OK;
}

/*
 * NEXT is the first one of its place, or what was counted there had to give way. If there
 * can be no more rows, those that are there are of what came first: so it gets its row
 * when it gets a place.
 */
static enum hprof_status begin_count(struct box_search *s, struct box_count *c,
				     const struct box_count *next)
{
	HP_TRY(note(s->w, c, c->boxes));
	*c = *next;
	if (c->holder == HOLDER_UNKNOWN)
		HP_TRY(hp_holder_of(s->w, c->object, &c->holder));
	return note(s->w, c, 1);
}

static inline enum hprof_status count_at(struct box_search *s, uint32_t box,
					 uint64_t place, uint32_t holder)
{
	const struct box_count next = { .place = place,
					.bytes = hp_waste_shallow(s->w, box),
					.kind = hp_graph_kind(s->w->graph, box),
					.object = box,
					.holder = holder };
	struct box_count *c = find_count(s, place, next.kind);

	if (c->place != place || c->kind != next.kind || c->bytes != next.bytes)
		return begin_count(s, c, &next);
	c->boxes++;
	return HPROF_OK;
}

/* UP counts as the referrer of BOX; or nobody. */
static inline enum hprof_status take(struct box_search *s, uint32_t box,
				     uint32_t up)
{
	struct hp_waste *w = s->w;
	uint32_t holder;
	uint64_t place;

	if (up != HP_NOBODY && !hp_waste_is_inside(w, up)) {
		place = place_of_field(hp_graph_kind(w->graph, up),
				       hp_referrers_field(&w->referrers, box));
		return count_at(s, box, place, HOLDER_UNKNOWN);
	}
	HP_TRY(hp_holder_of(w, box, &holder));
	return count_at(s, box, place_of_holder(holder), holder);
}

/* ---- all boxes ----------------------------------------------------------- */

/* What refers to them may be anywhere in the heap, so it is fetched for many at once. */
static enum hprof_status take_batch(struct box_search *s, const uint32_t *boxes,
				    size_t count)
{
	const struct hp_waste *w = s->w;
	uint32_t up[BATCH];

	for (size_t i = 0; i < count; i++) {
		up[i] = hp_waste_referrer(w, boxes[i]);
		if (up[i] == HP_NOBODY)
			continue;
		hp_prefetch(&w->referrers.steps[up[i] >> 6]);
		hp_waste_fetch_kind(w, up[i]);
	}
	for (size_t i = 0; i < count; i++)
		HP_TRY(take(s, boxes[i], up[i]));
	return HPROF_OK;
}

static enum hprof_status take_boxes(void *user, const uint32_t *boxes,
				    size_t count)
{
	for (size_t i = 0; i < count; i += BATCH)
		HP_TRY(take_batch(user, boxes + i,
				  count - i < BATCH ? count - i : BATCH));
	return HPROF_OK;
}

enum hprof_status hp_waste_boxes(struct hp_waste *w)
{
	struct box_search s = { .w = w };

	HP_TRY(hp_waste_find_by_role(w, HP_ROLE_BIT(HP_ROLE_BOX), take_boxes,
				     &s));
	for (unsigned i = 0; i < COUNTS; i++)
		HP_TRY(note(w, &s.counts[i], s.counts[i].boxes));
	return HPROF_OK;
}
