/* SPDX-License-Identifier: MIT */
/*
 * object_inspect.h - a look into single objects of a dump: fetching them,
 * finding fields in them, reading strings. What threads, properties and loaders
 * have in common.
 */
#ifndef HP_OBJECT_INSPECT_H
#define HP_OBJECT_INSPECT_H

#include "java/java_string.h"

struct hp_object_inspect {
	struct hp_object_fetch objects;
	struct hp_field_lookup layouts;
	struct hp_strings strings;
	struct hp_arena *arena; /* of the texts */
	struct hp_u64_map names; /* address of a class name -> copy */
	bool no_memory;
};

/* Texts go to ARENA. Done with hp_object_inspect_done, also after a failure. */
enum hprof_status hp_object_inspect_open(struct hp_object_inspect *in,
					 const struct hprof_summary *summary,
					 struct hp_arena *arena,
					 struct hprof_error *error);
void hp_object_inspect_done(struct hp_object_inspect *in);

/* The name of OBJECT's class, in the arena; NULL if not known. */
const char *hp_object_inspect_class_name(struct hp_object_inspect *in,
					 const struct hp_object *object);

/* HPROF_E_NOMEM if anything lacked memory since the beginning. */
enum hprof_status hp_object_inspect_status(const struct hp_object_inspect *in,
					   struct hprof_error *error);

#endif
