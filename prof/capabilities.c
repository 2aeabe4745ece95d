/* SPDX-License-Identifier: MIT */
/* capabilities.c - see capabilities.h. */
#include "prof/capabilities.h"

#include <string.h>

#include "agent/sampling/async_stack.h"
#include "prof/execution.h"
#include "prof/intercept.h"
#include "prof/jvm_events.h"

unsigned pf_capabilities_bits(const jvmtiProfCapabilities *c)
{
	unsigned bits = 0;

	if (c->can_intercept_methods)
		bits |= PF_CAN_INTERCEPT;
	if (c->can_generate_sample_execution_events)
		bits |= PF_CAN_SAMPLE;
	if (c->can_get_stack_trace_asynchronously)
		bits |= PF_CAN_STACK;
	return bits;
}

jvmtiProfCapabilities pf_capabilities_of(unsigned bits)
{
	jvmtiProfCapabilities c;

	memset(&c, 0, sizeof c);
	c.can_intercept_methods = (bits & PF_CAN_INTERCEPT) != 0;
	c.can_generate_sample_execution_events = (bits & PF_CAN_SAMPLE) != 0;
	c.can_get_stack_trace_asynchronously = (bits & PF_CAN_STACK) != 0;
	return c;
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
	return had;
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
	return bits;
}
