/* SPDX-License-Identifier: MIT */
/* memory_functions.h - the functions of jvmtiProfEnv about memory. */
#ifndef PF_MEMORY_FUNCTIONS_H
#define PF_MEMORY_FUNCTIONS_H

#include "prof/hprof/prof.h"

jvmtiProfError JNICALL pf_set_allocation_sampling(jvmtiProfEnv *env,
						  jint interval, jint depth);
jvmtiProfError JNICALL pf_get_allocation_sites(jvmtiProfEnv *env,
					       jint *ret_count,
					       jvmtiProfSite **ret_sites);
jvmtiProfError JNICALL pf_get_memory_pools(jvmtiProfEnv *env, jint *ret_count,
					   jvmtiProfMemoryPool **ret_pools);
jvmtiProfError JNICALL pf_set_reference_depth(jvmtiProfEnv *env, jint depth);

#endif
