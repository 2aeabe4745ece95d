/* SPDX-License-Identifier: MIT */
/*
 * field_lookup.h - where in an instance a field lies, by the names in the dump.
 *
 * Writers order the fields of a class as they like, and a subclass may have
 * a field of the same name, so a field is found by name and declaring class.
 * CLASS_DUMPs are read again for that, only those that declare a field which
 * is looked for.
 */
#ifndef HP_FIELD_LOOKUP_H
#define HP_FIELD_LOOKUP_H

#include "java/object_fetch.h"

/* The fields that the library knows by name; see field_lookup.c. */
enum hp_field {
	HP_STRING_VALUE,
	HP_STRING_CODER,
	HP_STRING_OFFSET,
	HP_STRING_COUNT,
	HP_THREAD_NAME,
	HP_THREAD_DAEMON,
	HP_THREAD_PRIORITY,
	HP_THREAD_STATUS,
	HP_THREAD_TID,
	HP_THREAD_ID,
	HP_THREAD_HOLDER,
	HP_HOLDER_DAEMON,
	HP_HOLDER_PRIORITY,
	HP_HOLDER_STATUS,
	HP_VIRTUAL_STATE,
	HP_LOADER_NAME,
	HP_PROPERTIES_MAP,
	HP_PROPERTIES_DEFAULTS,
	HP_HASHTABLE_TABLE,
	HP_CONCURRENT_TABLE,
	HP_ENTRY_KEY,
	HP_ENTRY_VAL,
	HP_ENTRY_VALUE,
	HP_ENTRY_NEXT,
	HP_TREE_FIRST,
	HP_FORWARD_TABLE,
	HP_ATOMIC_LONG,
	HP_FIELD_COUNT
};

struct hp_field_lookup {
	struct hp_object_fetch *objects;
	const struct hp_class_table *classes;
	const struct hp_name_table *symbols;
	struct hp_arena arena;
	struct hp_u64_map own;	  /* class index + 1 -> struct hp_own_fields */
	struct hp_u64_map places; /* class and field -> struct hp_place */
	uint8_t *buffer;	  /* for CLASS_DUMPs */
	size_t room;
	bool no_memory;
};

/* Fails only with HPROF_E_NOMEM; done with hp_field_lookup_done in any case. */
enum hprof_status hp_field_lookup_init(struct hp_field_lookup *l,
				       struct hp_object_fetch *objects);
void hp_field_lookup_done(struct hp_field_lookup *l);

/*
 * The value of FIELD of an instance, in the low bits, not sign-extended.
 * False: its class has no such field, or the instance ends before it.
 */
bool hp_field_lookup_get(struct hp_field_lookup *l,
			 const struct hp_object *object, enum hp_field field,
			 uint64_t *ret_value);

/* The same of a reference; 0 if there is none. */
uint64_t hp_field_lookup_ref(struct hp_field_lookup *l,
			     const struct hp_object *object,
			     enum hp_field field);

/* The class NAME that has a CLASS_DUMP, of the boot loader if it can be. */
uint32_t hp_field_lookup_class(const struct hp_field_lookup *l,
			       const char *name);

/* Calls FN for each static of class INDEX until it returns false. */
typedef bool hp_static_fn(void *user, const struct hp_string *name,
			  const struct hprof_class_entry *entry);
void hp_field_lookup_statics(struct hp_field_lookup *l, uint32_t index,
			     hp_static_fn *fn, void *user);

/* The static NAME of TYPE; false if the class has none. */
bool hp_field_lookup_static(struct hp_field_lookup *l, uint32_t index,
			    const char *name, unsigned type,
			    uint64_t *ret_value);

/* The name of OBJECT's class, owned by the summary; NULL if not known. */
const char *hp_field_lookup_class_name(const struct hp_field_lookup *l,
				       const struct hp_object *object);

#endif
