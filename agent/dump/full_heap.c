/* SPDX-License-Identifier: MIT */
/*
 * full_heap.c - see full_heap.h.
 */
#include "agent/dump/full_heap.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "agent/common/all_classes.h"
#include "agent/dump/class_reader.h"

/* Never dropped: several loads of the agent may use it. */
static _Atomic(jobject) void_mirror;

/*
 * A thread to handle a signal, and classes to end the JVM, need little, but G1
 * has it only if a whole region is free. An array of more than half a region has
 * it for itself, and there are at least 2048 regions of 1 to 32 MiB.
 */
enum { ROOM_LEAST = 600 << 10, ROOM_MOST = 32 << 20, REGIONS = 2048 };

static _Atomic(jobject) room;

/* Runtime.maxMemory(); 0 if it cannot be had. */
static jlong heap_limit(JNIEnv *jni)
{
	jclass class = (*jni)->FindClass(jni, "java/lang/Runtime");
	jmethodID get = NULL, limit = NULL;
	jobject runtime = NULL;

	if (class)
		get = (*jni)->GetStaticMethodID(jni, class, "getRuntime",
						"()Ljava/lang/Runtime;");
	if (get)
		limit = (*jni)->GetMethodID(jni, class, "maxMemory", "()J");
	if (limit)
		runtime = (*jni)->CallStaticObjectMethod(jni, class, get);
	if ((*jni)->ExceptionCheck(jni) || !runtime)
		return 0;
	return (*jni)->CallLongMethod(jni, runtime, limit);
}

static jsize room_size(JNIEnv *jni)
{
	jlong size = heap_limit(jni) / REGIONS;

	(*jni)->ExceptionClear(jni);
	if (size < ROOM_LEAST)
		return ROOM_LEAST;
	return size > ROOM_MOST ? ROOM_MOST : (jsize)size;
}

static void keep_room(JNIEnv *jni)
{
	jobject array = (*jni)->NewByteArray(jni, room_size(jni)), none = NULL;
	jobject kept = array ? (*jni)->NewGlobalRef(jni, array) : NULL;

	if (kept && !atomic_compare_exchange_strong(&room, &none, kept))
		(*jni)->DeleteGlobalRef(jni, kept);
	if (array)
		(*jni)->DeleteLocalRef(jni, array);
	(*jni)->ExceptionClear(jni);
}

void ag_full_heap_release(JNIEnv *jni)
{
	jobject kept = atomic_exchange(&room, NULL);

	if (kept)
		(*jni)->DeleteGlobalRef(jni, kept);
}

jobject ag_void_mirror(void)
{
	return atomic_load(&void_mirror);
}

/*
 * void has no array class to find it by, but all versions of the JDK have this
 * method.
 */
jobject ag_find_void(JNIEnv *jni, jclass class)
{
	jmethodID method = (*jni)->GetStaticMethodID(
		jni, class, "getPrimitiveClass",
		"(Ljava/lang/String;)Ljava/lang/Class;");
	jstring name = method ? (*jni)->NewStringUTF(jni, "void") : NULL;
	jobject mirror =
		name ? (*jni)->CallStaticObjectMethod(jni, class, method, name)
		     : NULL;

	if (name)
		(*jni)->DeleteLocalRef(jni, name);
	if (!(*jni)->ExceptionCheck(jni))
		return mirror;
	(*jni)->ExceptionClear(jni);
	return NULL;
}

static void keep_void(JNIEnv *jni, jclass class)
{
	jobject found = ag_find_void(jni, class), none = NULL;
	jobject kept = found ? (*jni)->NewGlobalRef(jni, found) : NULL;

	if (kept && !atomic_compare_exchange_strong(&void_mirror, &none, kept))
		(*jni)->DeleteGlobalRef(jni, kept);
	if (found)
		(*jni)->DeleteLocalRef(jni, found);
}

/* Is it an unlinked class of the boot loader? */
static bool is_to_link(jvmtiEnv *jvmti, JNIEnv *jni, jclass class)
{
	enum {
		SETTLED =
			JVMTI_CLASS_STATUS_PREPARED | JVMTI_CLASS_STATUS_ARRAY |
			JVMTI_CLASS_STATUS_PRIMITIVE | JVMTI_CLASS_STATUS_ERROR
	};
	jobject loader = NULL;
	jint status;

	if ((*jvmti)->GetClassStatus(jvmti, class, &status) || status & SETTLED)
		return false;
	if ((*jvmti)->GetClassLoader(jvmti, class, &loader))
		return false;
	if (loader)
		(*jni)->DeleteLocalRef(jni, loader);
	return !loader;
}

void ag_full_heap_prepare(jvmtiEnv *jvmti, JNIEnv *jni)
{
	jclass *list;
	jint count;

	if (ag_all_classes(jvmti, jni, &count, &list))
		return;
	if (count > 0 && !ag_void_mirror())
		keep_void(jni, (*jni)->GetObjectClass(jni, list[0]));
	keep_room(jni);
	for (jint i = 0; i < count; i++) {
		if (is_to_link(jvmti, jni, list[i]))
			ag_class_link(jni, list[i]);
		(*jni)->DeleteLocalRef(jni, list[i]);
	}
	(*jvmti)->Deallocate(jvmti, (unsigned char *)list);
}
