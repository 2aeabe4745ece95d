/* SPDX-License-Identifier: MIT */
/*
 * packed_edges.c - see packed_edges.h. How many bytes a part takes is known
 * only when it has been packed, and which parts a thread gets only then, so each
 * thread has room for the worst case; what is not written of that is never mapped.
 */
#include "graph/packed_edges.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "graph/block_sum.h"

/* Of so many objects, differences have 30 bits. */
enum { NARROW = 1 << 29 };

/* ---- packing ------------------------------------------------------------- */

/* How many references the objects of PART have at most. */
static uint64_t count_references(const struct hp_edges *e,
				 const struct hp_edge_partition *part)
{
	enum { AT_ONCE = 256 };
	const struct hp_edge_list *list = part->walk.list;
	const uint8_t *degree = e->degree.at;
	uint64_t sum = 0;

	for (uint64_t i = part->begin; i < part->end; i += AT_ONCE)
		sum += hp_block_sum(degree + i,
				    part->end - i < AT_ONCE
					    ? (unsigned)(part->end - i)
					    : AT_ONCE);
	for (; list != part->walk.list_end && list->from < part->end; list++)
		if (list->from >= part->begin)
			sum += list->count;
	return sum;
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
				       const struct hp_ranked_bits *kept,
				       struct hp_packed_edges *p)
{
	const size_t words = hp_bit_words(edges->count);

	p->wide = edges->count > NARROW;
	p->blocks = hp_calloc(words, sizeof *p->blocks);
	if (!p->blocks || find_classes(edges, p) != HPROF_OK)
		return hp_no_memory(build->error);
	for (size_t i = 0; i < words; i++) {
		p->blocks[i].kept = kept[i].bits;
		p->blocks[i].rank = kept[i].rank;
	}
	return HPROF_OK;
}

static enum hprof_status make_bytes(struct hp_build *build, uint64_t expected,
				    struct hp_packed_edges *p)
{
	return hp_mapped_table_make_parts(
		&build->tables, &p->bytes, p->spans * p->span + HP_SPARE, 1,
		p->spans > 1 ? HP_MAPPED_TABLE_SPANS : HP_MAPPED_TABLE_FRONT,
		expected, build->error);
}

enum hprof_status hp_packed_edges_begin(struct hp_build *build,
					const struct hp_edges *edges,
					const struct hp_edge_partitions *parts,
					uint32_t kept,
					struct hp_packed_edges *p)
{
	enum hprof_status status;
	uint64_t references = 0;

	p->span = 0;
	p->spans = build->threads > 1 ? build->threads : 1;
	if (p->spans > parts->count)
		p->spans = parts->count;
	for (size_t i = 0; i < parts->count; i++) {
		uint64_t n = count_references(edges, &parts->items[i]);
		references += n;
		p->span += hp_packed_most(n);
	}
	HP_TRY(hp_build_table(build, &p->lengths, (uint64_t)kept + 64, 1,
			      HP_MAPPED_TABLE_RAW));
	status = make_bytes(build, 3 * references, p);
	if (status < 0 && p->spans > 1) {
		p->spans = 1; /* perhaps for want of addresses */
		status = make_bytes(build, 3 * references, p);
	}
	return status;
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

/* How many bytes the numbers of COUNT objects take, the first of which is at AT. */
static uint64_t pass_irregular(const uint8_t *lengths, unsigned count,
			       const uint8_t *at)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < count; i++) {
		uint64_t length = lengths[i] & HP_PACKED_LONG;
		sum += length == HP_PACKED_LONG
			       ? HP_PACKED_HEAD +
					 hp_packed_long_length(at + sum)
			       : length;
	}
	return sum;
}

/* The same if none is long. What is behind the last LENGTHS is read as well. */
static inline uint64_t pass(const uint8_t *lengths, unsigned count)
{
	const uint64_t some = HP_PACKED_LONG * (uint64_t)0x0001000100010001;
	const uint64_t last = ((uint64_t)1 << 8 * (count % 8)) - 1;
	uint64_t sums = 0, word;

	for (unsigned i = 0; i < count / 8; i++) {
		word = hp_block_word(lengths + 8 * i);
		sums += (word & some) + (word >> 8 & some);
	}
	word = hp_block_word(lengths + 8 * (count / 8)) & last;
	sums += (word & some) + (word >> 8 & some);
	return (sums * 0x0001000100010001) >> 48;
}

struct hp_packed_walk hp_packed_edges_of(const struct hp_packed_edges *p,
					 const struct hp_edges *edges,
					 uint32_t object)
{
	const struct hp_packed_block *block = &p->blocks[object >> 6];
	const uint64_t bit = (uint64_t)1 << (object & 63);
	const uint8_t *lengths = (uint8_t *)p->lengths.at + block->rank;
	const uint8_t *at = hp_packed_block_at(p, block);
	const unsigned before = hp_bit_count(block->kept & (bit - 1));

	if (!(block->kept & bit))
		return (struct hp_packed_walk){ .of = HP_NONE };
	if (block->start & HP_IRREGULAR)
		at += pass_irregular(lengths, before, at);
	else
		at += pass(lengths, before);
	return hp_packed_edges_at(p, edges, object, block->rank + before, &at);
}
