/* SPDX-License-Identifier: MIT */
/*
 * class_maker.h - class files of one method for tests, and what is read of the
 * ones that the agent makes of them.
 */
#ifndef CLASS_MAKER_H
#define CLASS_MAKER_H

#include "agent/instrument/class_rewrite.h"

/* All zero but what a test sets; then made once. */
struct class_maker {
	unsigned major; /* 0: 52 */
	unsigned access;
	const char *class_name, *method, *descriptor; /* NULL: A, m, ()V */
	unsigned max_stack, max_locals;
	struct ag_out pool; /* more constants, from index FIRST_CONSTANT on */
	unsigned constants;
	struct ag_out code;	  /* empty: no Code attribute */
	struct ag_out handlers;	  /* 8 bytes each */
	struct ag_out attributes; /* of the code, with their heads */
	unsigned n_attributes;
	unsigned parts; /* to be instrumented; 0: everywhere */
};

enum { FIRST_CONSTANT = 10 };

/* Add constants; they return their indices. */
unsigned class_maker_utf8(struct class_maker *m, const char *text);
unsigned class_maker_type(struct class_maker *m, const char *name);
unsigned class_maker_method(struct class_maker *m, unsigned class_index,
			    const char *name, const char *descriptor);

/* Appends an attribute of the code. */
void class_maker_attribute(struct class_maker *m, const char *name,
			   const uint8_t *bytes, size_t size);

/* The class file; freed by hp_free, as everything of M is. */
struct ag_out class_maker_finish(struct class_maker *m);

/* The one method of a class file that was rewritten. */
struct made_method {
	struct ag_rewritten rewritten;
	unsigned max_stack, max_locals;
	const uint8_t *code;
	uint32_t code_size;
	const uint8_t *handlers;
	unsigned n_handlers;
	/* In the constant pool. */
	unsigned enter, caught, exit, throwable, number;
	struct ag_pool pool;
	struct ag_in attributes;
};

/* The number of that method. */
enum { MADE_NUMBER = 0x12345 };

/* Makes the class of M, rewrites it and reads the result. */
struct made_method class_maker_rewrite(struct class_maker *m);
void made_done(struct made_method *made);

/* The bytes of an attribute of the code; NULL if there is none. */
const uint8_t *made_attribute(const struct made_method *made, const char *name,
			      size_t *ret_size);

#endif
