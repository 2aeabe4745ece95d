/*
 * heap_ids.c - the pass that finds out which ids there are and where their
 * objects lie; what CLASS_DUMPs and roots say comes with it.
 *
 * Extents know how many objects are before them, so that every thread writes
 * to its own places of the tables. If something in them turns out to be no
 * object (see heap.h), it is cut out of the extents and the pass is made
 * again: rare enough, and nobody has to deal with it afterwards.
 */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "head.h"
#include "heap.h"
#include "mem.h"
#include "reader.h"

/* A sub-record that is no object, or may be none. */
struct stray {
	uint64_t id;
	uint64_t offset, end;
	uint64_t position; /* objects before it */
	bool is_class;
};

struct strays {
	struct stray *items;
	size_t count, room;
};

struct root {
	uint64_t offset;
	struct hprof_heap_root root;
};

struct indexer {
	struct hprof_heap *heap;
	struct indexing *all;
	unsigned z;
	uint64_t position;
	struct hp_idrank_writer writer;
	struct hp_arena *arena;
	struct root *roots;
	size_t root_count, root_room;
	struct strays strays; /* CLASS_DUMPs that are replaced; or of all->odd */
	bool zero;	      /* met an object with the id 0 */
	bool failed;
};

/* What is done with ids, in turn. */
enum aim {
	AIM_BITS,  /* set bits, note places, classes, roots */
	AIM_IDS,   /* the same, but ids into an array */
	AIM_STRAYS /* find the objects whose ids are in all->odd */
};

struct indexing {
	struct hprof_heap *heap;
	struct hp_say say;
	enum aim aim;
	struct hp_idrank_build build;
	uint64_t *ids;	   /* AIM_IDS */
	struct hp_ids odd; /* ids that are there twice, or 0 */
	struct indexer *indexers;
	void **states;
};

/* ---- one object ---------------------------------------------------------- */

static void note_stray(struct indexer *x, const struct stray *stray)
{
	struct strays *s = &x->strays;

	if (hp_grow((void **)&s->items, &s->room, s->count,
		    sizeof *s->items) != 0)
		x->failed = true;
	else
		s->items[s->count++] = *stray;
}

static int compare_ids(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool is_odd(const struct indexing *all, uint64_t id)
{
	return bsearch(&id, all->odd.items, all->odd.count, sizeof id,
		       compare_ids) != NULL;
}

static inline __attribute__((always_inline)) void
note_object(struct indexer *x, uint64_t id, uint64_t offset, uint64_t size,
	    const enum aim aim)
{
	uint64_t position = x->position++;

	if (aim == AIM_STRAYS) {
		if (is_odd(x->all, id))
			note_stray(x, &(struct stray){ id, offset,
						       offset + size, position,
						       false });
		return;
	}
	if (position % HP_PLACE_STEP == 0)
		x->heap->places[position / HP_PLACE_STEP] = offset;
	if (id == 0)
		x->zero = true;
	else if (aim == AIM_BITS)
		hp_idrank_add(&x->writer, id);
	else
		x->all->ids[position] = id;
}

static inline __attribute__((always_inline)) size_t
scan_as(struct indexer *x, uint64_t offset, const uint8_t *start, size_t size,
	const unsigned z, const enum aim aim)
{
	const uint8_t *p = start, *end = start + size;
	struct hp_head head;

	while ((size_t)(end - p) >= HP_HEAD_ROOM(z) &&
	       hp_read_head(p, z, &head) &&
	       head.size <= (size_t)(end - p) - head.size_of_head) {
		uint64_t used = head.size_of_head + head.size;
		note_object(x, head.id, offset + (uint64_t)(p - start), used,
			    aim);
		p += used;
	}
	return (size_t)(p - start);
}

static size_t scan(void *state, uint64_t offset, const uint8_t *p, size_t size)
{
	struct indexer *x = state;
	bool wide = x->z == 8;

	switch (x->all->aim) {
	case AIM_BITS:
		return wide ? scan_as(x, offset, p, size, 8, AIM_BITS) :
			      scan_as(x, offset, p, size, 4, AIM_BITS);
	case AIM_IDS:
		return scan_as(x, offset, p, size, x->z, AIM_IDS);
	default:
		return scan_as(x, offset, p, size, x->z, AIM_STRAYS);
	}
}

/* ---- other sub-records --------------------------------------------------- */

static void take_class(struct indexer *x, const struct hprof_record *record)
{
	const struct hp_classes *c = x->heap->infos;
	uint64_t id = record->u.class_dump.class_id, size;
	uint32_t i = hp_classes_find(c, id);

	if (x->all->aim == AIM_STRAYS ||
	    hprof_record_size(record, x->z, &size) != HPROF_OK)
		return;
	if (id == 0 || i == HP_NO_CLASS || !c->rows[i].info ||
	    c->rows[i].info->offset != record->offset)
		note_stray(x, &(struct stray){ id, record->offset,
					       record->offset + size,
					       x->position, true });
	else if (hp_heap_classes_take(x->heap, x->arena, record) != 0)
		x->failed = true;
}

static int32_t frame_of(const struct hprof_record *record)
{
	bool has_frame = record->tag == HPROF_ROOT_JNI_LOCAL ||
			 record->tag == HPROF_ROOT_JAVA_FRAME ||
			 record->tag == HPROF_ROOT_JNI_MONITOR;

	return has_frame ? record->u.root.frame : -1;
}

static void take_root(struct indexer *x, const struct hprof_record *record)
{
	const struct hprof_root *root = &record->u.root;

	if (x->all->aim == AIM_STRAYS)
		return;
	if (hp_grow((void **)&x->roots, &x->root_room, x->root_count,
		    sizeof *x->roots) != 0) {
		x->failed = true;
		return;
	}
	x->roots[x->root_count++] = (struct root){
		.offset = record->offset,
		.root = { .tag = record->tag,
			  .object_id = root->object_id,
			  .thread_serial = root->thread_serial,
			  .trace_serial = root->trace_serial,
			  .frame = frame_of(record),
			  .jni_ref = root->ref_id },
	};
}

static void take_object(struct indexer *x, const struct hprof_record *record,
			uint64_t id)
{
	uint64_t size;

	if (hprof_record_size(record, x->z, &size) != HPROF_OK)
		return;
	switch (x->all->aim) {
	case AIM_BITS:
		note_object(x, id, record->offset, size, AIM_BITS);
		break;
	case AIM_IDS:
		note_object(x, id, record->offset, size, AIM_IDS);
		break;
	case AIM_STRAYS:
		note_object(x, id, record->offset, size, AIM_STRAYS);
		break;
	}
}

static bool take_record(void *state, struct hprof_reader *reader,
			const struct hprof_record *record)
{
	struct indexer *x = state;

	if (!hp_reader_pass_body(reader))
		return false;
	switch (record->tag) {
	case HPROF_INSTANCE_DUMP:
		take_object(x, record, record->u.instance_dump.object_id);
		break;
	case HPROF_OBJ_ARRAY_DUMP:
		take_object(x, record, record->u.obj_array_dump.object_id);
		break;
	case HPROF_PRIM_ARRAY_DUMP:
	case HPROF_PRIM_ARRAY_NODATA_DUMP:
		take_object(x, record, record->u.prim_array_dump.object_id);
		break;
	case HPROF_CLASS_DUMP:
		take_class(x, record);
		break;
	default:
		if (hprof_tag_is_root(record->tag))
			take_root(x, record);
	}
	return true;
}

static void begin(void *state, const struct hp_extent *extent)
{
	struct indexer *x = state;

	x->position = extent->first;
}

static bool failed(const void *state)
{
	const struct indexer *x = state;

	return x->failed;
}

/* ---- a pass -------------------------------------------------------------- */

static void free_indexers(struct indexing *all)
{
	struct hprof_heap *heap = all->heap;

	for (unsigned i = 0; all->indexers && i < heap->threads; i++) {
		hp_idrank_writer_done(&all->indexers[i].writer);
		hp_free(all->indexers[i].roots);
		hp_free(all->indexers[i].strays.items);
	}
	hp_free(all->indexers);
	hp_free(all->states);
	all->indexers = NULL;
	all->states = NULL;
}

static int make_indexers(struct indexing *all, enum aim aim)
{
	struct hprof_heap *heap = all->heap;
	unsigned threads = heap->threads;

	all->aim = aim;
	all->indexers = hp_calloc(threads, sizeof *all->indexers);
	all->states = hp_calloc(threads, sizeof *all->states);
	if (!all->indexers || !all->states)
		return -1;
	for (unsigned i = 0; i < threads; i++) {
		struct indexer *x = &all->indexers[i];
		all->states[i] = x;
		x->heap = heap;
		x->all = all;
		x->z = heap->id_size;
		x->arena = &heap->arenas[i];
		if (aim != AIM_STRAYS)
			hp_arena_done(x->arena); /* of a pass before */
		*x->arena = aim != AIM_STRAYS ? (struct hp_arena){ 0 } :
						*x->arena;
		if (hp_idrank_writer_init(&x->writer, &all->build) != 0)
			return -1;
	}
	return 0;
}

static enum hprof_status run(struct indexing *all, struct hprof_error *error)
{
	static const struct hp_pass_ops ops = { .scan = scan,
						.record = take_record,
						.begin = begin,
						.failed = failed };

	HP_TRY(hp_heap_pass(all->heap, &ops, all->states, all->heap->threads,
			    &all->say, error));
	for (unsigned i = 0; i < all->heap->threads; i++)
		hp_idrank_flush(&all->indexers[i].writer);
	return HPROF_OK;
}

static int add_odd(struct hp_ids *odd, const uint64_t *ids, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (hp_grow((void **)&odd->items, &odd->room, odd->count,
			    sizeof *odd->items) != 0)
			return -1;
		odd->items[odd->count++] = ids[i];
	}
	return 0;
}

/* Ids that are there more than once, or 0, of all threads. */
static int collect_odd(struct indexing *all)
{
	static const uint64_t zero;

	for (unsigned i = 0; i < all->heap->threads; i++) {
		const struct indexer *x = &all->indexers[i];
		if (add_odd(&all->odd, x->writer.twice.items,
			    x->writer.twice.count) != 0 ||
		    (x->zero && add_odd(&all->odd, &zero, 1) != 0))
			return -1;
	}
	all->odd.count = hp_ids_sort(all->odd.items, all->odd.count);
	return 0;
}

/* ---- strays -------------------------------------------------------------- */

static int compare_by_id(const void *a, const void *b)
{
	const struct stray *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int compare_by_offset(const void *a, const void *b)
{
	const struct stray *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static bool is_class_id(const struct hprof_heap *heap, uint64_t id)
{
	uint32_t i = hp_classes_find(heap->infos, id);

	return i != HP_NO_CLASS && heap->infos->rows[i].info;
}

/* Of objects with one id the last is one, unless a class has the id. */
static void spare_last(const struct hprof_heap *heap, struct strays *s)
{
	size_t kept = 0;

	if (s->count)
		qsort(s->items, s->count, sizeof *s->items, compare_by_id);
	for (size_t i = 0; i < s->count; i++) {
		const struct stray *stray = &s->items[i];
		bool last = i + 1 == s->count || stray[1].id != stray->id;
		if (!last || stray->id == 0 || is_class_id(heap, stray->id))
			s->items[kept++] = *stray;
	}
	s->count = kept;
}

static int add_piece(struct hp_extents *to, uint64_t offset, uint64_t end,
		     uint64_t first, uint64_t behind)
{
	if (offset == end)
		return 0;
	if (hp_grow((void **)&to->items, &to->room, to->count,
		    sizeof *to->items) != 0)
		return -1;
	to->items[to->count++] = (struct hp_extent){ .offset = offset,
						     .end = end,
						     .count = behind - first };
	return 0;
}

/* Takes the strays, in the order of the file, out of the extents. */
static int cut_out(struct hprof_heap *heap, const struct strays *s)
{
	struct hp_extents cut = { 0 };
	size_t next = 0;

	for (size_t i = 0; i < heap->extents.count; i++) {
		const struct hp_extent *e = &heap->extents.items[i];
		uint64_t from = e->offset, first = e->first;
		for (; next < s->count && s->items[next].offset < e->end;
		     next++) {
			const struct stray *stray = &s->items[next];
			if (add_piece(&cut, from, stray->offset, first,
				      stray->position) != 0) {
				hp_extents_done(&cut);
				return -1;
			}
			from = stray->end;
			first = stray->position + !stray->is_class;
		}
		if (add_piece(&cut, from, e->end, first,
			      e->first + e->count) != 0) {
			hp_extents_done(&cut);
			return -1;
		}
	}
	hp_extents_done(&heap->extents);
	heap->extents = cut;
	hp_extents_settle(&heap->extents);
	return 0;
}

static int add_strays(struct strays *to, const struct strays *from)
{
	for (size_t i = 0; i < from->count; i++) {
		if (hp_grow((void **)&to->items, &to->room, to->count,
			    sizeof *to->items) != 0)
			return -1;
		to->items[to->count++] = from->items[i];
	}
	return 0;
}

/* Behind a pass that met odd ids or replaced classes: cuts all these out. */
static enum hprof_status remove_strays(struct indexing *all,
				       struct hprof_error *error)
{
	struct hprof_heap *heap = all->heap;
	struct strays classes = { 0 }, objects = { 0 };
	enum hprof_status status = HPROF_OK;
	bool good = true;

	for (unsigned i = 0; good && i < heap->threads; i++)
		good = add_strays(&classes, &all->indexers[i].strays) == 0;
	free_indexers(all);
	if (good && all->odd.count) {
		good = make_indexers(all, AIM_STRAYS) == 0;
		if (good)
			status = run(all, error);
		for (unsigned i = 0; good && i < heap->threads; i++)
			good = add_strays(&objects,
					  &all->indexers[i].strays) == 0;
	}
	if (good && status >= 0) {
		spare_last(heap, &objects);
		good = add_strays(&objects, &classes) == 0;
		if (good && objects.count)
			qsort(objects.items, objects.count,
			      sizeof *objects.items, compare_by_offset);
		good = good && cut_out(heap, &objects) == 0;
	}
	hp_free(classes.items);
	hp_free(objects.items);
	free_indexers(all);
	all->odd.count = 0;
	return good ? status : hp_no_memory(error);
}

/* ---- the index ----------------------------------------------------------- */

static uint64_t count_placed(const struct hp_extents *extents)
{
	const struct hp_extent *last;

	if (extents->count == 0)
		return 0;
	last = &extents->items[extents->count - 1];
	return last->first + last->count;
}

static enum hprof_status make_room(struct hprof_heap *heap,
				   struct hprof_error *error)
{
	heap->placed = count_placed(&heap->extents);
	heap->count = heap->placed + heap->class_object_count;
	if (heap->count > HP_MOST_OBJECTS)
		return hp_fail(error, HPROF_E_LIMIT, HP_NO_OFFSET,
			       "the dump has %llu objects; at most %llu can "
			       "be numbered",
			       (unsigned long long)heap->count,
			       (unsigned long long)HP_MOST_OBJECTS);
	hp_free(heap->places);
	heap->places = hp_alloc((size_t)(heap->placed / HP_PLACE_STEP + 1) *
				sizeof *heap->places);
	return heap->places ? HPROF_OK : hp_no_memory(error);
}

static uint64_t all_bits(const struct hprof_heap *heap)
{
	uint64_t bits = heap->summary->impl->census.tally.cursor.bits;

	for (size_t i = 0; i < heap->class_object_count; i++)
		bits |= heap->class_objects[i].id;
	return bits;
}

static void add_class_ids(struct indexing *all)
{
	const struct hprof_heap *heap = all->heap;
	struct hp_idrank_writer *writer = &all->indexers[0].writer;

	for (size_t i = 0; i < heap->class_object_count; i++)
		hp_idrank_add(writer, heap->class_objects[i].id);
	hp_idrank_flush(writer);
}

/* Ids by bits. HPROF_END: they are too sparse for that. */
static enum hprof_status rank_bits(struct indexing *all,
				   struct hprof_error *error)
{
	struct hprof_heap *heap = all->heap;
	enum hprof_status status = HPROF_OK;

	if (hp_idrank_begin(&all->build, all_bits(heap), heap->count,
			    heap->threads == 1) != 0 ||
	    make_indexers(all, AIM_BITS) != 0) {
		hp_idrank_build_done(&all->build);
		return hp_no_memory(error);
	}
	add_class_ids(all);
	status = run(all, error);
	if (status >= 0 && collect_odd(all) != 0)
		status = hp_no_memory(error);
	if (status >= 0) {
		switch (hp_idrank_finish(&all->build, &heap->rank)) {
		case HP_IDRANK_OK:
			break;
		case HP_IDRANK_SPARSE:
			status = HPROF_END;
			break;
		case HP_IDRANK_NO_MEMORY:
			status = hp_no_memory(error);
		}
	}
	hp_idrank_build_done(&all->build);
	return status;
}

static enum hprof_status rank_sorted(struct indexing *all,
				     struct hprof_error *error)
{
	static const uint64_t zero;
	struct hprof_heap *heap = all->heap;
	uint64_t *ids = hp_calloc((size_t)heap->count + 1, sizeof *ids);
	enum hprof_status status;
	bool good;

	free_indexers(all);
	all->odd.count = 0;
	all->ids = ids;
	if (!ids || make_indexers(all, AIM_IDS) != 0) {
		hp_free(ids);
		return hp_no_memory(error);
	}
	for (size_t i = 0; i < heap->class_object_count; i++)
		ids[heap->placed + i] = heap->class_objects[i].id;
	status = run(all, error);
	if (status < 0) {
		hp_free(ids);
		return status;
	}
	/* An object with the id 0 left its place 0. */
	good = hp_idrank_sort(ids, (size_t)heap->count, &all->odd,
			      &heap->rank) == 0;
	for (unsigned i = 0; good && i < heap->threads; i++)
		if (all->indexers[i].zero)
			good = add_odd(&all->odd, &zero, 1) == 0;
	all->odd.count = hp_ids_sort(all->odd.items, all->odd.count);
	return good ? HPROF_OK : hp_no_memory(error);
}

static bool replaced_classes(const struct indexing *all)
{
	for (unsigned i = 0; i < all->heap->threads; i++)
		if (all->indexers[i].strays.count)
			return true;
	return false;
}

/* Until nothing is odd: the second round always is the last. */
static enum hprof_status rank_ids(struct indexing *all,
				  struct hprof_error *error)
{
	for (unsigned round = 0; round < 2; round++) {
		HP_TRY(make_room(all->heap, error));
		enum hprof_status status = rank_bits(all, error);
		if (status == HPROF_END)
			status = rank_sorted(all, error);
		HP_TRY(status);
		if (all->odd.count == 0 && !replaced_classes(all))
			return HPROF_OK;
		hp_idrank_done(&all->heap->rank);
		HP_TRY(remove_strays(all, error));
	}
	return hp_fail(error, HPROF_E_CORRUPT, HP_NO_OFFSET,
		       "the file has changed since it was opened");
}

/* ---- numbers ------------------------------------------------------------- */

struct numberer {
	struct hprof_heap *heap;
	uint64_t position;
	bool failed;
};

static inline bool number_object(struct numberer *n, uint64_t id)
{
	uint64_t rank = hp_idrank_find(&n->heap->rank, id);

	if (rank == HP_NO_RANK)
		n->failed = true;
	else
		n->heap->perm[rank] =
			(uint32_t)(n->heap->class_object_count + n->position);
	n->position++;
	return !n->failed;
}

static size_t number_scan(void *state, uint64_t offset, const uint8_t *start,
			  size_t size)
{
	struct numberer *n = state;
	const unsigned z = n->heap->id_size;
	const uint8_t *p = start, *end = start + size;
	struct hp_head head;

	(void)offset;
	while ((size_t)(end - p) >= HP_HEAD_ROOM(z) &&
	       hp_read_head(p, z, &head) &&
	       head.size <= (size_t)(end - p) - head.size_of_head &&
	       number_object(n, head.id))
		p += head.size_of_head + head.size;
	return (size_t)(p - start);
}

static bool number_record(void *state, struct hprof_reader *reader,
			  const struct hprof_record *record)
{
	struct numberer *n = state;

	if (record->tag == HPROF_INSTANCE_DUMP)
		number_object(n, record->u.instance_dump.object_id);
	else if (record->tag == HPROF_OBJ_ARRAY_DUMP)
		number_object(n, record->u.obj_array_dump.object_id);
	else if (record->tag == HPROF_PRIM_ARRAY_DUMP ||
		 record->tag == HPROF_PRIM_ARRAY_NODATA_DUMP)
		number_object(n, record->u.prim_array_dump.object_id);
	return hp_reader_pass_body(reader) && !n->failed;
}

static void number_begin(void *state, const struct hp_extent *extent)
{
	struct numberer *n = state;

	n->position = extent->first;
}

static bool number_failed(const void *state)
{
	(void)state;
	return false;
}

/* Ids do not ascend: the number of an object is not its rank. */
static enum hprof_status number_objects(struct hprof_heap *heap,
					const struct hp_say *say,
					struct hprof_error *error)
{
	static const struct hp_pass_ops ops = { .scan = number_scan,
						.record = number_record,
						.begin = number_begin,
						.failed = number_failed };
	struct numberer *numberers =
		hp_calloc(heap->threads, sizeof *numberers);
	void **states = hp_calloc(heap->threads, sizeof *states);
	enum hprof_status status = HPROF_OK;

	heap->perm = hp_calloc((size_t)heap->count + 1, sizeof *heap->perm);
	if (!numberers || !states || !heap->perm)
		status = hp_no_memory(error);
	for (unsigned i = 0; status >= 0 && i < heap->threads; i++) {
		numberers[i].heap = heap;
		states[i] = &numberers[i];
	}
	if (status >= 0)
		status = hp_heap_pass(heap, &ops, states, heap->threads, say,
				      error);
	hp_free(numberers);
	hp_free(states);
	return status;
}

static enum hprof_status number(struct indexing *all,
				struct hprof_error *error)
{
	struct hprof_heap *heap = all->heap;
	struct hp_say say = all->say;
	bool ascend = heap->summary->impl->census.tally.descents == 0;

	if (heap->rank.count != heap->count)
		return hp_fail(error, HPROF_E_CORRUPT, HP_NO_OFFSET,
			       "the file has changed since it was opened");
	say.phase = "number";
	if (!ascend)
		HP_TRY(number_objects(heap, &say, error));
	for (size_t i = 0; i < heap->class_object_count; i++) {
		struct hp_class_object *object = &heap->class_objects[i];
		uint64_t rank = hp_idrank_find(&heap->rank, object->id);
		if (heap->perm)
			heap->perm[rank] = (uint32_t)i;
		object->index = heap->perm ? i : rank;
	}
	return HPROF_OK;
}

/* ---- roots --------------------------------------------------------------- */

static int compare_roots(const void *a, const void *b)
{
	const struct root *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Of all threads, in the order of the file. */
static enum hprof_status collect_roots(struct indexing *all,
				       struct hprof_error *error)
{
	struct hprof_heap *heap = all->heap;
	struct root *roots;
	size_t count = 0, n = 0;

	for (unsigned i = 0; i < heap->threads; i++)
		count += all->indexers[i].root_count;
	roots = hp_calloc(count + 1, sizeof *roots);
	heap->roots = hp_calloc(count + 1, sizeof *heap->roots);
	if (!roots || !heap->roots) {
		hp_free(roots);
		return hp_no_memory(error);
	}
	for (unsigned i = 0; i < heap->threads; i++) {
		const struct indexer *x = &all->indexers[i];
		if (x->root_count)
			memcpy(roots + n, x->roots,
			       x->root_count * sizeof *roots);
		n += x->root_count;
	}
	qsort(roots, n, sizeof *roots, compare_roots);
	for (size_t i = 0; i < n; i++) {
		heap->roots[i] = roots[i].root;
		heap->roots[i].object =
			hp_heap_find(heap, roots[i].root.object_id);
	}
	heap->root_count = n;
	hp_free(roots);
	return HPROF_OK;
}

enum hprof_status hp_heap_index(struct hprof_heap *heap,
				const struct hprof_heap_options *options,
				struct hprof_error *error)
{
	struct indexing all = { .heap = heap,
				.say = { "index", options->progress,
					 options->progress_user } };
	enum hprof_status status;

	heap->arenas = hp_calloc(heap->threads, sizeof *heap->arenas);
	if (!heap->arenas)
		return hp_no_memory(error);
	heap->arena_count = heap->threads;
	status = rank_ids(&all, error);
	if (status >= 0)
		status = number(&all, error);
	if (status >= 0)
		status = collect_roots(&all, error);
	free_indexers(&all);
	hp_free(all.odd.items);
	return status;
}
