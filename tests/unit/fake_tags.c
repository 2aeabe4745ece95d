/* SPDX-License-Identifier: MIT */
/*
 * fake_tags.c - see fake_tags.h.
 */
#include "fake_tags.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { OBJECTS = 4096 };

struct env envs[ENVS];
int env_count;
static struct object objects[OBJECTS];
static int object_count;
static bool untold; /* allocations are not told of */
static char class_of_all;
jmethodID innermost;
const jmethodID clone_method = (jmethodID)&object_count;

static struct env *env_of(jvmtiEnv *jvmti)
{
	return (struct env *)(void *)jvmti;
}

/* ---- JVMTI --------------------------------------------------------------- */

static jvmtiError JNICALL add_capabilities(jvmtiEnv *jvmti,
					   const jvmtiCapabilities *wanted)
{
	(void)wanted;
	return env_of(jvmti)->refuses ? JVMTI_ERROR_NOT_AVAILABLE : 0;
}

static jvmtiError JNICALL set_callbacks(jvmtiEnv *jvmti,
					const jvmtiEventCallbacks *callbacks,
					jint size)
{
	memcpy(&env_of(jvmti)->callbacks, callbacks, (size_t)size);
	return 0;
}

static jvmtiError JNICALL set_mode(jvmtiEnv *jvmti, jvmtiEventMode mode,
				   jvmtiEvent event, jthread thread, ...)
{
	(void)event, (void)thread;
	env_of(jvmti)->enabled += mode == JVMTI_ENABLE ? 1 : -1;
	return 0;
}

static jvmtiError JNICALL set_interval(jvmtiEnv *jvmti, jint interval)
{
	(void)jvmti, (void)interval;
	return 0;
}

static jvmtiError JNICALL dispose(jvmtiEnv *jvmti)
{
	env_of(jvmti)->disposed = true;
	return 0;
}

static jvmtiError JNICALL set_tag(jvmtiEnv *jvmti, jobject object, jlong tag)
{
	if ((void *)object != &class_of_all)
		((struct object *)(void *)object)->tags[env_of(jvmti) - envs] =
			tag;
	return 0;
}

static jvmtiError JNICALL get_tag(jvmtiEnv *jvmti, jobject object, jlong *tag)
{
	(void)jvmti, (void)object;
	*tag = 1;
	return 0;
}

static jvmtiError JNICALL property(jvmtiEnv *jvmti, const char *name,
				   char **value)
{
	(void)jvmti, (void)name;
	*value = strdup("17");
	return 0;
}

static jvmtiError JNICALL deallocate(jvmtiEnv *jvmti, unsigned char *memory)
{
	(void)jvmti;
	free(memory);
	return 0;
}

static jvmtiError JNICALL stack_trace(jvmtiEnv *jvmti, jthread thread,
				      jint start, jint most,
				      jvmtiFrameInfo *frames, jint *count)
{
	(void)jvmti, (void)thread, (void)start, (void)most;
	frames[0] = (jvmtiFrameInfo){ .method = innermost };
	*count = innermost ? 1 : 0;
	return 0;
}

/* Each live object, twice. */
static jvmtiError JNICALL follow(jvmtiEnv *jvmti, jint filter, jclass class,
				 jobject from,
				 const jvmtiHeapCallbacks *callbacks,
				 const void *user)
{
	(void)filter, (void)class, (void)from;
	for (int i = 0; i < 2 * object_count; i++)
		if (objects[i / 2].live)
			callbacks->heap_reference_callback(
				JVMTI_HEAP_REFERENCE_FIELD, NULL, 0, 0, 16,
				&objects[i / 2].tags[env_of(jvmti) - envs],
				NULL, -1, (void *)(uintptr_t)user);
	return 0;
}

const struct jvmtiInterface_1_ fake_tags_jvmti = {
	.AddCapabilities = add_capabilities,
	.SetEventCallbacks = set_callbacks,
	.SetEventNotificationMode = set_mode,
	.SetHeapSamplingInterval = set_interval,
	.DisposeEnvironment = dispose,
	.SetTag = set_tag,
	.GetTag = get_tag,
	.GetSystemProperty = property,
	.Deallocate = deallocate,
	.GetStackTrace = stack_trace,
	.FollowReferences = follow,
};

static jint JNICALL get_env(JavaVM *vm, void **ret, jint version)
{
	(void)vm, (void)version;
	cr_assert_lt(env_count, NAMES);
	envs[env_count].functions = &fake_tags_jvmti;
	*ret = &envs[env_count++];
	return JNI_OK;
}

static const struct JNIInvokeInterface_ vm_functions = { .GetEnv = get_env };

JavaVM fake_tags_vm = &vm_functions;

/* ---- JNI ----------------------------------------------------------------- */

static JNIEnv jni = &fake_tags_jni;

struct object *allocate(jlong size)
{
	struct env *to = &envs[ALLOCATIONS];
	struct object *o = &objects[object_count++];

	cr_assert_leq(object_count, OBJECTS);
	memset(o, 0, sizeof *o);
	o->live = true;
	if (to->enabled && !untold)
		to->callbacks.SampledObjectAlloc(
			(jvmtiEnv *)(void *)to, &jni, NULL, (jobject)(void *)o,
			(jclass)(void *)&class_of_all, size);
	return o;
}

/* Nobody keeps it. */
static jbyteArray JNICALL new_bytes(JNIEnv *env, jsize size)
{
	struct object *o = allocate(size + 16);

	(void)env;
	o->live = false;
	return (jbyteArray)(void *)o;
}

static void JNICALL ignore_local(JNIEnv *env, jobject object)
{
	(void)env, (void)object;
}

static jweak JNICALL weak(JNIEnv *env, jobject object)
{
	(void)env;
	return object;
}

static void JNICALL clear(JNIEnv *env)
{
	(void)env;
}

static jclass JNICALL find_class(JNIEnv *env, const char *name)
{
	(void)env, (void)name;
	return (jclass)(void *)&class_of_all;
}

static jmethodID JNICALL find_method(JNIEnv *env, jclass class,
				     const char *name, const char *signature)
{
	(void)env, (void)class, (void)name, (void)signature;
	return clone_method;
}

const struct JNINativeInterface_ fake_tags_jni = {
	.NewByteArray = new_bytes,
	.DeleteLocalRef = ignore_local,
	.DeleteWeakGlobalRef = ignore_local,
	.NewWeakGlobalRef = weak,
	.ExceptionClear = clear,
	.FindClass = find_class,
	.GetMethodID = find_method,
};

/* ---- collections --------------------------------------------------------- */

void begin_collection(void)
{
	jvmtiEnv *marks = (jvmtiEnv *)(void *)&envs[MARKS];

	envs[MARKS].callbacks.GarbageCollectionStart(marks);
}

/* Of those that are dead now, environment by environment. */
void tell_ends(void)
{
	for (int e = MARKS; e <= SENTINELS; e++)
		for (int i = 0; i < object_count; i++) {
			const jlong tag = objects[i].tags[e];

			if (objects[i].live || !tag)
				continue;
			objects[i].tags[e] = 0;
			envs[e].callbacks.ObjectFree(
				(jvmtiEnv *)(void *)&envs[e], tag);
		}
}

void collect(void)
{
	begin_collection();
	tell_ends();
}
