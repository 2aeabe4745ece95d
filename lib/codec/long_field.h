/* SPDX-License-Identifier: MIT */
/*
 * long_field.h - the one field of a record that may be too long for memory:
 * the text of UTF8, the elements of an array. It is always the last one.
 */
#ifndef HP_LONG_FIELD_H
#define HP_LONG_FIELD_H

#include "hprof/record.h"

/*
 * What stands for the end of a body that a cut file lacks: zeros, up to this
 * many. A damaged length may claim gigabytes; where more is missing, the
 * record becomes shorter instead, if that is still possible.
 */
enum { HP_ZEROS_MOST = 1 << 20 };

/*
 * The long field of RECORD; NULL if its kind has none. Of HEAP_DUMP and
 * HEAP_DUMP_SEGMENT it is the body, which is not read as a field.
 */
const struct hprof_bytes *hp_record_long_field(const struct hprof_record *r);

/*
 * The same if its bytes are not loaded, but come in pieces; else NULL, always
 * of HEAP_DUMP and HEAP_DUMP_SEGMENT.
 */
const struct hprof_bytes *hp_record_late_field(const struct hprof_record *r);

/*
 * The long field becomes SIZE bytes, or as many below as are whole elements,
 * and the count of elements is set to match. The record must have one.
 */
void hp_record_shorten(struct hprof_record *r, uint64_t size);

#endif
