/* SPDX-License-Identifier: MIT */
/*
 * cursor.c - finds an object: from the nearest known offset, it steps from
 * sub-record to sub-record. The file is read in blocks, not mapped, so that a
 * file that another process truncates causes an error and not a crash.
 */
#include "heap/cursor.h"

#include <string.h>

#include "codec/decode.h"
#include "base/error.h"
#include "codec/object_head.h"
#include "base/mem.h"
#include "base/search.h"
#include "stream/reader.h"

enum {
	BLOCK_FAR = 4 << 10,   /* size of a read at any place */
	BLOCK_NEAR = 64 << 10, /* size of a read after the previous one */
	HEAD_FIRST = 128       /* of a sub-record; mostly enough */
};

/* ---- bytes --------------------------------------------------------------- */

static bool make_room(struct hprof_cursor *c, struct hp_cursor_block *b,
		      size_t n)
{
	uint8_t *larger;

	if (n <= b->room)
		return true;
	larger = hp_alloc(n);
	if (!larger) {
		hp_no_memory(&c->error);
		return false;
	}
	hp_free(b->bytes);
	b->bytes = larger;
	b->room = n;
	b->have = 0;
	return true;
}

static inline bool has(const struct hp_cursor_block *b, uint64_t offset,
		       size_t n)
{
	return offset >= b->at && offset - b->at <= b->have &&
	       b->have - (offset - b->at) >= n;
}

/* A read that goes on where the last one ended takes its block, else the next. */
static const uint8_t *read_bytes(struct hprof_cursor *c, uint64_t offset,
				 size_t n)
{
	struct hp_source *source = c->heap->parent->source;
	bool near = has(&c->blocks[c->block], offset, 0);
	size_t want = near ? BLOCK_NEAR : BLOCK_FAR;
	struct hp_cursor_block *b;
	enum hprof_status status;

	if (!near)
		c->block = (c->block + 1) % HP_CURSOR_BLOCKS;
	b = &c->blocks[c->block];
	if (want < n)
		want = n;
	if (!make_room(c, b, want))
		return NULL;
	b->at = offset;
	b->have = 0;
	status = source->ops->pread(source, offset, b->bytes, want, &b->have,
				    &c->error);
	if (status < 0 && status != HPROF_E_TRUNCATED &&
	    status != HPROF_E_CORRUPT)
		return NULL;
	if (b->have >= n)
		return b->bytes;
	hp_fail(&c->error, HPROF_E_CORRUPT, offset,
		"the file has changed since it was opened");
	return NULL;
}

const uint8_t *hp_cursor_bytes(struct hprof_cursor *c, uint64_t offset,
			       size_t n)
{
	const struct hp_cursor_block *b = &c->blocks[c->block];

	if (has(b, offset, n))
		return b->bytes + (offset - b->at);
	for (unsigned i = 0; i < HP_CURSOR_BLOCKS; i++)
		if (has(&c->blocks[i], offset, n) && c->blocks[i].have) {
			c->block = i;
			return c->blocks[i].bytes + (offset - c->blocks[i].at);
		}
	return read_bytes(c, offset, n);
}

/* ---- one sub-record ------------------------------------------------------ */

/* A sub-record: what it is, and where it ends. */
struct sub {
	struct hp_object_head head;
	uint64_t end;
	uint64_t kept; /* bytes of values present in the dump */
	bool is_object;
};

static enum hprof_status changed(struct hprof_cursor *c, uint64_t offset)
{
	return hp_fail(&c->error, HPROF_E_CORRUPT, offset,
		       "the file has changed since it was opened");
}

static void from_record(const struct hprof_record *record, size_t head,
			const struct hp_tail *tail, struct sub *ret)
{
	const struct hprof_prim_array_dump *array = &record->u.prim_array_dump;

	*ret = (struct sub){ .kept = tail->size };
	ret->head.tag = (uint16_t)record->tag;
	ret->head.size_of_head = (uint32_t)head;
	/* Takes the arrays that hp_object_head_read does not. */
	if (record->tag != HPROF_PRIM_ARRAY_DUMP &&
	    record->tag != HPROF_PRIM_ARRAY_NODATA_DUMP)
		return;
	ret->is_object = true;
	ret->head.trace_serial = array->trace_serial;
	ret->head.id = array->object_id;
	ret->head.type = array->type;
	ret->head.count = array->count;
	ret->head.size = tail->size;
}

/* Decodes any sub-record at OFFSET, which must end at END at the latest. */
static enum hprof_status decode_sub(struct hprof_cursor *c, uint64_t offset,
				    uint64_t end, struct sub *ret)
{
	enum hprof_status status = HPROF_E_TRUNCATED;
	struct hprof_record record;
	struct hp_tail tail;
	const uint8_t *next = NULL;

	for (size_t want = HEAD_FIRST;
	     status == HPROF_E_TRUNCATED && want <= HP_CURSOR_MOST;
	     want *= 32) {
		uint64_t left = end - offset;
		size_t n = left < want ? (size_t)left : want;
		const uint8_t *p = hp_cursor_bytes(c, offset, n);
		if (!p)
			return c->error.status;
		record.tag = HPROF_SUB + p[0];
		tail = (struct hp_tail){ 0 };
		status = hp_decode_body(p + 1, p + n, c->heap->id_size, &record,
					&tail, &next);
		if (status == HPROF_OK)
			from_record(&record, (size_t)(next - p), &tail, ret);
		if (n == left)
			break;
	}
	if (status != HPROF_OK)
		return changed(c, offset);
	ret->end = offset + ret->head.size_of_head + tail.size;
	return HPROF_OK;
}

static enum hprof_status read_sub(struct hprof_cursor *c, uint64_t offset,
				  uint64_t end, struct sub *ret)
{
	const unsigned z = c->heap->id_size;
	const uint64_t room = end - offset;
	size_t n =
		room < HP_HEAD_LONGEST(z) ? (size_t)room : HP_HEAD_LONGEST(z);
	const uint8_t *p = hp_cursor_bytes(c, offset, n);

	if (!p)
		return c->error.status;
	if (!hp_object_head_read(p, room, z, &ret->head)) {
		HP_TRY(decode_sub(c, offset, end, ret));
	} else {
		ret->end = offset + ret->head.size_of_head + ret->head.size;
		ret->kept = ret->head.size;
		ret->is_object = true;
	}
	return ret->end <= end ? HPROF_OK : changed(c, offset);
}

/* ---- what it is ---------------------------------------------------------- */

static enum hprof_status fill_instance(struct hprof_cursor *c,
				       const struct sub *sub,
				       struct hp_spot *spot)
{
	const struct hp_heap_class *of = hp_heap_class(c->heap, spot->class_id);
	const uint8_t *data = NULL;
	size_t kept = 0;

	spot->of = of;
	spot->object.kind = HPROF_OBJECT_INSTANCE;
	if (of && of->chunk_at != UINT32_MAX &&
	    sub->kept >= (uint64_t)of->chunk_at + 4) {
		kept = of->chunk_at + 4;
		data = hp_cursor_bytes(c, spot->values, kept);
		if (!data)
			return c->error.status;
	}
	spot->object.shallow =
		hp_heap_instance_size(c->heap, of, data, kept, sub->kept);
	return HPROF_OK;
}

static void fill_array(struct hprof_cursor *c, const struct sub *sub,
		       struct hp_spot *spot)
{
	const struct hprof_heap *heap = c->heap;
	struct hprof_object *object = &spot->object;
	bool prims = sub->head.tag != HPROF_OBJ_ARRAY_DUMP;

	object->kind = prims ? HPROF_OBJECT_PRIM_ARRAY : HPROF_OBJECT_OBJ_ARRAY;
	object->type = prims ? sub->head.type : HPROF_TYPE_OBJECT;
	object->length = sub->head.count;
	object->shallow =
		hp_heap_array_size(heap, prims, object->type, object->length);
	spot->width = hprof_type_size(object->type, heap->id_size);
	if (prims) {
		uint32_t i = heap->prims[object->type & 15];
		spot->of = i != HP_NO_CLASS ? &heap->classes[i] : NULL;
		spot->class_id = spot->of ? spot->of->info->class_id : 0;
		return;
	}
	spot->of = hp_heap_class(heap, spot->class_id);
	if (spot->of && spot->of->elements != HP_NO_CLASS)
		spot->of = &heap->classes[spot->of->elements];
}

static enum hprof_status fill(struct hprof_cursor *c, uint64_t offset,
			      const struct sub *sub, struct hp_spot *spot)
{
	struct hprof_object *object = &spot->object;

	spot->class_id = sub->head.class_id;
	spot->values = offset + sub->head.size_of_head;
	spot->end = sub->end;
	*object = (struct hprof_object){
		.index = object->index,
		.id = sub->head.id,
		.data = sub->kept,
		.offset = offset,
		.trace_serial = sub->head.trace_serial,
	};
	if (sub->head.tag == HPROF_INSTANCE_DUMP)
		HP_TRY(fill_instance(c, sub, spot));
	else
		fill_array(c, sub, spot);
	object->class_row = spot->of ? spot->of->row : SIZE_MAX;
	return HPROF_OK;
}

/* ---- finding ------------------------------------------------------------- */

/*
 * The number of class objects with a number below INDEX. Often objects are read
 * in turn, and then it is that of the last time.
 */
static size_t classes_before(struct hprof_cursor *c, uint64_t index)
{
	const struct hprof_heap *heap = c->heap;
	size_t before = c->classes_before;

	if ((before == 0 || heap->class_objects[before - 1].index < index) &&
	    (before == heap->class_object_count ||
	     heap->class_objects[before].index >= index))
		return before;
	HP_LOWER_BOUND(&before, heap->class_object_count,
		       heap->class_objects[hp_at].index < index);
	c->classes_before = before;
	return before;
}

static void fill_class(const struct hprof_heap *heap,
		       const struct hp_class_object *object,
		       struct hp_spot *ret)
{
	const struct hp_heap_class *of = &heap->classes[object->row];

	*ret = (struct hp_spot){
		.object = { .index = object->index,
			    .id = object->id,
			    .kind = HPROF_OBJECT_CLASS,
			    .class_row = of->row,
			    .data = of->info->info->statics_data,
			    .shallow = hp_heap_class_size(heap, of),
			    .offset = of->info->info->offset,
			    .trace_serial = of->own->trace_serial },
		.of = of,
	};
}

static size_t extent_at(const struct hprof_heap *heap, uint64_t offset)
{
	size_t before;

	HP_LOWER_BOUND(&before, heap->extents.count,
		       heap->extents.items[hp_at].end <= offset);
	return before;
}

/* Finds where to begin in order to reach POSITION quickly. */
static enum hprof_status start(struct hprof_cursor *c, uint64_t position,
			       uint64_t *ret_position, uint64_t *ret_offset,
			       size_t *ret_extent)
{
	const struct hp_spot *here = &c->here.spot;
	const uint64_t *offsets = hp_heap_offsets(c->heap, &c->error);
	uint64_t step = position / HP_OFFSET_STEP;

	if (!offsets)
		return c->error.status;

	if (c->on && here->object.kind != HPROF_OBJECT_CLASS &&
	    here->position < position &&
	    here->position >= step * HP_OFFSET_STEP) {
		*ret_position = here->position + 1;
		*ret_offset = here->end;
		*ret_extent = here->extent;
		return HPROF_OK;
	}
	*ret_position = step * HP_OFFSET_STEP;
	*ret_offset = offsets[step];
	*ret_extent = extent_at(c->heap, *ret_offset);
	return HPROF_OK;
}

static enum hprof_status walk_to(struct hprof_cursor *c, struct hp_spot *spot)
{
	const struct hp_extents *extents = &c->heap->extents;
	uint64_t position = 0, offset = 0;
	struct sub sub = { 0 };
	size_t e = 0;

	HP_TRY(start(c, spot->position, &position, &offset, &e));
	for (;;) {
		while (e < extents->count && offset == extents->items[e].end &&
		       ++e < extents->count)
			offset = extents->items[e].offset;
		if (e >= extents->count)
			return changed(c, offset);
		HP_TRY(read_sub(c, offset, extents->items[e].end, &sub));
		if (sub.is_object && position++ == spot->position)
			break;
		offset = sub.end;
	}
	spot->extent = e;
	return fill(c, offset, &sub, spot);
}

enum hprof_status hp_cursor_find(struct hprof_cursor *c, uint64_t index,
				 struct hp_spot *ret)
{
	const struct hprof_heap *heap = c->heap;
	size_t before;

	if (index >= heap->count)
		return hp_fail(&c->error, HPROF_E_USAGE, HP_NO_OFFSET,
			       "there is no object of that number");
	before = classes_before(c, index);
	if (before < heap->class_object_count &&
	    heap->class_objects[before].index == index) {
		fill_class(heap, &heap->class_objects[before], ret);
		return HPROF_OK;
	}
	*ret = (struct hp_spot){ .object.index = index,
				 .position = index - before };
	return walk_to(c, ret);
}

/* ---- public -------------------------------------------------------------- */

static void move_to(struct hprof_cursor *c, const struct hp_spot *spot)
{
	c->here.spot = *spot;
	c->here.level = hp_cursor_first_level(spot);
	c->here.edge = 0;
	c->here.edge_at = 0;
	c->on = true;
}

enum hprof_status hprof_cursor_seek(struct hprof_cursor *c, uint64_t index,
				    struct hprof_object *ret_object)
{
	struct hp_spot spot;

	HP_NEED(NULL, c);
	HP_NEED(&c->error, ret_object);
	/* Paths are followed from one object to the next, and read both. */
	if (c->on && c->here.spot.object.index == index)
		spot = c->here.spot;
	else
		HP_TRY(hp_cursor_find(c, index, &spot));
	move_to(c, &spot);
	c->depth = 0;
	*ret_object = spot.object;
	return HPROF_OK;
}

enum hprof_status hprof_cursor_follow(struct hprof_cursor *c, uint64_t id,
				      struct hprof_object *ret_object)
{
	struct hp_spot spot;
	uint64_t index;

	HP_NEED(NULL, c);
	HP_NEED(&c->error, ret_object);
	if (!c->on)
		return hp_fail(&c->error, HPROF_E_USAGE, HP_NO_OFFSET,
			       "the cursor is on no object");
	index = id ? hp_heap_find(c->heap, id) : HPROF_NO_OBJECT;
	if (index == HPROF_NO_OBJECT)
		return HPROF_END;
	if (hp_grow((void **)&c->stack, &c->stack_room, c->depth,
		    sizeof *c->stack) != HPROF_OK)
		return hp_no_memory(&c->error);
	HP_TRY(hp_cursor_find(c, index, &spot));
	c->stack[c->depth++] = c->here;
	move_to(c, &spot);
	*ret_object = spot.object;
	return HPROF_OK;
}

enum hprof_status hprof_cursor_back(struct hprof_cursor *c,
				    struct hprof_object *ret_object)
{
	HP_NEED(NULL, c);
	if (c->depth == 0)
		return HPROF_END;
	c->here = c->stack[--c->depth];
	if (ret_object)
		*ret_object = c->here.spot.object;
	return HPROF_OK;
}

enum hprof_status hprof_cursor_new(const struct hprof_heap *heap,
				   struct hprof_cursor **ret_cursor,
				   struct hprof_error *ret_error)
{
	struct hprof_cursor *c;

	HP_NEED(ret_error, heap);
	HP_NEED(ret_error, ret_cursor);
	c = hp_calloc(1, sizeof *c);
	if (!c)
		return hp_no_memory(ret_error);
	c->heap = heap;
	*ret_cursor = c;
	return HPROF_OK;
}

void hprof_cursor_free(struct hprof_cursor *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < HP_CURSOR_BLOCKS; i++)
		hp_free(c->blocks[i].bytes);
	hp_free(c->stack);
	hp_free(c->text);
	hp_free(c);
}

const struct hprof_error *hprof_cursor_error(const struct hprof_cursor *c)
{
	return c ? &c->error : NULL;
}
