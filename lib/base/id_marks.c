/* SPDX-License-Identifier: MIT */
/*
 * id_marks.c - see id_marks.h.
 *
 * Ids that are multiples of 8 (addresses) have one place for every 8 ids. Other
 * ids (serial numbers of old agents, odd ids of Android) have one place per id,
 * in separate blocks. A slot's value is one of
 *
 *	1..4 << 56 | items      that many items of 14 bits, the first lowest
 *	LIST << 56 | index      blocks[index] is a struct list
 *	BITS << 56 | index      blocks[index] is two bit sets, WORDS each
 *
 * and an item is place << 2 | referred << 1 | defined. Most references of a
 * heap lead to nearby objects in dense blocks, so a small cache of such blocks
 * saves most look-ups.
 */
#include "base/id_marks.h"

#include <string.h>
#include <sys/random.h>

#include "base/mem.h"

enum { INLINE = 4, ITEM_BITS = 14, LIST = 8, BITS = 9 };
enum { FIRST_ROOM = 8, LAST_ROOM = 64, WORDS = HP_ID_MARKS_WORDS };
enum { FIRST_SHIFT = 8, BITS_SIZE = 2 * WORDS * sizeof(uint64_t) };

struct list {
	uint16_t count, room;
	uint16_t items[];
};

static inline uint64_t key_of(uint64_t id)
{
	return id & 7 ? (uint64_t)1 << 63 | id / HP_ID_MARKS_PLACES
		      : id / 8 / HP_ID_MARKS_PLACES;
}

static inline unsigned place_of(uint64_t id)
{
	return (unsigned)(id & 7 ? id : id / 8) % HP_ID_MARKS_PLACES;
}

static inline unsigned kind_of(const struct hp_id_slot *slot)
{
	return (unsigned)(slot->value >> 56);
}

static inline size_t index_of(const struct hp_id_slot *slot)
{
	return (size_t)(slot->value & (((uint64_t)1 << 56) - 1));
}

/* ---- the table ----------------------------------------------------------- */

static struct hp_id_slot *slot_of(const struct hp_id_marks *set, uint64_t key)
{
	size_t i = (size_t)((key * set->multiplier) >> set->shift);

	while (set->slots[i].value && set->slots[i].key != key)
		i = (i + 1) & set->mask;
	return &set->slots[i];
}

static enum hprof_status resize(struct hp_id_marks *set, unsigned bits)
{
	struct hp_id_slot *old = set->slots;
	size_t old_size = old ? set->mask + 1 : 0;
	size_t size = (size_t)1 << bits;
	struct hp_id_slot *slots = hp_calloc(size, sizeof *slots);

	if (!slots)
		return HPROF_E_NOMEM;
	set->slots = slots;
	set->mask = size - 1;
	set->shift = 64 - bits;
	for (size_t i = 0; i < old_size; i++)
		if (old[i].value)
			*slot_of(set, old[i].key) = old[i];
	hp_free(old);
	return HPROF_OK;
}

/* The slot of KEY, empty if the key is new; NULL if out of memory. */
static struct hp_id_slot *make_slot(struct hp_id_marks *set, uint64_t key)
{
	struct hp_id_slot *slot = slot_of(set, key);

	if (slot->value)
		return slot;
	if (4 * (set->count + 1) > 3 * (set->mask + 1)) {
		if (resize(set, 64 - set->shift + 1) != HPROF_OK)
			return NULL;
		slot = slot_of(set, key);
	}
	set->count++;
	slot->key = key;
	return slot;
}

/* ---- a block ------------------------------------------------------------- */

/* Replaces the block OLD of SLOT by the newly allocated BLOCK. */
static bool put_block(struct hp_id_marks *set, struct hp_id_slot *slot,
		      unsigned kind, void *block)
{
	size_t index = set->block_count;

	if (kind_of(slot) >= LIST) {
		index = index_of(slot);
		hp_free(set->blocks[index]);
	} else if (hp_grow((void **)&set->blocks, &set->block_room,
			   set->block_count, sizeof *set->blocks) == HPROF_OK) {
		set->block_count++;
	} else {
		hp_free(block);
		return false;
	}
	set->blocks[index] = block;
	slot->value = (uint64_t)kind << 56 | index;
	return true;
}

static struct list *new_list(unsigned room)
{
	struct list *list =
		hp_alloc(sizeof *list + room * sizeof list->items[0]);

	if (list) {
		list->count = 0;
		list->room = (uint16_t)room;
	}
	return list;
}

/* Moves the items from the slot to a list that has room for more. */
static bool make_list(struct hp_id_marks *set, struct hp_id_slot *slot)
{
	struct list *list = new_list(FIRST_ROOM);

	for (unsigned i = 0; list && i < INLINE; i++)
		list->items[list->count++] =
			(uint16_t)(slot->value >> i * ITEM_BITS &
				   ((1U << ITEM_BITS) - 1));
	return list && put_block(set, slot, LIST, list);
}

static bool set_bit(uint64_t *bits, unsigned place, enum hp_id_flag flag)
{
	return hp_id_marks_set_bit(bits, (uint64_t)place * 8, flag);
}

static void set_item(uint64_t *bits, unsigned item)
{
	if (item & HP_ID_DEFINED)
		set_bit(bits, item >> 2, HP_ID_DEFINED);
	if (item & HP_ID_REFERRED)
		set_bit(bits, item >> 2, HP_ID_REFERRED);
}

static bool make_bits(struct hp_id_marks *set, struct hp_id_slot *slot)
{
	const struct list *list = set->blocks[index_of(slot)];
	uint64_t *bits = hp_calloc(2 * (size_t)WORDS, sizeof *bits);

	for (unsigned i = 0; bits && i < list->count; i++)
		set_item(bits, list->items[i]);
	return bits && put_block(set, slot, BITS, bits);
}

/* Moves the items from the slot directly to bit sets, skipping the list. */
static bool make_bits_early(struct hp_id_marks *set, struct hp_id_slot *slot)
{
	uint64_t *bits = hp_calloc(2 * (size_t)WORDS, sizeof *bits);

	for (unsigned i = 0; bits && i < INLINE; i++)
		set_item(bits, slot->value >> i * ITEM_BITS &
				       ((1U << ITEM_BITS) - 1));
	if (!bits || !put_block(set, slot, BITS, bits))
		return false;
	set->allowance -= BITS_SIZE;
	return true;
}

/* Called when the slot has no room for another item. */
static bool make_block(struct hp_id_marks *set, struct hp_id_slot *slot)
{
	return set->allowance >= BITS_SIZE ? make_bits_early(set, slot)
					   : make_list(set, slot);
}

/* Enlarges a full list; a list of maximum length is converted to bit sets. */
static bool make_longer(struct hp_id_marks *set, struct hp_id_slot *slot)
{
	const struct list *old = set->blocks[index_of(slot)];
	struct list *list;

	if (old->room == LAST_ROOM)
		return make_bits(set, slot);
	list = new_list(2U * old->room);
	if (!list)
		return false;
	list->count = old->count;
	memcpy(list->items, old->items, old->count * sizeof old->items[0]);
	return put_block(set, slot, LIST, list);
}

/* Sets FLAG in the slot. False if it has no room for another item. */
static bool set_in_slot(struct hp_id_slot *slot, unsigned place, unsigned flag,
			bool *ret_was)
{
	unsigned count = kind_of(slot);

	*ret_was = false;
	for (unsigned i = 0; i < count; i++) {
		if ((slot->value >> (i * ITEM_BITS + 2)) % HP_ID_MARKS_PLACES !=
		    place)
			continue;
		*ret_was = slot->value >> i * ITEM_BITS & flag;
		slot->value |= (uint64_t)flag << i * ITEM_BITS;
		return true;
	}
	if (count == INLINE)
		return false;
	slot->value |= (uint64_t)(place << 2 | flag) << count * ITEM_BITS;
	slot->value += (uint64_t)1 << 56;
	return true;
}

static bool set_in_list(struct list *list, unsigned place, unsigned flag,
			bool *ret_was)
{
	*ret_was = false;
	for (unsigned i = 0; i < list->count; i++) {
		if (list->items[i] >> 2 != place)
			continue;
		*ret_was = list->items[i] & flag;
		list->items[i] |= (uint16_t)flag;
		return true;
	}
	if (list->count == list->room)
		return false;
	list->items[list->count++] = (uint16_t)(place << 2 | flag);
	return true;
}

/* The cache entry for the block of ID, and the key it is cached under. */
static struct hp_id_cache *cache_of(struct hp_id_marks *set, uint64_t id,
				    uint64_t *ret_base)
{
	if (id & 7) {
		*ret_base = id / HP_ID_MARKS_PLACES * HP_ID_MARKS_PLACES |
			    HP_NO_BASE;
		return &set->cache[id / HP_ID_MARKS_PLACES % HP_ID_MARKS_CACHE];
	}
	*ret_base = hp_id_marks_base(id);
	return &set->cache[id / 8 / HP_ID_MARKS_PLACES % HP_ID_MARKS_CACHE];
}

/*
 * Sets FLAG for PLACE in SLOT. If the block now has bit sets, returns them and
 * leaves setting the flag to the caller. Otherwise sets the flag, stores in
 * *RET_WAS whether it was set before, and returns NULL.
 */
static uint64_t *set_in_block(struct hp_id_marks *set, struct hp_id_slot *slot,
			      unsigned place, enum hp_id_flag flag,
			      bool *ret_was)
{
	if (kind_of(slot) <= INLINE) {
		if (set_in_slot(slot, place, flag, ret_was))
			return NULL;
		if (!make_block(set, slot))
			goto no_memory;
	}
	if (kind_of(slot) == LIST) {
		if (set_in_list(set->blocks[index_of(slot)], place, flag,
				ret_was))
			return NULL;
		if (!make_longer(set, slot))
			goto no_memory;
	}
	if (kind_of(slot) == LIST) {
		set_in_list(set->blocks[index_of(slot)], place, flag, ret_was);
		return NULL;
	}
	return set->blocks[index_of(slot)];
no_memory:
	set->no_memory = true;
	return NULL;
}

/*
 * Sets FLAG for an ID that is no multiple of 8, or whose block is not cached.
 */
bool hp_id_marks_set_slowly(struct hp_id_marks *set, uint64_t id,
			    enum hp_id_flag flag)
{
	uint64_t base, *bits;
	struct hp_id_cache *cached = cache_of(set, id, &base);
	struct hp_id_slot *slot;
	bool was = false;

	if (cached->base == base)
		return set_bit(cached->bits, place_of(id), flag);
	slot = make_slot(set, key_of(id));
	if (!slot) {
		set->no_memory = true;
		return false;
	}
	bits = set_in_block(set, slot, place_of(id), flag, &was);
	if (!bits)
		return was;
	if (cached != set->cache) /* entry 0 belongs to the block of id 0 */
		*cached = (struct hp_id_cache){ base, bits };
	return set_bit(bits, place_of(id), flag);
}

bool hp_id_marks_define_slowly(struct hp_id_marks *set, struct hp_id_run *run,
			       uint64_t id)
{
	bool is_new = hp_id_marks_define(set, id);
	const struct hp_id_slot *slot = slot_of(set, key_of(id));

	if (id % 8 == 0 && kind_of(slot) == BITS) {
		run->base = hp_id_marks_base(id);
		run->bits = set->blocks[index_of(slot)];
	} else {
		run->base = HP_NO_BASE;
	}
	return is_new;
}

/* ---- the set ------------------------------------------------------------- */

/* The flags of the item for PLACE; 0 if the list has no such item. */
static unsigned flags_in_list(const struct list *list, unsigned place)
{
	for (unsigned i = 0; i < list->count; i++)
		if (list->items[i] >> 2 == place)
			return list->items[i] & 3;
	return 0;
}

bool hp_id_marks_is_defined_slowly(struct hp_id_marks *set, uint64_t id)
{
	const struct hp_id_slot *slot = slot_of(set, key_of(id));
	unsigned place = place_of(id);
	struct hp_id_cache *cached;
	uint64_t base;

	if (kind_of(slot) == LIST)
		return flags_in_list(set->blocks[index_of(slot)], place) &
		       HP_ID_DEFINED;
	if (kind_of(slot) == BITS) {
		cached = cache_of(set, id, &base);
		if (cached != set->cache)
			*cached = (struct hp_id_cache){
				base, set->blocks[index_of(slot)]
			};
		return hp_id_marks_bit(set->blocks[index_of(slot)],
				       (uint64_t)place * 8);
	}
	for (unsigned i = 0; i < kind_of(slot); i++)
		if ((slot->value >> (i * ITEM_BITS + 2)) % HP_ID_MARKS_PLACES ==
		    place)
			return slot->value >> i * ITEM_BITS & HP_ID_DEFINED;
	return false;
}

static uint64_t dangling_in(const struct hp_id_marks *set,
			    const struct hp_id_slot *slot)
{
	uint64_t count = 0;

	if (kind_of(slot) == LIST) {
		const struct list *list = set->blocks[index_of(slot)];
		for (unsigned i = 0; i < list->count; i++)
			count += (list->items[i] & 3) == HP_ID_REFERRED;
	} else if (kind_of(slot) == BITS) {
		const uint64_t *bits = set->blocks[index_of(slot)];
		for (unsigned i = 0; i < WORDS; i++) {
			uint64_t dangling = bits[WORDS + i] & ~bits[i];
			if (dangling) /* usually 0, and counting bits is slow */
				count += (unsigned)__builtin_popcountll(
					dangling);
		}
	} else {
		for (unsigned i = 0; i < kind_of(slot); i++)
			count += (slot->value >> i * ITEM_BITS & 3) ==
				 HP_ID_REFERRED;
	}
	return count;
}

uint64_t hp_id_marks_dangling(const struct hp_id_marks *set)
{
	uint64_t count = 0;

	for (size_t i = 0; i <= set->mask; i++)
		count += dangling_in(set, &set->slots[i]);
	return count;
}

/* The block of id 0 always exists and is always cached. */
static enum hprof_status make_first_block(struct hp_id_marks *set)
{
	struct hp_id_slot *slot = make_slot(set, 0);
	uint64_t *bits = hp_calloc(2 * (size_t)WORDS, sizeof *bits);

	if (!slot || !bits) {
		hp_free(bits);
		return HPROF_E_NOMEM;
	}
	set_bit(bits, 0, HP_ID_DEFINED);
	set->cache[0].bits = bits;
	return put_block(set, slot, BITS, bits) ? HPROF_OK : HPROF_E_NOMEM;
}

enum hprof_status hp_id_marks_init(struct hp_id_marks *set)
{
	memset(set, 0, sizeof *set);
	if (getrandom(&set->multiplier, sizeof set->multiplier,
		      GRND_NONBLOCK) != sizeof set->multiplier)
		set->multiplier = 0x9e3779b97f4a7c15;
	set->multiplier |= 1;
	if (resize(set, FIRST_SHIFT) != HPROF_OK)
		return HPROF_E_NOMEM;
	return make_first_block(set);
}

void hp_id_marks_done(struct hp_id_marks *set)
{
	for (size_t i = 0; i < set->block_count; i++)
		hp_free(set->blocks[i]);
	hp_free(set->blocks);
	hp_free(set->slots);
}
