/* SPDX-License-Identifier: MIT */
/*
 * encode.h - what encode.c and class_dump.c share.
 */
#ifndef HP_ENCODE_H
#define HP_ENCODE_H

#include "hprof/record.h"

/*
 * The three lists of CLASS_DUMP. The size is checked by the caller: 6 plus
 * the sizes of the lists. HPROF_E_USAGE if counts and bytes disagree.
 */
enum hprof_status
hp_class_lists_encode(const struct hprof_class_dump *class_dump, unsigned z,
		      uint8_t **p);

/* Do the counts agree with the lists, and are these loaded? */
bool hp_class_lists_agree(const struct hprof_class_dump *class_dump,
			  unsigned z);

/*
 * All of RECORD but the TAIL_SIZE bytes of its long field, which is the last
 * and needs not be loaded.
 */
enum hprof_status hp_record_encode_head(const struct hprof_record *record,
					unsigned id_size, uint64_t tail_size,
					void *bytes, size_t room,
					size_t *ret_used);

#endif
