/* SPDX-License-Identifier: MIT */
/*
 * holder_sums.c - the sums by kind, class and holder. Classes of one name are one
 * row, as they are one holder.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "waste/waste.h"

enum { ROWS_LEAST = 1024, ROWS_MOST = 1 << 20 };

struct sum_row {
	struct hprof_waste_row row;
	uint32_t holder;
};

struct sums {
	struct hp_u64_map by_key; /* -> number of the row, plus 1 */
	struct sum_row *rows;
	size_t count, room;
	/* What came last often comes again. */
	uint64_t last_key;
	size_t last_row;
};

enum hprof_status hp_sums_open(struct hp_waste *w)
{
	w->sums = hp_calloc(1, sizeof *w->sums);
	if (!w->sums || hp_u64_map_init(&w->sums->by_key, 2) != HPROF_OK)
		return hp_no_memory(w->error);
	return HPROF_OK;
}

void hp_sums_done(struct hp_waste *w)
{
	if (!w->sums)
		return;
	hp_u64_map_done(&w->sums->by_key);
	hp_free(w->sums->rows);
	hp_free(w->sums);
	w->sums = NULL;
}

/*
 * Rows take an eighth of the memory that is allowed, or so. When there are so
 * many, holders that are new have no rows of their own.
 */
static size_t rows_most(const struct hp_waste *w)
{
	uint64_t most = w->tables.limit / 8 / (2 * sizeof(struct sum_row));

	if (!w->tables.limit || most > ROWS_MOST)
		return ROWS_MOST;
	return most > ROWS_LEAST ? (size_t)most : ROWS_LEAST;
}

/* NULL: there is no memory. */
static struct sum_row *find_row(struct hp_waste *w, enum hprof_waste_kind kind,
				uint32_t object, uint32_t holder)
{
	struct sums *s = w->sums;
	bool is_class;
	size_t row = hp_holders_namesake(w, hp_waste_row(w, object, &is_class));
	uint64_t key = (uint64_t)holder << 32 | (uint64_t)kind << 27 | row;
	size_t known;

	_Static_assert(HPROF_WASTE_KINDS < 32, "five bits have the kind");
	if (s->count && key == s->last_key)
		return &s->rows[s->last_row];
	known = hp_u64_map_number(&s->by_key, key);
	if (known != HP_NO_NUMBER) {
		s->last_key = key;
		s->last_row = known;
		return &s->rows[s->last_row];
	}
	if (holder && s->count >= rows_most(w))
		return find_row(w, kind, object, 0);
	if (hp_grow((void **)&s->rows, &s->room, s->count, sizeof *s->rows) !=
		    HPROF_OK ||
	    hp_u64_map_put_number(&s->by_key, key, s->count) != HPROF_OK)
		return NULL;
	s->rows[s->count] = (struct sum_row){
		.row = { .kind = kind,
			 .class_row = row < w->class_count ? row : SIZE_MAX,
			 .example = object },
		.holder = holder,
	};
	s->last_key = key;
	s->last_row = s->count;
	return &s->rows[s->count++];
}

static void add(struct hprof_waste_sum *sum, const struct hprof_waste_sum *more)
{
	sum->objects += more->objects;
	sum->bytes += more->bytes;
	sum->saved += more->saved;
}

static enum hprof_status add_to_row(struct hp_waste *w,
				    enum hprof_waste_kind kind, uint32_t object,
				    uint32_t holder,
				    const struct hprof_waste_sum *more)
{
	struct sum_row *row = find_row(w, kind, object, holder);

	if (!row)
		return hp_no_memory(w->error);
	add(&row->row.sum, more);
	if (object < row->row.example)
		row->row.example = object;
	add(&w->table.kinds[kind], more);
	w->table.saved += more->saved;
	return HPROF_OK;
}

enum hprof_status hp_waste_note(struct hp_waste *w, enum hprof_waste_kind kind,
				uint32_t object, uint64_t bytes, uint64_t saved)
{
	const struct hprof_waste_sum one = { 1, bytes, saved };
	uint32_t holder;

	HP_TRY(hp_holder_of(w, object, &holder));
	return add_to_row(w, kind, object, holder, &one);
}

enum hprof_status hp_waste_note_objects(struct hp_waste *w,
					enum hprof_waste_kind kind,
					uint32_t object, uint32_t holder,
					uint64_t objects, uint64_t bytes)
{
	const struct hprof_waste_sum all = { objects, objects * bytes,
					     objects * bytes };

	return add_to_row(w, kind, object, holder, &all);
}

enum hprof_status hp_waste_note_class(struct hp_waste *w,
				      enum hprof_waste_kind kind, size_t row,
				      uint64_t fields, uint64_t saved)
{
	const struct hp_waste_class *c = &w->classes[row];
	struct hprof_waste_sum sum = { .objects = c->instances,
				       .bytes = c->instances * c->of->shallow,
				       .saved = saved };
	struct sums *s = w->sums;

	if (hp_grow((void **)&s->rows, &s->room, s->count, sizeof *s->rows) !=
	    HPROF_OK)
		return hp_no_memory(w->error);
	s->rows[s->count++] = (struct sum_row){
		.row = { .kind = kind,
			 .class_row = row,
			 .sum = sum,
			 .example = HPROF_NO_OBJECT,
			 .fields = fields },
	};
	add(&w->table.kinds[kind], &sum);
	w->table.saved += saved;
	return HPROF_OK;
}

static int compare(const void *left, const void *right)
{
	const struct hprof_waste_row *a = left, *b = right;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->sum.saved != b->sum.saved)
		return a->sum.saved > b->sum.saved ? -1 : 1;
	if (a->sum.objects != b->sum.objects)
		return a->sum.objects > b->sum.objects ? -1 : 1;
	return a->example < b->example ? -1 : a->example > b->example;
}

enum hprof_status hp_sums_rows(struct hp_waste *w)
{
	struct sums *s = w->sums;
	struct hprof_waste_row *rows =
		hp_arena_take(&w->arena, (s->count + 1) * sizeof *rows);

	if (!rows)
		return hp_no_memory(w->error);
	for (size_t i = 0; i < s->count; i++) {
		rows[i] = s->rows[i].row;
		rows[i].holder = hp_holder_get(w, s->rows[i].holder);
	}
	if (s->count)
		qsort(rows, s->count, sizeof *rows, compare);
	w->table.rows = rows;
	w->table.row_count = s->count;
	return HPROF_OK;
}
