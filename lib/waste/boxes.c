/* SPDX-License-Identifier: MIT */
/*
 * boxes.c - boxed numbers.
 *
 * Often there are more of them than of all else that is waste, and most have one of a
 * few holders. So those of a class and a holder are counted, and noted together.
 */
#include "base/error.h"
#include "waste/waste.h"

enum {
	AHEAD = 16, /* boxes that are fetched before they are needed */
	COUNTS = 64
};

/* Boxes of one size, of which OBJECT is the first. */
struct box_count {
	uint64_t key; /* class and holder */
	uint64_t boxes, bytes;
	uint32_t object, holder;
};

struct box_search {
	struct hp_waste *w;
	/* By key; of several in the same place, the last one. */
	struct box_count counts[COUNTS];
};

static enum hprof_status note(struct hp_waste *w, const struct box_count *c)
{
	return c->boxes ? hp_waste_note_objects(w, HPROF_WASTE_BOXES, c->object,
						c->holder, c->boxes, c->bytes)
			: HPROF_OK;
}

static enum hprof_status take(struct box_search *s, uint32_t box)
{
	const uint64_t bytes = hp_waste_shallow(s->w, box);
	struct box_count *c;
	uint32_t holder;
	uint64_t key;
	bool is_class;

	HP_TRY(hp_holder_of(s->w, box, &holder));
	key = (uint64_t)hp_waste_row(s->w, box, &is_class) << 32 | holder;
	c = &s->counts[(key ^ key >> 30) % COUNTS];
	if (c->key != key || c->bytes != bytes) {
		HP_TRY(note(s->w, c));
		*c = (struct box_count){ key, 0, bytes, box, holder };
	}
	c->boxes++;
	return HPROF_OK;
}

static enum hprof_status take_boxes(void *user, const uint32_t *boxes,
				    size_t count)
{
	struct box_search *s = user;

	for (size_t i = 0; i < count; i++) {
		if (i + 2 * AHEAD < count)
			hp_waste_fetch_holders(s->w, boxes[i + AHEAD],
					       boxes[i + 2 * AHEAD]);
		HP_TRY(take(s, boxes[i]));
	}
	return HPROF_OK;
}

enum hprof_status hp_waste_boxes(struct hp_waste *w)
{
	struct box_search s = { .w = w };

	HP_TRY(hp_waste_find_by_role(w, HP_ROLE_BIT(HP_ROLE_BOX), take_boxes,
				     &s));
	for (unsigned i = 0; i < COUNTS; i++)
		HP_TRY(note(w, &s.counts[i]));
	return HPROF_OK;
}
