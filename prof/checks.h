/* SPDX-License-Identifier: MIT */
/* checks.h - what functions that agents call look at first. */
#ifndef PF_CHECKS_H
#define PF_CHECKS_H

#include <stdbool.h>

#include "prof/environment.h"

/* These end the function that has them. */
#define REQUIRE(condition, error)                       \
	do {                                            \
		if (!(condition))                       \
			return JVMTIPROF_ERROR_##error; \
	} while (0)
#define REQUIRE_ENV(e, env)             \
	struct pf_env *e;               \
	REQUIRE((env), NULL_POINTER);   \
	(e) = pf_env_of(env);           \
	REQUIRE((e), INVALID_ENVIRONMENT)

static inline bool is_load_or_live(void)
{
	const jvmtiPhase phase = pf_phase();

	return phase == JVMTI_PHASE_ONLOAD || phase == JVMTI_PHASE_LIVE;
}

/* Why the JVM refused: it has ended since REQUIRE looked, or does not have it. */
static inline jvmtiProfError refusal(void)
{
	return is_load_or_live() ? JVMTIPROF_ERROR_NOT_AVAILABLE
				 : JVMTIPROF_ERROR_WRONG_PHASE;
}

static inline bool can(const struct pf_env *e, unsigned bits)
{
	return (atomic_load(&e->capabilities) & bits) == bits;
}

#endif
