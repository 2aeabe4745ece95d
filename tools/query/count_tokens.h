/* SPDX-License-Identifier: MIT */
/*
 * count_tokens.h - a statement of SQL as tokens.
 */
#ifndef TOOLS_QUERY_COUNT_TOKENS_H
#define TOOLS_QUERY_COUNT_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind {
	TOKEN_WORD,   /* a keyword or name */
	TOKEN_NAME,   /* in double quotes */
	TOKEN_VALUE,  /* a text, number or parameter */
	TOKEN_SYMBOL, /* one character */
	TOKEN_END     /* behind the last one */
};

struct token {
	enum token_kind kind;
	const char *text; /* in the statement */
	size_t size;
};

enum { TOKENS_MOST = 512 };

struct tokens {
	size_t count;
	struct token items[TOKENS_MOST + 1]; /* and the end */
};

/*
 * The tokens of SQL, SIZE bytes, without comments and the semicolon at its end.
 * False: there are too many, or something that is not known.
 */
bool tokens_read(const char *sql, size_t size, struct tokens *ret_tokens);

/* Is it this keyword, name or symbol, in any case? */
bool token_is(const struct token *token, const char *text);

/* Are they the same text, in any case? */
bool tokens_equal(const struct token *a, const struct token *b);

#endif
