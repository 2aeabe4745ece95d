/* SPDX-License-Identifier: MIT */
/*
 * long_field.h - the one field of a record that may be too long for memory:
 * the text of UTF8, the elements of an array. It is always the last one.
 */
#ifndef HP_LONG_FIELD_H
#define HP_LONG_FIELD_H

#include "hprof/record.h"

/*
 * The end of a body that is missing from a truncated file is replaced by at
 * most this many zeros. A damaged length may claim gigabytes; if more is
 * missing, the record is shortened instead, if that is still possible.
 */
enum { HP_ZEROS_MOST = 1 << 20 };

/*
 * The long field of RECORD; NULL if records of this kind have none. For
 * HEAP_DUMP and HEAP_DUMP_SEGMENT it is the body, which is not read as a field.
 */
const struct hprof_bytes *hp_record_long_field(const struct hprof_record *r);

/*
 * Like hp_record_long_field, but only if the bytes are not loaded and come in
 * pieces; otherwise NULL. Always NULL for HEAP_DUMP and HEAP_DUMP_SEGMENT.
 */
const struct hprof_bytes *hp_record_late_field(const struct hprof_record *r);

/*
 * Shortens the long field, which the record must have, to the whole elements
 * that fit in SIZE bytes, and sets the count of elements to match.
 */
void hp_record_shorten(struct hprof_record *r, uint64_t size);

#endif
