/* SPDX-License-Identifier: MIT */
/*
 * table_rows.h - shared by the files that make rows.
 */
#ifndef HP_TABLE_ROWS_H
#define HP_TABLE_ROWS_H

#include "hprof/tables.h"

/*
 * The place of a reference or value in its object. For an element it is the
 * index; for anything else it is the number of a row in the table of fields,
 * which is negative.
 */
enum {
	PLACE_SUPER = -1,
	PLACE_LOADER = -2,
	PLACE_SIGNERS = -3,
	PLACE_DOMAIN = -4,
	PLACE_FIRST = -5 /* fields that classes declare: from here down */
};

/*
 * The places of the first fields that a class declares. The next one is one
 * less.
 */
struct hp_class_places {
	int64_t own; /* instance fields, without those of superclasses */
	int64_t statics;
	int64_t constants;
};

struct hprof_places {
	size_t count;
	struct hp_class_places classes[]; /* by row of classes */
};

/* False: the walk was cancelled. */
static inline bool hp_tables_say(const struct hprof_tables_walk *walk,
				 const char *phase, uint64_t done,
				 uint64_t total)
{
	return !walk->progress ||
	       walk->progress(walk->progress_user, phase, done, total);
}

/* Each of these makes the rows of one table or several. */
enum hprof_status hp_table_objects(const struct hprof_tables_walk *walk,
				   struct hprof_cursor *cursor,
				   const struct hprof_places *places);
enum hprof_status hp_table_retained(const struct hprof_tables_walk *walk);
enum hprof_status hp_table_strength(const struct hprof_tables_walk *walk);
enum hprof_status hp_table_loaders(const struct hprof_tables_walk *walk);
enum hprof_status hp_table_waste(const struct hprof_tables_walk *walk);
enum hprof_status hp_table_suspects(const struct hprof_tables_walk *walk);
enum hprof_status hp_table_sites(const struct hprof_tables_walk *walk);
enum hprof_status hp_table_samples(const struct hprof_tables_walk *walk,
				   struct hprof_error *error);
enum hprof_status hp_table_traces(const struct hprof_tables_walk *walk,
				  struct hprof_error *error);

/*
 * The frames of the thread or trace NUMBER, in TABLE, which has the columns of
 * "frame". False: the walk shall end.
 */
bool hp_frame_rows(const struct hprof_tables_walk *walk, enum hprof_table table,
		   int64_t number, const struct hprof_stack_frame *frames,
		   size_t count);

#endif
