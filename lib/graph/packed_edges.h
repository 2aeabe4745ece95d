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
 * as that to the object's own. No difference, which would tell a search
 * nothing, stands for the class object of the object's class: many refer to
 * theirs, and few are near it.
 */
#ifndef HP_PACKED_EDGES_H
#define HP_PACKED_EDGES_H

#include "graph/edge_partitions.h"

/* For 64 objects: where the references of the first one that is kept begin. */
struct hp_packed_block {
	uint64_t kept;	/* bits */
	uint64_t start; /* in the bytes; may have HP_IRREGULAR */
	uint32_t rank;	/* objects kept before these */
};

struct hp_packed_edges {
	struct hp_packed_block *blocks; /* NULL: it is not known what is kept */
	struct hp_mapped_table lengths; /* u8: bytes of each that is kept */
	struct hp_mapped_table bytes;	/* at NULL: no references are packed */
	uint32_t *classes;		/* class objects by row, or HP_NONE */
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
 * Finds the class objects; nothing is kept yet. Free with hp_packed_edges_done,
 * also after a failure.
 */
enum hprof_status hp_packed_edges_init(struct hp_build *build,
				       const struct hp_edges *edges,
				       struct hp_packed_edges *ret);

/*
 * Makes room for the references of EDGES, of which as many objects are kept as
 * KEPT says, and says in part->packed where those of each part go.
 */
enum hprof_status hp_packed_edges_begin(struct hp_build *build,
					const struct hp_edges *edges,
					struct hp_edge_partitions *parts,
					uint32_t kept,
					struct hp_packed_edges *ret);

/* Packs the objects of a part, in their order. */
struct hp_packer {
	struct hp_packed_edges *packed;
	uint8_t *bytes, *lengths; /* of the tables */
	uint64_t at, backed;	  /* bytes written; up to which there is room */
	uint64_t begin;		  /* of the current object */
	uint32_t object, last, of; /* of: class object of the current object */
	struct hprof_error error;
	enum hprof_status status;
};

void hp_packer_init(struct hp_packer *k, struct hp_packed_edges *p,
		    const struct hp_edge_partition *part);

/* The next object, with COUNT references at most, is kept as number NODE. */
void hp_packer_open(struct hp_packer *k, const struct hp_edges *edges,
		    uint32_t object, uint32_t node, uint64_t count);
void hp_packer_close(struct hp_packer *k, uint32_t node);

static inline void hp_packer_put(struct hp_packer *k, uint32_t to)
{
	uint32_t by = to - k->last, code = by << 1 ^ (0 - (by >> 31));

	if (to == k->of) {
		k->of = HP_NONE;
		code = 0;
	} else if (by == 0) {
		return;
	} else {
		k->last = to;
	}
	for (; code >= 0x80; code >>= 7)
		k->bytes[k->at++] = (uint8_t)(code | 0x80);
	k->bytes[k->at++] = (uint8_t)code;
}

/* Ends the packing: STORED bytes are in use. */
void hp_packed_edges_end(struct hp_build *build, struct hp_packed_edges *p,
			 uint64_t stored);

/* ---- looking up ---------------------------------------------------------- */

/* The references of one object, some of which may be equal. */
struct hp_packed_walk {
	const uint8_t *at, *end;
	uint32_t last, of;
};

/* For an object that is not kept there are none. */
struct hp_packed_walk hp_packed_edges_of(const struct hp_packed_edges *p,
					 const struct hp_edges *edges,
					 uint32_t object);

/* False: there are no more. *RET_CLASS: this is the reference to its class. */
static inline bool hp_packed_walk_next(struct hp_packed_walk *w, uint32_t *ret,
				       bool *ret_class)
{
	uint32_t code, byte;
	unsigned shift = 7;

	if (w->at == w->end)
		return false;
	byte = *w->at++;
	*ret_class = byte == 0;
	for (code = byte & 0x7F; byte & 0x80; shift += 7) {
		byte = *w->at++;
		code |= (byte & 0x7F) << shift;
	}
	w->last += code >> 1 ^ (0 - (code & 1));
	*ret = *ret_class ? w->of : w->last;
	return true;
}

#endif
