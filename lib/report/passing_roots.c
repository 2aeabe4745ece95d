/* SPDX-License-Identifier: MIT */
/*
 * passing_roots.c - see passing_roots.h. An object often has several roots, in any
 * order: it is marked by those that pass, then cleared by the others.
 */
#include "report/passing_roots.h"

#include "base/bits.h"
#include "base/mem.h"
#include "graph/graph.h"

bool hp_root_is_passing(unsigned tag)
{
	switch (tag) {
	case HPROF_ROOT_JAVA_FRAME:
	case HPROF_ROOT_JNI_LOCAL:
	case HPROF_ROOT_NATIVE_STACK:
	case HPROF_ROOT_THREAD_BLOCK:
	case HPROF_ROOT_MONITOR_USED:
		return true;
	default:
		return false;
	}
}

/* Sets or clears the bits of the roots that are PASSING, or not; how many these are. */
static size_t mark(const struct hprof_heap *heap, bool passing, uint64_t *bits)
{
	const struct hprof_heap_root *roots = hprof_heap_roots(heap);
	size_t count = 0;

	for (size_t i = 0; i < hprof_heap_root_count(heap); i++) {
		uint64_t object = roots[i].object;

		if (object == HPROF_NO_OBJECT ||
		    hp_root_is_passing(roots[i].tag) != passing)
			continue;
		if (passing)
			hp_bit_set(bits, object);
		else
			hp_bit_clear(bits, object);
		count++;
	}
	return count;
}

/* Whether OBJECT is a class that stays; some of these are roots without a record. */
static bool is_lasting(const struct hp_look *look,
		       const struct hp_lasting_classes *lasting,
		       uint64_t object)
{
	const struct hprof_summary *summary = hprof_heap_summary(look->heap);
	uint32_t kind = hp_graph_kind(look->graph, (uint32_t)object);
	size_t row = hp_kind_row(kind);

	return hp_kind_is_class(kind) && row < summary->class_count &&
	       (!summary->class_rows[row].loader_id ||
		hp_lasting_classes_has(lasting, row));
}

static void clear_lasting(const struct hp_look *look,
			  const struct hp_lasting_classes *lasting,
			  uint64_t *bits)
{
	const struct hprof_heap_root *roots = hprof_heap_roots(look->heap);

	for (size_t i = 0; i < hprof_heap_root_count(look->heap); i++)
		if (roots[i].object != HPROF_NO_OBJECT &&
		    is_lasting(look, lasting, roots[i].object))
			hp_bit_clear(bits, roots[i].object);
}

enum hprof_status
hp_passing_roots_find(const struct hp_look *look,
		      const struct hp_lasting_classes *lasting,
		      uint64_t **ret_bits)
{
	uint64_t *bits = hp_calloc(hp_bit_words(look->graph->edges.count) + 1,
				   sizeof *bits);

	if (!bits)
		return HPROF_E_NOMEM;
	if (!mark(look->heap, true, bits)) {
		hp_free(bits);
		*ret_bits = NULL;
		return HPROF_OK;
	}
	mark(look->heap, false, bits);
	clear_lasting(look, lasting, bits);
	*ret_bits = bits;
	return HPROF_OK;
}
