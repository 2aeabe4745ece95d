/* SPDX-License-Identifier: MIT */
/*
 * functions.c - the functions that agents call: arguments, phases and
 * capabilities are looked at here, the work is done elsewhere.
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "agent/sampling/async_stack.h"
#include "prof/capabilities.h"
#include "prof/checks.h"
#include "prof/environment.h"
#include "prof/error_names.h"
#include "prof/execution.h"
#include "prof/hooks.h"
#include "prof/intercept.h"
#include "prof/jvm_events.h"
#include "prof/memory_events.h"
#include "prof/memory_functions.h"

/* ---- general --------------------------------------------------------------- */

/* The hooks of E are off: classes lose its calls. */
static void update_classes(const struct pf_env *e)
{
	JNIEnv *jni = pf_phase() == JVMTI_PHASE_LIVE ? pf_jni() : NULL;

	for (struct pf_hook *h = jni ? pf_hooks_first() : NULL; h; h = h->next)
		if (h->env == e)
			pf_intercept_update(e, jni, h->class_name);
}

static void end_hooks(struct pf_env *e)
{
	if (pf_hooks_end(e))
		update_classes(e);
}

static jvmtiProfError JNICALL dispose_environment(jvmtiProfEnv *env)
{
	REQUIRE_ENV(e, env);

	pf_lock();
	atomic_store(&e->alive, false);
	atomic_store(&e->enabled, 0);
	pf_execution_update();
	pf_memory_update();
	end_hooks(e);
	pf_unlock();
	return JVMTIPROF_ERROR_NONE;
}

static jvmtiProfError JNICALL get_jvmti_env(jvmtiProfEnv *env, jvmtiEnv **ret)
{
	REQUIRE_ENV(e, env);

	REQUIRE(ret, NULL_POINTER);
	*ret = e->user;
	return JVMTIPROF_ERROR_NONE;
}

static jvmtiProfError JNICALL get_version_number(jvmtiProfEnv *env, jint *ret)
{
	REQUIRE_ENV(e, env);

	REQUIRE(ret, NULL_POINTER);
	*ret = JVMTIPROF_VERSION;
	return JVMTIPROF_ERROR_NONE;
}

static jvmtiProfError JNICALL get_error_name(jvmtiProfEnv *env,
					     jvmtiProfError error, char **ret)
{
	const char *name = pf_error_name(error);
	unsigned char *copy;
	REQUIRE_ENV(e, env);

	REQUIRE(ret, NULL_POINTER);
	REQUIRE(name, ILLEGAL_ARGUMENT);
	REQUIRE(!(*e->user)->Allocate(e->user, (jlong)strlen(name) + 1, &copy),
		OUT_OF_MEMORY);
	memcpy(copy, name, strlen(name) + 1);
	*ret = (char *)copy;
	return JVMTIPROF_ERROR_NONE;
}

static jvmtiProfError JNICALL set_verbose_flag(jvmtiProfEnv *env,
					       jvmtiProfVerboseFlag flag,
					       jboolean value)
{
	REQUIRE_ENV(e, env);

	REQUIRE(flag == JVMTIPROF_VERBOSE_METHODS ||
			flag == JVMTIPROF_VERBOSE_SAMPLES,
		ILLEGAL_ARGUMENT);
	if (value)
		atomic_fetch_or(&e->verbose, (unsigned)flag);
	else
		atomic_fetch_and(&e->verbose, ~(unsigned)flag);
	return JVMTIPROF_ERROR_NONE;
}

/* ---- events ---------------------------------------------------------------- */

static jvmtiProfError update_samples(struct pf_env *e)
{
	const char *why = pf_execution_update();

	if (!why)
		return JVMTIPROF_ERROR_NONE;
	pf_tell(e, JVMTIPROF_VERBOSE_SAMPLES, "no samples: %s", why);
	return refusal();
}

static jvmtiProfError JNICALL set_event_notification_mode(jvmtiProfEnv *env,
							  jvmtiEventMode mode,
							  jvmtiProfEvent event,
							  jthread thread, ...)
{
	const bool is_sample = event == JVMTIPROF_EVENT_SAMPLE_EXECUTION;
	jvmtiProfError error = JVMTIPROF_ERROR_NONE;
	REQUIRE_ENV(e, env);

	REQUIRE(is_load_or_live(), WRONG_PHASE);
	REQUIRE(!thread && (mode == JVMTI_ENABLE || mode == JVMTI_DISABLE),
		ILLEGAL_ARGUMENT);
	REQUIRE(pf_capability_of(event), ILLEGAL_ARGUMENT);
	REQUIRE(can(e, pf_capability_of(event)), MUST_POSSESS_CAPABILITY);
	pf_lock();
	if (mode == JVMTI_ENABLE)
		atomic_fetch_or(&e->enabled, 1U << event);
	else
		atomic_fetch_and(&e->enabled, ~(1U << event));
	if (is_sample)
		error = update_samples(e);
	else if (!pf_memory_update())
		error = refusal();
	if (error)
		atomic_fetch_and(&e->enabled, ~(1U << event));
	pf_unlock();
	return error;
}

/* Agents that were compiled with fewer events have smaller structs. */
static jvmtiProfError JNICALL set_event_callbacks(
	jvmtiProfEnv *env, const jvmtiProfEventCallbacks *callbacks, jint size)
{
	jvmtiProfEventCallbacks all;
	REQUIRE_ENV(e, env);

	REQUIRE(is_load_or_live(), WRONG_PHASE);
	REQUIRE(!callbacks || (size >= 0 && (size_t)size <= sizeof all &&
			       (size_t)size % sizeof(void *) == 0),
		ILLEGAL_ARGUMENT);
	memset(&all, 0, sizeof all);
	if (callbacks)
		memcpy(&all, callbacks, (size_t)size);
	atomic_store(&e->sample, all.SampleExecution);
	atomic_store(&e->entry, all.SpecificMethodEntry);
	atomic_store(&e->exit, all.SpecificMethodExit);
	pf_memory_callbacks(e, &all);
	return JVMTIPROF_ERROR_NONE;
}

/* ---- capabilities ---------------------------------------------------------- */

static jvmtiProfError JNICALL
get_potential_capabilities(jvmtiProfEnv *env, jvmtiProfCapabilities *ret)
{
	REQUIRE_ENV(e, env);

	REQUIRE(ret, NULL_POINTER);
	REQUIRE(is_load_or_live(), WRONG_PHASE);
	*ret = pf_capabilities_of(pf_capabilities_potential() |
				  atomic_load(&e->capabilities));
	return JVMTIPROF_ERROR_NONE;
}

static jvmtiProfError JNICALL
add_capabilities(jvmtiProfEnv *env, const jvmtiProfCapabilities *wanted)
{
	unsigned bits, had;
	REQUIRE_ENV(e, env);

	REQUIRE(wanted, NULL_POINTER);
	REQUIRE(is_load_or_live(), WRONG_PHASE);
	bits = pf_capabilities_bits(wanted);
	pf_lock();
	had = pf_capabilities_prepare(bits);
	if (had == bits)
		atomic_fetch_or(&e->capabilities, bits);
	pf_unlock();
	return had == bits ? JVMTIPROF_ERROR_NONE : refusal();
}

static jvmtiProfError JNICALL
relinquish_capabilities(jvmtiProfEnv *env, const jvmtiProfCapabilities *given)
{
	unsigned bits;
	REQUIRE_ENV(e, env);

	REQUIRE(given, NULL_POINTER);
	REQUIRE(is_load_or_live(), WRONG_PHASE);
	bits = pf_capabilities_bits(given);
	pf_lock();
	atomic_fetch_and(&e->capabilities, ~bits);
	atomic_fetch_and(&e->enabled, ~pf_events_of(bits));
	if (bits & PF_CAN_SAMPLE)
		pf_execution_update();
	if (bits & PF_CAN_INTERCEPT)
		end_hooks(e);
	pf_memory_update();
	pf_unlock();
	return JVMTIPROF_ERROR_NONE;
}

static jvmtiProfError JNICALL get_capabilities(jvmtiProfEnv *env,
					       jvmtiProfCapabilities *ret)
{
	REQUIRE_ENV(e, env);

	REQUIRE(ret, NULL_POINTER);
	*ret = pf_capabilities_of(atomic_load(&e->capabilities));
	return JVMTIPROF_ERROR_NONE;
}

/* ---- samples and stacks ---------------------------------------------------- */

static jvmtiProfError JNICALL set_execution_sampling_interval(jvmtiProfEnv *env,
							      jlong interval)
{
	jvmtiProfError error = JVMTIPROF_ERROR_NONE;
	REQUIRE_ENV(e, env);

	REQUIRE(is_load_or_live(), WRONG_PHASE);
	REQUIRE(can(e, PF_CAN_SAMPLE), MUST_POSSESS_CAPABILITY);
	REQUIRE(interval >= 0, ILLEGAL_ARGUMENT);
	if (interval == 0)
		interval = PF_DEFAULT_INTERVAL;
	if (interval < PF_LEAST_INTERVAL)
		interval = PF_LEAST_INTERVAL;
	pf_lock();
	atomic_store(&e->interval, interval);
	error = update_samples(e);
	pf_unlock();
	return error;
}

/* Safe in a handler: it takes no lock, and asks the JVM for nothing else. */
static jvmtiProfError JNICALL get_stack_trace_async(jvmtiProfEnv *env,
						    jint depth,
						    jint max_frame_count,
						    jvmtiProfFrameInfo *frames,
						    jint *ret_count)
{
	jint count;
	REQUIRE_ENV(e, env);

	REQUIRE(frames && ret_count, NULL_POINTER);
	REQUIRE(can(e, PF_CAN_STACK), MUST_POSSESS_CAPABILITY);
	REQUIRE(pf_execution_is_live(), WRONG_PHASE);
	REQUIRE(depth >= 0 && depth == max_frame_count, ILLEGAL_ARGUMENT);
	count = depth ? pf_execution_stack(frames, depth) : 0;
	REQUIRE(count != AG_ASYNC_DETACHED, UNATTACHED_THREAD);
	REQUIRE(count > 0 || !depth, INTERNAL);
	*ret_count = count;
	return JVMTIPROF_ERROR_NONE;
}

/* ---- hooks ----------------------------------------------------------------- */

static jvmtiProfError change_hook(struct pf_env *e, struct pf_hook *h,
				  unsigned flags, bool enable)
{
	const unsigned before = atomic_load(&h->flags);
	JNIEnv *jni;

	pf_hook_change(h, enable ? flags : 0, enable ? 0 : flags);
	/* JVMTI tells no phase to threads that are not the JVM's. */
	if (before == atomic_load(&h->flags) || !pf_execution_is_live())
		return JVMTIPROF_ERROR_NONE;
	jni = pf_jni();
	REQUIRE(jni, UNATTACHED_THREAD);
	return pf_intercept_update(e, jni, h->class_name);
}

static jvmtiProfError JNICALL set_method_event_flag(
	jvmtiProfEnv *env, const char *class_name, const char *method,
	const char *signature, jvmtiProfMethodEventFlag flags, jboolean enable,
	jint *ret_hook)
{
	const unsigned all =
		JVMTIPROF_METHOD_EVENT_ENTRY | JVMTIPROF_METHOD_EVENT_EXIT;
	jvmtiProfError error;
	struct pf_hook *h;
	REQUIRE_ENV(e, env);

	REQUIRE(class_name && method, NULL_POINTER);
	REQUIRE(can(e, PF_CAN_INTERCEPT), MUST_POSSESS_CAPABILITY);
	REQUIRE(flags && !((unsigned)flags & ~all), ILLEGAL_ARGUMENT);
	pf_lock();
	h = pf_hook_get(e, class_name, method, signature ? signature : "*",
			enable);
	if (h)
		error = change_hook(e, h, (unsigned)flags, enable);
	else
		error = enable ? JVMTIPROF_ERROR_OUT_OF_MEMORY
			       : JVMTIPROF_ERROR_ILLEGAL_ARGUMENT;
	pf_unlock();
	if (!error && ret_hook)
		*ret_hook = h->id;
	return error;
}

/* ---- entry points ---------------------------------------------------------- */

static const struct jvmtiProfInterface_ functions = {
	.DisposeEnvironment = dispose_environment,
	.GetJvmtiEnv = get_jvmti_env,
	.GetVersionNumber = get_version_number,
	.GetErrorName = get_error_name,
	.SetVerboseFlag = set_verbose_flag,
	.SetEventNotificationMode = set_event_notification_mode,
	.SetEventCallbacks = set_event_callbacks,
	.GetPotentialCapabilities = get_potential_capabilities,
	.AddCapabilities = add_capabilities,
	.RelinquishCapabilities = relinquish_capabilities,
	.GetCapabilities = get_capabilities,
	.SetExecutionSamplingInterval = set_execution_sampling_interval,
	.GetStackTraceAsync = get_stack_trace_async,
	.SetMethodEventFlag = set_method_event_flag,
	.SetAllocationSampling = pf_set_allocation_sampling,
	.GetAllocationSites = pf_get_allocation_sites,
	.GetMemoryPools = pf_get_memory_pools,
	.SetReferenceDepth = pf_set_reference_depth,
};

jvmtiProfError JNICALL jvmtiProf_Create(JavaVM *vm, jvmtiEnv *jvmti_env,
					jvmtiProfEnv **prof_env_ptr,
					jvmtiProfVersion version)
{
	jvmtiPhase phase = JVMTI_PHASE_DEAD;
	struct pf_env *e;

	REQUIRE(vm && jvmti_env && prof_env_ptr, NULL_POINTER);
	REQUIRE(version == JVMTIPROF_VERSION_1_0, UNSUPPORTED_VERSION);
	REQUIRE(!(*jvmti_env)->GetPhase(jvmti_env, &phase),
		INVALID_ENVIRONMENT);
	REQUIRE(phase == JVMTI_PHASE_ONLOAD, WRONG_PHASE);
	REQUIRE(pf_jvm_listen(vm), NOT_AVAILABLE);
	e = pf_env_new(&functions, jvmti_env);
	REQUIRE(e, OUT_OF_MEMORY);
	*prof_env_ptr = &e->functions;
	return JVMTIPROF_ERROR_NONE;
}

jvmtiProfError JNICALL jvmtiProf_GetEnv(jvmtiEnv *jvmti_env,
					jvmtiProfEnv **prof_env_ptr)
{
	struct pf_env *e = pf_env_first();

	REQUIRE(jvmti_env && prof_env_ptr, NULL_POINTER);
	while (e && (e->user != jvmti_env || !atomic_load(&e->alive)))
		e = e->next;
	REQUIRE(e, INVALID_ENVIRONMENT);
	*prof_env_ptr = &e->functions;
	return JVMTIPROF_ERROR_NONE;
}
