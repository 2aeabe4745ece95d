/* SPDX-License-Identifier: MIT */
/*
 * tracking.c - the hook for classes, and the classes that came before it.
 */
#include "agent/instrument/tracking.h"

#include <string.h>

#include "agent/common/errors.h"
#include "agent/instrument/class_files.h"
#include "agent/instrument/loaded_classes.h"
#include "agent/instrument/method_numbers.h"
#include "agent/instrument/tracker.h"

bool ag_tracking_prepare(jvmtiEnv *jvmti)
{
	jvmtiCapabilities want;

	memset(&want, 0, sizeof want);
	want.can_generate_all_class_hook_events = 1;
	want.can_retransform_classes = 1;
	return (*jvmti)->AddCapabilities(jvmti, &want) == JVMTI_ERROR_NONE;
}

void JNICALL ag_tracking_hook(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined,
			      jobject loader, const char *name,
			      jobject protection_domain, jint size,
			      const unsigned char *bytes, jint *ret_size,
			      unsigned char **ret_bytes)
{
	struct ag_rewritten r;

	(void)jni;
	(void)redefined;
	(void)loader;
	(void)name;
	(void)protection_domain;
	if (ag_methods_instrument(bytes, (size_t)size, &r) != HPROF_OK)
		return;
	ag_rewritten_give(&r, jvmti, ret_size, ret_bytes);
}

/* ---- classes that are loaded --------------------------------------------- */

static bool is_any(jvmtiEnv *jvmti, jclass class, const void *unused)
{
	(void)jvmti;
	(void)class;
	(void)unused;
	return true;
}

static const char *retransform_all(jvmtiEnv *jvmti, JNIEnv *jni)
{
	const struct ag_loaded_choice all = { .wanted = is_any, .batch = 256 };
	jint count;
	jvmtiError e = ag_loaded_retransform(jvmti, jni, &all, &count);

	return e == JVMTI_ERROR_NONE ? NULL : ag_error_text(e);
}

const char *ag_tracking_start(jvmtiEnv *jvmti, JNIEnv *jni)
{
	jvmtiError e;

	if (!ag_tracker_define(jni))
		return "its class for counting cannot be defined";
	e = (*jvmti)->SetEventNotificationMode(
		jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
	if (e != JVMTI_ERROR_NONE)
		return ag_error_text(e);
	return retransform_all(jvmti, jni);
}

void ag_tracking_stop(jvmtiEnv *jvmti, JNIEnv *jni, bool vm_ends)
{
	(*jvmti)->SetEventNotificationMode(
		jvmti, JVMTI_DISABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
	if (!vm_ends)
		retransform_all(jvmti, jni);
}
