/* SPDX-License-Identifier: MIT */
/*
 * browser.c - see browser.h.
 */
#include "tools/browse/browser.h"

#include <stdlib.h>
#include <string.h>

#include "tools/browse/views.h"
#include "tools/common/cli.h"

enum { FOOT_LINES = 2 }; /* the status, the keys */

static const struct view_kind *const kinds[TARGETS] = {
	[TARGET_OVERVIEW] = &overview_view,
	[TARGET_CLASSES] = &classes_view,
	[TARGET_PACKAGES] = &groups_view,
	[TARGET_LOADERS] = &groups_view,
	[TARGET_IN_PACKAGE] = &classes_view,
	[TARGET_IN_LOADER] = &classes_view,
	[TARGET_CLASSES_NAMED] = &classes_view,
	[TARGET_INSTANCES] = &instances_view,
	[TARGET_DOMINATED] = &dominated_view,
	[TARGET_OBJECT] = &object_view,
	[TARGET_REFERRERS] = &referrers_view,
	[TARGET_PATH] = &path_view,
	[TARGET_SUSPECTS] = &suspects_view,
	[TARGET_SUSPECT] = &suspect_view,
	[TARGET_THREADS] = &threads_view,
	[TARGET_THREAD] = &thread_view,
	[TARGET_WASTE] = &waste_view,
	[TARGET_WASTE_KIND] = &waste_kind_view,
	[TARGET_NATIVE] = &native_view,
	[TARGET_SITES] = &sites_view,
	[TARGET_SITE] = &site_view,
	[TARGET_PROFILE_ROW] = &profile_row_view,
	[TARGET_PROPERTIES] = &properties_view,
	[TARGET_DIAGNOSTICS] = &diagnostics_view,
	[TARGET_TEXTS] = &texts_view,
	[TARGET_MARKS] = &marks_view,
	[TARGET_HELP] = &help_view,
};

/* ---- views that go ------------------------------------------------------- */

static void drop(struct browser *b, struct view *v)
{
	if (v->state != VIEW_IS_MADE ||
	    worker_is_done(model_worker(b->model), &v->task)) {
		view_free(v);
		return;
	}
	atomic_store(&v->ending, true);
	b->orphans = cli_realloc(b->orphans, b->orphan_count + 1,
				 sizeof(*b->orphans));
	b->orphans[b->orphan_count++] = v;
}

static void free_orphans(struct browser *b)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->orphan_count; i++) {
		struct view *v = b->orphans[i];

		if (worker_is_done(model_worker(b->model), &v->task))
			view_free(v);
		else
			b->orphans[kept++] = v;
	}
	b->orphan_count = kept;
}

/* ---- columns ------------------------------------------------------------- */

static struct history *focused(struct browser *b)
{
	return &b->columns[b->focus];
}

struct view *browser_view(const struct browser *b)
{
	const struct history *h = &b->columns[b->focus];

	return h->views[h->at];
}

static void drop_from(struct browser *b, struct history *h, size_t from)
{
	while (h->count > from)
		drop(b, h->views[--h->count]);
}

static void add_view(struct browser *b, struct history *h, struct view *v)
{
	if (h->count)
		drop_from(b, h, h->at + 1);
	h->views = cli_realloc(h->views, h->count + 1, sizeof(*h->views));
	h->views[h->count++] = v;
	h->at = h->count - 1;
}

/* Makes room behind the focused column, and gives it the focus. */
static bool add_column(struct browser *b)
{
	if (b->column_count == COLUMNS_MOST) {
		browser_say(b, cli_strdup("there are no more columns: x closes "
					  "one"));
		return false;
	}
	memmove(&b->columns[b->focus + 2], &b->columns[b->focus + 1],
		(b->column_count - b->focus - 1) * sizeof(*b->columns));
	b->focus++;
	b->column_count++;
	b->columns[b->focus] = (struct history){ 0 };
	return true;
}

void browser_open(struct browser *b, const struct target *target,
		  bool in_column)
{
	if (!kinds[target->kind] || (in_column && !add_column(b)))
		return;
	add_view(b, focused(b),
		 view_new(b->model, kinds[target->kind], target));
}

void browser_back(struct browser *b)
{
	struct history *h = focused(b);

	if (h->at)
		h->at--;
	else if (b->column_count > 1)
		browser_close_column(b);
}

void browser_forward(struct browser *b)
{
	struct history *h = focused(b);

	if (h->at + 1 < h->count)
		h->at++;
}

static void free_column(struct browser *b, struct history *h)
{
	drop_from(b, h, 0);
	free(h->views);
	*h = (struct history){ 0 };
}

void browser_close_column(struct browser *b)
{
	if (b->column_count == 1)
		return;
	free_column(b, focused(b));
	memmove(&b->columns[b->focus], &b->columns[b->focus + 1],
		(b->column_count - b->focus - 1) * sizeof(*b->columns));
	b->column_count--;
	if (b->focus)
		b->focus--;
}

/* ---- where columns are --------------------------------------------------- */

void browser_window(const struct browser *b, size_t width, size_t *ret_first,
		    size_t *ret_count)
{
	size_t most = (width + 1) / (COLUMN_LEAST + 1);
	size_t count = b->column_count;

	if (most == 0)
		most = 1;
	if (count > most)
		count = most;
	*ret_first = b->focus < count ? 0 : b->focus - count + 1;
	*ret_count = count;
}

struct area browser_area(const struct browser *b, size_t column, size_t width,
			 size_t height)
{
	size_t first, count, each, at;
	struct area a;

	browser_window(b, width, &first, &count);
	each = (width + 1) / count; /* with the line to its right */
	at = column - first;
	a = (struct area){ .x = at * each,
			   .width = each - 1,
			   .height = height > FOOT_LINES ? height - FOOT_LINES
							 : 0 };
	if (at + 1 == count)
		a.width = width - a.x;
	return a;
}

/* ---- the browser --------------------------------------------------------- */

void browser_say(struct browser *b, char *text)
{
	free(b->status);
	b->status = text;
}

bool browser_tick(struct browser *b)
{
	free_orphans(b);
	for (size_t i = 0; i < b->column_count; i++) {
		struct history *h = &b->columns[i];

		view_tick(h->views[h->at]);
	}
	return !model_is_idle(b->model);
}

void browser_init(struct browser *b, struct model *model,
		  struct terminal *terminal, struct marks *marks)
{
	const struct target overview = target_of(TARGET_OVERVIEW, 0);

	*b = (struct browser){ .model = model,
			       .terminal = terminal,
			       .marks = marks,
			       .column_count = 1 };
	browser_open(b, &overview, false);
}

void browser_done(struct browser *b)
{
	for (size_t i = 0; i < b->column_count; i++) {
		struct history *h = &b->columns[i];

		for (size_t k = 0; k < h->count; k++)
			view_free(h->views[k]);
		free(h->views);
	}
	for (size_t i = 0; i < b->orphan_count; i++)
		view_free(b->orphans[i]);
	free(b->orphans);
	free(b->search);
	free(b->status);
	canvas_done(&b->canvas);
}
