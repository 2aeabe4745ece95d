/* SPDX-License-Identifier: MIT */
/* error_names.c - see error_names.h. */
#include "prof/error_names.h"

#include <stddef.h>

const char *pf_error_name(jvmtiProfError error)
{
#define NAME(name)                      \
	case JVMTIPROF_ERROR_##name:    \
		return "JVMTIPROF_ERROR_" #name
	switch ((int)error) {
		NAME(NONE);
		NAME(INVALID_THREAD);
		NAME(THREAD_NOT_ALIVE);
		NAME(UNSUPPORTED_VERSION);
		NAME(NOT_AVAILABLE);
		NAME(MUST_POSSESS_CAPABILITY);
		NAME(NULL_POINTER);
		NAME(ILLEGAL_ARGUMENT);
		NAME(OUT_OF_MEMORY);
		NAME(WRONG_PHASE);
		NAME(INTERNAL);
		NAME(UNATTACHED_THREAD);
		NAME(INVALID_ENVIRONMENT);
	default:
		return NULL;
	}
#undef NAME
}
