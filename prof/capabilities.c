/* SPDX-License-Identifier: MIT */
/* capabilities.c - see capabilities.h. */
#include "prof/capabilities.h"

#include <string.h>

#include "agent/sampling/async_stack.h"
#include "prof/execution.h"
#include "prof/intercept.h"
#include "prof/jvm_events.h"
#include "prof/memory_events.h"

unsigned pf_capabilities_bits(const jvmtiProfCapabilities *c)
{
	unsigned bits = 0;

	if (c->can_intercept_methods)
		bits |= PF_CAN_INTERCEPT;
	if (c->can_generate_sample_execution_events)
		bits |= PF_CAN_SAMPLE;
	if (c->can_get_stack_trace_asynchronously)
		bits |= PF_CAN_STACK;
	if (c->can_generate_object_events)
		bits |= PF_CAN_OBJECTS;
	if (c->can_generate_collection_events)
		bits |= PF_CAN_COLLECTIONS;
	if (c->can_generate_class_events)
		bits |= PF_CAN_CLASSES;
	if (c->can_generate_reference_events)
		bits |= PF_CAN_REFERENCES;
	if (c->can_generate_monitor_events)
		bits |= PF_CAN_MONITORS;
	return bits;
}

jvmtiProfCapabilities pf_capabilities_of(unsigned bits)
{
	jvmtiProfCapabilities c;

	memset(&c, 0, sizeof c);
	c.can_intercept_methods = (bits & PF_CAN_INTERCEPT) != 0;
	c.can_generate_sample_execution_events = (bits & PF_CAN_SAMPLE) != 0;
	c.can_get_stack_trace_asynchronously = (bits & PF_CAN_STACK) != 0;
	c.can_generate_object_events = (bits & PF_CAN_OBJECTS) != 0;
	c.can_generate_collection_events = (bits & PF_CAN_COLLECTIONS) != 0;
	c.can_generate_class_events = (bits & PF_CAN_CLASSES) != 0;
	c.can_generate_reference_events = (bits & PF_CAN_REFERENCES) != 0;
	c.can_generate_monitor_events = (bits & PF_CAN_MONITORS) != 0;
	return c;
}

/* By event. */
static const unsigned capability_of[] = {
	[JVMTIPROF_EVENT_SAMPLE_EXECUTION] = PF_CAN_SAMPLE,
	[JVMTIPROF_EVENT_SPECIFIC_METHOD_ENTRY] = PF_CAN_INTERCEPT,
	[JVMTIPROF_EVENT_SPECIFIC_METHOD_EXIT] = PF_CAN_INTERCEPT,
	[JVMTIPROF_EVENT_OBJECT_ALLOC] = PF_CAN_OBJECTS,
	[JVMTIPROF_EVENT_OBJECT_FREE] = PF_CAN_OBJECTS,
	[JVMTIPROF_EVENT_COLLECTION_START] = PF_CAN_COLLECTIONS,
	[JVMTIPROF_EVENT_COLLECTION_FINISH] = PF_CAN_COLLECTIONS,
	[JVMTIPROF_EVENT_CLASS_LOAD] = PF_CAN_CLASSES,
	[JVMTIPROF_EVENT_CLASS_UNLOAD] = PF_CAN_CLASSES,
	[JVMTIPROF_EVENT_REFERENCE] = PF_CAN_REFERENCES,
	[JVMTIPROF_EVENT_MONITOR] = PF_CAN_MONITORS,
};

enum { EVENTS = sizeof capability_of / sizeof *capability_of };

unsigned pf_capability_of(jvmtiProfEvent event)
{
	return (unsigned)event < EVENTS ? capability_of[event] : 0;
}

unsigned pf_events_of(unsigned bits)
{
	unsigned events = 0;

	for (unsigned i = 0; i < EVENTS; i++)
		if (capability_of[i] & bits)
			events |= 1U << i;
	return events;
}

unsigned pf_capabilities_prepare(unsigned bits)
{
	const unsigned execution = PF_CAN_SAMPLE | PF_CAN_STACK;
	unsigned had = 0;

	if ((bits & PF_CAN_INTERCEPT) && pf_intercept_prepare())
		had |= PF_CAN_INTERCEPT;
	if ((bits & execution) && !pf_execution_prepare()) {
		pf_jvm_listen_for_threads();
		had |= bits & execution;
	}
	if (bits & PF_CAN_OBJECTS)
		pf_jvm_listen_for_threads();
	return had | pf_memory_prepare(bits);
}

unsigned pf_capabilities_potential(void)
{
	jvmtiEnv *jvmti = pf_jvmti();
	jvmtiCapabilities can;
	unsigned bits = 0;

	if ((*jvmti)->GetPotentialCapabilities(jvmti, &can))
		return 0;
	if (can.can_retransform_classes)
		bits |= PF_CAN_INTERCEPT;
	if (can.can_generate_compiled_method_load_events &&
	    !ag_async_prepare(pf_vm()))
		bits |= PF_CAN_SAMPLE | PF_CAN_STACK;
	return bits | pf_memory_potential(&can);
}
