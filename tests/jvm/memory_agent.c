/* SPDX-License-Identifier: MIT */
/*
 * memory_agent.c - an agent that is linked with libhprof-prof, for Lives.java: it
 * notes the memory events that are sent to it, and answers what the program asks
 * about them. Says BAD and what on standard error.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hprof/prof.h>

#define BAD(...)                                                   \
	do {                                                       \
		fprintf(stderr, "BAD %s:%d: ", __FILE__, __LINE__); \
		fprintf(stderr, __VA_ARGS__);                      \
		fputc('\n', stderr);                               \
	} while (0)
#define IS(call, wanted)                                                \
	do {                                                            \
		jvmtiProfError got_ = (call);                           \
		if (got_ != JVMTIPROF_ERROR_##wanted)                   \
			BAD("%s: %d instead of " #wanted, #call, got_); \
	} while (0)

enum { DEPTH = 8, AGES = 32, IDS = 1 << 22, KINDS = 2, MONITORS = 5 };

static jvmtiEnv *jvmti;
static jvmtiProfEnv *prof;

/* ---- objects --------------------------------------------------------------- */

/* The class that is counted; the program names it. */
static _Atomic(jclass) watched;
static atomic_long allocated, bytes, deep, freed[AGES], wrong, all_freed;
static atomic_uchar is_watched[IDS];

static void JNICALL on_alloc(jvmtiProfEnv *env, jvmtiEnv *user, JNIEnv *jni,
			     jthread thread, const jvmtiProfObject *object)
{
	jclass class = atomic_load(&watched);
	jthread current;
	jlong size = 0;
	char *name = NULL;

	(void)env;
	if (!class || !(*jni)->IsSameObject(jni, class, object->object_class))
		return;
	if ((*user)->GetCurrentThread(user, &current) ||
	    !(*jni)->IsSameObject(jni, current, thread) ||
	    (*user)->GetObjectSize(user, object->object, &size) ||
	    size != object->size || object->weight < 1 || object->site < 1 ||
	    object->id < 1)
		atomic_fetch_add(&wrong, 1);
	(*jni)->DeleteLocalRef(jni, current);
	atomic_fetch_add(&allocated, 1);
	atomic_fetch_add(&bytes, object->size);
	if ((object->id & UINT32_MAX) < IDS)
		atomic_store(&is_watched[object->id & UINT32_MAX], 1);
	if (object->frame_count > 0 &&
	    !(*user)->GetMethodName(user, object->frames[0].method, &name, NULL,
				    NULL) &&
	    strncmp(name, "make", 4) == 0)
		atomic_fetch_add(&deep, 1);
	(*user)->Deallocate(user, (unsigned char *)name);
}

static void JNICALL on_free(jvmtiProfEnv *env, jvmtiEnv *user,
			    const jvmtiProfRelease *release)
{
	const jlong place = release->id & UINT32_MAX;

	(void)env;
	(void)user;
	atomic_fetch_add(&all_freed, 1);
	if (place >= IDS || !atomic_exchange(&is_watched[place], 0))
		return;
	if (release->age < 0 || release->age >= AGES || release->size < 8)
		atomic_fetch_add(&wrong, 1);
	else
		atomic_fetch_add(&freed[release->age], 1);
}

/* ---- collections ----------------------------------------------------------- */

static atomic_long starts, finishes, collections;
static _Atomic jlong last_start;
static jvmtiProfCollection freed_most; /* since the program asked last */

static void JNICALL on_start(jvmtiProfEnv *env, jvmtiEnv *user, jlong number)
{
	(void)env;
	(void)user;
	if (number != atomic_load(&last_start) + 1)
		BAD("collection %lld", (long long)number);
	atomic_store(&last_start, number);
	atomic_fetch_add(&starts, 1);
}

static void JNICALL on_finish(jvmtiProfEnv *env, jvmtiEnv *user, JNIEnv *jni,
			      const jvmtiProfCollection *collection)
{
	(void)env;
	(void)user;
	(void)jni;
	/* Of those that share an event the figures are of different ones. */
	if (collection->count == 1 &&
	    collection->used_before - collection->used_after >=
		    freed_most.used_before - freed_most.used_after)
		freed_most = *collection;
	atomic_fetch_add(&collections, collection->count);
	atomic_fetch_add(&finishes, 1);
}

/* ---- classes --------------------------------------------------------------- */

static atomic_long loaded, unloaded;
static _Atomic jlong loaded_id;
static char shown[1000]; /* the last class Lives$Shown */

static void JNICALL on_load(jvmtiProfEnv *env, jvmtiEnv *user, JNIEnv *jni,
			    jthread thread, const jvmtiProfClass *class)
{
	size_t used;

	(void)env, (void)user, (void)jni, (void)thread;
	if (strcmp(class->signature, "LLives$Shown;") != 0)
		return;
	used = (size_t)snprintf(shown, sizeof shown, "%s %s %d",
				class->signature, class->source,
				(int)class->interface_count);
	for (jint i = 0; i < class->field_count; i++)
		used += (size_t)snprintf(shown + used, sizeof shown - used,
					 " %s:%s:%d", class->fields[i].name,
					 class->fields[i].signature,
					 (int)class->fields[i].modifiers);
	for (jint i = 0; i < class->method_count; i++)
		used += (size_t)snprintf(shown + used, sizeof shown - used,
					 " %s%s:%d:%d", class->methods[i].name,
					 class->methods[i].signature,
					 (int)class->methods[i].modifiers,
					 (int)(class->methods[i].last_line -
					       class->methods[i].first_line));
	atomic_store(&loaded_id, class->id);
	atomic_fetch_add(&loaded, 1);
}

static void JNICALL on_unload(jvmtiProfEnv *env, jvmtiEnv *user,
			      const jvmtiProfClass *class)
{
	(void)env, (void)user;
	if (strcmp(class->signature, "LLives$Shown;") != 0)
		return;
	if (class->id != atomic_load(&loaded_id) || class->class_object)
		BAD("another class was unloaded");
	atomic_fetch_add(&unloaded, 1);
}

/* ---- references ------------------------------------------------------------ */

static atomic_long made[KINDS], dropped[KINDS], reference_frames;
static _Thread_local int ours; /* between the calls of Lives.references */

static void JNICALL on_reference(jvmtiProfEnv *env, jvmtiEnv *user, JNIEnv *jni,
				 const jvmtiProfReference *reference)
{
	const int kind = reference->kind == JVMTIPROF_REFERENCE_WEAK;
	char *name = NULL;
	jobject again;

	(void)env;
	if (!ours)
		return;
	atomic_fetch_add(reference->made ? &made[kind] : &dropped[kind], 1);
	/* One of its own is not told. */
	again = (*jni)->NewGlobalRef(jni, reference->reference);
	(*jni)->DeleteGlobalRef(jni, again);
	if (reference->frame_count > 0 &&
	    !(*user)->GetMethodName(user, reference->frames[0].method, &name,
				    NULL, NULL) &&
	    strcmp(name, "references") == 0)
		atomic_fetch_add(&reference_frames, 1);
	(*user)->Deallocate(user, (unsigned char *)name);
}

/* ---- monitors -------------------------------------------------------------- */

static atomic_long monitors[MONITORS], waited_ms, entered_ms;

static void JNICALL on_monitor(jvmtiProfEnv *env, jvmtiEnv *user, JNIEnv *jni,
			       jthread thread, const jvmtiProfMonitor *monitor)
{
	jclass class = (*jni)->GetObjectClass(jni, monitor->monitor);
	char *name = NULL;

	(void)env, (void)thread;
	if (!(*user)->GetClassSignature(user, class, &name, NULL) &&
	    strcmp(name, "LLives$Lock;") == 0) {
		atomic_fetch_add(&monitors[monitor->kind], 1);
		if (monitor->kind == JVMTIPROF_MONITOR_WAITED)
			atomic_store(&waited_ms, monitor->waited / 1000000);
		if (monitor->kind == JVMTIPROF_MONITOR_ENTERED)
			atomic_store(&entered_ms, monitor->waited / 1000000);
	}
	(*user)->Deallocate(user, (unsigned char *)name);
	(*jni)->DeleteLocalRef(jni, class);
}

/* ---- what the program asks ------------------------------------------------- */

JNIEXPORT void JNICALL Java_Lives_watch(JNIEnv *jni, jclass lives, jclass class)
{
	(void)lives;
	atomic_store(&watched, class ? (*jni)->NewGlobalRef(jni, class) : NULL);
	atomic_store(&allocated, 0);
	atomic_store(&bytes, 0);
	atomic_store(&deep, 0);
	for (int i = 0; i < AGES; i++)
		atomic_store(&freed[i], 0);
}

/* By number, as Lives.java names them. */
JNIEXPORT jlong JNICALL Java_Lives_told(JNIEnv *jni, jclass lives, jint what)
{
	atomic_long *const counters[] = {
		&allocated,   &bytes,
		&deep,	      &wrong,
		&starts,      &finishes,
		&collections, &loaded,
		&unloaded,    &made[0],
		&dropped[0],  &made[1],
		&dropped[1],  &reference_frames,
		&monitors[1], &monitors[2],
		&monitors[3], &monitors[4],
		&waited_ms,   &entered_ms,
		&all_freed,
	};

	(void)jni;
	(void)lives;
	return atomic_load(counters[what]);
}

JNIEXPORT jlong JNICALL Java_Lives_freed(JNIEnv *jni, jclass lives, jint age)
{
	(void)jni;
	(void)lives;
	return atomic_load(&freed[age]);
}

JNIEXPORT jstring JNICALL Java_Lives_shown(JNIEnv *jni, jclass lives)
{
	(void)lives;
	return (*jni)->NewStringUTF(jni, shown);
}

/* Of the sites of a class: objects, bytes, live, then survived by age. */
JNIEXPORT jdoubleArray JNICALL Java_Lives_site(JNIEnv *jni, jclass lives,
					       jstring signature,
					       jstring method)
{
	const char *wanted = (*jni)->GetStringUTFChars(jni, signature, NULL);
	const char *at = (*jni)->GetStringUTFChars(jni, method, NULL);
	jdoubleArray result = (*jni)->NewDoubleArray(jni, 4 + JVMTIPROF_AGES);
	jdouble sums[4 + JVMTIPROF_AGES] = { 0 };
	jvmtiProfSite *sites = NULL;
	jint count = 0;

	(void)lives;
	IS((*prof)->GetAllocationSites(prof, &count, &sites), NONE);
	for (jint i = 0; i < count; i++) {
		const jvmtiProfSite *s = &sites[i];
		char *name = NULL;

		if (strcmp(s->signature, wanted) != 0 || s->frame_count == 0 ||
		    (*jvmti)->GetMethodName(jvmti, s->frames[0].method, &name,
					    NULL, NULL))
			continue;
		if (strcmp(name, at) == 0) {
			sums[0] += s->objects;
			sums[1] += s->bytes;
			sums[2] += s->live_objects;
			sums[3] += s->live_bytes;
			for (int age = 0; age < JVMTIPROF_AGES; age++)
				sums[4 + age] += s->survived[age];
		}
		(*jvmti)->Deallocate(jvmti, (unsigned char *)name);
	}
	(*jvmti)->Deallocate(jvmti, (unsigned char *)sites);
	(*jni)->SetDoubleArrayRegion(jni, result, 0, 4 + JVMTIPROF_AGES, sums);
	(*jni)->ReleaseStringUTFChars(jni, signature, wanted);
	(*jni)->ReleaseStringUTFChars(jni, method, at);
	return result;
}

/* Bytes before and after the collection that freed most, and objects. */
JNIEXPORT jdoubleArray JNICALL Java_Lives_collection(JNIEnv *jni, jclass lives)
{
	const jdouble values[] = {
		(jdouble)freed_most.used_before, (jdouble)freed_most.used_after,
		(jdouble)freed_most.total_after, freed_most.objects_before,
		freed_most.objects_after,	 (jdouble)freed_most.duration,
	};
	const jsize count = sizeof values / sizeof *values;
	jdoubleArray result = (*jni)->NewDoubleArray(jni, count);

	(void)lives;
	freed_most = (jvmtiProfCollection){ 0 };
	(*jni)->SetDoubleArrayRegion(jni, result, 0, count, values);
	return result;
}

JNIEXPORT void JNICALL Java_Lives_references(JNIEnv *jni, jclass lives,
					     jobject object, jint count)
{
	(void)lives;
	ours = 1;
	for (jint i = 0; i < count; i++) {
		jobject global = (*jni)->NewGlobalRef(jni, object);
		jweak weak = (*jni)->NewWeakGlobalRef(jni, object);

		(*jni)->DeleteGlobalRef(jni, global);
		if (i > 0)
			(*jni)->DeleteWeakGlobalRef(jni, weak);
	}
	ours = 0;
}

/* The pools as text: name, heap or not, and whether the figures make sense. */
JNIEXPORT jstring JNICALL Java_Lives_pools(JNIEnv *jni, jclass lives)
{
	static char text[4000];
	jvmtiProfMemoryPool *pools = NULL;
	size_t used = 0;
	jint count = 0;

	(void)lives;
	IS((*prof)->GetMemoryPools(prof, &count, &pools), NONE);
	text[0] = '\0';
	for (jint i = 0; i < count; i++) {
		if (pools[i].used < 0 || pools[i].committed < pools[i].used)
			BAD("pool %s", pools[i].name);
		used += (size_t)snprintf(text + used, sizeof text - used,
					 "%s=%s;", pools[i].name,
					 pools[i].is_heap ? "heap" : "other");
	}
	(*jvmti)->Deallocate(jvmti, (unsigned char *)pools);
	return (*jni)->NewStringUTF(jni, text);
}

static void all_events(jvmtiEventMode mode)
{
	for (int event = JVMTIPROF_EVENT_OBJECT_ALLOC;
	     event <= JVMTIPROF_EVENT_MONITOR; event++)
		IS((*prof)->SetEventNotificationMode(
			   prof, mode, (jvmtiProfEvent)event, NULL),
		   NONE);
}

JNIEXPORT void JNICALL Java_Lives_enable(JNIEnv *jni, jclass lives, jboolean on)
{
	(void)jni;
	(void)lives;
	all_events(on ? JVMTI_ENABLE : JVMTI_DISABLE);
}

JNIEXPORT void JNICALL Java_Lives_sample(JNIEnv *jni, jclass lives,
					 jint interval)
{
	(void)jni;
	(void)lives;
	IS((*prof)->SetAllocationSampling(prof, interval, DEPTH), NONE);
}

/* What each function says to wrong arguments, in the live phase. */
JNIEXPORT void JNICALL Java_Lives_errors(JNIEnv *jni, jclass lives)
{
	const jvmtiProfCapabilities objects = {
		.can_generate_object_events = 1,
		.can_generate_reference_events = 1,
	};
	jvmtiProfSite *sites = NULL;
	jvmtiProfMemoryPool *pools = NULL;
	jint count = 7;

	(void)jni;
	(void)lives;
	IS((*prof)->SetAllocationSampling(prof, -1, 0), ILLEGAL_ARGUMENT);
	IS((*prof)->SetAllocationSampling(prof, 0, -1), ILLEGAL_ARGUMENT);
	IS((*prof)->SetAllocationSampling(prof, 0, 1025), ILLEGAL_ARGUMENT);
	IS((*prof)->SetAllocationSampling(NULL, 0, 0), NULL_POINTER);
	IS((*prof)->GetAllocationSites(prof, NULL, &sites), NULL_POINTER);
	IS((*prof)->GetAllocationSites(prof, &count, NULL), NULL_POINTER);
	IS((*prof)->GetMemoryPools(prof, NULL, &pools), NULL_POINTER);
	IS((*prof)->GetMemoryPools(prof, &count, NULL), NULL_POINTER);
	IS((*prof)->SetReferenceDepth(prof, -1), ILLEGAL_ARGUMENT);
	IS((*prof)->SetEventNotificationMode(prof, JVMTI_ENABLE,
					     (jvmtiProfEvent)12, NULL),
	   ILLEGAL_ARGUMENT);
	IS((*prof)->RelinquishCapabilities(prof, &objects), NONE);
	IS((*prof)->SetAllocationSampling(prof, 0, 0), MUST_POSSESS_CAPABILITY);
	IS((*prof)->GetAllocationSites(prof, &count, &sites),
	   MUST_POSSESS_CAPABILITY);
	IS((*prof)->SetReferenceDepth(prof, 0), MUST_POSSESS_CAPABILITY);
	IS((*prof)->SetEventNotificationMode(prof, JVMTI_ENABLE,
					     JVMTIPROF_EVENT_OBJECT_FREE, NULL),
	   MUST_POSSESS_CAPABILITY);
	IS((*prof)->AddCapabilities(prof, &objects), NONE);
	if (count != 7 || sites || pools)
		BAD("a function that failed set something");
}

/* ---- the beginning --------------------------------------------------------- */

static const jvmtiProfEventCallbacks callbacks = {
	.ObjectAlloc = on_alloc,
	.ObjectFree = on_free,
	.CollectionStart = on_start,
	.CollectionFinish = on_finish,
	.ClassLoad = on_load,
	.ClassUnload = on_unload,
	.Reference = on_reference,
	.Monitor = on_monitor,
};

static const jvmtiProfCapabilities wanted = {
	.can_generate_object_events = 1,
	.can_generate_collection_events = 1,
	.can_generate_class_events = 1,
	.can_generate_reference_events = 1,
	.can_generate_monitor_events = 1,
};

/* The option is the interval of allocations; "off": no event is enabled. */
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	const int off = options && strcmp(options, "off") == 0;
	jvmtiProfCapabilities can;
	void *made_env = NULL;
	jvmtiProfSite *sites;
	jint count;

	(void)reserved;
	if ((*vm)->GetEnv(vm, &made_env, JVMTI_VERSION_11) != JNI_OK)
		return JNI_ERR;
	jvmti = made_env;
	IS(jvmtiProf_Create(vm, jvmti, &prof, JVMTIPROF_VERSION), NONE);
	IS((*prof)->GetPotentialCapabilities(prof, &can), NONE);
	if (!can.can_generate_object_events ||
	    !can.can_generate_collection_events ||
	    !can.can_generate_class_events ||
	    !can.can_generate_reference_events ||
	    !can.can_generate_monitor_events)
		BAD("a capability is missing");
	IS((*prof)->SetAllocationSampling(prof, 0, DEPTH),
	   MUST_POSSESS_CAPABILITY);
	IS((*prof)->AddCapabilities(prof, &wanted), NONE);
	IS((*prof)->SetEventCallbacks(prof, &callbacks, sizeof callbacks),
	   NONE);
	IS((*prof)->SetAllocationSampling(
		   prof, options && !off ? atoi(options) : 0, DEPTH),
	   NONE);
	IS((*prof)->SetReferenceDepth(prof, DEPTH), NONE);
	IS((*prof)->GetAllocationSites(prof, &count, &sites), WRONG_PHASE);
	if (!off)
		all_events(JVMTI_ENABLE);
	return JNI_OK;
}
