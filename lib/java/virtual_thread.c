/* SPDX-License-Identifier: MIT */
/*
 * virtual_thread.c - see virtual_thread.h. The constants of the states have
 * different values in different releases, but hardly ever different names. So
 * their values are read from the static fields of VirtualThread in the dump.
 */
#include "java/virtual_thread.h"

#include <assert.h>
#include <string.h>

/* JVMTI thread state bits, and combinations of them. */
enum {
	NEW = 0,
	ALIVE = 0x1,
	TERMINATED = 0x2,
	RUNNABLE = ALIVE | 0x4,
	BLOCKED = ALIVE | 0x400,
	INDEFINITELY = ALIVE | 0x80 | 0x10,
	WITH_TIMEOUT = ALIVE | 0x80 | 0x20,
	PARKED = 0x200,
	OBJECT_WAIT = 0x100,
	NORMAL_PRIORITY = 5
};

static const struct {
	const char *name;
	uint32_t status;
} names[] = {
	{ "NEW", NEW },
	{ "STARTED", RUNNABLE },
	{ "RUNNABLE", RUNNABLE },
	{ "RUNNING", RUNNABLE },
	{ "PARKING", RUNNABLE },
	{ "PARKED", INDEFINITELY | PARKED },
	{ "PINNED", INDEFINITELY | PARKED },
	{ "TIMED_PARKING", RUNNABLE },
	{ "TIMED_PARKED", WITH_TIMEOUT | PARKED },
	{ "TIMED_PINNED", WITH_TIMEOUT | PARKED },
	{ "UNPARKED", RUNNABLE },
	{ "YIELDING", RUNNABLE },
	{ "YIELDED", RUNNABLE },
	{ "BLOCKING", RUNNABLE },
	{ "BLOCKED", BLOCKED },
	{ "UNBLOCKED", RUNNABLE },
	{ "WAITING", RUNNABLE },
	{ "WAIT", INDEFINITELY | OBJECT_WAIT },
	{ "TIMED_WAITING", RUNNABLE },
	{ "TIMED_WAIT", WITH_TIMEOUT | OBJECT_WAIT },
	{ "TERMINATED", TERMINATED },
};

static bool name_is(const struct hp_string *string, const char *name)
{
	size_t size = strlen(name);

	return string->size == size && memcmp(string->bytes, name, size) == 0;
}

static bool take_static(void *user, const struct hp_string *name,
			const struct hprof_class_entry *entry)
{
	struct hp_virtual_threads *v = user;

	if (entry->type != HPROF_TYPE_INT)
		return true;
	if (name_is(name, "SUSPENDED"))
		v->suspended = (uint32_t)entry->value;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (!name_is(name, names[i].name))
			continue;
		assert(v->count < HP_VTHREAD_STATES);
		v->states[v->count].state = (uint32_t)entry->value;
		v->states[v->count++].status = names[i].status;
	}
	return v->count < HP_VTHREAD_STATES;
}

void hp_virtual_threads_init(struct hp_virtual_threads *v,
			     struct hp_field_lookup *layouts)
{
	memset(v, 0, sizeof *v);
	hp_field_lookup_statics(
		layouts,
		hp_field_lookup_class(layouts, "java.lang.VirtualThread"),
		take_static, v);
}

bool hp_virtual_threads_state(const struct hp_virtual_threads *v,
			      struct hp_field_lookup *layouts,
			      const struct hp_object *thread,
			      struct hprof_thread_row *row)
{
	uint64_t state;

	if (!hp_field_lookup_get(layouts, thread, HP_VIRTUAL_STATE, &state))
		return false;
	for (size_t i = 0; i < v->count; i++) {
		if (v->states[i].state != ((uint32_t)state & ~v->suspended))
			continue;
		row->daemon = true; /* always */
		row->priority = NORMAL_PRIORITY;
		row->status = v->states[i].status;
		return true;
	}
	return false;
}
