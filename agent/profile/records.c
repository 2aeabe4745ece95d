/* SPDX-License-Identifier: MIT */
/*
 * records.c - see records.h. What the rows refer to is marked first, so that
 * only that is written.
 */
#include "agent/profile/records.h"

#include <string.h>

#include "agent/common/class_name.h"
#include "agent/common/connection.h"
#include "agent/common/frame_table.h"
#include "agent/common/string_table.h"
#include "agent/profile/session.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/wire.h"

enum {
	FIRST_CLASS = 100001,
	EARLY_FRAME = 0x40000000, /* beyond those of a dump's stacks */
	SITE_SIZE = 25,
	SAMPLE_SIZE = 8
};

struct records {
	struct ag_session *session;
	const struct ag_profile *profile;
	const struct ag_records_place *place;
	struct hprof_writer *writer;
	struct ag_trace_list traces; /* only those that are written */
	bool early;		     /* AG_TRACE_EARLY is one */
	uint32_t class_count;	     /* numbers are below */
	uint64_t *class_names;	     /* by number; 0: not referred to */
	struct ag_frames frames;
	uint64_t early_name;
	uint64_t clamped;
};

/* ---- what is referred to ------------------------------------------------- */

/* The serial of a class in the output. */
static uint32_t class_serial(const struct records *r, uint32_t number)
{
	const struct ag_records_place *p = r->place;

	if (number == 0)
		return 0;
	if (p->class_serials && number < p->class_count &&
	    p->class_serials[number] != 0)
		return p->class_serials[number];
	return FIRST_CLASS + number - 1;
}

static void use_class(struct records *r, uint32_t number)
{
	if (number != 0 && number < r->class_count && !r->class_names[number])
		r->class_names[number] = ag_name_class(
			r->place->names,
			ag_class_list_signature(r->session->classes, number));
}

static void use_trace(struct records *r, uint8_t *used, uint32_t serial)
{
	if (serial >= AG_TRACE_FIRST)
		used[serial - AG_TRACE_FIRST] = 1;
	else if (serial == AG_TRACE_EARLY)
		r->early = true;
}

static void use_costs(struct records *r, uint8_t *used,
		      const struct ag_cost_table *t)
{
	for (size_t i = 0; i < t->count; i++)
		use_trace(r, used, t->rows[i].trace);
}

static void use_rows(struct records *r, uint8_t *used)
{
	const struct ag_profile *p = r->profile;
	const struct ag_site_table *sites = &p->sites;

	/* Objects in a dump may be of any site. */
	const size_t count = r->profile->marks ? sites->all : sites->count;

	for (size_t i = 0; i < count; i++) {
		use_trace(r, used, sites->rows[i].trace);
		use_class(r, sites->rows[i].class_number);
	}
	use_costs(r, used, &p->samples);
	/* They have no records of their own, but a place in a dump as text. */
	use_costs(r, used, &p->times);
	use_costs(r, used, &p->calls);
	use_costs(r, used, &p->monitors.times);
	for (size_t i = 0; i < p->monitors.thread_count; i++)
		use_trace(r, used, p->monitors.threads[i].trace);
}

/* Keeps the traces that are used, and collects their frames and classes. */
static bool keep_traces(struct records *r, const uint8_t *used)
{
	struct ag_trace_list *list = &r->traces;
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct ag_trace *t = list->all[i];

		if (!used[t->serial - AG_TRACE_FIRST])
			continue;
		list->all[kept++] = t;
		if (ag_frames_add(&r->frames, t->frames, t->count) != 0)
			return false;
		for (uint32_t f = 0; f < t->count; f++)
			use_class(r, ag_traces_method(r->session->traces,
						      t->frames[f].method)
					     ->class_serial);
	}
	list->count = kept;
	return true;
}

/* For frame_table.h. */
static void describe(void *user, jmethodID id, struct ag_method *ret)
{
	const struct records *r = user;

	*ret = *ag_traces_method(r->session->traces, id);
	ret->class_serial = class_serial(r, ret->class_serial);
}

static bool collect(struct records *r)
{
	uint32_t last = AG_TRACE_FIRST;
	uint8_t *used;
	bool fine;

	r->class_count = ag_class_list_count(r->session->classes) + 1;
	r->class_names = hp_calloc(r->class_count, sizeof *r->class_names);
	if (!r->class_names || !ag_traces_list(r->session->traces, &r->traces))
		return false;
	if (r->traces.count)
		last = r->traces.all[r->traces.count - 1]->serial;
	used = hp_calloc((size_t)last - AG_TRACE_FIRST + 1, 1);
	if (!used)
		return false;
	use_rows(r, used);
	fine = keep_traces(r, used);
	hp_free(used);
	if (!fine)
		return false;
	r->frames.before = EARLY_FRAME;
	ag_frames_describe(&r->frames, describe, r, r->place->names);
	if (r->early)
		r->early_name = ag_name(r->place->names, "<before VMInit>");
	return true;
}

/* ---- threads ------------------------------------------------------------- */

/* Threads of a heap dump have their own records, with their stacks. */
static bool writes_threads(const struct records *r)
{
	return !r->place->class_serials || r->profile->has_monitors ||
	       r->session->options->threads_in_traces;
}

static bool name_thread(void *user, const struct ag_thread *t)
{
	struct records *r = user;

	ag_name(r->place->names, t->name);
	ag_name(r->place->names, t->group);
	ag_name(r->place->names, t->parent);
	return true;
}

/* A thread that has started since its name was written is left out. */
static bool put_thread(void *user, const struct ag_thread *t)
{
	struct records *r = user;
	struct hprof_record record = { .tag = HPROF_START_THREAD };

	record.u.start_thread.thread_serial = t->serial;
	record.u.start_thread.trace_serial = AG_TRACE_EMPTY;
	record.u.start_thread.name_id = ag_name(r->place->names, t->name);
	record.u.start_thread.group_id = ag_name(r->place->names, t->group);
	record.u.start_thread.parent_id = ag_name(r->place->names, t->parent);
	if (ag_names_write(r->place->names, r->writer) != HPROF_OK)
		return false;
	return hprof_writer_put(r->writer, &record) == HPROF_OK;
}

static bool put_thread_end(void *user, const struct ag_thread *t)
{
	struct records *r = user;
	struct hprof_record record = { .tag = HPROF_END_THREAD };

	if (!t->ended)
		return true;
	record.u.end_thread.thread_serial = t->serial;
	return hprof_writer_put(r->writer, &record) == HPROF_OK;
}

/* ---- classes and traces -------------------------------------------------- */

/*
 * The identifier of a class that is in no heap dump: in one, above those of the
 * objects.
 */
static uint64_t class_id(const struct records *r, uint32_t number)
{
	if (!r->place->class_serials)
		return (uint64_t)number * 8;
	return (r->place->id_size == 8 ? (uint64_t)1 << 40 : 0xf0000000u) +
	       number;
}

static enum hprof_status put_classes(struct records *r)
{
	for (uint32_t i = 1; i < r->class_count; i++) {
		struct hprof_record record = { .tag = HPROF_LOAD_CLASS };

		if (!r->class_names[i] ||
		    class_serial(r, i) != FIRST_CLASS + i - 1)
			continue;
		record.u.load_class.class_serial = class_serial(r, i);
		record.u.load_class.class_id = class_id(r, i);
		record.u.load_class.trace_serial = AG_TRACE_EMPTY;
		record.u.load_class.name_id = r->class_names[i];
		HP_TRY(hprof_writer_put(r->writer, &record));
	}
	return HPROF_OK;
}

static enum hprof_status put_trace(struct records *r, uint32_t serial,
				   uint32_t thread, const uint8_t *ids,
				   uint32_t count)
{
	const struct hprof_record record = {
		.tag = HPROF_TRACE,
		.id_size = (uint8_t)r->place->id_size,
		.u.trace = {
			.trace_serial = serial,
			.thread_serial = thread,
			.frame_count = count,
			.frames.data = ids,
			.frames.size = (uint64_t)count * r->place->id_size,
		},
	};

	return hprof_writer_put(r->writer, &record);
}

/* A frame that stands for all places before the profile began. */
static enum hprof_status put_early(struct records *r)
{
	struct hprof_record record = { .tag = HPROF_FRAME };
	uint8_t id[8];

	record.u.frame.frame_id = EARLY_FRAME;
	record.u.frame.method_id = r->early_name;
	record.u.frame.line = -1;
	HP_TRY(hprof_writer_put(r->writer, &record));
	hp_put_id(id, r->place->id_size, EARLY_FRAME);
	return put_trace(r, AG_TRACE_EARLY, 0, id, 1);
}

static enum hprof_status put_traces(struct records *r)
{
	const unsigned z = r->place->id_size;
	uint8_t ids[AG_MOST_FRAMES * 8];

	HP_TRY(ag_frames_write(&r->frames, r->writer));
	if (!r->place->class_serials)
		HP_TRY(put_trace(r, AG_TRACE_EMPTY, 0, ids, 0));
	if (r->early)
		HP_TRY(put_early(r));
	for (size_t i = 0; i < r->traces.count; i++) {
		const struct ag_trace *t = r->traces.all[i];

		for (uint32_t f = 0; f < t->count; f++)
			hp_put_id(ids + (size_t)f * z, z,
				  ag_frames_id(&r->frames, &t->frames[f]));
		HP_TRY(put_trace(r, t->serial, t->thread, ids, t->count));
	}
	return HPROF_OK;
}

/* ---- the rows ------------------------------------------------------------ */

static uint32_t clamp(struct records *r, uint64_t value)
{
	if (value <= UINT32_MAX)
		return (uint32_t)value;
	r->clamped++;
	return UINT32_MAX;
}

static void encode_site(struct records *r, const struct ag_site_row *row,
			uint8_t *p)
{
	const char *signature =
		ag_class_list_signature(r->session->classes, row->class_number);

	p[0] = signature[0] == '[' ? ag_type_of(signature[1]) : 0;
	hp_put32(p + 1, class_serial(r, row->class_number));
	hp_put32(p + 5, row->trace);
	hp_put32(p + 9, clamp(r, row->live_bytes));
	hp_put32(p + 13, clamp(r, row->live_objects));
	hp_put32(p + 17, clamp(r, row->bytes));
	hp_put32(p + 21, clamp(r, row->objects));
}

static enum hprof_status put_summary(struct records *r)
{
	const struct ag_site_table *s = &r->profile->sites;
	struct hprof_record record = { .tag = HPROF_HEAP_SUMMARY };

	record.u.heap_summary.live_bytes = clamp(r, s->live_bytes);
	record.u.heap_summary.live_instances = clamp(r, s->live_objects);
	record.u.heap_summary.allocated_bytes = s->bytes;
	record.u.heap_summary.allocated_instances = s->objects;
	return hprof_writer_put(r->writer, &record);
}

static enum hprof_status put_sites(struct records *r)
{
	const struct ag_site_table *s = &r->profile->sites;
	const float cutoff = (float)s->cutoff;
	struct hprof_record record = { .tag = HPROF_ALLOC_SITES };
	struct hprof_alloc_sites *a = &record.u.alloc_sites;

	a->flags =
		(uint16_t)((s->incremental ? 1 : 0) |
			   (s->by_allocation ? 2 : 0) | (s->collected ? 4 : 0));
	memcpy(&a->cutoff, &cutoff, sizeof cutoff);
	a->live_bytes = clamp(r, s->live_bytes);
	a->live_instances = clamp(r, s->live_objects);
	a->allocated_bytes = s->bytes;
	a->allocated_instances = s->objects;
	a->site_count = (uint32_t)s->count;
	a->sites.size = (uint64_t)s->count * SITE_SIZE;
	HP_TRY(hprof_writer_put(r->writer, &record));
	for (size_t i = 0; i < s->count; i++) {
		uint8_t site[SITE_SIZE];

		encode_site(r, &s->rows[i], site);
		HP_TRY(hprof_writer_body(r->writer, site, sizeof site));
	}
	return HPROF_OK;
}

static enum hprof_status put_samples(struct records *r)
{
	const struct ag_cost_table *s = &r->profile->samples;
	struct hprof_record record = { .tag = HPROF_CPU_SAMPLES };

	record.u.cpu_samples.total = clamp(r, s->total);
	record.u.cpu_samples.sample_count = (uint32_t)s->count;
	record.u.cpu_samples.samples.size = (uint64_t)s->count * SAMPLE_SIZE;
	HP_TRY(hprof_writer_put(r->writer, &record));
	for (size_t i = 0; i < s->count; i++) {
		uint8_t sample[SAMPLE_SIZE];

		hp_put32(sample, clamp(r, s->rows[i].count));
		hp_put32(sample + 4, s->rows[i].trace);
		HP_TRY(hprof_writer_body(r->writer, sample, sizeof sample));
	}
	return HPROF_OK;
}

static enum hprof_status put_settings(struct records *r)
{
	const struct ag_options *o = r->session->options;
	struct hprof_record record = { .tag = HPROF_CONTROL_SETTINGS };

	record.u.control_settings.flags = (r->profile->has_sites ? 1u : 0) |
					  (r->profile->has_samples ? 2u : 0);
	record.u.control_settings.depth = (uint16_t)o->depth;
	return hprof_writer_put(r->writer, &record);
}

/* ---- all of it ----------------------------------------------------------- */

static enum hprof_status put_head(struct records *r)
{
	const struct hprof_header header = ag_dump_header(r->place->id_size);

	if (r->place->class_serials)
		return HPROF_OK;
	HP_TRY(hprof_writer_header(r->writer, &header));
	return r->place->sections ? HPROF_OK : put_settings(r);
}

static bool is_wanted(const struct records *r, enum ag_section section)
{
	return r->place->sections == 0 || (r->place->sections & section);
}

static enum hprof_status write_all(struct records *r)
{
	struct ag_threads *threads = r->session->threads;
	const bool with_threads = writes_threads(r);

	if (with_threads)
		ag_threads_each(threads, name_thread, r);
	if (ag_names_failed(r->place->names))
		return HPROF_E_NOMEM;
	HP_TRY(put_head(r));
	HP_TRY(ag_names_write(r->place->names, r->writer));
	HP_TRY(put_classes(r));
	if (with_threads && !ag_threads_each(threads, put_thread, r))
		return hprof_writer_error(r->writer)->status;
	HP_TRY(put_traces(r));
	if (with_threads && !ag_threads_each(threads, put_thread_end, r))
		return hprof_writer_error(r->writer)->status;
	if (r->place->class_serials)
		HP_TRY(put_settings(r));
	if (r->profile->has_sites && is_wanted(r, AG_SECTION_SUMMARY))
		HP_TRY(put_summary(r));
	if (r->profile->has_sites && is_wanted(r, AG_SECTION_SITES))
		HP_TRY(put_sites(r));
	return r->profile->has_samples ? put_samples(r) : HPROF_OK;
}

enum hprof_status ag_records_write(struct ag_session *session,
				   const struct ag_profile *profile,
				   const struct ag_records_place *place,
				   struct hprof_writer *writer,
				   uint64_t *ret_clamped)
{
	struct records r = { .session = session,
			     .profile = profile,
			     .place = place,
			     .writer = writer };
	enum hprof_status status = collect(&r) ? write_all(&r) : HPROF_E_NOMEM;

	*ret_clamped = r.clamped;
	ag_frames_free(&r.frames);
	hp_free(r.traces.all);
	hp_free(r.class_names);
	return status;
}
