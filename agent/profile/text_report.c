/* SPDX-License-Identifier: MIT */
/*
 * text_report.c - see text_report.h. Names are decoded into an arena, which
 * lives as long as the report is being made.
 */
#include "agent/profile/text_report.h"

#include <string.h>
#include <time.h>

#include "agent/profile/life_report.h"
#include "base/arena.h"
#include "base/mem.h"
#include "text/text_monitors.h"
#include "text/text_profile.h"

struct report {
	struct text_writer text;
	hprof_write_fn *write;
	void *user;
	struct ag_session *session;
	const struct ag_profile *profile;
	uint64_t time_ms;
	struct ag_trace_list traces;
	uint8_t *used; /* by place in the list */
	struct hp_arena arena;
	bool no_memory;
};

static enum hprof_status write_out(void *report, const void *bytes, size_t size)
{
	struct report *r = report;

	return r->write(r->user, bytes, size) == 0 ? HPROF_OK : HPROF_E_SYS;
}

static uint64_t now_ms(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void *take(struct report *r, size_t count, size_t size)
{
	void *memory = count < SIZE_MAX / size - 1
			       ? hp_arena_take(&r->arena, (count + 1) * size)
			       : NULL;

	if (!memory)
		r->no_memory = true;
	return memory;
}

/* ---- names --------------------------------------------------------------- */

/* As Java writes it; NULL if it is not known. */
static const char *class_name(struct report *r, uint32_t number)
{
	const char *s = ag_class_list_signature(r->session->classes, number);
	size_t size = strlen(s);
	size_t room;
	char *name;

	if (size > 2 && s[0] == 'L' && s[size - 1] == ';') {
		s++;
		size -= 2;
	}
	if (size == 0)
		return NULL;
	room = hprof_class_name_decode(s, size, NULL, 0) + 1;
	name = take(r, room, 1);
	if (name)
		name[hprof_class_name_decode(s, size, name, room - 1)] = '\0';
	return name;
}

static struct hprof_stack_frame describe(struct report *r,
					 const jvmtiFrameInfo *frame)
{
	const struct ag_method *m =
		ag_traces_method(r->session->traces, frame->method);

	return (struct hprof_stack_frame){
		.class_name = class_name(r, m->class_serial),
		.method = m->name,
		.signature = m->signature,
		.source = m->source,
		.line = ag_method_line(m, frame->location)
	};
}

/* Of the trace's frames, the one at that depth; all NULL if it has none. */
static struct hprof_stack_frame frame_of(struct report *r, uint32_t serial,
					 uint32_t depth)
{
	const struct ag_trace *t = ag_trace_find(&r->traces, serial);

	if (!t || depth >= t->count)
		return (struct hprof_stack_frame){ .line = -1 };
	return describe(r, &t->frames[depth]);
}

/* ---- threads and traces -------------------------------------------------- */

static bool put_thread(void *report, const struct ag_thread *thread)
{
	struct report *r = report;
	const struct text_thread start = { .serial = thread->serial,
					   .name = thread->name,
					   .group = thread->group };

	text_put_thread_start(&r->text, &start);
	if (thread->ended)
		text_put_thread_end(&r->text, thread->serial);
	return r->text.status == HPROF_OK;
}

static void use(struct report *r, uint32_t serial)
{
	for (size_t low = 0, high = r->traces.count, at; low < high;) {
		at = low + (high - low) / 2;
		if (r->traces.all[at]->serial == serial) {
			r->used[at] = 1;
			return;
		}
		if (r->traces.all[at]->serial < serial)
			low = at + 1;
		else
			high = at;
	}
}

static void use_costs(struct report *r, const struct ag_cost_table *t)
{
	for (size_t i = 0; i < t->count; i++)
		use(r, t->rows[i].trace);
}

static void put_trace(struct report *r, const struct ag_trace *t)
{
	const struct text_trace head = { .serial = t->serial,
					 .thread_serial = t->thread };

	text_put_trace_head(&r->text, &head);
	if (t->count == 0)
		text_put_no_frames(&r->text);
	for (uint32_t i = 0; i < t->count; i++) {
		struct hprof_stack_frame frame = describe(r, &t->frames[i]);

		text_put_frame(&r->text, &frame);
	}
}

/* The two that are no stacks: rows may name them. */
static void put_special_traces(struct report *r)
{
	const struct text_trace empty = { .serial = AG_TRACE_EMPTY };
	const struct text_trace early = { .serial = AG_TRACE_EARLY,
					  .phase = "start" };

	text_put_trace(&r->text, &empty);
	if (r->profile->has_sites)
		text_put_trace(&r->text, &early);
}

static void put_traces(struct report *r)
{
	const struct ag_profile *p = r->profile;

	for (size_t i = 0; i < p->sites.count; i++)
		use(r, p->sites.rows[i].trace);
	for (size_t i = 0; i < p->life.count; i++)
		use(r, p->life.rows[i].trace);
	use_costs(r, &p->samples);
	use_costs(r, &p->times);
	use_costs(r, &p->monitors.times);
	for (size_t i = 0; i < p->monitors.thread_count; i++)
		use(r, p->monitors.threads[i].trace);
	put_special_traces(r);
	for (size_t i = 0; i < r->traces.count; i++)
		if (r->used[i])
			put_trace(r, r->traces.all[i]);
}

/* ---- sections ------------------------------------------------------------ */

static void put_sites(struct report *r)
{
	const struct ag_site_table *t = &r->profile->sites;
	struct text_site *rows = take(r, t->count, sizeof *rows);
	struct text_sites sites = { .time_ms = r->time_ms,
				    .by_allocation = t->by_allocation,
				    .cutoff = t->cutoff,
				    .live_bytes = t->live_bytes,
				    .allocated_bytes = t->bytes,
				    .count = t->count,
				    .rows = rows };

	if (!rows)
		return;
	for (size_t i = 0; i < t->count; i++)
		rows[i] = (struct text_site){
			.class_name = class_name(r, t->rows[i].class_number),
			.trace_serial = t->rows[i].trace,
			.live_bytes = t->rows[i].live_bytes,
			.live_objects = t->rows[i].live_objects,
			.allocated_bytes = t->rows[i].bytes,
			.allocated_objects = t->rows[i].objects
		};
	text_put_sites(&r->text, &sites);
}

static const char *life_class(void *report, uint32_t number)
{
	return class_name(report, number);
}

static struct hprof_stack_frame life_frame(void *report, uint32_t serial,
					   uint32_t depth)
{
	return frame_of(report, serial, depth);
}

static void put_life(struct report *r, bool as_json)
{
	const struct ag_life_names names = { .class_name = life_class,
					     .frame = life_frame,
					     .user = r };

	if (as_json)
		ag_life_put_json(&r->text, &r->profile->life, &names);
	else
		ag_life_put_text(&r->text, &r->profile->life, &names,
				 r->time_ms);
}

/* How a row of costs is printed. */
typedef struct text_cost cost_fn(struct report *r,
				 const struct ag_cost_row *row);

static struct text_cost time_cost(struct report *r,
				  const struct ag_cost_row *row)
{
	struct hprof_stack_frame top = frame_of(r, row->trace, 0);

	return (struct text_cost){ .cost = row->cost,
				   .count = row->count,
				   .trace_serial = row->trace,
				   .class_name = top.class_name,
				   .method = top.method };
}

/* Samples cost as many as they are. */
static struct text_cost sample_cost(struct report *r,
				    const struct ag_cost_row *row)
{
	struct text_cost cost = time_cost(r, row);

	cost.cost = row->count;
	return cost;
}

static struct text_cost monitor_cost(struct report *r,
				     const struct ag_cost_row *row)
{
	return (struct text_cost){ .cost = row->cost,
				   .count = row->count,
				   .trace_serial = row->trace,
				   .class_name =
					   class_name(r, row->class_number) };
}

static void
put_costs(struct report *r, const struct ag_cost_table *t, cost_fn *cost,
	  void (*put)(struct text_writer *w, const struct text_costs *costs))
{
	struct text_cost *rows = take(r, t->count, sizeof *rows);
	struct text_costs costs = { .time_ms = r->time_ms,
				    .total = t->total,
				    .cutoff = t->cutoff,
				    .count = t->count,
				    .rows = rows };

	if (!rows)
		return;
	for (size_t i = 0; i < t->count; i++)
		rows[i] = cost(r, &t->rows[i]);
	put(&r->text, &costs);
}

static void put_calls(struct report *r)
{
	const struct ag_cost_table *t = &r->profile->calls;
	struct text_call *rows = take(r, t->count, sizeof *rows);

	if (!rows)
		return;
	for (size_t i = 0; i < t->count; i++)
		rows[i] = (struct text_call){
			.count = t->rows[i].count,
			.time_ns = t->rows[i].cost,
			.callee = frame_of(r, t->rows[i].trace, 0),
			.caller = frame_of(r, t->rows[i].trace, 1)
		};
	text_put_calls(&r->text, rows, t->count);
}

/* ---- monitors ------------------------------------------------------------ */

static void put_wait_lines(struct report *r)
{
	const struct ag_monitor_report *m = &r->profile->monitors;

	for (size_t i = 0; i < m->line_count; i++) {
		const struct ag_wait_line *l = &m->lines[i];
		const char *name = ag_class_list_signature(r->session->classes,
							   l->class_number);

		if (l->waited)
			text_put_waited(&r->text, name, l->ms, l->thread);
		else
			text_put_wait(&r->text, name, l->ms, l->thread);
	}
}

static void put_monitor_state(struct report *r,
			      const struct ag_monitor_state *m)
{
	const struct text_monitor monitor = {
		.name = ag_class_list_signature(r->session->classes,
						m->class_number),
		.owner = m->owner,
		.entry_count = m->entry_count,
		.entering_count = m->entering_count,
		.waiting_count = m->waiting_count,
		.entering = m->waiters,
		.waiting = m->waiters + m->entering_count,
	};

	text_put_monitor(&r->text, &monitor);
}

static void put_monitor_dump(struct report *r)
{
	const struct ag_monitor_report *m = &r->profile->monitors;

	text_put_monitor_dump_begin(&r->text);
	for (size_t i = 0; i < m->thread_count; i++) {
		const struct text_monitor_thread thread = {
			.serial = m->threads[i].serial,
			.trace_serial = m->threads[i].trace,
			.state = m->threads[i].state,
		};

		text_put_monitor_thread(&r->text, &thread);
	}
	for (size_t i = 0; i < m->monitor_count; i++)
		put_monitor_state(r, &m->monitors[i]);
	text_put_monitor_dump_end(&r->text);
}

/* In the order of the old agent. */
static void put_monitors(struct report *r)
{
	put_wait_lines(r);
	if (r->profile->monitors.dumped)
		put_monitor_dump(r);
	put_costs(r, &r->profile->monitors.times, monitor_cost,
		  text_put_monitor_times);
}

/* Those of a heap dump have been put with it. */
static void put_head(struct report *r)
{
	ag_threads_each(r->session->threads, put_thread, r);
	put_traces(r);
}

/* What the old agent put before the heap, and after it. */
static void put_first_sections(struct report *r)
{
	if (r->profile && r->profile->has_monitors)
		put_monitors(r);
}

static void put_last_sections(struct report *r)
{
	const struct ag_profile *p = r->profile;

	if (!p)
		return;
	if (p->has_sites)
		put_sites(r);
	if (p->has_life)
		put_life(r, false);
	if (p->has_samples)
		put_costs(r, &p->samples, sample_cost, text_put_samples);
	if (p->has_calls)
		put_calls(r);
	else if (p->has_times)
		put_costs(r, &p->times, time_cost, text_put_times);
}

static enum hprof_status put_sections(struct report *r,
				      const struct ag_text_order *order)
{
	const struct ag_text_heap *heap = order->heap;
	enum hprof_status status = HPROF_OK;

	if (!order->goes_on)
		text_put_prelude(&r->text, "JAVA PROFILE 1.0.1", r->time_ms);
	if (heap)
		status = heap->put_head(heap->user, &r->text);
	else
		put_head(r);
	put_first_sections(r);
	if (heap && status == HPROF_OK)
		status = heap->put_heap(heap->user, &r->text);
	if (status == HPROF_OK)
		put_last_sections(r);
	return status;
}

static enum hprof_status put_report(struct report *r,
				    const struct ag_text_order *order)
{
	/* As of old, its file has nothing else. */
	const bool calls_only =
		r->profile && r->profile->has_calls && !order->heap;
	enum hprof_status status = HPROF_OK, flushed;

	if (order->as_json && r->profile && r->profile->has_life)
		put_life(r, true);
	else if (calls_only)
		put_calls(r);
	else
		status = put_sections(r, order);
	flushed = text_flush(&r->text);
	return status < 0 ? status : flushed;
}

static bool list_traces(struct report *r)
{
	if (!r->session)
		return true;
	if (ag_traces_list(r->session->traces, &r->traces))
		r->used = take(r, r->traces.count, 1);
	if (r->used)
		memset(r->used, 0, r->traces.count);
	return r->used != NULL;
}

enum hprof_status ag_text_report(const struct ag_text_order *order,
				 hprof_write_fn *write, void *user)
{
	struct report r = { .text = { .write = write_out },
			    .write = write,
			    .user = user,
			    .session = order->session,
			    .profile = order->profile,
			    .time_ms = now_ms() };
	enum hprof_status status = HPROF_E_NOMEM;

	r.text.user = &r;
	if (list_traces(&r))
		status = put_report(&r, order);
	hp_arena_done(&r.arena);
	hp_free(r.traces.all);
	return r.no_memory && status == HPROF_OK ? HPROF_E_NOMEM : status;
}
