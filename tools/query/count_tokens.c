/* SPDX-License-Identifier: MIT */
/*
 * count_tokens.c - see count_tokens.h.
 */
#include "tools/query/count_tokens.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool begins_word(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Where spaces and comments end. */
static const char *skip_blank(const char *at, const char *end)
{
	for (;;) {
		const char *begin = at;

		while (at < end && isspace((unsigned char)*at))
			at++;
		if (end - at >= 2 && at[0] == '-' && at[1] == '-') {
			while (at < end && *at != '\n')
				at++;
		} else if (end - at >= 2 && at[0] == '/' && at[1] == '*') {
			at += 2;
			while (end - at >= 2 && (at[0] != '*' || at[1] != '/'))
				at++;
			at = end - at >= 2 ? at + 2 : end;
		}
		if (at == begin)
			return at;
	}
}

/* Behind the quote that ends it, which is doubled inside; NULL: none does. */
static const char *skip_quoted(const char *at, const char *end)
{
	char quote = *at++;

	while (at < end) {
		if (*at++ != quote)
			continue;
		if (at == end || *at != quote)
			return at;
		at++;
	}
	return NULL;
}

/* Whole numbers and those with a fraction or exponent: 1, .5, 1e3, 0x7f. */
static const char *skip_number(const char *at, const char *end)
{
	while (at < end && (in_word(*at) || *at == '.'))
		at++;
	return at;
}

static const char *skip_word(const char *at, const char *end)
{
	while (at < end && in_word(*at))
		at++;
	return at;
}

/* The token at AT, and where it ends; NULL: what it is is not known. */
static const char *read_token(const char *at, const char *end,
			      enum token_kind *kind)
{
	bool digit_follows = end - at > 1 && isdigit((unsigned char)at[1]);

	*kind = TOKEN_VALUE;
	if (*at == '\'')
		return skip_quoted(at, end);
	if (isdigit((unsigned char)*at) || (*at == '.' && digit_follows))
		return skip_number(at, end);
	if (strchr(":@$?", *at))
		return skip_word(at + 1, end);
	*kind = *at == '"' ? TOKEN_NAME : TOKEN_WORD;
	if (*at == '"')
		return skip_quoted(at, end);
	if (begins_word(*at))
		return skip_word(at, end);
	*kind = TOKEN_SYMBOL;
	return strchr("()*,.+-/%<>=!|&~", *at) ? at + 1 : NULL;
}

bool tokens_read(const char *sql, size_t size, struct tokens *ret)
{
	const char *at = sql, *end = sql + size;

	ret->count = 0;
	for (;;) {
		struct token *token = &ret->items[ret->count];
		const char *next;

		at = skip_blank(at, end);
		if (at == end || *at == ';') {
			*token = (struct token){ TOKEN_END, at, 0 };
			return true;
		}
		next = ret->count < TOKENS_MOST
			       ? read_token(at, end, &token->kind)
			       : NULL;
		if (!next)
			return false;
		token->text = at;
		token->size = (size_t)(next - at);
		ret->count++;
		at = next;
	}
}

bool token_is(const struct token *token, const char *text)
{
	return (token->kind == TOKEN_WORD || token->kind == TOKEN_SYMBOL) &&
	       strlen(text) == token->size &&
	       strncasecmp(token->text, text, token->size) == 0;
}

bool tokens_equal(const struct token *a, const struct token *b)
{
	return a->kind == b->kind && a->size == b->size &&
	       strncasecmp(a->text, b->text, a->size) == 0;
}
