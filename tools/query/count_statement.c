/* SPDX-License-Identifier: MIT */
/*
 * count_statement.c - see count_statement.h.
 */
#include "tools/query/count_statement.h"

#include <string.h>

const struct token *statement_token(const struct count_statement *r, size_t i)
{
	return &r->tokens.items[i < r->tokens.count ? i : r->tokens.count];
}

bool token_is_in(const struct token *token, const char *const *words)
{
	for (; *words; words++)
		if (token_is(token, *words))
			return true;
	return false;
}

/* ---- clauses ------------------------------------------------------------- */

/* The first of the words on the same level of brackets, from I on, or END. */
static size_t find(const struct count_statement *r, size_t i, size_t end,
		   const char *const *words)
{
	size_t depth = 0;

	for (; i < end; i++) {
		if (token_is(statement_token(r, i), "("))
			depth++;
		else if (token_is(statement_token(r, i), ")") && depth > 0)
			depth--;
		else if (depth == 0 &&
			 token_is_in(statement_token(r, i), words))
			return i;
	}
	return end;
}

/* The clause that begins with WORD and perhaps BY at *I, which goes behind. */
static struct part clause(const struct count_statement *r, const char *word,
			  size_t *i)
{
	static const char *const next[] = { "from",  "where", "group", "having",
					    "order", "limit", NULL };
	size_t end = r->tokens.count;
	struct part part = { *i, *i };

	if (!token_is(statement_token(r, *i), word))
		return part;
	part.from = *i + 1;
	if (token_is(statement_token(r, *i), "group") ||
	    token_is(statement_token(r, *i), "order"))
		part.from++;
	*i = part.end = find(r, part.from, end, next);
	return part;
}

static bool split_clauses(struct count_statement *r)
{
	size_t i = 0;

	r->select = clause(r, "select", &i);
	r->from = clause(r, "from", &i);
	r->where = clause(r, "where", &i);
	r->group = clause(r, "group", &i);
	r->having = clause(r, "having", &i);
	r->order = clause(r, "order", &i);
	r->limit = clause(r, "limit", &i);
	return i == r->tokens.count && r->select.end > r->select.from &&
	       r->from.end > r->from.from;
}

/* The next part of a list with commas: from *I on, which goes behind it. */
static struct part next_part(const struct count_statement *r, size_t *i,
			     size_t end)
{
	static const char *const comma[] = { ",", NULL };
	struct part part = { *i, find(r, *i, end, comma) };

	*i = part.end < end ? part.end + 1 : end;
	return part;
}

/* An alias that is the name of a column could mean either. */
static bool may_be_alias(const struct token *token)
{
	static const char *const columns[] = { "id", "address", "shallow",
					       "length", NULL };

	return (token->kind == TOKEN_WORD || token->kind == TOKEN_NAME) &&
	       !token_is_in(token, columns);
}

static bool split_items(struct count_statement *r)
{
	for (size_t i = r->select.from; i < r->select.end;) {
		struct part part = next_part(r, &i, r->select.end);
		struct item *item = &r->items[r->item_count];

		if (r->item_count++ == ITEMS_MOST || part.from == part.end)
			return false;
		*item = (struct item){ .expression = part };
		if (part.end - part.from < 3 ||
		    !token_is(statement_token(r, part.end - 2), "as"))
			continue;
		item->alias = *statement_token(r, part.end - 1);
		item->expression.end -= 2;
		if (!may_be_alias(&item->alias))
			return false;
	}
	return true;
}

/* ---- the table ----------------------------------------------------------- */

/* The name of a table and an alias, at *I. */
static bool read_table(const struct count_statement *r, const char *name,
		       size_t *i, struct token *ret_alias)
{
	static const char *const behind[] = { "join", "inner", "on", NULL };
	bool as;

	if (!token_is(statement_token(r, *i), name))
		return false;
	*ret_alias = *statement_token(r, (*i)++);
	as = token_is(statement_token(r, *i), "as");
	*i += as;
	if (*i < r->from.end && statement_token(r, *i)->kind == TOKEN_WORD &&
	    !token_is_in(statement_token(r, *i), behind))
		*ret_alias = *statement_token(r, (*i)++);
	else
		return !as;
	return true;
}

/* "c.id" at I. */
static bool is_column(const struct count_statement *r, size_t i,
		      const struct token *table, const char *column)
{
	return tokens_equal(statement_token(r, i), table) &&
	       token_is(statement_token(r, i + 1), ".") &&
	       token_is(statement_token(r, i + 2), column);
}

/* "ON c.id = o.class", or the other way round. */
static bool joins_class(const struct count_statement *r, size_t i)
{
	const struct token *o = &r->object, *c = &r->class_table;

	return token_is(statement_token(r, i), "on") &&
	       token_is(statement_token(r, i + 4), "=") &&
	       i + 8 == r->from.end &&
	       ((is_column(r, i + 1, c, "id") &&
		 is_column(r, i + 5, o, "class")) ||
		(is_column(r, i + 1, o, "class") &&
		 is_column(r, i + 5, c, "id")));
}

static bool read_tables(struct count_statement *r)
{
	size_t i = r->from.from;

	if (!read_table(r, "object", &i, &r->object))
		return false;
	if (i == r->from.end)
		return true;
	i += token_is(statement_token(r, i), "inner");
	return token_is(statement_token(r, i), "join") &&
	       read_table(r, "class", (++i, &i), &r->class_table) &&
	       !tokens_equal(&r->object, &r->class_table) && joins_class(r, i);
}

/* ---- columns ------------------------------------------------------------- */

/* The number of tokens of "id" or "o.id" at I; 0: there is something else. */
static size_t object_column(const struct count_statement *r, size_t i,
			    const char *column)
{
	if (is_column(r, i, &r->object, column))
		return 3;
	return token_is(statement_token(r, i), column) &&
			       !token_is(statement_token(r, i + 1), ".")
		       ? 1
		       : 0;
}

size_t statement_call(const struct count_statement *r, size_t i,
		      const char *name, const char *column)
{
	size_t size;

	if (!token_is(statement_token(r, i), name) ||
	    !token_is(statement_token(r, i + 1), "("))
		return 0;
	size = strcmp(column, "*") == 0
		       ? token_is(statement_token(r, i + 2), "*")
		       : object_column(r, i + 2, column);
	return size && token_is(statement_token(r, i + 2 + size), ")")
		       ? size + 3
		       : 0;
}

size_t statement_column(const struct count_statement *r, size_t i,
			struct column *ret)
{
	static const char *const only_class[] = { "name", "package", "kind",
						  NULL };
	size_t size = object_column(r, i, "class");
	bool joined = r->class_table.size > 0;

	*ret = (struct column){ .kind = OBJECT_CLASS_ROW };
	if (size)
		return size;
	ret->kind = OBJECT_CLASS_NAME;
	size = statement_call(r, i, "class_of", "id");
	if (size)
		return size;
	ret->kind = CLASS_COLUMN;
	if (!joined)
		return 0;
	if (tokens_equal(statement_token(r, i), &r->class_table) &&
	    token_is(statement_token(r, i + 1), ".")) {
		ret->name = *statement_token(r, i + 2);
		return ret->name.kind == TOKEN_WORD ? 3 : 0;
	}
	ret->name = *statement_token(r, i);
	return token_is_in(statement_token(r, i), only_class) &&
	       !token_is(statement_token(r, i + 1), ".");
}

static bool same_column(const struct column *a, const struct column *b)
{
	return a->kind == b->kind &&
	       (a->kind != CLASS_COLUMN || tokens_equal(&a->name, &b->name));
}

/* Does the column determine the class, and so all others? */
static bool is_key(const struct column *c)
{
	return c->kind == OBJECT_CLASS_ROW ||
	       (c->kind == CLASS_COLUMN && token_is(&c->name, "id"));
}

bool columns_add(struct columns *columns, const struct column *column)
{
	if (columns->count == COLUMNS_MOST)
		return false;
	columns->items[columns->count++] = *column;
	return true;
}

static bool is_grouped(const struct count_statement *r,
		       const struct column *column)
{
	for (size_t i = 0; i < r->grouped.count; i++)
		if (is_key(&r->grouped.items[i]) ||
		    same_column(&r->grouped.items[i], column))
			return true;
	return false;
}

bool statement_groups(const struct count_statement *r,
		      const struct columns *columns)
{
	for (size_t i = 0; i < columns->count; i++)
		if (!is_grouped(r, &columns->items[i]))
			return false;
	return true;
}

const struct item *statement_aliased(const struct count_statement *r,
				     const struct token *name)
{
	for (size_t i = 0; i < r->item_count; i++)
		if (r->items[i].alias.size &&
		    tokens_equal(&r->items[i].alias, name))
			return &r->items[i];
	return NULL;
}

/* What a part of GROUP BY stands for: an item, by number or alias, or itself. */
static struct part meant(const struct count_statement *r, struct part part)
{
	const struct token *first = statement_token(r, part.from);
	struct column column;
	const struct item *item;

	if (part.end - part.from != 1 ||
	    statement_column(r, part.from, &column))
		return part;
	item = statement_aliased(r, first);
	if (first->kind == TOKEN_VALUE && first->size == 1 &&
	    first->text[0] >= '1' &&
	    (size_t)(first->text[0] - '0') <= r->item_count)
		item = &r->items[first->text[0] - '1'];
	return item ? item->expression : part;
}

static bool read_groups(struct count_statement *r)
{
	for (size_t i = r->group.from; i < r->group.end;) {
		struct part part = meant(r, next_part(r, &i, r->group.end));
		struct column column;
		size_t size = statement_column(r, part.from, &column);

		if (size > 0 && part.from + size == part.end &&
		    !columns_add(&r->grouped, &column))
			return false;
	}
	return true;
}

bool count_statement_read(const char *sql, size_t size,
			  struct count_statement *ret)
{
	memset(ret, 0, sizeof(*ret));
	return tokens_read(sql, size, &ret->tokens) && split_clauses(ret) &&
	       split_items(ret) && read_tables(ret) && read_groups(ret);
}
