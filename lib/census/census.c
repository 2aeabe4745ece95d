/* SPDX-License-Identifier: MIT */
/*
 * census.c - the counting pass: the calling thread reads top-level records and
 * collects names, while threads of a pool count the units, if the source
 * allows. If a unit is not proved (because of a damaged file or a wrong guess),
 * everything is counted again by one thread, so that the result never depends
 * on guesses.
 */
#include "census/census.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "census/census_cache.h"
#include "census/census_workers.h"
#include "base/error.h"
#include "base/mem.h"
#include "io/input.h"
#include "stream/reader.h"
#include "base/tempfile.h"

enum { WAIT_MS = 100 };

/* ---- one reader ---------------------------------------------------------- */

static size_t scan(void *state, uint64_t offset, const uint8_t *p, size_t size)
{
	struct hp_tally *t = ((struct hp_census_worker *)state)->tally;

	hp_tally_mark(t, offset, true);
	return hp_tally_scan(t, p, size);
}

static bool take_record(void *state, struct hprof_reader *reader,
			const struct hprof_record *record)
{
	struct hp_census_worker *counter = state;

	if (!hp_reader_pass_body(reader))
		return false;
	hp_tally_record(counter->tally, record);
	return true;
}

static void take_top(void *state, struct hprof_reader *reader,
		     const struct hprof_record *record)
{
	struct hp_census_worker *counter = state;
	struct hp_tally *t = counter->tally;

	if (record->tag == HPROF_HEAP_DUMP ||
	    record->tag == HPROF_HEAP_DUMP_SEGMENT) {
		t->segments[record->tag == HPROF_HEAP_DUMP_SEGMENT]++;
		hp_tally_mark(t, record->offset, false);
		return;
	}
	if (record->tag == HPROF_HEAP_DUMP_END)
		hp_tally_mark_end(t, record->offset);
	if (counter->symbols)
		hp_name_table_record(counter->symbols, reader, record);
}

static uint64_t objects(const void *state)
{
	const struct hp_census_worker *counter = state;
	const uint64_t *count = counter->tally->tag_count;

	return count[HPROF_INSTANCE_DUMP & 0xff] +
	       count[HPROF_OBJ_ARRAY_DUMP & 0xff] +
	       count[HPROF_PRIM_ARRAY_DUMP & 0xff] +
	       count[HPROF_PRIM_ARRAY_NODATA_DUMP & 0xff];
}

static bool failed(const void *state)
{
	const struct hp_census_worker *counter = state;

	return counter->tally->no_memory ||
	       (counter->symbols && counter->symbols->no_memory);
}

static const struct hp_object_scan_ops census_ops = {
	.scan = scan,
	.record = take_record,
	.top = take_top,
	.objects = objects,
	.failed = failed,
};

/* ---- the whole file ------------------------------------------------------ */

struct pass {
	struct hp_census *census;
	const struct hprof_input *input;
	const struct hprof_summary_options *options;
	unsigned threads;
	bool extents;			   /* whether to record them */
	const struct hp_cache_map *cached; /* NULL: count everything */
	struct hp_census_workers *pool;
	struct hp_run *own; /* the caller's runs between units */
	size_t own_count, own_room;
	bool in_own;
};

static int compare_ids(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Before the first object: collects the ids of class objects known so far. */
static enum hprof_status collect_before(struct hp_census *c)
{
	if (c->mirrors)
		return HPROF_OK;
	const struct hp_known_classes *classes = &c->symbols.classes;
	size_t count = 0;
	c->mirrors = hp_calloc(classes->count + 1, sizeof *c->mirrors);
	if (!c->mirrors)
		return HPROF_E_NOMEM;
	for (const struct hp_known_class *k = classes->first; k; k = k->next)
		c->mirrors[count++] = k->id;
	qsort(c->mirrors, count, sizeof *c->mirrors, compare_ids);
	c->before = (struct hp_before){
		.id_size = hprof_reader_header(c->reader)->id_size,
		.mirrors = c->mirrors,
		.mirror_count = count,
		.chunk_class_id = c->symbols.chunk_class_id,
		.known = c->symbols.known,
		.build = c->build,
	};
	hp_tally_know(&c->tally, &c->before);
	return HPROF_OK;
}

/* Ends the caller's run of objects, because a unit or the end follows. */
static enum hprof_status end_own_run(struct pass *pass)
{
	struct hp_census *c = pass->census;

	if (!pass->in_own)
		return HPROF_OK;
	if (hp_grow((void **)&pass->own, &pass->own_room, pass->own_count,
		    sizeof *pass->own) != HPROF_OK)
		return HPROF_E_NOMEM;
	struct hp_run *run = &pass->own[pass->own_count++];
	memset(run, 0, sizeof *run);
	run->edge = c->tally.cursor;
	run->unit.offset = c->tally.marks[c->tally.mark_count - 1].offset;
	pass->in_own = false;
	hp_tally_begin(&c->tally);
	return HPROF_OK;
}

static enum hprof_status give_unit(struct pass *pass)
{
	struct hp_census *c = pass->census;
	struct hprof_unit unit;

	if (end_own_run(pass) != HPROF_OK ||
	    hprof_reader_unit(c->reader, &unit) != HPROF_OK)
		return HPROF_E_NOMEM;
	hp_tally_mark_end(&c->tally, unit.offset);
	if (!pass->pool) {
		pass->pool = hp_census_workers_new(c->reader, pass->threads,
						   &c->before, &census_ops,
						   pass->extents);
		if (!pass->pool)
			return HPROF_E_NOMEM;
		c->reader->listener.progress =
			NULL; /* from now on the units are counted */
	}
	return hp_census_workers_add(pass->pool, &unit) == 0 ? HPROF_OK
							     : HPROF_E_NOMEM;
}

static enum hprof_status read_all(struct pass *pass)
{
	struct hp_census *c = pass->census;
	struct hp_census_worker counter = { &c->tally, &c->symbols };
	const struct hp_object_scan own = { &census_ops, &counter,
					    pass->extents ? &c->extents
							  : NULL };
	struct hprof_record record;
	enum hprof_status status;

	while ((status = hprof_reader_next(c->reader, &record)) == HPROF_OK) {
		bool heap = record.tag == HPROF_HEAP_DUMP ||
			    record.tag == HPROF_HEAP_DUMP_SEGMENT;
		if ((heap || record.tag == HPROF_UNIT) &&
		    collect_before(c) != HPROF_OK)
			return HPROF_E_NOMEM;
		if (record.tag == HPROF_UNIT) {
			if (!pass->cached)
				HP_TRY(give_unit(pass));
			continue;
		}
		pass->in_own = pass->in_own || heap;
		hp_object_scan_record(&own, c->reader, &record);
		hp_object_scan_bulk(&own, c->reader);
		if (failed(&counter) || c->extents.no_memory)
			return HPROF_E_NOMEM;
	}
	if (status == HPROF_END)
		hp_tally_mark_end(&c->tally, c->reader->window.offset);
	hp_tally_end_ids(&c->tally);
	return status;
}

/* Waits for the pool, whose work is reported as progress. */
static enum hprof_status wait_for_pool(struct pass *pass)
{
	struct hp_census *c = pass->census;
	struct hprof_reader_info info;
	bool idle = false;

	hprof_reader_get_info(c->reader, &info);
	while (!idle) {
		uint64_t done =
			hp_census_workers_wait(pass->pool, WAIT_MS, &idle);
		HP_TRY(hp_input_progress(pass->input, c->reader->listener.phase,
					 done, info.file_size,
					 &c->reader->error));
	}
	return HPROF_OK;
}

/* *RET_AGAIN: the workers' results cannot be used. */
static enum hprof_status finish_pool(struct pass *pass, bool *ret_again)
{
	struct hp_census *c = pass->census;

	*ret_again = false;
	if (!pass->pool)
		return HPROF_OK;
	HP_TRY(wait_for_pool(pass));
	*ret_again = end_own_run(pass) != HPROF_OK ||
		     !hp_census_workers_finish(pass->pool, c, pass->own,
					       pass->own_count);
	return HPROF_OK;
}

static enum hprof_status open_reader(struct pass *pass,
				     struct hprof_error *error)
{
	struct hp_census *c = pass->census;
	const struct hprof_summary_options *o = pass->options;
	struct hprof_input input = *pass->input;
	struct hprof_reader_options options = {
		.size = sizeof options,
		.strict = o->strict,
		.units = (pass->threads > 1 || pass->cached) && !o->strict,
		.diagnostic = hp_diag_list_add,
		.user = &c->diagnostics,
		.keep_copy = o->objects && !input.no_copy,
	};

	input.threads = pass->threads;
	HP_TRY(hprof_reader_open(&input, &options, &c->reader, error));
	c->reader->listener.phase = "summary";
	if (o->copying && hprof_reader_copy(c->reader) >= 0)
		o->copying(o->copying_user, hp_tempfile_folder());
	unsigned z = hprof_reader_header(c->reader)->id_size;

	if (hp_name_table_init(&c->symbols, sizeof(struct hp_known_class), 3) !=
		    0 ||
	    hp_tally_init(&c->tally, z) != HPROF_OK)
		return hp_no_memory(error);
	return HPROF_OK;
}

/* One attempt. *RET_AGAIN: it has to be repeated with one thread. */
static enum hprof_status attempt(struct pass *pass, bool *ret_again,
				 struct hprof_error *error)
{
	struct hp_census *c = pass->census;
	enum hprof_status status;

	HP_TRY(open_reader(pass, error));
	status = read_all(pass);
	if (status == HPROF_END)
		status = finish_pool(pass, ret_again);
	else if (status == HPROF_OK)
		status = HPROF_E_NOMEM;
	if (status >= 0)
		return status;
	if (status == HPROF_E_NOMEM && c->reader->status != status)
		return hp_fail(error, status, HP_NO_OFFSET, "out of memory");
	*error = *hprof_reader_error(c->reader);
	return status;
}

static void drop_build(struct hp_census *c)
{
	if (c->build)
		hp_id_index_build_done(c->build);
	hp_free(c->build);
	c->build = NULL;
}

static void reset(struct hp_census *c)
{
	hp_name_table_done(&c->symbols);
	hp_tally_done(&c->tally);
	hp_diag_list_done(&c->diagnostics);
	hprof_reader_close(c->reader);
	hp_extents_done(&c->extents);
	drop_build(c);
	hp_free(c->mirrors);
	memset(c, 0, sizeof *c);
}

/*
 * Replaces what little has been counted by what the cache has. False: it does
 * not have it.
 */
static bool restore(struct hp_census *c, const struct hp_cache_map *cached)
{
	unsigned id_size = c->tally.id_size;

	hp_tally_done(&c->tally);
	hp_diag_list_done(&c->diagnostics);
	hp_extents_done(&c->extents);
	if (hp_tally_init(&c->tally, id_size) != HPROF_OK)
		return false;
	if (c->mirrors)
		hp_tally_know(&c->tally, &c->before);
	c->restored = hp_census_restore(cached, &c->tally, &c->diagnostics,
					&c->extents);
	return c->restored;
}

/* *RET_AGAIN as above. */
static enum hprof_status run(struct pass *pass, bool *ret_again,
			     struct hprof_error *error)
{
	struct hp_census *c = pass->census;
	enum hprof_status status;

	if (pass->extents && !pass->cached) {
		c->build = hp_alloc(sizeof *c->build);
		if (!c->build)
			return hp_no_memory(error);
		if (hp_id_index_begin(c->build, HP_IDS_UNIT, 0,
				      pass->threads == 1) != 0)
			return hp_no_memory(error);
	}
	status = attempt(pass, ret_again, error);
	if (status >= 0 && pass->cached)
		*ret_again = !restore(c, pass->cached);
	if (status < 0 || !c->build)
		return status;
	if (c->build->no_memory)
		return hp_no_memory(error);
	if (c->tally.ids_odd)
		drop_build(c);
	return status;
}

/* One run over the whole file; what CENSUS had is gone. */
static enum hprof_status begin_and_run(struct pass *pass, bool *ret_again,
				       struct hprof_error *error)
{
	enum hprof_status status;

	reset(pass->census);
	*ret_again = false;
	status = run(pass, ret_again, error);
	hp_census_workers_free(pass->pool);
	hp_free(pass->own);
	pass->pool = NULL;
	pass->own = NULL;
	pass->own_count = pass->own_room = 0;
	pass->in_own = false;
	return status;
}

enum hprof_status hp_census_run(struct hp_census *c,
				const struct hprof_input *input,
				const struct hprof_summary_options *options,
				bool extents, const struct hp_cache_map *cached,
				struct hprof_error *error)
{
	struct pass pass = { .census = c,
			     .input = input,
			     .options = options,
			     .threads = input->threads,
			     .extents = extents,
			     .cached = cached };
	enum hprof_status status;
	bool again = false;

	memset(c, 0, sizeof *c);
	status = begin_and_run(&pass, &again, error);
	if (status == HPROF_OK && again && cached) {
		pass.cached = NULL;
		status = begin_and_run(&pass, &again, error);
	}
	if (status == HPROF_OK && again) {
		pass.threads = 1;
		status = begin_and_run(&pass, &again, error);
	}
	hp_extents_finalize(&c->extents);
	return status;
}

void hp_census_done(struct hp_census *c)
{
	reset(c);
}
