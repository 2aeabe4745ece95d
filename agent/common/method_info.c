/* SPDX-License-Identifier: MIT */
/*
 * method_info.c - see method_info.h.
 */
#include "agent/common/method_info.h"

#include <string.h>

enum { LINE_UNKNOWN = -1, LINE_NATIVE = -3 };

void ag_method_read(jvmtiEnv *jvmti, jmethodID id, struct ag_method *ret,
		    jclass *ret_class)
{
	jboolean native = JNI_FALSE;

	memset(ret, 0, sizeof *ret);
	*ret_class = NULL;
	if ((*jvmti)->GetMethodName(jvmti, id, &ret->name, &ret->signature,
				    NULL) != JVMTI_ERROR_NONE)
		ret->name = ret->signature = NULL;
	if ((*jvmti)->IsMethodNative(jvmti, id, &native) == JVMTI_ERROR_NONE)
		ret->native = native;
	if (ret->native || (*jvmti)->GetLineNumberTable(
				   jvmti, id, &ret->line_count, &ret->lines))
		ret->lines = NULL;
	if ((*jvmti)->GetMethodDeclaringClass(jvmti, id, ret_class)) {
		*ret_class = NULL;
		return;
	}
	if ((*jvmti)->GetSourceFileName(jvmti, *ret_class, &ret->source))
		ret->source = NULL;
}

void ag_method_release(struct ag_method *m, jvmtiEnv *jvmti)
{
	(*jvmti)->Deallocate(jvmti, (unsigned char *)m->name);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)m->signature);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)m->source);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)m->lines);
	memset(m, 0, sizeof *m);
}

/* It is that of the last entry that starts at or before the location. */
int32_t ag_method_line(const struct ag_method *m, jlocation location)
{
	const jvmtiLineNumberEntry *best = NULL;

	if (m->native)
		return LINE_NATIVE;
	for (jint i = 0; m->lines && i < m->line_count; i++) {
		const jvmtiLineNumberEntry *e = &m->lines[i];
		if (e->start_location <= location &&
		    (!best || e->start_location >= best->start_location))
			best = e;
	}
	return best && best->line_number > 0 ? best->line_number : LINE_UNKNOWN;
}
