/* SPDX-License-Identifier: MIT */
/* held_references.c - see held_references.h. */
#include "report/held_references.h"

#include "base/bits.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/search.h"
#include "heap/cursor.h"

/* The place of OBJECT; COUNT if it is not there. */
static size_t place_in(const uint32_t *objects, size_t count, uint64_t object)
{
	size_t low;

	HP_LOWER_BOUND(&low, count, objects[hp_at] < object);
	return low < count && objects[low] == object ? low : count;
}

enum hprof_status hp_look_refers(const struct hp_look *look, uint64_t from,
				 uint64_t to, bool *ret,
				 struct hprof_error *error)
{
	struct hprof_object object;
	struct hprof_edge edge;
	enum hprof_status status =
		hprof_cursor_seek(look->cursor, from, &object);

	*ret = false;
	for (uint64_t i = 0; status == HPROF_OK && !*ret; i++) {
		status = hprof_cursor_edge(look->cursor, i, &edge);
		*ret = status == HPROF_OK && edge.to == to &&
		       hp_edge_holds(look, &edge);
	}
	return status < 0 ? hp_look_failure(look, error) : HPROF_OK;
}

enum hprof_status hp_look_count_held(const struct hp_look *look, uint64_t from,
				     const uint32_t *objects, size_t count,
				     size_t *ret, struct hprof_error *error)
{
	uint64_t *hit = hp_calloc(hp_bit_words(count), sizeof *hit);
	struct hprof_object object;
	struct hprof_edge edge;
	enum hprof_status status;

	if (!hit)
		return hp_no_memory(error);
	status = hprof_cursor_seek(look->cursor, from, &object);
	for (uint64_t i = 0; status == HPROF_OK; i++) {
		size_t at;

		status = hprof_cursor_edge(look->cursor, i, &edge);
		if (status != HPROF_OK || edge.to == HPROF_NO_OBJECT ||
		    !hp_edge_holds(look, &edge))
			continue;
		at = place_in(objects, count, edge.to);
		if (at < count)
			hp_bit_set(hit, at);
	}
	*ret = 0;
	for (size_t i = 0; i < hp_bit_words(count); i++)
		*ret += hp_bit_count(hit[i]);
	hp_free(hit);
	return status < 0 ? hp_look_failure(look, error) : HPROF_OK;
}
