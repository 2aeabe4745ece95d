/* SPDX-License-Identifier: MIT */
/*
 * records.h - a profile as records of the binary format.
 */
#ifndef AG_RECORDS_H
#define AG_RECORDS_H

#include "hprof/writer.h"
#include "agent/profile/profile.h"

struct ag_names; /* agent/common/string_table.h */
struct ag_session;

/* How the records fit into their output. */
struct ag_records_place {
	unsigned id_size;
	/*
	 * The strings of the output, whose records are written as far as they
	 * were not yet.
	 */
	struct ag_names *names;
	/*
	 * In a heap dump: the serials that its classes have, by their numbers
	 * in the class list, 0 for those that it has not. NULL in an output of
	 * its own, which then gets a header.
	 */
	const uint32_t *class_serials;
	uint32_t class_count; /* of them, with the unused one for number 0 */
	unsigned sections;    /* enum ag_section: those to be written; 0: all */
};

/*
 * Writes the profile and everything that it refers to: classes, threads, frames
 * and traces. *RET_CLAMPED is the number of values that the records have no
 * room for; they hold the greatest possible value instead. On failure the
 * writer has the error, unless it is HPROF_E_NOMEM.
 */
enum hprof_status ag_records_write(struct ag_session *session,
				   const struct ag_profile *profile,
				   const struct ag_records_place *place,
				   struct hprof_writer *writer,
				   uint64_t *ret_clamped);

#endif
