/*
 * idset.h - which ids are defined, and which are referred to.
 *
 * Two bits for each place where an object may start, in blocks of 4096
 * places that exist only where ids are: about 1.5 bytes an object in a real
 * heap. A block begins as a short list, so that a file of scattered ids
 * cannot make us allocate much more than it holds.
 */
#ifndef HP_IDSET_H
#define HP_IDSET_H

#include <stdbool.h>

#include "idmap.h"

enum { HP_IDSET_FEW = 12, HP_IDSET_PLACES = 4096, HP_IDSET_CACHE = 1024 };

struct hp_idblock {
	uint64_t key;
	uint64_t *bits; /* defined, then referred to; NULL: the list */
	uint16_t count;
	uint16_t list[HP_IDSET_FEW]; /* place << 2 | referred << 1 | defined */
};

struct hp_idset {
	struct hp_idmap blocks;
	struct hp_idblock **all;
	size_t count, room;
	struct hp_idblock *cache[HP_IDSET_CACHE];
	uint64_t defined;
	bool no_memory;
};

int hp_idset_init(struct hp_idset *set);
void hp_idset_done(struct hp_idset *set);

/* False if ID was defined already. */
bool hp_idset_define(struct hp_idset *set, uint64_t id);
void hp_idset_refer(struct hp_idset *set, uint64_t id);
bool hp_idset_is_defined(const struct hp_idset *set, uint64_t id);

/* How many ids are referred to and not defined. */
uint64_t hp_idset_dangling(const struct hp_idset *set);

#endif
