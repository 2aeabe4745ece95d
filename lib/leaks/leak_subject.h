/* SPDX-License-Identifier: MIT */
/*
 * leak_subject.h - what a suspect is about, in the words of a program's author:
 * the collection that grew, and whose it is.
 */
#ifndef HP_LEAK_SUBJECT_H
#define HP_LEAK_SUBJECT_H

#include "hprof/leaks.h"
#include "report/object_info.h"

/*
 * The step of PATH that owns step SUBJECT: the nearest one before it that is no
 * array, no collection, no class of the Java runtime and no lambda; of netty's buffers,
 * who has the buffer. Or else the last object of these, a lambda, the nearest class
 * object, or a pool of threads; SIZE_MAX if there is none.
 */
size_t hp_leak_owner_step(const struct hp_look *look,
			  const struct hprof_path *path, size_t subject);

/*
 * Finds LEAK's owner_step, subject_step, collection, elements and
 * element_class, by its first path, which ends at its point or origin.
 */
enum hprof_status hp_leak_subject_find(const struct hp_look *look,
				       struct hprof_leak *leak,
				       struct hprof_error *error);

#endif
