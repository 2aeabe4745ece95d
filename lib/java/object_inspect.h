/* SPDX-License-Identifier: MIT */
/*
 * object_inspect.h - what the tables of threads, properties and class loaders
 * have in common: fetching objects, finding their fields, decoding Strings.
 */
#ifndef HP_OBJECT_INSPECT_H
#define HP_OBJECT_INSPECT_H

#include "java/java_string.h"

struct hp_object_inspect {
	struct hp_object_fetch objects;
	struct hp_field_lookup layouts;
	struct hp_strings strings;
	struct hp_arena *arena;	 /* holds the texts; owned by the caller */
	struct hp_u64_map names; /* address of a class name -> its copy */
	bool no_memory;
};

/*
 * Texts are allocated in ARENA, which must outlive IN. Call
 * hp_object_inspect_done also after a failure.
 */
enum hprof_status hp_object_inspect_open(struct hp_object_inspect *in,
					 const struct hprof_summary *summary,
					 struct hp_arena *arena,
					 struct hprof_error *error);
void hp_object_inspect_done(struct hp_object_inspect *in);

/*
 * The name of OBJECT's class, a copy in the arena; NULL if it is not known or
 * OBJECT is NULL.
 */
const char *hp_object_inspect_class_name(struct hp_object_inspect *in,
					 const struct hp_object *object);

/* HPROF_E_NOMEM if any call since hp_object_inspect_open ran out of memory. */
enum hprof_status hp_object_inspect_status(const struct hp_object_inspect *in,
					   struct hprof_error *error);

#endif
