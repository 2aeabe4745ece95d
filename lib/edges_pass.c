/*
 * edges_pass.c - the pass over all objects: degrees, targets, referrers and
 * sizes, in place.
 *
 * A look-up of a reference is a miss of the caches, and so is the note of who
 * referred to an object. Both are made ready long before they are needed: a
 * reference goes through a ring, at three places of which something is
 * fetched, looked up, stored.
 *
 * Each thread writes the degrees and sizes of the objects that it reads, and
 * targets from a row on that follows from the place in the file, where no
 * other thread's can be: a reference takes more bytes there than here. Only
 * referrers are shared; their last state does not depend on the order.
 */
#include "edges_pass.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "head.h"
#include "mem.h"
#include "reader.h"

enum {
	RING = 128,
	LOOK_UP = 32,  /* steps behind: find the object */
	STORE = 64,    /* and note it */
	BACK = 1 << 20 /* rows of targets that get room at once */
};

/* What the threads share. */
struct read {
	struct hp_job *job;
	const struct hprof_heap *heap;
	struct hp_edges *e;
	struct hp_plans plans;
	uint64_t base; /* offset of the first extent */
	bool shared;   /* several threads */
};

struct hand {
	const struct read *read;
	const struct hprof_heap *heap;
	struct hp_numbering numbering;
	uint64_t expected; /* where the extent before ended, by position */
	/* Of hp_edges. */
	uint32_t *referrer, *target;
	uint8_t *degree, *shallow;
	uint16_t *what;
	uint32_t *wide_what; /* instead */
	/* References on their way. */
	struct {
		uint64_t id;
		const struct hp_idblock *block; /* of idrank.h, of id */
		uint32_t from, to;
	} ring[RING];
	uint64_t entered; /* how many ever */
	uint64_t stored;
	uint64_t row;	   /* of the target that is stored next */
	uint64_t last_row; /* behind the targets of all that have entered */
	uint64_t backed;   /* rows that have room */
	bool run_begins;   /* with the next object */
	/* The parts of hp_edges that are put together afterwards. */
	struct hp_edge_run *runs;
	struct hp_edge_list *lists;
	struct hp_large *larges;
	size_t run_count, run_room, list_count, list_room;
	size_t large_count, large_room;
	uint64_t size_bits, shallow_total;
	uint64_t arrived, left_out, no_class, weak, dangling; /* references */
	bool failed;
	enum hprof_status status;
	struct hprof_error error; /* of HPROF_E_SYS */
};

/* ---- the ring ------------------------------------------------------------ */

/* hp_heap_find in two steps, so that the region is looked up but once. */
static inline const struct hp_idblock *fetch(const struct hprof_heap *heap,
					     uint64_t id)
{
	const struct hp_idblock *block =
		heap->rank.sorted ? NULL : hp_idrank_block(&heap->rank, id);

	__builtin_prefetch(block);
	return block;
}

static inline uint64_t find_in(const struct hprof_heap *heap,
			       const struct hp_idblock *block, uint64_t id)
{
	uint64_t place = id >> heap->rank.shift;
	uint64_t bit = (uint64_t)1 << place % 64;

	if (!block)
		return heap->rank.sorted ? hp_heap_find(heap, id) :
					   HPROF_NO_OBJECT;
	if (!(block->bits & bit) || place << heap->rank.shift != id)
		return HPROF_NO_OBJECT;
	uint64_t rank = block->rank + hp_bit_count(block->bits & (bit - 1));
	return heap->perm ? heap->perm[rank] : rank;
}

static inline void look_up(struct hand *h, uint64_t step)
{
	uint64_t to = find_in(h->heap, h->ring[step % RING].block,
			      h->ring[step % RING].id);

	h->ring[step % RING].to = (uint32_t)to;
	if (to != HPROF_NO_OBJECT)
		__builtin_prefetch(&h->referrer[to], 1);
}

/* As hp_edges_refer, with others doing the same. */
static inline void refer_shared(uint32_t *referrer, uint32_t from, uint32_t to)
{
	uint32_t old = __atomic_load_n(&referrer[to], __ATOMIC_RELAXED);

	if (from == to || old == from + 1 || old == HP_NONE)
		return;
	if (old == 0 &&
	    __atomic_compare_exchange_n(&referrer[to], &old, from + 1, false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&referrer[to], HP_NONE, __ATOMIC_RELAXED);
}

static inline void store(struct hand *h, uint64_t step)
{
	uint32_t from = h->ring[step % RING].from;
	uint32_t to = h->ring[step % RING].to;

	h->target[h->row++] = to;
	if (to == HP_NONE)
		h->dangling++;
	else if (h->read->shared)
		refer_shared(h->referrer, from, to);
	else
		hp_edges_refer(h->referrer, from, to);
}

static inline void enter(struct hand *h, uint32_t from, uint64_t id)
{
	uint64_t step = h->entered++;

	if (step >= STORE + h->stored) {
		store(h, h->stored);
		h->stored++;
	}
	h->ring[step % RING].id = id;
	h->ring[step % RING].from = from;
	h->ring[step % RING].block = fetch(h->heap, id);
	if (step >= LOOK_UP)
		look_up(h, step - LOOK_UP);
}

/* Everything that is on its way arrives. */
static void drain(struct hand *h)
{
	uint64_t step = h->entered > LOOK_UP ? h->entered - LOOK_UP : 0;

	if (step < h->stored)
		step = h->stored;
	for (; step < h->entered; step++)
		look_up(h, step);
	for (; h->stored < h->entered; h->stored++)
		store(h, h->stored);
	h->arrived += h->entered;
	h->entered = h->stored = 0;
}

/* ---- one object ---------------------------------------------------------- */

static void fail(struct hand *h, enum hprof_status status)
{
	h->failed = true;
	h->status = status;
}

static __attribute__((noinline)) void
add_list(struct hand *h, uint32_t from, uint64_t at, uint64_t count)
{
	h->degree[from] = HP_DEGREE_LIST;
	if (hp_grow((void **)&h->lists, &h->list_room, h->list_count,
		    sizeof *h->lists) != 0) {
		fail(h, HPROF_E_NOMEM);
		return;
	}
	h->lists[h->list_count++] =
		(struct hp_edge_list){ .from = from, .at = at, .count = count };
}

static __attribute__((noinline)) void
add_large(struct hand *h, uint32_t index, uint64_t size)
{
	if (hp_grow((void **)&h->larges, &h->large_room, h->large_count,
		    sizeof *h->larges) != 0) {
		fail(h, HPROF_E_NOMEM);
		return;
	}
	h->larges[h->large_count++] = (struct hp_large){ index, size };
}

static inline void set_size(struct hand *h, uint32_t i, uint64_t size,
			    uint8_t code)
{
	h->shallow[i] = code;
	h->size_bits |= size;
	h->shallow_total += size;
	if (code == HP_SHALLOW_LARGE)
		add_large(h, i, size);
}

static inline void set_what(struct hand *h, uint32_t i, uint32_t what)
{
	if (h->what)
		h->what[i] = (uint16_t)what;
	else
		h->wide_what[i] = what;
}

/* COUNT references of FROM have entered. */
static inline void set_degree(struct hand *h, uint32_t from, uint64_t count)
{
	uint64_t at = h->last_row;

	h->last_row += count;
	if (count < HP_DEGREE_LIST)
		h->degree[from] = (uint8_t)count;
	else
		add_list(h, from, at, count);
}

/* The class with ID, of which PLAN is. */
static inline uint64_t enter_class(struct hand *h, uint32_t i, uint64_t id,
				   const struct hp_plan *plan)
{
	if (plan->class_index == HP_NONE) {
		h->left_out += plan->has_class;
		h->no_class += !plan->has_class && id != 0;
		return 0;
	}
	enter(h, i, id);
	return 1;
}

static inline const struct hp_plan *plan_of(const struct hand *h, uint64_t id)
{
	const struct hp_plan *plan = hp_idmap_get(&h->read->plans.by_id, id);

	return plan ? plan : &h->read->plans.items[h->read->plans.count];
}

/* Of a file that has changed meanwhile there may be more than there were. */
static __attribute__((noinline)) uint32_t too_many(struct hand *h)
{
	if (!h->failed)
		fail(h, HPROF_E_CORRUPT);
	return h->read->e->count;
}

static inline uint32_t next_index(struct hand *h, uint64_t id)
{
	uint64_t i = hp_number(&h->numbering, id);

	return i < h->read->e->count ? (uint32_t)i : too_many(h);
}

/* References at DATA, of which SIZE bytes are there. */
static inline __attribute__((always_inline)) void
take_instance(struct hand *h, const struct hp_head *head, const uint8_t *data,
	      const unsigned z)
{
	const struct hp_plan *plan = plan_of(h, head->class_id);
	uint32_t i = next_index(h, head->id), refs = plan->ref_count;
	uint64_t count = 0, size = plan->size;
	uint8_t code = plan->shallow;

	set_what(h, i, plan->what);
	if (plan->reach > head->size)
		while (refs && plan->refs[refs - 1] + z > head->size)
			refs--;
	for (uint32_t k = 0; k < refs; k++) {
		uint64_t id = hp_get_id(data + plan->refs[k], z);
		if (id == 0)
			continue;
		enter(h, i, id);
		count++;
	}
	if (plan->weak != UINT32_MAX && plan->weak + z <= head->size)
		h->weak += hp_get_id(data + plan->weak, z) != 0;
	count += enter_class(h, i, head->class_id, plan);
	set_degree(h, i, count);
	if (size == 0) {
		size = hp_heap_instance_size(h->heap, plan->of, data,
					     head->size, head->size);
		code = hp_edges_code(h->read->e, size);
	}
	set_size(h, i, size, code);
}

static inline void take_array_size(struct hand *h, uint32_t i, bool prims,
				   unsigned type, uint64_t length)
{
	uint64_t size = hp_heap_array_size(h->heap, prims, type, length);

	set_size(h, i, size, hp_edges_code(h->read->e, size));
}

static inline __attribute__((always_inline)) void
take_objects(struct hand *h, const struct hp_head *head, const uint8_t *data,
	     const unsigned z)
{
	uint32_t i = next_index(h, head->id);
	uint64_t count = 0;

	for (uint32_t k = 0; k < head->count; k++) {
		uint64_t id = hp_get_id(data + (size_t)k * z, z);
		if (id == 0)
			continue;
		enter(h, i, id);
		count++;
	}
	const struct hp_plan *plan = plan_of(h, head->class_id);
	count += enter_class(h, i, head->class_id, plan);
	set_what(h, i, plan->array_what);
	set_degree(h, i, count);
	take_array_size(h, i, false, HPROF_TYPE_OBJECT, head->count);
}

static inline void take_prims(struct hand *h, uint64_t id, unsigned type,
			      uint64_t length)
{
	const struct hp_plan *plan = h->read->plans.prims[type % 16];
	uint64_t class_id = plan->of ? plan->of->info->class_id : 0;
	uint32_t i = next_index(h, id);

	set_what(h, i, plan->what);
	set_degree(h, i, enter_class(h, i, class_id, plan));
	take_array_size(h, i, true, type, length);
}

/* With the object ID. */
static __attribute__((noinline)) void begin_run(struct hand *h, uint64_t id)
{
	struct hp_numbering ahead = h->numbering;

	h->run_begins = false;
	if (hp_grow((void **)&h->runs, &h->run_room, h->run_count,
		    sizeof *h->runs) != 0) {
		fail(h, HPROF_E_NOMEM);
		return;
	}
	h->runs[h->run_count++] = (struct hp_edge_run){
		.first = (uint32_t)hp_number(&ahead, id),
		.at = h->row,
	};
}

/* ---- many objects -------------------------------------------------------- */

static inline __attribute__((always_inline)) size_t
scan_objects(struct hand *h, const uint8_t *start, size_t size,
	     const unsigned z)
{
	const uint8_t *p = start, *end = start + size;
	struct hp_head head = { 0 };

	while ((size_t)(end - p) >= HP_HEAD_ROOM(z)) {
		if (!hp_read_head(p, z, &head) ||
		    head.size > (size_t)(end - p) - head.size_of_head)
			break;
		const uint8_t *data = p + head.size_of_head;
		if (h->run_begins)
			begin_run(h, head.id);
		if (head.tag == 0x21) {
			take_instance(h, &head, data, z);
		} else if (head.tag == 0x22) {
			take_objects(h, &head, data, z);
		} else {
			take_prims(h, head.id, head.type, head.count);
		}
		p = data + head.size;
	}
	return (size_t)(p - start);
}

/* Room for the targets of SIZE bytes. False: the disk is full. */
static bool have_room(struct hand *h, uint64_t size)
{
	uint64_t need = h->last_row + size / h->heap->id_size + 1;
	uint64_t to = need + BACK;
	struct hp_table *table = &h->read->e->target;

	if (need <= h->backed)
		return true;
	if (to > table->bytes / sizeof(uint32_t))
		to = table->bytes / sizeof(uint32_t);
	if (hp_table_back(table, h->last_row * sizeof(uint32_t),
			  to * sizeof(uint32_t), &h->error) < 0) {
		fail(h, HPROF_E_SYS);
		return false;
	}
	h->backed = to;
	return true;
}

static size_t scan(void *state, uint64_t offset, const uint8_t *p, size_t size)
{
	struct hand *h = state;

	(void)offset;
	if (h->failed || !have_room(h, size))
		return 0;
	if (h->read->job->tables.spill)
		hp_tables_breathe(&h->read->job->tables);
	return h->heap->id_size == 8 ? scan_objects(h, p, size, 8) :
				       scan_objects(h, p, size, 4);
}

static void begin(void *state, const struct hp_extent *extent)
{
	struct hand *h = state;
	uint64_t row = (extent->offset - h->read->base) / h->heap->id_size +
		       h->read->e->apart_count;
	bool goes_on = h->run_count && h->expected == extent->first;

	hp_number_extent(&h->numbering, h->heap, extent);
	h->expected = extent->first + extent->count;
	if (goes_on)
		return;
	drain(h);
	h->row = h->last_row = h->backed = row;
	h->run_begins = true;
}

/* ---- objects that are read apart ----------------------------------------- */

/* The long body of an object in pieces. */
struct body {
	uint8_t bytes[(64 << 10) + 8];
	uint64_t from; /* of bytes[0] in the body */
	size_t have;
	const uint32_t *refs; /* NULL: all of it are references */
	uint64_t next, count; /* references */
};

static uint64_t place(const struct hand *h, const struct body *b)
{
	return b->refs ? b->refs[b->next] : b->next * h->heap->id_size;
}

/* Those that are there whole. Returns how many are not null. */
static uint64_t take_piece(struct hand *h, struct body *b, uint32_t i)
{
	const unsigned z = h->heap->id_size;
	uint64_t count = 0;

	for (; b->next < b->count && place(h, b) + z <= b->from + b->have;
	     b->next++) {
		uint64_t id = hp_get_id(b->bytes + (place(h, b) - b->from), z);
		if (id == 0)
			continue;
		enter(h, i, id);
		count++;
	}
	return count;
}

/* False: the file ends before. */
static bool take_body(struct hand *h, struct hprof_reader *reader,
		      struct body *b, uint32_t i, uint64_t *count)
{
	size_t n, keep;

	do {
		keep = b->have < 8 ? b->have : 8;
		memmove(b->bytes, b->bytes + b->have - keep, keep);
		b->from += b->have - keep;
		b->have = keep;
		if (hprof_reader_body(reader, b->bytes + keep,
				      sizeof b->bytes - keep, &n) < 0 ||
		    !have_room(h, n + 8))
			return false;
		b->have += n;
		*count += take_piece(h, b, i);
	} while (n > 0);
	return true;
}

/* REFS NULL: COUNT elements. Returns how many entered, or UINT64_MAX. */
static uint64_t take_refs(struct hand *h, struct hprof_reader *reader,
			  const struct hprof_bytes *bytes, uint32_t i,
			  const uint32_t *refs, uint64_t ref_count)
{
	struct body b;
	uint64_t count = 0;

	b.from = b.have = b.next = 0;
	b.refs = refs;
	b.count = ref_count;
	if (!bytes->data)
		return take_body(h, reader, &b, i, &count) ? count :
							      UINT64_MAX;
	for (uint64_t at = 0; at < bytes->size;) {
		size_t n = bytes->size - at < (64 << 10) ?
				   (size_t)(bytes->size - at) :
				   64 << 10;
		size_t keep = b.have < 8 ? b.have : 8;
		memmove(b.bytes, b.bytes + b.have - keep, keep);
		memcpy(b.bytes + keep, bytes->data + at, n);
		b.from += b.have - keep;
		b.have = keep + n;
		at += n;
		count += take_piece(h, &b, i);
	}
	return count;
}

static bool take_long_instance(struct hand *h, struct hprof_reader *reader,
			       const struct hprof_instance_dump *r)
{
	const struct hp_plan *plan = plan_of(h, r->class_id);
	uint32_t i = next_index(h, r->object_id), refs = plan->ref_count;
	uint64_t count, size = plan->size;

	while (refs && (uint64_t)plan->refs[refs - 1] + h->heap->id_size >
			       r->data_size)
		refs--;
	count = take_refs(h, reader, &r->data, i, plan->refs, refs);
	if (count == UINT64_MAX)
		return false;
	count += enter_class(h, i, r->class_id, plan);
	set_what(h, i, plan->what);
	set_degree(h, i, count);
	if (size == 0)
		size = hp_heap_instance_size(h->heap, plan->of, r->data.data,
					     r->data.data ? r->data_size : 0,
					     r->data_size);
	set_size(h, i, size, hp_edges_code(h->read->e, size));
	return true;
}

static bool take_long_array(struct hand *h, struct hprof_reader *reader,
			    const struct hprof_obj_array_dump *r)
{
	uint32_t i = next_index(h, r->object_id);
	static const uint32_t *const all = NULL;
	uint64_t count =
		take_refs(h, reader, &r->elements, i, all, r->count);

	if (count == UINT64_MAX)
		return false;
	const struct hp_plan *plan = plan_of(h, r->class_id);
	count += enter_class(h, i, r->class_id, plan);
	set_what(h, i, plan->array_what);
	set_degree(h, i, count);
	take_array_size(h, i, false, HPROF_TYPE_OBJECT, r->count);
	return true;
}

/* Its id; 0: no instance or array. */
static uint64_t object_of(const struct hprof_record *record)
{
	switch (record->tag) {
	case HPROF_INSTANCE_DUMP:
		return record->u.instance_dump.object_id;
	case HPROF_OBJ_ARRAY_DUMP:
		return record->u.obj_array_dump.object_id;
	case HPROF_PRIM_ARRAY_DUMP:
	case HPROF_PRIM_ARRAY_NODATA_DUMP:
		return record->u.prim_array_dump.object_id;
	default:
		return 0;
	}
}

static bool record(void *state, struct hprof_reader *reader,
		   const struct hprof_record *record)
{
	struct hand *h = state;
	const struct hprof_prim_array_dump *prims = &record->u.prim_array_dump;

	if (h->failed)
		return true;
	if (h->run_begins && object_of(record))
		begin_run(h, object_of(record));
	switch (record->tag) {
	case HPROF_INSTANCE_DUMP:
		return have_room(h, record->u.instance_dump.data.data ?
					    record->u.instance_dump.data_size :
					    0) &&
		       take_long_instance(h, reader,
					  &record->u.instance_dump);
	case HPROF_OBJ_ARRAY_DUMP:
		return have_room(h, record->u.obj_array_dump.elements.size) &&
		       take_long_array(h, reader, &record->u.obj_array_dump);
	case HPROF_PRIM_ARRAY_DUMP:
	case HPROF_PRIM_ARRAY_NODATA_DUMP:
		take_prims(h, prims->object_id, prims->type, prims->count);
		return hp_reader_pass_body(reader);
	default:
		return hp_reader_pass_body(reader);
	}
}

static bool failed(const void *state)
{
	return ((const struct hand *)state)->failed;
}

/* ---- what threads have found, put together ------------------------------- */

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_runs(const void *a, const void *b)
{
	return compare(((const struct hp_edge_run *)a)->first,
		       ((const struct hp_edge_run *)b)->first);
}

static int compare_lists(const void *a, const void *b)
{
	return compare(((const struct hp_edge_list *)a)->from,
		       ((const struct hp_edge_list *)b)->from);
}

static int compare_larges(const void *a, const void *b)
{
	return compare(((const struct hp_large *)a)->index,
		       ((const struct hp_large *)b)->index);
}

/* Adds MORE rows of WIDTH bytes to *TO. */
static int append(void **to, size_t *count, const void *more, size_t more_count,
		  size_t width)
{
	void *all = hp_realloc(*to, *count + more_count + 1, width);

	if (!all)
		return -1;
	if (more_count)
		memcpy((char *)all + *count * width, more, more_count * width);
	*to = all;
	*count += more_count;
	return 0;
}

static int put_together(struct hp_edges *e, const struct hand *h)
{
	e->size_bits |= h->size_bits;
	e->shallow_total += h->shallow_total;
	e->weak += h->weak;
	e->dangling += h->dangling + h->no_class;
	e->stored += h->arrived;
	e->holding += h->arrived - h->dangling + h->left_out;
	if (h->last_row > e->target_count)
		e->target_count = h->last_row;
	return append((void **)&e->runs, &e->run_count, h->runs, h->run_count,
		      sizeof *e->runs) != 0 ||
			       append((void **)&e->lists, &e->list_count,
				      h->lists, h->list_count,
				      sizeof *e->lists) != 0 ||
			       append((void **)&e->larges, &e->large_count,
				      h->larges, h->large_count,
				      sizeof *e->larges) != 0 ?
		       -1 :
		       0;
}

static void sort_parts(struct hp_edges *e)
{
	if (e->run_count > 1)
		qsort(e->runs, e->run_count, sizeof *e->runs, compare_runs);
	if (e->list_count > 1)
		qsort(e->lists, e->list_count, sizeof *e->lists,
		      compare_lists);
	if (e->large_count > 1)
		qsort(e->larges, e->large_count, sizeof *e->larges,
		      compare_larges);
}

/* ---- the pass ------------------------------------------------------------ */

static void hand_init(struct hand *h, const struct read *read)
{
	*h = (struct hand){ .read = read, .heap = read->heap };
	h->referrer = read->e->referrer.at;
	h->target = read->e->target.at;
	h->degree = read->e->degree.at;
	h->shallow = read->e->shallow.at;
	if (read->e->wide_what)
		h->wide_what = read->e->what.at;
	else
		h->what = read->e->what.at;
}

static void hand_done(struct hand *h)
{
	hp_free(h->runs);
	hp_free(h->lists);
	hp_free(h->larges);
}

static const struct hp_pass_ops pass_ops = {
	.scan = scan,
	.record = record,
	.begin = begin,
	.failed = failed,
};

/* Why H failed: the pass over extents takes all failures for lack of memory. */
static enum hprof_status failure_of(const struct hand *h,
				    struct hprof_error *error)
{
	switch (h->status) {
	case HPROF_E_NOMEM:
		return hp_no_memory(error);
	case HPROF_E_CORRUPT:
		return hp_file_changed(error);
	default:
		*error = h->error;
		return h->status;
	}
}

static enum hprof_status run(const struct read *read, struct hand **hands,
			     unsigned threads)
{
	struct hp_job *job = read->job;
	const struct hp_say say = { "references", job->progress,
				    job->progress_user };
	enum hprof_status status =
		hp_heap_pass(read->heap, &pass_ops, (void *const *)hands,
			     threads, &say, job->error);

	for (unsigned i = 0; i < threads; i++) {
		if (hands[i]->failed)
			return failure_of(hands[i], job->error);
		if (status < 0)
			continue;
		drain(hands[i]);
		if (put_together(read->e, hands[i]) != 0)
			return hp_no_memory(job->error);
	}
	return status;
}

static enum hprof_status run_threads(const struct read *read)
{
	unsigned threads = read->job->threads;
	struct hand **hands = hp_calloc(threads, sizeof *hands);
	enum hprof_status status = HPROF_OK;

	if (!hands)
		return hp_no_memory(read->job->error);
	for (unsigned i = 0; i < threads; i++) {
		hands[i] = hp_calloc(1, sizeof **hands);
		if (!hands[i])
			status = hp_no_memory(read->job->error);
		else
			hand_init(hands[i], read);
	}
	if (status == HPROF_OK)
		status = run(read, hands, threads);
	for (unsigned i = 0; i < threads; i++) {
		if (hands[i])
			hand_done(hands[i]);
		hp_free(hands[i]);
	}
	hp_free(hands);
	return status;
}

static void size_classes(struct hand *h)
{
	const struct hprof_heap *heap = h->heap;

	for (size_t i = 0; i < heap->class_object_count; i++) {
		const struct hp_class_object *c = &heap->class_objects[i];
		uint64_t size =
			hp_heap_class_size(heap, &heap->classes[c->row]);
		set_what(h, (uint32_t)c->index,
			 2 * (uint32_t)heap->classes[c->row].row + 1);
		set_size(h, (uint32_t)c->index, size,
			 hp_edges_code(h->read->e, size));
	}
}

static enum hprof_status take_classes(const struct read *read)
{
	struct hand *h = hp_calloc(1, sizeof *h);
	int bad = -1;

	if (h) {
		hand_init(h, read);
		size_classes(h);
		bad = h->failed || put_together(read->e, h) != 0;
		hand_done(h);
	}
	hp_free(h);
	return bad ? hp_no_memory(read->job->error) : HPROF_OK;
}

/* ---- tables -------------------------------------------------------------- */

static uint64_t target_rows(const struct read *read)
{
	const struct hp_extents *x = &read->heap->extents;
	uint64_t bytes = x->count ? x->items[x->count - 1].end - read->base : 0;

	return bytes / read->heap->id_size + read->e->apart_count +
	       HP_SPARE;
}

static unsigned unit_of(const struct hprof_heap *heap)
{
	const struct hprof_size_convention *c = &heap->summary->convention;

	if (c->sizes == HPROF_SIZES_DATA || c->declared ||
	    c->alignment < 1 || c->alignment > 256 ||
	    (c->alignment & (c->alignment - 1)) != 0)
		return 1;
	return c->alignment;
}

static enum hprof_status make_tables(struct hp_job *job, struct hp_edges *e,
				     const struct hprof_heap *heap)
{
	e->wide_what = heap->infos->count > UINT16_MAX / 2 - 1;
	/* See too_many. */
	const uint64_t rows = (uint64_t)e->count + 1;

	HP_TRY(hp_job_table(job, &e->referrer, rows, sizeof(uint32_t),
			    HP_TABLE_CLEAR));
	HP_TRY(hp_job_table(job, &e->degree, rows, 1, HP_TABLE_CLEAR));
	HP_TRY(hp_job_table(job, &e->shallow, rows, 1, HP_TABLE_CLEAR));
	HP_TRY(hp_job_table(job, &e->what, rows, e->wide_what ? 4 : 2,
			    HP_TABLE_CLEAR));
	e->roots = hp_calloc(hp_bit_words(e->count), sizeof *e->roots);
	return e->roots ? HPROF_OK : hp_no_memory(job->error);
}

/* In-place compaction needs room in front for what class objects refer to. */
static enum hprof_status read_all(struct read *read, unsigned hold)
{
	struct hp_job *job = read->job;
	struct hp_edges *e = read->e;

	HP_TRY(make_tables(job, e, read->heap));
	hp_edges_roots(e, read->heap);
	if (hp_edges_classes(e, read->heap) != 0 ||
	    hp_plans_make(&read->plans, read->heap, e, hold) != 0)
		return hp_no_memory(job->error);
	HP_TRY(hp_table_make_parts(&job->tables, &e->target,
				   target_rows(read), sizeof(uint32_t),
				   read->shared ? HP_TABLE_PARTS :
						  HP_TABLE_FRONT,
				   4 * hp_edges_most(read->heap), job->error));
	HP_TRY(take_classes(read));
	HP_TRY(run_threads(read));
	/* One thread fills all from the front on. */
	hp_table_used(&job->tables, &e->target,
		      (read->shared ? e->stored : e->target_count) *
			      sizeof(uint32_t));
	sort_parts(e);
	uint32_t *referrer = e->referrer.at;
	for (uint64_t i = 0; i < hp_bit_words(e->count); i++)
		for (uint64_t w = e->roots[i]; w; w &= w - 1)
			referrer[i << 6 | hp_bit_lowest(w)] = HP_NONE;
	return HPROF_OK;
}

enum hprof_status hp_edges_read(struct hp_job *job,
				const struct hprof_heap *heap, unsigned hold,
				struct hp_edges *e)
{
	struct read read = { .job = job,
			     .heap = heap,
			     .e = e,
			     .shared = job->threads > 1 };
	enum hprof_status status;

	*e = (struct hp_edges){ .count = (uint32_t)heap->count,
				.unit = unit_of(heap) };
	if (heap->extents.count)
		read.base = heap->extents.items[0].offset;
	status = read_all(&read, hold);
	hp_plans_done(&read.plans);
	return status;
}
