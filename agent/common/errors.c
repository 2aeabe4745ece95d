/* SPDX-License-Identifier: MIT */
/*
 * errors.c - see errors.h. Covers only the errors that the functions called
 * here can return.
 */
#include "agent/common/errors.h"

const char *ag_error_text(jvmtiError error)
{
	switch (error) {
	case JVMTI_ERROR_NONE:
		return "no error";
	case JVMTI_ERROR_OUT_OF_MEMORY:
		return "the JVM has no memory";
	case JVMTI_ERROR_WRONG_PHASE:
		return "the JVM is not yet, or no longer, alive";
	case JVMTI_ERROR_MUST_POSSESS_CAPABILITY:
	case JVMTI_ERROR_NOT_AVAILABLE:
		return "the JVM does not let objects be tagged";
	case JVMTI_ERROR_UNATTACHED_THREAD:
		return "the thread is not the JVM's";
	case JVMTI_ERROR_INVALID_CLASS:
	case JVMTI_ERROR_INVALID_OBJECT:
	case JVMTI_ERROR_INVALID_FIELDID:
		return "the JVM does not know a class that it listed";
	case JVMTI_ERROR_ACCESS_DENIED:
	case JVMTI_ERROR_INTERNAL:
		return "an internal error of the JVM";
	default:
		return "the JVM refused a request";
	}
}
