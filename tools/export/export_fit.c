/* SPDX-License-Identifier: MIT */
/*
 * export_fit.c - fits a line through the addresses of a dump.
 *
 * Objects are numbered in the order of the file, and most collectors write them
 * in the order of their addresses. So the address of an object is close to its
 * number times a mean distance, and the difference needs three bytes instead of
 * six. Gaps between regions of the heap do not count for the mean.
 */
#include "tools/export/export_sqlite.h"

enum { LOOK = 65536, NEAR = 4096 /* bytes between neighbours */ };

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* A fit that is correct for any address. */
static const struct address_fit no_fit = { 0, 0, 1 };

enum hprof_status address_fit_find(const struct hprof_heap *heap,
				   struct progress *progress,
				   struct address_fit *ret_fit,
				   struct hprof_error *error)
{
	uint64_t count = hprof_heap_count(heap);
	uint64_t first = 0, last = 0, most = 0, unit = 0;
	uint64_t near = 0, near_count = 0;
	struct hprof_object object;
	struct hprof_cursor *cursor;
	enum hprof_status status = hprof_cursor_new(heap, &cursor, error);

	if (status < 0)
		return status;
	for (uint64_t i = 0; i < count && status == HPROF_OK; i++) {
		if (i % LOOK == 0)
			progress_phase(progress, "addresses", i, count);
		status = hprof_cursor_seek(cursor, i, &object);
		if (status != HPROF_OK)
			break;
		first = i ? first : object.id;
		if (object.id > last && object.id - last < NEAR) {
			near += object.id - last;
			near_count++;
		}
		last = object.id;
		most = object.id > most ? object.id : most;
		if (unit != 1)
			unit = common_divisor(
				unit, object.id > first ? object.id - first
							: first - object.id);
	}
	if (status < 0)
		*error = *hprof_cursor_error(cursor);
	hprof_cursor_free(cursor);
	*ret_fit = no_fit;
	/* Nothing that follows may overflow 63 bits. */
	if (status < 0 || !count || most > INT64_MAX / 4 || !unit)
		return status < 0 ? status : HPROF_OK;
	ret_fit->base = (int64_t)first;
	ret_fit->unit = (int64_t)unit;
	if (near_count)
		ret_fit->step =
			(int64_t)(near / unit * ADDRESS_FIT_PARTS / near_count);
	return HPROF_OK;
}

int64_t address_fit_rest(const struct address_fit *fit, int64_t number,
			 int64_t address)
{
	if (!fit->step)
		return (address - fit->base) / fit->unit;
	return (address - fit->base) / fit->unit -
	       number * fit->step / ADDRESS_FIT_PARTS;
}
