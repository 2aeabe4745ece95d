/* SPDX-License-Identifier: MIT */
/*
 * follower.c - see follower.h.
 *
 * The JVM posts ends from a thread of its own, some time after a collection,
 * environment by environment in the order of their making. So a sentinel, an
 * object that is garbage at once, has its tag in an environment that was made
 * last: when its end is told, those of all other objects are told.
 *
 * A change of the event makes the JVM post at once, too, but must not be used for
 * that: the thread that asks waits where no safepoint can begin, and if the JVM's
 * own thread is posting and one is asked for, all wait for each other for ever
 * (JDK 17). So the event is enabled once, and stays.
 */
#include "agent/profile/follower.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "agent/profile/clones.h"
#include "agent/profile/drop_marks.h"
#include "agent/profile/site_counts.h"
#include "agent/profile/site_scale.h"
#include "base/mem.h"

struct ag_follower {
	struct ag_allocations allocations;
	jvmtiEnv *marks;      /* its tags are the ids */
	jvmtiEnv *sentinels;  /* made after it; its only tag is a sentinel's */
	pthread_mutex_t lock; /* of the sentinel */
	pthread_cond_t told;
	atomic_bool waits; /* a sentinel's end is not told yet */
	uint32_t born;	   /* collections before it */
	struct ag_lives *lives;
	struct ag_follower_events events;
	void *user;
	atomic_bool follows, begun;
	bool enabled;		  /* events of collections and ends */
	_Atomic uint32_t asked;	  /* collections whose ends were waited for */
	_Atomic uint32_t settled; /* and told */
	_Atomic uint64_t late;
};

/* JVMTI has no pointer for its callbacks. */
static _Atomic(struct ag_follower *) active;

/* ---- events ---------------------------------------------------------------- */

/*
 * The end of a sentinel from before the last collection was told, or it has
 * waited long enough.
 */
static void await_sentinel(struct ag_follower *f, uint32_t now)
{
	enum { MOST_NS = 200000000 };
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_nsec += MOST_NS;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	pthread_mutex_lock(&f->lock);
	while (f->waits && f->born != now &&
	       !pthread_cond_timedwait(&f->told, &f->lock, &end))
		;
	pthread_mutex_unlock(&f->lock);
}

/* For the next collection; unless one waits already. */
static void make_sentinel(struct ag_follower *f, JNIEnv *jni)
{
	jobject object;
	bool waits;

	pthread_mutex_lock(&f->lock);
	waits = f->waits;
	f->waits = true;
	if (!waits)
		f->born = ag_lives_collections(f->lives);
	pthread_mutex_unlock(&f->lock);
	if (waits)
		return;
	object = (*jni)->NewByteArray(jni, 1);
	if (object && !(*f->sentinels)->SetTag(f->sentinels, object, 1)) {
		(*jni)->DeleteLocalRef(jni, object);
		return;
	}
	(*jni)->ExceptionClear(jni);
	(*jni)->DeleteLocalRef(jni, object);
	pthread_mutex_lock(&f->lock);
	f->waits = false;
	pthread_mutex_unlock(&f->lock);
}

static void JNICALL on_sentinel(jvmtiEnv *jvmti, jlong tag)
{
	struct ag_follower *f = atomic_load(&active);

	(void)jvmti;
	(void)tag;
	if (!f)
		return;
	atomic_store(&f->settled, ag_lives_collections(f->lives));
	pthread_mutex_lock(&f->lock);
	f->waits = false;
	pthread_cond_broadcast(&f->told);
	pthread_mutex_unlock(&f->lock);
}

/*
 * At the first allocation after a collection: its ends are told before the next
 * one begins. Nobody waits for that if only a sample is told of; then the end of
 * the sentinel may be told later, and an allocation after that makes the next.
 */
static void settle(struct ag_follower *f, JNIEnv *jni)
{
	const uint32_t now = ag_lives_collections(f->lives);
	uint32_t asked = atomic_load(&f->asked);

	if (asked != now &&
	    atomic_compare_exchange_strong(&f->asked, &asked, now) &&
	    atomic_load(&f->allocations.interval) == 0)
		await_sentinel(f, now);
	if (!atomic_load(&f->waits))
		make_sentinel(f, jni);
}

static void follow_one(struct ag_follower *f, JNIEnv *jni, jthread thread,
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

static void told(void *user, JNIEnv *jni, jthread thread, jobject object,
		 jclass class, uint64_t size)
{
	struct ag_follower *f = user;

	if (!atomic_load(&f->follows) || !atomic_load(&f->begun))
		return;
	settle(f, jni);
	follow_one(f, jni, thread, object, class, size);
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
	if ((*f->marks)->AddCapabilities(f->marks, &want) ||
	    (*f->marks)->SetEventCallbacks(f->marks, &callbacks,
					   (jint)sizeof callbacks))
		return false;
	want.can_generate_garbage_collection_events = 0;
	callbacks.ObjectFree = on_sentinel;
	callbacks.GarbageCollectionStart = NULL;
	return !(*f->sentinels)->AddCapabilities(f->sentinels, &want) &&
	       !(*f->sentinels)
			->SetEventCallbacks(f->sentinels, &callbacks,
					    (jint)sizeof callbacks);
}

static bool prepare_allocations(struct ag_follower *f)
{
	jvmtiEventCallbacks callbacks;
	jvmtiEnv *jvmti = f->allocations.jvmti;

	memset(&callbacks, 0, sizeof callbacks);
	f->allocations.told = told;
	f->allocations.user = f;
	return ag_allocations_prepare(&f->allocations, &callbacks) &&
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
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->told, NULL);
	f->marks = environment(vm);
	f->sentinels = environment(vm);
	f->allocations.jvmti = environment(vm);
	if (f->lives && f->marks && f->sentinels && f->allocations.jvmti &&
	    prepare_marks(f) && prepare_allocations(f) &&
	    atomic_compare_exchange_strong(&active, &none, f))
		return f;
	if (f->marks)
		(*f->marks)->DisposeEnvironment(f->marks);
	if (f->sentinels)
		(*f->sentinels)->DisposeEnvironment(f->sentinels);
	if (f->allocations.jvmti)
		(*f->allocations.jvmti)
			->DisposeEnvironment(f->allocations.jvmti);
	ag_lives_free(f->lives);
	hp_free(f);
	return NULL;
}

/* See the head of this file. */
static bool enable_ends(struct ag_follower *f)
{
	const struct {
		jvmtiEnv *jvmti;
		jvmtiEvent event;
	} wanted[] = {
		{ f->marks, JVMTI_EVENT_GARBAGE_COLLECTION_START },
		{ f->marks, JVMTI_EVENT_OBJECT_FREE },
		{ f->sentinels, JVMTI_EVENT_OBJECT_FREE },
	};

	for (size_t i = 0; !f->enabled && i < sizeof wanted / sizeof *wanted;
	     i++)
		if ((*wanted[i].jvmti)
			    ->SetEventNotificationMode(wanted[i].jvmti,
						       JVMTI_ENABLE,
						       wanted[i].event, NULL))
			return false;
	f->enabled = true;
	return true;
}

bool ag_follower_enable(struct ag_follower *f, bool on)
{
	atomic_store(&f->follows, on);
	if (on && !enable_ends(f))
		return false;
	return ag_allocations_enable(&f->allocations, on);
}

void ag_follower_begin(struct ag_follower *f, JNIEnv *jni)
{
	ag_clones_begin(jni);
	if (atomic_load(&f->allocations.interval) == 0)
		ag_allocations_prime(jni, NULL, 0);
	if (ag_allocations_enter()) {
		make_sentinel(f, jni);
		ag_allocations_leave();
	}
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
	await_sentinel(f, ag_lives_collections(f->lives));
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

void ag_follower_drop(struct ag_follower *f)
{
	ag_drop_marks(f->marks);
}
