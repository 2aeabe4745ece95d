/* SPDX-License-Identifier: MIT */
/*
 * encode.h - shared by encode.c and class_dump.c.
 */
#ifndef HP_ENCODE_H
#define HP_ENCODE_H

#include "hprof/record.h"

/*
 * Writes the three lists of CLASS_DUMP. The caller has checked that there is
 * room: 6 bytes plus the sizes of the lists. HPROF_E_USAGE if counts and bytes
 * disagree.
 */
enum hprof_status
hp_class_lists_encode(const struct hprof_class_dump *class_dump, unsigned z,
		      uint8_t **p);

/* True if the counts agree with the lists and the lists are loaded. */
bool hp_class_lists_agree(const struct hprof_class_dump *class_dump,
			  unsigned z);

/*
 * Encodes all of RECORD but the TAIL_SIZE bytes of its long field, which is the
 * last one and need not be loaded.
 */
enum hprof_status hp_record_encode_head(const struct hprof_record *record,
					unsigned id_size, uint64_t tail_size,
					void *bytes, size_t room,
					size_t *ret_used);

#endif
