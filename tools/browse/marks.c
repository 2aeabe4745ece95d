/* SPDX-License-Identifier: MIT */
/*
 * marks.c - see marks.h. Rows of different views are the same if they are about
 * the same object, else if they lead to the same and have the same text.
 */
#include "tools/browse/marks.h"

#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"

static bool is_same(const struct view_row *a, const struct view_row *b)
{
	if (a->object != HPROF_NO_OBJECT || b->object != HPROF_NO_OBJECT)
		return a->object == b->object;
	return a->target.kind == b->target.kind &&
	       a->target.number == b->target.number &&
	       strcmp(a->text, b->text) == 0;
}

static size_t find(const struct marks *m, const struct view_row *row)
{
	size_t i = 0;

	while (i < m->count && !is_same(&m->rows[i], row))
		i++;
	return i;
}

bool marks_has(const struct marks *m, const struct view_row *row)
{
	return find(m, row) < m->count;
}

static void drop(struct view_row *row)
{
	free(row->label);
	free(row->text);
	free(row->target.text);
}

void marks_change(struct marks *m, const struct view_row *row)
{
	size_t i = find(m, row);
	struct view_row *to;

	if (i < m->count) {
		drop(&m->rows[i]);
		memmove(&m->rows[i], &m->rows[i + 1],
			(--m->count - i) * sizeof(*m->rows));
		return;
	}
	if (m->count == m->room) {
		m->room = m->room ? 2 * m->room : 16;
		m->rows = cli_realloc(m->rows, m->room, sizeof(*m->rows));
	}
	to = &m->rows[m->count++];
	*to = *row;
	to->text = cli_strdup(row->text);
	to->label = row->label ? cli_strdup(row->label) : NULL;
	to->target.text =
		row->target.text ? cli_strdup(row->target.text) : NULL;
}

void marks_done(struct marks *m)
{
	for (size_t i = 0; i < m->count; i++)
		drop(&m->rows[i]);
	free(m->rows);
	*m = (struct marks){ 0 };
}
