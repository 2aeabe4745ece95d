/* SPDX-License-Identifier: MIT */
/*
 * known_classes.c - see known_classes.h.
 */
#include "model/known_classes.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"

enum hprof_status hp_known_classes_init(struct hp_known_classes *c,
					size_t item_size, unsigned quarters)
{
	assert(item_size >= sizeof(struct hp_known_class));
	*c = (struct hp_known_classes){ .item_size = item_size };
	HP_TRY(hp_u64_map_init(&c->by_id, quarters));
	return hp_u64_map_init(&c->serials, 3);
}

void hp_known_classes_done(struct hp_known_classes *c)
{
	hp_u64_map_done(&c->by_id);
	hp_u64_map_done(&c->serials);
	hp_arena_done(&c->arena);
}

void *hp_known_classes_add(struct hp_known_classes *c, uint64_t id)
{
	struct hp_known_class *known = hp_known_classes_get(c, id);

	if (known)
		return known;
	known = hp_arena_take(&c->arena, c->item_size);
	if (!known || hp_u64_map_put(&c->by_id, id, known) != HPROF_OK)
		return NULL;
	memset(known, 0, c->item_size);
	known->id = id;
	known->number = (uint32_t)c->count;
	if (c->last)
		c->last->next = known;
	else
		c->first = known;
	c->last = known;
	c->count++;
	return known;
}

void *hp_known_classes_load(struct hp_known_classes *c,
			    const struct hprof_load_class *load)
{
	struct hp_known_class *known = hp_known_classes_add(c, load->class_id);

	if (!known || hp_u64_map_put(&c->serials, load->class_serial, known))
		return NULL;
	if (!known->loaded) {
		known->loaded = true;
		known->name_id = load->name_id;
		known->serial = load->class_serial;
	}
	return known;
}

const struct hp_known_class *
hp_known_classes_loaded(const struct hp_known_classes *c, uint64_t id)
{
	const struct hp_known_class *known = hp_known_classes_get(c, id);

	return known && known->loaded ? known : NULL;
}

const struct hp_known_class *
hp_known_classes_serial(const struct hp_known_classes *c, uint32_t serial)
{
	return serial ? hp_u64_map_get(&c->serials, serial) : NULL;
}
