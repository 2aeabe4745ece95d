/* SPDX-License-Identifier: MIT */
/*
 * follower.c - see follower.h.
 *
 * There are two environments: tags of classes are those of the caller's class
 * list, and tags of objects are ids. The JVM posts ends from a thread of its own,
 * some time after a collection, or when somebody changes that event: then all of
 * them before the change returns.
 */
#include "agent/profile/follower.h"

#include <stddef.h>
#include <string.h>

#include "agent/profile/clones.h"
#include "agent/profile/site_counts.h"
#include "agent/profile/site_scale.h"
#include "base/mem.h"

struct ag_follower {
	struct ag_allocations allocations;
	jvmtiEnv *marks; /* its tags are the ids */
	struct ag_lives *lives;
	struct ag_follower_events events;
	void *user;
	atomic_bool follows, begun;
	_Atomic uint32_t asked;	  /* collections whose ends were asked for */
	_Atomic uint32_t settled; /* and told */
	_Atomic uint64_t late;
};

/* JVMTI has no pointer for its callbacks. */
static _Atomic(struct ag_follower *) active;

/* ---- events ---------------------------------------------------------------- */

/* Posts the ends of all collections until now. */
static void tell_ends(struct ag_follower *f, uint32_t now)
{
	(*f->marks)->SetEventNotificationMode(f->marks, JVMTI_ENABLE,
					      JVMTI_EVENT_OBJECT_FREE, NULL);
	atomic_store(&f->settled, now);
}

/* Before the next collection begins. */
static void settle(struct ag_follower *f)
{
	const uint32_t now = ag_lives_collections(f->lives);
	uint32_t asked = atomic_load(&f->asked);

	if (asked != now &&
	    atomic_compare_exchange_strong(&f->asked, &asked, now))
		tell_ends(f, now);
}

static void follow(struct ag_follower *f, JNIEnv *jni, jthread thread,
		   jobject object, jclass class, uint64_t size)
{
	const uint32_t serial =
		f->events.thread ? f->events.thread(f->user, thread) : 0;
	struct ag_life life = {
		.size = size,
		.parts = ag_site_parts(atomic_load(&f->allocations.interval),
				       size),
	};
	struct ag_allocation_stack stack;
	uint64_t id;

	life.site = ag_allocations_count(&f->allocations, jni, serial, class,
					 size, &stack);
	ag_clones_settle(f->marks, jni);
	if (life.site == 0)
		return;
	id = ag_lives_add(f->lives, life.site, size, life.parts);
	if (id == 0)
		return;
	if (!stack.clone || !ag_clones_add(f->marks, jni, object, (jlong)id))
		(*f->marks)->SetTag(f->marks, object, (jlong)id);
	if (f->events.made)
		f->events.made(f->user, jni, thread, object, class, id, &life,
			       &stack);
}

static void JNICALL on_alloc(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			     jobject object, jclass class, jlong size)
{
	struct ag_follower *f = atomic_load(&active);

	(void)jvmti;
	if (!ag_allocations_enter())
		return;
	if (f && atomic_load(&f->follows) && atomic_load(&f->begun)) {
		settle(f);
		follow(f, jni, thread, object, class, (uint64_t)size);
	}
	ag_allocations_leave();
}

static void JNICALL on_free(jvmtiEnv *jvmti, jlong tag)
{
	struct ag_follower *f = atomic_load(&active);
	const uint64_t id = (uint64_t)tag;
	struct ag_life life;

	(void)jvmti;
	if (!f || !ag_lives_end(f->lives, id, &life))
		return;
	if (ag_lives_collections(f->lives) - atomic_load(&f->settled) > 1)
		atomic_fetch_add(&f->late, 1);
	if (f->events.ended)
		f->events.ended(f->user, id, &life);
}

static void JNICALL on_collection(jvmtiEnv *jvmti)
{
	struct ag_follower *f = atomic_load(&active);

	(void)jvmti;
	if (f)
		ag_lives_collection(f->lives);
}

/* ---- the beginning --------------------------------------------------------- */

/* NULL if there is none. */
static jvmtiEnv *environment(JavaVM *vm)
{
	void *made = NULL;

	return (*vm)->GetEnv(vm, &made, JVMTI_VERSION_11) == JNI_OK ? made
								    : NULL;
}

static bool prepare_marks(struct ag_follower *f)
{
	jvmtiEventCallbacks callbacks;
	jvmtiCapabilities want;

	memset(&want, 0, sizeof want);
	want.can_tag_objects = 1;
	want.can_generate_object_free_events = 1;
	want.can_generate_garbage_collection_events = 1;
	memset(&callbacks, 0, sizeof callbacks);
	callbacks.ObjectFree = on_free;
	callbacks.GarbageCollectionStart = on_collection;
	return !(*f->marks)->AddCapabilities(f->marks, &want) &&
	       !(*f->marks)->SetEventCallbacks(f->marks, &callbacks,
					       (jint)sizeof callbacks);
}

static bool prepare_allocations(struct ag_follower *f)
{
	jvmtiEventCallbacks callbacks;
	jvmtiEnv *jvmti = f->allocations.jvmti;

	memset(&callbacks, 0, sizeof callbacks);
	callbacks.SampledObjectAlloc = on_alloc;
	return ag_allocations_prepare(jvmti) &&
	       !(*jvmti)->SetEventCallbacks(jvmti, &callbacks,
					    (jint)sizeof callbacks);
}

struct ag_follower *ag_follower_new(JavaVM *vm, const struct ag_allocations *a,
				    const struct ag_follower_events *events,
				    void *user)
{
	struct ag_follower *f = hp_calloc(1, sizeof *f), *none = NULL;

	if (!f)
		return NULL;
	f->allocations.classes = a->classes;
	f->allocations.traces = a->traces;
	f->allocations.counts = a->counts;
	atomic_store(&f->allocations.interval, atomic_load(&a->interval));
	atomic_store(&f->allocations.depth, atomic_load(&a->depth));
	f->events = *events;
	f->user = user;
	f->lives = ag_lives_new();
	f->marks = environment(vm);
	f->allocations.jvmti = environment(vm);
	if (f->lives && f->marks && f->allocations.jvmti && prepare_marks(f) &&
	    prepare_allocations(f) &&
	    atomic_compare_exchange_strong(&active, &none, f))
		return f;
	if (f->marks)
		(*f->marks)->DisposeEnvironment(f->marks);
	if (f->allocations.jvmti)
		(*f->allocations.jvmti)
			->DisposeEnvironment(f->allocations.jvmti);
	ag_lives_free(f->lives);
	hp_free(f);
	return NULL;
}

bool ag_follower_enable(struct ag_follower *f, bool on)
{
	static const jvmtiEvent events[] = {
		JVMTI_EVENT_GARBAGE_COLLECTION_START, JVMTI_EVENT_OBJECT_FREE
	};

	atomic_store(&f->follows, on);
	if (!on)
		return ag_allocations_enable(&f->allocations, false);
	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		if ((*f->marks)->SetEventNotificationMode(
			    f->marks, JVMTI_ENABLE, events[i], NULL))
			return false;
	return ag_allocations_enable(&f->allocations, true);
}

void ag_follower_begin(struct ag_follower *f, JNIEnv *jni)
{
	ag_clones_begin(jni);
	if (atomic_load(&f->allocations.interval) == 0)
		ag_allocations_prime(jni, NULL, 0);
	atomic_store(&f->begun, true);
}

void ag_follower_thread_end(struct ag_follower *f, JNIEnv *jni)
{
	ag_clones_thread_end(f->marks, jni);
}

struct ag_allocations *ag_follower_allocations(struct ag_follower *f)
{
	return &f->allocations;
}

struct ag_lives *ag_follower_lives(struct ag_follower *f)
{
	return f->lives;
}

uint64_t ag_follower_late(const struct ag_follower *f)
{
	return atomic_load(&f->late);
}

/* ---- sums ------------------------------------------------------------------ */

void ag_follower_settle(struct ag_follower *f, JNIEnv *jni)
{
	ag_clones_settle_all(f->marks, jni);
	tell_ends(f, ag_lives_collections(f->lives));
}

/* An object is met as often as it is referred to. */
static jint JNICALL on_reached(jvmtiHeapReferenceKind kind,
			       const jvmtiHeapReferenceInfo *info,
			       jlong class_tag, jlong referrer_class_tag,
			       jlong size, jlong *tag_ptr,
			       jlong *referrer_tag_ptr, jint length, void *user)
{
	(void)kind;
	(void)info;
	(void)class_tag;
	(void)referrer_class_tag;
	(void)size;
	(void)referrer_tag_ptr;
	(void)length;
	if (*tag_ptr)
		ag_lives_reach(user, (uint64_t)*tag_ptr);
	return JVMTI_VISIT_OBJECTS;
}

/* If that fails, all objects that were not collected are live. */
static bool reach(struct ag_follower *f)
{
	const jvmtiHeapCallbacks callbacks = { .heap_reference_callback =
						       on_reached };

	return (*f->marks)->FollowReferences(f->marks, 0, NULL, NULL,
					     &callbacks,
					     f->lives) == JVMTI_ERROR_NONE;
}

struct ag_life_sum *ag_follower_sum(struct ag_follower *f, JNIEnv *jni,
				    size_t sites, bool collect, bool reachable)
{
	ag_follower_settle(f, jni);
	if (collect) {
		(*f->marks)->ForceGarbageCollection(f->marks);
		ag_follower_settle(f, jni);
	}
	return ag_lives_sum(f->lives, sites, reachable && reach(f));
}

static jint JNICALL drop_tag(jlong class_tag, jlong size, jlong *tag_ptr,
			     jint length, void *user)
{
	(void)class_tag;
	(void)size;
	(void)length;
	(void)user;
	*tag_ptr = 0;
	return 0;
}

void ag_follower_drop(struct ag_follower *f)
{
	const jvmtiHeapCallbacks callbacks = { .heap_iteration_callback =
						       drop_tag };

	(*f->marks)->IterateThroughHeap(f->marks, JVMTI_HEAP_FILTER_UNTAGGED,
					NULL, &callbacks, NULL);
}
