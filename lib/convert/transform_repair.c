/* SPDX-License-Identifier: MIT */
/*
 * transform_repair.c - what is missing in a damaged dump, so that readers that
 * believe each other's words can open it.
 *
 * The pass before has seen which strings, frames, traces, threads and classes
 * are there. What refers to others is mended: a frame leaves its stack, a
 * root of an unknown thread becomes one for an unknown reason. What is looked
 * up is made up: names, LOAD_CLASS, classes of objects that have none, with
 * fields of type byte for their data. Of objects that come twice the last one
 * stays, as elsewhere.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "convert/convert.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/wire.h"

/* What a repair knows of the input. */
struct repair {
	struct hp_u64_map frames, threads; /* that are there */
	/* Of objects that come again: the number of the last record. */
	struct hp_u64_map last;
	/* Referred to: all there are; defined: written. */
	struct hp_id_marks ids;
	unsigned types;		     /* of primitive arrays, bits */
	unsigned found, found_types; /* classes that are looked up by name */
	uint64_t object_id;	     /* of java.lang.Object */
	uint64_t field_name;	     /* of fields that are made up */
	uint64_t next_id;
	uint32_t next_serial;
	uint8_t *frame_ids; /* HP_PIECE bytes */
	/* What was left out, and roots that are of no thread any more. */
	uint64_t again, nameless, no_frames, no_traces, unknown, roots;
	bool ready, no_memory;
};

static bool wanted(const struct hp_cv_plan *plan)
{
	return plan->options.repair;
}

static enum hprof_status begin(struct hp_convert *c, void *state)
{
	struct repair *m = state;

	m->frame_ids = hp_alloc(HP_PIECE);
	if (!m->frame_ids)
		return hp_no_memory(c->error);
	m->ready = true;
	if (hp_u64_map_init(&m->frames, 2) != 0 ||
	    hp_u64_map_init(&m->threads, 2) != 0 ||
	    hp_u64_map_init(&m->last, 2) != 0 || hp_id_marks_init(&m->ids) != 0)
		return hp_no_memory(c->error);
	return HPROF_OK;
}

static void done(struct hp_convert *c, void *state)
{
	struct repair *m = state;

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

/* The record of this pass, as a value of an idmap; in each pass the same. */
static void *this_record(const struct hp_convert *c)
{
	return (void *)((uintptr_t)c->input.count + 1);
}

/* An object of the input that can stay. */
static int look_at_object(const struct hp_convert *c, struct repair *m,
			  uint64_t id)
{
	if (id == 0 || !hp_id_marks_set(&m->ids, id, HP_ID_REFERRED))
		return 0;
	return hp_u64_map_put(&m->last, id, this_record(c));
}

static enum hprof_status learn(struct hp_convert *c, void *state,
			       const struct hprof_record *r)
{
	struct repair *m = state;
	int failed = 0;

	switch (r->tag) {
	case HPROF_FRAME:
		failed = hp_u64_map_put(&m->frames, r->u.frame.frame_id, c);
		break;
	case HPROF_ROOT_THREAD_OBJ:
		failed =
			hp_u64_map_put(&m->threads, r->u.root.thread_serial, c);
		break;
	case HPROF_CLASS_DUMP:
		hp_id_marks_refer(&m->ids, r->u.class_dump.class_id);
		break;
	case HPROF_INSTANCE_DUMP:
		if (r->u.instance_dump.class_id)
			failed = look_at_object(c, m,
						r->u.instance_dump.object_id);
		break;
	case HPROF_OBJ_ARRAY_DUMP:
		failed = look_at_object(c, m, r->u.obj_array_dump.object_id);
		break;
	case HPROF_PRIM_ARRAY_DUMP:
	case HPROF_PRIM_ARRAY_NODATA_DUMP:
		failed = look_at_object(c, m, r->u.prim_array_dump.object_id);
		m->types |= 1U << (r->u.prim_array_dump.type & 15);
		break;
	}
	return failed || m->ids.no_memory ? hp_no_memory(c->error) : HPROF_OK;
}

/* An id that nothing has: from the top of what fits. */
static uint64_t free_id(struct hp_convert *c, struct repair *m)
{
	uint64_t top = UINT64_MAX >> (64 - 8 * c->plan->to);

	do
		m->next_id =
			m->next_id ? m->next_id - 8 : (top & ~(uint64_t)0xfff);
	while (hp_cv_string(c, m->next_id, false) ||
	       hp_cv_class(c, m->next_id, false) ||
	       hp_id_marks_set(&m->ids, m->next_id, HP_ID_REFERRED));
	return m->next_id;
}

/* ---- names and classes that are made up ---------------------------------- */

static enum hprof_status put_name(struct hp_convert *c, uint64_t id,
				  const char *text)
{
	struct hprof_record r = {
		.tag = HPROF_UTF8,
		.id_size = (uint8_t)c->plan->to,
		.u.utf8 = { .string_id = id,
			    .text = { (const uint8_t *)text, strlen(text) } },
	};

	return hp_cv_emit(c, &r);
}

static enum hprof_status put_load(struct hp_convert *c, struct repair *m,
				  struct hp_cv_class *k, const char *name)
{
	struct hprof_record r = { .tag = HPROF_LOAD_CLASS };

	k->link.known.name_id = free_id(c, m);
	HP_TRY(put_name(c, k->link.known.name_id, name));
	do
		m->next_serial++;
	while (hp_u64_map_get(&c->model.classes.serials, m->next_serial));
	r.u.load_class = (struct hprof_load_class){
		.class_serial = m->next_serial,
		.class_id = k->link.known.id,
		.name_id = k->link.known.name_id,
	};
	k->link.known.loaded = true;
	return hp_cv_emit(c, &r);
}

/* Those that readers look up by name; bits of hp_cv_repair.found. */
static const char *const core[] = { "java/lang/Object", "java/lang/Class",
				    "java/lang/String",
				    "java/lang/ClassLoader" };
enum { CORE = sizeof core / sizeof *core };

static const char *const arrays[16] = {
	[HPROF_TYPE_BOOLEAN] = "[Z", [HPROF_TYPE_CHAR] = "[C",
	[HPROF_TYPE_FLOAT] = "[F",   [HPROF_TYPE_DOUBLE] = "[D",
	[HPROF_TYPE_BYTE] = "[B",    [HPROF_TYPE_SHORT] = "[S",
	[HPROF_TYPE_INT] = "[I",     [HPROF_TYPE_LONG] = "[J",
};

/* One without CLASS_DUMP gets one, unless another of its name has it. */
static void take_core(struct hp_cv_class *k, unsigned *found, unsigned bit,
		      uint64_t *ret_id)
{
	if (*found >> bit & 1)
		return;
	*found |= 1U << bit;
	k->used = true;
	if (ret_id)
		*ret_id = k->link.known.id;
}

static void find_core(struct hp_convert *c, struct repair *m,
		      struct hp_cv_class *k)
{
	char name[64], wanted[64];
	size_t size;

	hp_cv_class_name(c, k, name, sizeof name);
	for (unsigned i = 0; i < CORE; i++) {
		size = hprof_class_name_decode((const uint8_t *)core[i],
					       strlen(core[i]), wanted,
					       sizeof wanted);
		wanted[size < sizeof wanted ? size : 0] = '\0';
		if (strcmp(name, wanted) == 0)
			take_core(k, &m->found, i, i ? NULL : &m->object_id);
	}
	for (unsigned type = 4; type <= HPROF_TYPE_LONG; type++) {
		snprintf(wanted, sizeof wanted, "%s[]", hprof_type_name(type));
		if (m->types >> type & 1 && strcmp(name, wanted) == 0)
			take_core(k, &m->found_types, type, NULL);
	}
}

static enum hprof_status make_class(struct hp_convert *c, struct repair *m,
				    const char *name, uint64_t *ret_id)
{
	struct hp_cv_class *k = hp_cv_class(c, free_id(c, m), true);

	if (!k)
		return hp_no_memory(c->error);
	k->used = true;
	if (ret_id)
		*ret_id = k->link.known.id;
	return put_load(c, m, k, name);
}

static enum hprof_status make_core(struct hp_convert *c, struct repair *m)
{
	for (unsigned i = 0; i < CORE; i++)
		if (!(m->found >> i & 1))
			HP_TRY(make_class(c, m, core[i],
					  i ? NULL : &m->object_id));
	for (unsigned type = 4; type <= HPROF_TYPE_LONG; type++)
		if (m->types >> type & 1 && !(m->found_types >> type & 1))
			HP_TRY(make_class(c, m, arrays[type], NULL));
	return HPROF_OK;
}

/* After all names of the input. */
static enum hprof_status add_names(struct hp_convert *c, struct repair *m)
{
	char text[64];

	for (struct hp_cv_string *s = c->model.first_string; s; s = s->next) {
		if (s->string.bytes || !s->uses)
			continue;
		snprintf(text, sizeof text, "unknown-name@0x%" PRIx64, s->id);
		HP_TRY(put_name(c, s->id, text));
	}
	for (struct hp_cv_class *k = hp_cv_first_class(c); k;
	     k = hp_cv_next_class(k))
		if (k->link.known.loaded && k->link.dumped)
			find_core(c, m, k);
	for (struct hp_cv_class *k = hp_cv_first_class(c); k;
	     k = hp_cv_next_class(k))
		if (k->link.known.loaded && !k->link.dumped && k->link.known.id)
			find_core(c, m, k);
	for (struct hp_cv_class *k = hp_cv_first_class(c); k;
	     k = hp_cv_next_class(k)) {
		if (k->link.known.loaded || !(k->link.dumped || k->used))
			continue;
		snprintf(text, sizeof text, "unknown-class@0x%" PRIx64,
			 k->link.known.id);
		HP_TRY(put_load(c, m, k, text));
	}
	HP_TRY(make_core(c, m));
	m->field_name = free_id(c, m);
	return put_name(c, m->field_name, "unknown");
}

/* A class without CLASS_DUMP that something needs. */
static enum hprof_status put_class(struct hp_convert *c, struct repair *m,
				   const struct hp_cv_class *k)
{
	uint32_t count = k->data_size < UINT16_MAX ? k->data_size : UINT16_MAX;
	size_t width = c->plan->to + 1;
	uint8_t *fields = hp_alloc(width * count + 1);
	struct hprof_record r = { .tag = HPROF_CLASS_DUMP };
	enum hprof_status status;

	if (!fields)
		return hp_no_memory(c->error);
	for (uint32_t i = 0; i < count; i++) {
		hp_put_id(fields + i * width, c->plan->to, m->field_name);
		fields[i * width + c->plan->to] = HPROF_TYPE_BYTE;
	}
	r.u.class_dump = (struct hprof_class_dump){
		.class_id = k->link.known.id,
		.super_id = k->link.known.id == m->object_id ? 0 : m->object_id,
		.instance_size = count,
		.field_count = (uint16_t)count,
		.fields = { fields, width * count },
	};
	status = hp_cv_emit(c, &r);
	hp_free(fields);
	return status;
}

/* After the classes of the input. */
static enum hprof_status add_classes(struct hp_convert *c, struct repair *m)
{
	for (struct hp_cv_class *k = hp_cv_first_class(c); k;
	     k = hp_cv_next_class(k))
		if (!k->link.dumped && k->used &&
		    hp_id_marks_define(&m->ids, k->link.known.id))
			HP_TRY(put_class(c, m, k));
	return HPROF_OK;
}

static enum hprof_status after(struct hp_convert *c, void *state,
			       unsigned select)
{
	if (select & HP_CV_NAMES)
		HP_TRY(add_names(c, state));
	if (select & HP_CV_CLASSES)
		HP_TRY(add_classes(c, state));
	return HPROF_OK;
}

/* Heap records are written from the first one on; no id is made up any more. */
static enum hprof_status before(struct hp_convert *c, void *state,
				unsigned select)
{
	struct repair *m = state;

	if (!(select & HP_CV_CLASSES))
		return HPROF_OK;
	hp_id_marks_done(&m->ids);
	return hp_id_marks_init(&m->ids) == 0 ? HPROF_OK
					      : hp_no_memory(c->error);
}

/* ---- what is told -------------------------------------------------------- */

/* In passes that only count records, nothing is. */
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
	const struct repair *m = state;
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

/* Frames that are there. */
static bool mend_trace(struct hp_convert *c, struct repair *m,
		       struct hprof_record *r)
{
	struct hprof_trace *trace = &r->u.trace;
	uint8_t *out = c->output.piece;
	uint32_t count = 0;
	enum hprof_status status = hp_cv_load(c, &trace->frames);

	if (status < 0)
		m->no_memory = true;
	if (status != HPROF_OK || trace->frames.size > HP_PIECE)
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
		/* c->output.piece is needed on the way out. */
		memcpy(m->frame_ids, c->output.piece, count * c->plan->from);
		trace->frames.data = m->frame_ids;
		trace->frames.size = (uint64_t)count * c->plan->from;
		trace->frame_count = count;
	}
	return true;
}

/*
 * A class that is loaded again has the last of its names, as elsewhere; some
 * readers take the first.
 */
static void mend_load(struct hp_convert *c, struct hprof_load_class *load)
{
	const struct hp_cv_class *k = hp_cv_class(c, load->class_id, false);

	if (k)
		load->name_id = k->link.known.name_id;
}

static bool mend_class(struct hp_convert *c, struct repair *m,
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

static bool mend_root(struct hp_convert *c, struct repair *m,
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

/* Of references, which no writer makes: it is an array of objects. */
static void mend_array(const struct repair *m, struct hprof_record *r)
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

/* Classes have been written: what has the identifier of one goes. */
static bool mend_object(struct hp_convert *c, struct repair *m, uint64_t id)
{
	const void *last = hp_u64_map_get(&m->last, id);

	if (id == 0)
		return drop(c, &m->nameless, 1);
	if (last && last != this_record(c))
		return drop(c, &m->again, 1);
	return hp_id_marks_define(&m->ids, id) || drop(c, &m->again, 1);
}

/* Changes R; false: it is to go. */
static bool mend(struct hp_convert *c, struct repair *m, struct hprof_record *r)
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
	struct repair *m = state;

	*ret_gone = !mend(c, m, r);
	/* Of an id that is not in the set it is not known whether it came. */
	return m->ids.no_memory || m->no_memory ? hp_no_memory(c->error)
						: HPROF_OK;
}

const struct hp_transform hp_transform_repair = {
	.name = "repair",
	.state_size = sizeof(struct repair),
	.wanted = wanted,
	.begin = begin,
	.learn = learn,
	.before = before,
	.after = after,
	.record = record,
	.end = end,
	.done = done,
};
