/* SPDX-License-Identifier: MIT */
/*
 * class_table.h - the loaded classes: names, fields, and where each field
 * lies in the body of an instance.
 *
 * The serials of classes are 1, 2, ... in the order in which the JVM lists
 * them, and are part of the JVMTI tags of the classes. The identifiers ascend,
 * too, as classes get theirs before any object.
 */
#ifndef AG_CLASS_TABLE_H
#define AG_CLASS_TABLE_H

#include <jvmti.h>

#include "base/arena.h"
#include "agent/dump/object_ids.h"
#include "agent/common/class_name.h"
#include "agent/common/string_table.h"

enum ag_class_kind {
	AG_INSTANCE, /* interfaces too */
	AG_OBJ_ARRAY,
	AG_PRIM_ARRAY,
	AG_UNLINKED /* not linked: JVMTI has no fields yet */
};

struct ag_field {
	uint64_t name;
	uint64_t value; /* of a static field: its bits, or an id */
	uint8_t type;	/* enum hprof_type */
	bool is_static;
};

/* The place in an instance's body of a field, by JVMTI's field number. */
struct ag_slot {
	uint32_t offset; /* AG_NO_SLOT: a static field */
	uint8_t type;
};
enum { AG_NO_SLOT = 0x7fffffff };

struct ag_class {
	uint64_t name;
	uint64_t id;
	uint64_t loader, signers, domain; /* ids; 0: none */
	uint32_t super;			  /* its serial; 0: none */
	uint8_t kind;			  /* enum ag_class_kind */
	uint8_t element;		  /* AG_PRIM_ARRAY: the type */
	bool is_interface;
	bool dumped; /* its CLASS_DUMP was written */
	bool needed; /* instances wait for its fields */
	bool held;   /* by a global reference of ours, not yet reported */

	/*
	 * The declared fields: first those that JVMTI numbers, in its order,
	 * then those that it lists without a number.
	 */
	struct ag_field *fields;
	uint32_t field_count, numbered;
	uint32_t first_field; /* JVMTI's number of the first one */

	/*
	 * Inherited and own fields, by JVMTI's number minus interface_fields.
	 */
	struct ag_slot *slots;
	uint32_t slot_count;
	uint32_t interface_fields;
	uint32_t body; /* bytes */

	/* Serials of the direct and inherited interfaces that have fields. */
	uint32_t *interfaces;
	uint32_t interface_count;
	bool has_interfaces; /* the two above are known */
	bool laid_out;

	/* The references in its constant pool: a range of the walk's notes. */
	uint32_t constants, constant_count;
};

struct ag_classes {
	struct ag_class *all; /* by serial; 0 is not used */
	jclass *refs;	      /* local references, by serial */
	uint32_t count;
	uint32_t late; /* classes added last; their ids do not ascend */
	size_t room, ref_room;
	uint32_t object, class_class; /* java.lang.Object, java.lang.Class */
	unsigned id_size;
	struct ag_ids ids; /* of all objects */
	bool heap_is_full; /* nothing may be allocated in the Java heap */
	struct ag_names *names;
	struct hp_arena arena;
};

/* An empty table; NULL without memory. NAMES must outlive it. */
struct ag_classes *ag_classes_new(struct ag_names *names, unsigned id_size);
void ag_classes_free(struct ag_classes *classes); /* NULL is fine */

/* Makes room for one more class; returns its serial, or 0 without memory. */
uint32_t ag_classes_add(struct ag_classes *classes);

/* The class with a serial; NULL if there is none. */
static inline struct ag_class *ag_class(const struct ag_classes *classes,
					uint32_t serial)
{
	return serial != 0 && serial <= classes->count ? &classes->all[serial]
						       : NULL;
}

static inline uint32_t ag_class_serial(const struct ag_classes *classes,
				       const struct ag_class *c)
{
	return (uint32_t)(c - classes->all);
}

/* Was this class added late? Then the walk to the classes may not have met it. */
static inline bool ag_class_is_late(const struct ag_classes *classes,
				    const struct ag_class *c)
{
	return ag_class_serial(classes, c) > classes->count - classes->late;
}

/* The class with an identifier; NULL if there is none. */
struct ag_class *ag_class_with_id(const struct ag_classes *classes,
				  uint64_t id);

/* Writes LOAD_CLASS records for the classes from serial FIRST on. */
enum hprof_status ag_classes_write(const struct ag_classes *classes,
				   uint32_t first, struct hprof_writer *writer);

#endif
