/*
 * convert_names.c - what becomes of UTF8 records. In a redacted dump only
 * names go out; where it is not known yet whether a text is one, it waits for
 * the record that says so.
 */
#include "convert.h"
#include "error.h"

/* Names of classes and the like; the text of a thread's name is none. */
static bool is_name(const struct hp_cv_string *s)
{
	return s->uses & ~(unsigned)HP_CV_THREAD;
}

static enum hprof_status put_string(struct hp_convert *c,
				    struct hp_cv_string *s)
{
	struct hprof_record r = {
		.tag = HPROF_UTF8,
		.id_size = (uint8_t)c->to,
		.u.utf8 = { .string_id = s->id, .text = { s->text, s->size } },
	};

	s->written = true;
	hp_cv_rename(c, &r.u.utf8.text);
	return hp_cv_emit(c, &r);
}

/* Texts that are no names, and would tell what is to be hidden. */
static bool hides(const struct hp_convert *c)
{
	return c->options.redact || c->options.obfuscate;
}

enum hprof_status hp_cv_utf8(struct hp_convert *c, struct hprof_record *r)
{
	struct hp_cv_string *s =
		c->names ? hp_cv_string(c, r->u.utf8.string_id, false) : NULL;

	if (s && c->pass == HP_CV_WRITE) {
		if (hides(c) && (!s->text || s->written ||
				 !(c->options.redact ? is_name(s) : s->uses)))
			return HPROF_OK;
		s->written = true;
	}
	hp_cv_rename(c, &r->u.utf8.text);
	return hp_cv_emit(c, r);
}

static enum hprof_status need(struct hp_convert *c, uint64_t id)
{
	struct hp_cv_string *s = id ? hp_cv_string(c, id, false) : NULL;

	if (!s || s->written || !s->text)
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

enum hprof_status hp_cv_need_names(struct hp_convert *c,
				   const struct hprof_record *r)
{
	if (c->pass != HP_CV_WRITE)
		return HPROF_OK;
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
