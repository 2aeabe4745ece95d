/* SPDX-License-Identifier: MIT */
/* environment.c - see environment.h. */
#include "agent/common/environment.h"

#include <string.h>

#include "agent/common/log.h"

jvmtiEnv *ag_environment(JavaVM *vm)
{
	void *environment = NULL;

	if ((*vm)->GetEnv(vm, &environment, JVMTI_VERSION_11) == JNI_OK)
		return environment;
	ag_log("this JVM has no tool interface of JDK 11 or later");
	return NULL;
}

/*
 * can_support_virtual_threads, which the headers of older JDKs lack: the
 * bits are laid out by the same compiler.
 */
union capabilities {
	jvmtiCapabilities known;
	struct {
		unsigned int first[1];
		unsigned int : 12;
		unsigned int can_support_virtual_threads : 1;
	} later;
};

/* Line numbers and file names are optional: a dump is useful without them. */
bool ag_environment_can_tag(jvmtiEnv *jvmti)
{
	union capabilities have, want;

	memset(&want, 0, sizeof want);
	want.known.can_tag_objects = 1;
	if ((*jvmti)->AddCapabilities(jvmti, &want.known)) {
		ag_log("this JVM does not let objects be tagged");
		return false;
	}
	memset(&want, 0, sizeof want);
	if ((*jvmti)->GetPotentialCapabilities(jvmti, &have.known))
		return true;
	want.known.can_get_line_numbers = have.known.can_get_line_numbers;
	want.known.can_get_source_file_name =
		have.known.can_get_source_file_name;
	want.later.can_support_virtual_threads =
		have.later.can_support_virtual_threads;
	(*jvmti)->AddCapabilities(jvmti, &want.known);
	return true;
}
