/* SPDX-License-Identifier: MIT */
/*
 * class_index.c - the objects of a class, without reading every object.
 *
 * One pass over the dump writes the class of each object into a table, and notes
 * the offsets of objects for who reads them next (see hp_heap_offsets). A
 * counting sort then puts the numbers of the objects into the order of their
 * classes. As classes are numbered so that subclasses follow their superclass
 * (see heap_classes.c), the instances of a class and of all its subclasses
 * are one contiguous part of the result.
 */
#include "base/error.h"
#include "base/mem.h"
#include "codec/object_head.h"
#include "heap/heap.h"
#include "stream/reader.h"

struct hprof_class_index {
	const struct hprof_heap *heap;
	uint32_t *starts;  /* by class number: where its objects begin */
	uint32_t *objects; /* by class, then ascending */
};

/* ---- the pass ------------------------------------------------------------ */

/* The state of one thread of the pass. */
struct classifier {
	const struct hprof_heap *heap;
	/* Shared by all threads: */
	uint32_t *numbers; /* class number + 1, or 0 */
	uint64_t *offsets; /* NULL: not noted */
	struct hp_numbering numbering;
	/* The previous object's class; neighbours often have the same one. */
	uint64_t last_id;
	uint32_t last_class;
};

static uint32_t number_of(const struct hp_heap_class *of)
{
	return of ? of->number + 1 : 0;
}

static uint32_t prim_class(const struct hprof_heap *heap, unsigned type)
{
	uint32_t i = heap->prims[type & 15];

	return i != HP_NO_CLASS ? number_of(&heap->classes[i]) : 0;
}

static uint32_t instance_class(struct classifier *c, uint64_t class_id)
{
	if (class_id != c->last_id) {
		c->last_id = class_id;
		c->last_class = number_of(hp_heap_class(c->heap, class_id));
	}
	return c->last_class;
}

static uint32_t array_class(const struct hprof_heap *heap, uint64_t class_id)
{
	const struct hp_heap_class *of = hp_heap_class(heap, class_id);

	if (of && of->elements != HP_NO_CLASS)
		of = &heap->classes[of->elements];
	return number_of(of);
}

static void note_object(struct classifier *c, uint64_t id, uint64_t offset,
			uint32_t number)
{
	uint64_t position = c->numbering.position;
	uint64_t i = hp_number(&c->numbering, id);

	if (i >= c->heap->count) {
		c->numbering.changed = true;
		return;
	}
	c->numbers[i] = number;
	if (c->offsets && position % HP_OFFSET_STEP == 0 &&
	    position < c->numbering.limit)
		c->offsets[position / HP_OFFSET_STEP] = offset;
}

static size_t classify_scan(void *state, uint64_t offset, const uint8_t *start,
			    size_t size)
{
	struct classifier *c = state;
	const unsigned z = c->heap->id_size;
	const uint8_t *p = start, *end = start + size;
	struct hp_object_head head;
	uint32_t number;

	while (hp_object_head_read(p, hp_room(p, end), z, &head)) {
		if (head.tag == HPROF_INSTANCE_DUMP)
			number = instance_class(c, head.class_id);
		else if (head.tag == HPROF_OBJ_ARRAY_DUMP)
			number = array_class(c->heap, head.class_id);
		else
			number = prim_class(c->heap, head.type);
		note_object(c, head.id, offset + (uint64_t)(p - start), number);
		p += head.size_of_head + head.size;
	}
	return (size_t)(p - start);
}

static bool classify_record(void *state, struct hprof_reader *reader,
			    const struct hprof_record *record)
{
	const struct hprof_instance_dump *instance = &record->u.instance_dump;
	const struct hprof_obj_array_dump *array = &record->u.obj_array_dump;
	const struct hprof_prim_array_dump *prims = &record->u.prim_array_dump;
	struct classifier *c = state;

	if (!hp_reader_pass_body(reader))
		return false;
	if (record->tag == HPROF_INSTANCE_DUMP)
		note_object(c, instance->object_id, record->offset,
			    instance_class(c, instance->class_id));
	else if (record->tag == HPROF_OBJ_ARRAY_DUMP)
		note_object(c, array->object_id, record->offset,
			    array_class(c->heap, array->class_id));
	else if (record->tag == HPROF_PRIM_ARRAY_DUMP ||
		 record->tag == HPROF_PRIM_ARRAY_NODATA_DUMP)
		note_object(c, prims->object_id, record->offset,
			    prim_class(c->heap, prims->type));
	return true;
}

/* True if the previous extent was not read to its end. */
static bool stopped_early(const struct classifier *c)
{
	return c->numbering.changed ||
	       c->numbering.position != c->numbering.limit;
}

static void classify_begin(void *state, const struct hp_extent *extent)
{
	struct classifier *c = state;
	bool changed = stopped_early(c);

	hp_number_extent(&c->numbering, c->heap, extent);
	c->numbering.changed = changed;
}

static bool classify_failed(const void *state)
{
	(void)state;
	return false;
}

static enum hprof_status classify(const struct hprof_heap *heap,
				  uint32_t *numbers, struct hprof_error *error)
{
	static const struct hp_object_scan_ops ops = {
		.scan = classify_scan,
		.record = classify_record,
		.begin = classify_begin,
		.failed = classify_failed,
	};
	struct classifier *all = hp_calloc(heap->threads, sizeof *all);
	void **states = hp_calloc(heap->threads, sizeof *states);
	uint64_t *offsets = NULL;
	enum hprof_status status = HPROF_OK;

	if (!all || !states ||
	    hp_heap_offsets_begin(heap, &offsets) != HPROF_OK)
		status = hp_no_memory(error);
	for (unsigned i = 0; status == HPROF_OK && i < heap->threads; i++) {
		all[i] = (struct classifier){ .heap = heap,
					      .numbers = numbers,
					      .offsets = offsets };
		states[i] = &all[i];
	}
	if (status == HPROF_OK)
		status = hp_heap_pass(heap, &ops, states, heap->threads, NULL,
				      error);
	for (unsigned i = 0; status >= 0 && i < heap->threads; i++)
		if (stopped_early(&all[i]))
			status = hp_file_changed(error);
	hp_heap_offsets_end(heap, offsets, status >= 0);
	hp_free(states);
	hp_free(all);
	return status;
}

/* ---- the index ----------------------------------------------------------- */

/*
 * Sorts the objects by NUMBERS. During the sort, starts[n + 1] is where the
 * next object of class n goes; in the end that is where class n + 1 begins.
 */
static void sort_objects(struct hprof_class_index *index,
			 const uint32_t *numbers)
{
	const size_t classes = index->heap->infos->count;
	const uint64_t count = index->heap->count;
	uint32_t *next = index->starts + 1, sum = 0;

	for (uint64_t i = 0; i < count; i++)
		if (numbers[i])
			next[numbers[i] - 1]++;
	for (size_t n = 0; n < classes; n++) {
		uint32_t here = next[n];
		next[n] = sum;
		sum += here;
	}
	for (uint64_t i = 0; i < count; i++)
		if (numbers[i])
			index->objects[next[numbers[i] - 1]++] = (uint32_t)i;
}

static enum hprof_status build(struct hprof_class_index *index,
			       struct hprof_error *error)
{
	const struct hprof_heap *heap = index->heap;
	uint32_t *numbers = hp_calloc((size_t)heap->count + 1, sizeof *numbers);
	enum hprof_status status = HPROF_E_NOMEM;

	index->starts =
		hp_calloc(heap->infos->count + 1, sizeof *index->starts);
	index->objects =
		hp_calloc((size_t)heap->count + 1, sizeof *index->objects);
	if (numbers && index->starts && index->objects)
		status = classify(heap, numbers, error);
	else
		hp_no_memory(error);
	if (status >= 0)
		sort_objects(index, numbers);
	hp_free(numbers);
	return status;
}

enum hprof_status hprof_class_index_build(const struct hprof_heap *heap,
					  struct hprof_class_index **ret_index,
					  struct hprof_error *ret_error)
{
	struct hprof_class_index *index;
	enum hprof_status status;

	HP_NEED(ret_error, heap);
	HP_NEED(ret_error, ret_index);
	index = hp_calloc(1, sizeof *index);
	if (!index)
		return hp_no_memory(ret_error);
	index->heap = heap;
	status = build(index, ret_error);
	if (status < 0) {
		hprof_class_index_free(index);
		return status;
	}
	*ret_index = index;
	return HPROF_OK;
}

void hprof_class_index_free(struct hprof_class_index *index)
{
	if (!index)
		return;
	hp_free(index->starts);
	hp_free(index->objects);
	hp_free(index);
}

/* ---- questions ----------------------------------------------------------- */

/* The first object of the class at ROW, and the number of its objects. */
static const uint32_t *find_slice(const struct hprof_class_index *index,
				  size_t row, bool subclasses,
				  uint64_t *ret_count)
{
	const struct hp_heap_class *of =
		index ? hp_heap_row(index->heap, row) : NULL;
	uint32_t end;

	*ret_count = 0;
	if (!of)
		return NULL;
	end = subclasses ? of->end : of->number + 1;
	*ret_count = index->starts[end] - index->starts[of->number];
	return index->objects + index->starts[of->number];
}

uint64_t hprof_class_index_count(const struct hprof_class_index *index,
				 size_t row, bool subclasses)
{
	uint64_t count;

	find_slice(index, row, subclasses, &count);
	return count;
}

uint64_t hprof_class_index_object(const struct hprof_class_index *index,
				  size_t row, bool subclasses, uint64_t i)
{
	uint64_t count;
	const uint32_t *objects = find_slice(index, row, subclasses, &count);

	return i < count ? objects[i] : HPROF_NO_OBJECT;
}
