/*
 * object_inspect.h - a look into single objects of a dump: fetching them,
 * finding fields in them, reading strings. What threads, properties and loaders
 * have in common.
 */
#ifndef HP_OBJECT_INSPECT_H
#define HP_OBJECT_INSPECT_H

#include "java/java_string.h"

struct hp_inspect {
	struct hp_objects objects;
	struct hp_layouts layouts;
	struct hp_strings strings;
	struct hp_arena *arena; /* of the texts */
	struct hp_idmap names;	/* address of a class name -> copy */
	bool no_memory;
};

/* Texts go to ARENA. Done with hp_inspect_done, also after a failure. */
enum hprof_status hp_inspect_open(struct hp_inspect *in,
				  const struct hprof_summary *summary,
				  struct hp_arena *arena,
				  struct hprof_error *error);
void hp_inspect_done(struct hp_inspect *in);

/* The name of OBJECT's class, in the arena; NULL if not known. */
const char *hp_inspect_class_name(struct hp_inspect *in,
				  const struct hp_object *object);

/* HPROF_E_NOMEM if anything lacked memory since the beginning. */
enum hprof_status hp_inspect_status(const struct hp_inspect *in,
				    struct hprof_error *error);

#endif
