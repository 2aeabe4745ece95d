/* SPDX-License-Identifier: MIT */
/*
 * transform_repair.c - changes a damaged dump so that readers which rely on its
 * references can open it.
 *
 * The pass before has collected which strings, frames, traces, threads and
 * classes there are. A reference to something else is removed: a frame leaves
 * its stack, a root of a missing thread becomes one of unknown kind. What
 * readers look up is added, see repair_missing.c. Of objects that occur several
 * times the last one stays, as in the other programs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "convert/repair.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/wire.h"

static bool wanted(const struct hp_cv_plan *plan)
{
	return plan->options.repair;
}

static enum hprof_status begin(struct hp_convert *c, void *state)
{
	struct hp_repair *m = state;

	m->frame_ids = hp_alloc(HP_PIECE);
	if (!m->frame_ids)
		return hp_no_memory(c->error);
	m->ready = true;
	if (hp_u64_map_init(&m->frames, 2) != HPROF_OK ||
	    hp_u64_map_init(&m->threads, 2) != HPROF_OK ||
	    hp_u64_map_init(&m->last, 2) != HPROF_OK ||
	    hp_id_marks_init(&m->ids) != HPROF_OK)
		return hp_no_memory(c->error);
	return HPROF_OK;
}

static void done(struct hp_convert *c, void *state)
{
	struct hp_repair *m = state;

	(void)c;
	hp_free(m->frame_ids);
	if (!m->ready)
		return;
	hp_u64_map_done(&m->frames);
	hp_u64_map_done(&m->threads);
	hp_u64_map_done(&m->last);
	hp_id_marks_done(&m->ids);
}

/* ---- what there is ------------------------------------------------------- */

/*
 * The index of the current record as a value of a map. It is the same in each
 * pass.
 */
static void *this_record(const struct hp_convert *c)
{
	return (void *)((uintptr_t)c->input.count + 1);
}

/* Notes an object that can stay in the dump. */
static enum hprof_status look_at_object(const struct hp_convert *c,
					struct hp_repair *m, uint64_t id)
{
	if (id == 0 || !hp_id_marks_set(&m->ids, id, HP_ID_REFERRED))
		return HPROF_OK;
	return hp_u64_map_put(&m->last, id, this_record(c));
}

static enum hprof_status learn(struct hp_convert *c, void *state,
			       const struct hprof_record *r)
{
	struct hp_repair *m = state;
	enum hprof_status status = HPROF_OK;

	switch (r->tag) {
	case HPROF_FRAME:
		status = hp_u64_map_put(&m->frames, r->u.frame.frame_id, c);
		break;
	case HPROF_ROOT_THREAD_OBJ:
		status =
			hp_u64_map_put(&m->threads, r->u.root.thread_serial, c);
		break;
	case HPROF_CLASS_DUMP:
		hp_id_marks_refer(&m->ids, r->u.class_dump.class_id);
		break;
	case HPROF_INSTANCE_DUMP:
		if (r->u.instance_dump.class_id)
			status = look_at_object(c, m,
						r->u.instance_dump.object_id);
		break;
	case HPROF_OBJ_ARRAY_DUMP:
		status = look_at_object(c, m, r->u.obj_array_dump.object_id);
		break;
	case HPROF_PRIM_ARRAY_DUMP:
	case HPROF_PRIM_ARRAY_NODATA_DUMP:
		status = look_at_object(c, m, r->u.prim_array_dump.object_id);
		m->types |= 1U << (r->u.prim_array_dump.type & 15);
		break;
	}
	if (status != HPROF_OK || m->ids.no_memory)
		return hp_no_memory(c->error);
	return HPROF_OK;
}

static enum hprof_status after(struct hp_convert *c, void *state,
			       unsigned select)
{
	if (select & HP_CV_NAMES)
		HP_TRY(hp_repair_add_names(c, state));
	if (select & HP_CV_CLASSES)
		HP_TRY(hp_repair_add_classes(c, state));
	return HPROF_OK;
}

/*
 * From here on the marks say which ids were written; no new ids are needed any
 * more.
 */
static enum hprof_status before(struct hp_convert *c, void *state,
				unsigned select)
{
	struct hp_repair *m = state;

	if (!(select & HP_CV_CLASSES))
		return HPROF_OK;
	hp_id_marks_done(&m->ids);
	if (hp_id_marks_init(&m->ids) != HPROF_OK)
		return hp_no_memory(c->error);
	return HPROF_OK;
}

/* ---- what is told -------------------------------------------------------- */

/*
 * Counts what is left out, but not in passes that only count records. Returns
 * false, since the record goes.
 */
static bool drop(const struct hp_convert *c, uint64_t *count, uint64_t more)
{
	if (!c->output.counting)
		*count += more;
	return false;
}

static void tell_lost(struct hp_convert *c, uint64_t count, const char *what)
{
	char text[160];

	if (!count)
		return;
	c->output.lost += count;
	snprintf(text, sizeof text, "%s: %" PRIu64 " left out", what, count);
	hp_cv_say(c, HPROF_ERROR, HP_DIAG_LEFT_OUT, HP_NO_OFFSET, text);
}

static enum hprof_status end(struct hp_convert *c, void *state)
{
	const struct hp_repair *m = state;
	char text[160];

	tell_lost(c, m->again, "classes and objects that come again");
	tell_lost(c, m->nameless,
		  "objects and classes without identifier or class");
	tell_lost(c, m->no_frames, "frames of stacks that are not in the dump");
	tell_lost(c, m->no_traces, "stacks that are too long");
	tell_lost(c, m->unknown, "records of unknown kind");
	if (!m->roots)
		return HPROF_OK;
	snprintf(text, sizeof text,
		 "roots of threads that are not in the dump: %" PRIu64
		 " made roots for an unknown reason",
		 m->roots);
	hp_cv_say(c, HPROF_WARNING, HP_DIAG_ROOTS_CHANGED, HP_NO_OFFSET, text);
	c->result.warnings++;
	return HPROF_OK;
}

/* ---- records that are mended --------------------------------------------- */

/* Keeps the frames that the dump has. */
static bool mend_trace(struct hp_convert *c, struct hp_repair *m,
		       struct hprof_record *r)
{
	struct hprof_trace *trace = &r->u.trace;
	uint8_t *out = c->output.piece;
	uint32_t count = 0;
	bool loaded = false;

	if (hp_cv_load(c, &trace->frames, &loaded) < 0)
		m->no_memory = true;
	if (!loaded || trace->frames.size > HP_PIECE)
		return drop(c, &m->no_traces, 1);
	for (uint32_t i = 0; i < trace->frame_count; i++) {
		uint64_t id = hprof_id_at(trace->frames, c->plan->from, i);
		if (!hp_u64_map_get(&m->frames, id))
			continue;
		hp_put_id(out, c->plan->from, id);
		out += c->plan->from;
		count++;
	}
	if (count < trace->frame_count) {
		drop(c, &m->no_frames, trace->frame_count - count);
		/* c->output.piece is needed to write the record. */
		memcpy(m->frame_ids, c->output.piece, count * c->plan->from);
		trace->frames.data = m->frame_ids;
		trace->frames.size = (uint64_t)count * c->plan->from;
		trace->frame_count = count;
	}
	return true;
}

/*
 * If a class is loaded several times, its last name counts, as in the other
 * programs. Some readers take the first one.
 */
static void mend_load(struct hp_convert *c, struct hprof_load_class *load)
{
	const struct hp_cv_class *k = hp_cv_class(c, load->class_id, false);

	if (k)
		load->name_id = k->link.known.name_id;
}

static bool mend_class(struct hp_convert *c, struct hp_repair *m,
		       struct hprof_record *r)
{
	struct hprof_class_dump *dump = &r->u.class_dump;
	struct hp_cv_class *k = hp_cv_class(c, dump->class_id, false);

	if (k && dump->super_id && hp_cv_in_ring(c, k))
		dump->super_id = m->object_id;
	if (dump->class_id == 0)
		return drop(c, &m->nameless, 1);
	if (k && k->record != c->input.count)
		return drop(c, &m->again, 1);
	return hp_id_marks_define(&m->ids, dump->class_id) ||
	       drop(c, &m->again, 1);
}

static bool mend_root(struct hp_convert *c, struct hp_repair *m,
		      struct hprof_record *r)
{
	switch (r->tag) {
	case HPROF_ROOT_JNI_LOCAL:
	case HPROF_ROOT_JAVA_FRAME:
	case HPROF_ROOT_NATIVE_STACK:
	case HPROF_ROOT_THREAD_BLOCK:
		if (hp_u64_map_get(&m->threads, r->u.root.thread_serial))
			return true;
		r->tag = HPROF_ROOT_UNKNOWN;
		drop(c, &m->roots, 1);
	}
	return true;
}

/*
 * Makes a primitive array of references, which no writer writes, an array of
 * objects.
 */
static void mend_array(const struct hp_repair *m, struct hprof_record *r)
{
	const struct hprof_prim_array_dump old = r->u.prim_array_dump;

	if (old.type != HPROF_TYPE_OBJECT)
		return;
	r->tag = HPROF_OBJ_ARRAY_DUMP;
	r->u.obj_array_dump = (struct hprof_obj_array_dump){
		.object_id = old.object_id,
		.trace_serial = old.trace_serial,
		.count = old.count,
		.class_id = m->object_id,
		.elements = old.elements,
	};
}

/*
 * Classes have been written. An object with the identifier of one is left out.
 */
static bool mend_object(struct hp_convert *c, struct hp_repair *m, uint64_t id)
{
	const void *last = hp_u64_map_get(&m->last, id);

	if (id == 0)
		return drop(c, &m->nameless, 1);
	if (last && last != this_record(c))
		return drop(c, &m->again, 1);
	return hp_id_marks_define(&m->ids, id) || drop(c, &m->again, 1);
}

/* Changes R. False: it has to be left out. */
static bool mend(struct hp_convert *c, struct hp_repair *m,
		 struct hprof_record *r)
{
	if (r->tag == HPROF_PRIM_ARRAY_DUMP)
		mend_array(m, r);
	switch (r->tag) {
	case HPROF_LOAD_CLASS:
		mend_load(c, &r->u.load_class);
		return true;
	case HPROF_TRACE:
		return mend_trace(c, m, r);
	case HPROF_CLASS_DUMP:
		return mend_class(c, m, r);
	case HPROF_INSTANCE_DUMP:
		if (r->u.instance_dump.class_id == 0)
			return drop(c, &m->nameless, 1);
		return mend_object(c, m, r->u.instance_dump.object_id);
	case HPROF_OBJ_ARRAY_DUMP:
		return mend_object(c, m, r->u.obj_array_dump.object_id);
	case HPROF_PRIM_ARRAY_DUMP:
		return mend_object(c, m, r->u.prim_array_dump.object_id);
	default:
		if (r->tag < HPROF_SUB && !hprof_record_describe(r->tag))
			return drop(c, &m->unknown, 1);
		return mend_root(c, m, r);
	}
}

static enum hprof_status record(struct hp_convert *c, void *state,
				struct hprof_record *r, bool *ret_gone)
{
	struct hp_repair *m = state;

	*ret_gone = !mend(c, m, r);
	/*
	 * For an id that could not be added to the set it is not known whether
	 * it was written.
	 */
	return m->ids.no_memory || m->no_memory ? hp_no_memory(c->error)
						: HPROF_OK;
}

const struct hp_transform hp_transform_repair = {
	.name = "repair",
	.state_size = sizeof(struct hp_repair),
	.wanted = wanted,
	.begin = begin,
	.learn = learn,
	.before = before,
	.after = after,
	.record = record,
	.end = end,
	.done = done,
};
