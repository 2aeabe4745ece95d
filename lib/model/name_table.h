/* SPDX-License-Identifier: MIT */
/*
 * name_table.h - what gives names in a dump: strings, loaded classes, frames,
 * traces, threads. It grows only with these records.
 */
#ifndef HP_NAME_TABLE_H
#define HP_NAME_TABLE_H

#include "model/decoded_names.h"
#include "model/known_classes.h"
#include "model/string_table.h"

struct hp_frame_info {
	uint64_t method_id, signature_id, source_id;
	uint32_t class_serial;
	int32_t line;
};

struct hp_trace_info {
	uint32_t thread_serial, frame_count;
	uint64_t frames[];
};

struct hp_started_thread {
	uint64_t thread_id, name_id;
	uint32_t thread_serial, trace_serial;
};

/* ALLOC_SITES and similar records, complete, in file order. */
struct hp_profile_record {
	struct hp_profile_record *next;
	struct hprof_record record;
};

/* Strings that the census compares with: names of fields, in the order of
 * known_texts in name_table.c.
 */
enum hp_known_name {
	HP_NAME_SIZE,
	HP_NAME_RESOLVED_REFERENCES,
	HP_NAME_INIT_LOCK,
	HP_NAME_INIT_LOCK_8, /* of JDK 8 */
	HP_NAME_SECONDARY_SEED,
	HP_KNOWN_NAMES
};

struct hp_name_table {
	struct hp_arena arena;
	struct hp_string_table strings;	 /* of struct hp_string */
	struct hp_known_classes classes; /* see hp_name_table_init */
	struct hp_decoded_names names;
	struct hp_u64_map frames; /* id -> struct hp_frame_info */
	struct hp_u64_map traces; /* serial -> struct hp_trace_info */
	struct hp_started_thread *threads;
	size_t thread_count, thread_room;
	struct hp_profile_record *profile, **profile_end;
	uint64_t tag_count[256], tag_bytes[256]; /* top-level records */
	uint64_t string_clash; /* offset of a second text for a string id */
	uint64_t string_clashes;
	uint64_t known[HP_KNOWN_NAMES]; /* string ids; 0: not met */
	uint64_t chunk_class_id;	/* for struct hp_chunks */
	bool no_memory;
};

/*
 * CLASS_SIZE, QUARTERS: for CLASSES, see hp_known_classes_init. Fails only with
 * HPROF_E_NOMEM; to be freed in any case.
 */
enum hprof_status hp_name_table_init(struct hp_name_table *s, size_t class_size,
				     unsigned quarters);
void hp_name_table_done(struct hp_name_table *s);

/* Records a top-level record, as READER returned it. */
void hp_name_table_record(struct hp_name_table *s, struct hprof_reader *reader,
			  const struct hprof_record *record);

/*
 * The name of a class as in Java source: "unknown-class@0x..." or
 * "unknown-name@0x..." if the dump, which must have been read, does not have
 * it. Classes that share a string share the name, which S owns. NULL without
 * memory.
 */
const struct hp_text *hp_name_table_class_name(struct hp_name_table *s,
					       uint64_t class_id);
/* The same in the dump's own bytes; NULL if unknown. */
const struct hp_string *
hp_name_table_raw_class_name(const struct hp_name_table *s, uint64_t class_id);

#endif
