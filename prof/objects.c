/* SPDX-License-Identifier: MIT */
/*
 * objects.c - see objects.h.
 */
#include "prof/objects.h"

#include <string.h>

#include "agent/profile/class_list.h"
#include "agent/profile/follower.h"
#include "agent/profile/site_counts.h"
#include "agent/profile/trace_table.h"
#include "base/mem.h"
#include "prof/own_env.h"

static struct {
	bool tried;
	struct ag_follower *follower; /* NULL: not prepared */
	struct ag_class_list *classes;
	struct ag_traces *traces;
	struct ag_site_counts *counts;
} the;

static const unsigned object_events =
	1U << JVMTIPROF_EVENT_OBJECT_ALLOC | 1U << JVMTIPROF_EVENT_OBJECT_FREE;

static double objects_of(uint64_t parts)
{
	return (double)parts / AG_OBJECT_PARTS;
}

/* ---- events ---------------------------------------------------------------- */

static void made(void *user, JNIEnv *jni, jthread thread, jobject object,
		 jclass class, uint64_t id, const struct ag_life *life,
		 const struct ag_allocation_stack *stack)
{
	jvmtiProfObject told = {
		.id = (jlong)id,
		.site = (jint)life->site,
		.object = object,
		.object_class = class,
		.size = (jlong)life->size,
		.weight = objects_of(life->parts),
		.frames = stack->frames,
	};

	(void)user;
	for (struct pf_env *e = pf_env_first(); e; e = e->next) {
		jvmtiProfEventObjectAlloc call = atomic_load(&e->object_alloc);
		const jint depth = atomic_load(&e->allocation_depth);

		if (!call || !pf_env_sends(e, JVMTIPROF_EVENT_OBJECT_ALLOC))
			continue;
		told.frame_count =
			(jint)stack->count < depth ? (jint)stack->count : depth;
		call(&e->functions, e->user, jni, thread, &told);
	}
}

static void ended(void *user, uint64_t id, const struct ag_life *life)
{
	const jvmtiProfRelease told = {
		.id = (jlong)id,
		.site = (jint)life->site,
		.age = (jint)life->age,
		.size = (jlong)life->size,
		.weight = objects_of(life->parts),
	};

	(void)user;
	for (struct pf_env *e = pf_env_first(); e; e = e->next) {
		jvmtiProfEventObjectFree call = atomic_load(&e->object_free);

		if (call && pf_env_sends(e, JVMTIPROF_EVENT_OBJECT_FREE))
			call(&e->functions, e->user, &told);
	}
}

/* ---- the beginning --------------------------------------------------------- */

bool pf_objects_prepare(void)
{
	static const struct ag_follower_events events = { .made = made,
							  .ended = ended };
	const jvmtiCapabilities want = { .can_tag_objects = 1,
					 .can_get_line_numbers = 1,
					 .can_get_source_file_name = 1 };
	struct ag_allocations a = { .interval =
					    PF_DEFAULT_ALLOCATION_INTERVAL };
	jvmtiEnv *jvmti;

	if (the.tried)
		return the.follower != NULL;
	the.tried = true;
	jvmti = pf_own_env(&want, NULL);
	if (!jvmti)
		return false;
	a.classes = the.classes = ag_class_list_new(jvmti);
	if (the.classes)
		a.traces = the.traces = ag_traces_new(jvmti, the.classes, true);
	a.counts = the.counts = ag_site_counts_new();
	if (the.traces && the.counts)
		the.follower = ag_follower_new(pf_vm(), &a, &events, NULL);
	if (the.follower && pf_phase() == JVMTI_PHASE_LIVE && pf_jni())
		ag_follower_begin(the.follower, pf_jni());
	return the.follower != NULL;
}

bool pf_objects_update(void)
{
	struct ag_allocations *a;
	uint64_t interval = UINT64_MAX;
	uint32_t depth = 0;

	if (!the.follower)
		return true;
	a = ag_follower_allocations(the.follower);
	for (struct pf_env *e = pf_env_first(); e; e = e->next) {
		const jint every = atomic_load(&e->allocation_interval);
		const jint deep = atomic_load(&e->allocation_depth);

		if (!(atomic_load(&e->enabled) & object_events))
			continue;
		if ((uint64_t)every < interval)
			interval = (uint64_t)every;
		if ((uint32_t)deep > depth)
			depth = (uint32_t)deep;
	}
	if (interval == UINT64_MAX)
		return ag_follower_enable(the.follower, false);
	atomic_store(&a->interval, interval);
	atomic_store(&a->depth, depth);
	if (!ag_follower_enable(the.follower, true))
		return false;
	/* This thread, at least, is told of from now on. */
	if (pf_phase() == JVMTI_PHASE_LIVE && pf_jni())
		ag_follower_begin(the.follower, pf_jni());
	return true;
}

void pf_objects_begin(JNIEnv *jni)
{
	if (the.follower)
		ag_follower_begin(the.follower, jni);
}

void pf_objects_thread_end(JNIEnv *jni)
{
	if (the.follower)
		ag_follower_thread_end(the.follower, jni);
}

bool pf_objects_count(JNIEnv *jni, double *ret_live, double *ret_made)
{
	struct ag_life_count count;

	if (!the.follower || !pf_env_any_sends(object_events))
		return false;
	if (jni)
		ag_follower_settle(the.follower, jni);
	count = ag_lives_count(ag_follower_lives(the.follower));
	*ret_live = objects_of(count.live);
	*ret_made = objects_of(count.made);
	return true;
}

/* ---- sites ----------------------------------------------------------------- */

/* What a table of sites is made of, and where the parts of it go. */
struct sites {
	struct ag_site_sum *sums;
	struct ag_life_sum *lives;
	struct ag_trace_list traces;
	size_t count;
	jvmtiProfSite *rows; /* then frames, then signatures */
	jvmtiFrameInfo *frames;
	char *texts;
};

static void put_row(struct sites *s, size_t i)
{
	const struct ag_site_sum *sum = &s->sums[i];
	const struct ag_life_sum *life = &s->lives[i];
	const struct ag_trace *trace = ag_trace_find(&s->traces, sum->trace);
	const char *signature =
		ag_class_list_signature(the.classes, sum->class_number);
	jvmtiProfSite *row = &s->rows[i];
	uint64_t older = 0;

	row->signature = strcpy(s->texts, signature);
	s->texts += strlen(signature) + 1;
	row->frame_count = trace ? (jint)trace->count : 0;
	row->frames = s->frames;
	if (trace)
		memcpy(s->frames, trace->frames,
		       trace->count * sizeof *s->frames);
	s->frames += row->frame_count;
	row->objects = objects_of(sum->parts);
	row->bytes = (double)sum->bytes;
	for (int age = JVMTIPROF_AGES; age > 0; age--) {
		older += life->ages[age];
		row->survived[age - 1] = objects_of(older);
	}
	row->live_objects = objects_of(life->live);
	row->live_bytes = (double)life->live_bytes;
}

static size_t room_of(const struct sites *s, size_t *ret_frames)
{
	size_t texts = 0;

	*ret_frames = 0;
	for (size_t i = 0; i < s->count; i++) {
		const struct ag_trace *trace =
			ag_trace_find(&s->traces, s->sums[i].trace);

		*ret_frames += trace ? trace->count : 0;
		texts += strlen(ag_class_list_signature(
				 the.classes, s->sums[i].class_number)) +
			 1;
	}
	return s->count * sizeof *s->rows + *ret_frames * sizeof *s->frames +
	       texts;
}

static jvmtiProfError put_rows(const struct pf_env *e, struct sites *s)
{
	size_t frames;
	const size_t room = room_of(s, &frames);
	unsigned char *made_rows;

	if ((*e->user)->Allocate(e->user, (jlong)room, &made_rows))
		return JVMTIPROF_ERROR_OUT_OF_MEMORY;
	s->rows = (void *)made_rows;
	s->frames = (void *)(s->rows + s->count);
	s->texts = (char *)(s->frames + frames);
	for (size_t i = 0; i < s->count; i++)
		put_row(s, i);
	return JVMTIPROF_ERROR_NONE;
}

jvmtiProfError pf_objects_sites(const struct pf_env *e, JNIEnv *jni,
				jint *ret_count, jvmtiProfSite **ret_sites)
{
	jvmtiProfError error = JVMTIPROF_ERROR_OUT_OF_MEMORY;
	struct sites s = { 0 };
	uint64_t lost;

	s.sums = ag_site_counts_sum(the.counts, &s.count, &lost);
	if (s.sums)
		s.lives = ag_follower_sum(the.follower, jni, s.count, false,
					  false);
	if (s.lives && ag_traces_list(the.traces, &s.traces))
		error = put_rows(e, &s);
	hp_free(s.sums);
	hp_free(s.lives);
	hp_free(s.traces.all);
	if (error)
		return error;
	*ret_count = (jint)s.count;
	*ret_sites = s.rows;
	return JVMTIPROF_ERROR_NONE;
}
