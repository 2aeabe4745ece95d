/* SPDX-License-Identifier: MIT */
/*
 * field_masks.c - see field_masks.h: one pass over all objects, and a file of
 * the cache, which many questions about paths read instead of the dump.
 */
#include "graph/field_masks.h"

#include "base/error.h"
#include "base/mem.h"
#include "codec/object_head.h"
#include "graph/graph_cache.h"
#include "stream/reader.h"

/* The pass of one thread; all write to their own objects. */
struct scanner {
	const struct hprof_heap *heap;
	struct hp_numbering numbering;
	const struct hp_heap_class *last; /* that was looked up */
	uint64_t last_id;
	uint8_t *masks;
	bool changed; /* the file has */
};

static void put(struct scanner *s, uint64_t id, uint8_t mask)
{
	uint64_t i = hp_number(&s->numbering, id);

	if (i < s->heap->count)
		s->masks[i] = mask;
	else
		s->changed = true;
}

static const struct hp_heap_class *class_of(struct scanner *s, uint64_t id)
{
	if (id != s->last_id) {
		s->last = hp_heap_class(s->heap, id);
		s->last_id = id;
	}
	return s->last;
}

static inline __attribute__((always_inline)) uint8_t
mask_of(struct scanner *s, const struct hp_object_head *head,
	const uint8_t *data, const unsigned z)
{
	const struct hp_heap_class *of = class_of(s, head->class_id);
	uint32_t count = of ? of->ref_count : 0;
	unsigned mask = 0;

	if (count > HP_FIELD_MASK_BITS)
		count = HP_FIELD_MASK_BITS;
	for (uint32_t k = 0; k < count; k++)
		if ((uint64_t)of->refs[k] + z <= head->size &&
		    hp_get_id(data + of->refs[k], z))
			mask |= 1U << k;
	return (uint8_t)mask;
}

static inline __attribute__((always_inline)) size_t scan_objects(
	struct scanner *s, const uint8_t *start, size_t size, const unsigned z)
{
	const uint8_t *p = start, *end = start + size;
	struct hp_object_head head = { 0 };

	while (hp_object_head_read(p, hp_room(p, end), z, &head)) {
		const uint8_t *data = p + head.size_of_head;
		uint8_t mask = 0;

		if (head.tag == HPROF_INSTANCE_DUMP)
			mask = mask_of(s, &head, data, z);
		put(s, head.id, mask);
		p = data + head.size;
	}
	return (size_t)(p - start);
}

static size_t scan(void *state, uint64_t offset, const uint8_t *p, size_t size)
{
	struct scanner *s = state;

	(void)offset;
	return s->heap->id_size == 8 ? scan_objects(s, p, size, 8)
				     : scan_objects(s, p, size, 4);
}

/* An object that is not in memory as a whole has no mask, but a number. */
static bool record(void *state, struct hprof_reader *reader,
		   const struct hprof_record *record)
{
	uint64_t id;

	if (hp_is_object_record(record, &id))
		put(state, id, 0);
	return hp_reader_pass_body(reader);
}

static void begin(void *state, const struct hp_extent *extent)
{
	struct scanner *s = state;

	hp_number_extent(&s->numbering, s->heap, extent);
}

static bool failed(const void *state)
{
	const struct scanner *s = state;

	return s->changed || s->numbering.changed;
}

static enum hprof_status run(const struct hprof_graph *g, uint8_t *masks,
			     struct hprof_error *error)
{
	static const struct hp_object_scan_ops ops = {
		.scan = scan,
		.record = record,
		.begin = begin,
		.failed = failed,
	};
	enum { MOST = 64 };
	unsigned threads =
		g->options.threads < MOST ? g->options.threads : MOST;
	struct scanner scanners[MOST];
	void *states[MOST];
	enum hprof_status status;

	for (unsigned i = 0; i < MOST; i++) {
		scanners[i] =
			(struct scanner){ .heap = g->heap, .masks = masks };
		states[i] = &scanners[i];
	}
	status = hp_heap_pass(g->heap, &ops, states, threads ? threads : 1,
			      NULL, error);
	for (unsigned i = 0; i < MOST; i++)
		if (failed(&scanners[i]))
			return hp_file_changed(error);
	return status;
}

/* ---- the cache ----------------------------------------------------------- */

bool hp_field_masks_restore(const struct hprof_graph *g,
			    struct hp_field_masks *masks)
{
	struct hp_cache_key key = hp_graph_cache_key(g);
	uint64_t count = 0;
	char name[HP_CACHE_NAME];

	if (!hp_graph_can_be_kept(g))
		return false;
	hp_graph_cache_file(g, &key, "fields", name);
	if (!hp_cache_open(g->heap->cache.folder, name, &key,
			   g->options.threads, &masks->map))
		return false;
	masks->at = hp_cache_rows(&masks->map, 0, 1, &count);
	if (!masks->at || count != g->heap->count)
		hp_field_masks_done(masks);
	return masks->at != NULL;
}

static void save(const struct hprof_graph *g,
		 const struct hp_field_masks *masks)
{
	struct hp_cache_key key = hp_graph_cache_key(g);
	struct hp_cache_writer w;
	char name[HP_CACHE_NAME];

	if (!hp_graph_can_be_kept(g) || g->heap->summary->errors)
		return;
	hp_graph_cache_file(g, &key, "fields", name);
	hp_cache_begin(&w, g->heap->cache.folder, name, &key);
	hp_cache_put(&w, masks->at, g->heap->count, 1);
	hp_heap_cache_end(&g->heap->cache, &w, true);
}

enum hprof_status hp_field_masks_read(const struct hprof_graph *g,
				      struct hp_field_masks *masks,
				      struct hprof_error *error)
{
	enum hprof_status status;

	masks->own = hp_calloc((size_t)g->heap->count + 1, 1);
	if (!masks->own)
		return hp_no_memory(error);
	masks->at = masks->own;
	status = run(g, masks->own, error);
	if (status < 0)
		hp_field_masks_done(masks);
	else
		save(g, masks);
	return status;
}

void hp_field_masks_save(const struct hprof_graph *g)
{
	struct hp_field_masks masks = { .at = NULL };
	struct hprof_error error = { 0 };

	if (hp_graph_can_be_kept(g) &&
	    hp_field_masks_read(g, &masks, &error) == HPROF_OK)
		hp_field_masks_done(&masks);
}

void hp_field_masks_done(struct hp_field_masks *masks)
{
	hp_free(masks->own);
	hp_cache_close(&masks->map);
	*masks = (struct hp_field_masks){ .at = NULL };
}
