/* SPDX-License-Identifier: MIT */
/*
 * boxes.c - boxed values of primitive types.
 *
 * Often there are more of them than of all else that is waste, and most have one of a
 * few holders. So of a class and a holder the first one is noted, and those that follow
 * are counted, and noted together.
 */
#include "base/error.h"
#include "waste/waste.h"

enum {
	AHEAD = 16, /* boxes that are fetched before they are needed */
	COUNTS = 64
};

/* Boxes of one size that follow OBJECT, which is noted. */
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

static enum hprof_status note(struct hp_waste *w, const struct box_count *c,
			      uint64_t boxes)
{
	return boxes ? hp_waste_note_objects(w, HPROF_WASTE_BOXES, c->object,
					     c->holder, boxes, c->bytes)
		     : HPROF_OK;
}

/*
 * If there can be no more rows, those that are there are of what came first: so it
 * gets its row when it gets a place.
 */
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
	if (c->key == key && c->bytes == bytes) {
		c->boxes++;
		return HPROF_OK;
	}
	HP_TRY(note(s->w, c, c->boxes));
	*c = (struct box_count){ key, 0, bytes, box, holder };
	return note(s->w, c, 1);
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
		HP_TRY(note(w, &s.counts[i], s.counts[i].boxes));
	return HPROF_OK;
}
