/* SPDX-License-Identifier: MIT */
/*
 * trace_table.c - see trace_table.h.
 *
 * Two hash tables with chains, for traces and for methods. Entries are only ever
 * put at the head of a chain, by compare-and-swap, and never changed or removed,
 * so that readers need no lock.
 */
#include "agent/profile/trace_table.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "agent/profile/class_list.h"
#include "base/mem.h"
#include "base/search.h"

enum { TRACE_CHAINS = 1 << 16, METHOD_CHAINS = 1 << 14 };

struct entry {
	struct entry *next;
	jmethodID id;
	struct ag_method method;
};

struct ag_traces {
	jvmtiEnv *jvmti;
	struct ag_class_list *classes;
	bool lines;
	atomic_uint last; /* serial */
	_Atomic(struct ag_trace *) traces[TRACE_CHAINS];
	_Atomic(struct entry *) methods[METHOD_CHAINS];
};

struct ag_traces *ag_traces_new(jvmtiEnv *jvmti, struct ag_class_list *classes,
				bool lines)
{
	struct ag_traces *t = hp_calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->jvmti = jvmti;
	t->classes = classes;
	t->lines = lines;
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
	for (size_t i = 0; i < METHOD_CHAINS; i++) {
		struct entry *e = atomic_load(&t->methods[i]), *next;

		for (; e; e = next) {
			next = e->next;
			ag_method_release(&e->method, t->jvmti);
			hp_free(e);
		}
	}
	hp_free(t);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

/* ---- methods ------------------------------------------------------------- */

static size_t method_chain(jmethodID id)
{
	return (size_t)(mix(0, (uintptr_t)id) % METHOD_CHAINS);
}

static const struct entry *find_method(const struct ag_traces *t, jmethodID id)
{
	const struct entry *e = atomic_load(&t->methods[method_chain(id)]);

	while (e && e->id != id)
		e = e->next;
	return e;
}

static void describe(struct ag_traces *t, JNIEnv *jni, struct entry *e)
{
	jclass class;

	ag_method_read(t->jvmti, e->id, &e->method, &class);
	if (class)
		e->method.class_serial =
			ag_class_list_number(t->classes, class);
	(*jni)->DeleteLocalRef(jni, class);
}

/* Two threads may add the same method: either entry may be found then. */
static void add_method(struct ag_traces *t, struct entry *e)
{
	_Atomic(struct entry *) *chain = &t->methods[method_chain(e->id)];

	e->next = atomic_load(chain);
	while (!atomic_compare_exchange_weak(chain, &e->next, e))
		continue;
}

/* False without memory. */
static bool learn_method(struct ag_traces *t, JNIEnv *jni, jmethodID id)
{
	struct entry *e;

	if (find_method(t, id))
		return true;
	e = hp_calloc(1, sizeof *e);
	if (!e)
		return false;
	e->id = id;
	describe(t, jni, e);
	add_method(t, e);
	return true;
}

/* As the JVM would return it; NULL without memory, and for NULL. */
static char *copy_text(struct ag_traces *t, const char *text)
{
	size_t size = text ? strlen(text) + 1 : 0;
	unsigned char *copy = NULL;

	if (text && (*t->jvmti)->Allocate(t->jvmti, (jlong)size, &copy) == 0)
		memcpy(copy, text, size);
	return (char *)copy;
}

bool ag_traces_describe(struct ag_traces *t, jmethodID id,
			const struct ag_method *method)
{
	struct entry *e;

	if (find_method(t, id))
		return true;
	e = hp_calloc(1, sizeof *e);
	if (!e)
		return false;
	e->id = id;
	e->method = (struct ag_method){ .name = copy_text(t, method->name),
					.signature =
						copy_text(t, method->signature),
					.source = copy_text(t, method->source),
					.native = method->native,
					.class_serial = method->class_serial };
	add_method(t, e);
	return true;
}

const struct ag_method *ag_traces_method(const struct ag_traces *t,
					 jmethodID id)
{
	static const struct ag_method unknown = { 0 };
	const struct entry *e = find_method(t, id);

	return e ? &e->method : &unknown;
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

/* NULL without memory. */
static struct ag_trace *make_trace(struct ag_traces *t, JNIEnv *jni,
				   const struct key *k)
{
	struct ag_trace *trace =
		hp_alloc(sizeof *trace + k->count * sizeof *trace->frames);

	if (!trace)
		return NULL;
	*trace = (struct ag_trace){ .hash = k->hash,
				    .thread = k->thread,
				    .count = k->count };
	for (uint32_t i = 0; i < k->count; i++) {
		trace->frames[i].method = k->frames[i].method;
		trace->frames[i].location = location_of(t, &k->frames[i]);
		if (!learn_method(t, jni, k->frames[i].method)) {
			hp_free(trace);
			return NULL;
		}
	}
	return trace;
}

/* Another thread may add the same trace meanwhile; then that one stays. */
static uint32_t publish(struct ag_traces *t, _Atomic(struct ag_trace *) *chain,
			struct ag_trace *trace, const struct ag_trace *seen,
			const struct key *k)
{
	trace->serial = atomic_fetch_add(&t->last, 1) + 1;
	trace->next = atomic_load(chain);
	for (;;) {
		struct ag_trace *other = look(t, trace->next, seen, k);

		if (other) {
			hp_free(trace);
			return other->serial;
		}
		seen = trace->next;
		if (atomic_compare_exchange_strong(chain, &trace->next, trace))
			return trace->serial;
	}
}

uint32_t ag_traces_add(struct ag_traces *t, JNIEnv *jni,
		       const jvmtiFrameInfo *frames, uint32_t count,
		       uint32_t thread)
{
	const struct key k = make_key(t, frames, count, thread);
	_Atomic(struct ag_trace *) *chain = &t->traces[k.hash % TRACE_CHAINS];
	struct ag_trace *first = atomic_load(chain), *trace;

	assert(count <= AG_MOST_FRAMES);
	if (count == 0 && thread == 0)
		return AG_TRACE_EMPTY;
	trace = look(t, first, NULL, &k);
	if (trace)
		return trace->serial;
	trace = make_trace(t, jni, &k);
	return trace ? publish(t, chain, trace, first, &k) : 0;
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
