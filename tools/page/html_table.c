/* SPDX-License-Identifier: MIT */
/*
 * html_table.c - tables of html.h: rows as long as there is room, sums of the
 * others.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "tools/common/describe.h"
#include "tools/common/units.h"
#include "tools/page/html.h"

static bool is_text(enum html_cell cell)
{
	return cell == HTML_NAME || cell == HTML_TEXT;
}

void html_table_begin(struct html_table *table, struct html *html,
		      const char *caption, const struct html_column *columns,
		      size_t count, size_t most, uint64_t whole)
{
	unsigned id = html->next_id++;

	assert(count <= HTML_COLUMNS);
	*table = (struct html_table){
		.html = html,
		.columns = columns,
		.column_count = count,
		.whole = whole,
		.most = most,
	};
	html_putf(html,
		  "<div class=\"scroll\" role=\"group\" tabindex=\"0\" "
		  "aria-labelledby=\"c%u\"><table>\n<caption id=\"c%u\">",
		  id, id);
	html_text(html, caption);
	html_put(html, "</caption>\n<thead><tr>");
	for (size_t i = 0; i < count; i++) {
		html_put(html, is_text(columns[i].cell)
				       ? "<th scope=\"col\">"
				       : "<th scope=\"col\" class=\"n\">");
		html_text(html, columns[i].title);
		html_put(html, "</th>");
	}
	html_put(html, "</tr></thead>\n<tbody>\n");
}

static bool is_full(const struct html_table *table)
{
	return table->most && table->shown == table->most;
}

static void begin_cell(struct html_table *table)
{
	if (table->at == 0) {
		table->row = table->html->size;
		html_put(table->html, "<tr>");
	}
}

/*
 * Takes the row back if there is no room for it, unless it is the first: a table
 * that has rows shows one.
 */
static void end_row(struct html_table *table)
{
	struct html *html = table->html;

	table->at = 0;
	if (!is_full(table)) {
		html_put(html, "</tr>\n");
		if (!table->shown || html_has_room(html, 0)) {
			table->shown++;
			return;
		}
		html->size = table->row;
		/* What follows is smaller: do not fill the gap with it. */
		table->most = table->shown;
	}
	table->left++;
	for (size_t i = 0; i < table->column_count; i++)
		table->sums[i] += table->values[i];
}

static void end_cell(struct html_table *table)
{
	if (++table->at == table->column_count)
		end_row(table);
}

/* On a narrow screen it has a line of its own, which begins with its title. */
static void begin_text(struct html *html, const char *title)
{
	html_put(html, "<td data-l=\"");
	html_text(html, title);
	html_put(html, "\">");
}

static void put_level(struct html *html, size_t depth)
{
	if (depth)
		html_put(html, "<span aria-hidden=\"true\">");
	for (size_t i = 0; i < depth; i++)
		html_put(html, "\xc2\xb7");
	/* On a narrow screen, too, the dots stay before the name. */
	if (depth)
		html_put(html, "\xc2\xa0</span>");
}

void html_cell_tree(struct html_table *table, const char *name, size_t depth)
{
	struct html *html = table->html;

	assert(table->columns[table->at].cell == HTML_NAME);
	if (!is_full(table)) {
		begin_cell(table);
		html_put(html, "<th scope=\"row\">");
		put_level(html, depth);
		html_name(html, *name ? name : "(no name)");
		html_putf(html, "<span class=\"level\">, level %zu</span></th>",
			  depth + 1);
	}
	end_cell(table);
}

void html_cell_text(struct html_table *table, const char *text)
{
	struct html *html = table->html;
	bool names = table->columns[table->at].cell == HTML_NAME;

	assert(is_text(table->columns[table->at].cell));
	if (!is_full(table)) {
		begin_cell(table);
		if (names)
			html_put(html, "<th scope=\"row\">");
		else
			begin_text(html, table->columns[table->at].title);
		/* The head of a row must say something. */
		html_name(html,
			  names && (!text || !*text) ? "(no name)" : text);
		html_put(html, names ? "</th>" : "</td>");
	}
	end_cell(table);
}

void html_cell_own(struct html_table *table, char *text)
{
	html_cell_text(table, text);
	free(text);
}

static void put_share(const struct html_table *table, uint64_t part)
{
	struct html *html = table->html;
	double share =
		table->whole ? (double)part * 100 / (double)table->whole : 0;
	char text[UNITS_MAX];

	html_putf(html,
		  "<svg class=\"bar\" aria-hidden=\"true\"><rect "
		  "width=\"%.4g%%\" height=\"100%%\"/></svg><span>%s</span>",
		  share < 100 ? share : 100,
		  units_share(part, table->whole, text));
}

static void put_number(const struct html_table *table, size_t column,
		       uint64_t number)
{
	char text[UNITS_MAX];

	switch (table->columns[column].cell) {
	case HTML_BYTES:
		html_put(table->html, units_bytes(number, text));
		break;
	case HTML_SHARE:
		put_share(table, number);
		break;
	default:
		html_put(table->html, units_count(number, text));
		break;
	}
}

void html_cell_number(struct html_table *table, uint64_t number)
{
	assert(!is_text(table->columns[table->at].cell));
	table->values[table->at] = number;
	if (!is_full(table)) {
		begin_cell(table);
		/* For sorting: what is shown has been rounded. */
		html_putf(table->html,
			  "<td class=\"n\" data-v=\"%" PRIu64 "\">", number);
		put_number(table, table->at, number);
		html_put(table->html, "</td>");
	}
	end_cell(table);
}

void html_cell_change(struct html_table *table, uint64_t before, uint64_t after)
{
	char text[UNITS_MAX];

	assert(table->columns[table->at].cell == HTML_CHANGE);
	if (!is_full(table)) {
		begin_cell(table);
		html_putf(table->html,
			  "<td class=\"n\" data-v=\"%s%" PRIu64 "\">%s</td>",
			  before > after ? "-" : "",
			  before > after ? before - after : after - before,
			  units_change(before, after, text));
	}
	end_cell(table);
}

static void put_foot(struct html_table *table)
{
	struct html *html = table->html;
	char *more = describe_count(table->left,
				    table->one ? table->one : "more row",
				    table->one ? table->many : "more rows");
	bool said = false;

	html_put(html, "<tfoot><tr>");
	for (size_t i = 0; i < table->column_count; i++) {
		if (is_text(table->columns[i].cell)) {
			html_put(html, "<td>");
			if (!said)
				html_text(html, more);
			said = true;
		} else {
			html_put(html, "<td class=\"n\">");
			if (table->columns[i].sum)
				put_number(table, i, table->sums[i]);
		}
		html_put(html, "</td>");
	}
	html_put(html, "</tr></tfoot>\n");
	free(more);
}

void html_table_skip(struct html_table *table, uint64_t rows)
{
	table->left += rows;
}

void html_table_rest(struct html_table *table, uint64_t left, const char *one,
		     const char *many, size_t column, uint64_t sum)
{
	table->left = left;
	table->one = one;
	table->many = many;
	table->sums[column] = sum;
}

void html_table_end(struct html_table *table)
{
	assert(table->at == 0);
	if (!table->shown && !table->left)
		html_putf(table->html,
			  "<tr><td colspan=\"%zu\">none</td></tr>\n",
			  table->column_count);
	html_put(table->html, "</tbody>\n");
	if (table->left)
		put_foot(table);
	html_put(table->html, "</table></div>\n");
}
