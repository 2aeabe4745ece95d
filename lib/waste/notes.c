/* SPDX-License-Identifier: MIT */
/*
 * notes.c - the notes of the search for waste, see object_notes.h: their beginning
 * and end, and how they are taken when the graph has not done so.
 */
#include "waste/notes.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/parallel_for.h"
#include "graph/edge_build.h"

static struct hp_waste *waste_of(struct hprof_notes *notes)
{
	return (struct hp_waste *)notes;
}

/*
 * Each of two sets of tables may have this share of limited memory, less what there
 * is already; the rest is for the resident pages of files.
 */
static void share_limit(struct hp_mapped_tables *tables)
{
	tables->base += tables->limit / 8 * 3;
}

/* ---- while references are read ------------------------------------------- */

static enum hprof_status begin(struct hprof_notes *notes,
			       const struct hp_notes_plan *plan,
			       struct hprof_error *error)
{
	struct hp_waste *w = waste_of(notes);
	const unsigned threads = plan->threads;

	w->error = error;
	hp_mapped_tables_begin(&w->tables, w->limit, plan->lender);
	share_limit(&w->tables);
	w->content_room = hprof_heap_summary(w->heap)->prim_arrays;
	HP_TRY(hp_mapped_table_make_parts(&w->tables, &notes->field, plan->rows,
					  1, HP_MAPPED_TABLE_FRONT,
					  plan->expected, error));
	HP_TRY(hp_waste_make_room(w));
	HP_TRY(hp_mapped_table_make(
		&w->tables, &w->contents, w->content_room + 1,
		sizeof(struct hp_content), HP_MAPPED_TABLE_RAW, error));
	HP_TRY(hp_content_bits_make(&w->tables, w->content_room,
				    &w->content_bits, error));
	w->threads = hp_calloc(threads, sizeof *w->threads);
	if (!w->threads)
		return hp_no_memory(error);
	for (; w->thread_count < threads; w->thread_count++)
		HP_TRY(hp_notes_open(&w->threads[w->thread_count], w, error));
	return HPROF_OK;
}

static void *thread(struct hprof_notes *notes, unsigned number)
{
	return &waste_of(notes)->threads[number];
}

/* Of strings, of which there may be more than of all others, only wide ones. */
static bool wants(const struct hprof_notes *notes, size_t row,
		  uint32_t *ret_byte)
{
	const struct hp_waste_class *c =
		&((const struct hp_waste *)notes)->classes[row];
	const bool string =
		c->role == HP_ROLE_STRING && c->coder.at != HP_NO_FIELD;

	if (string && c->coder.type == HPROF_TYPE_BYTE)
		*ret_byte = (uint32_t)c->coder.at;
	return c->number_count || c->role == HP_ROLE_COLLECTION || string;
}

/* So that what is between two moves is a run of a list: see list_order.c. */
static void jump(void *state)
{
	struct hp_waste_thread *t = state;

	if (t->w->thread_count > 1)
		hp_notes_move(t);
}

/*
 * Contents are looked at in pieces, and these in spans (parallel_for.h), which begin at
 * multiples of 64 of them.
 */
enum { PIECE = 1 << 10, SPAN_PIECES = 64 };

struct leaving {
	struct hp_waste *w;
	size_t *kept; /* how many are left of each span */
};

/* Leaves those that may be there more than once, in front. */
static void leave_span(void *state, uint32_t begin, uint32_t end)
{
	const struct leaving *l = state;
	struct hp_content *span = (struct hp_content *)l->w->contents.at +
				  (uint64_t)begin * PIECE;
	size_t kept = 0;

	for (uint64_t i = begin; i < end; i++) {
		uint64_t n = l->w->content_count - i * PIECE;

		kept += hp_content_bits_leave(
			&l->w->content_bits, span + (i - begin) * PIECE,
			n < PIECE ? (size_t)n : PIECE, span + kept);
		if (i % SPAN_PIECES == 0)
			hp_notes_trim_memory(l->w);
	}
	l->kept[begin / SPAN_PIECES] = kept;
}

/* Moves what spans have left together. */
static size_t join_spans(struct hp_content *all, const size_t *kept,
			 size_t spans)
{
	size_t sum = 0;

	for (size_t i = 0; i < spans; i++) {
		const struct hp_content *from = all + i * SPAN_PIECES * PIECE;

		if (from != all + sum)
			memmove(all + sum, from, kept[i] * sizeof *all);
		sum += kept[i];
	}
	return sum;
}

/* Most contents are there once. The graph uses their memory again. */
static enum hprof_status drop_single_contents(struct hp_waste *w)
{
	const uint64_t pieces = (w->content_count + PIECE - 1) / PIECE;
	const size_t spans = (size_t)(pieces / SPAN_PIECES) + 1;
	struct leaving leaving = { w, hp_calloc(spans, sizeof(size_t)) };
	const struct hp_parallel_pass pass = { .count = (uint32_t)pieces,
					       .fn = leave_span,
					       .state = &leaving };

	if (!leaving.kept)
		return hp_no_memory(w->error);
	hp_parallel_passes(&pass, 1, w->thread_count, NULL);
	w->content_count = join_spans(w->contents.at, leaving.kept, spans);
	hp_free(leaving.kept);
	hp_mapped_table_cut(&w->tables, &w->contents,
			    w->content_count * sizeof(struct hp_content));
	hp_mapped_table_free(&w->tables, &w->content_bits.table);
	return HPROF_OK;
}

static enum hprof_status end(struct hprof_notes *notes, uint64_t used,
			     struct hprof_error *error)
{
	struct hp_waste *w = waste_of(notes);

	hp_mapped_table_used(&w->tables, &notes->field, used);
	for (unsigned i = 0; i < w->thread_count; i++)
		hp_notes_move(&w->threads[i]);
	HP_TRY(drop_single_contents(w));
	hp_waste_plan_beside(w);
	return hp_notes_failure(w, error);
}

static enum hprof_status follow(struct hprof_notes *notes,
				const struct hp_build *build,
				const struct hp_edges *edges, unsigned hold)
{
	struct hp_waste *w = waste_of(notes);

	HP_TRY(hp_waste_sort_notes(w));
	HP_TRY(hp_waste_find_referrers(w, build, edges, hold));
	HP_WASTE_FIT(w, &w->offers);
	hp_mapped_table_free(&w->tables, &notes->field);
	w->noted = true;
	return HPROF_OK;
}

static void beside(struct hprof_notes *notes)
{
	hp_waste_beside(waste_of(notes));
}

static void reached(struct hprof_notes *notes, const struct hprof_graph *graph)
{
	hp_waste_reached(waste_of(notes), graph);
}

static void free_notes(struct hprof_notes *notes)
{
	hp_waste_free(waste_of(notes));
}

static enum hprof_status make_notes(const struct hprof_heap *heap,
				    struct hprof_notes **ret_notes,
				    struct hprof_error *error)
{
	static const struct hp_note_ops ops = {
		.begin = begin,
		.thread = thread,
		.wants = wants,
		.jump = jump,
		.instance = hp_note_instance,
		.references = hp_note_references,
		.prims = hp_note_prims,
		.prims_begin = hp_note_prims_begin,
		.prims_add = hp_note_prims_add,
		.prims_end = hp_note_prims_end,
		.end = end,
		.follow = follow,
		.beside = beside,
		.reached = reached,
		.free = free_notes,
	};
	struct hp_waste *w = hp_calloc(1, sizeof *w);
	enum hprof_status status;

	if (!w)
		return hp_no_memory(error);
	pthread_mutex_init(&w->lock, NULL);
	w->notes.ops = &ops;
	w->notes.heap = heap;
	w->table.impl = w;
	w->heap = heap;
	w->error = error;
	hp_content_key_init(&w->key);
	status = hp_waste_classes(w);
	if (status < 0) {
		hp_waste_free(w);
		return status;
	}
	*ret_notes = &w->notes;
	return HPROF_OK;
}

enum hprof_status hprof_waste_notes_new(const struct hprof_heap *heap,
					struct hprof_notes **ret_notes,
					struct hprof_error *ret_error)
{
	struct hprof_error ignored, *error = ret_error ? ret_error : &ignored;

	HP_NEED(error, heap);
	HP_NEED(error, ret_notes);
	return make_notes(heap, ret_notes, error);
}

void hprof_waste_notes_free(struct hprof_notes *notes)
{
	if (notes)
		notes->ops->free(notes);
}

/* ---- without those of the graph ------------------------------------------ */

static enum hprof_status read_again(struct hp_waste *w,
				    const struct hprof_graph *graph,
				    const struct hp_say *say)
{
	struct hp_build *build = &w->again;
	enum hprof_status status;

	hp_graph_begin_tables(graph, &build->tables, w->limit);
	share_limit(&build->tables);
	build->threads = graph->build.threads;
	build->progress = say->progress;
	build->progress_user = say->user;
	build->error = w->error;
	HP_TRY(hp_build_phase(build, say->phase));
	status = hp_edges_read(build, w->heap, graph->options.hold, false,
			       &w->notes, &w->own_edges);
	/* All but who refers to objects with a single referrer. */
	hp_build_free(build, &w->own_edges.target);
	hp_build_free(build, &w->own_edges.degree);
	hp_build_free(build, &w->own_edges.kinds);
	hp_build_free(build, &w->own_edges.shallow);
	return status;
}

/* Those of GRAPH, which may not have been taken; NULL: there are none. */
static struct hp_waste *take_from(const struct hprof_graph *graph)
{
	struct hprof_notes *notes;

	pthread_mutex_lock(&graph->memo->lock);
	notes = graph->memo->notes;
	graph->memo->notes = NULL;
	pthread_mutex_unlock(&graph->memo->lock);
	return notes ? waste_of(notes) : NULL;
}

enum hprof_status hp_waste_take_notes(const struct hprof_graph *graph,
				      uint64_t limit, const struct hp_say *say,
				      struct hp_waste **ret_waste,
				      struct hprof_error *error)
{
	struct hp_waste *w = take_from(graph);
	struct hprof_notes *notes;
	enum hprof_status status = HPROF_OK;

	if (w)
		hp_waste_beside_end(w);
	/* What has been taken did not obey the limit. */
	if (w && w->noted && limit) {
		hp_waste_free(w);
		w = NULL;
	}
	if (!w) {
		HP_TRY(make_notes(graph->heap, &notes, error));
		w = waste_of(notes);
	}
	w->error = error;
	w->limit = limit;
	if (!w->noted)
		status = read_again(w, graph, say);
	if (status < 0)
		hp_waste_free(w);
	else
		*ret_waste = w;
	return status;
}
