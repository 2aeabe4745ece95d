/* SPDX-License-Identifier: MIT */
/*
 * functions.c - see functions.h. NULL is what a function gives for an object
 * that is not there, or that is not of a kind it knows.
 */
#include "tools/query/functions.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/query/class_kin.h"
#include "tools/query/results.h"

enum {
	NAME_MOST = 1024,
	PATTERN_MOST = 20000 /* characters of one that is written out */
};

/* The functions of one dump share a cursor. */
struct functions {
	const struct hprof_heap *heap;
	struct hprof_cursor *cursor;
};

static struct functions *functions_of(sqlite3_context *context)
{
	return sqlite3_user_data(context);
}

static void fail(sqlite3_context *context, const struct functions *f,
		 enum hprof_status status)
{
	if (status == HPROF_E_NOMEM)
		sqlite3_result_error_nomem(context);
	else
		sqlite3_result_error(context,
				     hprof_cursor_error(f->cursor)->text, -1);
}

/* Moves the cursor to the object of VALUE; false: the result is set. */
static bool go(sqlite3_context *context, sqlite3_value *value,
	       struct hprof_object *ret)
{
	const struct functions *f = functions_of(context);
	uint64_t object = value_object(value);
	enum hprof_status status;

	if (object >= hprof_heap_count(f->heap))
		return false;
	status = hprof_cursor_seek(f->cursor, object, ret);
	if (status < 0)
		fail(context, f, status);
	return status == HPROF_OK;
}

/* ---- contents ------------------------------------------------------------ */

static void text_of(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	const struct functions *f = functions_of(context);
	struct hprof_object object;
	const char *text;
	enum hprof_status status;

	(void)argc;
	if (!go(context, argv[0], &object))
		return;
	status = hprof_cursor_text(f->cursor, HPROF_TEXT_MOST, &text, NULL);
	if (status == HPROF_OK)
		sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
	else if (status < 0)
		fail(context, f, status);
}

/*
 * Follows all names of PATH but the last one, and gives the field of that name.
 * HPROF_END: a name does not lead on.
 */
static enum hprof_status walk_fields(struct hprof_cursor *cursor,
				     const char *path, struct hprof_field *ret)
{
	for (;;) {
		size_t size = strcspn(path, ".");
		char name[NAME_MOST];
		struct hprof_object object;
		enum hprof_status status;

		if (size >= sizeof(name))
			return HPROF_END;
		memcpy(name, path, size);
		name[size] = '\0';
		status = hprof_cursor_field_named(cursor, NULL, name, ret);
		if (status != HPROF_OK || !path[size])
			return status;
		if (ret->type != HPROF_TYPE_OBJECT)
			return HPROF_END;
		status = hprof_cursor_follow(cursor, ret->value, &object);
		if (status != HPROF_OK)
			return status;
		path += size + 1;
	}
}

/* False: there is no such field, or the result is set. */
static bool find_field(sqlite3_context *context, sqlite3_value **argv,
		       struct hprof_field *ret)
{
	const struct functions *f = functions_of(context);
	const char *path = (const char *)sqlite3_value_text(argv[1]);
	struct hprof_object object;
	enum hprof_status status;

	if (!path || !go(context, argv[0], &object))
		return false;
	status = walk_fields(f->cursor, path, ret);
	if (status < 0)
		fail(context, f, status);
	return status == HPROF_OK;
}

static void field_of(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	const struct functions *f = functions_of(context);
	struct hprof_field field;
	enum hprof_status status;

	(void)argc;
	if (!find_field(context, argv, &field))
		return;
	status = result_bits(context, f->cursor, field.type, field.value, NULL);
	if (status < 0)
		fail(context, f, status);
}

static void ref_of(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	const struct functions *f = functions_of(context);
	struct hprof_field field;
	uint64_t object;

	(void)argc;
	if (!find_field(context, argv, &field) ||
	    field.type != HPROF_TYPE_OBJECT)
		return;
	object = hprof_heap_find(f->heap, field.value);
	if (object != HPROF_NO_OBJECT)
		sqlite3_result_int64(context, (sqlite3_int64)object);
}

/* ---- classes and addresses ----------------------------------------------- */

/* The row of the object's class; that of java.lang.Class for a class. */
static size_t class_row(const struct functions *f,
			const struct hprof_object *object)
{
	return object->kind == HPROF_OBJECT_CLASS
		       ? hprof_heap_class_named(f->heap, "java.lang.Class", 0)
		       : object->class_row;
}

static void class_of(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	const struct functions *f = functions_of(context);
	const struct hprof_summary *s = hprof_heap_summary(f->heap);
	struct hprof_object object;
	size_t row;

	(void)argc;
	if (!go(context, argv[0], &object))
		return;
	row = class_row(f, &object);
	if (row < s->class_count)
		sqlite3_result_text(context, s->class_rows[row].name, -1,
				    SQLITE_TRANSIENT);
}

/* What is known about classes of a name stays for the statement. */
static void instance_of(sqlite3_context *context, int argc,
			sqlite3_value **argv)
{
	const struct functions *f = functions_of(context);
	const char *name = (const char *)sqlite3_value_text(argv[1]);
	struct class_kin *kin = sqlite3_get_auxdata(context, 1);
	struct hprof_object object;
	bool is_new = !kin;

	(void)argc;
	if (!name || !go(context, argv[0], &object))
		return;
	if (is_new)
		kin = class_kin_new(f->heap, name);
	if (!kin) {
		sqlite3_result_error_nomem(context);
		return;
	}
	sqlite3_result_int(context, class_kin_has(kin, class_row(f, &object)));
	if (is_new)
		sqlite3_set_auxdata(context, 1, kin, class_kin_free);
}

static void address_of(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct hprof_object object;
	char text[24];

	(void)argc;
	if (!go(context, argv[0], &object))
		return;
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)object.id);
	sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static void object_at(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	const struct functions *f = functions_of(context);
	uint64_t id = (uint64_t)sqlite3_value_int64(argv[0]);
	uint64_t object;

	(void)argc;
	if (sqlite3_value_type(argv[0]) == SQLITE_TEXT) {
		const char *text = (const char *)sqlite3_value_text(argv[0]);

		id = text ? strtoull(text + (*text == '@'), NULL, 16) : 0;
	}
	object = hprof_heap_find(f->heap, id);
	if (object != HPROF_NO_OBJECT)
		sqlite3_result_int64(context, (sqlite3_int64)object);
}

/* ---- regular expressions ------------------------------------------------- */

static void free_pattern(void *pattern)
{
	regfree(pattern);
	free(pattern);
}

/* The larger of the numbers in "{2,5}" at AT. */
static unsigned long copies_of(const char *at)
{
	char *end;
	unsigned long least = strtoul(at + 1, &end, 10);
	unsigned long most = *end == ',' ? strtoul(end + 1, NULL, 10) : 0;

	return most > least ? most : least;
}

/*
 * Why a pattern is not taken, or NULL. The C library writes a{1,255} out as so
 * many copies, and tries all ways for a back-reference: a few characters could
 * take hours and all memory, which no limit of a statement would end.
 */
static const char *refusal(const char *pattern)
{
	double size = (double)strlen(pattern);

	for (const char *at = pattern; *at; at++) {
		if (*at == '{' && copies_of(at) > 1)
			size *= (double)copies_of(at);
		if (*at == '\\' && at[1]) {
			at++;
			if (*at >= '1' && *at <= '9')
				return "a pattern has no back-references";
		}
	}
	return size > PATTERN_MOST ? "the pattern is too large" : NULL;
}

/* Compiles the pattern, or says why not. */
static regex_t *compile(sqlite3_context *context, const char *pattern)
{
	const char *refused = refusal(pattern);
	regex_t *compiled;
	char why[200];
	int code;

	if (refused) {
		sqlite3_result_error(context, refused, -1);
		return NULL;
	}
	compiled = calloc(1, sizeof(*compiled));
	if (!compiled) {
		sqlite3_result_error_nomem(context);
		return NULL;
	}
	code = regcomp(compiled, pattern, REG_EXTENDED | REG_NOSUB);
	if (code == 0)
		return compiled;
	regerror(code, compiled, why, sizeof(why));
	sqlite3_result_error(context, why, -1);
	free(compiled);
	return NULL;
}

/* x REGEXP y calls regexp(y, x). A pattern is compiled once a statement. */
static void regexp(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	const char *pattern = (const char *)sqlite3_value_text(argv[0]);
	const char *text = (const char *)sqlite3_value_text(argv[1]);
	regex_t *compiled = sqlite3_get_auxdata(context, 0);
	bool is_new = !compiled;

	(void)argc;
	if (!pattern || !text)
		return;
	if (is_new)
		compiled = compile(context, pattern);
	if (!compiled)
		return;
	sqlite3_result_int(context, regexec(compiled, text, 0, NULL, 0) == 0);
	if (is_new)
		sqlite3_set_auxdata(context, 0, compiled, free_pattern);
}

/* ---- registration -------------------------------------------------------- */

static void free_functions(void *functions)
{
	struct functions *f = functions;

	hprof_cursor_free(f->cursor);
	free(f);
}

static const struct {
	const char *name;
	int arguments;
	void (*call)(sqlite3_context *, int, sqlite3_value **);
} functions[] = {
	{ "text", 1, text_of },
	{ "field", 2, field_of },
	{ "ref", 2, ref_of },
	{ "class_of", 1, class_of },
	{ "instance_of", 2, instance_of },
	{ "address", 1, address_of },
	{ "object_at", 1, object_at },
};

static int add(sqlite3 *db, struct query_dump *dump, const char *prefix,
	       size_t i)
{
	struct functions *f = calloc(1, sizeof(*f));
	struct hprof_error error;
	char name[100];

	if (!f)
		return SQLITE_NOMEM;
	f->heap = query_dump_heap(dump);
	if (hprof_cursor_new(f->heap, &f->cursor, &error) != HPROF_OK) {
		free(f);
		return SQLITE_NOMEM;
	}
	snprintf(name, sizeof(name), "%s%s", prefix, functions[i].name);
	return sqlite3_create_function_v2(
		db, name, functions[i].arguments,
		SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, f,
		functions[i].call, NULL, NULL, free_functions);
}

int functions_add(sqlite3 *db, struct query_dump *dump, const char *prefix)
{
	int code = SQLITE_OK;

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (code == SQLITE_OK)
			code = add(db, dump, prefix, i);
	return code;
}

int functions_add_regexp(sqlite3 *db)
{
	return sqlite3_create_function_v2(db, "regexp", 2,
					  SQLITE_UTF8 | SQLITE_DETERMINISTIC |
						  SQLITE_INNOCUOUS,
					  NULL, regexp, NULL, NULL, NULL);
}
