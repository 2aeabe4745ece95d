/* SPDX-License-Identifier: MIT */
/* own_env.c - see own_env.h. */
#include "prof/own_env.h"

jvmtiEnv *pf_own_env(const jvmtiCapabilities *capabilities,
		     const jvmtiEventCallbacks *callbacks)
{
	void *made = NULL;
	jvmtiEnv *jvmti;

	if ((*pf_vm())->GetEnv(pf_vm(), &made, JVMTI_VERSION_11) != JNI_OK)
		return NULL;
	jvmti = made;
	if (!(*jvmti)->AddCapabilities(jvmti, capabilities) &&
	    (!callbacks || !(*jvmti)->SetEventCallbacks(
				   jvmti, callbacks, (jint)sizeof *callbacks)))
		return jvmti;
	(*jvmti)->DisposeEnvironment(jvmti);
	return NULL;
}

bool pf_own_env_enable(jvmtiEnv *jvmti, jvmtiEvent event, bool on)
{
	return (*jvmti)->SetEventNotificationMode(
		       jvmti, on ? JVMTI_ENABLE : JVMTI_DISABLE, event, NULL) ==
	       JVMTI_ERROR_NONE;
}
