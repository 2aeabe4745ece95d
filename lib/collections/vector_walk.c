/* SPDX-License-Identifier: MIT */
/*
 * vector_walk.c - elements of persistent vectors: arrays of arrays, 32 wide.
 *
 * Scala's (2.13) have a field for each array, the digit at the end of its name
 * says how many levels it has. Clojure's, and Scala's before, have one array,
 * and a number that tells its levels; in Clojure's a node is around each array.
 * Kotlin's are Clojure's without these nodes.
 */
#include <string.h>

#include "base/error.h"
#include "collections/field_path.h"
#include "collections/walk.h"
#include "heap/cursor.h"

enum { WIDTH = 32, BITS = 5, LEVELS_MOST = 7 };

struct vector {
	struct hp_walk_state *w;
	bool pairs; /* its elements are tuples: keys and values */
	/* Numbers of elements of the array that is walked: [from, to). */
	uint64_t from, to;
	/* Of a vector before 2.13 that was changed: its array of each level on
	   the way to number FOCUS, in place of those that the arrays above have;
	   NULL: there are none. */
	const uint64_t *display;
	uint64_t focus;
	struct {
		uint64_t array, at;
		uint64_t number; /* of its first element */
	} levels[LEVELS_MOST];
	unsigned depth; /* of levels that are in use */
};

static enum hprof_status number_in(struct hp_walk_state *w, uint64_t object,
				   const char *name, int64_t *ret)
{
	struct hprof_field field;
	enum hprof_status status =
		hp_field_path_read(w->cursor, object, SIZE_MAX, name, &field);

	*ret = 0;
	if (status == HPROF_OK && field.type != HPROF_TYPE_OBJECT)
		*ret = hprof_value_int64(field.type, field.value);
	return status < 0 ? status : HPROF_OK;
}

static enum hprof_status emit(struct vector *v, uint64_t array, uint64_t id)
{
	struct hprof_collection_entry entry = { .node = array,
						.value_type = HPROF_TYPE_OBJECT,
						.value = id };

	if (v->pairs) {
		uint64_t tuple = hp_walk_follow(v->w, id);

		if (tuple == HPROF_NO_OBJECT) {
			v->w->result.odd = true;
			return HPROF_OK;
		}
		HP_TRY(hp_walk_pair(v->w, tuple, "_1", "_2", &entry));
	}
	hp_walk_emit(v->w, entry);
	return HPROF_OK;
}

static enum hprof_status emit_leaf(struct vector *v, uint64_t array,
				   uint64_t number)
{
	uint64_t ids[WIDTH];
	unsigned type = HPROF_TYPE_OBJECT;
	size_t n;

	HP_TRY(hp_walk_elements(v->w, array, 0, WIDTH, ids, &n, &type));
	for (size_t k = 0; k < n && !v->w->stopped; k++)
		if (type == HPROF_TYPE_OBJECT && number + k >= v->from &&
		    number + k < v->to)
			HP_TRY(emit(v, array, ids[k]));
	return HPROF_OK;
}

/* Puts the array that PART is, or has, on the stack. */
static enum hprof_status push(struct vector *v, uint64_t part, uint64_t number)
{
	struct hprof_object at;

	if (part == HPROF_NO_OBJECT)
		return HPROF_OK;
	if (!v->w->nodes) {
		v->w->result.odd = true;
		return HPROF_OK;
	}
	v->w->nodes--;
	HP_TRY(hprof_cursor_seek(v->w->cursor, part, &at));
	if (at.kind == HPROF_OBJECT_INSTANCE)
		HP_TRY(hp_walk_reference(v->w, part, "array", &part));
	if (part == HPROF_NO_OBJECT)
		return HPROF_OK;
	v->levels[v->depth].array = part;
	v->levels[v->depth].at = 0;
	v->levels[v->depth].number = number;
	v->depth++;
	return HPROF_OK;
}

/* Whether number FOCUS is below element NUMBER of an array that has BELOW levels. */
static bool is_on_display(const struct vector *v, uint64_t number,
			  unsigned below)
{
	return v->display && number <= v->focus &&
	       v->focus - number < (uint64_t)1 << (BITS * below);
}

/* PART has LEVELS levels of arrays. */
static enum hprof_status walk_part(struct vector *v, uint64_t part,
				   unsigned levels)
{
	v->depth = 0;
	HP_TRY(push(v, part, 0));
	while (v->depth && !v->w->stopped) {
		unsigned top = v->depth - 1, below = levels - v->depth;
		uint64_t array = v->levels[top].array;
		uint64_t at = v->levels[top].at++;
		uint64_t number = v->levels[top].number, id = 0;
		size_t n = 0;

		if (!below) {
			v->depth--;
			HP_TRY(emit_leaf(v, array, number));
			continue;
		}
		number += at << (BITS * below);
		if (at < WIDTH && number < v->to)
			HP_TRY(hp_walk_elements(v->w, array, at, 1, &id, &n,
						NULL));
		if (!n)
			v->depth--;
		else if (number + ((uint64_t)1 << (BITS * below)) > v->from)
			HP_TRY(push(v,
				    is_on_display(v, number, below)
					    ? v->display[below - 1]
					    : hp_walk_follow(v->w, id),
				    number));
	}
	return HPROF_OK;
}

static enum hprof_status walk_field(struct vector *v, uint64_t object,
				    const char *name, unsigned levels)
{
	uint64_t part;

	HP_TRY(hp_walk_reference(v->w, object, name, &part));
	return part == HPROF_NO_OBJECT ? HPROF_OK : walk_part(v, part, levels);
}

enum hprof_status hp_walk_scala_vector(struct hp_walk_state *w, uint64_t object,
				       bool pairs)
{
	static const char *const fields[] = {
		"prefix1", "prefix2", "prefix3", "prefix4", "prefix5",
		"data2",   "data3",   "data4",	 "data5",   "data6",
		"suffix5", "suffix4", "suffix3", "suffix2", "suffix1",
	};
	struct vector v = { .w = w, .pairs = pairs, .to = UINT64_MAX };

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		const char *name = fields[i];
		unsigned levels = (unsigned)(name[strlen(name) - 1] - '0');

		HP_TRY(walk_field(&v, object, name, levels));
	}
	return HPROF_OK;
}

enum hprof_status hp_walk_old_scala_vector(struct hp_walk_state *w)
{
	static const char *const roots[] = {
		"display0", "display1", "display2",
		"display3", "display4", "display5"
	};
	uint64_t object = w->c->object, display[LEVELS_MOST];
	struct vector v = { .w = w };
	int64_t from, to, levels, dirty, focus;

	HP_TRY(number_in(w, object, "startIndex", &from));
	HP_TRY(number_in(w, object, "endIndex", &to));
	HP_TRY(number_in(w, object, "depth", &levels));
	HP_TRY(number_in(w, object, "dirty", &dirty));
	HP_TRY(number_in(w, object, "focus", &focus));
	if (from < 0 || to <= from || levels < 1 || levels > 6)
		return HPROF_OK;
	for (int64_t i = 0; i < levels; i++)
		HP_TRY(hp_walk_reference(w, object, roots[i], &display[i]));
	if (dirty && focus >= 0)
		v.display = display;
	v.focus = (uint64_t)focus;
	v.from = (uint64_t)from;
	v.to = (uint64_t)to;
	return walk_field(&v, object, roots[levels - 1], (unsigned)levels);
}

enum hprof_status hp_walk_clojure_vector(struct hp_walk_state *w)
{
	uint64_t object = w->c->object, tail;
	struct vector v = { .w = w };
	int64_t shift, count;

	HP_TRY(number_in(w, object, "shift|rootShift", &shift));
	HP_TRY(number_in(w, object, "cnt|size", &count));
	if (count <= 0)
		return HPROF_OK;
	/* The tail is never empty; in Kotlin its array may be longer. */
	v.to = ((uint64_t)count - 1) / WIDTH * WIDTH;
	if (v.to &&
	    (shift < 0 || shift % BITS || shift / BITS >= LEVELS_MOST)) {
		w->result.odd = true;
		return HPROF_OK;
	}
	if (v.to)
		HP_TRY(walk_field(&v, object, "root",
				  (unsigned)(shift / BITS) + 1));
	v.to = (uint64_t)count - v.to;
	HP_TRY(hp_walk_reference(w, object, "tail", &tail));
	return tail == HPROF_NO_OBJECT ? HPROF_OK : walk_part(&v, tail, 1);
}
