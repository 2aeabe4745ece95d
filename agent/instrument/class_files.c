/* SPDX-License-Identifier: MIT */
/* class_files.c - see class_files.h. */
#include "agent/instrument/class_files.h"

#include <stdint.h>
#include <string.h>

bool ag_jni_went_well(JNIEnv *jni, const void *result)
{
	if (!(*jni)->ExceptionCheck(jni) && result)
		return true;
	(*jni)->ExceptionClear(jni);
	return false;
}

bool ag_class_files_define(JNIEnv *jni, const struct ag_class_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		const struct ag_class_file *f = &files->list[i];
		jclass class = (*jni)->DefineClass(jni, f->name, NULL,
						   (const jbyte *)f->bytes,
						   (jsize)f->size);
		if (!ag_jni_went_well(jni, class))
			return false;
		(*jni)->DeleteLocalRef(jni, class);
	}
	return true;
}

void ag_rewritten_give(struct ag_rewritten *r, jvmtiEnv *jvmti, jint *ret_size,
		       unsigned char **ret_bytes)
{
	unsigned char *copy;

	if (r->bytes && r->size <= INT32_MAX &&
	    (*jvmti)->Allocate(jvmti, (jlong)r->size, &copy) == 0) {
		memcpy(copy, r->bytes, r->size);
		*ret_size = (jint)r->size;
		*ret_bytes = copy;
	}
	ag_rewritten_done(r);
}
