/* SPDX-License-Identifier: MIT */
/*
 * java_string.h - decodes java.lang.String objects to UTF-8, for every layout
 * that class libraries have used.
 */
#ifndef HP_JAVA_STRING_H
#define HP_JAVA_STRING_H

#include "java/field_lookup.h"

struct hp_strings {
	struct hp_field_lookup *layouts;
	const struct hp_object_fetch *objects;
	struct hp_arena *arena;	 /* holds the texts; owned by the caller */
	struct hp_u64_map texts; /* object id -> text */
	bool order_known, big_endian;
	bool no_memory;
};

/*
 * Fails only with HPROF_E_NOMEM. Call hp_strings_done in either case. Texts are
 * allocated in ARENA and live as long as it does.
 */
enum hprof_status hp_strings_init(struct hp_strings *s,
				  struct hp_field_lookup *layouts,
				  struct hp_arena *arena);
void hp_strings_done(struct hp_strings *s);

/*
 * Requests the array that String ID refers to. The String itself must have
 * been fetched; the next hp_object_fetch_fetch reads the array.
 */
void hp_strings_want(const struct hp_strings *s, uint64_t id);

/*
 * The text of object ID: a String, or a char[] (which JDK 8 and earlier use for
 * the names of threads). The object and its array must have been fetched. The
 * text contains no NUL, as with hprof_text_decode. NULL if ID is neither, or
 * if its characters are not in the dump.
 */
const char *hp_strings_text(struct hp_strings *s, uint64_t id);

/* Is OBJECT of class java.lang.String? */
bool hp_strings_is(const struct hp_strings *s, const struct hp_object *object);

#endif
