/* SPDX-License-Identifier: MIT */
/*
 * threads.c - hprof_summary_threads: the threads are the THREAD_OBJ roots or,
 * in a dump without a heap, the START_THREAD records. Names and states come
 * from the Thread objects, stacks from the TRACE records.
 *
 * In a dump that has roots, START_THREAD records only supply names: the old
 * agents write one for each thread that was ever started, but roots only for
 * the threads that are alive.
 */
#include "hprof/report.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "java/object_inspect.h"
#include "base/mem.h"
#include "java/stack_traces.h"
#include "java/virtual_thread.h"

/* At most this many threads are listed, so that no file exhausts memory. */
enum { THREADS_MAX = 1 << 20 };

/* A row of the table and what is needed to complete it. */
struct thread {
	struct hprof_thread_row row;
	uint64_t start_name;   /* string id, from START_THREAD */
	uint64_t name, holder; /* object ids */
	bool shares_trace;     /* other threads have the same trace serial */
};

struct threads {
	const struct hprof_summary_impl *impl;
	struct hp_arena *arena;
	struct thread *items;
	size_t count, room;
	struct hp_u64_map by_object, by_serial, by_trace; /* -> index + 1 */
	struct hp_object_inspect inspect;
	bool has_objects;
	struct hp_stack_traces stacks;
};

/* ---- the list of threads ------------------------------------------------- */

static struct thread *find_thread(struct threads *t,
				  const struct hp_u64_map *map, uint64_t key)
{
	size_t index = hp_u64_map_number(map, key);

	assert(index == HP_NO_NUMBER || index < t->count);
	return index == HP_NO_NUMBER ? NULL : &t->items[index];
}

static enum hprof_status add_thread(struct threads *t, uint64_t object_id,
				    uint32_t thread_serial,
				    uint32_t trace_serial)
{
	const size_t index = t->count;

	if (t->count >= THREADS_MAX)
		return HPROF_OK;
	HP_TRY(hp_grow((void **)&t->items, &t->room, t->count,
		       sizeof *t->items));
	t->items[t->count++] =
		(struct thread){ .row = { .object_id = object_id,
					  .thread_serial = thread_serial,
					  .trace_serial = trace_serial } };
	if (object_id)
		HP_TRY(hp_u64_map_put_number(&t->by_object, object_id, index));
	if (find_thread(t, &t->by_serial, thread_serial))
		return HPROF_OK;
	return hp_u64_map_put_number(&t->by_serial, thread_serial, index);
}

/*
 * The same root may occur several times. Object id 0 is a thread whose object
 * the agent did not know; such threads are told apart by their serials.
 */
static enum hprof_status add_roots(struct threads *t)
{
	const struct hp_tally *tally = &t->impl->census.tally;

	for (size_t i = 0; i < tally->thread_count; i++) {
		const struct hp_thread_root *root = &tally->threads[i];
		const struct thread *known =
			root->object_id
				? find_thread(t, &t->by_object, root->object_id)
				: find_thread(t, &t->by_serial,
					      root->thread_serial);
		if (!known)
			HP_TRY(add_thread(t, root->object_id,
					  root->thread_serial,
					  root->trace_serial));
	}
	return HPROF_OK;
}

static enum hprof_status add_started_threads(struct threads *t)
{
	const struct hp_name_table *symbols = &t->impl->census.symbols;
	bool alone = t->count == 0;

	for (size_t i = 0; i < symbols->thread_count; i++) {
		const struct hp_started_thread *start = &symbols->threads[i];
		struct thread *thread =
			find_thread(t, &t->by_serial, start->thread_serial);
		if (!thread && !alone)
			thread =
				find_thread(t, &t->by_object, start->thread_id);
		if (!thread && alone) {
			HP_TRY(add_thread(t, start->thread_id,
					  start->thread_serial,
					  start->trace_serial));
			thread = find_thread(t, &t->by_serial,
					     start->thread_serial);
		}
		if (thread)
			thread->start_name = start->name_id;
	}
	return HPROF_OK;
}

/*
 * The serviceability agent gives all threads trace serial 1. In newer versions
 * that is the stack of one of them, so the others must not get it (quirk Q18).
 */
static enum hprof_status note_shared_traces(struct threads *t)
{
	for (size_t i = 0; i < t->count; i++) {
		struct thread *thread = &t->items[i], *other;
		uint32_t serial = thread->row.trace_serial;
		other = find_thread(t, &t->by_trace, serial);
		if (other)
			other->shares_trace = thread->shares_trace = true;
		else
			HP_TRY(hp_u64_map_put_number(&t->by_trace, serial, i));
	}
	return HPROF_OK;
}

/* ---- Thread objects ------------------------------------------------------ */

static const struct hp_object *thread_object(const struct threads *t,
					     const struct thread *thread)
{
	return hp_object_fetch_get(&t->inspect.objects, thread->row.object_id);
}

/*
 * Fetches the Thread objects, then their names and holders, then the arrays
 * with the characters of the names.
 */
static enum hprof_status fetch_objects(struct threads *t,
				       struct hprof_error *error)
{
	struct hp_object_fetch *objects = &t->inspect.objects;
	struct hp_field_lookup *layouts = &t->inspect.layouts;

	for (size_t i = 0; i < t->count; i++)
		hp_object_fetch_want(objects, t->items[i].row.object_id);
	HP_TRY(hp_object_fetch_fetch(objects, error));
	for (size_t i = 0; i < t->count; i++) {
		struct thread *thread = &t->items[i];
		const struct hp_object *object = thread_object(t, thread);
		thread->name =
			hp_field_lookup_ref(layouts, object, HP_THREAD_NAME);
		thread->holder =
			hp_field_lookup_ref(layouts, object, HP_THREAD_HOLDER);
		hp_object_fetch_want(objects, thread->name);
		hp_object_fetch_want(objects, thread->holder);
	}
	HP_TRY(hp_object_fetch_fetch(objects, error));
	for (size_t i = 0; i < t->count; i++)
		hp_strings_want(&t->inspect.strings, t->items[i].name);
	return hp_object_fetch_fetch(objects, error);
}

/*
 * The JDK's old JVMTI agent writes unreachable objects with all fields 0 (quirk
 * Q25). Such a Thread has no name and no state to show.
 */
static bool is_blank(const struct hp_object *object)
{
	for (size_t i = 0; i < object->kept; i++)
		if (object->bytes[i])
			return false;
	return true;
}

/*
 * Reads daemon, priority and threadStatus, which moved from Thread to
 * Thread.holder in JDK 19. Android has no threadStatus or leaves it 0; then
 * the thread is reported as alive, since it is a root. False if OBJECT has no
 * such fields.
 */
static bool read_state(struct hp_field_lookup *l,
		       const struct hp_object *object, enum hp_field daemon,
		       enum hp_field priority, enum hp_field status,
		       struct hprof_thread_row *row)
{
	enum { JVMTI_ALIVE = 1 };
	uint64_t is_daemon, number, state = 0;

	if (!hp_field_lookup_get(l, object, daemon, &is_daemon) ||
	    !hp_field_lookup_get(l, object, priority, &number))
		return false;
	hp_field_lookup_get(l, object, status, &state);
	row->daemon = is_daemon != 0;
	row->priority = (int32_t)number;
	row->status = state ? (uint32_t)state : JVMTI_ALIVE;
	return true;
}

static void describe_thread(struct threads *t, struct thread *thread,
			    const struct hp_virtual_threads *virtual)
{
	struct hp_field_lookup *l = &t->inspect.layouts;
	const struct hp_object *object = thread_object(t, thread);
	struct hprof_thread_row *row = &thread->row;

	row->class_name = hp_object_inspect_class_name(&t->inspect, object);
	if (!object || is_blank(object))
		return;
	row->name = hp_strings_text(&t->inspect.strings, thread->name);
	if (!hp_field_lookup_get(l, object, HP_THREAD_TID, &row->tid))
		hp_field_lookup_get(l, object, HP_THREAD_ID, &row->tid);
	if (thread->holder)
		object = hp_object_fetch_get(&t->inspect.objects,
					     thread->holder);
	row->has_details =
		read_state(l, object, HP_THREAD_DAEMON, HP_THREAD_PRIORITY,
			   HP_THREAD_STATUS, row) ||
		read_state(l, object, HP_HOLDER_DAEMON, HP_HOLDER_PRIORITY,
			   HP_HOLDER_STATUS, row) ||
		hp_virtual_threads_state(virtual, l, object, row);
}

static enum hprof_status describe_threads(struct threads *t,
					  struct hprof_error *error)
{
	struct hp_virtual_threads virtual;

	HP_TRY(fetch_objects(t, error));
	hp_virtual_threads_init(&virtual, &t->inspect.layouts);
	for (size_t i = 0; i < t->count; i++)
		describe_thread(t, &t->items[i], &virtual);
	return hp_object_inspect_status(&t->inspect, error);
}

/* ---- the table ----------------------------------------------------------- */

static void add_names_and_stacks(struct threads *t)
{
	for (size_t i = 0; i < t->count; i++) {
		struct thread *thread = &t->items[i];
		struct hprof_thread_row *row = &thread->row;
		struct hp_stack stack = { 0, NULL };
		if (!row->name)
			row->name = hp_stack_traces_text(&t->stacks,
							 thread->start_name);
		if (!thread->shares_trace)
			stack = hp_stack_traces_find(&t->stacks,
						     row->trace_serial,
						     row->thread_serial);
		row->frame_count = stack.count;
		row->frames = stack.frames;
	}
}

static int compare_threads(const void *a, const void *b)
{
	const struct hprof_thread_row *x = &((const struct thread *)a)->row;
	const struct hprof_thread_row *y = &((const struct thread *)b)->row;

	if (x->thread_serial != y->thread_serial)
		return x->thread_serial < y->thread_serial ? -1 : 1;
	return x->object_id < y->object_id ? -1 : x->object_id > y->object_id;
}

static enum hprof_status fill_table(struct threads *t,
				    struct hprof_thread_table *table)
{
	table->rows = hp_calloc(t->count + 1, sizeof *table->rows);
	if (!table->rows)
		return HPROF_E_NOMEM;
	if (t->count)
		qsort(t->items, t->count, sizeof *t->items, compare_threads);
	for (size_t i = 0; i < t->count; i++)
		table->rows[i] = t->items[i].row;
	table->count = t->count;
	return HPROF_OK;
}

/*
 * Objects of a stream that was not copied cannot be read again. That is no
 * failure here: the table then has what the records outside the heap tell.
 */
static enum hprof_status open_objects(struct threads *t,
				      const struct hprof_summary *summary,
				      struct hprof_error *error)
{
	enum hprof_status status =
		hp_object_inspect_open(&t->inspect, summary, t->arena, error);

	t->has_objects = status == HPROF_OK;
	return status == HPROF_E_UNSUPPORTED ? HPROF_OK : status;
}

static enum hprof_status make_table(struct threads *t,
				    const struct hprof_summary *summary,
				    struct hprof_thread_table *table,
				    struct hprof_error *error)
{
	HP_TRY(open_objects(t, summary, error));
	if (hp_u64_map_init(&t->by_object, 3) != HPROF_OK ||
	    hp_u64_map_init(&t->by_serial, 3) != HPROF_OK ||
	    hp_u64_map_init(&t->by_trace, 3) != HPROF_OK ||
	    hp_stack_traces_init(&t->stacks, &t->impl->census.symbols,
				 t->arena) != HPROF_OK ||
	    add_roots(t) != HPROF_OK || add_started_threads(t) != HPROF_OK ||
	    note_shared_traces(t) != HPROF_OK)
		return hp_no_memory(error);
	if (t->has_objects)
		HP_TRY(describe_threads(t, error));
	add_names_and_stacks(t);
	if (t->stacks.no_memory || fill_table(t, table) != HPROF_OK)
		return hp_no_memory(error);
	return HPROF_OK;
}

static void threads_done(struct threads *t)
{
	hp_u64_map_done(&t->by_object);
	hp_u64_map_done(&t->by_serial);
	hp_u64_map_done(&t->by_trace);
	hp_stack_traces_done(&t->stacks);
	hp_object_inspect_done(&t->inspect);
	hp_free(t->items);
}

enum hprof_status hprof_summary_threads(const struct hprof_summary *summary,
					struct hprof_thread_table **ret_table,
					struct hprof_error *ret_error)
{
	struct hprof_error local, *error = ret_error ? ret_error : &local;
	struct hprof_thread_table *table;
	struct threads t = { 0 };
	enum hprof_status status;

	HP_NEED(error, summary);
	HP_NEED(error, ret_table);
	t.impl = summary->impl;
	table = hp_calloc(1, sizeof *table);
	if (table)
		table->impl = t.arena = hp_calloc(1, sizeof *t.arena);
	if (!t.arena) {
		hp_free(table);
		return hp_no_memory(error);
	}
	status = make_table(&t, summary, table, error);
	threads_done(&t);
	if (status < 0) {
		hprof_thread_table_free(table);
		return status;
	}
	*ret_table = table;
	return HPROF_OK;
}

void hprof_thread_table_free(struct hprof_thread_table *table)
{
	if (!table)
		return;
	if (table->impl)
		hp_arena_done(table->impl);
	hp_free(table->impl);
	hp_free(table->rows);
	hp_free(table);
}
