/* SPDX-License-Identifier: MIT */
/*
 * view_help.c - the keys; and what is marked.
 */
#include "tools/browse/keys.h"
#include "tools/browse/marks.h"
#include "tools/browse/views.h"
#include "tools/common/cli.h"

static void make_help(struct view *v)
{
	view_title(v, cli_strdup("Keys"));
	for (size_t i = 0; i < key_table_count; i++) {
		struct view_row *row =
			view_add(v, cli_strdup(key_table[i].text));

		row->label = cli_strdup(key_table[i].keys);
	}
}

const struct view_kind help_view = {
	.text_title = "what it does",
	.make = make_help,
};

static void make_marks(struct view *v)
{
	const struct marks *marks = v->tables->marks;

	view_title(v, cli_strdup("Marked"));
	for (size_t i = 0; i < marks->count; i++) {
		const struct view_row *from = &marks->rows[i];
		struct view_row *row = view_add(v, cli_strdup(from->text));

		row->values[0] = from->values[0];
		row->label = from->label ? cli_strdup(from->label) : NULL;
		row->object = from->object;
		row->class_row = from->class_row;
		row->target = from->target;
		if (from->target.text)
			row->target.text = cli_strdup(from->target.text);
	}
	if (!marks->count)
		view_add(v, cli_strdup("nothing: Space marks a row"));
}

const struct view_kind marks_view = {
	.columns = { { "retained", COLUMN_BYTES } },
	.text_title = "what",
	.make = make_marks,
};
