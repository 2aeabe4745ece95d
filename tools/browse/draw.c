/* SPDX-License-Identifier: MIT */
/*
 * draw.c - see draw.h.
 */
#include "tools/browse/draw.h"

#include <stdlib.h>
#include <string.h>

#include "tools/browse/marks.h"
#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/escape.h"
#include "tools/common/shorten.h"
#include "tools/common/units.h"

enum {
	HEAD_LINES = 2, /* title, names of columns */
	MARGIN = 2,	/* the cursor and the mark */
	VALUE_WIDTH = 10,
	SHARE_WIDTH = 6,
	BAR_WIDTH = 12,
	TEXT_LEAST = 40, /* columns that numbers should leave to the text */
	WORDS_LEAST = 58,
	LABEL_PART = 3 /* of the text's columns, for labels */
};

/* Which columns a view has in an area, and where. */
struct layout {
	struct area area;
	unsigned values; /* so many of the view's are shown */
	bool share, bar;
	size_t text_x, text_width;
};

size_t draw_rows(struct area area)
{
	return area.height > HEAD_LINES ? area.height - HEAD_LINES : 0;
}

static size_t text_width(const char *text)
{
	return escape_width(text, strlen(text));
}

static size_t numbers_width(const struct layout *l)
{
	return MARGIN + l->values * (VALUE_WIDTH + 1) +
	       (l->share ? SHARE_WIDTH + 1 : 0) + (l->bar ? BAR_WIDTH + 1 : 0);
}

/* Leaves out what is least needed until there is room for the text. */
static struct layout make_layout(const struct view *v, struct area area)
{
	struct layout l = { .area = area };
	size_t least = v->kind->wordy ? WORDS_LEAST : TEXT_LEAST;

	while (l.values < VIEW_VALUES && v->kind->columns[l.values].title)
		l.values++;
	l.share = v->kind->has_share && v->whole;
	l.bar = l.share;
	while (numbers_width(&l) + least > area.width) {
		if (l.values > 1)
			l.values--;
		else if (l.bar)
			l.bar = false;
		else if (l.share)
			l.share = false;
		else
			break;
	}
	l.text_x = numbers_width(&l);
	l.text_width = area.width > l.text_x ? area.width - l.text_x : 0;
	return l;
}

/* ---- parts of a row ------------------------------------------------------ */

static void put_right(struct canvas *c, size_t x, size_t y, size_t width,
		      const char *text, enum canvas_look look)
{
	size_t used = text_width(text);

	canvas_put(c, x + (used < width ? width - used : 0), y, width, text,
		   look);
}

static const char *value_text(enum column_kind kind, uint64_t value,
			      char out[UNITS_MAX])
{
	if (value == NO_VALUE)
		return "";
	return kind == COLUMN_BYTES ? units_bytes(value, out)
				    : units_count(value, out);
}

void draw_bar(char *out, size_t width, uint64_t part, uint64_t whole)
{
	size_t room = width - 2;
	double share = whole ? (double)part / (double)whole : 0;
	size_t full = (size_t)(share * (double)room + 0.5);

	if (full > room)
		full = room;
	memset(out, ' ', width);
	memset(out + 1, '#', full);
	out[0] = '[';
	out[width - 1] = ']';
	out[width] = '\0';
}

static void put_numbers(struct canvas *c, const struct layout *l,
			const struct view *v, const struct view_row *row,
			size_t y)
{
	size_t x = l->area.x + MARGIN;
	char text[UNITS_MAX], bar[BAR_WIDTH + 1];

	for (unsigned i = 0; i < l->values; i++, x += VALUE_WIDTH + 1)
		put_right(c, x, y, VALUE_WIDTH,
			  value_text(v->kind->columns[i].kind, row->values[i],
				     text),
			  LOOK_PLAIN);
	if (!l->share || row->values[0] == NO_VALUE)
		return;
	put_right(c, x, y, SHARE_WIDTH,
		  units_share(row->values[0], v->whole, text), LOOK_PLAIN);
	if (!l->bar)
		return;
	draw_bar(bar, BAR_WIDTH, row->values[0], v->whole);
	canvas_put(c, x + SHARE_WIDTH + 1, y, BAR_WIDTH, bar, LOOK_BAR);
}

/* Headings, sentences and the like begin where numbers would. */
static bool is_wide(const struct view_row *row)
{
	bool has_value = row->label || row->object != HPROF_NO_OBJECT;

	for (unsigned i = 0; i < VIEW_VALUES; i++)
		has_value = has_value || row->values[i] != NO_VALUE;
	return row->is_heading || !has_value;
}

/* Labels of rows that are seen together are as wide as the widest. */
static size_t label_width(const struct layout *l, const struct view *v)
{
	size_t most = l->text_width / LABEL_PART, width = 0;
	size_t end = v->top + draw_rows(l->area);

	for (size_t i = v->top; i < end && i < v->shown_count; i++) {
		const struct view_row *row = &v->rows[v->shown[i]];
		size_t own =
			row->label ? text_width(row->label) + row->depth : 0;

		if (own > width)
			width = own;
	}
	return width < most ? width : most;
}

static void put_text(struct canvas *c, const struct layout *l,
		     const struct view_row *row, size_t y, size_t labels)
{
	enum canvas_look look = row->is_heading ? LOOK_HEAD : LOOK_PLAIN;
	size_t end = l->text_x + l->text_width;
	size_t x = (is_wide(row) ? MARGIN : l->text_x) + row->depth;
	char *text;

	if (row->label) {
		size_t room = labels > row->depth ? labels - row->depth : 1;

		text = shorten_text(row->label, room);
		canvas_put(c, l->area.x + x, y, room, text, look);
		free(text);
		x = l->text_x + labels + 1;
		if (row->is_entry)
			x += 1 + canvas_put(c, l->area.x + x, y, 1, "=", look);
	}
	if (x >= end)
		return;
	text = shorten_text(row->text, end - x);
	canvas_put(c, l->area.x + x, y, end - x, text, look);
	free(text);
}

static void put_row(struct canvas *c, const struct layout *l,
		    const struct view *v, size_t i, size_t y, size_t labels)
{
	const struct view_row *row = &v->rows[v->shown[i]];
	bool is_marked = !row->is_heading && marks_has(v->tables->marks, row);

	put_numbers(c, l, v, row, y);
	put_text(c, l, row, y, labels);
	if (is_marked) {
		canvas_tint(c, l->area.x, y, l->area.width, LOOK_MARK);
		canvas_put(c, l->area.x + 1, y, 1, "*", LOOK_MARK);
	}
	if (i != v->cursor)
		return;
	canvas_tint(c, l->area.x, y, l->area.width, LOOK_CURSOR);
	canvas_put(c, l->area.x, y, 1, ">", LOOK_CURSOR);
}

/* ---- the head ------------------------------------------------------------ */

static void put_title(struct canvas *c, struct area a, const struct view *v,
		      bool has_focus)
{
	enum canvas_look look = has_focus ? LOOK_TITLE : LOOK_FAINT;
	char place[2 * UNITS_MAX + 2], at[UNITS_MAX], of[UNITS_MAX];
	bool is_ready = v->state == VIEW_READY;
	size_t room;
	char *title;

	snprintf(place, sizeof(place), "%s/%s",
		 units_count(v->shown_count ? v->cursor + 1 : 0, at),
		 units_count(v->shown_count, of));
	room = a.width > strlen(place) + 2 ? a.width - strlen(place) - 2 : 0;
	title = shorten_text(is_ready && v->title ? v->title : "...", room);
	canvas_tint(c, a.x, a.y, a.width, look);
	canvas_put(c, a.x, a.y, room, title, look);
	if (is_ready && room)
		canvas_put(c, a.x + a.width - strlen(place), a.y, strlen(place),
			   place, look);
	free(title);
}

/* "v retained" is what the rows are sorted by, the largest first. */
static void put_column_title(struct canvas *c, size_t x, size_t y,
			     const struct view *v, int column,
			     const char *title, bool left)
{
	char text[VALUE_WIDTH * 4];
	bool is_sorted = v->kind->sortable && v->sort == column;

	snprintf(text, sizeof(text), "%s%s",
		 !is_sorted	? ""
		 : v->ascending ? "^ "
				: "v ",
		 title);
	if (left)
		canvas_put(c, x, y, SIZE_MAX, text, LOOK_HEAD);
	else
		put_right(c, x, y, VALUE_WIDTH, text, LOOK_HEAD);
}

static void put_head(struct canvas *c, const struct layout *l,
		     const struct view *v)
{
	size_t x = l->area.x + MARGIN, y = l->area.y + 1;

	canvas_tint(c, l->area.x, y, l->area.width, LOOK_HEAD);
	for (unsigned i = 0; i < l->values; i++, x += VALUE_WIDTH + 1)
		put_column_title(c, x, y, v, (int)i, v->kind->columns[i].title,
				 false);
	if (l->share)
		put_right(c, x, y, SHARE_WIDTH, "share", LOOK_HEAD);
	if (v->kind->text_title && l->text_width)
		put_column_title(c, l->area.x + l->text_x, y, v, VIEW_VALUES,
				 v->kind->text_title, true);
	if (v->filter) {
		char *text = describe_format("filter: %s", v->filter);

		put_right(c, l->area.x, y, l->area.width, text, LOOK_MARK);
		free(text);
	}
}

/* ---- the view ------------------------------------------------------------ */

static void scroll(struct view *v, size_t rows)
{
	if (v->cursor < v->top)
		v->top = v->cursor;
	if (rows && v->cursor >= v->top + rows)
		v->top = v->cursor - rows + 1;
	/* The heading above the first row of a view is seen, too. */
	if (v->top && v->top < v->shown_count) {
		size_t i = v->top;

		while (i && v->rows[v->shown[i - 1]].is_heading)
			i--;
		if (i == 0 && v->cursor < rows)
			v->top = 0;
	}
}

static void put_waiting(struct canvas *c, struct area a, struct view *v)
{
	const char *failure = model_failure(v->model, v->kind->needs);
	const char *text = failure ? failure : "(being made)";

	canvas_put(c, a.x + MARGIN, a.y + HEAD_LINES,
		   a.width > MARGIN ? a.width - MARGIN : 0, text, LOOK_FAINT);
}

void draw_view(struct canvas *c, struct area a, struct view *v, bool has_focus)
{
	struct layout l;
	size_t labels;

	put_title(c, a, v, has_focus);
	if (v->state != VIEW_READY) {
		put_waiting(c, a, v);
		return;
	}
	scroll(v, draw_rows(a));
	l = make_layout(v, a);
	labels = label_width(&l, v);
	put_head(c, &l, v);
	for (size_t i = 0; i < draw_rows(a) && v->top + i < v->shown_count; i++)
		put_row(c, &l, v, v->top + i, a.y + HEAD_LINES + i, labels);
	if (!v->shown_count)
		canvas_put(c, a.x + MARGIN, a.y + HEAD_LINES, a.width,
			   v->filter ? "(no row has that text)" : "(none)",
			   LOOK_FAINT);
}

/* ---- text ---------------------------------------------------------------- */

char *draw_line(const struct view_row *row)
{
	if (row->label && *row->label)
		return describe_format("%s%s %s", row->label,
				       row->is_entry ? " =" : "", row->text);
	return cli_strdup(row->text);
}

static void write_row(FILE *out, const struct view *v,
		      const struct view_row *row)
{
	char text[UNITS_MAX];
	char *line = draw_line(row);

	for (unsigned i = 0; i < VIEW_VALUES && v->kind->columns[i].title; i++)
		fprintf(out, "%15s  ",
			row->values[i] == NO_VALUE
				? ""
				: units_count(row->values[i], text));
	fprintf(out, "%*s%s\n", row->depth, "", line);
	free(line);
}

void draw_text(FILE *out, const struct view *v)
{
	fprintf(out, "%s\n\n", v->title ? v->title : "");
	for (unsigned i = 0; i < VIEW_VALUES && v->kind->columns[i].title; i++)
		fprintf(out, "%15s  ", v->kind->columns[i].title);
	fprintf(out, "%s\n", v->kind->text_title ? v->kind->text_title : "");
	for (size_t i = 0; i < v->shown_count; i++)
		write_row(out, v, &v->rows[v->shown[i]]);
}
