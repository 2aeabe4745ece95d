/* SPDX-License-Identifier: MIT */
/*
 * scan_lists.c - what the threads of the pass note for the lists. Each collects
 * items and moves many at once, so that threads seldom wait for each other.
 */
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "waste/scan.h"

static const size_t widths[HP_SCAN_LISTS] = {
	[HP_SCAN_ROWS] = sizeof(struct hp_row_array),
	[HP_SCAN_SEEN] = sizeof(struct hp_seen),
	[HP_SCAN_TAILS] = sizeof(struct hp_shrinkable),
	[HP_SCAN_THIN] = sizeof(struct hp_shrinkable),
	[HP_SCAN_HALVES] = sizeof(struct hp_shrinkable),
	[HP_SCAN_SHARERS] = sizeof(struct hp_sharer),
	[HP_SCAN_WIDE] = sizeof(uint32_t),
	[HP_SCAN_EMPTIES] = sizeof(uint32_t),
	[HP_SCAN_CONTENTS] = sizeof(struct hp_content),
};

enum hprof_status hp_scan_open(struct hp_waste_scan *s, struct hp_waste *w,
			       bool alone)
{
	*s = (struct hp_waste_scan){ .w = w,
				     .alone = alone,
				     .object_count = w->heap->count,
				     .reachable = w->graph->sizes.reachable };
	s->instances = hp_calloc(w->class_count + 1, sizeof *s->instances);
	if (!s->instances)
		return hp_no_memory(w->error);
	for (unsigned i = 0; i < HP_SCAN_LISTS; i++) {
		s->buffers[i] = hp_alloc(HP_SCAN_BUFFER * widths[i]);
		if (!s->buffers[i])
			return hp_no_memory(w->error);
	}
	return HPROF_OK;
}

void hp_scan_close(struct hp_waste_scan *s)
{
	for (unsigned i = 0; i < HP_SCAN_LISTS; i++)
		hp_free(s->buffers[i]);
	hp_free(s->instances);
}

static enum hprof_status move(struct hp_waste *w, enum hp_scan_list list,
			      const void *from, size_t count)
{
	switch (list) {
	case HP_SCAN_ROWS:
		return HP_WASTE_APPEND(w, &w->rows, from, count);
	case HP_SCAN_SEEN:
		return HP_WASTE_APPEND(w, &w->seen, from, count);
	case HP_SCAN_TAILS:
		return HP_WASTE_APPEND(w, &w->tails, from, count);
	case HP_SCAN_THIN:
		return HP_WASTE_APPEND(w, &w->thin, from, count);
	case HP_SCAN_HALVES:
		return HP_WASTE_APPEND(w, &w->halves, from, count);
	case HP_SCAN_SHARERS:
		return HP_WASTE_APPEND(w, &w->sharers, from, count);
	case HP_SCAN_WIDE:
		return HP_WASTE_APPEND(w, &w->wide, from, count);
	case HP_SCAN_EMPTIES:
		return HP_WASTE_APPEND(w, &w->empties, from, count);
	case HP_SCAN_CONTENTS:
	case HP_SCAN_LISTS:
		break;
	}
	return HPROF_OK;
}

/*
 * The list of contents does not grow, so that threads fill it at once: while its
 * memory is new, that takes long.
 */
static void move_contents(struct hp_waste_scan *s)
{
	struct hp_waste *w = s->w;
	size_t count = s->buffered[HP_SCAN_CONTENTS];
	struct hp_content *to;
	bool fits;

	pthread_mutex_lock(&w->lock);
	to = (struct hp_content *)w->contents.at + w->content_count;
	fits = count <= w->content_room - w->content_count;
	w->content_count += fits ? count : 0;
	pthread_mutex_unlock(&w->lock);
	if (!fits) /* the summary counted less */
		hp_scan_fail(s, HPROF_E_CORRUPT);
	else if (count)
		memcpy(to, s->buffers[HP_SCAN_CONTENTS], count * sizeof *to);
}

static void move_list(struct hp_waste_scan *s, enum hp_scan_list list)
{
	struct hp_waste *w = s->w;
	enum hprof_status status;

	pthread_mutex_lock(&w->lock);
	status = move(w, list, s->buffers[list], s->buffered[list]);
	if (status < 0 && s->status >= 0) {
		s->status = status;
		s->error = *w->error;
	}
	pthread_mutex_unlock(&w->lock);
}

static void move_one(struct hp_waste_scan *s, enum hp_scan_list list)
{
	if (list == HP_SCAN_CONTENTS)
		move_contents(s);
	else
		move_list(s, list);
	s->buffered[list] = 0;
}

void *hp_scan_note(struct hp_waste_scan *s, enum hp_scan_list list,
		   const void *item)
{
	char *at;

	if (s->buffered[list] == HP_SCAN_BUFFER)
		move_one(s, list);
	at = (char *)s->buffers[list] + s->buffered[list]++ * widths[list];
	return memcpy(at, item, widths[list]);
}

void hp_scan_move(struct hp_waste_scan *s)
{
	for (unsigned i = 0; i < HP_SCAN_LISTS; i++)
		move_one(s, (enum hp_scan_list)i);
}
