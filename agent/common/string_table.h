/* SPDX-License-Identifier: MIT */
/*
 * string_table.h - the strings of a dump: each text once, with the id that its
 * UTF8 record has.
 */
#ifndef AG_STRING_TABLE_H
#define AG_STRING_TABLE_H

#include "hprof/writer.h"

struct ag_names;

/*
 * The ids are those after BEFORE: in a stream of several dumps, a number never
 * gets a second text. NULL without memory.
 */
struct ag_names *ag_names_new(uint64_t before);
void ag_names_free(struct ag_names *names); /* NULL is fine */

/*
 * The id of TEXT, which is modified UTF-8, as from JVMTI, and is copied. 0 for
 * NULL and the empty text; also without memory, see ag_names_failed.
 */
uint64_t ag_name(struct ag_names *names, const char *text);
uint64_t ag_name_sized(struct ag_names *names, const char *text, size_t size);
/*
 * The same for a class's name: dumps write "java/lang/String" for
 * "Ljava/lang/String;", "[I" for "[I".
 */
uint64_t ag_name_class(struct ag_names *names, const char *signature);
bool ag_names_failed(const struct ag_names *names);

/* The last id so far. */
uint64_t ag_names_last(const struct ag_names *names);

/* The bytes of its tables, without the texts. */
size_t ag_names_room(const struct ag_names *names);

/* Writes UTF8 records for the names added since the last call. */
enum hprof_status ag_names_write(struct ag_names *names,
				 struct hprof_writer *writer);

#endif
