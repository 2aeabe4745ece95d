/* SPDX-License-Identifier: MIT */
/*
 * java_string.h - java.lang.String objects as UTF-8, in every layout that
 * the class has had.
 */
#ifndef HP_JAVA_STRING_H
#define HP_JAVA_STRING_H

#include "model/field_lookup.h"

struct hp_strings {
	struct hp_field_lookup *layouts;
	const struct hp_object_fetch *objects;
	struct hp_arena *arena; /* of the texts; not ours */
	struct hp_u64_map texts; /* object id -> text */
	bool order_known, big_endian;
	bool no_memory;
};

/* 0, or -1 without memory; done with hp_strings_done in any case. */
int hp_strings_init(struct hp_strings *s, struct hp_field_lookup *layouts,
		    struct hp_arena *arena);
void hp_strings_done(struct hp_strings *s);

/* String ID was fetched: what it refers to is wanted next. */
void hp_strings_want(const struct hp_strings *s, uint64_t id);

/*
 * The text of ID, a String or (older threads' names) a char[], fetched with
 * what it refers to. As with hprof_text_decode there is no NUL in it. NULL:
 * ID is neither, or its characters are not in the dump.
 */
const char *hp_strings_text(struct hp_strings *s, uint64_t id);

/* Is OBJECT of class java.lang.String? */
bool hp_strings_is(const struct hp_strings *s, const struct hp_object *object);

#endif
