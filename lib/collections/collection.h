/* SPDX-License-Identifier: MIT */
/* collection.h - one collection, without what it wraps; its fields. */
#ifndef HP_COLLECTION_H
#define HP_COLLECTION_H

#include "collections/forms.h"

/*
 * Like hprof_collection_open, but a wrapper has no size: it is not followed.
 * *RET_FORM is how it was recognised.
 */
enum hprof_status hp_collection_open_one(struct hprof_cursor *cursor,
					 uint64_t object,
					 struct hprof_collection *ret,
					 const struct hp_form **ret_form);

/*
 * Whether collections of the class at ROW have elements that are null because
 * nothing has been put there: arrays, and the queues that extend one.
 */
bool hp_collection_has_gaps(const struct hprof_heap *heap, size_t row);

/*
 * Entry I of a collection that has its entries in fields; HPROF_END behind the
 * last one. *RET_USED is false for a field that holds no entry.
 */
enum hprof_status hp_field_list_entry(struct hprof_cursor *cursor,
				      const struct hprof_collection *c,
				      const struct hp_form *form, unsigned i,
				      struct hprof_collection_entry *ret,
				      bool *ret_used);

/*
 * The key, as in struct hprof_field, of the map's entry whose node is NODE and
 * whose value is VALUE_ID. HPROF_END: NODE is none, or that is not its value.
 * Moves the cursor.
 */
enum hprof_status hp_collection_key(struct hprof_cursor *cursor, uint64_t node,
				    uint64_t value_id, unsigned *ret_type,
				    uint64_t *ret_key);

/*
 * The same for a map without nodes: the key of element NUMBER of ARRAY.
 * HPROF_END: MAP is none, or ARRAY has not its values.
 */
enum hprof_status hp_collection_element_key(struct hprof_cursor *cursor,
					    uint64_t map, uint64_t array,
					    uint64_t number, unsigned *ret_type,
					    uint64_t *ret_key);

#endif
