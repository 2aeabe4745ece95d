/* SPDX-License-Identifier: MIT */
/*
 * path_tree.h - nodes of a tree of paths, and their order.
 *
 * Nodes are compared by the names on their paths, never by when they were made,
 * so that two dumps of one program give the same tree. A node gets its rank
 * when the search completes the level that made it; ranks of later levels are
 * higher.
 */
#ifndef HP_PATH_TREE_H
#define HP_PATH_TREE_H

#include "base/arena.h"
#include "hprof/diff.h"

#define HP_NO_NODE_YET UINT32_MAX

/* What distinguishes the nodes below a parent. Texts are interned. */
struct hp_path_key {
	uint32_t parent; /* HP_NO_NODE_YET: at the top */
	uint8_t edge, kind;
	uint16_t root;	     /* only at the top */
	uint32_t field;	     /* text; 0: none */
	uint32_t class_name; /* text; 0: unknown */
};

struct hp_path_node {
	struct hp_path_key key;
	uint32_t depth, rank; /* rank 0: none yet */
	uint64_t objects, shallow;
};

struct hp_path_nodes {
	struct hp_arena arena; /* of texts */
	const char **texts;    /* [0] is NULL */
	size_t text_count, text_room;
	uint32_t *text_slots; /* hash table of text numbers */
	size_t text_mask;
	struct hp_path_node *items;
	size_t count, room;
	size_t ranked; /* nodes before this one have a rank */
	uint32_t last_rank;
	struct hp_path_slot *slots; /* hash table: key -> node */
	size_t used, mask;
};

/* Fails only with HPROF_E_NOMEM. */
enum hprof_status hp_path_nodes_init(struct hp_path_nodes *nodes);
void hp_path_nodes_done(struct hp_path_nodes *nodes);

/* The number of TEXT, of SIZE bytes; 0 without memory. */
uint32_t hp_path_text(struct hp_path_nodes *nodes, const char *text,
		      size_t size);

/* The node of KEY; HP_NO_NODE_YET without memory. */
uint32_t hp_path_node(struct hp_path_nodes *nodes,
		      const struct hp_path_key *key);

/* True if A comes before B. Their parents must have ranks. */
bool hp_path_before(const struct hp_path_nodes *nodes, uint32_t a, uint32_t b);

/* Compares by the names on the paths; parents come before their children. */
int hp_path_compare(const struct hp_path_nodes *nodes, uint32_t a, uint32_t b);

/*
 * Gives ranks to the nodes of the completed level. Fails only with
 * HPROF_E_NOMEM.
 */
enum hprof_status hp_path_rank(struct hp_path_nodes *nodes);

/*
 * Adds the nodes to TABLE, and the objects below to those above. Nodes that lost
 * all their objects to others are dropped: nothing is below them. Fails only
 * with HPROF_E_NOMEM.
 */
enum hprof_status hp_path_nodes_list(const struct hp_path_nodes *nodes,
				     struct hprof_path_tree *table);

#endif
