/* SPDX-License-Identifier: MIT */
/*
 * json_records.h - records of a dump as lines of JSON: hprof-json(7).
 */
#ifndef TOOLS_JSON_RECORDS_H
#define TOOLS_JSON_RECORDS_H

#include <hprof.h>

#include "tools/export/json_lines.h"
#include "tools/export/record_names.h"

struct json_records {
	struct json_lines lines;
	struct record_names names;
	struct hprof_reader *reader;
	enum hprof_status status; /* of the reader, while it gives a body */
	unsigned id_size;
	uint8_t body[64 << 10];
};

/* The record that the reader has just given, its names learnt before. */
void json_records_put(struct json_records *j,
		      const struct hprof_record *record);

/* Parts of it, of the kinds that there are millions of. */
void json_records_instance(struct json_records *j,
			   const struct hprof_record *record);
void json_records_obj_array(struct json_records *j,
			    const struct hprof_record *record);
void json_records_prim_array(struct json_records *j,
			     const struct hprof_record *record);

/*
 * The next bytes of BYTES, the long field of the record: all at once if they
 * are loaded, else piece by piece, whole groups of WIDTH. *AT is 0 first. NULL
 * behind the last.
 */
const uint8_t *json_records_bytes(struct json_records *j,
				  const struct hprof_bytes *bytes,
				  unsigned width, uint64_t *at,
				  size_t *ret_size);

/* "class":"java.lang.String", or null */
void json_records_class(struct json_records *j, const char *key,
			const struct record_class *of);

#endif
