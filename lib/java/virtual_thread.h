/* SPDX-License-Identifier: MIT */
/*
 * virtual_thread.h - the state of virtual threads (JDK 21 and later), which is
 * in a field "state" of their own instead of threadStatus.
 */
#ifndef HP_VIRTUAL_THREAD_H
#define HP_VIRTUAL_THREAD_H

#include "hprof/report.h"
#include "java/field_lookup.h"

enum { HP_VTHREAD_STATES = 32 };

/*
 * The constants of java.lang.VirtualThread in this dump, and the JVMTI thread
 * status that each stands for.
 */
struct hp_virtual_threads {
	size_t count;
	struct {
		uint32_t state, status;
	} states[HP_VTHREAD_STATES];
	uint32_t suspended; /* a bit that may be set in addition to a state */
};

void hp_virtual_threads_init(struct hp_virtual_threads *v,
			     struct hp_field_lookup *layouts);

/*
 * Sets daemon, priority and status of ROW if THREAD is a virtual thread with a
 * known state; otherwise returns false and changes nothing.
 */
bool hp_virtual_threads_state(const struct hp_virtual_threads *v,
			      struct hp_field_lookup *layouts,
			      const struct hp_object *thread,
			      struct hprof_thread_row *row);

#endif
