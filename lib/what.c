/*
 * what.c - hp_domtree_what: what each object is, in one pass over the file
 * that looks at the heads of sub-records only.
 */
#include "domtree.h"

#include "error.h"
#include "graph.h"
#include "head.h"
#include "mem.h"
#include "reader.h"

/* What is known before the pass, by index of struct hp_classes. */
struct plan {
	const struct hprof_heap *heap;
	uint32_t *instance, *array;
	uint32_t prims[16];
	uint32_t unknown;
	uint32_t *what; /* the result */
};

/* Of one thread. */
struct hand {
	const struct plan *plan;
	struct hp_numbering numbering;
};

/* Of a file that has changed meanwhile, there may be more than there were. */
static inline uint32_t *place(struct hand *h, uint64_t id)
{
	uint64_t index = hp_number(&h->numbering, id);
	uint64_t count = h->plan->heap->count;

	return &h->plan->what[index < count ? index : count];
}

static inline uint32_t by_class(const struct plan *plan, const uint32_t *table,
				uint64_t class_id)
{
	uint32_t i = hp_classes_find(plan->heap->infos, class_id);

	return i != HP_NO_CLASS ? table[i] : plan->unknown;
}

/* ---- the pass --------------------------------------------------------------- */

static void begin(void *state, const struct hp_extent *extent)
{
	struct hand *h = state;

	hp_number_extent(&h->numbering, h->plan->heap, extent);
}

static inline __attribute__((always_inline)) size_t
scan_heads(struct hand *h, const uint8_t *start, size_t size, const unsigned z)
{
	const uint8_t *p = start, *end = start + size;
	const struct plan *plan = h->plan;
	struct hp_head head = { 0 };

	while ((size_t)(end - p) >= HP_HEAD_ROOM(z)) {
		if (!hp_read_head(p, z, &head) ||
		    head.size > (size_t)(end - p) - head.size_of_head)
			break;
		if (head.tag == 0x21)
			*place(h, head.id) =
				by_class(plan, plan->instance, head.class_id);
		else if (head.tag == 0x22)
			*place(h, head.id) =
				by_class(plan, plan->array, head.class_id);
		else
			*place(h, head.id) = plan->prims[head.type & 15];
		p += head.size_of_head + head.size;
	}
	return (size_t)(p - start);
}

static size_t scan(void *state, uint64_t offset, const uint8_t *p, size_t size)
{
	struct hand *h = state;

	(void)offset;
	return h->plan->heap->id_size == 8   ? scan_heads(h, p, size, 8)
	       : h->plan->heap->id_size == 4 ? scan_heads(h, p, size, 4)
					     : 0;
}

static bool record(void *state, struct hprof_reader *reader,
		   const struct hprof_record *record)
{
	struct hand *h = state;
	const struct plan *plan = h->plan;
	const struct hprof_instance_dump *instance = &record->u.instance_dump;
	const struct hprof_obj_array_dump *array = &record->u.obj_array_dump;
	const struct hprof_prim_array_dump *prims = &record->u.prim_array_dump;

	switch (record->tag) {
	case HPROF_INSTANCE_DUMP:
		*place(h, instance->object_id) =
			by_class(plan, plan->instance, instance->class_id);
		break;
	case HPROF_OBJ_ARRAY_DUMP:
		*place(h, array->object_id) =
			by_class(plan, plan->array, array->class_id);
		break;
	case HPROF_PRIM_ARRAY_DUMP:
	case HPROF_PRIM_ARRAY_NODATA_DUMP:
		*place(h, prims->object_id) = plan->prims[prims->type & 15];
		break;
	default:
		break;
	}
	return hp_reader_pass_body(reader);
}

/* Nothing is allocated on the way. */
static bool failed(const void *state)
{
	(void)state;
	return false;
}

static const struct hp_pass_ops pass_ops = {
	.scan = scan,
	.record = record,
	.begin = begin,
	.failed = failed,
};

static enum hprof_status run(const struct plan *plan, struct hprof_error *error)
{
	unsigned threads = plan->heap->threads ? plan->heap->threads : 1;
	struct hand *hands = hp_calloc(threads, sizeof *hands);
	void **states = hp_calloc(threads, sizeof *states);
	enum hprof_status status;

	for (unsigned i = 0; hands && states && i < threads; i++) {
		hands[i].plan = plan;
		states[i] = &hands[i];
	}
	status = hands && states ? hp_heap_pass(plan->heap, &pass_ops, states,
						threads, NULL, error)
				 : hp_no_memory(error);
	hp_free(hands);
	hp_free(states);
	return status;
}

/* ---- before and behind it ------------------------------------------------------ */

static int make_tables(struct plan *plan, const struct hprof_heap *heap)
{
	size_t count = heap->infos->count;

	plan->instance = hp_calloc(count + 1, sizeof *plan->instance);
	plan->array = hp_calloc(count + 1, sizeof *plan->array);
	if (!plan->instance || !plan->array)
		return -1;
	for (size_t i = 0; i < count; i++) {
		const struct hp_heap_class *of = &heap->classes[i];

		plan->instance[i] = plan->array[i] = 2 * (uint32_t)of->row;
		if (of->elements != HP_NO_CLASS)
			plan->array[i] =
				2 * (uint32_t)heap->classes[of->elements].row;
	}
	for (size_t i = 0; i < 16; i++) {
		uint32_t class = heap->prims[i];

		plan->prims[i] =
			class != HP_NO_CLASS
				? 2 * (uint32_t)heap->classes[class].row
				: plan->unknown;
	}
	return 0;
}

static void take_class_objects(const struct plan *plan)
{
	const struct hprof_heap *heap = plan->heap;

	for (size_t i = 0; i < heap->class_object_count; i++) {
		const struct hp_class_object *object = &heap->class_objects[i];
		size_t row = heap->classes[object->row].row;

		plan->what[object->index] = 2 * (uint32_t)row + 1;
	}
}

static enum hprof_status fill(const struct hprof_heap *heap,
			      struct hp_domtree *tree,
			      struct hprof_error *error)
{
	struct plan plan = { .heap = heap,
			     .what = tree->what,
			     .unknown = tree->what_count - 2 };
	enum hprof_status status = hp_no_memory(error);

	if (make_tables(&plan, heap) == 0)
		status = run(&plan, error);
	if (status >= 0)
		take_class_objects(&plan);
	hp_free(plan.instance);
	hp_free(plan.array);
	return status;
}

enum hprof_status hp_domtree_what(struct hp_domtree *tree,
				  const struct hprof_heap *heap,
				  const struct hprof_graph *graph,
				  struct hprof_error *error)
{
	size_t rows = hprof_heap_summary(heap)->class_count;

	*tree = (struct hp_domtree){ .heap = heap,
				     .graph = graph,
				     .top = HP_NO_NODE };
	if (heap->count >= HP_NO_NODE || rows >= HP_NO_NODE / 2)
		return hp_fail(error, HPROF_E_LIMIT, HP_NO_OFFSET,
			       "too many objects for a dominator tree");
	tree->count = (uint32_t)heap->count;
	tree->what_count = 2 * (uint32_t)rows + 2;
	tree->tables.limit = graph->job.tables.limit;
	tree->tables.base = hp_resident();
	HP_TRY(hp_table_make(&tree->tables, &tree->what_table, heap->count + 1,
			     sizeof *tree->what, HP_TABLE_RAW, error));
	tree->what = tree->what_table.at;
	return fill(heap, tree, error);
}
