/* SPDX-License-Identifier: MIT */
/*
 * check_names.c - checks references between strings, frames, traces, classes
 * and threads. A definition may come after its use, so the first use of
 * everything that is not known yet is kept until the end.
 */
#include <inttypes.h>
#include <string.h>

#include "check/check.h"
#include "base/error.h"
#include "base/mem.h"

/* The most uses that are kept: enough for any valid dump. */
enum { MOST_PENDING = 1 << 20 };

static bool is_known(const struct hp_check *c, enum hp_pending_kind kind,
		     uint64_t id)
{
	const struct hp_kclass *k;

	switch (kind) {
	case HP_PENDING_STRING:
		return hp_string_table_get(&c->symbols.strings, id);
	case HP_PENDING_FRAME:
		return hp_u64_map_get(&c->symbols.frames, id);
	case HP_PENDING_TRACE:
		return hp_u64_map_get(&c->symbols.traces, id);
	case HP_PENDING_CLASS:
		k = hp_known_classes_get(&c->symbols.classes, id);
		return k && k->link.dumped;
	case HP_PENDING_CLASS_SERIAL:
		return hp_known_classes_serial(&c->symbols.classes,
					       (uint32_t)id);
	default:
		return hp_u64_map_get(&c->threads, id) ||
		       hp_u64_map_get(&c->started, id);
	}
}

static struct hp_pending *add_pending(struct hp_check *c,
				      enum hp_pending_kind kind, uint64_t id)
{
	if (c->pending_count >= MOST_PENDING) {
		c->pending_lost++;
		return NULL;
	}
	if (hp_grow((void **)&c->pending, &c->pending_room, c->pending_count,
		    sizeof *c->pending) != HPROF_OK ||
	    hp_u64_map_put_number(&c->pended[kind], id, c->pending_count) !=
		    HPROF_OK) {
		c->no_memory = true;
		return NULL;
	}
	return &c->pending[c->pending_count++];
}

static void pend(struct hp_check *c, enum hp_pending_kind kind, uint64_t id,
		 uint64_t offset)
{
	struct hp_pending *p;

	if (is_known(c, kind, id) || hp_u64_map_get(&c->pended[kind], id))
		return;
	p = add_pending(c, kind, id);
	if (p)
		*p = (struct hp_pending){ .kind = kind,
					  .id = id,
					  .offset = offset };
}

/* For the roots on a stack, it is enough to check the outermost frame. */
static void pend_stack(struct hp_check *c, const struct hprof_root *root,
		       uint64_t offset)
{
	size_t index = hp_u64_map_number(&c->pended[HP_PENDING_STACK],
					 root->thread_serial);
	struct hp_pending *p =
		index == HP_NO_NUMBER ? NULL : &c->pending[index];

	if (p && p->frame >= root->frame)
		return;
	if (!p) {
		p = add_pending(c, HP_PENDING_STACK, root->thread_serial);
		if (!p)
			return;
		p->kind = HP_PENDING_STACK;
		p->id = root->thread_serial;
		p->offset = offset;
	}
	p->frame = root->frame;
	p->frame_offset = offset;
}

void hp_check_want_string(struct hp_check *c, uint64_t id, uint64_t offset)
{
	if (id)
		pend(c, HP_PENDING_STRING, id, offset);
}

void hp_check_want_trace(struct hp_check *c, uint32_t serial, uint64_t offset)
{
	/* 0: no thread; all ones: written by Android. */
	if (serial && serial != UINT32_MAX)
		pend(c, HP_PENDING_TRACE, serial, offset);
}

void hp_check_want_class(struct hp_check *c, uint64_t id, uint64_t offset)
{
	if (id)
		pend(c, HP_PENDING_CLASS, id, offset);
}

static void want_class_serial(struct hp_check *c, uint32_t serial,
			      uint64_t offset)
{
	if (serial)
		pend(c, HP_PENDING_CLASS_SERIAL, serial, offset);
}

static void want_thread(struct hp_check *c, uint32_t serial, uint64_t offset)
{
	if (serial)
		pend(c, HP_PENDING_THREAD, serial, offset);
}

/* ---- records ------------------------------------------------------------- */

static void know(struct hp_check *c, struct hp_u64_map *map, uint32_t serial,
		 uintptr_t value)
{
	if (hp_u64_map_put(map, serial, (void *)value) != HPROF_OK)
		c->no_memory = true;
}

static void check_frame(struct hp_check *c, const struct hprof_frame *frame,
			uint64_t offset)
{
	hp_check_want_string(c, frame->method_id, offset);
	hp_check_want_string(c, frame->signature_id, offset);
	hp_check_want_string(c, frame->source_id, offset);
	want_class_serial(c, frame->class_serial, offset);
	if (frame->line < -3)
		hp_diag_list_say(&c->diagnostics, HPROF_WARNING,
				 HP_DIAG_LINE_NUMBER, offset,
				 "a frame with the line %" PRId32, frame->line);
}

static void check_trace(struct hp_check *c, const struct hprof_record *r)
{
	const struct hprof_trace *trace = &r->u.trace;

	for (uint32_t i = 0; trace->frames.data && i < trace->frame_count; i++)
		pend(c, HP_PENDING_FRAME,
		     hprof_id_at(trace->frames, r->id_size, i), r->offset);
}

static void check_start(struct hp_check *c, const struct hprof_record *r)
{
	const struct hprof_start_thread *start = &r->u.start_thread;

	know(c, &c->started, start->thread_serial, 1);
	hp_check_want_string(c, start->name_id, r->offset);
	hp_check_want_string(c, start->group_id, r->offset);
	hp_check_want_string(c, start->parent_id, r->offset);
	hp_check_want_trace(c, start->trace_serial, r->offset);
}

/*
 * UNLOAD_CLASS and END_THREAD for unknown classes and threads are common: the
 * agents write them even for those that were created before they started.
 */
void hp_check_record(struct hp_check *c, const struct hprof_record *r)
{
	switch (r->tag) {
	case HPROF_LOAD_CLASS:
		hp_check_want_string(c, r->u.load_class.name_id, r->offset);
		hp_check_want_trace(c, r->u.load_class.trace_serial, r->offset);
		break;
	case HPROF_FRAME:
		check_frame(c, &r->u.frame, r->offset);
		break;
	case HPROF_TRACE:
		check_trace(c, r);
		break;
	case HPROF_START_THREAD:
		check_start(c, r);
		break;
	}
}

void hp_check_root(struct hp_check *c, const struct hprof_record *r)
{
	const struct hprof_root *root = &r->u.root;

	if (c->pass == HP_PASS_LOCATE) {
		hp_check_refer(c, root->object_id, r->offset,
			       hprof_tag_name(r->tag), 0);
		return;
	}
	if (c->pass != HP_PASS_ALL)
		return;
	if (root->object_id)
		hp_id_marks_refer(&c->ids, root->object_id);
	switch (r->tag) {
	case HPROF_ROOT_THREAD_OBJ:
		know(c, &c->threads, root->thread_serial,
		     root->trace_serial == UINT32_MAX
			     ? 1
			     : (uintptr_t)root->trace_serial + 1);
		hp_check_want_trace(c, root->trace_serial, r->offset);
		break;
	case HPROF_ROOT_JNI_LOCAL:
	case HPROF_ROOT_JAVA_FRAME:
	case HPROF_ROOT_JNI_MONITOR:
		if (root->thread_serial)
			pend_stack(c, root, r->offset);
		break;
	case HPROF_ROOT_NATIVE_STACK:
	case HPROF_ROOT_THREAD_BLOCK:
		want_thread(c, root->thread_serial, r->offset);
		break;
	}
}

/* ---- at the end: what was pending ---------------------------------------- */

/* Profiles of the old agents also refer to classes and traces. */
static void check_profile(struct hp_check *c, const struct hprof_record *r)
{
	struct hprof_alloc_site site;
	struct hprof_cpu_sample sample;

	if (r->tag == HPROF_ALLOC_SITES)
		for (uint64_t i = 0; hprof_alloc_site_at(r->u.alloc_sites.sites,
							 i, &site) == HPROF_OK;
		     i++) {
			want_class_serial(c, site.class_serial, r->offset);
			hp_check_want_trace(c, site.trace_serial, r->offset);
		}
	else if (r->tag == HPROF_CPU_SAMPLES)
		for (uint64_t i = 0;
		     hprof_cpu_sample_at(r->u.cpu_samples.samples, i,
					 &sample) == HPROF_OK;
		     i++)
			hp_check_want_trace(c, sample.trace_serial, r->offset);
}

static const struct {
	enum hp_diag_code code;
	const char *what;
} missing[] = {
	[HP_PENDING_STRING] = { HP_DIAG_MISSING_STRING, "string" },
	[HP_PENDING_FRAME] = { HP_DIAG_MISSING_FRAME, "frame" },
	[HP_PENDING_TRACE] = { HP_DIAG_MISSING_TRACE, "stack trace" },
	[HP_PENDING_CLASS] = { HP_DIAG_MISSING_SUPER, "superclass" },
	[HP_PENDING_CLASS_SERIAL] = { HP_DIAG_MISSING_CLASS_SERIAL,
				      "class serial" },
	[HP_PENDING_THREAD] = { HP_DIAG_MISSING_THREAD, "thread" },
	[HP_PENDING_STACK] = { HP_DIAG_MISSING_THREAD, "thread" },
};

/*
 * A root's frame must be in the stack of its thread. A trace is the stack only
 * if trace and thread refer to each other: for old agents, the trace of a
 * thread is where it was started. The JVMPI agent counts frames from 1.
 */
static void check_stack(struct hp_check *c, const struct hp_pending *p)
{
	uintptr_t trace = (uintptr_t)hp_u64_map_get(&c->threads, p->id);
	const struct hp_trace_info *info;
	uint32_t most;

	if (p->frame < 0 || trace < 2)
		return;
	info = hp_u64_map_get(&c->symbols.traces, trace - 1);
	if (!info || info->thread_serial != p->id || info->frame_count == 0)
		return;
	most = info->frame_count -
	       (c->tags_seen[HPROF_CONTROL_SETTINGS] ? 0 : 1);
	if ((uint32_t)p->frame > most)
		hp_diag_list_say(&c->diagnostics, HPROF_WARNING,
				 HP_DIAG_MISSING_FRAME, p->frame_offset,
				 "a root in frame %" PRId32
				 " of thread %" PRIu64
				 ", whose stack has %" PRIu32,
				 p->frame, p->id, info->frame_count);
}

/* The old agents write only the traces that a profile needs. */
static enum hprof_severity severity_of(const struct hp_check *c,
				       enum hp_pending_kind kind)
{
	return kind == HP_PENDING_TRACE && c->tags_seen[HPROF_CONTROL_SETTINGS]
		       ? HPROF_NOTE
		       : HPROF_WARNING;
}

static void say_missing(struct hp_check *c, const struct hp_pending *p)
{
	enum hp_diag_code code = missing[p->kind].code;
	const char *what = missing[p->kind].what;

	if (p->kind == HP_PENDING_STRING || p->kind == HP_PENDING_FRAME)
		hp_diag_list_say(
			&c->diagnostics, HPROF_WARNING, code, p->offset,
			"%s 0x%" PRIx64 " is not in the dump", what, p->id);
	else if (p->kind == HP_PENDING_CLASS)
		hp_diag_list_say(&c->diagnostics, HPROF_WARNING, code,
				 p->offset, "superclass %s has no CLASS_DUMP",
				 hp_check_class_text(c, p->id).text);
	else
		hp_diag_list_say(&c->diagnostics, severity_of(c, p->kind), code,
				 p->offset, "%s %" PRIu64 " is not in the dump",
				 what, p->id);
}

static void check_pending(struct hp_check *c, const struct hp_pending *p)
{
	bool known = is_known(c, p->kind, p->id);

	hp_check_readers_pending(c, p, known);
	if (known && p->kind == HP_PENDING_STACK)
		check_stack(c, p);
	if (!known)
		say_missing(c, p);
}

/* ---- at the end: classes ------------------------------------------------- */

/* Tests the undecoded name, since that may be long. */
static bool has_array_name(const struct hp_check *c, uint64_t class_id)
{
	const struct hp_string *name =
		hp_name_table_raw_class_name(&c->symbols, class_id);

	return name && name->size > 1 &&
	       (name->bytes[0] == '[' ||
		memcmp(name->bytes + name->size - 2, "[]", 2) == 0);
}

static void check_instances(struct hp_check *c, const struct hp_kclass *k)
{
	if (k->unlaid && !k->link.dumped)
		hp_diag_list_say(&c->diagnostics, HPROF_WARNING,
				 HP_DIAG_UNKNOWN_CLASS, k->unlaid_offset,
				 "class %s has instances and no CLASS_DUMP; "
				 "instances: %" PRIu64,
				 hp_check_class_text(c, k->link.known.id).text,
				 k->unlaid);
	if (k->has_instances && has_array_name(c, k->link.known.id))
		hp_diag_list_say(&c->diagnostics, HPROF_WARNING,
				 HP_DIAG_INSTANCE_OF_ARRAY, k->first_instance,
				 "instances of the array class %s",
				 hp_check_class_text(c, k->link.known.id).text);
}

static void check_class(struct hp_check *c, const struct hp_kclass *k)
{
	bool named = k->link.known.loaded;

	if (k->link.dumped && !named)
		hp_diag_list_say(&c->diagnostics, HPROF_WARNING,
				 HP_DIAG_CLASS_NAME, k->offset,
				 "class 0x%" PRIx64 " has no LOAD_CLASS",
				 k->link.known.id);
	check_instances(c, k);
	if (k->has_arrays && named && !has_array_name(c, k->link.known.id))
		hp_diag_list_say(&c->diagnostics, HPROF_NOTE,
				 HP_DIAG_ELEMENT_CLASS, k->first_array,
				 "arrays name class %s, which is none of "
				 "arrays: the writer stores element classes",
				 hp_check_class_text(c, k->link.known.id).text);
}

/* SINCE: the number of a walk that precedes those that find cycles. */
static void check_cycle(struct hp_check *c, struct hp_kclass *k, uint64_t since)
{
	/* The link is its first member. */
	const struct hp_kclass *at =
		(struct hp_kclass *)hp_class_chain_new_ring(&c->chains, since,
							    &k->link);

	if (at)
		hp_diag_list_say(
			&c->diagnostics, HPROF_WARNING, HP_DIAG_SUPER_CYCLE,
			at->offset,
			"the superclasses of class %s lead back to it",
			hp_check_class_text(c, at->link.known.id).text);
}

static void say_lost(struct hp_check *c)
{
	if (c->pending_lost)
		hp_diag_list_say(&c->diagnostics, HPROF_NOTE,
				 HP_DIAG_NOT_CHECKED, HP_NO_OFFSET,
				 "too many uses of names that were not defined "
				 "by then; left out: %" PRIu64,
				 c->pending_lost);
	if (c->stray_instances)
		hp_diag_list_say(&c->diagnostics, HPROF_NOTE,
				 HP_DIAG_NOT_CHECKED, HP_NO_OFFSET,
				 "too many classes without CLASS_DUMP; "
				 "instances left out: %" PRIu64,
				 c->stray_instances);
}

void hp_check_names_end(struct hp_check *c)
{
	uint64_t since = hp_class_walk_begin(&c->chains);

	for (const struct hp_profile_record *p = c->symbols.profile; p;
	     p = p->next)
		check_profile(c, &p->record);
	for (size_t i = 0; i < c->pending_count; i++)
		check_pending(c, &c->pending[i]);
	for (size_t i = 0; i < c->class_count; i++) {
		check_class(c, c->all[i]);
		check_cycle(c, c->all[i], since);
	}
	say_lost(c);
	if (c->symbols.string_clashes)
		hp_diag_list_say(
			&c->diagnostics, HPROF_WARNING,
			HP_DIAG_DUPLICATE_STRING, c->symbols.string_clash,
			"%" PRIu64 " string ids have a second, different text",
			c->symbols.string_clashes);
}
