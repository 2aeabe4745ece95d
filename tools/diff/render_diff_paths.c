/* SPDX-License-Identifier: MIT */
/*
 * render_diff_paths.c - what grew, and the paths that hold it, as text.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/diff/diff.h"
#include "tools/common/escape.h"
#include "tools/common/describe.h"
#include "tools/common/prose.h"
#include "tools/common/screen.h"
#include "tools/common/table.h"
#include "tools/common/units.h"

#define PATHS_DEFAULT 5
/* Of more dumps, a step has the numbers of the first and the last. */
#define COUNTS_MOST 4

size_t diff_path_count(const struct diff_report *report)
{
	size_t count = report->held_count;
	uint64_t most = report->how.top_given || !report->how.top
				? report->how.top
				: PATHS_DEFAULT;

	return most && most < count ? (size_t)most : count;
}

/* ---- labels ------------------------------------------------------------- */

char *diff_root_label(const struct hprof_diff_step *step)
{
	char *frame, *label;

	if (!step->root && step->kind == HPROF_OBJECT_CLASS)
		return cli_strdup("loaded class");
	if (step->root != HPROF_ROOT_JAVA_FRAME || !step->field)
		return cli_strdup(step->root ? hprof_root_name(step->root)
					     : "unknown");
	frame = escape_copy(step->field, DESCRIBE_NAME_LIMIT);
	label = describe_format("local of %s", frame);
	free(frame);
	return label;
}

/* Is it a class that a program's author knows? */
static bool is_own(const char *name)
{
	static const char *const others[] = { "java.", "javax.", "jdk.",
					      "sun." };

	if (!name || strchr(name, '['))
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strncmp(name, others[i], strlen(others[i])))
			return false;
	return true;
}

char *diff_point_label(const struct hprof_diff_path *path)
{
	const struct hprof_diff_step *point = &path->steps[path->point];
	size_t at = path->point;
	char *holder, *edge, *label;

	while (at > 0 && !is_own(path->steps[at - 1].class_name))
		at--;
	if (!at) {
		holder = describe_kind(point->class_name,
				       point->kind == HPROF_OBJECT_CLASS);
		edge = diff_root_label(&path->steps[0]);
		label = describe_format("%s (GC root: %s)", holder, edge);
	} else {
		holder = describe_kind(path->steps[at - 1].class_name, false);
		edge = describe_edge(path->steps[at].edge,
				     path->steps[at].field, 0, false);
		label = describe_format("%s%s%s", holder,
					*edge == '.' ? "" : " ", edge);
	}
	free(holder);
	free(edge);
	return label;
}

/* ---- what ---------------------------------------------------------------- */

char *diff_part_label(const struct hprof_diff_part *part)
{
	char *name = describe_kind(part->class_name, part->is_class);
	char *objects = describe_change(part->objects[0], part->objects[1],
					"object", "objects");
	char *label = describe_format("%s of %s", objects, name);

	free(objects);
	free(name);
	return label;
}

static void put_parts(FILE *out, const struct hprof_diff_path *path)
{
	char bytes[UNITS_MAX];

	for (size_t i = 0; i < path->part_count; i++) {
		const struct hprof_diff_part *part = &path->parts[i];
		char *label = diff_part_label(part);
		char *line = describe_format(
			"%12s bytes, %s",
			units_change(part->bytes[0], part->bytes[1], bytes),
			label);

		screen_line(out, 3, line);
		free(line);
		free(label);
	}
}

/*
 * Prints "1 com.acme.Feed.listeners", and below it "+23,331,088 bytes, +1379%, grows
 * (10, then 25, then 40)".
 */
static void put_change(FILE *out, const struct diff_report *report, size_t i)
{
	const struct hprof_diff_path *path = report->held[i];
	size_t dumps = report->paths->side_count;
	uint64_t from = path->cells[0].values[HPROF_DIFF_RETAINED];
	uint64_t to = path->cells[dumps - 1].values[HPROF_DIFF_RETAINED];
	char change[UNITS_MAX], growth[UNITS_MAX], value[UNITS_MAX];
	struct prose line = { NULL };
	char *point = diff_point_label(path), *head;
	unsigned pad;

	units_change(from, to, change);
	/* The columns of put_parts. */
	pad = strlen(change) < 12 ? (unsigned)(12 - strlen(change)) : 0;
	head = describe_format("%2zu %s", i + 1, point);
	fputc('\n', out);
	screen_line(out, 0, head);
	free(head);
	free(point);
	fprintf(out, "   %*s", (int)pad, "");
	prose_say(&line, "%s bytes, %s%s", change,
		  from && !to ? "gone" : units_growth(from, to, growth),
		  dumps > 2 && path->grows[HPROF_DIFF_RETAINED] ? ", grows"
								: "");
	for (size_t k = 0; k < dumps; k++)
		prose_say(
			&line, "%s%s%s", k ? "then " : "(",
			units_count(path->cells[k].values[HPROF_DIFF_RETAINED],
				    value),
			k + 1 < dumps ? "," : ")");
	prose_lines(out, 3 + pad, line.text);
	free(line.text);
}

/* ---- who ----------------------------------------------------------------- */

/* The number of objects in each dump: "10, then 25, then 40". */
static char *object_counts(const struct diff_report *report,
			   const struct hprof_diff_step *step)
{
	size_t sides = report->paths->side_count;
	char *text = cli_strdup(""), *more;
	char count[UNITS_MAX];

	for (size_t k = 0; k < sides; k++) {
		if (k == 1 && sides > COUNTS_MOST) {
			more = describe_format("%s, ...", text);
			free(text);
			text = more;
			k = sides - 1;
		}
		units_count(step->objects[k], count);
		more = describe_format("%s%s%s", text, k ? ", then " : "",
				       count);
		free(text);
		text = more;
	}
	return text;
}

static void put_path(FILE *out, const struct diff_report *report,
		     const struct hprof_diff_path *path)
{
	static const struct table_column columns[] = {
		{ NULL, TABLE_LEFT },
		{ NULL, TABLE_LEFT },
		{ NULL, TABLE_LEFT },
	};
	struct table *table = table_new(columns, 3);
	char *root = diff_root_label(&path->steps[0]);

	fputs("   GC root: ", out);
	prose_lines(out, 12, root);
	free(root);
	for (size_t i = 0; i < path->step_count; i++) {
		const struct hprof_diff_step *step = &path->steps[i];
		char *edge =
			i ? describe_edge(step->edge, step->field, 0, false)
			  : cli_strdup("");
		char *name = describe_kind(step->class_name,
					   step->kind == HPROF_OBJECT_CLASS);
		char *counts = i < path->point ? cli_strdup("")
					       : object_counts(report, step);

		table_text(table, edge);
		table_text(table, name);
		table_words(table, counts);
		free(edge);
		free(name);
		free(counts);
	}
	table_print(table, out, 5);
	table_free(table);
}

void render_diff_paths(FILE *out, const struct diff_report *report)
{
	size_t shown = diff_path_count(report);
	char count[UNITS_MAX];

	if (!report->held_count) {
		fputs(report->paths->count
			      ? "\nNothing that is held grows in every step\n"
			      : "\nWhat is held, and by whom, is the same in "
				"all "
				"dumps\n",
		      out);
		return;
	}
	fputs("\nWhat changed, and who holds it\n", out);
	for (size_t i = 0; i < shown; i++) {
		put_change(out, report, i);
		put_parts(out, report->held[i]);
		put_path(out, report, report->held[i]);
	}
	if (shown < report->held_count)
		fprintf(out, "\n(%s more)\n",
			units_count(report->held_count - shown, count));
}
