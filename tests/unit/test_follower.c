/* SPDX-License-Identifier: MIT */
/*
 * test_follower.c - the follower of objects, with a JVM that only has objects with
 * tags.
 */
#include <criterion/criterion.h>
#include <pthread.h>

#include "agent/profile/class_list.h"
#include "agent/profile/follower.h"
#include "agent/profile/site_counts.h"
#include "agent/profile/site_scale.h"
#include "base/mem.h"
#include "fake_tags.h"

static JNIEnv jni = &fake_tags_jni;

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

	return ag_follower_new(&fake_tags_vm, &allocations, &events,
			       &allocations);
}

static void set_up(void)
{
	jvmtiEnv *names = (jvmtiEnv *)(void *)&envs[NAMES];

	envs[NAMES].functions = &fake_tags_jvmti;
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
