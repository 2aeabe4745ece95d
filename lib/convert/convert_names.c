/* SPDX-License-Identifier: MIT */
/*
 * convert_names.c - what becomes of UTF8 records. In a redacted dump only
 * names go out; where it is not known yet whether a text is one, it waits for
 * the record that says so.
 *
 * In a damaged dump a text may have got the identifier of a name, or a name
 * that of a text, or the bytes behind it. So where several texts claim to be
 * a name, none is, and what no compiler would give as one is not let out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "convert/convert.h"
#include "base/error.h"
#include "base/utf8.h"

enum { NAME_MOST = 4096 };

/* ---- what may be a name -------------------------------------------------- */

/* Whole characters, no blanks, none that control. */
static bool is_word(const uint8_t *p, size_t size)
{
	while (size > 0) {
		uint32_t code;
		size_t used = hp_utf8_next(p, size, &code);

		if (used == 0 || code <= ' ' ||
		    (code >= 0x7f && code <= 0xa0) ||
		    (code >= 0x2000 && code <= 0x206f) || code == 0x3000 ||
		    (code >= 0xd800 && code <= 0xdfff))
			return false;
		p += used;
		size -= used;
	}
	return true;
}

static bool has_one_of(const uint8_t *text, size_t size, const char *list)
{
	for (size_t i = 0; i < size; i++)
		if (strchr(list, text[i]))
			return true;
	return false;
}

/* Of a field or method; "<init>", "<clinit>", "<resolved_references>". */
static bool is_member(const uint8_t *text, size_t size)
{
	if (size > 2 && text[0] == '<' && text[size - 1] == '>')
		return !has_one_of(text + 1, size - 2, ".;[/<>");
	return !has_one_of(text, size, ".;[/<>");
}

/* One type of a descriptor at the start of P; 0: there is none. */
static size_t type_size(const uint8_t *p, size_t size)
{
	const uint8_t *end;
	size_t at = 0;

	while (at < size && p[at] == '[')
		at++;
	if (at == size || !strchr("BCDFIJSZVL", p[at]))
		return 0;
	end = p[at] == 'L' ? memchr(p + at, ';', size - at) : p + at;
	return end ? (size_t)(end - p) + 1 : 0;
}

/* "I", "(ILjava/lang/String;)V" */
static bool is_signature(const uint8_t *p, size_t size)
{
	bool method = size > 0 && p[0] == '(';
	size_t at = method, n;

	while (method && at < size && p[at] != ')') {
		n = type_size(p + at, size - at);
		if (n == 0)
			return false;
		at += n;
	}
	at += method;
	return at < size && at + type_size(p + at, size - at) == size;
}

bool hp_cv_is_doubtful(const struct hp_cv_string *s)
{
	const unsigned words = HP_CV_CLASS | HP_CV_SOURCE | HP_CV_HEAP;

	if (s->unsure || s->size > NAME_MOST)
		return true;
	if (s->size == 0)
		return false;
	if (!s->text || !is_word(s->text, s->size))
		return true;
	return !(s->uses & words) &&
	       !(s->uses & (HP_CV_METHOD | HP_CV_FIELD) &&
		 is_member(s->text, s->size)) &&
	       !(s->uses & HP_CV_SIGNATURE && is_signature(s->text, s->size));
}

/* ---- UTF8 ---------------------------------------------------------------- */

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
	char text[48];
	int size;

	s->written = true;
	if (c->options.redact && hp_cv_is_doubtful(s)) {
		size = snprintf(text, sizeof text, "redacted-name@0x%" PRIx64,
				s->id);
		r.u.utf8.text.data = (const uint8_t *)text;
		r.u.utf8.text.size = (uint64_t)size;
	} else {
		hp_cv_rename(c, &r.u.utf8.text);
	}
	return hp_cv_emit(c, &r);
}

enum hprof_status hp_cv_utf8(struct hp_convert *c, struct hprof_record *r)
{
	struct hp_cv_string *s =
		c->names ? hp_cv_string(c, r->u.utf8.string_id, false) : NULL;

	if (s && c->pass == HP_CV_WRITE) {
		if (c->options.redact)
			return s->written || !is_name(s) ? HPROF_OK :
							   put_string(c, s);
		/* Texts that are no names would tell what is to be hidden. */
		if (c->options.obfuscate &&
		    (!s->text || s->written || !s->uses))
			return HPROF_OK;
		s->written = true;
	}
	hp_cv_rename(c, &r->u.utf8.text);
	return hp_cv_emit(c, r);
}

static enum hprof_status need(struct hp_convert *c, uint64_t id)
{
	struct hp_cv_string *s = id ? hp_cv_string(c, id, false) : NULL;

	if (!s || s->written || !(s->text || s->unsure))
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
