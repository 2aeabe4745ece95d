/* SPDX-License-Identifier: MIT */
/* loaded_classes.c - see loaded_classes.h. */
#include "agent/instrument/loaded_classes.h"

#include <assert.h>

#include "agent/common/all_classes.h"

bool ag_class_is_modifiable(jvmtiEnv *jvmti, jclass class)
{
	jboolean is = JNI_FALSE;

	return !(*jvmti)->IsModifiableClass(jvmti, class, &is) && is;
}

void ag_classes_retransform(jvmtiEnv *jvmti, const jclass *classes, jint count)
{
	if ((*jvmti)->RetransformClasses(jvmti, count, classes) == 0)
		return;
	for (jint i = 0; i < count && count > 1; i++)
		(*jvmti)->RetransformClasses(jvmti, 1, &classes[i]);
}

/* Moves those that are chosen to the front and drops the others. */
static jint keep_chosen(jvmtiEnv *jvmti, JNIEnv *jni,
			const struct ag_loaded_choice *choice, jclass *classes,
			jint count)
{
	jint kept = 0;

	for (jint i = 0; i < count; i++) {
		if (choice->wanted(jvmti, classes[i], choice->user) &&
		    ag_class_is_modifiable(jvmti, classes[i]))
			classes[kept++] = classes[i];
		else
			(*jni)->DeleteLocalRef(jni, classes[i]);
	}
	return kept;
}

jvmtiError ag_loaded_retransform(jvmtiEnv *jvmti, JNIEnv *jni,
				 const struct ag_loaded_choice *choice,
				 jint *ret_count)
{
	const jint batch = choice->batch;
	jclass *classes;
	jint count;
	jvmtiError e = ag_all_classes(jvmti, jni, &count, &classes);

	assert(batch > 0);
	if (e != JVMTI_ERROR_NONE)
		return e;
	count = keep_chosen(jvmti, jni, choice, classes, count);
	for (jint i = 0; i < count; i += batch)
		ag_classes_retransform(jvmti, classes + i,
				       count - i < batch ? count - i : batch);
	for (jint i = 0; i < count; i++)
		(*jni)->DeleteLocalRef(jni, classes[i]);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
	*ret_count = count;
	return JVMTI_ERROR_NONE;
}
