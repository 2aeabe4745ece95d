/* SPDX-License-Identifier: MIT */
/* memory_functions.c - see memory_functions.h. */
#include "prof/memory_functions.h"

#include "agent/profile/trace_table.h"
#include "prof/checks.h"
#include "prof/management.h"
#include "prof/memory_events.h"
#include "prof/objects.h"

static jvmtiProfError update(void)
{
	return pf_memory_update() ? JVMTIPROF_ERROR_NONE : refusal();
}

jvmtiProfError JNICALL pf_set_allocation_sampling(jvmtiProfEnv *env,
						  jint interval, jint depth)
{
	jvmtiProfError error;
	REQUIRE_ENV(e, env);

	REQUIRE(is_load_or_live(), WRONG_PHASE);
	REQUIRE(can(e, PF_CAN_OBJECTS), MUST_POSSESS_CAPABILITY);
	REQUIRE(interval >= 0 && depth >= 0 && depth <= AG_MOST_FRAMES,
		ILLEGAL_ARGUMENT);
	pf_lock();
	atomic_store(&e->allocation_interval, interval);
	atomic_store(&e->allocation_depth, depth);
	error = update();
	pf_unlock();
	return error;
}

jvmtiProfError JNICALL pf_get_allocation_sites(jvmtiProfEnv *env,
					       jint *ret_count,
					       jvmtiProfSite **ret_sites)
{
	REQUIRE_ENV(e, env);

	REQUIRE(ret_count && ret_sites, NULL_POINTER);
	REQUIRE(can(e, PF_CAN_OBJECTS), MUST_POSSESS_CAPABILITY);
	REQUIRE(pf_phase() == JVMTI_PHASE_LIVE, WRONG_PHASE);
	REQUIRE(pf_jni(), UNATTACHED_THREAD);
	return pf_objects_sites(e, pf_jni(), ret_count, ret_sites);
}

jvmtiProfError JNICALL pf_get_memory_pools(jvmtiProfEnv *env, jint *ret_count,
					   jvmtiProfMemoryPool **ret_pools)
{
	REQUIRE_ENV(e, env);

	REQUIRE(ret_count && ret_pools, NULL_POINTER);
	REQUIRE(pf_phase() == JVMTI_PHASE_LIVE, WRONG_PHASE);
	REQUIRE(pf_jni(), UNATTACHED_THREAD);
	return pf_management_pools(e, pf_jni(), ret_count, ret_pools);
}

jvmtiProfError JNICALL pf_set_reference_depth(jvmtiProfEnv *env, jint depth)
{
	REQUIRE_ENV(e, env);

	REQUIRE(is_load_or_live(), WRONG_PHASE);
	REQUIRE(can(e, PF_CAN_REFERENCES), MUST_POSSESS_CAPABILITY);
	REQUIRE(depth >= 0 && depth <= AG_MOST_FRAMES, ILLEGAL_ARGUMENT);
	atomic_store(&e->reference_depth, depth);
	return JVMTIPROF_ERROR_NONE;
}
