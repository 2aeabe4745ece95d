/*
 * check_names.c - who names whom: strings, frames, traces, classes, threads.
 * A name may be defined behind its use, so a use of what is not known yet is
 * kept until the end.
 */
#include <inttypes.h>
#include <string.h>

#include "check.h"
#include "mem.h"

static bool is_known(const struct hp_check *c, enum hp_pending_kind kind,
		     uint64_t id)
{
	const struct hp_kclass *k;

	switch (kind) {
	case HP_PENDING_STRING:
		return hp_idmap_get(&c->symbols.strings, id);
	case HP_PENDING_FRAME:
		return hp_idmap_get(&c->symbols.frames, id);
	case HP_PENDING_TRACE:
		return hp_idmap_get(&c->symbols.traces, id);
	case HP_PENDING_CLASS:
		k = hp_idmap_get(&c->classes, id);
		return k && k->dumped;
	case HP_PENDING_CLASS_SERIAL:
		return hp_idmap_get(&c->symbols.serials, id);
	default:
		return hp_idmap_get(&c->threads, id);
	}
}

void hp_check_pend(struct hp_check *c, enum hp_pending_kind kind, uint64_t id,
		   uint64_t offset, int32_t frame)
{
	if (kind != HP_PENDING_STACK && is_known(c, kind, id))
		return;
	if (hp_grow((void **)&c->pending, &c->pending_room, c->pending_count,
		    sizeof *c->pending) != 0) {
		c->no_memory = true;
		return;
	}
	c->pending[c->pending_count++] =
		(struct hp_pending){ kind, frame, id, offset };
}

static void want_string(struct hp_check *c, uint64_t id, uint64_t offset)
{
	if (id)
		hp_check_pend(c, HP_PENDING_STRING, id, offset, 0);
}

static void want_trace(struct hp_check *c, uint32_t serial, uint64_t offset)
{
	/* 0 is none, all ones Android's. */
	if (serial && serial != UINT32_MAX)
		hp_check_pend(c, HP_PENDING_TRACE, serial, offset, 0);
}

static void know_thread(struct hp_check *c, uint32_t serial, uint32_t trace)
{
	if (hp_idmap_put(&c->threads, serial,
			 (void *)((uintptr_t)trace + 1)) != 0)
		c->no_memory = true;
}

static void check_frame(struct hp_check *c, const struct hprof_frame *frame,
			uint64_t offset)
{
	want_string(c, frame->method_id, offset);
	want_string(c, frame->signature_id, offset);
	want_string(c, frame->source_id, offset);
	if (frame->class_serial)
		hp_check_pend(c, HP_PENDING_CLASS_SERIAL, frame->class_serial,
			      offset, 0);
	if (frame->line < -3)
		hp_diaglist_say(&c->diagnostics, HPROF_WARNING, "line-number",
				offset, "a frame with the line %" PRId32,
				frame->line);
}

static void check_trace(struct hp_check *c, const struct hprof_record *r)
{
	const struct hprof_trace *trace = &r->u.trace;

	for (uint32_t i = 0; trace->frames.data && i < trace->frame_count; i++)
		hp_check_pend(c, HP_PENDING_FRAME,
			      hprof_id_at(trace->frames, r->id_size, i),
			      r->offset, 0);
}

void hp_check_record(struct hp_check *c, const struct hprof_record *r)
{
	const struct hprof_start_thread *start = &r->u.start_thread;

	switch (r->tag) {
	case HPROF_LOAD_CLASS:
		want_string(c, r->u.load_class.name_id, r->offset);
		want_trace(c, r->u.load_class.trace_serial, r->offset);
		break;
	case HPROF_FRAME:
		check_frame(c, &r->u.frame, r->offset);
		break;
	case HPROF_TRACE:
		check_trace(c, r);
		break;
	case HPROF_START_THREAD:
		know_thread(c, start->thread_serial, start->trace_serial);
		want_string(c, start->name_id, r->offset);
		want_string(c, start->group_id, r->offset);
		want_string(c, start->parent_id, r->offset);
		want_trace(c, start->trace_serial, r->offset);
		break;
	}
}

void hp_check_root(struct hp_check *c, const struct hprof_record *r)
{
	const struct hprof_root *root = &r->u.root;

	if (root->object_id) {
		if (c->pass == HP_PASS_LOCATE) {
			if (!hp_idset_is_defined(&c->ids, root->object_id))
				hp_check_dangling(c, root->object_id,
						  r->offset);
		} else {
			hp_idset_refer(&c->ids, root->object_id);
		}
	}
	if (c->pass != HP_PASS_ALL)
		return;
	switch (r->tag) {
	case HPROF_ROOT_THREAD_OBJ:
		know_thread(c, root->thread_serial, root->trace_serial);
		want_trace(c, root->trace_serial, r->offset);
		break;
	case HPROF_ROOT_JNI_LOCAL:
	case HPROF_ROOT_JAVA_FRAME:
	case HPROF_ROOT_JNI_MONITOR:
		if (root->thread_serial)
			hp_check_pend(c, HP_PENDING_STACK,
				      root->thread_serial, r->offset,
				      root->frame);
		break;
	case HPROF_ROOT_NATIVE_STACK:
	case HPROF_ROOT_THREAD_BLOCK:
		if (root->thread_serial)
			hp_check_pend(c, HP_PENDING_THREAD,
				      root->thread_serial, r->offset, 0);
		break;
	}
}

/* ---- at the end ---------------------------------------------------------- */

static const struct {
	const char *code, *what;
} missing[] = {
	[HP_PENDING_STRING] = { "missing-string", "string" },
	[HP_PENDING_FRAME] = { "missing-frame", "frame" },
	[HP_PENDING_TRACE] = { "missing-trace", "stack trace" },
	[HP_PENDING_CLASS] = { "missing-super", "superclass" },
	[HP_PENDING_CLASS_SERIAL] = { "missing-class-serial",
				      "class serial" },
	[HP_PENDING_THREAD] = { "missing-thread", "thread" },
	[HP_PENDING_STACK] = { "missing-thread", "thread" },
};

/* A root's frame must be in the stack of its thread. */
static void check_stack(struct hp_check *c, const struct hp_pending *p)
{
	uintptr_t trace = (uintptr_t)hp_idmap_get(&c->threads, p->id);
	const struct hp_trace_info *info;

	if (p->frame < 0 || trace == 0)
		return;
	info = hp_idmap_get(&c->symbols.traces, trace - 1);
	if (info && (uint32_t)p->frame >= info->frame_count &&
	    info->frame_count > 0)
		hp_diaglist_say(&c->diagnostics, HPROF_WARNING,
				"missing-frame", p->offset,
				"a root in frame %" PRId32
				" of a thread whose stack has %" PRIu32,
				p->frame, info->frame_count);
}

static void check_pending(struct hp_check *c, const struct hp_pending *p)
{
	if (is_known(c, p->kind, p->id)) {
		if (p->kind == HP_PENDING_STACK)
			check_stack(c, p);
		return;
	}
	hp_diaglist_say(&c->diagnostics, HPROF_WARNING, missing[p->kind].code,
			p->offset, "%s 0x%" PRIx64 " is not in the dump",
			missing[p->kind].what, p->id);
}

static bool has_array_name(const struct hp_check *c, uint64_t class_id)
{
	char *name = hp_symbols_class_name(&c->symbols, class_id);
	size_t size = name ? strlen(name) : 0;
	bool array = size > 2 && strcmp(name + size - 2, "[]") == 0;

	hp_free(name);
	return array;
}

static void check_class(struct hp_check *c, const struct hp_kclass *k)
{
	bool named = hp_idmap_get(&c->symbols.classes, k->class_id);

	if (k->dumped && !named)
		hp_diaglist_say(&c->diagnostics, HPROF_WARNING, "class-name",
				k->offset,
				"class 0x%" PRIx64 " has no LOAD_CLASS",
				k->class_id);
	if (k->unlaid && !k->dumped)
		hp_diaglist_say(&c->diagnostics, HPROF_WARNING,
				"unknown-class", k->unlaid_offset,
				"%" PRIu64
				" instances of class 0x%" PRIx64
				", which has no CLASS_DUMP",
				k->unlaid, k->class_id);
	if (k->bad_size)
		hp_diaglist_say(&c->diagnostics, HPROF_WARNING,
				"instance-size", k->bad_offset,
				"%" PRIu64
				" instances of class 0x%" PRIx64
				" do not have the %" PRIu64
				" bytes that its fields take",
				k->bad_size, k->class_id, k->size);
	if (k->has_instances && named && has_array_name(c, k->class_id))
		hp_diaglist_say(&c->diagnostics, HPROF_WARNING,
				"instance-of-array", k->first_offset,
				"instances of the array class 0x%" PRIx64,
				k->class_id);
	if (k->name_looked_at && named && !has_array_name(c, k->class_id))
		hp_diaglist_say(&c->diagnostics, HPROF_NOTE, "element-class",
				k->bad_offset,
				"arrays name the class 0x%" PRIx64
				", which is none of arrays: the writer stores "
				"element classes",
				k->class_id);
}

/* Walks up from K over classes that no walk has passed; a cycle if its own. */
static void check_cycle(struct hp_check *c, struct hp_kclass *k, size_t walk)
{
	struct hp_kclass *at = k;

	while (at && at->walk == 0) {
		at->walk = walk;
		at = at->super_id ? hp_idmap_get(&c->classes, at->super_id) :
				    NULL;
	}
	if (at && at->walk == walk)
		hp_diaglist_say(&c->diagnostics, HPROF_WARNING, "super-cycle",
				at->offset,
				"the superclasses of class 0x%" PRIx64
				" lead back to it",
				at->class_id);
}

void hp_check_names_end(struct hp_check *c)
{
	for (size_t i = 0; i < c->pending_count; i++)
		check_pending(c, &c->pending[i]);
	for (size_t i = 0; i < c->class_count; i++) {
		check_class(c, c->all[i]);
		check_cycle(c, c->all[i], i + 1);
	}
	if (c->symbols.string_clashes)
		hp_diaglist_say(&c->diagnostics, HPROF_WARNING,
				"duplicate-string", c->symbols.string_clash,
				"%" PRIu64
				" string ids have a second, different text",
				c->symbols.string_clashes);
}
