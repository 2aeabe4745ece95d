/* SPDX-License-Identifier: MIT */
/*
 * functions.h - functions of an object, for statements.
 *
 *	text(id)            the text of a String, StringBuilder or char[]
 *	field(id, 'a.b.c')  what the fields lead to: a number, text or object
 *	ref(id, 'a.b.c')    the object that they lead to
 *	class_of(id)        the name of its class
 *	instance_of(id, 'java.util.Map')
 *	                    1 if its class is that or a subclass of it
 *	address(id)         its identifier in the dump, as 0x...
 *	object_at(address)  the object with that identifier
 *	x REGEXP y          POSIX extended regular expressions
 */
#ifndef TOOLS_QUERY_FUNCTIONS_H
#define TOOLS_QUERY_FUNCTIONS_H

#include "tools/query/query_dump.h"
#include "tools/query/sqlite.h"

/*
 * Adds them to DB, for the objects of DUMP, which must outlive it. PREFIX goes
 * before the names of those that belong to a dump. An SQLite code.
 */
int functions_add(sqlite3 *db, struct query_dump *dump, const char *prefix);

/* REGEXP, which belongs to no dump. */
int functions_add_regexp(sqlite3 *db);

#endif
