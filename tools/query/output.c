/* SPDX-License-Identifier: MIT */
/*
 * output.c - see output.h. Texts come from the dump, so they are escaped in
 * every form.
 */
#include "tools/query/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/escape.h"
#include "tools/common/json.h"
#include "tools/common/table.h"
#include "text/number_text.h"

/* Rows of a table whose columns get their widths together, and their texts. */
enum { PAGE_ROWS = 5000, PAGE_BYTES = 16 << 20 };

static const char *real_text(double real, char text[NUMBER_TEXT_MAX])
{
	number_text_real(text, real);
	/* 2.0 and not 2: it is no integer. */
	if (!strpbrk(text, ".eEnN"))
		strcat(text, ".0");
	return text;
}

/* The value as text that is not escaped yet; "" for null. */
static const char *value_text(sqlite3_stmt *statement, int column,
			      char number[NUMBER_TEXT_MAX])
{
	const char *text;

	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_NULL:
		return "";
	case SQLITE_INTEGER:
		snprintf(number, NUMBER_TEXT_MAX, "%" PRId64,
			 (int64_t)sqlite3_column_int64(statement, column));
		return number;
	case SQLITE_FLOAT:
		return real_text(sqlite3_column_double(statement, column),
				 number);
	default:
		text = (const char *)sqlite3_column_text(statement, column);
		return text ? text : "";
	}
}

/* ---- a table ------------------------------------------------------------- */

struct page {
	struct table *table;
	struct table_column *columns;
	char **titles;
	int count;
	size_t rows, bytes;
};

/* Columns of numbers are aligned right: the first row tells. */
static void page_begin(struct page *p, sqlite3_stmt *statement)
{
	p->count = sqlite3_column_count(statement);
	p->columns = cli_calloc((size_t)p->count + 1, sizeof(*p->columns));
	p->titles = cli_calloc((size_t)p->count + 1, sizeof(*p->titles));
	for (int i = 0; i < p->count; i++) {
		int type = sqlite3_column_type(statement, i);

		p->titles[i] =
			escape_copy(sqlite3_column_name(statement, i), 0);
		p->columns[i].title = p->titles[i];
		p->columns[i].align =
			type == SQLITE_INTEGER || type == SQLITE_FLOAT
				? TABLE_RIGHT
				: TABLE_LEFT;
	}
	p->table = table_new(p->columns, (size_t)p->count);
}

static void page_row(struct page *p, sqlite3_stmt *statement)
{
	char number[NUMBER_TEXT_MAX];

	for (int i = 0; i < p->count; i++) {
		char *text = escape_copy(value_text(statement, i, number), 0);

		p->bytes += strlen(text);
		table_text(p->table, text);
		free(text);
	}
	p->rows++;
}

static void page_end(struct page *p, FILE *out)
{
	if (!p->table)
		return;
	table_print(p->table, out, 0);
	table_free(p->table);
	for (int i = 0; i < p->count; i++)
		free(p->titles[i]);
	free(p->titles);
	free(p->columns);
	*p = (struct page){ 0 };
}

/* A long result is printed in pages, so that it need not stay in memory. */
static int put_table(FILE *out, sqlite3_stmt *statement)
{
	struct page page = { 0 };
	int code;

	while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
		if (page.rows == PAGE_ROWS || page.bytes > PAGE_BYTES)
			page_end(&page, out);
		if (!page.table)
			page_begin(&page, statement);
		page_row(&page, statement);
	}
	page_end(&page, out);
	return code;
}

/* ---- CSV ----------------------------------------------------------------- */

static void put_csv_row(FILE *out, sqlite3_stmt *statement)
{
	int count = sqlite3_column_count(statement);
	char number[NUMBER_TEXT_MAX];

	for (int i = 0; i < count; i++) {
		const char *text = value_text(statement, i, number);

		if (i > 0)
			putc(',', out);
		if (sqlite3_column_type(statement, i) == SQLITE_TEXT)
			escape_csv_field(out, text);
		else
			fputs(text, out);
	}
	fputs("\r\n", out);
}

static int put_csv(FILE *out, sqlite3_stmt *statement)
{
	int count = sqlite3_column_count(statement), code;

	for (int i = 0; i < count; i++) {
		if (i > 0)
			putc(',', out);
		escape_csv_field(out, sqlite3_column_name(statement, i));
	}
	fputs("\r\n", out);
	while ((code = sqlite3_step(statement)) == SQLITE_ROW)
		put_csv_row(out, statement);
	return code;
}

/* ---- JSON ---------------------------------------------------------------- */

static void put_json_value(struct json *json, sqlite3_stmt *statement, int i)
{
	const char *name = sqlite3_column_name(statement, i);
	char number[NUMBER_TEXT_MAX];

	switch (sqlite3_column_type(statement, i)) {
	case SQLITE_NULL:
		json_null(json, name);
		break;
	case SQLITE_INTEGER:
		json_signed(json, name, sqlite3_column_int64(statement, i));
		break;
	case SQLITE_FLOAT:
		/* JSON has no infinity. */
		if (isfinite(sqlite3_column_double(statement, i)))
			json_raw(json, name, value_text(statement, i, number));
		else
			json_string(json, name,
				    value_text(statement, i, number));
		break;
	default:
		json_string(json, name, value_text(statement, i, number));
	}
}

static int put_json(FILE *out, sqlite3_stmt *statement)
{
	struct json json;
	int count = sqlite3_column_count(statement), code;

	json_start(&json, out);
	json_begin_array(&json, NULL, JSON_BLOCK);
	while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
		json_begin_object(&json, NULL, JSON_LINE);
		for (int i = 0; i < count; i++)
			put_json_value(&json, statement, i);
		json_end(&json);
	}
	json_end(&json);
	return code;
}

/* ---- lines --------------------------------------------------------------- */

static int put_lines(FILE *out, sqlite3_stmt *statement)
{
	int count = sqlite3_column_count(statement), code;
	char number[NUMBER_TEXT_MAX];
	bool first = true;

	while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
		if (!first)
			putc('\n', out);
		first = false;
		for (int i = 0; i < count; i++) {
			escape_write(out, sqlite3_column_name(statement, i),
				     ESCAPE_TERMINAL);
			fputs(" = ", out);
			escape_write(out, value_text(statement, i, number),
				     ESCAPE_TERMINAL);
			putc('\n', out);
		}
	}
	return code;
}

int query_output(FILE *out, sqlite3_stmt *statement, enum query_format format)
{
	switch (format) {
	case QUERY_CSV:
		return put_csv(out, statement);
	case QUERY_JSON:
		return put_json(out, statement);
	case QUERY_LINES:
		return put_lines(out, statement);
	default:
		return put_table(out, statement);
	}
}
