/* SPDX-License-Identifier: MIT */
/*
 * render_diff_json.c - the comparison for programs: JSON and CSV.
 *
 * hprof-diff(1) describes both. "schema" is incremented when a member changes
 * its meaning or is removed; new columns are added at the end.
 */
#include <inttypes.h>
#include <string.h>

#include "tools/diff/diff.h"
#include "tools/diff/diff_sites.h"
#include "tools/common/escape.h"
#include "tools/common/json.h"
#include "tools/common/json_graph.h"
#include "tools/common/describe.h"
#include "tools/common/units.h"

#define SCHEMA 1

static const char *const keys[] = { "class", "package", "superclass",
				    "loader" };

/* ---- JSON ---------------------------------------------------------------- */

static void put_dump(struct json *json, const struct dump_input *dump)
{
	const struct hprof_summary *summary = dump->summary;
	const struct hprof_header *header = &summary->header;
	char time[UNITS_MAX];

	json_begin_object(json, NULL, JSON_BLOCK);
	json_string(json, "file", dump->path);
	json_string(json, "member", summary->input.member);
	json_string(json, "container", summary->input.container);
	json_string(json, "format", header->version);
	json_number(json, "id_size", header->id_size);
	json_string(json, "time", hprof_time_text(header->time_ms, 'T', time));
	json_number(json, "time_ms", header->time_ms);
	json_number(json, "number", summary->input.dump);
	json_number(json, "count", summary->input.dump_count);
	json_bool(json, "truncated", summary->input.truncated);
	json_bool(json, "damaged", summary->errors != 0);
	json_string(json, "fault", dump_input_fault(dump));
	json_number(json, "objects", summary->objects);
	json_number(json, "bytes", summary->shallow);
	json_end(json);
}

static void put_sizes(struct json *json, const struct dump_inputs *dumps)
{
	json_begin_object(json, "sizes", JSON_BLOCK);
	json_string(json, "text", dumps->convention);
	if (dumps->like == SIZE_MAX)
		json_null(json, "like_dump");
	else
		json_number(json, "like_dump", dumps->like + 1);
	json_bool(json, "comparable", !dumps->mixed);
	json_end(json);
}

/* Prints an array for each measure, with a number for each dump. */
static void put_cells(struct json *json, const struct diff_report *report,
		      const struct hprof_diff_cell *cells, bool retained)
{
	for (unsigned m = 0; m < HPROF_DIFF_MEASURES; m++) {
		if (m == HPROF_DIFF_RETAINED && !retained)
			continue;
		json_begin_array(json,
				 diff_measure_word((enum hprof_diff_measure)m),
				 JSON_LINE);
		for (size_t i = 0; i < report->dumps->count; i++)
			json_number(json, NULL, cells[i].values[m]);
		json_end(json);
	}
}

static void put_row(struct json *json, const struct diff_report *report,
		    const struct hprof_diff_row *row)
{
	json_begin_object(json, NULL, JSON_LINE);
	json_string(json, keys[report->how.by], row->name);
	if (report->how.by == ROLLUP_CLASS)
		json_string(json, "loader", row->loader);
	put_cells(json, report, row->cells, report->how.retained);
	json_bool(json, "grows", row->grows[report->how.measure]);
	json_bool(json, "new", diff_is_new(report, row));
	json_bool(json, "gone", diff_is_gone(report, row));
	json_end(json);
}

static void put_rows(struct json *json, const struct diff_report *report)
{
	static const char *const plural[] = { "classes", "packages",
					      "superclasses", "loaders" };
	size_t count = diff_row_count(report);

	json_begin_array(json, plural[report->how.by], JSON_BLOCK);
	for (size_t i = 0; i < count; i++)
		put_row(json, report, report->rows[i]);
	json_end(json);
	json_number(json, "rows_left_out", report->count - count);
}

/* ---- paths --------------------------------------------------------------- */

static void put_part(struct json *json, const struct hprof_diff_part *part)
{
	json_begin_object(json, NULL, JSON_LINE);
	json_string(json, "class", part->class_name);
	json_bool(json, "is_class", part->is_class);
	json_begin_array(json, "objects", JSON_LINE);
	json_number(json, NULL, part->objects[0]);
	json_number(json, NULL, part->objects[1]);
	json_end(json);
	json_begin_array(json, "bytes", JSON_LINE);
	json_number(json, NULL, part->bytes[0]);
	json_number(json, NULL, part->bytes[1]);
	json_end(json);
	json_end(json);
}

static void put_step(struct json *json, const struct hprof_diff_step *step,
		     bool first, size_t dumps)
{
	char word[32];
	bool frame = first && step->root == HPROF_ROOT_JAVA_FRAME;

	json_begin_object(json, NULL, JSON_LINE);
	if (first)
		json_string(json, "root",
			    step->root ? hprof_root_word(step->root, word)
				       : "unknown");
	else
		json_string(json, "by", describe_edge_word(step->edge));
	if (step->field)
		json_string(json, frame ? "method" : "field", step->field);
	json_string(json, "kind", describe_kind_word(step->kind));
	json_string(json, "class", step->class_name);
	json_begin_array(json, "objects", JSON_LINE);
	for (size_t i = 0; i < dumps; i++)
		json_number(json, NULL, step->objects[i]);
	json_end(json);
	json_end(json);
}

static void put_path(struct json *json, const struct diff_report *report,
		     const struct hprof_diff_path *path)
{
	static const char *const words[] = { "objects", "bytes", "kept" };

	json_begin_object(json, NULL, JSON_BLOCK);
	for (unsigned m = HPROF_DIFF_MEASURES; m-- > 0;) {
		json_begin_array(json, words[m], JSON_LINE);
		for (size_t i = 0; i < report->dumps->count; i++)
			json_number(json, NULL, path->cells[i].values[m]);
		json_end(json);
	}
	json_bool(json, "grows", path->grows[HPROF_DIFF_RETAINED]);
	json_number(json, "point", path->point);
	json_begin_array(json, "path", JSON_BLOCK);
	for (size_t i = 0; i < path->step_count; i++)
		put_step(json, &path->steps[i], i == 0, report->dumps->count);
	json_end(json);
	json_begin_array(json, "parts", JSON_BLOCK);
	for (size_t i = 0; i < path->part_count; i++)
		put_part(json, &path->parts[i]);
	json_end(json);
	json_end(json);
}

static void put_paths(struct json *json, const struct diff_report *report)
{
	size_t count = diff_path_count(report);

	json_begin_array(json, "paths", JSON_BLOCK);
	for (size_t i = 0; i < count; i++)
		put_path(json, report, report->held[i]);
	json_end(json);
	json_number(json, "paths_left_out", report->held_count - count);
}

static void put_thresholds(struct json *json,
			   const struct thresholds *thresholds)
{
	json_begin_array(json, "checks", JSON_BLOCK);
	for (size_t i = 0; i < thresholds->count; i++) {
		const struct verdict *verdict = &thresholds->verdicts[i];

		json_begin_object(json, NULL, JSON_BLOCK);
		json_string(json, "expression", verdict->expression->text);
		json_bool(json, "failed", verdict->failed);
		json_bool(json, "matched", !verdict->unmatched);
		json_string(json, "sentence", verdict->sentence);
		json_end(json);
	}
	json_end(json);
}

void render_diff_json(FILE *out, const struct diff_report *report)
{
	struct json json;

	json_start(&json, out);
	json_begin_object(&json, NULL, JSON_BLOCK);
	json_string(&json, "tool", "hprof-diff");
	json_number(&json, "schema", SCHEMA);
	json_begin_array(&json, "dumps", JSON_BLOCK);
	for (size_t i = 0; i < report->dumps->count; i++)
		put_dump(&json, &report->dumps->items[i]);
	json_end(&json);
	put_sizes(&json, report->dumps);
	if (report->how.by != ROLLUP_SUPER) {
		json_begin_object(&json, "totals", JSON_LINE);
		put_cells(&json, report, report->totals, false);
		json_end(&json);
	}
	put_rows(&json, report);
	render_diff_sites_json(&json, report);
	if (report->paths)
		put_paths(&json, report);
	put_thresholds(&json, report->thresholds);
	json_end(&json);
}

/* ---- CSV ----------------------------------------------------------------- */

void render_diff_csv(FILE *out, const struct diff_report *report)
{
	unsigned measures = report->how.retained ? 3 : 2;
	size_t dumps = report->dumps->count, count = diff_row_count(report);

	fputs(keys[report->how.by], out);
	if (report->how.by == ROLLUP_CLASS)
		fputs(",loader", out);
	for (unsigned m = 0; m < measures; m++)
		for (size_t i = 0; i < dumps; i++)
			fprintf(out, ",%s_%zu",
				diff_measure_word((enum hprof_diff_measure)m),
				i + 1);
	fputs("\r\n", out);
	for (size_t k = 0; k < count; k++) {
		const struct hprof_diff_row *row = report->rows[k];

		escape_csv_field(out, row->name);
		if (report->how.by == ROLLUP_CLASS) {
			putc(',', out);
			escape_csv_field(out, row->loader ? row->loader : "");
		}
		for (unsigned m = 0; m < measures; m++)
			for (size_t i = 0; i < dumps; i++)
				fprintf(out, ",%" PRIu64,
					row->cells[i].values[m]);
		fputs("\r\n", out);
	}
}
