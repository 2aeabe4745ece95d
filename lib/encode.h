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
enum hprof_status hp_class_lists_encode(const struct hprof_class_dump *class_dump,
					unsigned z, uint8_t **p);

#endif
