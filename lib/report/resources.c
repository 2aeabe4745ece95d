/* SPDX-License-Identifier: MIT */
/*
 * resources.c - hprof_resources_read: sessions, connections and the like, how
 * many there are and what they keep.
 *
 * There are few of them, so what each line retains is found by a look at the
 * dominators of each object. A dump can have millions under long chains; then
 * all are summed in a pass over the whole graph.
 */
#include "hprof/resource.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "collections/field_path.h"
#include "graph/kind_search.h"
#include "report/object_info.h"
#include "report/resource_classes.h"
#include "report/resource_forms.h"

/* Dominators that are looked at before the pass over the graph is cheaper. */
enum { STEPS_MOST = 20 * 1000 * 1000 };

struct resources {
	struct hprof_resource_table table;
	struct hp_look look;
	uint8_t *form;	   /* of each class row */
	uint64_t steps;	   /* that were taken */
	uint64_t *holders; /* of each line: what dominates all its objects */
	bool *joined;	   /* there is one */
};

static uint8_t form_of(const struct resources *r, uint64_t object)
{
	uint32_t kind = hp_graph_kind(r->look.graph, (uint32_t)object);

	return hp_kind_is_class(kind) ? (uint8_t)HP_NO_RESOURCE
				      : r->form[hp_kind_row(kind)];
}

/* ---- closed ones --------------------------------------------------------- */

static bool says_closed(enum hp_closed rule, const struct hprof_field *field)
{
	bool truth = field->type == HPROF_TYPE_BOOLEAN && field->value;

	switch (rule) {
	case HP_CLOSED_IF_TRUE:
		return truth;
	case HP_CLOSED_IF_FALSE:
		return field->type == HPROF_TYPE_BOOLEAN && !truth;
	case HP_CLOSED_IF_NULL:
		return field->type == HPROF_TYPE_OBJECT && !field->value;
	case HP_CLOSED_IF_NOT_NEGATIVE:
		return field->type != HPROF_TYPE_OBJECT &&
		       hprof_value_int64(field->type, field->value) >= 0;
	default:
		return false;
	}
}

static enum hprof_status count_closed(const struct resources *r,
				      const struct hp_resource_form *form,
				      uint64_t object,
				      struct hprof_resource_row *row)
{
	struct hprof_field field;
	enum hprof_status status;

	if (!form->field)
		return HPROF_OK;
	status = hp_field_path_read(r->look.cursor, object, SIZE_MAX,
				    form->field, &field);
	if (status == HPROF_OK)
		row->closed += says_closed(form->closed, &field);
	return status < 0 ? status : HPROF_OK;
}

/* ---- what they retain ---------------------------------------------------- */

/* Whether an object of the same line dominates OBJECT. */
static bool is_inside(struct resources *r, uint64_t object, uint8_t form)
{
	uint64_t at = object;

	while (r->steps < STEPS_MOST) {
		at = hprof_graph_dominator(r->look.graph, at);
		if (at == HPROF_NO_OBJECT)
			return false;
		r->steps++;
		if (form_of(r, at) == form)
			return true;
	}
	return false;
}

/* ---- who holds them ------------------------------------------------------ */

static uint64_t climb(struct resources *r, uint64_t object)
{
	if (++r->steps >= STEPS_MOST)
		return HPROF_NO_OBJECT;
	return hprof_graph_dominator(r->look.graph, object);
}

static uint64_t depth_of(struct resources *r, uint64_t object)
{
	uint64_t depth = 0;

	for (; object != HPROF_NO_OBJECT; object = climb(r, object))
		depth++;
	return depth;
}

/* The nearest object that is or dominates both; HPROF_NO_OBJECT: the roots. */
static uint64_t common(struct resources *r, uint64_t a, uint64_t b)
{
	uint64_t depth_a = depth_of(r, a), depth_b = depth_of(r, b);

	for (; depth_a > depth_b; depth_a--)
		a = climb(r, a);
	for (; depth_b > depth_a; depth_b--)
		b = climb(r, b);
	while (a != b) {
		a = climb(r, a);
		b = climb(r, b);
	}
	return a;
}

/* OBJECT or its nearest dominator that is not a part of the Java runtime. */
static uint64_t owner_of(const struct resources *r, uint64_t object)
{
	for (uint64_t i = 0; object != HPROF_NO_OBJECT && i < STEPS_MOST; i++) {
		uint32_t kind = hp_graph_kind(r->look.graph, (uint32_t)object);

		if (!hp_class_is_runtime(
			    hp_class_name(r->look.heap, hp_kind_row(kind))))
			return object;
		object = hprof_graph_dominator(r->look.graph, object);
	}
	return HPROF_NO_OBJECT;
}

/* Takes OBJECT in, another one of line FORM that nothing of it dominates. */
static void join(struct resources *r, uint64_t object, uint8_t form)
{
	uint64_t *holder = &r->holders[form];
	uint64_t above = hprof_graph_dominator(r->look.graph, object);

	if (r->joined[form])
		*holder = *holder == HPROF_NO_OBJECT
				  ? HPROF_NO_OBJECT
				  : common(r, *holder, above);
	else
		*holder = above;
	r->joined[form] = true;
}

/* ---- the pass ------------------------------------------------------------ */

static enum hprof_status add(struct resources *r, uint64_t object, uint8_t form)
{
	struct hprof_resource_row *row = &r->table.rows[form];
	uint64_t retained = hprof_graph_retained(r->look.graph, object);

	row->objects++;
	row->shallow += hprof_graph_shallow(r->look.graph, object);
	if (row->largest.object == HPROF_NO_OBJECT ||
	    retained > row->largest.retained) {
		row->largest.object = object;
		row->largest.retained = retained;
	}
	if (!is_inside(r, object, form)) {
		row->retained += retained;
		join(r, object, form);
	}
	return count_closed(r, &hp_resource_forms[form], object, row);
}

static enum hprof_status find(struct resources *r)
{
	const struct hprof_graph *graph = r->look.graph;
	uint64_t count = hprof_heap_count(r->look.heap);
	size_t classes = hprof_heap_summary(r->look.heap)->class_count;
	uint8_t *marks = hp_calloc(hp_kind_count(classes), sizeof *marks);
	enum hprof_status status = marks ? HPROF_OK : HPROF_E_NOMEM;

	for (size_t row = 0; marks && row < classes; row++)
		marks[hp_kind_of_instances(row)] =
			r->form[row] != HP_NO_RESOURCE;
	for (uint64_t i = 0; i < count && status >= 0; i++) {
		i = hp_kind_search_next(graph, marks, i);
		if (i < count && hprof_graph_is_reachable(graph, i))
			status = add(r, i, form_of(r, i));
	}
	hp_free(marks);
	return status;
}

/* All sums by a pass over the graph. */
static enum hprof_status sum_up(struct resources *r, struct hprof_error *error)
{
	size_t classes = hprof_heap_summary(r->look.heap)->class_count + 1;
	uint32_t lines = (uint32_t)hp_resource_form_count;
	uint32_t *key = hp_calloc(2 * classes, sizeof *key);
	struct hprof_set_sum *sums = hp_calloc(lines, sizeof *sums);
	struct hprof_retained_groups groups = { .instances = key,
						.sums = sums,
						.set_count = lines };
	enum hprof_status status = HPROF_E_NOMEM;

	if (key && sums) {
		groups.class_objects = key + classes;
		for (size_t i = 0; i < classes; i++) {
			key[i] = r->form[i];
			key[classes + i] = lines;
		}
		status = hprof_retained_by_group(r->look.graph, &groups, 1,
						 error);
	} else {
		hp_no_memory(error);
	}
	for (uint32_t i = 0; status == HPROF_OK && i < lines; i++)
		r->table.rows[i].retained = sums[i].retained;
	hp_free(key);
	hp_free(sums);
	return status;
}

static enum hprof_status describe(struct resources *r,
				  struct hprof_resource_row *row,
				  struct hprof_error *error)
{
	uint64_t largest = row->largest.object, owner;

	if (largest == HPROF_NO_OBJECT)
		return HPROF_OK;
	owner = r->steps < STEPS_MOST
			? owner_of(r, r->holders[row - r->table.rows])
			: HPROF_NO_OBJECT;
	row->owns_all = owner != HPROF_NO_OBJECT;
	if (!row->owns_all)
		owner = owner_of(r,
				 hprof_graph_dominator(r->look.graph, largest));
	HP_TRY(hp_object_info_get(&r->look, largest, &row->largest, error));
	return hp_object_info_get(&r->look, owner, &row->owner, error);
}

/* ---- tables -------------------------------------------------------------- */

static int compare(const void *left, const void *right)
{
	const struct hprof_resource_row *a = left, *b = right;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return strcmp(a->class_name, b->class_name);
}

/* A line for each form; NULL without memory. */
static struct resources *begin(const struct hprof_summary *summary)
{
	struct resources *r = hp_calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->table.impl = r;
	r->form = hp_resource_classes(summary);
	r->table.rows =
		hp_calloc(hp_resource_form_count, sizeof *r->table.rows);
	r->holders = hp_calloc(hp_resource_form_count, sizeof *r->holders);
	r->joined = hp_calloc(hp_resource_form_count, sizeof *r->joined);
	if (!r->form || !r->table.rows || !r->holders || !r->joined) {
		hprof_resource_table_free(&r->table);
		return NULL;
	}
	for (size_t i = 0; i < hp_resource_form_count; i++) {
		struct hprof_resource_row *row = &r->table.rows[i];

		row->kind = hp_resource_forms[i].kind;
		row->class_name = hp_resource_forms[i].class_name;
		row->largest.object = HPROF_NO_OBJECT;
		row->owner.object = HPROF_NO_OBJECT;
	}
	return r;
}

/* Leaves the lines that have objects. */
static struct hprof_resource_table *finish(struct resources *r)
{
	struct hprof_resource_table *t = &r->table;

	for (size_t i = 0; i < hp_resource_form_count; i++)
		if (t->rows[i].objects)
			t->rows[t->count++] = t->rows[i];
	qsort(t->rows, t->count, sizeof *t->rows, compare);
	return t;
}

static enum hprof_status read_graph(struct resources *r,
				    struct hprof_error *error)
{
	enum hprof_status status;

	HP_TRY(hprof_cursor_new(r->look.heap, &r->look.cursor, error));
	status = find(r);
	if (status == HPROF_E_NOMEM)
		return hp_no_memory(error);
	if (status < 0)
		return hp_look_failure(&r->look, error);
	if (r->steps >= STEPS_MOST)
		HP_TRY(sum_up(r, error));
	for (size_t i = 0; i < hp_resource_form_count; i++)
		HP_TRY(describe(r, &r->table.rows[i], error));
	return HPROF_OK;
}

enum hprof_status hprof_resources_read(const struct hprof_graph *graph,
				       struct hprof_resource_table **ret_table,
				       struct hprof_error *ret_error)
{
	enum hprof_status status;
	struct resources *r;

	HP_TRY(hp_graph_need(graph, HP_GRAPH_DOMINATORS, ret_error));
	HP_NEED(ret_error, ret_table);
	r = begin(hprof_heap_summary(graph->heap));
	if (!r)
		return hp_no_memory(ret_error);
	r->look.graph = graph;
	r->look.heap = graph->heap;
	status = read_graph(r, ret_error);
	hprof_cursor_free(r->look.cursor);
	if (status < 0) {
		hprof_resource_table_free(&r->table);
		return status;
	}
	*ret_table = finish(r);
	return HPROF_OK;
}

enum hprof_status
hprof_summary_resources(const struct hprof_summary *summary,
			struct hprof_resource_table **ret_table,
			struct hprof_error *ret_error)
{
	struct resources *r;

	HP_NEED(ret_error, summary);
	HP_NEED(ret_error, ret_table);
	r = begin(summary);
	if (!r)
		return hp_no_memory(ret_error);
	for (size_t i = 0; i < summary->class_count; i++) {
		if (r->form[i] == HP_NO_RESOURCE)
			continue;
		r->table.rows[r->form[i]].objects +=
			summary->class_rows[i].instances;
		r->table.rows[r->form[i]].shallow +=
			summary->class_rows[i].shallow;
	}
	*ret_table = finish(r);
	return HPROF_OK;
}

void hprof_resource_table_free(struct hprof_resource_table *table)
{
	struct resources *r = table ? table->impl : NULL;

	if (!r)
		return;
	hp_free(r->form);
	hp_free(r->holders);
	hp_free(r->joined);
	hp_free(r->table.rows);
	hp_free(r);
}

const char *hprof_resource_kind_name(enum hprof_resource_kind kind)
{
	static const char *const names[HPROF_RESOURCE_KINDS] = {
		"HTTP sessions",  "persistence contexts", "SQL connections",
		"SQL statements", "HTTP clients",	  "thread pools",
		"threads",	  "class loaders",
	};

	return (unsigned)kind < HPROF_RESOURCE_KINDS ? names[kind] : NULL;
}
