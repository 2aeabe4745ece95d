/* SPDX-License-Identifier: MIT */
/*
 * packed_edges.h - the references between the objects that kept_objects.h
 * keeps, in two or three bytes each: for searches after the dominators are
 * known, when the references themselves are gone. If these stay, there are only
 * the objects that are kept; see kept_references.h for what both have in
 * common.
 *
 * Nothing is lost for a search. An object that is not kept has only one
 * referrer, which is its dominator, and leads to none that is kept.
 *
 * Each number is stored as the difference to the one before it, and the first
 * as that to the object's own. The class of an object comes last, if it does
 * (edge_object.h), and takes a bit.
 */
#ifndef HP_PACKED_EDGES_H
#define HP_PACKED_EDGES_H

#include <string.h>

#include "base/ranked_bits.h"
#include "graph/edge_partitions.h"

/* For 64 objects: where the references of the first one that is kept begin. */
struct hp_packed_block {
	uint64_t kept;	/* bits */
	uint64_t start; /* in the bytes; may have HP_IRREGULAR */
	uint32_t rank;	/* objects kept before these */
};

struct hp_packed_edges {
	struct hp_packed_block *blocks; /* NULL: it is not known what is kept */
	struct hp_mapped_table
		lengths;	      /* u8: of each that is kept; see below */
	struct hp_mapped_table bytes; /* at NULL: no references are packed */
	size_t spans;		      /* see hp_packed_edges_begin */
	uint64_t span;
	bool wide;	   /* see hp_packed_store */
	uint32_t *classes; /* class objects by row, or HP_NONE */
	size_t class_count;
};

static inline bool hp_packed_edges_have(const struct hp_packed_edges *p,
					uint64_t object)
{
	return p->blocks[object >> 6].kept >> (object & 63) & 1;
}

void hp_packed_edges_done(struct hp_build *build, struct hp_packed_edges *p);

/* The class object of an object of EDGES, or HP_NONE. */
static inline uint32_t hp_packed_edges_class(const struct hp_packed_edges *p,
					     const struct hp_edges *edges,
					     uint32_t object)
{
	size_t row = hp_kind_row(hp_edges_kind(edges, object));

	return row < p->class_count ? p->classes[row] : HP_NONE;
}

/* ---- packing ------------------------------------------------------------- */

/*
 * Finds the class objects, and takes over which objects are KEPT. Free with
 * hp_packed_edges_done, also after a failure.
 */
enum hprof_status hp_packed_edges_init(struct hp_build *build,
				       const struct hp_edges *edges,
				       const struct hp_ranked_bits *kept,
				       struct hp_packed_edges *ret);

/*
 * Makes room for the references of EDGES, of which as many objects are kept as
 * KEPT says: RET->spans of RET->span bytes, each for all of them. So many threads
 * may pack PARTS.
 */
enum hprof_status hp_packed_edges_begin(struct hp_build *build,
					const struct hp_edges *edges,
					const struct hp_edge_partitions *parts,
					uint32_t kept,
					struct hp_packed_edges *ret);

/*
 * In hp_packed_edges.lengths: how many bytes the numbers take, and whether the class
 * follows. If they are too many, their number is stored in front of them.
 */
enum {
	HP_PACKED_CLASS = 0x80,
	HP_PACKED_LONG = 0x7F,
	HP_PACKED_HEAD = 8,   /* bytes in front */
	HP_PACKED_AT_ONCE = 8 /* bytes that are written or read for a number */
};

/* How many bytes so many references of an object take at most. */
static inline uint64_t hp_packed_most(uint64_t references)
{
	/* A head comes with HP_PACKED_LONG bytes, which are 26 references or more. */
	return 5 * references + references / 2 + HP_PACKED_HEAD +
	       HP_PACKED_AT_ONCE;
}

static inline uint64_t hp_packed_order(uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return __builtin_bswap64(word);
#else
	return word;
#endif
}

/*
 * Stores the difference BY, from its lowest byte on, with a form from 0 to 3 in the
 * lowest two bits. It takes one byte more than its form, but five for form 3 if WIDE.
 * Returns how many. Without WIDE, all differences are below 2^29.
 */
static inline uint32_t hp_packed_store(uint8_t *at, uint32_t by, bool wide)
{
	const uint32_t code = by << 1 ^ (0 - (by >> 31));
	uint32_t form = (hp_bit_highest(code | 1) + 2) >> 3;
	uint64_t word;

	if (wide)
		form -= form >> 2;
	word = hp_packed_order((uint64_t)code << 2 | form);
	memcpy(at, &word, sizeof word);
	return form + 1 + (wide && form == 3);
}

/*
 * LENGTH bytes from BEGIN on are the numbers of OBJECT, which is kept as NUMBER, and
 * its CLASS follows. Returns how many bytes it takes as a whole.
 */
static inline uint64_t hp_packed_edges_note(struct hp_packed_edges *p,
					    uint32_t object, uint32_t number,
					    bool class, uint8_t *begin,
					    uint64_t length)
{
	uint8_t *lengths = p->lengths.at;
	const bool is_long = length >= HP_PACKED_LONG;

	lengths[number] = (uint8_t)((class ? HP_PACKED_CLASS : 0) |
				    (is_long ? HP_PACKED_LONG : length));
	if (!is_long)
		return length;
	memmove(begin + HP_PACKED_HEAD, begin, (size_t)length);
	memcpy(begin, &length, HP_PACKED_HEAD);
	p->blocks[object >> 6].start |= HP_IRREGULAR;
	return HP_PACKED_HEAD + length;
}

/* ---- looking up ---------------------------------------------------------- */

/* The references of one object, some of which may be equal. */
struct hp_packed_walk {
	const uint8_t *at, *end;
	uint32_t last,
		of; /* of: the class, which is still to come, or HP_NONE */
	bool wide;
};

/* What HEAD, in front of HP_PACKED_LONG bytes or more, says of their number. */
static inline uint64_t hp_packed_long_length(const uint8_t *head)
{
	uint64_t length;

	memcpy(&length, head, HP_PACKED_HEAD);
	return length;
}

/*
 * Those of OBJECT, which is kept as NUMBER and has its bytes at *AT, which becomes where
 * those of the next one are.
 */
static inline struct hp_packed_walk
hp_packed_edges_at(const struct hp_packed_edges *p,
		   const struct hp_edges *edges, uint32_t object,
		   uint32_t number, const uint8_t **at)
{
	const uint8_t noted = ((const uint8_t *)p->lengths.at)[number];
	uint64_t length = noted & HP_PACKED_LONG;
	struct hp_packed_walk walk = {
		.at = *at, .last = object, .of = HP_NONE, .wide = p->wide
	};

	if (length == HP_PACKED_LONG) {
		length = hp_packed_long_length(walk.at);
		walk.at += HP_PACKED_HEAD;
	}
	if (noted & HP_PACKED_CLASS)
		walk.of = hp_packed_edges_class(p, edges, object);
	*at = walk.end = walk.at + length;
	return walk;
}

/* Where the bytes of the first object that is kept of BLOCK are. */
static inline const uint8_t *
hp_packed_block_at(const struct hp_packed_edges *p,
		   const struct hp_packed_block *block)
{
	return (const uint8_t *)p->bytes.at + (block->start & ~HP_IRREGULAR);
}

/* For an object that is not kept there are none. */
struct hp_packed_walk hp_packed_edges_of(const struct hp_packed_edges *p,
					 const struct hp_edges *edges,
					 uint32_t object);

/* False: there are no more. *RET_CLASS: this is the reference to its class. */
static inline bool hp_packed_walk_next(struct hp_packed_walk *w, uint32_t *ret,
				       bool *ret_class)
{
	uint64_t word;
	uint32_t code, length;

	*ret_class = w->at == w->end;
	if (*ret_class) {
		*ret = w->of;
		w->of = HP_NONE;
		return *ret != HP_NONE;
	}
	memcpy(&word, w->at, sizeof word);
	word = hp_packed_order(word);
	length = (word & 3) + 1;
	length += w->wide && length == 4;
	code = (uint32_t)((word & UINT64_MAX >> (64 - 8 * length)) >> 2);
	w->at += length;
	w->last += code >> 1 ^ (0 - (code & 1));
	*ret = w->last;
	return true;
}

#endif
