/* SPDX-License-Identifier: MIT */
/*
 * method_numbers.c - numbers methods in the order in which their classes come,
 * and keeps their names for reports: a class may be unloaded before.
 */
#include "agent/instrument/method_numbers.h"

#include <pthread.h>
#include <string.h>

#include "agent/instrument/tracker_class.h"
#include "base/arena.h"
#include "base/mem.h"

struct method {
	const char *name, *descriptor;
};

struct class
{
	const char *name, *source;
	struct method *methods;
	uint32_t first, count;
};

/* All of it belongs to the lock. Nothing is freed while the JVM runs. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct class *classes; /* by number */
static size_t n_classes, room;
static uint32_t next_number = 1;
static struct hp_arena names;
static struct ag_left_out left_out;

/* ---- which ones ---------------------------------------------------------- */

static bool begins(struct ag_utf8 text, const char *start)
{
	size_t size = strlen(start);

	return text.size >= size && memcmp(text.bytes, start, size) == 0;
}

/*
 * The tracker calls Object's constructor. In the others a thread changes
 * between being virtual and being its carrier, so what enters a method is not
 * what leaves it; except for two methods, which the tracker must know of.
 */
static bool is_wanted(struct ag_utf8 class_name,
		      const struct ag_class_method *method,
		      struct ag_calls *calls)
{
	if (ag_utf8_is(class_name, "java/lang/Object"))
		return !ag_utf8_is(method->name, "<init>");
	if (ag_class_is_own((const char *)class_name.bytes, class_name.size) ||
	    begins(class_name, "jdk/internal/vm/"))
		return false;
	if (!ag_utf8_is(class_name, "java/lang/VirtualThread"))
		return true;
	calls->number |= AG_METHOD_SWITCHES_THREAD;
	return ag_utf8_is(method->name, "runContinuation") ||
	       ag_utf8_is(method->name, "yieldContinuation");
}

/* ---- numbers ------------------------------------------------------------- */

static const char *keep_text(struct ag_utf8 text)
{
	return hp_arena_text(&names, (const char *)text.bytes, text.size);
}

static bool keep_methods(struct class *c, const struct ag_rewritten *r)
{
	c->methods = hp_arena_take(&names, (r->n_methods + (size_t)1) *
						   sizeof *c->methods);
	if (!c->methods)
		return false;
	for (uint32_t i = 0; i < r->n_methods; i++) {
		c->methods[i].name = keep_text(r->methods[i].name);
		c->methods[i].descriptor = keep_text(r->methods[i].descriptor);
		if (!c->methods[i].name || !c->methods[i].descriptor)
			return false;
		if (r->methods[i].state == AG_METHOD_TOO_LONG)
			left_out.too_long++;
	}
	return true;
}

static bool keep_class(const struct ag_rewritten *r)
{
	struct class c = { .first = next_number, .count = r->n_methods };

	if (hp_grow((void **)&classes, &room, n_classes, sizeof *classes))
		return false;
	c.name = keep_text(r->name);
	c.source = r->source.size ? keep_text(r->source) : "";
	if (!c.name || !c.source || !keep_methods(&c, r))
		return false;
	classes[n_classes++] = c;
	next_number += r->n_methods;
	return true;
}

enum hprof_status ag_methods_instrument(const uint8_t *bytes, size_t size,
					struct ag_rewritten *ret)
{
	struct ag_tracking tracking = { .tracker = AG_TRACKER_CLASS,
					.enter = AG_TRACKER_ENTER,
					.caught = AG_TRACKER_CAUGHT,
					.exit = AG_TRACKER_EXIT,
					.wanted = is_wanted };
	struct ag_rewritten r;
	enum hprof_status status;

	pthread_mutex_lock(&lock);
	tracking.first = next_number;
	status = ag_class_rewrite(bytes, size, &tracking, &r);
	if (status == HPROF_OK && r.bytes && !keep_class(&r)) {
		ag_rewritten_done(&r);
		status = HPROF_E_NOMEM;
	}
	if (status != HPROF_OK)
		left_out.classes++;
	else
		*ret = r;
	pthread_mutex_unlock(&lock);
	return status;
}

/* ---- names --------------------------------------------------------------- */

/* The class whose methods include NUMBER, if there is one. */
static const struct class *find_class(uint32_t number)
{
	size_t low = 0, high = n_classes, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (classes[middle].first <= number)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &classes[low - 1] : NULL;
}

bool ag_method_find(uint32_t number, struct ag_method_name *ret)
{
	const struct class *c;
	struct method *m;
	bool found;

	number &= ~AG_METHOD_SWITCHES_THREAD;
	pthread_mutex_lock(&lock);
	c = find_class(number);
	found = c && number - c->first < c->count;
	if (found) {
		m = &c->methods[number - c->first];
		*ret = (struct ag_method_name){ .class_name = c->name,
						.method = m->name,
						.descriptor = m->descriptor,
						.source = c->source,
						.class_index =
							(size_t)(c - classes),
						.identity = m };
	}
	pthread_mutex_unlock(&lock);
	return found;
}

void ag_methods_left_out(struct ag_left_out *ret)
{
	pthread_mutex_lock(&lock);
	*ret = left_out;
	pthread_mutex_unlock(&lock);
}
