/* SPDX-License-Identifier: MIT */
/*
 * count_rewrite.c - see count_rewrite.h.
 *
 * In
 *
 *     SELECT c.package, count(*), sum(o.shallow) FROM object o
 *     JOIN class c ON c.id = o.class GROUP BY c.package
 *
 * nothing tells two objects of a class apart. So a table with a row for each
 * class, which has their number and bytes, does for the table of objects, if
 * count(*) becomes the sum of the numbers, and sum(shallow) that of the bytes.
 *
 * A word that is not known to keep this true, wherever it stands, leaves the
 * statement as it is. So do columns outside of sums that the groups do not
 * determine: there SQLite takes those of any row.
 */
#include "tools/query/count_rewrite.h"

#include <string.h>

#include "tools/query/count_statement.h"

struct rewrite {
	struct count_statement of;
	struct columns bare; /* outside of sums */
	bool sums;	     /* something is counted or added up */
	sqlite3_str *out;
};

static const struct {
	const char *name, *column, *instead; /* %.*s: the table, twice */
} sums[] = {
	{ "count", "*", "coalesce(sum(%.*s.\":n\"), 0)" },
	{ "count", "id", "coalesce(sum(%.*s.\":n\"), 0)" },
	{ "sum", "shallow", "sum(%.*s.\":b\")" },
	{ "total", "shallow", "total(%.*s.\":b\")" },
	{ "avg", "shallow", "(total(%.*s.\":b\") / sum(%.*s.\":n\"))" },
};

static size_t put_sum(struct rewrite *w, size_t i)
{
	for (size_t k = 0; k < sizeof(sums) / sizeof(*sums); k++) {
		size_t size =
			statement_call(&w->of, i, sums[k].name, sums[k].column);

		if (!size)
			continue;
		sqlite3_str_appendf(w->out, sums[k].instead,
				    (int)w->of.object.size, w->of.object.text,
				    (int)w->of.object.size, w->of.object.text);
		w->sums = true;
		return size;
	}
	return 0;
}

static void put_token(const struct rewrite *w, const struct token *token)
{
	sqlite3_str_append(w->out, token->text, (int)token->size);
}

static size_t put_column(struct rewrite *w, size_t i, struct columns *bare)
{
	struct column column;
	size_t size = statement_column(&w->of, i, &column);

	if (!size || (bare && !columns_add(bare, &column)))
		return 0;
	if (column.kind == OBJECT_CLASS_NAME) {
		put_token(w, &w->of.object);
		sqlite3_str_appendall(w->out, ".\":c\"");
		return size;
	}
	for (size_t k = 0; k < size; k++)
		put_token(w, statement_token(&w->of, i + k));
	return size;
}

static bool is_harmless(const struct rewrite *w, size_t i)
{
	static const char *const words[] = {
		"and",	"asc",	  "between", "case", "desc",  "else",
		"end",	"escape", "first",   "glob", "in",    "is",
		"last", "like",	  "not",     "null", "nulls", "offset",
		"or",	"regexp", "then",    "when", NULL
	};
	static const char *const functions[] = {
		"abs",	  "coalesce", "format", "ifnull",  "instr",
		"length", "lower",    "printf", "replace", "round",
		"substr", "upper",    NULL
	};
	const struct token *token = statement_token(&w->of, i);

	switch (token->kind) {
	case TOKEN_VALUE:
		return true;
	case TOKEN_SYMBOL:
		return !token_is(token, ".");
	case TOKEN_WORD:
		return token_is_in(token, words) ||
		       (token_is(statement_token(&w->of, i + 1), "(") &&
			token_is_in(token, functions));
	default:
		return false;
	}
}

/* Two symbols may be one operator. */
static bool is_spaced(const struct rewrite *w, size_t i)
{
	return statement_token(&w->of, i)->kind != TOKEN_SYMBOL ||
	       statement_token(&w->of, i)->text + 1 !=
		       statement_token(&w->of, i + 1)->text;
}

/* Writes an expression; the columns outside of sums go to BARE, unless NULL. */
static bool put_part(struct rewrite *w, struct part part, struct columns *bare,
		     bool aliases)
{
	for (size_t i = part.from; i < part.end;) {
		size_t size = bare ? put_sum(w, i) : 0;

		if (!size)
			size = put_column(w, i, bare);
		if (!size &&
		    (is_harmless(w, i) ||
		     (aliases &&
		      statement_aliased(&w->of, statement_token(&w->of, i)) &&
		      !token_is(statement_token(&w->of, i + 1), "(") &&
		      !token_is(statement_token(&w->of, i + 1), ".")))) {
			put_token(w, statement_token(&w->of, i));
			size = 1;
		}
		if (!size)
			return false;
		if (is_spaced(w, i + size - 1))
			sqlite3_str_appendchar(w->out, 1, ' ');
		i += size;
	}
	return true;
}

static bool put_items(struct rewrite *w, sqlite3_stmt *statement)
{
	if ((size_t)sqlite3_column_count(statement) != w->of.item_count)
		return false;
	for (size_t i = 0; i < w->of.item_count; i++) {
		sqlite3_str_appendall(w->out, i ? ", " : "SELECT ");
		if (!put_part(w, w->of.items[i].expression, &w->bare, false))
			return false;
		sqlite3_str_appendf(w->out, "AS \"%w\"",
				    sqlite3_column_name(statement, (int)i));
	}
	return w->sums;
}

static void put_tables(struct rewrite *w)
{
	sqlite3_str_appendf(w->out,
			    " FROM (SELECT id AS class, instances AS \":n\", "
			    "shallow AS \":b\", name AS \":c\" FROM main.class "
			    "WHERE instances > 0) AS %.*s",
			    (int)w->of.object.size, w->of.object.text);
	if (w->of.class_table.size)
		sqlite3_str_appendf(
			w->out,
			" JOIN main.class AS %.*s ON %.*s.id = %.*s.class",
			(int)w->of.class_table.size, w->of.class_table.text,
			(int)w->of.class_table.size, w->of.class_table.text,
			(int)w->of.object.size, w->of.object.text);
}

static bool put_clause(struct rewrite *w, const char *words, struct part part,
		       struct columns *bare, bool aliases)
{
	if (part.from == part.end)
		return true;
	sqlite3_str_appendf(w->out, " %s ", words);
	return put_part(w, part, bare, aliases);
}

static bool put_statement(struct rewrite *w, sqlite3_stmt *statement)
{
	if (!put_items(w, statement))
		return false;
	put_tables(w);
	return put_clause(w, "WHERE", w->of.where, NULL, false) &&
	       put_clause(w, "GROUP BY", w->of.group, NULL, true) &&
	       put_clause(w, "HAVING", w->of.having, &w->bare, true) &&
	       put_clause(w, "ORDER BY", w->of.order, &w->bare, true) &&
	       put_clause(w, "LIMIT", w->of.limit, NULL, false) &&
	       statement_groups(&w->of, &w->bare);
}

char *count_rewrite(const char *sql, size_t size, sqlite3_stmt *statement)
{
	struct rewrite w = { .sums = false };
	char *text;
	bool done;

	if (!count_statement_read(sql, size, &w.of))
		return NULL;
	w.out = sqlite3_str_new(NULL);
	done = put_statement(&w, statement);
	text = sqlite3_str_finish(w.out);
	if (done)
		return text;
	sqlite3_free(text);
	return NULL;
}
