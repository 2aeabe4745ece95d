/* SPDX-License-Identifier: MIT */
/*
 * virtual_thread.h - the state of virtual threads (JDK 21), which have no
 * threadStatus.
 */
#ifndef HP_VIRTUAL_THREAD_H
#define HP_VIRTUAL_THREAD_H

#include "hprof/report.h"
#include "model/field_lookup.h"

enum { HP_VTHREAD_STATES = 32 };

/* The states by the constants of java.lang.VirtualThread in this dump. */
struct hp_virtual_threads {
	size_t count;
	struct {
		uint32_t state, status;
	} states[HP_VTHREAD_STATES];
	uint32_t suspended; /* a bit beside the state */
};

void hp_virtual_threads_init(struct hp_virtual_threads *v,
			     struct hp_field_lookup *layouts);

/* Fills daemon, priority and status of a virtual thread's row. */
bool hp_virtual_threads_state(const struct hp_virtual_threads *v,
			      struct hp_field_lookup *layouts,
			      const struct hp_object *thread,
			      struct hprof_thread_row *row);

#endif
