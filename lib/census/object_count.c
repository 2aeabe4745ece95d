/* SPDX-License-Identifier: MIT */
/*
 * object_count.c - the hot loop: looks at the head of each object once.
 *
 * Objects that are adjacent in the file are mostly adjacent in the heap, so the
 * distance between their ids is an upper bound of the size of the first one;
 * the smallest distance of a class is nearly always exact. For arrays, counts
 * by payload modulo a power of two are kept, from which the total size can be
 * computed afterwards for any header, reference width and alignment.
 */
#include "census/object_count.h"

#include "base/mem.h"
#include "base/search.h"
#include "base/wire.h"
#include "codec/object_head.h"

enum { REGION_BITS = 20 };

/* ---- slots --------------------------------------------------------------- */

struct hp_slot *hp_tally_new_slot(struct hp_tally *t, uint64_t class_id,
				  unsigned kind)
{
	struct hp_slot *slot = NULL;

	if (hp_grow((void **)&t->slots, &t->slot_room, t->slot_count,
		    sizeof *t->slots) == HPROF_OK)
		slot = hp_calloc(1, sizeof *slot);
	if (!slot)
		return NULL;
	slot->class_id = class_id;
	slot->kind = kind;
	slot->slack = HP_NO_SLACK;
	if (kind == HPROF_CLASS_OBJ_ARRAY) {
		slot->residues =
			hp_calloc(HP_ARRAY_RESIDUES, sizeof *slot->residues);
		if (!slot->residues) {
			hp_free(slot);
			return NULL;
		}
	}
	t->slots[t->slot_count++] = slot;
	return slot;
}

static __attribute__((noinline)) struct hp_slot *
add_slot(struct hp_tally *t, struct hp_u64_map *map, uint64_t class_id,
	 unsigned kind)
{
	if (t->slot_count >= 2 * t->announced + HP_UNKNOWN_CLASSES) {
		t->overflowed = true;
		return t->overflow;
	}
	struct hp_slot *slot = hp_tally_new_slot(t, class_id, kind);
	if (!slot || hp_u64_map_put(map, class_id, slot) != HPROF_OK) {
		t->no_memory = true;
		return t->overflow;
	}
	return slot;
}

static inline struct hp_slot *instance_slot(struct hp_tally *t, uint64_t id)
{
	struct hp_slot *slot = hp_u64_map_get(&t->instances, id);

	return slot ? slot : add_slot(t, &t->instances, id, HPROF_CLASS_PLAIN);
}

static inline struct hp_slot *array_slot(struct hp_tally *t, uint64_t id)
{
	struct hp_slot *slot = hp_u64_map_get(&t->arrays, id);

	return slot ? slot : add_slot(t, &t->arrays, id, HPROF_CLASS_OBJ_ARRAY);
}

/* ---- distances ----------------------------------------------------------- */

__attribute__((noinline)) uint64_t hp_tally_mirror_above(struct hp_tally *t,
							 uint64_t id)
{
	size_t at;

	/* Mirrors are clustered: most ids are between the same two. */
	if (id >= t->mirror_below && id < t->mirror_above)
		return t->mirror_above;
	HP_LOWER_BOUND(&at, t->mirror_count, t->mirrors[hp_at] <= id);
	t->mirror_below = at > 0 ? t->mirrors[at - 1] : 0;
	t->mirror_above = at < t->mirror_count ? t->mirrors[at] : UINT64_MAX;
	return t->mirror_above;
}

/* ---- samples ------------------------------------------------------------- */

/* Every region is excluded by some mask, so samples can always be thinned. */
static inline bool is_sampled(const struct hp_tally *t, uint64_t region)
{
	region = (region + 1) * 0x9e3779b97f4a7c15;
	return !((region ^ region >> 29) & t->sample_mask);
}

void hp_tally_drop_samples(struct hp_tally *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->sample_count; i++)
		if (is_sampled(t, t->samples[i].id >> REGION_BITS))
			t->samples[kept++] = t->samples[i];
	t->sample_count = kept;
}

void hp_tally_thin_samples(struct hp_tally *t)
{
	t->sample_mask = t->sample_mask << 1 | 1;
	hp_tally_drop_samples(t);
}

__attribute__((noinline)) bool hp_tally_sample(struct hp_tally *t, uint64_t id,
					       struct hp_slot *slot,
					       uint64_t payload)
{
	if (!is_sampled(t, id >> REGION_BITS))
		return false;
	t->samples[t->sample_count++] = (struct hp_sample){ id, slot, payload };
	while (t->sample_count == HP_SAMPLE_MAX)
		hp_tally_thin_samples(t);
	return is_sampled(t, id >> REGION_BITS);
}

/* ---- one object ---------------------------------------------------------- */

/*
 * Records ID, which follows the object of the cursor C. C is a local variable
 * of the caller that does not escape, so its members stay in registers.
 */
static inline __attribute__((always_inline)) void
note_object(struct hp_tally *t, struct hp_last_object *c, uint64_t id,
	    struct hp_slot *slot, uint64_t payload, int64_t extra,
	    const bool ids)
{
	if (ids)
		hp_id_index_add(t->writer, id);
	if (id > c->last_id && c->any) {
		uint64_t next = id;
		if (c->next_mirror <= id) {
			next = c->next_mirror;
			c->next_mirror = hp_tally_mirror_above(t, id);
		}
		hp_take_gap(t, c->last_slot, next - c->last_id, c->last_payload,
			    c->last_extra, false);
	} else { /* there is no distance to measure */
		if (c->any)
			t->descents++;
		else
			c->first_id = id;
		c->any = true;
		t->zero_ids += id == 0;
		c->next_mirror = hp_tally_mirror_above(t, id);
	}
	c->last_id = id;
	c->last_slot = slot;
	c->last_payload = payload;
	c->last_extra = extra;
	c->bits |= id;
	if (id < c->low)
		c->low = id;
	if (id > c->high)
		c->high = id;
	if (id >> REGION_BITS != c->region) {
		c->region = id >> REGION_BITS;
		c->region_sampled = is_sampled(t, c->region);
	}
	if (c->region_sampled)
		c->region_sampled = hp_tally_sample(t, id, slot, payload);
}

static __attribute__((noinline)) void
note_chunk(struct hp_chunks *c, const uint8_t *data, uint32_t size)
{
	c->count++;
	for (uint32_t i = 0; i < HP_CHUNK_PLACES && i + 4 <= size; i++) {
		struct hp_chunk_sum *sum = &c->at[i];
		uint64_t words = hp_get32(data + i);
		uint64_t narrow = hp_chunk_words(words, true);
		uint64_t wide = hp_chunk_words(words, false);
		for (unsigned k = 0; k < HP_CHUNK_ALIGNMENTS; k++) {
			uint64_t rest = ((uint64_t)1 << k) - 1;
			sum->narrow[k] += (narrow + rest) & ~rest;
			sum->wide[k] += (wide + rest) & ~rest;
		}
		if (words > sum->largest)
			sum->largest = words;
	}
}

static inline void count(struct hp_slot *slot, uint64_t size)
{
	slot->count++;
	slot->data += size;
	if (size > slot->largest)
		slot->largest = size;
}

static inline __attribute__((always_inline)) void
note_instance(struct hp_tally *t, struct hp_last_object *c, uint64_t id,
	      uint64_t class_id, const uint8_t *data, uint32_t size,
	      const bool ids)
{
	struct hp_slot *slot = instance_slot(t, class_id);

	if (class_id == t->chunks.class_id && data)
		note_chunk(&t->chunks, data, size);
	count(slot, size);
	note_object(t, c, id, slot, 0, -1, ids);
}

static inline __attribute__((always_inline)) void
note_obj_array(struct hp_tally *t, struct hp_last_object *c, uint64_t id,
	       uint64_t class_id, uint32_t n, const bool ids)
{
	struct hp_slot *slot = array_slot(t, class_id);

	count(slot, n);
	slot->residues[n % HP_ARRAY_RESIDUES]++;
	note_object(t, c, id, slot, 4 * (uint64_t)n, 4 * (int64_t)n, ids);
}

static inline __attribute__((always_inline)) void
note_prim_array(struct hp_tally *t, struct hp_last_object *c, uint64_t id,
		unsigned type, uint64_t payload, const bool ids)
{
	struct hp_slot *slot = &t->prims[type];

	count(slot, payload);
	slot->residues[payload % HP_PRIM_RESIDUES]++;
	note_object(t, c, id, slot, payload, -1, ids);
}

/* ---- many objects -------------------------------------------------------- */

/* Counts of sub-records of one tag, in registers while the loop runs. */
struct tag_sum {
	uint64_t records, bytes;
};

static inline uint64_t sum_up(struct tag_sum *sum,
			      const struct hp_object_head *head)
{
	uint64_t bytes = head->size_of_head + head->size;

	sum->records++;
	sum->bytes += bytes;
	return bytes;
}

static inline void add_to_tag(struct hp_tally *t, unsigned tag,
			      const struct tag_sum *sum)
{
	t->tag_count[tag & 0xff] += sum->records;
	t->tag_bytes[tag & 0xff] += sum->bytes;
}

static inline __attribute__((always_inline)) size_t scan(struct hp_tally *t,
							 const uint8_t *start,
							 size_t size,
							 const unsigned z,
							 const bool ids)
{
	const uint8_t *p = start, *end = start + size;
	struct tag_sum instances = { 0 }, arrays = { 0 }, prims = { 0 };
	struct hp_last_object c = t->cursor;
	struct hp_object_head head;

	while (hp_room(p, end) >= HP_HEAD_LONGEST(z)) {
		const unsigned tag = HPROF_SUB + p[0];
		const size_t room = hp_room(p, end);
		if (tag == HPROF_INSTANCE_DUMP) {
			if (!hp_instance_head_read(p, room, z, &head))
				break;
			note_instance(t, &c, head.id, head.class_id,
				      p + head.size_of_head, head.count, ids);
			p += sum_up(&instances, &head);
		} else if (tag == HPROF_PRIM_ARRAY_DUMP) {
			if (!hp_prim_array_head_read(p, room, z, &head))
				break;
			note_prim_array(t, &c, head.id, head.type, head.size,
					ids);
			if (hp_property_fits(head.count))
				t->properties |=
					hp_property_name(p + head.size_of_head,
							 head.count, head.type);
			p += sum_up(&prims, &head);
		} else if (tag == HPROF_OBJ_ARRAY_DUMP) {
			if (!hp_obj_array_head_read(p, room, z, &head))
				break;
			note_obj_array(t, &c, head.id, head.class_id,
				       head.count, ids);
			p += sum_up(&arrays, &head);
		} else {
			break;
		}
	}
	t->cursor = c;
	add_to_tag(t, HPROF_INSTANCE_DUMP, &instances);
	add_to_tag(t, HPROF_OBJ_ARRAY_DUMP, &arrays);
	add_to_tag(t, HPROF_PRIM_ARRAY_DUMP, &prims);
	return (size_t)(p - start);
}

/*
 * Ids that cannot be recorded as bits are detected afterwards. The index is
 * told to expect as many objects as the bytes can hold; unused bytes are
 * scanned again, and must not be counted twice, since each expected object
 * allows more memory for bits.
 */
static size_t scan_ids(struct hp_tally *t, const uint8_t *p, size_t size)
{
	const uint64_t shortest = HP_HEAD_SHORTEST(t->id_size);
	const uint64_t most = size / shortest;

	hp_id_index_expect(t->writer->build, most);
	size_t used = t->id_size == 8 ? scan(t, p, size, 8, true)
				      : scan(t, p, size, 4, true);
	hp_id_index_expect(t->writer->build, used / shortest - most);

	if (t->cursor.bits % HP_IDS_UNIT || t->writer->failed)
		t->ids_odd = true;
	return used;
}

size_t hp_tally_scan(struct hp_tally *t, const uint8_t *p, size_t size)
{
	if (t->writer && !t->ids_odd)
		return scan_ids(t, p, size);
	return t->id_size == 8 ? scan(t, p, size, 8, false)
			       : scan(t, p, size, 4, false);
}

/* ---- one decoded record -------------------------------------------------- */

static void note_thread(struct hp_tally *t, const struct hprof_root *root)
{
	if (hp_grow((void **)&t->threads, &t->thread_room, t->thread_count,
		    sizeof *t->threads) != HPROF_OK) {
		t->no_memory = true;
		return;
	}
	t->threads[t->thread_count++] =
		(struct hp_thread_root){ root->object_id, root->thread_serial,
					 root->trace_serial };
}

static void note_prim_record(struct hp_tally *t,
			     const struct hprof_prim_array_dump *array)
{
	unsigned width = hprof_type_size(array->type, t->id_size);

	note_prim_array(t, &t->cursor, array->object_id, array->type,
			(uint64_t)array->count * width, false);
	if (hp_property_fits(array->count) && array->elements.data &&
	    array->elements.size == (uint64_t)array->count * width)
		t->properties |= hp_property_name(array->elements.data,
						  array->count, array->type);
}

/* For records that the hot loop does not count. */
static void note_id(struct hp_tally *t, uint64_t id)
{
	if (!t->writer || t->ids_odd)
		return;
	hp_id_index_expect(t->writer->build, 1);
	hp_id_index_add(t->writer, id);
	if (id % HP_IDS_UNIT)
		t->ids_odd = true;
}

void hp_tally_record(struct hp_tally *t, const struct hprof_record *record)
{
	const struct hprof_instance_dump *instance = &record->u.instance_dump;
	const struct hprof_obj_array_dump *array = &record->u.obj_array_dump;
	uint64_t size;

	t->tag_count[record->tag & 0xff]++;
	if (hprof_record_size(record, t->id_size, &size) == HPROF_OK)
		t->tag_bytes[record->tag & 0xff] += size;
	switch (record->tag) {
	case HPROF_INSTANCE_DUMP:
		note_instance(t, &t->cursor, instance->object_id,
			      instance->class_id, instance->data.data,
			      instance->data_size, false);
		note_id(t, instance->object_id);
		break;
	case HPROF_OBJ_ARRAY_DUMP:
		note_obj_array(t, &t->cursor, array->object_id, array->class_id,
			       array->count, false);
		note_id(t, array->object_id);
		break;
	case HPROF_PRIM_ARRAY_DUMP:
	case HPROF_PRIM_ARRAY_NODATA_DUMP:
		note_prim_record(t, &record->u.prim_array_dump);
		note_id(t, record->u.prim_array_dump.object_id);
		break;
	case HPROF_CLASS_DUMP:
		hp_tally_class(t, record);
		break;
	case HPROF_ROOT_THREAD_OBJ:
		note_thread(t, &record->u.root);
		break;
	}
}
