/* SPDX-License-Identifier: MIT */
/*
 * transform_names.c - what happens to UTF8 records. In a redacted dump only
 * names are written; a text that is not known to be a name is held back until a
 * record says so. With a map or an obfuscation, other names are written
 * instead.
 */
#include <inttypes.h>
#include <stdio.h>

#include "convert/convert.h"
#include "base/error.h"

static bool wanted(const struct hp_cv_plan *plan)
{
	const struct hprof_convert_options *o = &plan->options;

	return o->redact || o->obfuscate || o->deobfuscate;
}

/* Replaces TEXT by its new name if it has one. */
static void rename_text(const struct hp_convert *c, struct hprof_bytes *text)
{
	struct hprof_bytes other;

	if (text->data && hp_string_map_get(&c->renamed, text->data,
					    (size_t)text->size, &other))
		*text = other;
}

/* ---- UTF8 ---------------------------------------------------------------- */

/* True for names of classes, methods, files and fields, but not of threads. */
static bool is_name(const struct hp_cv_string *s)
{
	return s->uses & ~(unsigned)HP_CV_THREAD;
}

static enum hprof_status put_string(struct hp_convert *c,
				    struct hp_cv_string *s)
{
	struct hprof_record r = {
		.tag = HPROF_UTF8,
		.id_size = (uint8_t)c->plan->to,
		.u.utf8 = { .string_id = s->id,
			    .text = { s->string.bytes, s->string.size } },
	};
	char text[48];
	int size;

	s->written = true;
	if (c->plan->options.redact && hp_cv_is_doubtful(s)) {
		size = snprintf(text, sizeof text, "redacted-name@0x%" PRIx64,
				s->id);
		r.u.utf8.text.data = (const uint8_t *)text;
		r.u.utf8.text.size = (uint64_t)size;
	} else {
		rename_text(c, &r.u.utf8.text);
	}
	return hp_cv_emit(c, &r);
}

static enum hprof_status change_utf8(struct hp_convert *c,
				     struct hprof_record *r, bool *ret_gone)
{
	const struct hprof_convert_options *o = &c->plan->options;
	struct hp_cv_string *s =
		c->plan->names ? hp_cv_string(c, r->u.utf8.string_id, false)
			       : NULL;

	if (s && !c->output.counting) {
		if (o->redact) {
			*ret_gone = true;
			return s->written || !is_name(s) ? HPROF_OK
							 : put_string(c, s);
		}
		/*
		 * Texts that are not names could disclose what is to be hidden.
		 */
		if (o->obfuscate &&
		    (!s->string.bytes || s->written || !s->uses)) {
			*ret_gone = true;
			return HPROF_OK;
		}
		s->written = true;
	}
	rename_text(c, &r->u.utf8.text);
	return HPROF_OK;
}

static enum hprof_status need(struct hp_convert *c, uint64_t id)
{
	struct hp_cv_string *s = id ? hp_cv_string(c, id, false) : NULL;

	if (!s || s->written || !(s->string.bytes || s->unsure))
		return HPROF_OK;
	return put_string(c, s);
}

static enum hprof_status need_list(struct hp_convert *c,
				   struct hprof_class_cursor cursor)
{
	struct hprof_class_entry entry;

	while (hprof_class_next(&cursor, &entry) == HPROF_OK)
		HP_TRY(need(c, entry.name_id));
	return HPROF_OK;
}

/* The strings that R refers to go out before it, if they were held back. */
static enum hprof_status need_names(struct hp_convert *c,
				    const struct hprof_record *r)
{
	switch (r->tag) {
	case HPROF_LOAD_CLASS:
		return need(c, r->u.load_class.name_id);
	case HPROF_FRAME:
		HP_TRY(need(c, r->u.frame.method_id));
		HP_TRY(need(c, r->u.frame.signature_id));
		return need(c, r->u.frame.source_id);
	case HPROF_CLASS_DUMP:
		HP_TRY(need_list(c, hprof_class_statics(r)));
		return need_list(c, hprof_class_fields(r));
	case HPROF_HEAP_DUMP_INFO:
		return need(c, r->u.heap_dump_info.name_id);
	default:
		return HPROF_OK;
	}
}

static enum hprof_status record(struct hp_convert *c, void *state,
				struct hprof_record *r, bool *ret_gone)
{
	(void)state;
	if (c->plan->options.redact && !c->output.counting)
		HP_TRY(need_names(c, r));
	return r->tag == HPROF_UTF8 ? change_utf8(c, r, ret_gone) : HPROF_OK;
}

const struct hp_transform hp_transform_names = {
	.name = "names",
	.wanted = wanted,
	.record = record,
};
