/* SPDX-License-Identifier: MIT */
/*
 * walk_state.c - see walk.h: what the files of the walk share: memory, the
 * first failure, notes and ids.
 */
#include "agent/dump/walk.h"

#include <string.h>
#include <time.h>

#include "base/mem.h"

/* The number of notes to allocate; pages are only committed when touched. */
static uint32_t notes_for(const struct ag_classes *classes)
{
	uint64_t count = (1u << 20) + (uint64_t)classes->count * 128;

	return count < (1u << 27) ? (uint32_t)count : 1u << 27;
}

bool ag_walk_init(struct ag_walk *w, struct hprof_writer *writer,
		  struct ag_classes *classes, struct ag_stacks *stacks)
{
	memset(w, 0, sizeof *w);
	w->writer = writer;
	w->classes = classes;
	w->stacks = stacks;
	w->id_size = classes->id_size;
	w->room = AG_WINDOW;
	for (uint32_t i = 1; i <= classes->count; i++)
		if (classes->all[i].body > w->room)
			w->room = classes->all[i].body;
	w->body = hp_alloc(w->room);
	w->note_room = notes_for(classes);
	do
		w->notes = hp_alloc((size_t)w->note_room * sizeof *w->notes);
	while (!w->notes && (w->note_room /= 4) > 1024);
	w->mirrors = hp_alloc(AG_MIRRORS * sizeof *w->mirrors);
	return w->body && w->notes && w->mirrors;
}

void ag_walk_done(struct ag_walk *w)
{
	hp_free(w->body);
	hp_free(w->notes);
	hp_free(w->mirrors);
}

uint64_t ag_walk_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void ag_walk_fail(struct ag_walk *w, enum hprof_status status, const char *why)
{
	if (w->status != HPROF_OK)
		return;
	w->status = status;
	w->why = why;
}

bool ag_walk_put(struct ag_walk *w, const struct hprof_record *r)
{
	enum hprof_status status = hprof_writer_put(w->writer, r);

	if (status != HPROF_OK)
		ag_walk_fail(w, status, NULL);
	return status == HPROF_OK;
}

bool ag_walk_note(struct ag_walk *w, struct ag_note note)
{
	if (w->note_count == w->note_room) {
		w->lost++;
		return false;
	}
	w->notes[w->note_count++] = note;
	return true;
}

uint64_t ag_walk_new_tag(struct ag_walk *w, uint64_t tag, jlong size,
			 jint length)
{
	uint32_t place = ag_ids_take(&w->classes->ids, size, tag);

	if (!place) {
		ag_walk_fail(w, HPROF_E_LIMIT,
			     "more objects than there are ids");
		return 0;
	}
	return ag_object_tag(place, length);
}
