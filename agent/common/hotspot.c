/* SPDX-License-Identifier: MIT */
/*
 * hotspot.c - see hotspot.h.
 */
#include "agent/common/hotspot.h"

#include <string.h>

static void release(jvmtiEnv *jvmti, void *memory)
{
	(*jvmti)->Deallocate(jvmti, memory);
}

/* The extension function called ID; NULL if there is none. */
static jvmtiExtensionFunction find_extension(jvmtiEnv *jvmti, const char *id)
{
	jvmtiExtensionFunction found = NULL;
	jvmtiExtensionFunctionInfo *list;
	jint count;

	if ((*jvmti)->GetExtensionFunctions(jvmti, &count, &list))
		return NULL;
	for (jint i = 0; i < count; i++) {
		jvmtiExtensionFunctionInfo *f = &list[i];
		if (strcmp(f->id, id) == 0)
			found = f->func;
		for (jint j = 0; j < f->param_count; j++)
			release(jvmti, f->params[j].name);
		release(jvmti, f->id);
		release(jvmti, f->short_description);
		release(jvmti, f->params);
		release(jvmti, f->errors);
	}
	release(jvmti, list);
	return found;
}

jvmtiExtensionFunction ag_virtual_thread_getter(jvmtiEnv *jvmti)
{
	return find_extension(jvmti,
			      "com.sun.hotspot.functions.GetVirtualThread");
}

bool ag_is_hotspot(jvmtiEnv *jvmti)
{
	return find_extension(jvmti, "com.sun.hotspot.functions."
				     "IsClassUnloadingEnabled") != NULL;
}

static bool is_thread_class(jvmtiEnv *jvmti, jclass class)
{
	char *signature;
	bool same;

	if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL))
		return true; /* ends the search */
	same = strcmp(signature, "Ljava/lang/Thread;") == 0;
	release(jvmti, signature);
	return same;
}

/* Walks up the superclasses: FindClass would use the program's class loader. */
jfieldID ag_thread_number(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	jclass class = (*jni)->GetObjectClass(jni, thread);
	jfieldID number = NULL;

	while (class && !is_thread_class(jvmti, class)) {
		jclass super = (*jni)->GetSuperclass(jni, class);

		(*jni)->DeleteLocalRef(jni, class);
		class = super;
	}
	if (class)
		number = (*jni)->GetFieldID(jni, class, "tid", "J");
	(*jni)->ExceptionClear(jni);
	(*jni)->DeleteLocalRef(jni, class);
	return number;
}
