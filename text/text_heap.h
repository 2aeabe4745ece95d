/* SPDX-License-Identifier: MIT */
/*
 * text_heap.h - the lines of the section HEAP DUMP. Only references that are
 * not null are printed, and of arrays of primitives no elements.
 */
#ifndef TEXT_TEXT_HEAP_H
#define TEXT_TEXT_HEAP_H

#include <hprof/record.h>

#include "text/text_writer.h"

void text_put_heap_begin(struct text_writer *w, uint64_t objects,
			 uint64_t bytes, uint64_t time_ms);
void text_put_heap_end(struct text_writer *w);

struct text_root {
	uint16_t tag; /* HPROF_ROOT_... */
	uint64_t object_id;
	uint64_t jni_ref;
	uint32_t thread_serial, trace_serial;
	int32_t frame;
	const char *class_name; /* of a system class */
};

void text_put_root(struct text_writer *w, const struct text_root *root);

/* An object, and the class that its line names. */
struct text_object {
	uint64_t id;
	uint32_t trace_serial;
	uint64_t size;
	uint64_t length;	/* of an array */
	const char *class_name; /* of elements, if it is an array; or NULL */
	uint64_t class_id;
};

/* A class, then its references in this order: */
void text_put_class(struct text_writer *w, const struct text_object *c);
void text_put_class_part(struct text_writer *w, const char *what, uint64_t id);
void text_put_static(struct text_writer *w, const char *name, uint64_t id);
void text_put_constant(struct text_writer *w, uint64_t index, uint64_t id);

void text_put_instance(struct text_writer *w, const struct text_object *o);
void text_put_field(struct text_writer *w, const char *name, uint64_t id);

void text_put_array(struct text_writer *w, const struct text_object *o);
void text_put_element(struct text_writer *w, uint64_t index, uint64_t id);

/* Its class_name is that of the type, such as "int". */
void text_put_values(struct text_writer *w, const struct text_object *o);

#endif
