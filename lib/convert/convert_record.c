/* SPDX-License-Identifier: MIT */
/*
 * convert_record.c - a record of the input as one of the output: left out,
 * with another tag, with other identifiers, or as it is.
 */
#include <inttypes.h>
#include <string.h>

#include "convert/convert.h"
#include "base/error.h"
#include "codec/long_field.h"
#include "stream/reader.h"

/* ---- out ----------------------------------------------------------------- */

enum hprof_status hp_cv_fits(struct hp_convert *c, uint64_t id, uint64_t offset)
{
	if (c->to == 8 || id >> 8 * c->to == 0)
		return HPROF_OK;
	return hp_cv_fail(c, HPROF_E_LIMIT, offset,
			  "the identifier 0x%" PRIx64
			  " does not fit %u bytes",
			  id, c->to);
}

static enum hprof_status check_ids(struct hp_convert *c,
				   const struct hprof_record *r)
{
	const struct hprof_record_info *info = hprof_record_describe(r->tag);
	uint64_t id;

	for (unsigned i = 0; info && i < info->field_count; i++) {
		if (info->fields[i].kind != HPROF_KIND_ID)
			continue;
		memcpy(&id, (const char *)r + info->fields[i].offset,
		       sizeof id);
		HP_TRY(hp_cv_fits(c, id, r->offset));
	}
	return HPROF_OK;
}

static bool is_frame(unsigned tag)
{
	return tag == HPROF_HEAP_DUMP || tag == HPROF_HEAP_DUMP_SEGMENT ||
	       tag == HPROF_HEAP_DUMP_END;
}

/*
 * A record that is too large for the form, or in a place where the writer
 * takes none, is damage of the input.
 */
static enum hprof_status refused(struct hp_convert *c,
				 const struct hprof_record *r)
{
	const struct hprof_error *error = hprof_writer_error(c->writer);

	if (error->status != HPROF_E_USAGE)
		return hp_cv_writer_failed(c);
	c->lost++;
	hp_cv_say(c, HPROF_ERROR, HP_DIAG_NOT_CONVERTED, r->offset, error->text);
	return HPROF_END;
}

enum hprof_status hp_cv_emit_head(struct hp_convert *c,
				  const struct hprof_record *r)
{
	uint64_t size;

	if (c->to < c->from)
		HP_TRY(check_ids(c, r));
	if (c->pass == HP_CV_COUNT) {
		if (r->tag >= HPROF_SUB &&
		    hprof_record_size(r, c->to, &size) == HPROF_OK)
			c->heap_bytes += size;
		return HPROF_OK;
	}
	return hprof_writer_put(c->writer, r) < 0 ? refused(c, r) : HPROF_OK;
}

enum hprof_status hp_cv_body(struct hp_convert *c, const void *bytes,
			     size_t size)
{
	if (hprof_writer_body(c->writer, bytes, size) < 0)
		return hp_cv_writer_failed(c);
	return HPROF_OK;
}

enum hprof_status hp_cv_emit(struct hp_convert *c, struct hprof_record *r)
{
	const struct hprof_bytes *late = hp_record_late_field(r);
	uint64_t left = late ? late->size : 0;
	enum hprof_status status;
	size_t n;

	r->id_size = (uint8_t)c->to;
	status = hp_cv_emit_head(c, r);
	if (status != HPROF_OK || c->pass == HP_CV_COUNT)
		return status < 0 ? status : HPROF_OK;
	while (left > 0) {
		if (hprof_reader_body(c->reader, c->piece, HP_PIECE, &n) !=
			    HPROF_OK ||
		    n == 0) { /* the file ends: zeros */
			n = left < HP_PIECE ? (size_t)left : HP_PIECE;
			memset(c->piece, 0, n);
		}
		HP_TRY(hp_cv_body(c, c->piece, n));
		left -= n;
	}
	return HPROF_OK;
}

/* ---- Android ------------------------------------------------------------- */

/*
 * A standard sub-record that says the most of what Android's does. A root
 * that no other writer has is a root for an unknown reason; the elements of
 * an array that were left out cannot be had back, so it has none. False: the
 * record has no place in a standard dump.
 */
static bool make_standard(struct hprof_record *r)
{
	switch (r->tag) {
	case HPROF_ROOT_INTERNED_STRING:
	case HPROF_ROOT_FINALIZING:
	case HPROF_ROOT_DEBUGGER:
	case HPROF_ROOT_REFERENCE_CLEANUP:
	case HPROF_ROOT_VM_INTERNAL:
	case HPROF_ROOT_UNREACHABLE:
		r->tag = HPROF_ROOT_UNKNOWN;
		return true;
	case HPROF_ROOT_JNI_MONITOR:
		r->tag = HPROF_ROOT_MONITOR_USED;
		return true;
	case HPROF_PRIM_ARRAY_NODATA_DUMP:
		r->tag = HPROF_PRIM_ARRAY_DUMP;
		r->u.prim_array_dump.count = 0;
		r->u.prim_array_dump.elements = (struct hprof_bytes){ 0 };
		return true;
	case HPROF_ROOT_THREAD_OBJ:
		if (r->u.root.trace_serial == UINT32_MAX)
			r->u.root.trace_serial = 0; /* none */
		return true;
	default:
		return r->tag != HPROF_HEAP_DUMP_INFO;
	}
}

/* ---- what is left out ---------------------------------------------------- */

static unsigned select_of(unsigned tag)
{
	if (is_frame(tag))
		return HP_CV_FRAMES;
	if (tag < HPROF_SUB)
		return tag == HPROF_UTF8  ? HP_CV_NAMES :
		       tag == HPROF_TRACE ? HP_CV_TRACES :
					    HP_CV_TOP;
	switch (tag) {
	case HPROF_CLASS_DUMP:
		return HP_CV_CLASSES;
	case HPROF_ROOT_THREAD_OBJ:
		return HP_CV_THREADS;
	case HPROF_INSTANCE_DUMP:
	case HPROF_OBJ_ARRAY_DUMP:
	case HPROF_PRIM_ARRAY_DUMP:
	case HPROF_PRIM_ARRAY_NODATA_DUMP:
	case HPROF_HEAP_DUMP_INFO:
		return HP_CV_OBJECTS;
	default:
		return HP_CV_ROOTS;
	}
}

static uint64_t object_of(const struct hprof_record *r)
{
	switch (r->tag) {
	case HPROF_CLASS_DUMP:
		return r->u.class_dump.class_id;
	case HPROF_INSTANCE_DUMP:
		return r->u.instance_dump.object_id;
	case HPROF_OBJ_ARRAY_DUMP:
		return r->u.obj_array_dump.object_id;
	case HPROF_PRIM_ARRAY_DUMP:
	case HPROF_PRIM_ARRAY_NODATA_DUMP:
		return r->u.prim_array_dump.object_id;
	default:
		return r->u.root.object_id;
	}
}

static bool is_object(unsigned tag)
{
	return tag >= HPROF_SUB && select_of(tag) == HP_CV_OBJECTS &&
	       tag != HPROF_HEAP_DUMP_INFO;
}

/* Objects that are not wanted, or not alive. */
static bool is_left_out(struct hp_convert *c, const struct hprof_record *r)
{
	enum { ZYGOTE = 'Z' };

	if (is_frame(r->tag)) {
		c->heap = 0;
		return c->ordered;
	}
	if (r->tag == HPROF_HEAP_DUMP_INFO)
		c->heap = r->u.heap_dump_info.heap;
	if (c->options.no_zygote && c->heap == ZYGOTE && is_object(r->tag))
		return true;
	return c->live && (is_object(r->tag) || r->tag == HPROF_CLASS_DUMP) &&
	       !hp_cv_is_live(c, object_of(r));
}

/* A record that may hold anything, in a dump that must not. */
static bool is_suspect(const struct hp_convert *c, const struct hprof_record *r)
{
	return c->options.redact && r->tag < HPROF_SUB &&
	       !hprof_record_describe(r->tag);
}

/* ---- one record ---------------------------------------------------------- */

static enum hprof_status change(struct hp_convert *c, struct hprof_record *r)
{
	switch (r->tag) {
	case HPROF_UTF8:
		return hp_cv_utf8(c, r);
	case HPROF_START_THREAD:
		if (c->options.redact) /* the thread's name is a secret, too */
			r->u.start_thread.name_id = r->u.start_thread.group_id =
				r->u.start_thread.parent_id = 0;
		return hp_cv_emit(c, r);
	case HPROF_TRACE:
		return hp_cv_trace(c, r);
	case HPROF_CLASS_DUMP:
		return hp_cv_class_dump(c, r);
	case HPROF_INSTANCE_DUMP:
		return hp_cv_instance(c, r);
	case HPROF_OBJ_ARRAY_DUMP:
	case HPROF_PRIM_ARRAY_DUMP:
		return hp_cv_array(c, r);
	default:
		return hp_cv_emit(c, r);
	}
}

enum hprof_status hp_cv_record(struct hp_convert *c, struct hprof_record *r)
{
	hp_reader_clamp_record(c->reader, r);
	if (c->names && !c->looked)
		HP_TRY(hp_cv_learn(c, r));
	if (is_left_out(c, r) || is_suspect(c, r) ||
	    !(c->select & select_of(r->tag)))
		return HPROF_OK;
	if (c->standard && !make_standard(r))
		return HPROF_OK;
	if (c->repair && !hp_cv_repair_record(c, r))
		return HPROF_OK;
	if (c->options.redact) {
		HP_TRY(hp_cv_need_names(c, r));
		r->rest = (struct hprof_bytes){ 0 };
	}
	enum hprof_status status = change(c, r);
	return status < 0 ? status : HPROF_OK;
}
