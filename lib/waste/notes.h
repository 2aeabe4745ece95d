/* SPDX-License-Identifier: MIT */
/*
 * notes.h - what is noted of objects while the references of the heap are read, and
 * then of the references themselves; what the files that do so share.
 */
#ifndef HP_WASTE_NOTES_H
#define HP_WASTE_NOTES_H

#include <assert.h>

#include "heap/heap.h"
#include "waste/waste.h"

enum { HP_NOTES_BUFFER = 512 };

/* What a thread notes for the lists, which all threads share. */
enum hp_notes_list {
	HP_NOTES_ROWS,
	HP_NOTES_SEEN,
	HP_NOTES_TAILS,
	HP_NOTES_THIN,
	HP_NOTES_HALVES,
	HP_NOTES_NARROW,
	HP_NOTES_OFFERS,
	HP_NOTES_WIDE,
	HP_NOTES_EMPTIES,
	HP_NOTES_CONTENTS,
	HP_NOTES_LISTS
};

/* A primitive array that is read, as a whole or in pieces. */
struct hp_noted_prims {
	uint32_t object;
	unsigned type, width;
	unsigned needed; /* width of the elements so far, if they are numbers */
	struct hp_content_hash hash;
	uint64_t used; /* up to the last byte that is not 0 */
};

/* One thread that takes notes. */
struct hp_waste_thread {
	struct hp_waste *w;
	struct hp_noted_prims prims;
	void *buffers[HP_NOTES_LISTS];
	size_t buffered[HP_NOTES_LISTS];
	bool busy; /* a part of the references is visited with it */
	enum hprof_status status;
	struct hprof_error error; /* if a list could not grow */
};

/* ---- note_lists.c -------------------------------------------------------- */

/* Why a thread has failed, if any has. */
enum hprof_status hp_notes_failure(struct hp_waste *w,
				   struct hprof_error *error);

enum hprof_status hp_notes_open(struct hp_waste_thread *t, struct hp_waste *w,
				struct hprof_error *error);
void hp_notes_close(struct hp_waste_thread *t);

/* Whether the next item for LIST is the first of those that are moved together. */
static inline bool hp_notes_moves(const struct hp_waste_thread *t,
				  enum hp_notes_list list)
{
	return t->buffered[list] % HP_NOTES_BUFFER == 0;
}

/* Moves what was noted for LIST to that of the search. */
void hp_notes_move_list(struct hp_waste_thread *t, enum hp_notes_list list);

/* How many bytes an item of each takes. */
extern const size_t hp_notes_widths[HP_NOTES_LISTS];

/* Room for the next item of LIST, of WIDTH bytes. */
static inline void *hp_notes_next(struct hp_waste_thread *t,
				  enum hp_notes_list list, size_t width)
{
	assert(width == hp_notes_widths[list]);
	if (t->buffered[list] == HP_NOTES_BUFFER)
		hp_notes_move_list(t, list);
	return (char *)t->buffers[list] + t->buffered[list]++ * width;
}

/*
 * The next item of LIST, which are of TYPE: to be written there, as a copy of what was
 * just written field by field would wait for that.
 */
#define HP_NOTES_NEXT(t, list, type)                                           \
	((type *)hp_notes_next((t), (list), sizeof(type)))

/* As hp_tables_trim_memory. Which tables there are changes where lists grow. */
void hp_notes_trim_memory(struct hp_waste *w);
/* The same as hp_notes_move_list, for all lists. */
void hp_notes_move(struct hp_waste_thread *t);

/* ---- note_objects.c, note_prims.c: see struct hp_note_ops ---------------- */

void hp_note_instance(void *thread, uint32_t object, size_t row,
		      const uint8_t *data, uint64_t size);
void hp_note_references(void *thread, uint32_t object, uint32_t length,
			uint64_t present);
void hp_note_prims(void *thread, uint32_t object, unsigned type,
		   const uint8_t *bytes, size_t size);
void hp_note_prims_begin(void *thread, uint32_t object, unsigned type);
void hp_note_prims_add(void *thread, const uint8_t *bytes, size_t size);
void hp_note_prims_end(void *thread);

#endif
