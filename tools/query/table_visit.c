/* SPDX-License-Identifier: MIT */
/*
 * table_visit.c - see table_visit.h.
 */
#include "tools/query/table_visit.h"

#include "tools/query/results.h"

struct visit {
	struct object_set *set;
	struct query_dump *dump;
	const struct hprof_heap *heap;
	enum hprof_table table;
	char **message;
};

static int fail(struct visit *v, enum hprof_status status,
		const struct hprof_error *error)
{
	return result_failure(v->message, status, error);
}

static void visit_one(struct visit *v, uint64_t object)
{
	if (object < hprof_heap_count(v->heap))
		object_set_range(v->set, object, object + 1);
}

/* Instances of String are all that the table of strings has. */
static int visit_strings(struct visit *v)
{
	const struct hprof_heap *heap = v->heap;
	size_t row = hprof_heap_class_named(heap, "java.lang.String", 0);
	struct hprof_error error = { 0 };
	const struct hprof_class_index *classes;

	/* Several loaders may have one of that name: then all are visited. */
	if (row != SIZE_MAX && hprof_heap_class_named(heap, "java.lang.String",
						      row + 1) != SIZE_MAX) {
		object_set_range(v->set, 0, hprof_heap_count(heap));
		return SQLITE_OK;
	}
	classes = query_dump_classes(v->dump, &error);
	if (!classes)
		return fail(v, error.status, &error);
	if (row != SIZE_MAX)
		object_set_class(v->set, classes, row, false);
	return SQLITE_OK;
}

static int visit_class(struct visit *v, sqlite3_value *value)
{
	const struct hprof_heap *heap = v->heap;
	uint64_t row = value_object(value);
	struct hprof_error error = { 0 };
	const struct hprof_class_index *classes;

	if (row >= hprof_heap_summary(heap)->class_count)
		return SQLITE_OK;
	/* The index has no class objects. */
	if (row == hprof_heap_class_named(heap, "java.lang.Class", 0)) {
		object_set_range(v->set, 0, hprof_heap_count(heap));
		return SQLITE_OK;
	}
	classes = query_dump_classes(v->dump, &error);
	if (!classes)
		return fail(v, error.status, &error);
	object_set_class(v->set, classes, (size_t)row, false);
	return SQLITE_OK;
}

static int visit_referrers(struct visit *v, uint64_t target)
{
	struct hprof_error error = { 0 };
	const struct hprof_graph *graph;
	enum hprof_status status;

	if (target >= hprof_heap_count(v->heap))
		return SQLITE_OK;
	graph = query_dump_graph(v->dump, QUERY_GRAPH_REFERRERS, &error);
	if (!graph)
		return fail(v, error.status, &error);
	status = hprof_graph_referrers(graph, target, object_set_add, v->set,
				       &error);
	return status < 0 ? fail(v, status, &error) : SQLITE_OK;
}

static int visit_dominated(struct visit *v, uint64_t dominator)
{
	struct hprof_error error = { 0 };
	enum hprof_status status;

	if (dominator >= hprof_heap_count(v->heap))
		return SQLITE_OK;
	status = query_dump_children(v->dump, dominator, v->set, &error);
	return status < 0 ? fail(v, status, &error) : SQLITE_OK;
}

/* A limit for objects, from a condition's value; it may let one more pass. */
static uint64_t limit(sqlite3_value *value, uint64_t count, bool is_least)
{
	double number;

	if (sqlite3_value_numeric_type(value) != SQLITE_INTEGER &&
	    sqlite3_value_numeric_type(value) != SQLITE_FLOAT)
		return is_least ? 0 : count;
	number = sqlite3_value_double(value);
	if (number < 1)
		return is_least ? 0 : 1;
	if (number >= (double)count)
		return count;
	return is_least ? (uint64_t)number : (uint64_t)number + 1;
}

static void visit_range(struct visit *v, const struct table_plan *plan,
			sqlite3_value **values)
{
	uint64_t count = hprof_heap_count(v->heap);
	uint64_t first = plan->least ? limit(*values++, count, true) : 0;
	uint64_t end = plan->greatest ? limit(*values, count, false) : count;

	if (first < end)
		object_set_range(v->set, first, end);
}

static int visit(struct visit *v, const struct table_plan *plan,
		 sqlite3_value **values)
{
	switch (plan->lookup) {
	case LOOKUP_OBJECT:
		visit_one(v, value_object(values[0]));
		return SQLITE_OK;
	case LOOKUP_ADDRESS:
		visit_one(v, hprof_heap_find(
				     v->heap,
				     (uint64_t)sqlite3_value_int64(values[0])));
		return SQLITE_OK;
	case LOOKUP_CLASS:
		return visit_class(v, values[0]);
	case LOOKUP_TARGET:
		return visit_referrers(v, value_object(values[0]));
	case LOOKUP_DOMINATOR:
		return visit_dominated(v, value_object(values[0]));
	default:
		if (v->table == HPROF_TABLE_STRING && !plan->least &&
		    !plan->greatest)
			return visit_strings(v);
		visit_range(v, plan, values);
		return SQLITE_OK;
	}
}

int table_visit(struct object_set *set, struct query_dump *dump,
		enum hprof_table table, const struct table_plan *plan,
		sqlite3_value **values, char **message)
{
	struct visit v = { .set = set,
			   .dump = dump,
			   .heap = query_dump_heap(dump),
			   .table = table,
			   .message = message };

	return visit(&v, plan, values);
}
