/* SPDX-License-Identifier: MIT */
/*
 * test_follower.c - the follower of objects, with a JVM that only has objects with
 * tags: it tells of allocations at once, and of ends when the test says so.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "agent/profile/class_list.h"
#include "agent/profile/follower.h"
#include "agent/profile/site_counts.h"
#include "agent/profile/site_scale.h"
#include "base/mem.h"

enum { MARKS, SENTINELS, ALLOCATIONS, NAMES, ENVS, OBJECTS = 4096 };

struct object {
	bool live;
	jlong tags[ENVS];
};

/* A jvmtiEnv is a pointer to one of these. */
static struct env {
	const struct jvmtiInterface_1_ *functions;
	jvmtiEventCallbacks callbacks;
	int enabled; /* events */
	bool disposed, refuses;
} envs[ENVS];

static int env_count;
static struct object objects[OBJECTS];
static int object_count;
static bool untold; /* allocations are not told of */
static char class_of_all;
static jmethodID innermost; /* of each allocation's stack */
static const jmethodID clone_method = (jmethodID)&object_count;

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

static const struct jvmtiInterface_1_ functions = {
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
	envs[env_count].functions = &functions;
	*ret = &envs[env_count++];
	return JNI_OK;
}

static const struct JNIInvokeInterface_ vm_functions = { .GetEnv = get_env };
static JavaVM vm = &vm_functions;

/* ---- JNI ----------------------------------------------------------------- */

static const struct JNINativeInterface_ jni_functions;
static JNIEnv jni = &jni_functions;

/* A new object, of which the follower is told. */
static struct object *allocate(jlong size)
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

static const struct JNINativeInterface_ jni_functions = {
	.NewByteArray = new_bytes,
	.DeleteLocalRef = ignore_local,
	.DeleteWeakGlobalRef = ignore_local,
	.NewWeakGlobalRef = weak,
	.ExceptionClear = clear,
	.FindClass = find_class,
	.GetMethodID = find_method,
};

/* ---- collections --------------------------------------------------------- */

static void begin_collection(void)
{
	jvmtiEnv *marks = (jvmtiEnv *)(void *)&envs[MARKS];

	envs[MARKS].callbacks.GarbageCollectionStart(marks);
}

/* Of those that are dead now, environment by environment. */
static void tell_ends(void)
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

static void collect(void)
{
	begin_collection();
	tell_ends();
}

/* ---- the follower -------------------------------------------------------- */

static struct ag_class_list *classes;
static struct ag_traces *traces;
static struct ag_allocations allocations;
static struct ag_follower *follower;
static int made_count, ended_count;
static struct ag_life last_ended;
static bool allocates_when_told;

static void made(void *user, JNIEnv *env, jthread thread, jobject object,
		 jclass class, uint64_t id, const struct ag_life *life,
		 const struct ag_allocation_stack *stack)
{
	(void)env, (void)thread, (void)class, (void)stack;
	cr_assert_eq(user, &allocations);
	cr_assert_eq(life->site, 1);
	cr_assert(innermost == clone_method ||
		  ((struct object *)(void *)object)->tags[MARKS] == (jlong)id);
	made_count++;
	if (allocates_when_told)
		allocate(16);
}

static void ended(void *user, uint64_t id, const struct ag_life *life)
{
	(void)id;
	cr_assert_eq(user, &allocations);
	ended_count++;
	last_ended = *life;
}

static struct ag_follower *make(void)
{
	static const struct ag_follower_events events = { .made = made,
							  .ended = ended };

	return ag_follower_new(&vm, &allocations, &events, &allocations);
}

static void set_up(void)
{
	jvmtiEnv *names = (jvmtiEnv *)(void *)&envs[NAMES];

	envs[NAMES].functions = &functions;
	classes = ag_class_list_new(names);
	traces = ag_traces_new(names, classes, true);
	allocations.classes = classes;
	allocations.traces = traces;
	allocations.counts = ag_site_counts_new();
	cr_assert(classes && traces && allocations.counts);
}

/* Follows all allocations from here on. */
static void begin(uint64_t interval)
{
	atomic_store(&allocations.interval, interval);
	follower = make();
	cr_assert_not_null(follower);
	cr_assert(ag_follower_enable(follower, true));
	ag_follower_begin(follower, &jni);
	made_count = 0;
}

TestSuite(follower, .init = set_up);

/* ---- tests --------------------------------------------------------------- */

Test(follower, ages_are_collections_lived_through)
{
	struct object *o;
	struct ag_life_sum *sum;

	begin(0);
	for (int lived = 0; lived < 5; lived++) {
		o = allocate(24);
		for (int i = 0; i < lived; i++) {
			collect();
			allocate(16);
		}
		o->live = false;
		collect();
		cr_assert_eq(last_ended.age, (uint32_t)lived);
		cr_assert_eq(last_ended.size, 24);
		cr_assert_eq(last_ended.parts, AG_OBJECT_PARTS);
		allocate(16);
	}
	cr_assert_eq(ended_count, 5);
	cr_assert_eq(made_count, 5 + 10 + 5);
	cr_assert_eq(ag_follower_late(follower), 0);
	sum = ag_follower_sum(follower, &jni, 1, false, false);
	cr_assert_not_null(sum);
	cr_assert_eq(sum[0].late, 4u * AG_OBJECT_PARTS);
	cr_assert_eq(sum[0].live, 15u * AG_OBJECT_PARTS);
	hp_free(sum);
}

Test(follower, nothing_before_the_beginning_or_after_the_end)
{
	struct object *kept;

	follower = make();
	cr_assert_not_null(follower);
	allocate(16);
	cr_assert(ag_follower_enable(follower, true));
	allocate(16);
	cr_assert_eq(made_count, 0);
	ag_follower_begin(follower, &jni);
	kept = allocate(16);
	cr_assert_eq(made_count, 1);
	cr_assert(ag_follower_enable(follower, false));
	allocate(16);
	cr_assert_eq(made_count, 1);
	/* What was followed is told of. */
	kept->live = false;
	collect();
	cr_assert_eq(ended_count, 1);
	/* The event of ends is enabled once, see follower.c. */
	cr_assert(ag_follower_enable(follower, true));
	cr_assert_eq(envs[MARKS].enabled, 2);
	cr_assert_eq(envs[SENTINELS].enabled, 1);
	cr_assert_eq(envs[ALLOCATIONS].enabled, 1);
}

Test(follower, its_own_allocations_are_none)
{
	begin(0);
	allocates_when_told = true;
	for (int i = 0; i < 10; i++) {
		allocate(16);
		collect();
	}
	cr_assert_eq(made_count, 10);
}

/* The JVM tells of ends in a thread of its own, some time after a collection. */
static void *tell_later(void *unused)
{
	tell_ends();
	return unused;
}

Test(follower, an_allocation_waits_for_the_ends)
{
	struct object *o;
	pthread_t thread;

	begin(0);
	o = allocate(24);
	o->live = false;
	begin_collection();
	cr_assert_eq(pthread_create(&thread, NULL, tell_later, NULL), 0);
	allocate(16);
	cr_assert_eq(ended_count, 1);
	cr_assert_eq(last_ended.age, 0);
	pthread_join(thread, NULL);
	cr_assert_eq(ag_follower_late(follower), 0);
}

/* If they are never told it goes on, and says what it does not know. */
Test(follower, ends_that_come_late_are_counted)
{
	struct object *o;

	begin(0);
	o = allocate(24);
	o->live = false;
	begin_collection();
	allocate(16);
	begin_collection();
	allocate(16);
	cr_assert_eq(ended_count, 0);
	tell_ends();
	cr_assert_eq(ended_count, 1);
	cr_assert_eq(ag_follower_late(follower), 1);
}

/* A sample stands for others, and waits for nobody. */
Test(follower, samples)
{
	struct object *o;

	begin(1024);
	o = allocate(24);
	o->live = false;
	begin_collection();
	allocate(16);
	cr_assert_eq(ended_count, 0);
	tell_ends();
	cr_assert_eq(ended_count, 1);
	cr_assert_eq(last_ended.parts, ag_site_parts(1024, 24));
	cr_assert_gt(last_ended.parts, 40u * AG_OBJECT_PARTS);
}

/* The tag of a clone would be lost, as the object is not ready. */
Test(follower, a_clone_has_its_tag_later)
{
	struct object *o;

	begin(0);
	innermost = clone_method;
	o = allocate(24);
	cr_assert_eq(o->tags[MARKS], 0);
	innermost = NULL;
	allocate(16);
	cr_assert_neq(o->tags[MARKS], 0);
	innermost = clone_method;
	o = allocate(24);
	ag_follower_settle(follower, &jni);
	cr_assert_neq(o->tags[MARKS], 0);
	ag_follower_thread_end(follower, &jni);
}

Test(follower, what_can_be_reached)
{
	struct ag_life_sum *sum;

	begin(0);
	for (int i = 0; i < 10; i++)
		allocate(16)->live = i % 2 == 0;
	sum = ag_follower_sum(follower, &jni, 1, false, false);
	cr_assert_eq(sum[0].live, 10u * AG_OBJECT_PARTS);
	hp_free(sum);
	sum = ag_follower_sum(follower, &jni, 1, false, true);
	cr_assert_eq(sum[0].live, 5u * AG_OBJECT_PARTS);
	cr_assert_eq(sum[0].live_bytes, 5u * 16);
	hp_free(sum);
}

/* There is one in a process; one that could not be made is none. */
Test(follower, one_at_a_time)
{
	envs[ALLOCATIONS].refuses = true;
	cr_assert_null(make());
	for (int i = MARKS; i <= ALLOCATIONS; i++) {
		cr_assert(envs[i].disposed);
		envs[i].disposed = false;
	}
	envs[ALLOCATIONS].refuses = false;
	env_count = 0;
	follower = make();
	cr_assert_not_null(follower);
	env_count = 0;
	cr_assert_null(make());
}

Test(follower, no_memory)
{
	int tries = 0;

	do {
		env_count = 0;
		hp_mem_fail_after(tries++);
		follower = make();
		hp_mem_fail_after(-1);
	} while (!follower && tries < 100);
	cr_assert(follower && tries > 2);
	cr_assert(ag_follower_enable(follower, true));
	ag_follower_begin(follower, &jni);
	for (int i = 0; i < 20; i++) {
		hp_mem_fail_after(i);
		allocate(16);
		hp_mem_fail_after(-1);
	}
	made_count = 0;
	allocate(16);
	cr_assert_eq(made_count, 1);
}
