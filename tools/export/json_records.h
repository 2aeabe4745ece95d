/* SPDX-License-Identifier: MIT */
/*
 * json_records.h - records of a dump as lines of JSON; see hprof-json(7).
 */
#ifndef TOOLS_JSON_RECORDS_H
#define TOOLS_JSON_RECORDS_H

#include <hprof.h>

#include "tools/export/json_lines.h"

struct json_records {
	struct json_lines lines;
	struct hprof_names *names;
	struct layout **layouts; /* of json_objects.c, by number of the class */
	size_t layout_room, layout_bytes;
	struct hprof_reader *reader;
	enum hprof_status status; /* the reader's, while it returns a body */
	unsigned id_size;
	uint8_t body[64 << 10];
};

/*
 * Writes the record that the reader has just returned. Its names must have been
 * learnt.
 */
void json_records_put(struct json_records *j,
		      const struct hprof_record *record);

/* Parts of json_records_put, for the kinds of which there are millions. */
void json_records_instance(struct json_records *j,
			   const struct hprof_record *record);
void json_records_obj_array(struct json_records *j,
			    const struct hprof_record *record);
void json_records_prim_array(struct json_records *j,
			     const struct hprof_record *record);

void json_records_free_layouts(struct json_records *j);

/*
 * Returns the next bytes of BYTES, the long field of the record: all at once if
 * they are loaded, else a piece, which is a multiple of WIDTH bytes. *AT must
 * be 0 at first. Returns NULL at the end.
 */
const uint8_t *json_records_bytes(struct json_records *j,
				  const struct hprof_bytes *bytes,
				  unsigned width, uint64_t *at,
				  size_t *ret_size);

/* Writes "class":"java.lang.String", or null if it is not known. */
void json_records_class(struct json_records *j, const char *key,
			const struct hprof_named_class *of);

#endif
