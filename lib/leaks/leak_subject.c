/* SPDX-License-Identifier: MIT */
/*
 * leak_subject.c - see leak_subject.h.
 *
 * An accumulation point is mostly an array or a node inside a collection. The
 * path to it leads through the collection, since nothing else refers to those.
 */
#include "leaks/leak_subject.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/same_text.h"
#include "collections/collection.h"
#include "graph/graph.h"
#include "hprof/collection.h"
#include "leaks/leak_buffers.h"

enum {
	INSIDE_MOST = 1000,   /* steps between a collection and a node of it */
	SAMPLES = 100,	      /* elements that are looked at */
	COUNT_MOST = 1 << 20, /* that are counted if the collection does not */
	SUPERS_MOST = 100
};

/* ---- the collection ------------------------------------------------------ */

static bool is_array(const struct hprof_object_info *info)
{
	return info->kind == HPROF_OBJECT_OBJ_ARRAY ||
	       info->kind == HPROF_OBJECT_PRIM_ARRAY;
}

static bool is_collection(const struct hp_look *look,
			  const struct hprof_object_info *info)
{
	return info->kind == HPROF_OBJECT_INSTANCE &&
	       hprof_collection_class(look->heap, info->class_row, NULL);
}

/* Whether an object can only be understood with the collection around it. */
static bool is_inside(const struct hp_look *look,
		      const struct hprof_object_info *info)
{
	return is_array(info) ||
	       (info->kind == HPROF_OBJECT_INSTANCE &&
		hprof_collection_is_part(look->heap, info->class_row));
}

/* Whether the collection at step AT only wraps the one at the next step. */
static enum hprof_status wraps_next(const struct hp_look *look,
				    const struct hprof_path *path, size_t at,
				    bool *ret, struct hprof_error *error)
{
	struct hprof_collection wrapper;
	enum hprof_status status;

	*ret = false;
	if (!is_collection(look, &path->steps[at].held))
		return HPROF_OK;
	status = hprof_collection_open(look->cursor,
				       path->steps[at].held.object, &wrapper);
	if (status == HPROF_OK)
		*ret = wrapper.shape == HPROF_COLLECTION_WRAPPER &&
		       wrapper.storage == path->steps[at + 1].held.object;
	return status < 0 ? hp_look_failure(look, error) : HPROF_OK;
}

/* Whether step AT is the array of the buffer at the step before. */
static bool is_in_buffer(const struct hp_look *look,
			 const struct hprof_path *path, size_t at)
{
	const struct hprof_path_step *step = &path->steps[at];

	return at && step->held.kind == HPROF_OBJECT_PRIM_ARRAY &&
	       step->edge == HPROF_EDGE_FIELD &&
	       hp_leak_is_buffer(look, &path->steps[at - 1].held);
}

/*
 * Whether the array at step AT is an element of another array, and of a type of its own:
 * then it is what a collection has, and no part of that.
 */
static bool is_own_array(const struct hprof_path *path, size_t at)
{
	const struct hprof_object_info *info = &path->steps[at].held;

	return info->kind == HPROF_OBJECT_OBJ_ARRAY &&
	       path->steps[at - 1].held.kind == HPROF_OBJECT_OBJ_ARRAY &&
	       info->class_name &&
	       strncmp(info->class_name, "java.lang.Object[", 17) != 0;
}

/* The collection or buffer that step AT is a part of, or AT itself. */
static enum hprof_status lift(const struct hp_look *look,
			      const struct hprof_path *path, size_t at,
			      size_t *ret_step, struct hprof_error *error)
{
	size_t step = at;
	bool wraps = true;

	*ret_step = at;
	if (is_in_buffer(look, path, at)) {
		*ret_step = at - 1;
		return HPROF_OK;
	}
	while (step && at - step < INSIDE_MOST &&
	       is_inside(look, &path->steps[step].held)) {
		if (is_own_array(path, step))
			return HPROF_OK;
		step--;
	}
	if (!is_collection(look, &path->steps[step].held))
		return HPROF_OK;
	while (step) {
		HP_TRY(wraps_next(look, path, step - 1, &wraps, error));
		if (!wraps)
			break;
		step--;
	}
	*ret_step = step;
	return HPROF_OK;
}

/* ---- keys of maps --------------------------------------------------------- */

/* How many steps before step AT of PATH, which has a key, the map is; or 0. */
static size_t steps_from_map(const struct hp_look *look,
			     const struct hprof_path *path, size_t at)
{
	size_t step = at;

	while (step && at - step < INSIDE_MOST) {
		const struct hprof_object_info *info =
			&path->steps[--step].held;

		if (is_collection(look, info))
			return at - step;
		if (!is_inside(look, info))
			break;
	}
	return 0;
}

static void find_maps(const struct hp_look *look, struct hprof_path *path)
{
	for (size_t i = 0; i < path->count; i++)
		if (path->steps[i].key)
			path->steps[i].key_steps =
				steps_from_map(look, path, i);
}

/* ---- collections of the program's own ------------------------------------ */

/* Whether the class at ROW extends a collection of java.util, but is none of these. */
static bool is_own_collection(const struct hp_look *look, size_t row)
{
	static const char *const names[] = { "java.util.AbstractMap",
					     "java.util.AbstractCollection" };

	if (hp_class_is_runtime(hp_class_name(look->heap, row)))
		return false;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		size_t super = hprof_heap_class_named(look->heap, names[i], 0);

		if (super != SIZE_MAX &&
		    hprof_heap_class_is(look->heap, row, super))
			return true;
	}
	return false;
}

static bool is_same_package(const char *a, const char *b)
{
	const char *dot = strrchr(a, '.'), *other = strrchr(b, '.');
	size_t length = dot ? (size_t)(dot - a) : 0;

	return dot && other && length == (size_t)(other - b) &&
	       !memcmp(a, b, length);
}

/* Whether the class NAME is in the package of the class at ROW or a superclass of it. */
static bool is_of_package(const struct hp_look *look, const char *name,
			  size_t row)
{
	const struct hprof_summary *summary = hprof_heap_summary(look->heap);

	for (size_t i = 0; i < SUPERS_MOST && row < summary->class_count; i++) {
		const struct hprof_class_row *of = &summary->class_rows[row];

		if (of->name && is_same_package(name, of->name))
			return true;
		row = hprof_heap_class(look->heap, of->super_id);
	}
	return false;
}

/*
 * The step of a collection that consists of what is linked from step AT on, or AT itself:
 * one of the program's own, to which all of the program's objects up to there belong by
 * their package.
 */
static size_t lift_links(const struct hp_look *look,
			 const struct hprof_path *path, size_t at)
{
	size_t step = at;

	while (step-- && at - step < INSIDE_MOST) {
		const struct hprof_object_info *info = &path->steps[step].held;

		if (info->kind == HPROF_OBJECT_CLASS)
			break;
		if (info->kind != HPROF_OBJECT_INSTANCE ||
		    !is_own_collection(look, info->class_row))
			continue;
		for (size_t i = step + 1; i <= at; i++) {
			const char *name = path->steps[i].held.class_name;

			if (!hp_class_is_runtime(name) &&
			    !is_of_package(look, name, info->class_row))
				return at;
		}
		return step;
	}
	return at;
}

/* ---- its elements -------------------------------------------------------- */

struct sample {
	const struct hp_look *look;
	uint32_t kinds[2][SAMPLES]; /* of keys and of values */
	size_t count[2];
	uint64_t present; /* entries whose value is not null */
};

static void take(struct sample *s, unsigned which, unsigned type, uint64_t id)
{
	uint64_t object = type == HPROF_TYPE_OBJECT
				  ? hprof_heap_find(s->look->heap, id)
				  : HPROF_NO_OBJECT;

	if (object != HPROF_NO_OBJECT && s->count[which] < SAMPLES)
		s->kinds[which][s->count[which]++] =
			hp_graph_kind(s->look->graph, (uint32_t)object);
}

static bool take_entry(void *user, const struct hprof_collection_entry *entry)
{
	struct sample *s = user;

	take(s, 0, entry->key_type, entry->key);
	take(s, 1, entry->value_type, entry->value);
	s->present += entry->value_type != HPROF_TYPE_OBJECT || entry->value;
	return true;
}

static int compare_kinds(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

/* The name of the most frequent class of COUNT kinds, which are sorted. */
static const char *most_frequent(const struct hp_look *look, uint32_t *kinds,
				 size_t count)
{
	size_t most = 0, first = 0, best = 0;

	if (!count)
		return NULL;
	qsort(kinds, count, sizeof *kinds, compare_kinds);
	for (size_t i = 0; i < count; i++) {
		if (kinds[i] != kinds[first])
			first = i;
		if (i - first + 1 > most) {
			most = i - first + 1;
			best = i;
		}
	}
	return hp_kind_is_class(kinds[best])
		       ? "java.lang.Class"
		       : hp_class_name(look->heap, hp_kind_row(kinds[best]));
}

/* Of maps, the class of values; of keys, if only these are the program's. */
static const char *element_class(struct sample *s)
{
	const char *key = most_frequent(s->look, s->kinds[0], s->count[0]);
	const char *value = most_frequent(s->look, s->kinds[1], s->count[1]);

	return !value || (hp_class_is_runtime(value) &&
			  !hp_class_is_runtime(key))
		       ? key
		       : value;
}

/*
 * Lock-free queues do not know how many elements they have: these are counted; and so
 * are those of arrays with gaps.
 */
static enum hprof_status find_elements(const struct hp_look *look,
				       struct hprof_leak *leak,
				       struct hprof_error *error)
{
	struct sample sample = { .look = look };
	struct hprof_collection collection = { .size = 0 };
	struct hprof_collection_walk walk = { .entries = 0 };
	enum hprof_status status = hprof_collection_open(
		look->cursor, leak->collection.object, &collection);
	bool gaps = status == HPROF_OK &&
		    hp_collection_has_gaps(look->heap, collection.class_row);
	bool counts = gaps || collection.size == HPROF_COLLECTION_UNKNOWN;

	if (status == HPROF_OK && collection.size != HPROF_COLLECTION_UNKNOWN)
		leak->elements = collection.size;
	if (status == HPROF_OK)
		status = hprof_collection_each(look->cursor,
					       leak->collection.object,
					       counts ? COUNT_MOST : SAMPLES,
					       take_entry, &sample, &walk);
	if (status < 0 && status != HPROF_E_UNSUPPORTED)
		return hp_look_failure(look, error);
	if (gaps && walk.complete && sample.present)
		leak->elements = sample.present;
	else if (counts && walk.complete)
		leak->elements = walk.entries;
	leak->element_class = element_class(&sample);
	return HPROF_OK;
}

/* ---- whose it is --------------------------------------------------------- */

/* Whether INFO is a pool of threads: of the runtime, but a program has few of them. */
static bool is_pool(const struct hprof_object_info *info)
{
	static const char *const names[] = {
		"java.util.concurrent.ThreadPoolExecutor",
		"java.util.concurrent.ScheduledThreadPoolExecutor",
		"java.util.concurrent.ForkJoinPool",
	};

	if (info->kind != HPROF_OBJECT_INSTANCE || !info->class_name)
		return false;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (!strcmp(info->class_name, names[i]))
			return true;
	return false;
}

/*
 * Whether objects of the class NAME only hand on memory of a pool: whoever has a buffer
 * of netty, or the allocator, says more than the buffer or a chunk of the pool.
 */
static bool is_of_buffers(const char *name)
{
	return hp_begins_with(name, "io.netty.buffer.");
}

/* The JVM makes up the names of these, and of their fields. */
static bool is_lambda(const char *class_name)
{
	return class_name && strstr(class_name, "$$Lambda");
}

/* What may be the owner, the nearest of each sort. */
struct owners {
	size_t class_step, pool_step; /* of the Java runtime */
	size_t buffer_step; /* of netty's buffers the furthest in a row */
	size_t lambda_step;
};

/* Whether the object at step I is the owner; else notes what it may be. */
static bool is_owner(const struct hprof_object_info *info, size_t i,
		     struct owners *ret)
{
	const bool is_runtime = hp_class_is_runtime(info->class_name);

	if (!is_runtime && is_of_buffers(info->class_name)) {
		ret->buffer_step = i;
		return false;
	}
	if (!is_runtime && is_lambda(info->class_name)) {
		if (ret->lambda_step == SIZE_MAX)
			ret->lambda_step = i;
		return false;
	}
	if (!is_runtime)
		return true;
	if (ret->class_step == SIZE_MAX && info->kind == HPROF_OBJECT_CLASS)
		ret->class_step = i;
	if (ret->pool_step == SIZE_MAX && is_pool(info))
		ret->pool_step = i;
	return false;
}

/* Handlers and channels hand buffers on, too. */
static bool is_netty(const char *name)
{
	return hp_begins_with(name, "io.netty.");
}

size_t hp_leak_owner_step(const struct hp_look *look,
			  const struct hprof_path *path, size_t subject)
{
	struct owners may = { SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX };

	for (size_t i = subject; i-- > 0;) {
		const struct hprof_object_info *info = &path->steps[i].held;

		if (is_inside(look, info) || is_collection(look, info))
			continue;
		if (is_owner(info, i, &may) && (may.buffer_step == SIZE_MAX ||
						!is_netty(info->class_name)))
			return i;
	}
	if (may.buffer_step != SIZE_MAX)
		return may.buffer_step;
	if (may.lambda_step != SIZE_MAX)
		return may.lambda_step;
	return may.class_step != SIZE_MAX ? may.class_step : may.pool_step;
}

enum hprof_status hp_leak_subject_find(const struct hp_look *look,
				       struct hprof_leak *leak,
				       struct hprof_error *error)
{
	struct hprof_path *path = leak->paths;
	const struct hprof_object_info *subject;
	size_t end;

	leak->collection.object = HPROF_NO_OBJECT;
	leak->owner_step = leak->subject_step = SIZE_MAX;
	if (!leak->path_count || !path->count)
		return HPROF_OK;
	find_maps(look, path);
	end = path->count - 1;
	if (leak->kind == HPROF_LEAK_OBJECT &&
	    !is_array(&path->steps[end].held))
		leak->subject_step = end;
	else
		HP_TRY(lift(look, path, end, &leak->subject_step, error));
	if (leak->kind == HPROF_LEAK_CHAIN && leak->subject_step == end)
		leak->subject_step = lift_links(look, path, end);
	leak->owner_step = hp_leak_owner_step(look, path, leak->subject_step);
	subject = &path->steps[leak->subject_step].held;
	if (is_collection(look, subject)) {
		leak->collection = *subject;
		return find_elements(look, leak, error);
	}
	if (leak->subject_step == end || !is_in_buffer(look, path, end))
		return HPROF_OK;
	leak->collection = *subject;
	return hp_leak_buffer_read(look, subject, &path->steps[end].held,
				   &leak->elements, &leak->element_class,
				   error);
}
