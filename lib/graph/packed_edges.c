/* SPDX-License-Identifier: MIT */
/*
 * packed_edges.c - see packed_edges.h. How many bytes a part takes is known
 * only when it has been packed, so each part has room for the worst case; what
 * is not written of that is never mapped.
 */
#include "graph/packed_edges.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "graph/block_sum.h"

enum {
	LONG = 255,    /* as a length: it is stored in front, */
	LONG_HEAD = 8, /* in eight bytes */
	CODE_MOST = 5,
	BACK = 4 << 20 /* bytes of a file to reserve at a time */
};

/* ---- packing ------------------------------------------------------------- */

/* How many references the objects of PART have. */
static uint64_t count_references(const struct hp_edges *e,
				 const struct hp_edge_partition *part)
{
	const struct hp_edge_list *list = part->walk.list;
	const uint8_t *degree = e->degree.at;
	uint64_t sum = 0;

	for (uint32_t i = part->begin; i < part->end; i++)
		sum += degree[i] == HP_DEGREE_LIST ? 0 : degree[i];
	for (; list != part->walk.list_end && list->from < part->end; list++)
		if (list->from >= part->begin)
			sum += list->count;
	return sum;
}

static uint64_t most_bytes(uint64_t references)
{
	/* LONG_HEAD comes with at least LONG bytes. */
	return CODE_MOST * references + references / 4 + LONG_HEAD;
}

static enum hprof_status find_classes(const struct hp_edges *e,
				      struct hp_packed_edges *p)
{
	for (size_t i = 0; i < e->list_count; i++) {
		uint32_t kind = hp_edges_kind(e, e->lists[i].from);
		if (hp_kind_is_class(kind) &&
		    hp_kind_row(kind) >= p->class_count)
			p->class_count = hp_kind_row(kind) + 1;
	}
	p->classes = hp_alloc((p->class_count + 1) * sizeof *p->classes);
	if (!p->classes)
		return HPROF_E_NOMEM;
	memset(p->classes, 0xFF, p->class_count * sizeof *p->classes);
	for (size_t i = 0; i < e->list_count; i++) {
		uint32_t kind = hp_edges_kind(e, e->lists[i].from);
		if (hp_kind_is_class(kind))
			p->classes[hp_kind_row(kind)] = e->lists[i].from;
	}
	return HPROF_OK;
}

enum hprof_status hp_packed_edges_init(struct hp_build *build,
				       const struct hp_edges *edges,
				       struct hp_packed_edges *p)
{
	p->blocks = hp_calloc(hp_bit_words(edges->count), sizeof *p->blocks);
	if (!p->blocks || find_classes(edges, p) != HPROF_OK)
		return hp_no_memory(build->error);
	return HPROF_OK;
}

enum hprof_status hp_packed_edges_begin(struct hp_build *build,
					const struct hp_edges *edges,
					struct hp_edge_partitions *parts,
					uint32_t kept,
					struct hp_packed_edges *p)
{
	uint64_t most = 0, references = 0;

	for (size_t i = 0; i < parts->count; i++) {
		uint64_t n = count_references(edges, &parts->items[i]);
		parts->items[i].packed = most;
		references += n;
		most += most_bytes(n);
	}
	HP_TRY(hp_build_table(build, &p->lengths, (uint64_t)kept + 64, 1,
			      HP_MAPPED_TABLE_RAW));
	return hp_mapped_table_make_parts(
		&build->tables, &p->bytes, most + HP_SPARE, 1,
		parts->count > 1 ? HP_MAPPED_TABLE_PARTS
				 : HP_MAPPED_TABLE_FRONT,
		3 * references, build->error);
}

void hp_packer_init(struct hp_packer *k, struct hp_packed_edges *p,
		    const struct hp_edge_partition *part)
{
	*k = (struct hp_packer){ .packed = p,
				 .bytes = p->bytes.at,
				 .lengths = p->lengths.at,
				 .at = part->packed,
				 .backed = part->packed };
}

/* Reserves room on the disk for BYTES more; memory needs none. */
static void back(struct hp_packer *k, uint64_t bytes)
{
	uint64_t end = k->at + bytes + BACK;

	if (end > k->packed->bytes.bytes)
		end = k->packed->bytes.bytes;
	if (k->status >= 0)
		k->status = hp_mapped_table_back(&k->packed->bytes, k->backed,
						 end, &k->error);
	k->backed = end;
}

void hp_packer_open(struct hp_packer *k, const struct hp_edges *edges,
		    uint32_t object, uint32_t node, uint64_t count)
{
	struct hp_packed_block *block = &k->packed->blocks[object >> 6];
	uint64_t most = most_bytes(count);

	if (k->at + most > k->backed)
		back(k, most);
	if (!block->kept) {
		block->start = k->at;
		block->rank = node;
	}
	block->kept |= (uint64_t)1 << (object & 63);
	k->begin = k->at;
	k->last = k->object = object;
	k->of = hp_packed_edges_class(k->packed, edges, object);
}

void hp_packer_close(struct hp_packer *k, uint32_t node)
{
	uint64_t length = k->at - k->begin;
	uint8_t *begin = k->bytes + k->begin;

	if (length < LONG) {
		k->lengths[node] = (uint8_t)length;
		return;
	}
	memmove(begin + LONG_HEAD, begin, (size_t)length);
	memcpy(begin, &length, LONG_HEAD);
	k->at += LONG_HEAD;
	k->lengths[node] = LONG;
	k->packed->blocks[k->object >> 6].start |= HP_IRREGULAR;
}

void hp_packed_edges_end(struct hp_build *build, struct hp_packed_edges *p,
			 uint64_t stored)
{
	hp_mapped_table_used(&build->tables, &p->bytes, stored);
}

void hp_packed_edges_done(struct hp_build *build, struct hp_packed_edges *p)
{
	hp_build_free(build, &p->bytes);
	hp_build_free(build, &p->lengths);
	hp_free(p->blocks);
	hp_free(p->classes);
	*p = (struct hp_packed_edges){ .blocks = NULL };
}

/* ---- looking up ---------------------------------------------------------- */

static uint64_t long_length(const struct hp_packed_edges *p, uint64_t at)
{
	uint64_t length;

	memcpy(&length, (const uint8_t *)p->bytes.at + at, LONG_HEAD);
	return length;
}

/* Where node NODE begins in BLOCK, which has a LONG length. */
static uint64_t irregular_start(const struct hp_packed_edges *p,
				const struct hp_packed_block *block,
				uint32_t node)
{
	const uint8_t *lengths = p->lengths.at;
	uint64_t at = block->start & ~HP_IRREGULAR;

	for (uint32_t i = block->rank; i < node; i++)
		at += lengths[i] == LONG ? LONG_HEAD + long_length(p, at)
					 : lengths[i];
	return at;
}

struct hp_packed_walk hp_packed_edges_of(const struct hp_packed_edges *p,
					 const struct hp_edges *edges,
					 uint32_t object)
{
	const struct hp_packed_block *block = &p->blocks[object >> 6];
	const uint64_t bit = (uint64_t)1 << (object & 63);
	const uint8_t *lengths = p->lengths.at, *bytes = p->bytes.at;
	unsigned before = hp_bit_count(block->kept & (bit - 1));
	uint64_t at = block->start, length;

	if (!(block->kept & bit))
		return (struct hp_packed_walk){ .at = NULL };
	length = lengths[block->rank + before];
	if (at & HP_IRREGULAR)
		at = irregular_start(p, block, block->rank + before);
	else
		at += hp_block_sum(lengths + block->rank, before);
	if (length == LONG) {
		length = long_length(p, at);
		at += LONG_HEAD;
	}
	return (struct hp_packed_walk){ bytes + at, bytes + at + length, object,
					hp_packed_edges_class(p, edges,
							      object) };
}
