/* SPDX-License-Identifier: MIT */
/*
 * 03_objects - what a method makes: at the end of the program, the objects of
 * each class that were allocated in its calls, and in calls from there, and how
 * many of them the collector has not taken back.
 *
 *	java -agentpath:/path/03_objects.so=CLASS.METHOD ...
 *
 * The hook says whether this thread is inside of the method. JVMTI tells of the
 * objects, see inside.h, and of the end of those that have a tag, here the number
 * of their class's row.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

enum { CLASSES = 4096 };

/* What comes when there is no room is counted in row 0. */
static struct row {
	char *class_name;
	atomic_llong made, bytes, gone;
} rows[CLASSES];
static int row_count = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- its objects ----------------------------------------------------------- */

/* The row of a class; takes NAME if it is a new one. */
static int find_row(char *name)
{
	int i = 1;

	pthread_mutex_lock(&lock);
	while (i < row_count && strcmp(rows[i].class_name, name))
		i++;
	if (i == row_count && i < CLASSES)
		rows[row_count++].class_name = strdup(name);
	pthread_mutex_unlock(&lock);
	return i < CLASSES ? i : 0;
}

static void JNICALL on_object(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			      jobject object, jclass class, jlong size)
{
	char *name;
	int row;

	(void)jni, (void)thread;
	inside_told();
	if (!is_inside() ||
	    (*jvmti)->GetClassSignature(jvmti, class, &name, NULL))
		return;
	row = find_row(name);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)name);
	if ((*jvmti)->SetTag(jvmti, object, row + 1))
		return;
	atomic_fetch_add(&rows[row].made, 1);
	atomic_fetch_add(&rows[row].bytes, size);
}

static void JNICALL on_end(jvmtiEnv *jvmti, jlong tag)
{
	(void)jvmti;
	atomic_fetch_add(&rows[tag - 1].gone, 1);
}

static void JNICALL on_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
	(void)jvmti, (void)jni;
	printf("    made      bytes     left  class\n");
	for (int i = 0; i < row_count; i++) {
		const long long made = atomic_load(&rows[i].made);

		if (made)
			printf("%8lld %10lld %8lld  %s\n", made,
			       (long long)atomic_load(&rows[i].bytes),
			       made - (long long)atomic_load(&rows[i].gone),
			       i ? rows[i].class_name : "others");
	}
}

/* ---- the beginning --------------------------------------------------------- */

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	const jvmtiEventCallbacks callbacks = { .VMDeath = on_death,
						.SampledObjectAlloc = on_object,
						.ObjectFree = on_end };
	jvmtiCapabilities can = { 0 };
	jvmtiEnv *jvmti = inside_begin(vm, options, "03_objects");

	(void)reserved;
	return !jvmti || inside_listen(jvmti, can, callbacks, 0);
}
