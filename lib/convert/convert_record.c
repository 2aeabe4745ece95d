/* SPDX-License-Identifier: MIT */
/*
 * convert_record.c - one record of the input on its way through the transforms.
 */
#include "convert/convert.h"
#include "base/error.h"
#include "stream/reader.h"

/* ---- what is learnt ------------------------------------------------------ */

static enum hprof_status learn(struct hp_convert *c,
			       const struct hprof_record *r)
{
	HP_TRY(hp_cv_learn(c, r));
	for (size_t i = 0; i < c->steps.count; i++) {
		const struct hp_cv_step *s = &c->steps.all[i];
		if (s->transform->learn)
			HP_TRY(s->transform->learn(c, s->state, r));
	}
	return HPROF_OK;
}

enum hprof_status hp_cv_look(struct hp_convert *c, void *user,
			     struct hprof_record *r)
{
	(void)user;
	return learn(c, r);
}

/* ---- what transforms are asked ------------------------------------------- */

void hp_cv_know_fields(struct hp_convert *c, struct hp_cv_class *k)
{
	if (k->judged)
		return;
	k->judged = true;
	for (size_t i = 0; i < c->steps.count; i++) {
		const struct hp_cv_step *s = &c->steps.all[i];
		if (s->transform->judge)
			s->transform->judge(c, s->state, k);
	}
}

bool hp_cv_blanks_array(struct hp_convert *c, const struct hprof_record *r)
{
	for (size_t i = 0; i < c->steps.count; i++) {
		const struct hp_cv_step *s = &c->steps.all[i];
		if (s->transform->blanks_array &&
		    s->transform->blanks_array(c, s->state, r))
			return true;
	}
	return false;
}

bool hp_cv_blanks_static(struct hp_convert *c, uint64_t class_id,
			 const struct hprof_class_entry *entry)
{
	for (size_t i = 0; i < c->steps.count; i++) {
		const struct hp_cv_step *s = &c->steps.all[i];
		if (s->transform->blanks_static &&
		    s->transform->blanks_static(c, s->state, class_id, entry))
			return true;
	}
	return false;
}

bool hp_cv_clears(struct hp_convert *c, uint64_t id)
{
	for (size_t i = 0; i < c->steps.count; i++) {
		const struct hp_cv_step *s = &c->steps.all[i];
		if (s->transform->clears &&
		    s->transform->clears(c, s->state, id))
			return true;
	}
	return false;
}

/* ---- one record ---------------------------------------------------------- */

static unsigned select_of(unsigned tag)
{
	if (hp_cv_is_frame(tag))
		return HP_CV_FRAMES;
	if (tag < HPROF_SUB)
		return tag == HPROF_UTF8    ? HP_CV_NAMES
		       : tag == HPROF_TRACE ? HP_CV_TRACES
					    : HP_CV_TOP;
	switch (tag) {
	case HPROF_CLASS_DUMP:
		return HP_CV_CLASSES;
	case HPROF_ROOT_THREAD_OBJ:
		return HP_CV_THREADS;
	case HPROF_HEAP_DUMP_INFO:
		return HP_CV_OBJECTS;
	default:
		return hp_cv_is_object(tag) ? HP_CV_OBJECTS : HP_CV_ROOTS;
	}
}

static bool stays(struct hp_convert *c, const struct hprof_record *r)
{
	const struct hp_cv_step *const *s;

	for (s = c->steps.keep; *s; s++)
		if (!(*s)->transform->keeps(c, (*s)->state, r))
			return false;
	return c->select & select_of(r->tag);
}

enum hprof_status hp_cv_record(struct hp_convert *c, void *user,
			       struct hprof_record *r)
{
	const struct hp_cv_step *const *s;
	bool gone = false;

	(void)user;
	hp_reader_clamp_record(c->input.reader, r);
	if (c->plan->names && !c->looked)
		HP_TRY(learn(c, r));
	if (!stays(c, r))
		return HPROF_OK;
	for (s = c->steps.record; *s; s++) {
		HP_TRY((*s)->transform->record(c, (*s)->state, r, &gone));
		if (gone)
			return HPROF_OK;
	}
	return hp_cv_emit(c, r);
}
