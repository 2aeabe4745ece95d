/* SPDX-License-Identifier: MIT */
/*
 * repair.h - what the files of a repair share.
 */
#ifndef HP_REPAIR_H
#define HP_REPAIR_H

#include "convert/convert.h"

/* What a repair knows of the input. */
struct hp_repair {
	struct hp_u64_map frames, threads; /* those in the dump */
	/* Of objects that occur several times: the index of the last record. */
	struct hp_u64_map last;
	/* Referred to: all ids of the input. Defined: those written so far. */
	struct hp_id_marks ids;
	unsigned types; /* of primitive arrays, one bit each */
	/* Classes that readers look up by name and that the dump has; bits. */
	unsigned found, found_types;
	uint64_t object_id;  /* of java.lang.Object */
	uint64_t field_name; /* string id of the name of added fields */
	uint64_t next_id;
	uint32_t next_serial;
	uint8_t *frame_ids; /* HP_PIECE bytes */
	/* How much was left out, and roots whose thread is missing. */
	uint64_t again, nameless, no_frames, no_traces, unknown, roots;
	bool ready, no_memory;
};

/*
 * Writes names for strings and classes that the input refers to but does not
 * have. To be called after all names of the input.
 */
enum hprof_status hp_repair_add_names(struct hp_convert *c,
				      struct hp_repair *m);
/* Writes the missing CLASS_DUMPs. To be called after those of the input. */
enum hprof_status hp_repair_add_classes(struct hp_convert *c,
					struct hp_repair *m);

#endif
