/* SPDX-License-Identifier: MIT */
/*
 * backlog_values.c - what only the ClassValues of classes keep. A class object has a map
 * of them, but a dump has no fields of class objects: so the map, and what it holds,
 * looks like garbage though no collection takes it. What can be told is which ClassValue
 * the values are of, and what follows from them.
 */
#include "leaks/backlog_work.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "graph/kind_search.h"

/* A value, and what it is of. */
struct entry {
	uint64_t class_value, value;
};

struct values {
	struct hp_backlog_work *work;
	struct entry *entries;
	size_t count, room;
	uint64_t *seen; /* bits: what was counted */
	uint32_t *todo;
	size_t todo_count, todo_room;
	uint64_t looks; /* objects that may still be read */
};

/* ---- entries ------------------------------------------------------------- */

/* The object in field NAME of OBJECT, or HPROF_NO_OBJECT. */
static enum hprof_status follow(const struct values *v, uint64_t object,
				const char *name, uint64_t *ret,
				struct hprof_error *error)
{
	uint64_t id = 0;

	if (object != HPROF_NO_OBJECT)
		HP_TRY(hp_backlog_field(v->work, object, name, &id, error));
	*ret = id ? hprof_heap_find(v->work->look.heap, id) : HPROF_NO_OBJECT;
	return HPROF_OK;
}

/* Until JDK 24 an entry is a reference to its version itself. */
static enum hprof_status class_value_of(const struct values *v, uint64_t entry,
					uint64_t *ret,
					struct hprof_error *error)
{
	uint64_t reference, version;

	HP_TRY(follow(v, entry, "version", &reference, error));
	if (reference == HPROF_NO_OBJECT)
		reference = entry;
	HP_TRY(follow(v, reference, "referent", &version, error));
	return follow(v, version, "classValue", ret, error);
}

static bool is_lost(const struct values *v, uint64_t object)
{
	return object != HPROF_NO_OBJECT &&
	       hprof_graph_strength(v->work->look.graph, object) ==
		       HPROF_STRENGTH_GARBAGE;
}

/* Takes the entry if its value looks like garbage, and its ClassValue does not. */
static enum hprof_status take_entry(struct values *v, uint64_t object,
				    struct hprof_error *error)
{
	struct entry entry;

	HP_TRY(follow(v, object, "value", &entry.value, error));
	if (entry.value == object || !is_lost(v, entry.value))
		return HPROF_OK;
	HP_TRY(class_value_of(v, object, &entry.class_value, error));
	if (entry.class_value == HPROF_NO_OBJECT ||
	    !hprof_graph_is_reachable(v->work->look.graph, entry.class_value))
		return HPROF_OK;
	if (hp_grow((void **)&v->entries, &v->room, v->count,
		    sizeof *v->entries) != HPROF_OK)
		return hp_no_memory(error);
	v->entries[v->count++] = entry;
	return HPROF_OK;
}

static enum hprof_status take_entries(struct values *v,
				      struct hprof_error *error)
{
	const struct hp_look *look = &v->work->look;
	const size_t row = hprof_heap_class_named(
		look->heap, "java.lang.ClassValue$Entry", 0);
	const size_t classes = hprof_heap_summary(look->heap)->class_count;
	const uint64_t count = hprof_heap_count(look->heap);
	enum hprof_status status = HPROF_OK;
	uint8_t *marks;

	if (row == SIZE_MAX)
		return HPROF_OK;
	marks = hp_calloc(hp_kind_count(classes), sizeof *marks);
	if (!marks)
		return hp_no_memory(error);
	marks[hp_kind_of_instances(row)] = 1;
	for (uint64_t i = hp_kind_search_next(look->graph, marks, 0);
	     status == HPROF_OK && i < count && v->looks;
	     i = hp_kind_search_next(look->graph, marks, i + 1), v->looks--)
		if (is_lost(v, i))
			status = take_entry(v, i, error);
	hp_free(marks);
	return status;
}

static int compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->class_value != b->class_value)
		return a->class_value < b->class_value ? -1 : 1;
	return a->value < b->value ? -1 : a->value > b->value;
}

/* ---- what they keep ------------------------------------------------------ */

static enum hprof_status meet(struct values *v, uint64_t object)
{
	if (!is_lost(v, object) || hp_bit(v->seen, object) ||
	    hp_kind_is_class(
		    hp_graph_kind(v->work->look.graph, (uint32_t)object)))
		return HPROF_OK;
	hp_bit_set(v->seen, object);
	HP_TRY(hp_grow((void **)&v->todo, &v->todo_room, v->todo_count,
		       sizeof *v->todo));
	v->todo[v->todo_count++] = (uint32_t)object;
	return HPROF_OK;
}

static enum hprof_status meet_all(struct values *v, uint64_t from,
				  struct hprof_error *error)
{
	const struct hp_look *look = &v->work->look;
	struct hprof_object object;
	struct hprof_edge edge;
	enum hprof_status status =
		hprof_cursor_seek(look->cursor, from, &object);

	for (uint64_t i = 0; status == HPROF_OK; i++) {
		status = hprof_cursor_edge(look->cursor, i, &edge);
		if (status == HPROF_OK && hp_edge_holds(look, &edge) &&
		    meet(v, edge.to) != HPROF_OK)
			return hp_no_memory(error);
	}
	return status < 0 ? hp_look_failure(look, error) : HPROF_OK;
}

/*
 * Adds VALUE and what follows from it. What two values keep counts for the first; classes
 * that look like garbage, too, are no part of it: they were unloaded.
 */
static enum hprof_status add_value(struct values *v, uint64_t value,
				   struct hprof_backlog *backlog,
				   struct hprof_error *error)
{
	const struct hprof_graph *graph = v->work->look.graph;
	struct hp_sum *sum = &v->work->sums[hp_backlog_key(v->work, value)];

	if (hp_bit(v->seen, value))
		return HPROF_OK;
	sum->objects++;
	sum->shallow += hprof_graph_shallow(graph, value);
	backlog->count++;
	if (meet(v, value) != HPROF_OK)
		return hp_no_memory(error);
	while (v->todo_count && v->looks) {
		uint64_t at = v->todo[--v->todo_count];
		uint64_t bytes = hprof_graph_shallow(graph, at);

		v->looks--;
		backlog->objects++;
		backlog->retained += bytes;
		sum->retained += bytes;
		HP_TRY(meet_all(v, at, error));
	}
	v->todo_count = 0;
	return HPROF_OK;
}

/* ---- findings ------------------------------------------------------------ */

/* What looks like garbage counts as what is only held softly does. */
static bool is_much(const struct hprof_graph *graph, uint64_t bytes)
{
	const struct hprof_graph_totals *totals = hprof_graph_totals(graph);

	return bytes >= HP_BACKLOG_SOFT_BYTES &&
	       bytes / HP_BACKLOG_SOFT_PERCENT >=
		       totals->reachable_shallow / 100;
}

/* Takes back what the values of the entries from FROM to below TO have put into sums. */
static void forget(const struct values *v, size_t from, size_t to)
{
	for (; from < to; from++)
		v->work->sums[hp_backlog_key(v->work, v->entries[from].value)] =
			(struct hp_sum){ .objects = 0 };
}

static enum hprof_status add_findings(struct values *v,
				      struct hprof_error *error)
{
	struct hp_backlog_work *w = v->work;

	if (v->count)
		qsort(v->entries, v->count, sizeof *v->entries,
		      compare_entries);
	for (size_t i = 0; i < v->count;) {
		const uint64_t of = v->entries[i].class_value;
		const size_t first = i;
		struct hprof_backlog backlog = {
			.kind = HPROF_BACKLOG_CLASS_VALUES
		};

		for (; i < v->count && v->entries[i].class_value == of; i++)
			HP_TRY(add_value(v, v->entries[i].value, &backlog,
					 error));
		if (!is_much(w->look.graph, backlog.retained)) {
			forget(v, first, i);
			continue;
		}
		HP_TRY(hp_backlog_add(w, &backlog, of, error));
		HP_TRY(hp_backlog_own_from_above(w, error));
	}
	return HPROF_OK;
}

enum hprof_status hp_backlog_values(struct hp_backlog_work *w,
				    struct hprof_error *error)
{
	const struct hprof_graph *graph = w->look.graph;
	const uint64_t garbage = hprof_graph_totals(graph)
					 ->by_strength[HPROF_STRENGTH_GARBAGE]
					 .shallow;
	struct values v = { .work = w, .looks = HP_BACKLOG_LOOKS };
	enum hprof_status status;

	if (!is_much(graph, garbage))
		return HPROF_OK;
	status = take_entries(&v, error);
	if (status == HPROF_OK && v.count) {
		v.seen = hp_calloc(hp_bit_words(graph->edges.count),
				   sizeof *v.seen);
		status = v.seen ? add_findings(&v, error) : hp_no_memory(error);
	}
	hp_free(v.entries);
	hp_free(v.seen);
	hp_free(v.todo);
	return status;
}
