/* SPDX-License-Identifier: MIT */
/*
 * decoded_names.h - strings of a dump as UTF-8, and as names of classes. Each
 * is decoded once, on demand. Otherwise a small file with many references to
 * one string could exhaust memory.
 */
#ifndef HP_DECODED_NAMES_H
#define HP_DECODED_NAMES_H

#include "base/arena.h"
#include "base/u64_map.h"
#include "model/string_table.h"

struct hp_text {
	size_t size;
	char text[]; /* UTF-8 without NUL, then NUL */
};

struct hp_decoded_names {
	const struct hp_string_table *strings;
	struct hp_arena *arena;	       /* of the texts; the caller's */
	struct hp_u64_map texts;       /* string id -> struct hp_text */
	struct hp_u64_map class_names; /* the same */
	bool no_memory;
};

/* Fails only with HPROF_E_NOMEM. A failed or zeroed one may be freed. */
enum hprof_status hp_decoded_names_init(struct hp_decoded_names *d,
					const struct hp_string_table *strings,
					struct hp_arena *arena);
void hp_decoded_names_done(struct hp_decoded_names *d);

/*
 * The text of a string; NULL if there is no such string (yet), or if memory ran
 * out, which is noted.
 */
const struct hp_text *hp_decoded_text(struct hp_decoded_names *d,
				      uint64_t string_id);
/* The same, as Java source writes the name of a class. */
const struct hp_text *hp_decoded_class_name(struct hp_decoded_names *d,
					    uint64_t string_id);

/*
 * The same, once all strings are known: "unknown-name@0x..." if the dump does
 * not have the string. NULL without memory.
 */
const struct hp_text *hp_decoded_text_or_id(struct hp_decoded_names *d,
					    uint64_t string_id);
const struct hp_text *hp_decoded_class_name_or_id(struct hp_decoded_names *d,
						  uint64_t string_id);

#endif
