/* SPDX-License-Identifier: MIT */
/*
 * note_lists.c - what the threads note for the lists. Each collects
 * items and moves many at once, so that threads seldom wait for each other.
 */
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "waste/notes.h"

const size_t hp_notes_widths[HP_NOTES_LISTS] = {
	[HP_NOTES_ROWS] = sizeof(struct hp_row_array),
	[HP_NOTES_SEEN] = sizeof(struct hp_seen),
	[HP_NOTES_TAILS] = sizeof(struct hp_shrinkable),
	[HP_NOTES_THIN] = sizeof(struct hp_shrinkable),
	[HP_NOTES_HALVES] = sizeof(struct hp_shrinkable),
	[HP_NOTES_NARROW] = sizeof(struct hp_shrinkable),
	[HP_NOTES_OFFERS] = sizeof(struct hp_offer),
	[HP_NOTES_WIDE] = sizeof(struct hp_characters),
	[HP_NOTES_EMPTIES] = sizeof(uint32_t),
	[HP_NOTES_CONTENTS] = sizeof(struct hp_content),
};

enum hprof_status hp_notes_open(struct hp_waste_thread *t, struct hp_waste *w,
				struct hprof_error *error)
{
	*t = (struct hp_waste_thread){ .w = w };
	for (unsigned i = 0; i < HP_NOTES_LISTS; i++) {
		t->buffers[i] = hp_alloc(HP_NOTES_BUFFER * hp_notes_widths[i]);
		if (!t->buffers[i]) {
			hp_notes_close(t);
			return hp_no_memory(error);
		}
	}
	return HPROF_OK;
}

void hp_notes_close(struct hp_waste_thread *t)
{
	for (unsigned i = 0; i < HP_NOTES_LISTS; i++)
		hp_free(t->buffers[i]);
}

enum hprof_status hp_notes_failure(struct hp_waste *w,
				   struct hprof_error *error)
{
	for (unsigned i = 0; i < w->thread_count; i++) {
		const struct hp_waste_thread *t = &w->threads[i];

		if (t->status >= 0)
			continue;
		if (t->error.status < 0)
			*error = t->error;
		else if (t->status == HPROF_E_CORRUPT)
			hp_file_changed(error);
		else
			hp_no_memory(error);
		return t->status;
	}
	return HPROF_OK;
}

static enum hprof_status move(struct hp_waste *w, enum hp_notes_list list,
			      const void *from, size_t count)
{
	switch (list) {
	case HP_NOTES_ROWS:
		return HP_WASTE_APPEND(w, &w->rows, from, count);
	case HP_NOTES_SEEN:
		return HP_WASTE_APPEND(w, &w->seen, from, count);
	case HP_NOTES_TAILS:
		return HP_WASTE_APPEND(w, &w->tails, from, count);
	case HP_NOTES_THIN:
		return HP_WASTE_APPEND(w, &w->thin, from, count);
	case HP_NOTES_HALVES:
		return HP_WASTE_APPEND(w, &w->halves, from, count);
	case HP_NOTES_NARROW:
		return HP_WASTE_APPEND(w, &w->narrow, from, count);
	case HP_NOTES_OFFERS:
		return HP_WASTE_APPEND(w, &w->offers, from, count);
	case HP_NOTES_WIDE:
		return HP_WASTE_APPEND(w, &w->wide, from, count);
	case HP_NOTES_EMPTIES:
		return HP_WASTE_APPEND(w, &w->empties, from, count);
	case HP_NOTES_CONTENTS:
	case HP_NOTES_LISTS:
		break;
	}
	return HPROF_OK;
}

/*
 * The list of contents does not grow, so that threads fill it at once: while its
 * memory is new, that takes long.
 */
static void move_contents(struct hp_waste_thread *t)
{
	struct hp_waste *w = t->w;
	size_t count = t->buffered[HP_NOTES_CONTENTS];
	struct hp_content *to;
	bool fits;

	pthread_mutex_lock(&w->lock);
	to = (struct hp_content *)w->contents.at + w->content_count;
	fits = count <= w->content_room - w->content_count;
	w->content_count += fits ? count : 0;
	pthread_mutex_unlock(&w->lock);
	if (!fits) /* the summary counted less */
		t->status = HPROF_E_CORRUPT;
	else if (count)
		memcpy(to, t->buffers[HP_NOTES_CONTENTS], count * sizeof *to);
	if (fits)
		hp_content_bits_mark(&w->content_bits,
				     t->buffers[HP_NOTES_CONTENTS], count);
}

static void move_list(struct hp_waste_thread *t, enum hp_notes_list list)
{
	struct hp_waste *w = t->w;
	enum hprof_status status;

	pthread_mutex_lock(&w->lock);
	status = move(w, list, t->buffers[list], t->buffered[list]);
	if (status < 0 && t->status >= 0) {
		t->status = status;
		t->error = *w->error;
	}
	pthread_mutex_unlock(&w->lock);
}

void hp_notes_trim_memory(struct hp_waste *w)
{
	if (!w->tables.limit)
		return;
	pthread_mutex_lock(&w->lock);
	hp_tables_trim_memory(&w->tables);
	pthread_mutex_unlock(&w->lock);
}

void hp_notes_move_list(struct hp_waste_thread *t, enum hp_notes_list list)
{
	if (list == HP_NOTES_CONTENTS)
		move_contents(t);
	else
		move_list(t, list);
	t->buffered[list] = 0;
	hp_notes_trim_memory(t->w);
}

void hp_notes_move(struct hp_waste_thread *t)
{
	for (unsigned i = 0; i < HP_NOTES_LISTS; i++)
		hp_notes_move_list(t, (enum hp_notes_list)i);
}
