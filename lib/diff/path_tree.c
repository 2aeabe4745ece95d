/* SPDX-License-Identifier: MIT */
/*
 * path_tree.c - see path_tree.h.
 *
 * Children of a node are found by hashing. A key whose last steps occurred
 * before on its path leads back to the node where they did, and is remembered
 * like any other, so that a long list costs only one search up the path.
 */
#include "diff/path_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	NODES_MAX = 1 << 20,
	DEPTH_MAX = 256, /* deeper objects belong to the last node */
	ALIKE_MIN = 5,	 /* repeated steps that make a path a cycle */
	FIRST_SLOTS = 1024
};

struct hp_path_slot {
	struct hp_path_key key;
	uint32_t node; /* HP_NO_NODE_YET: empty */
};

static struct hp_path_slot *new_slots(size_t count)
{
	struct hp_path_slot *slots = hp_calloc(count, sizeof *slots);

	for (size_t i = 0; slots && i < count; i++)
		slots[i].node = HP_NO_NODE_YET;
	return slots;
}

enum hprof_status hp_path_nodes_init(struct hp_path_nodes *n)
{
	*n = (struct hp_path_nodes){ .mask = FIRST_SLOTS - 1,
				     .text_mask = FIRST_SLOTS - 1,
				     .text_count = 1 };
	n->slots = new_slots(FIRST_SLOTS);
	n->text_slots = hp_calloc(FIRST_SLOTS, sizeof *n->text_slots);
	n->text_room = FIRST_SLOTS;
	n->texts = hp_calloc(FIRST_SLOTS, sizeof *n->texts);
	return n->slots && n->text_slots && n->texts ? HPROF_OK : HPROF_E_NOMEM;
}

void hp_path_nodes_done(struct hp_path_nodes *n)
{
	hp_arena_done(&n->arena);
	hp_free((void *)n->texts);
	hp_free(n->text_slots);
	hp_free(n->items);
	hp_free(n->slots);
	memset(n, 0, sizeof *n);
}

static size_t mix(uint64_t hash)
{
	hash ^= hash >> 32;
	hash *= UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(hash ^ hash >> 29);
}

/* ---- texts --------------------------------------------------------------- */

static size_t text_hash(const char *text, size_t size)
{
	uint64_t hash = size;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)text[i]) *
		       UINT64_C(0x100000001b3);
	return mix(hash);
}

/* Doubles the slots once they are half full. */
static enum hprof_status grow_texts(struct hp_path_nodes *n)
{
	size_t room = 2 * (n->text_mask + 1);
	uint32_t *slots;

	if (n->text_count <= n->text_mask / 2)
		return HPROF_OK;
	slots = hp_calloc(room, sizeof *slots);
	if (!slots)
		return HPROF_E_NOMEM;
	for (uint32_t t = 1; t < n->text_count; t++) {
		size_t i = text_hash(n->texts[t], strlen(n->texts[t]));

		while (slots[i & (room - 1)])
			i++;
		slots[i & (room - 1)] = t;
	}
	hp_free(n->text_slots);
	n->text_slots = slots;
	n->text_mask = room - 1;
	return HPROF_OK;
}

uint32_t hp_path_text(struct hp_path_nodes *n, const char *text, size_t size)
{
	size_t i;
	char *copy;

	if (grow_texts(n) != HPROF_OK)
		return 0;
	i = text_hash(text, size) & n->text_mask;
	for (; n->text_slots[i]; i = (i + 1) & n->text_mask) {
		const char *found = n->texts[n->text_slots[i]];

		if (!strncmp(found, text, size) && !found[size])
			return n->text_slots[i];
	}
	if (n->text_count >= UINT32_MAX ||
	    hp_grow((void **)&n->texts, &n->text_room, n->text_count,
		    sizeof *n->texts) != HPROF_OK)
		return 0;
	copy = hp_arena_text(&n->arena, text, size);
	if (!copy)
		return 0;
	n->texts[n->text_count] = copy;
	n->text_slots[i] = (uint32_t)n->text_count;
	return (uint32_t)n->text_count++;
}

/* ---- nodes --------------------------------------------------------------- */

static size_t key_hash(const struct hp_path_key *key)
{
	uint64_t low = (uint64_t)key->parent << 32 | key->field;
	uint64_t high = (uint64_t)key->class_name << 32 |
			(uint32_t)key->edge << 24 | (uint32_t)key->kind << 16 |
			key->root;

	return mix(low * UINT64_C(0xff51afd7ed558ccd) + high);
}

/* Compares all but the parent. */
static bool alike(const struct hp_path_key *a, const struct hp_path_key *b)
{
	return a->edge == b->edge && a->kind == b->kind && a->root == b->root &&
	       a->field == b->field && a->class_name == b->class_name;
}

static struct hp_path_slot *find_slot(struct hp_path_slot *slots, size_t mask,
				      const struct hp_path_key *key)
{
	size_t i = key_hash(key) & mask;

	while (slots[i].node != HP_NO_NODE_YET &&
	       (slots[i].key.parent != key->parent ||
		!alike(&slots[i].key, key)))
		i = (i + 1) & mask;
	return &slots[i];
}

static enum hprof_status grow_slots(struct hp_path_nodes *n)
{
	size_t mask = 2 * n->mask + 1;
	struct hp_path_slot *slots;

	if (n->used <= n->mask / 2)
		return HPROF_OK;
	slots = new_slots(mask + 1);
	if (!slots)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i <= n->mask; i++)
		if (n->slots[i].node != HP_NO_NODE_YET)
			*find_slot(slots, mask, &n->slots[i].key) = n->slots[i];
	hp_free(n->slots);
	n->slots = slots;
	n->mask = mask;
	return HPROF_OK;
}

/* Links of a list or tree, whichever of their fields is used each time. */
static bool is_link(const struct hp_path_key *parent,
		    const struct hp_path_key *key)
{
	return key->edge == HPROF_EDGE_FIELD && key->class_name &&
	       key->kind == HPROF_OBJECT_INSTANCE &&
	       parent->kind == HPROF_OBJECT_INSTANCE &&
	       parent->class_name == key->class_name;
}

/*
 * True if the last ALIKE_MIN steps to node AT were the same as those to KEY.
 * Fewer steps would not do: collections wrap others, and the inside of a map in
 * a map is not that of the outer one.
 */
static bool goes_round(const struct hp_path_nodes *n, uint32_t at,
		       const struct hp_path_key *key)
{
	const struct hp_path_key *first = &n->items[at].key;

	for (unsigned i = 1; alike(first, key); i++) {
		if (i == ALIKE_MIN)
			return true;
		if (first->parent == HP_NO_NODE_YET)
			return false;
		first = &n->items[first->parent].key;
		key = &n->items[key->parent].key;
	}
	return false;
}

/* Searches up the path for a node that was reached in the same way. */
static uint32_t find_above(const struct hp_path_nodes *n,
			   const struct hp_path_key *key)
{
	uint32_t at = key->parent;

	if (at == HP_NO_NODE_YET)
		return at;
	if (n->items[at].depth == DEPTH_MAX || n->count == NODES_MAX ||
	    is_link(&n->items[at].key, key))
		return at;
	while (at != HP_NO_NODE_YET && !goes_round(n, at, key))
		at = n->items[at].key.parent;
	return at;
}

static uint32_t make_node(struct hp_path_nodes *n,
			  const struct hp_path_key *key)
{
	struct hp_path_node *node;

	if (hp_grow((void **)&n->items, &n->room, n->count, sizeof *n->items) !=
	    HPROF_OK)
		return HP_NO_NODE_YET;
	node = &n->items[n->count];
	*node = (struct hp_path_node){ .key = *key };
	if (key->parent != HP_NO_NODE_YET)
		node->depth = n->items[key->parent].depth + 1;
	return (uint32_t)n->count++;
}

uint32_t hp_path_node(struct hp_path_nodes *n, const struct hp_path_key *key)
{
	struct hp_path_slot *slot;
	uint32_t node;

	if (grow_slots(n) != HPROF_OK)
		return HP_NO_NODE_YET;
	slot = find_slot(n->slots, n->mask, key);
	if (slot->node != HP_NO_NODE_YET)
		return slot->node;
	node = find_above(n, key);
	if (node == HP_NO_NODE_YET)
		node = make_node(n, key);
	if (node == HP_NO_NODE_YET)
		return node;
	*slot = (struct hp_path_slot){ *key, node };
	n->used++;
	return node;
}

/* ---- order --------------------------------------------------------------- */

static int compare_texts(const struct hp_path_nodes *n, uint32_t a, uint32_t b)
{
	if (a == b)
		return 0;
	if (!a || !b)
		return a ? 1 : -1;
	return strcmp(n->texts[a], n->texts[b]);
}

static uint32_t rank_of(const struct hp_path_nodes *n, uint32_t node)
{
	return node == HP_NO_NODE_YET ? 0 : n->items[node].rank;
}

/* Roots that the JVM always has come first, as JNI references come and go. */
static unsigned root_order(unsigned tag)
{
	switch (tag) {
	case HPROF_ROOT_STICKY_CLASS:
		return 0;
	case HPROF_ROOT_THREAD_OBJ:
		return 1;
	default:
		return 2 + tag;
	}
}

static int compare_keys(const struct hp_path_nodes *n,
			const struct hp_path_key *a,
			const struct hp_path_key *b)
{
	uint32_t a_rank = rank_of(n, a->parent), b_rank = rank_of(n, b->parent);
	int order;

	if (a_rank != b_rank)
		return a_rank < b_rank ? -1 : 1;
	if (a->root != b->root)
		return root_order(a->root) < root_order(b->root) ? -1 : 1;
	if (a->edge != b->edge)
		return a->edge < b->edge ? -1 : 1;
	order = compare_texts(n, a->field, b->field);
	if (!order)
		order = compare_texts(n, a->class_name, b->class_name);
	return order ? order : (int)a->kind - (int)b->kind;
}

bool hp_path_before(const struct hp_path_nodes *n, uint32_t a, uint32_t b)
{
	const struct hp_path_node *first = &n->items[a], *second = &n->items[b];

	if (a == b)
		return false;
	if (first->rank && second->rank)
		return first->rank < second->rank;
	if (first->rank || second->rank)
		return first->rank != 0;
	return compare_keys(n, &first->key, &second->key) < 0;
}

int hp_path_compare(const struct hp_path_nodes *n, uint32_t a, uint32_t b)
{
	const struct hp_path_node *first = &n->items[a], *second = &n->items[b];

	while (first->depth > second->depth)
		first = &n->items[first->key.parent];
	while (second->depth > first->depth)
		second = &n->items[second->key.parent];
	if (first == second)
		return (n->items[a].depth > n->items[b].depth) -
		       (n->items[a].depth < n->items[b].depth);
	while (first->key.parent != second->key.parent) {
		first = &n->items[first->key.parent];
		second = &n->items[second->key.parent];
	}
	return compare_keys(n, &first->key, &second->key);
}

/* Merges runs for a merge sort; qsort has no argument to pass N. */
static void merge(const struct hp_path_nodes *n, const uint32_t *from,
		  uint32_t *to, size_t low, size_t middle, size_t high)
{
	size_t a = low, b = middle;

	for (size_t i = low; i < high; i++) {
		bool left = a < middle &&
			    (b == high || !hp_path_before(n, from[b], from[a]));

		to[i] = left ? from[a++] : from[b++];
	}
}

static uint32_t *sort_new(const struct hp_path_nodes *n, uint32_t *items,
			  uint32_t *other, size_t count)
{
	for (size_t run = 1; run < count; run *= 2) {
		uint32_t *swap = items;

		for (size_t low = 0; low < count; low += 2 * run) {
			size_t middle = low + run < count ? low + run : count;
			size_t high =
				low + 2 * run < count ? low + 2 * run : count;

			merge(n, items, other, low, middle, high);
		}
		items = other;
		other = swap;
	}
	return items;
}

enum hprof_status hp_path_rank(struct hp_path_nodes *n)
{
	size_t count = n->count - n->ranked;
	uint32_t *fresh = hp_calloc(2 * count + 1, sizeof *fresh), *sorted;

	if (!fresh)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i < count; i++)
		fresh[i] = (uint32_t)(n->ranked + i);
	sorted = sort_new(n, fresh, fresh + count, count);
	for (size_t i = 0; i < count; i++)
		n->items[sorted[i]].rank = ++n->last_rank;
	n->ranked = n->count;
	hp_free(fresh);
	return HPROF_OK;
}

/* ---- the table ----------------------------------------------------------- */

static void fill_node(const struct hp_path_nodes *nodes,
		      const struct hp_path_node *from, const size_t *row_of,
		      struct hprof_path_node *to)
{
	*to = (struct hprof_path_node){
		.parent = from->key.parent == HP_NO_NODE_YET
				  ? SIZE_MAX
				  : row_of[from->key.parent],
		.root = from->key.root,
		.edge = (enum hprof_edge_kind)from->key.edge,
		.field = nodes->texts[from->key.field],
		.kind = (enum hprof_object_kind)from->key.kind,
		.class_name = nodes->texts[from->key.class_name],
		.objects = from->objects,
		.shallow = from->shallow,
		.held_objects = from->objects,
		.held = from->shallow,
	};
}

enum hprof_status hp_path_nodes_list(const struct hp_path_nodes *nodes,
				     struct hprof_path_tree *table)
{
	size_t *row_of = hp_calloc(nodes->count + 1, sizeof *row_of);

	table->nodes = hp_calloc(nodes->count + 1, sizeof *table->nodes);
	for (size_t i = 0; row_of && table->nodes && i < nodes->count; i++) {
		const struct hp_path_node *node = &nodes->items[i];

		if (!node->objects)
			continue;
		row_of[i] = table->count;
		table->objects += node->objects;
		table->shallow += node->shallow;
		fill_node(nodes, node, row_of, &table->nodes[table->count++]);
	}
	for (size_t i = table->count; i-- > 0;) {
		const struct hprof_path_node *node = &table->nodes[i];

		if (node->parent == SIZE_MAX)
			continue;
		table->nodes[node->parent].held_objects += node->held_objects;
		table->nodes[node->parent].held += node->held;
	}
	hp_free(row_of);
	return row_of && table->nodes ? HPROF_OK : HPROF_E_NOMEM;
}
