/*
 * idset.c - see idset.h.
 *
 * Ids that are multiples of 8 (addresses) have a place every 8 ids, others
 * (numbers of the old agents, odd ids of Android) one at every id, in blocks
 * of their own. A slot's value is one of
 *
 *	1..4 << 56 | items      that many items of 14 bits, the first lowest
 *	LIST << 56 | index      blocks[index] is a struct list
 *	BITS << 56 | index      blocks[index] is two bit sets, WORDS each
 *
 * and an item is place << 2 | referred << 1 | defined. What a heap refers to
 * is mostly near and in dense blocks: a small cache of these saves most
 * look-ups.
 */
#include "idset.h"

#include <string.h>
#include <sys/random.h>

#include "mem.h"

enum { INLINE = 4, ITEM_BITS = 14, LIST = 8, BITS = 9 };
enum { FIRST_ROOM = 8, LAST_ROOM = 64, WORDS = HP_IDSET_PLACES / 64 };
enum { FIRST_SHIFT = 8 };

struct list {
	uint16_t count, room;
	uint16_t items[];
};

static inline unsigned kind_of(const struct hp_idslot *slot)
{
	return (unsigned)(slot->value >> 56);
}

static inline size_t index_of(const struct hp_idslot *slot)
{
	return (size_t)(slot->value & (((uint64_t)1 << 56) - 1));
}

/* ---- the table ----------------------------------------------------------- */

static struct hp_idslot *slot_of(const struct hp_idset *set, uint64_t key)
{
	size_t i = (size_t)((key * set->multiplier) >> set->shift);

	while (set->slots[i].value && set->slots[i].key != key)
		i = (i + 1) & set->mask;
	return &set->slots[i];
}

static int resize(struct hp_idset *set, unsigned bits)
{
	struct hp_idslot *old = set->slots;
	size_t old_size = old ? set->mask + 1 : 0;
	size_t size = (size_t)1 << bits;
	struct hp_idslot *slots = hp_calloc(size, sizeof *slots);

	if (!slots)
		return -1;
	set->slots = slots;
	set->mask = size - 1;
	set->shift = 64 - bits;
	for (size_t i = 0; i < old_size; i++)
		if (old[i].value)
			*slot_of(set, old[i].key) = old[i];
	hp_free(old);
	return 0;
}

/* The slot of KEY, empty for a new one; NULL without memory. */
static struct hp_idslot *make_slot(struct hp_idset *set, uint64_t key)
{
	struct hp_idslot *slot = slot_of(set, key);

	if (slot->value)
		return slot;
	if (4 * (set->count + 1) > 3 * (set->mask + 1)) {
		if (resize(set, 64 - set->shift + 1) != 0)
			return NULL;
		slot = slot_of(set, key);
	}
	set->count++;
	slot->key = key;
	return slot;
}

/* ---- a block ------------------------------------------------------------- */

/* BLOCK, newly allocated, becomes that of SLOT in place of OLD. */
static bool put_block(struct hp_idset *set, struct hp_idslot *slot,
		      unsigned kind, void *block)
{
	size_t index = set->block_count;

	if (kind_of(slot) >= LIST) {
		index = index_of(slot);
		hp_free(set->blocks[index]);
	} else if (hp_grow((void **)&set->blocks, &set->block_room,
			   set->block_count, sizeof *set->blocks) == 0) {
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

/* The items move from the slot to a list with room. */
static bool make_list(struct hp_idset *set, struct hp_idslot *slot)
{
	struct list *list = new_list(FIRST_ROOM);

	for (unsigned i = 0; list && i < INLINE; i++)
		list->items[list->count++] =
			(uint16_t)(slot->value >> i * ITEM_BITS &
				   ((1U << ITEM_BITS) - 1));
	return list && put_block(set, slot, LIST, list);
}

static bool make_bits(struct hp_idset *set, struct hp_idslot *slot)
{
	const struct list *list = set->blocks[index_of(slot)];
	uint64_t *bits = hp_calloc(2 * (size_t)WORDS, sizeof *bits);

	for (unsigned i = 0; bits && i < list->count; i++) {
		if (list->items[i] & HP_ID_DEFINED)
			hp_idset_set_bit(bits, list->items[i] >> 2,
					 HP_ID_DEFINED);
		if (list->items[i] & HP_ID_REFERRED)
			hp_idset_set_bit(bits, list->items[i] >> 2,
					 HP_ID_REFERRED);
	}
	return bits && put_block(set, slot, BITS, bits);
}

/* A full list becomes a longer one, the longest becomes bits. */
static bool make_longer(struct hp_idset *set, struct hp_idslot *slot)
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

/* Sets FLAG in the slot. False: there is no room for another item. */
static bool set_in_slot(struct hp_idslot *slot, unsigned place, unsigned flag,
			bool *ret_was)
{
	unsigned count = kind_of(slot);

	*ret_was = false;
	for (unsigned i = 0; i < count; i++) {
		if ((slot->value >> (i * ITEM_BITS + 2)) % HP_IDSET_PLACES !=
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

/* Sets FLAG for PLACE in the block KEY; returns whether it was set. */
bool hp_idset_set_slowly(struct hp_idset *set, uint64_t key, unsigned place,
			 enum hp_idflag flag)
{
	struct hp_idslot *slot = make_slot(set, key);
	bool was = false;

	if (!slot)
		goto no_memory;
	if (kind_of(slot) <= INLINE) {
		if (set_in_slot(slot, place, flag, &was))
			return was;
		if (!make_list(set, slot))
			goto no_memory;
	}
	if (kind_of(slot) == LIST) {
		if (set_in_list(set->blocks[index_of(slot)], place, flag, &was))
			return was;
		if (!make_longer(set, slot))
			goto no_memory;
	}
	if (kind_of(slot) == LIST) {
		set_in_list(set->blocks[index_of(slot)], place, flag, &was);
		return was;
	}
	uint64_t *bits = set->blocks[index_of(slot)];
	set->cache[hp_idset_cached(key)] = (struct hp_idcache){ key, bits };
	return hp_idset_set_bit(bits, place, flag);
no_memory:
	set->no_memory = true;
	return false;
}

/* ---- the set ------------------------------------------------------------- */

/* The flags of the item of PLACE, 0 if there is none. */
static unsigned flags_in_list(const struct list *list, unsigned place)
{
	for (unsigned i = 0; i < list->count; i++)
		if (list->items[i] >> 2 == place)
			return list->items[i] & 3;
	return 0;
}

bool hp_idset_is_defined(const struct hp_idset *set, uint64_t id)
{
	const struct hp_idslot *slot = slot_of(set, hp_idset_key(id));
	unsigned place = hp_idset_place(id);
	const uint64_t *bits;

	if (kind_of(slot) == LIST)
		return flags_in_list(set->blocks[index_of(slot)], place) &
		       HP_ID_DEFINED;
	if (kind_of(slot) == BITS) {
		bits = set->blocks[index_of(slot)];
		return bits[place / 64] >> place % 64 & 1;
	}
	for (unsigned i = 0; i < kind_of(slot); i++)
		if ((slot->value >> (i * ITEM_BITS + 2)) % HP_IDSET_PLACES ==
		    place)
			return slot->value >> i * ITEM_BITS & HP_ID_DEFINED;
	return false;
}

static uint64_t dangling_in(const struct hp_idset *set,
			    const struct hp_idslot *slot)
{
	uint64_t count = 0;

	if (kind_of(slot) == LIST) {
		const struct list *list = set->blocks[index_of(slot)];
		for (unsigned i = 0; i < list->count; i++)
			count += (list->items[i] & 3) == HP_ID_REFERRED;
	} else if (kind_of(slot) == BITS) {
		const uint64_t *bits = set->blocks[index_of(slot)];
		for (unsigned i = 0; i < WORDS; i++)
			count += (unsigned)__builtin_popcountll(
				bits[WORDS + i] & ~bits[i]);
	} else {
		for (unsigned i = 0; i < kind_of(slot); i++)
			count += (slot->value >> i * ITEM_BITS & 3) ==
				 HP_ID_REFERRED;
	}
	return count;
}

uint64_t hp_idset_dangling(const struct hp_idset *set)
{
	uint64_t count = 0;

	for (size_t i = 0; i <= set->mask; i++)
		count += dangling_in(set, &set->slots[i]);
	return count;
}

int hp_idset_init(struct hp_idset *set)
{
	memset(set, 0, sizeof *set);
	if (getrandom(&set->multiplier, sizeof set->multiplier,
		      GRND_NONBLOCK) != sizeof set->multiplier)
		set->multiplier = 0x9e3779b97f4a7c15;
	set->multiplier |= 1;
	return resize(set, FIRST_SHIFT);
}

void hp_idset_done(struct hp_idset *set)
{
	for (size_t i = 0; i < set->block_count; i++)
		hp_free(set->blocks[i]);
	hp_free(set->blocks);
	hp_free(set->slots);
}
