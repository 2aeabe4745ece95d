/* SPDX-License-Identifier: MIT */
/*
 * record_names.h - what is known of names and classes at a point of a stream
 * of records: for forms that read a dump once, from a pipe as well.
 *
 * It grows with the names and classes of a dump, not with its objects.
 */
#ifndef TOOLS_RECORD_NAMES_H
#define TOOLS_RECORD_NAMES_H

#include <hprof.h>

#include "tools/export/id_table.h"

struct record_text {
	size_t size;
	char bytes[]; /* UTF-8, then NUL */
};

struct record_field {
	uint64_t name_id;
	uint8_t type;
};

struct record_class {
	uint64_t id;
	const struct record_text *name; /* as Java has it; NULL: not known */
	bool dumped;			/* the rest is known */
	uint64_t super_id;
	size_t field_count; /* its own */
	struct record_field *fields;
	void *layout;	/* of who uses this; freed with free */
	unsigned round; /* in which it was made */
	size_t tried;	/* in vain, when so many classes were dumped */
};

/* What a FRAME record says. */
struct record_frame {
	uint64_t method_id, signature_id, source_id;
	uint32_t class_serial;
	int32_t line;
};

struct record_names {
	struct id_table texts;	 /* struct record_text, by string id */
	struct id_table names;	 /* the same, of classes, by string id */
	struct id_table classes; /* struct record_class */
	struct id_table serials; /* struct record_class, not owned */
	struct id_table frames;	 /* struct record_frame */
	size_t layouts;		 /* bytes of them */
	unsigned round; /* goes up when a class that was known changes */
	size_t dumps;	/* CLASS_DUMPs so far */
};

void record_names_done(struct record_names *names);

/*
 * Learns from a record: UTF8, LOAD_CLASS, FRAME, CLASS_DUMP; others do
 * nothing. Texts that are not loaded (of megabytes) are not learnt.
 */
void record_names_learn(struct record_names *names,
			const struct hprof_record *record);

/* NULL: not known. */
const struct record_text *record_names_text(const struct record_names *names,
					    uint64_t string_id);
const struct record_class *record_names_class(const struct record_names *names,
					      uint64_t class_id);
const struct record_class *record_names_serial(const struct record_names *names,
					       uint32_t class_serial);

/* "java.lang.String", or NULL. */
const char *record_names_class_name(const struct record_class *of);

#endif
