/* SPDX-License-Identifier: MIT */
/*
 * class_list.h - the classes that profiles speak of. A class gets a number when
 * it is first met, as its tag in the session's JVMTI environment. The number and
 * the name outlive the class. There is no class hook: a JVM keeps its AOT cache.
 *
 * Threads: any function by any thread at any time.
 */
#ifndef AG_CLASS_LIST_H
#define AG_CLASS_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include <jvmti.h>

struct ag_class_list;

/* JVMTI must have can_tag_objects. NULL without memory. */
struct ag_class_list *ag_class_list_new(jvmtiEnv *jvmti);
void ag_class_list_free(struct ag_class_list *list); /* NULL is fine */

/*
 * The number of CLASS, from 1; 0 without memory. No Java object is allocated,
 * and a class that is known is found without a lock.
 */
uint32_t ag_class_list_number(struct ag_class_list *list, jclass class);

/*
 * A new number for a class of which only the signature is known; 0 without
 * memory.
 */
uint32_t ag_class_list_add(struct ag_class_list *list, const char *signature);

/* The highest number so far. */
uint32_t ag_class_list_count(struct ag_class_list *list);

/*
 * The signature of a class, such as "Ljava/lang/String;" or "[I", with the names
 * of hidden classes as HotSpot dumps them; never NULL. It lives as long as the
 * list.
 */
const char *ag_class_list_signature(struct ag_class_list *list,
				    uint32_t number);

#endif
