/* SPDX-License-Identifier: MIT */
/*
 * trace_table.c - see trace_table.h.
 *
 * A hash table with chains. Traces are only ever put at the head of a chain, by
 * compare-and-swap, and never changed or removed, so that readers need no lock.
 * Their methods are those that method_table.h has of all that look the same: a
 * stack of others is looked for as it is, in vain, and then as one of these.
 */
#include "agent/profile/trace_table.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "agent/profile/method_table.h"
#include "base/mem.h"
#include "base/search.h"

enum { TRACE_CHAINS = 1 << 16 };

struct ag_traces {
	struct ag_methods *methods;
	bool lines;
	atomic_uint last; /* serial */
	atomic_size_t size;
	size_t limit;
	_Atomic(struct ag_trace *) traces[TRACE_CHAINS];
};

struct ag_traces *ag_traces_new(jvmtiEnv *jvmti, struct ag_class_list *classes,
				bool lines)
{
	struct ag_traces *t = hp_calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->methods = ag_methods_new(jvmti, classes);
	if (!t->methods) {
		hp_free(t);
		return NULL;
	}
	t->lines = lines;
	t->limit = AG_TRACES_LIMIT;
	atomic_init(&t->last, AG_TRACE_FIRST - 1);
	return t;
}

void ag_traces_free(struct ag_traces *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < TRACE_CHAINS; i++) {
		struct ag_trace *trace = atomic_load(&t->traces[i]), *next;

		for (; trace; trace = next) {
			next = trace->next;
			hp_free(trace);
		}
	}
	ag_methods_free(t->methods);
	hp_free(t);
}

void ag_traces_limit(struct ag_traces *t, size_t bytes)
{
	t->limit = bytes;
}

bool ag_traces_full(const struct ag_traces *t)
{
	return atomic_load(&t->size) + ag_methods_size(t->methods) >= t->limit;
}

bool ag_traces_describe(struct ag_traces *t, jmethodID id,
			const struct ag_method *method)
{
	return ag_methods_describe(t->methods, id, method);
}

const struct ag_method *ag_traces_method(const struct ag_traces *t,
					 jmethodID id)
{
	return ag_methods_find(t->methods, id);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

/* ---- traces -------------------------------------------------------------- */

/* A stack that is looked for. */
struct key {
	uint64_t hash;
	const jvmtiFrameInfo *frames;
	uint32_t count, thread;
};

static jlocation location_of(const struct ag_traces *t,
			     const jvmtiFrameInfo *frame)
{
	return t->lines ? frame->location : -1;
}

static struct key make_key(const struct ag_traces *t,
			   const jvmtiFrameInfo *frames, uint32_t count,
			   uint32_t thread)
{
	struct key k = { mix(count, thread), frames, count, thread };

	for (uint32_t i = 0; i < count; i++) {
		k.hash = mix(k.hash, (uintptr_t)frames[i].method);
		k.hash = mix(k.hash, (uint64_t)location_of(t, &frames[i]));
	}
	return k;
}

static bool is_trace(const struct ag_traces *t, const struct ag_trace *trace,
		     const struct key *k)
{
	if (trace->hash != k->hash || trace->count != k->count ||
	    trace->thread != k->thread)
		return false;
	for (uint32_t i = 0; i < k->count; i++)
		if (trace->frames[i].method != k->frames[i].method ||
		    trace->frames[i].location != location_of(t, &k->frames[i]))
			return false;
	return true;
}

/* Looks from FROM to the end of its chain, or to the trace END. */
static struct ag_trace *look(const struct ag_traces *t, struct ag_trace *from,
			     const struct ag_trace *end, const struct key *k)
{
	for (; from && from != end; from = from->next)
		if (is_trace(t, from, k))
			return from;
	return NULL;
}

/* Of the methods that stand for those of the stack. NULL without memory. */
static struct ag_trace *make_trace(struct ag_traces *t, JNIEnv *jni,
				   const struct key *k)
{
	struct ag_trace *trace =
		hp_alloc(sizeof *trace + k->count * sizeof *trace->frames);

	if (!trace)
		return NULL;
	*trace = (struct ag_trace){ .thread = k->thread, .count = k->count };
	for (uint32_t i = 0; i < k->count; i++) {
		trace->frames[i].method =
			ag_methods_learn(t->methods, jni, k->frames[i].method);
		trace->frames[i].location = location_of(t, &k->frames[i]);
		if (!trace->frames[i].method) {
			hp_free(trace);
			return NULL;
		}
	}
	return trace;
}

/* Another thread may add the same trace meanwhile; then that one stays. */
static uint32_t publish(struct ag_traces *t, struct ag_trace *trace)
{
	const struct key k =
		make_key(t, trace->frames, trace->count, trace->thread);
	_Atomic(struct ag_trace *) *chain = &t->traces[k.hash % TRACE_CHAINS];
	const struct ag_trace *seen = NULL;

	trace->hash = k.hash;
	trace->next = atomic_load(chain);
	for (;;) {
		struct ag_trace *other = look(t, trace->next, seen, &k);

		if (other) {
			hp_free(trace);
			return other->serial;
		}
		seen = trace->next;
		if (!trace->serial)
			trace->serial = atomic_fetch_add(&t->last, 1) + 1;
		if (atomic_compare_exchange_strong(chain, &trace->next, trace))
			break;
	}
	atomic_fetch_add(&t->size,
			 sizeof *trace + trace->count * sizeof *trace->frames);
	return trace->serial;
}

uint32_t ag_traces_add(struct ag_traces *t, JNIEnv *jni,
		       const jvmtiFrameInfo *frames, uint32_t count,
		       uint32_t thread)
{
	const struct key k = make_key(t, frames, count, thread);
	struct ag_trace *trace;

	assert(count <= AG_MOST_FRAMES);
	if (count == 0 && thread == 0)
		return AG_TRACE_EMPTY;
	trace = look(t, atomic_load(&t->traces[k.hash % TRACE_CHAINS]), NULL,
		     &k);
	if (trace)
		return trace->serial;
	if (ag_traces_full(t))
		return 0;
	trace = make_trace(t, jni, &k);
	return trace ? publish(t, trace) : 0;
}

/* ---- reading ------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const uint32_t x = (*(const struct ag_trace *const *)a)->serial;
	const uint32_t y = (*(const struct ag_trace *const *)b)->serial;

	return (x > y) - (x < y);
}

bool ag_traces_list(const struct ag_traces *t, struct ag_trace_list *ret_list)
{
	struct ag_trace_list list = { 0 };
	size_t room = 0;

	for (size_t i = 0; i < TRACE_CHAINS; i++) {
		const struct ag_trace *trace = atomic_load(&t->traces[i]);

		for (; trace; trace = trace->next) {
			if (hp_grow((void **)&list.all, &room, list.count,
				    sizeof *list.all) != HPROF_OK) {
				hp_free(list.all);
				return false;
			}
			list.all[list.count++] = trace;
		}
	}
	if (list.count)
		qsort(list.all, list.count, sizeof *list.all, compare);
	*ret_list = list;
	return true;
}

const struct ag_trace *ag_trace_find(const struct ag_trace_list *list,
				     uint32_t serial)
{
	size_t at;

	HP_LOWER_BOUND(&at, list->count, list->all[hp_at]->serial < serial);
	return at < list->count && list->all[at]->serial == serial
		       ? list->all[at]
		       : NULL;
}
