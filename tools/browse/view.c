/* SPDX-License-Identifier: MIT */
/*
 * view.c - see view.h.
 */
#include "tools/browse/view.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/escape.h"
#include "tools/common/units.h"

enum {
	LIMIT_FIRST = 1000, /* rows that are made at first */
	LIMIT_TIMES = 4,    /* so many more, each time */
	PROSE_WIDTH = 74
};

/* ---- rows ---------------------------------------------------------------- */

void view_title(struct view *v, char *title)
{
	free(v->title);
	v->title = title;
}

struct view_row *view_add(struct view *v, char *text)
{
	struct view_row *row;

	if (v->count == v->room) {
		v->room = v->room ? 2 * v->room : 64;
		v->rows = cli_realloc(v->rows, v->room, sizeof(*v->rows));
	}
	row = &v->rows[v->count++];
	*row = (struct view_row){ .text = text,
				  .object = HPROF_NO_OBJECT,
				  .class_row = SIZE_MAX };
	for (unsigned i = 0; i < VIEW_VALUES; i++)
		row->values[i] = NO_VALUE;
	return row;
}

void view_heading(struct view *v, const char *text)
{
	if (v->count)
		view_add(v, cli_strdup(""))->is_heading = true;
	view_add(v, cli_strdup(text))->is_heading = true;
}

/* The size of the next line of TEXT, at least one character. */
static size_t line_size(const char *text)
{
	size_t size = 0, used = 0, blank = 0;

	while (text[size] && text[size] != '\n' && used < PROSE_WIDTH) {
		size_t next = size + 1;

		while (((unsigned char)text[next] & 0xc0) == 0x80)
			next++;
		used += escape_width(text + size, next - size);
		if (text[size] == ' ')
			blank = size;
		size = next;
	}
	return text[size] && text[size] != '\n' && blank ? blank : size;
}

void view_prose(struct view *v, const char *text)
{
	do {
		size_t size = line_size(text);
		char *line = describe_format("%.*s", (int)size, text);

		view_add(v, line);
		text += size;
		text += *text == ' ' || *text == '\n';
	} while (*text);
}

void view_more(struct view *v, uint64_t more)
{
	char number[UNITS_MAX];

	if (!more)
		return;
	view_add(v, describe_format("(%s more: open this row)",
				    units_count(more, number)))
		->target.kind = TARGET_MORE;
}

void view_some_more(struct view *v)
{
	view_add(v, cli_strdup("(more: open this row)"))->target.kind =
		TARGET_MORE;
}

struct target target_of(enum target_kind kind, uint64_t number)
{
	return (struct target){ .kind = kind, .number = number };
}

void row_about(struct view_row *row, const struct hprof_object_info *info)
{
	if (info->object == HPROF_NO_OBJECT)
		return;
	row->object = info->object;
	row->class_row = info->class_row;
	row->target = target_of(TARGET_OBJECT, info->object);
}

static void drop_rows(struct view *v)
{
	for (size_t i = 0; i < v->count; i++) {
		free(v->rows[i].label);
		free(v->rows[i].text);
		free(v->rows[i].target.text);
	}
	v->count = v->shown_count = 0;
}

/* ---- what is shown ------------------------------------------------------- */

static bool contains(const char *text, const char *part)
{
	size_t size = strlen(part);

	for (; text && *text; text++) {
		size_t i = 0;

		while (i < size && tolower((unsigned char)text[i]) ==
					   tolower((unsigned char)part[i]))
			i++;
		if (i == size)
			return true;
	}
	return false;
}

static bool row_contains(const struct view_row *row, const char *part)
{
	return contains(row->text, part) || contains(row->label, part);
}

/* For qsort, which passes no argument; only the screen's thread sorts. */
static const struct view *sorted;

static int compare_rows(const void *left, const void *right)
{
	size_t i = *(const size_t *)left, k = *(const size_t *)right;
	const struct view_row *a = &sorted->rows[i], *b = &sorted->rows[k];
	bool a_is_more = a->target.kind == TARGET_MORE;
	bool b_is_more = b->target.kind == TARGET_MORE;
	int order = 0;

	if (a_is_more != b_is_more)
		return a_is_more ? 1 : -1;
	if (sorted->sort == VIEW_VALUES) {
		order = strcmp(a->text, b->text);
	} else {
		uint64_t m = a->values[sorted->sort];
		uint64_t n = b->values[sorted->sort];

		if ((m == NO_VALUE) != (n == NO_VALUE))
			return m == NO_VALUE ? 1 : -1;
		order = (m > n) - (m < n);
	}
	if (order)
		return sorted->ascending ? order : -order;
	return (i > k) - (i < k);
}

static void arrange(struct view *v)
{
	v->shown = cli_realloc(v->shown, v->count + 1, sizeof(*v->shown));
	v->shown_count = 0;
	for (size_t i = 0; i < v->count; i++)
		if (!v->filter || row_contains(&v->rows[i], v->filter))
			v->shown[v->shown_count++] = i;
	if (!v->kind->sortable || !v->shown_count)
		return;
	sorted = v;
	qsort(v->shown, v->shown_count, sizeof(*v->shown), compare_rows);
}

/* A cursor rests on no heading, unless there is nothing else. */
static size_t rest_near(const struct view *v, size_t at, bool downwards)
{
	size_t to = at;

	while (to < v->shown_count && v->rows[v->shown[to]].is_heading) {
		if (!downwards && to == 0)
			return rest_near(v, at, true);
		to = downwards ? to + 1 : to - 1;
	}
	return to < v->shown_count ? to : at;
}

void view_move(struct view *v, size_t to)
{
	bool downwards = to >= v->cursor;

	if (to >= v->shown_count)
		to = v->shown_count ? v->shown_count - 1 : 0;
	v->cursor = rest_near(v, to, downwards);
}

struct view_row *view_current(const struct view *v)
{
	return v->cursor < v->shown_count ? &v->rows[v->shown[v->cursor]]
					  : NULL;
}

/* Arranges the rows again; the cursor stays on its row. */
static void arrange_again(struct view *v, bool stay)
{
	size_t row = v->cursor < v->shown_count ? v->shown[v->cursor] : 0;

	if (v->state != VIEW_READY)
		return; /* rows are arranged when they are there */
	arrange(v);
	v->cursor = 0;
	for (size_t i = 0; stay && i < v->shown_count; i++)
		if (v->shown[i] == row)
			v->cursor = i;
	view_move(v, v->cursor);
}

void view_filter(struct view *v, const char *text)
{
	free(v->filter);
	v->filter = text && *text ? cli_strdup(text) : NULL;
	arrange_again(v, true);
}

void view_sort_next(struct view *v)
{
	if (!v->kind->sortable)
		return;
	do
		v->sort = v->sort >= VIEW_VALUES ? 0 : v->sort + 1;
	while (v->sort < VIEW_VALUES && !v->kind->columns[v->sort].title);
	v->ascending = v->sort == VIEW_VALUES;
	arrange_again(v, false);
}

void view_reverse(struct view *v)
{
	if (!v->kind->sortable)
		return;
	v->ascending = !v->ascending;
	arrange_again(v, false);
}

bool view_search(struct view *v, const char *text, bool forward, bool from_here)
{
	size_t n = v->shown_count;

	for (size_t i = from_here ? 0 : 1; i <= n && n; i++) {
		size_t at = (v->cursor + (forward ? i : n - i % n)) % n;

		if (!v->rows[v->shown[at]].is_heading &&
		    row_contains(&v->rows[v->shown[at]], text)) {
			view_move(v, at);
			return true;
		}
	}
	return false;
}

/* ---- making -------------------------------------------------------------- */

struct view *view_new(struct model *model, const struct view_kind *kind,
		      const struct target *about)
{
	struct view *v = cli_calloc(1, sizeof(*v));

	v->kind = kind;
	v->model = model;
	v->tables = model_tables(model);
	v->about = *about;
	v->about.text = about->text ? cli_strdup(about->text) : NULL;
	v->limit = LIMIT_FIRST;
	v->sort = kind->by_text ? VIEW_VALUES : 0;
	v->ascending = kind->by_text;
	model_ask(model, kind->needs);
	view_tick(v);
	return v;
}

void view_free(struct view *v)
{
	if (!v)
		return;
	drop_rows(v);
	free(v->rows);
	free(v->shown);
	free(v->filter);
	free(v->title);
	free(v->about.text);
	free(v);
}

static void make(void *view)
{
	struct view *v = view;

	drop_rows(v);
	v->kind->make(v);
}

/* Facts come first in some views; what can be opened is of more interest. */
static size_t first_place(const struct view *v)
{
	size_t i = 0;

	while (i < v->shown_count &&
	       v->rows[v->shown[i]].target.kind == TARGET_NONE)
		i++;
	return i < v->shown_count ? i : 0;
}

static void finish(struct view *v)
{
	size_t cursor = v->cursor;
	bool is_first = !v->was_ready;

	v->state = VIEW_READY;
	v->was_ready = true;
	v->had_graph = v->with_graph;
	arrange(v);
	v->cursor = 0;
	view_move(v, is_first ? first_place(v) : cursor);
}

static void begin(struct view *v)
{
	v->with_graph = model_is_ready(v->model, PART_GRAPH);
	atomic_store(&v->ending, false);
	v->state = VIEW_IS_MADE;
	v->shown_count = 0;
	if (!v->kind->is_slow) {
		make(v);
		finish(v);
		return;
	}
	v->task = (struct worker_task){ .run = make, .user = v };
	worker_add(model_worker(v->model), &v->task);
}

bool view_tick(struct view *v)
{
	switch (v->state) {
	case VIEW_WAITS:
		if (!model_is_ready(v->model, v->kind->needs))
			return false;
		begin(v);
		return true;
	case VIEW_IS_MADE:
		if (!worker_is_done(model_worker(v->model), &v->task))
			return false;
		finish(v);
		return true;
	case VIEW_READY:
		if (!v->kind->improves || v->had_graph ||
		    !model_is_ready(v->model, PART_GRAPH))
			return false;
		begin(v);
		return true;
	}
	return false;
}

bool view_cancel(struct view *v)
{
	if (v->state != VIEW_IS_MADE)
		return false;
	atomic_store(&v->ending, true);
	return true;
}

void view_extend(struct view *v)
{
	v->limit *= LIMIT_TIMES;
	begin(v);
}
