/* SPDX-License-Identifier: MIT */
/*
 * maker.h - dumps made by program: those that are too large, or too random,
 * for a recipe.
 */
#ifndef MAKER_H
#define MAKER_H

#include <hprof.h>

#include "fixture.h"

struct maker {
	struct buffer out;
	unsigned id_size;
	size_t heap_at;	  /* header of the open heap record; 0: none */
	uint64_t strings; /* ids taken */
	uint32_t classes; /* serials taken */
	uint64_t random;
};

/* A file header. Free it with buffer_free(&maker->out). */
struct maker maker_begin(unsigned id_size);

/* Any record; a sub-record only inside a heap record. */
void maker_put(struct maker *m, const struct hprof_record *record);
void maker_heap(struct maker *m, unsigned tag);
void maker_heap_end(struct maker *m);

/* A string; its id. */
uint64_t maker_string(struct maker *m, const char *text);
/* LOAD_CLASS and the name. */
void maker_load(struct maker *m, uint64_t class_id, const char *name);

/*
 * CLASS_DUMP; FIELDS and STATICS, which may be NULL, have a letter for each, as
 * in descriptors: "LIJ". The names of fields are NAMES_ID and following.
 */
struct maker_class {
	uint64_t class_id, super_id;
	uint32_t instance_size;
	const char *fields, *statics;
	uint64_t names_id;
};
void maker_class(struct maker *m, const struct maker_class *c);

/* Objects, all values 0. */
void maker_instance(struct maker *m, uint64_t id, uint64_t class_id,
		    uint32_t data_size);
void maker_objects(struct maker *m, uint64_t id, uint64_t class_id,
		   uint32_t count);
void maker_prims(struct maker *m, uint64_t id, unsigned type, uint32_t count);

/* The same with values: the bytes of fields, COUNT ids of 8 bytes each. */
void maker_fields(struct maker *m, uint64_t id, uint64_t class_id,
		  const uint8_t *data, uint32_t size);
void maker_elements(struct maker *m, uint64_t id, uint64_t class_id,
		    const uint8_t *ids, uint32_t count);
void maker_id(uint8_t *at, uint64_t id); /* 8 bytes */

/* The object is a JNI global. */
void maker_root(struct maker *m, uint64_t object_id);

/* Less than BELOW; the same sequence every time. */
uint64_t maker_random(struct maker *m, uint64_t below);

/* The type code of a letter, its size. */
unsigned maker_type(char letter);

/* A dump of NUMBERED objects and two classes, their ids ascending or not. */
enum { NUMBERED = 5000 };
struct maker maker_numbered(bool ascending);

/* A file in the current directory with these bytes; NAME. */
const char *maker_file(const char *name, const void *bytes, size_t size);

#endif
