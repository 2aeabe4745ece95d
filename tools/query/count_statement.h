/* SPDX-License-Identifier: MIT */
/*
 * count_statement.h - a statement about the table of objects, perhaps joined
 * with that of classes: its clauses and columns.
 */
#ifndef TOOLS_QUERY_COUNT_STATEMENT_H
#define TOOLS_QUERY_COUNT_STATEMENT_H

#include "tools/query/count_tokens.h"

enum { ITEMS_MOST = 64, COLUMNS_MOST = 64 };

/* Tokens from one number on, below another. */
struct part {
	size_t from, end;
};

/* A column that a statement names: of the object's class, or of table class. */
struct column {
	enum {
		OBJECT_CLASS_ROW,  /* object.class */
		OBJECT_CLASS_NAME, /* class_of(object.id) */
		CLASS_COLUMN
	} kind;
	struct token name; /* of a CLASS_COLUMN */
};

struct columns {
	size_t count;
	struct column items[COLUMNS_MOST];
};

struct item {
	struct part expression;
	struct token alias; /* of no size: none */
};

struct count_statement {
	struct tokens tokens;
	struct token object, class_table; /* their aliases; the latter of no
					     size: there is no join */
	struct part select, from, where, group, having, order, limit;
	size_t item_count;
	struct item items[ITEMS_MOST];
	struct columns grouped;
};

/* False: it is not of the form that is known. */
bool count_statement_read(const char *sql, size_t size,
			  struct count_statement *ret_statement);

/* Token I, or the end. */
const struct token *statement_token(const struct count_statement *statement,
				    size_t i);

/* Is it one of the WORDS, which NULL ends? */
bool token_is_in(const struct token *token, const char *const *words);

/* The number of tokens of "NAME(COLUMN)" at I, of a column of objects or *. */
size_t statement_call(const struct count_statement *statement, size_t i,
		      const char *name, const char *column);

/* The number of tokens of the column at I; 0: there is none that is known. */
size_t statement_column(const struct count_statement *statement, size_t i,
			struct column *ret_column);

/* The item with that alias, or NULL. */
const struct item *statement_aliased(const struct count_statement *statement,
				     const struct token *name);

/* False: there are too many. */
bool columns_add(struct columns *columns, const struct column *column);

/* Do the groups determine all of the columns? */
bool statement_groups(const struct count_statement *statement,
		      const struct columns *columns);

#endif
