/* SPDX-License-Identifier: MIT */
/*
 * class_kin.c - see class_kin.h.
 */
#include "tools/query/class_kin.h"

#include <stdlib.h>
#include <string.h>

enum known { UNKNOWN, ASKED, OTHER, KIN };

struct class_kin {
	const struct hprof_heap *heap;
	const struct hprof_summary *summary;
	char *name;
	unsigned char known[]; /* enum known, by row */
};

struct class_kin *class_kin_new(const struct hprof_heap *heap, const char *name)
{
	const struct hprof_summary *s = hprof_heap_summary(heap);
	struct class_kin *k = calloc(1, sizeof(*k) + s->class_count);
	size_t size = strlen(name) + 1;

	if (!k)
		return NULL;
	k->heap = heap;
	k->summary = s;
	k->name = malloc(size);
	if (!k->name) {
		free(k);
		return NULL;
	}
	memcpy(k->name, name, size);
	return k;
}

void class_kin_free(void *kin)
{
	struct class_kin *k = kin;

	if (k)
		free(k->name);
	free(k);
}

/* The row of the class above; SIZE_MAX if it is not there. */
static size_t row_above(const struct class_kin *k, size_t row)
{
	uint64_t above = k->summary->class_rows[row].super_id;

	return above ? hprof_heap_class(k->heap, above) : SIZE_MAX;
}

/* Classes that are above each other in a circle are asked about once. */
bool class_kin_has(struct class_kin *k, size_t row)
{
	const size_t count = k->summary->class_count;
	enum known found = OTHER;
	size_t at = row;

	for (; at < count && k->known[at] == UNKNOWN; at = row_above(k, at)) {
		k->known[at] = ASKED;
		if (strcmp(k->summary->class_rows[at].name, k->name) == 0)
			found = KIN;
		if (found == KIN)
			break;
	}
	if (at < count && k->known[at] == KIN)
		found = KIN;
	for (at = row; at < count && k->known[at] == ASKED;
	     at = row_above(k, at))
		k->known[at] = (unsigned char)found;
	return row < count && k->known[row] == KIN;
}
