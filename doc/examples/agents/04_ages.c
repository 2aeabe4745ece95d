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

#include <hprof/prof.h>

/* Ages: 0, 1, 2 and 3, 4 to 7, 8 and more. */
enum { AGES = 5, NAME = 1000 };

static jvmtiProfEnv *prof;
static char class_name[NAME];
static const char *method;
static _Thread_local int inside;
static atomic_int primed; /* an object was told of */
static atomic_llong collections, made, ended[AGES];

/* ---- the method ------------------------------------------------------------ */

static void JNICALL on_entry(jvmtiProfEnv *env, jvmtiEnv *jvmti, JNIEnv *jni,
			     jthread thread, jint hook)
{
	(void)env, (void)jvmti, (void)jni, (void)thread, (void)hook;
	inside++;
}

static void JNICALL on_exit_(jvmtiProfEnv *env, jvmtiEnv *jvmti, JNIEnv *jni,
			     jthread thread, jint hook)
{
	(void)env, (void)jvmti, (void)jni, (void)thread, (void)hook;
	inside--;
}

/* ---- its objects ----------------------------------------------------------- */

static void JNICALL on_object(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			      jobject object, jclass class, jlong size)
{
	(void)jni, (void)thread, (void)class, (void)size;
	atomic_store(&primed, 1);
	if (inside > 0 &&
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

/*
 * A thread first uses up the memory that it had before the event was enabled.
 * Arrays are made until one is told of: from then on, nothing is missed.
 */
static void JNICALL on_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	(void)jvmti, (void)thread;
	for (int i = 0; i < 1000 && !atomic_load(&primed); i++)
		(*jni)->DeleteLocalRef(jni, (*jni)->NewByteArray(jni, 65536));
}

static int listen_to_objects(jvmtiEnv *jvmti)
{
	static const jvmtiEvent events[] = {
		JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH,
		JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, JVMTI_EVENT_OBJECT_FREE,
		JVMTI_EVENT_GARBAGE_COLLECTION_FINISH
	};
	const jvmtiCapabilities can = {
		.can_tag_objects = 1,
		.can_generate_object_free_events = 1,
		.can_generate_garbage_collection_events = 1,
		.can_generate_sampled_object_alloc_events = 1,
	};
	const jvmtiEventCallbacks callbacks = { .VMInit = on_init,
						.VMDeath = on_death,
						.SampledObjectAlloc = on_object,
						.GarbageCollectionFinish =
							on_collection,
						.ObjectFree = on_end };
	int failed = (*jvmti)->AddCapabilities(jvmti, &can) ||
		     (*jvmti)->SetHeapSamplingInterval(jvmti, 0) ||
		     (*jvmti)->SetEventCallbacks(jvmti, &callbacks,
						 sizeof callbacks);

	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		failed |= (*jvmti)->SetEventNotificationMode(
				  jvmti, JVMTI_ENABLE, events[i], NULL) != 0;
	return failed;
}

static int listen_to_method(JavaVM *vm, jvmtiEnv *jvmti)
{
	const jvmtiProfCapabilities can = { .can_intercept_methods = 1 };
	const jvmtiProfEventCallbacks callbacks = {
		.SpecificMethodEntry = on_entry,
		.SpecificMethodExit = on_exit_,
	};

	return jvmtiProf_Create(vm, jvmti, &prof, JVMTIPROF_VERSION) ||
	       (*prof)->AddCapabilities(prof, &can) ||
	       (*prof)->SetEventCallbacks(prof, &callbacks, sizeof callbacks) ||
	       (*prof)->SetEventNotificationMode(
		       prof, JVMTI_ENABLE,
		       JVMTIPROF_EVENT_SPECIFIC_METHOD_ENTRY, NULL) ||
	       (*prof)->SetEventNotificationMode(
		       prof, JVMTI_ENABLE, JVMTIPROF_EVENT_SPECIFIC_METHOD_EXIT,
		       NULL) ||
	       (*prof)->SetMethodEventFlag(prof, class_name, method, NULL,
					   JVMTIPROF_METHOD_EVENT_ENTRY |
						   JVMTIPROF_METHOD_EVENT_EXIT,
					   JNI_TRUE, NULL);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	jvmtiEnv *jvmti;
	char *dot;

	(void)reserved;
	snprintf(class_name, sizeof class_name, "%s", options ? options : "");
	dot = strrchr(class_name, '.');
	if (!dot) {
		fputs("04_ages: the option is CLASS.METHOD\n", stderr);
		return 1;
	}
	*dot = '\0';
	method = dot + 1;
	if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) ||
	    listen_to_objects(jvmti) || listen_to_method(vm, jvmti)) {
		fputs("04_ages: not in this JVM\n", stderr);
		return 1;
	}
	return 0;
}
