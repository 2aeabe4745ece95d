/* SPDX-License-Identifier: MIT */
/*
 * class_table.h - all classes of a dump, collected from LOAD_CLASS, CLASS_DUMP
 * and the objects that refer to them; and the sizes of their objects.
 */
#ifndef HP_CLASS_TABLE_H
#define HP_CLASS_TABLE_H

#include "census/object_count.h"
#include "model/name_table.h"

#define HP_NO_CLASS UINT32_MAX

struct hp_class {
	uint64_t class_id; /* 0: a primitive array without class object */
	const char *name;  /* as Java source writes it */
	enum hprof_class_kind kind;
	const struct hp_class_info *info; /* NULL: no CLASS_DUMP */
	bool loaded;
	struct hp_slot *instances; /* NULL: no instances */
	struct hp_slot *arrays;
	uint32_t super; /* index, or HP_NO_CLASS */
	bool complete;	/* it and all superclasses have a CLASS_DUMP */
	/* Filled by hp_sizes_assign. */
	uint64_t data_size; /* of an instance, by the layout */
	uint64_t shallow;   /* all objects of the class */
	uint64_t largest;
	bool measured;
	uint64_t instance;   /* shallow, of one; unset with HPROF_SIZES_DATA */
	uint64_t chunk_head; /* StackChunk: before the stack; 0: as instance */
};

struct hp_class_table {
	struct hp_class *rows;
	size_t count, room;
	struct hp_u64_map by_id; /* class id -> (void *)(index + 1) */
	uint32_t *order;	 /* all indices, superclasses first */
	size_t cycles; /* links to superclasses cut because of cycles */
	uint32_t java_lang_class, java_lang_object; /* or HP_NO_CLASS */
	uint64_t java_lang_class_size;		    /* without static fields */
	bool modules;				    /* of JDK 9 or later */
	bool lambda_forms;	/* of JDK 8 or later, likewise */
	bool virtual_threads;	/* of JDK 19 or later: classes of theirs tell */
	bool resolved_methods;	/* of JDK 10 or later, likewise */
	uint64_t class_objects; /* distinct CLASS_DUMPs */
	const struct hp_tally *tally;
	unsigned id_size;
	unsigned word; /* bytes of an address in the JVM; by hp_sizes_assign */
	struct hp_arena arena; /* for names that are not in the dump */
};

/*
 * Fails only with HPROF_E_NOMEM; hp_class_table_done must be called even then.
 * SYMBOLS must outlive the names.
 */
enum hprof_status hp_class_table_build(struct hp_class_table *c,
				       struct hp_name_table *symbols,
				       struct hp_tally *tally);
void hp_class_table_done(struct hp_class_table *c);
uint32_t hp_class_table_find(const struct hp_class_table *c, uint64_t class_id);

/* True if the layout of class I is known. */
static inline bool hp_class_table_complete(const struct hp_class_table *c,
					   uint32_t i)
{
	return c->rows[i].complete;
}

#endif
