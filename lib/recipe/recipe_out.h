/* SPDX-License-Identifier: MIT */
/*
 * recipe_out.h - writes the text of a recipe: buffered output of words, and of
 * values and bytes in the form that the assembler reads.
 *
 * A failed write is kept in the status, and later output is dropped. Callers
 * need to check only what hp_out_flush returns at the end.
 */
#ifndef HP_RECIPE_OUT_H
#define HP_RECIPE_OUT_H

#include "recipe/recipe.h"

struct hp_recipe_out {
	hprof_write_fn *write;
	void *user;
	enum hprof_status status;
	unsigned indent; /* tabs at the start of a line */
	unsigned items;	 /* number of items in the list so far */
	bool tight;	 /* no blank before the next key */
	size_t column;	 /* number of bytes in the line so far */
	size_t used;
	char buffer[32768];
};

/* For at most 127 bytes of text. Slow, so only for what is rare. */
void hp_out_format(struct hp_recipe_out *o, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void hp_out_text(struct hp_recipe_out *o, const char *text);
void hp_out_decimal(struct hp_recipe_out *o, uint64_t value);
void hp_out_signed(struct hp_recipe_out *o, int64_t value);
void hp_out_hex(struct hp_recipe_out *o, uint64_t value); /* 0x... */
/* Bytes as pairs of hexadecimal digits. */
void hp_out_pairs(struct hp_recipe_out *o, const uint8_t *p, size_t size);
void hp_out_line(struct hp_recipe_out *o);		    /* ends it */
void hp_out_key(struct hp_recipe_out *o, const char *name); /* name= */
enum hprof_status hp_out_flush(struct hp_recipe_out *o);

/*
 * A list in brackets, broken into lines. Call hp_out_item before each item,
 * with the approximate width of the item in columns.
 */
void hp_out_begin_list(struct hp_recipe_out *o);
void hp_out_item(struct hp_recipe_out *o, size_t width);
void hp_out_end_list(struct hp_recipe_out *o);

void hp_out_string(struct hp_recipe_out *o, const uint8_t *p, size_t size);
/* Writes NAME=bytes, or nothing if SIZE is 0; with TEXT set, as strings. */
void hp_out_bytes(struct hp_recipe_out *o, const char *name, const uint8_t *p,
		  size_t size, bool text);
/* Writes bytes as lines "raw ...". */
void hp_out_raw(struct hp_recipe_out *o, const uint8_t *p, size_t size);
/* Writes the value of TYPE whose bytes in the dump are at P. */
void hp_out_value(struct hp_recipe_out *o, unsigned type, const uint8_t *p,
		  unsigned id_size);
/* Writes SIZE bytes at P as a list of elements of TYPE. */
void hp_out_elements(struct hp_recipe_out *o, unsigned type, const uint8_t *p,
		     size_t size, unsigned id_size);
/*
 * Writes key=value for each field of R, which INFO describes. With COUNTS set,
 * also the counts of lists, for a record whose list is not in memory.
 */
void hp_out_fields(struct hp_recipe_out *o,
		   const struct hprof_record_info *info,
		   const struct hprof_record *r, bool counts);

struct hp_window;

/*
 * Writes the recipe of the dump in WINDOW. PROGRESS, which may be NULL, is
 * called after each top-level record; a failure that it returns ends it all,
 * and is what this returns.
 */
enum hprof_status
hp_recipe_write_window(struct hp_window *window, hprof_write_fn *write,
		       void *user, enum hprof_status (*progress)(void *user),
		       void *progress_user);

#endif
