/* SPDX-License-Identifier: MIT */
/*
 * scout.h - what classes refer to, where even the walk to the classes takes too long.
 *
 * The records of classes come first in a dump. So the heap is walked twice, the
 * first time no further than from the roots to the classes. A JVM up to 17 marks
 * the objects that it visits in the objects themselves, and afterwards it looks at
 * each object of the heap to take marks back: 7 ns for each object, in which the
 * program stands still. Therefore the forked process of a dump has a child of its
 * own, the scout, which does the first walk on the same snapshot, writes the
 * classes and ends; then the forked process does the second one.
 *
 * The tags that the scout gave were its own. But no object moves in either of
 * them, so the scout leaves a list of addresses, and the other process gives these
 * objects the same tags. JVMTI tells no address: HotSpot has it beside the tag
 * that it hands to a callback, with the size of the object in between. That is as
 * it was in all builds of 11 and 17, which are not developed any further. It is
 * checked nevertheless: before the fork, and for each object, by the size; in the
 * scout, for one object, by the address that a JNI reference has; and in the end,
 * whether both walks saw the same in the classes.
 */
#ifndef AG_SCOUT_H
#define AG_SCOUT_H

#include "agent/dump/walk.h"

struct ag_scout;

/* NULL if this JVM needs no scout, or can have none. The first of HELD is a class. */
struct ag_scout *ag_scout_new(const struct ag_held *held, jvmtiEnv *jvmti);
void ag_scout_free(struct ag_scout *scout); /* NULL is fine */

/* In a callback: is the size where it is expected, so that the address is, too? */
bool ag_scout_fits(const jlong *tag_ptr, jlong size);

/* ---- in the scout ---------------------------------------------------------- */

/* Is the address of a certain object the right one? Others are not looked at. */
void ag_scout_prove(struct ag_scout *scout, const jlong *tag_ptr, uint64_t tag);

/* Puts an object into the list; false if it is full. */
bool ag_scout_add(struct ag_scout *scout, const jlong *tag_ptr, uint64_t tag);

/*
 * The classes are written: the other process is to go on from here, where the
 * output had BEFORE bytes when it was forked. False, with the walk's status set,
 * if no address was proved.
 */
bool ag_scout_leave(struct ag_scout *scout, struct ag_walk *walk,
		    uint64_t before);

/* ---- in the process that goes on ------------------------------------------- */

/* Goes on; false, with the walk's status set, on failure. */
bool ag_scout_follow(struct ag_scout *scout, struct ag_walk *walk);

/* The tag that the scout gave an object; 0 if it gave none. */
uint64_t ag_scout_tag(const struct ag_scout *scout, const jlong *tag_ptr);

/* Has the walk, which is over, seen in the classes what the scout saw? */
bool ag_scout_agrees(const struct ag_scout *scout, const struct ag_walk *walk);

#endif
