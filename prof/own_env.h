/* SPDX-License-Identifier: MIT */
/*
 * own_env.h - environments of JVMTI that a part of the library has for itself:
 * its tags, capabilities and events are nobody else's.
 */
#ifndef PF_OWN_ENV_H
#define PF_OWN_ENV_H

#include "prof/environment.h"

/* NULL if the JVM does not give it. CALLBACKS may be NULL. */
jvmtiEnv *pf_own_env(const jvmtiCapabilities *capabilities,
		     const jvmtiEventCallbacks *callbacks);

/* For all threads. */
bool pf_own_env_enable(jvmtiEnv *jvmti, jvmtiEvent event, bool on);

#endif
