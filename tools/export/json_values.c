/* SPDX-License-Identifier: MIT */
/*
 * json_values.c - what records and objects have in common as JSON: the name of
 * a class, and the bytes of a long field in pieces.
 */
#include "tools/export/json_records.h"

void json_records_class(struct json_records *j, const char *key,
			const struct hprof_named_class *of)
{
	json_lines_key(&j->lines, key, false);
	json_lines_text(&j->lines, of ? of->name : NULL,
			of ? of->name_size : 0);
}

const uint8_t *json_records_bytes(struct json_records *j,
				  const struct hprof_bytes *bytes,
				  unsigned width, uint64_t *at,
				  size_t *ret_size)
{
	size_t want = sizeof(j->body) - sizeof(j->body) % width, have = 0;

	if (bytes->data || !bytes->size) {
		if (*at)
			return NULL;
		*at = 1;
		*ret_size = (size_t)bytes->size;
		return bytes->data;
	}
	while (have < want) {
		size_t size;
		enum hprof_status status = hprof_reader_body(
			j->reader, j->body + have, want - have, &size);

		if (status < 0 && status != HPROF_E_TRUNCATED)
			j->status = status;
		if (status != HPROF_OK || size == 0)
			break;
		have += size;
	}
	*at += have;
	*ret_size = have - have % width;
	return have ? j->body : NULL;
}
