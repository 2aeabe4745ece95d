/* SPDX-License-Identifier: MIT */
/*
 * recipe_out.h - the words of a recipe on their way out: buffered text, and
 * values and bytes in the form that the assembler reads.
 *
 * Errors stay in the status: the caller goes on and asks at the end.
 */
#ifndef HP_RECIPE_OUT_H
#define HP_RECIPE_OUT_H

#include "recipe/recipe.h"

struct hp_recipe_out {
	hprof_write_fn *write;
	void *user;
	enum hprof_status status;
	unsigned indent; /* tabs of the line */
	unsigned items;	 /* in the list so far */
	bool tight;	 /* no blank before the next key */
	size_t column;	 /* bytes in the line so far */
	size_t used;
	char buffer[32768];
};

/* Short text: at most 100 bytes. Slow: for what is rare. */
void hp_out_format(struct hp_recipe_out *o, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void hp_out_text(struct hp_recipe_out *o, const char *text);
void hp_out_decimal(struct hp_recipe_out *o, uint64_t value);
void hp_out_signed(struct hp_recipe_out *o, int64_t value);
void hp_out_hex(struct hp_recipe_out *o, uint64_t value); /* 0x... */
void hp_out_line(struct hp_recipe_out *o);		    /* ends it */
void hp_out_key(struct hp_recipe_out *o, const char *name); /* name= */
enum hprof_status hp_out_flush(struct hp_recipe_out *o);

/* [ ... ], broken into lines; hp_out_item before each item, WIDTH about. */
void hp_out_begin_list(struct hp_recipe_out *o);
void hp_out_item(struct hp_recipe_out *o, size_t width);
void hp_out_end_list(struct hp_recipe_out *o);

void hp_out_string(struct hp_recipe_out *o, const uint8_t *p, size_t size);
/* NAME=bytes; nothing if SIZE is 0. TEXT: rather as strings. */
void hp_out_bytes(struct hp_recipe_out *o, const char *name, const uint8_t *p,
		  size_t size, bool text);
/* Lines "raw ...". */
void hp_out_raw(struct hp_recipe_out *o, const uint8_t *p, size_t size);
/* A value in file form. */
void hp_out_value(struct hp_recipe_out *o, unsigned type, const uint8_t *p,
		  unsigned id_size);
/* The list of elements of an array. */
void hp_out_elements(struct hp_recipe_out *o, unsigned type, const uint8_t *p,
		     size_t size, unsigned id_size);
/*
 * key=value of each field of R, which INFO describes. COUNTS: those of a tail
 * that is not here, too.
 */
void hp_out_fields(struct hp_recipe_out *o,
		   const struct hprof_record_info *info,
		   const struct hprof_record *r, bool counts);

struct hp_window;

/* LOOK (may be NULL) is called after each top-level record. */
enum hprof_status hp_recipe_write_window(struct hp_window *window,
					 hprof_write_fn *write, void *user,
					 void (*look)(void *user),
					 void *look_user);

#endif
