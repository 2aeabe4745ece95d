/* SPDX-License-Identifier: MIT */
/*
 * 04_ages - how old the objects become that a method makes, itself or in calls
 * from there: at the end of the program, how many ended by the age of so many
 * collections, and how many there are still.
 *
 *	java -agentpath:/path/04_ages.so=CLASS.METHOD ...
 *
 * The tag of an object is the number of collections before its birth. JVMTI tells
 * of its end some time after the collection that took it, so an age may be too
 * high by those that follow closely.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "inside.h"

/* Ages: 0, 1, 2 and 3, 4 to 7, 8 and more. */
enum { AGES = 5 };

static atomic_llong collections, made, ended[AGES];

/* ---- its objects ----------------------------------------------------------- */

static void JNICALL on_object(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			      jobject object, jclass class, jlong size)
{
	(void)jni, (void)thread, (void)class, (void)size;
	inside_told();
	if (is_inside() &&
	    !(*jvmti)->SetTag(jvmti, object, atomic_load(&collections) + 1))
		atomic_fetch_add(&made, 1);
}

/* In a pause of the JVM: it may be asked for nothing. */
static void JNICALL on_collection(jvmtiEnv *jvmti)
{
	(void)jvmti;
	atomic_fetch_add(&collections, 1);
}

/* The collection that took an object is not one that it lived through. */
static void JNICALL on_end(jvmtiEnv *jvmti, jlong tag)
{
	long long age = atomic_load(&collections) - tag;
	int row = 0;

	(void)jvmti;
	for (; age > 0 && row < AGES - 1; age >>= 1)
		row++;
	atomic_fetch_add(&ended[row], 1);
}

static void JNICALL on_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
	static const char *const names[AGES] = { "0", "1", "2", "4", "8" };
	long long left = atomic_load(&made);

	(void)jvmti, (void)jni;
	printf("%lld objects, %lld collections\n", left,
	       (long long)atomic_load(&collections));
	for (int i = 0; i < AGES; i++) {
		const long long n = atomic_load(&ended[i]);

		left -= n;
		printf("%8lld ended after %s%s\n", n, names[i],
		       i > 1 ? " or more" : "");
	}
	printf("%8lld are left\n", left);
}

/* ---- the beginning --------------------------------------------------------- */

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	const jvmtiEventCallbacks callbacks = {
		.VMDeath = on_death,
		.SampledObjectAlloc = on_object,
		.GarbageCollectionFinish = on_collection,
		.ObjectFree = on_end,
	};
	const jvmtiCapabilities can = {
		.can_generate_garbage_collection_events = 1
	};
	jvmtiEnv *jvmti = inside_begin(vm, options, "04_ages");

	(void)reserved;
	return !jvmti || inside_listen(jvmti, can, callbacks,
				       JVMTI_EVENT_GARBAGE_COLLECTION_FINISH);
}
