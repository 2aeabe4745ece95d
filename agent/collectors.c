/* SPDX-License-Identifier: MIT */
/*
 * collectors.c - see collectors.h.
 */
#include "agent/collectors.h"

#include "agent/instrument/times.h"
#include "agent/monitor/monitors.h"
#include "agent/profile/life.h"
#include "agent/profile/sites.h"
#include "agent/sampling/samples.h"

bool ag_wants_profile(const struct ag_options *o)
{
	return o->heap == AG_HEAP_SITES || o->heap == AG_HEAP_ALL ||
	       o->heap == AG_HEAP_LIFE || o->cpu != AG_CPU_NONE ||
	       o->monitor != AG_MONITOR_NONE;
}

static void add_collector(struct ag_session *s, struct ag_collector *c)
{
	if (c)
		ag_session_add(s, c);
}

struct ag_session *ag_load_profile(JavaVM *vm, const struct ag_options *o,
				   bool late)
{
	struct ag_session *s;

	if (!ag_wants_profile(o))
		return NULL;
	s = ag_session_new(vm, o);
	if (!s)
		return NULL;
	if (o->heap == AG_HEAP_SITES || o->heap == AG_HEAP_ALL)
		add_collector(s, ag_sites_new(o));
	if (o->heap == AG_HEAP_LIFE)
		add_collector(s, ag_life_new(o));
	if (o->cpu == AG_CPU_TIMES || o->cpu == AG_CPU_OLD)
		add_collector(s, ag_times_new(o));
	if (o->cpu == AG_CPU_SAMPLES)
		add_collector(s, ag_samples_new());
	if (o->monitor != AG_MONITOR_NONE)
		add_collector(s, ag_monitors_new());
	if (ag_session_load(s, late))
		return s;
	ag_session_free(s);
	return NULL;
}
