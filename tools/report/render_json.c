/* SPDX-License-Identifier: MIT */
/*
 * render_json.c - the whole report as one JSON object.
 *
 * hprof-stat(1) describes it. "schema" is incremented when a member changes its
 * meaning or is removed, not when one is added. The output does not depend on
 * the time, the speed or the number of threads.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/common/diagnostics.h"
#include "tools/common/json_graph.h"
#include "tools/report/render.h"
#include "tools/common/units.h"

#define SCHEMA 1

static void put_dump(struct json *json, const struct report *report)
{
	const struct hprof_summary *summary = report->summary;
	const struct hprof_reader_info *input = &summary->input;
	const struct hprof_header *header = &summary->header;
	char time[UNITS_MAX];

	json_begin_object(json, "dump", JSON_BLOCK);
	json_string(json, "file", report->path);
	json_string(json, "member", input->member);
	json_string(json, "container", input->container);
	if (input->file_size)
		json_number(json, "file_size", input->file_size);
	else
		json_null(json, "file_size");
	json_number(json, "size", input->bytes_read);
	json_string(json, "format", header->version);
	json_number(json, "id_size", header->id_size);
	json_string(json, "time", hprof_time_text(header->time_ms, 'T', time));
	json_number(json, "time_ms", header->time_ms);
	json_number(json, "number", input->dump);
	json_number(json, "count", input->dump_count);
	json_bool(json, "complete", input->complete);
	json_bool(json, "truncated", input->truncated);
	json_bool(json, "damaged", summary->errors != 0);
	json_end(json);
}

static void put_sizes(struct json *json,
		      const struct hprof_size_convention *convention)
{
	static const char *const names[] = { "jvm", "mat", "data" };

	json_begin_object(json, "sizes", JSON_BLOCK);
	json_string(json, "convention", names[convention->sizes]);
	json_number(json, "ref_width", convention->ref_width);
	json_number(json, "header", convention->header);
	json_number(json, "array_header", convention->array_header);
	json_number(json, "alignment", convention->alignment);
	json_bool(json, "fill_gaps", convention->fill_gaps);
	json_bool(json, "measured", convention->measured);
	json_bool(json, "declared", convention->declared);
	json_string(json, "text", convention->text);
	json_end(json);
}

static void put_totals(struct json *json, const struct hprof_summary *summary)
{
	json_begin_object(json, "totals", JSON_BLOCK);
	json_number(json, "objects", summary->objects);
	json_number(json, "instances", summary->instances);
	json_number(json, "object_arrays", summary->obj_arrays);
	json_number(json, "primitive_arrays", summary->prim_arrays);
	json_number(json, "classes", summary->classes);
	json_number(json, "strings", summary->strings);
	json_number(json, "threads", summary->threads);
	json_number(json, "roots", summary->roots);
	json_number(json, "bytes", summary->shallow);
	json_number(json, "data", summary->data);
	json_end(json);
}

static void put_records(struct json *json, const struct hprof_summary *summary)
{
	json_begin_array(json, "records", JSON_BLOCK);
	for (size_t i = 0; i < summary->tag_count; i++) {
		const struct hprof_tag_row *row = &summary->tag_rows[i];

		json_begin_object(json, NULL, JSON_LINE);
		json_id(json, "tag", row->tag & 0xFF);
		json_bool(json, "sub_record", row->tag >= HPROF_SUB);
		json_string(json, "name", hprof_tag_name(row->tag));
		json_number(json, "count", row->count);
		json_number(json, "bytes", row->bytes);
		json_end(json);
	}
	json_end(json);
}

static void put_roots(struct json *json, const struct hprof_summary *summary)
{
	char key[32];

	json_begin_array(json, "roots", JSON_BLOCK);
	for (size_t i = 0; i < summary->tag_count; i++) {
		const struct hprof_tag_row *row = &summary->tag_rows[i];

		if (!hprof_tag_is_root(row->tag))
			continue;
		json_begin_object(json, NULL, JSON_LINE);
		json_string(json, "kind", hprof_root_word(row->tag, key));
		json_number(json, "count", row->count);
		json_end(json);
	}
	json_end(json);
}

/* ---- the class table ---------------------------------------------------- */

static void put_class_members(struct json *json,
			      const struct hprof_class_row *row)
{
	static const char *const kinds[] = { "plain", "object_array",
					     "primitive_array" };

	json_string(json, "kind", kinds[row->kind]);
	json_id(json, "class_id", row->class_id);
	json_id(json, "super_id", row->super_id);
	json_id(json, "loader_id", row->loader_id);
	json_bool(json, "measured", row->measured);
}

static void put_group_members(struct json *json, enum rollup_by by,
			      const struct rollup_row *row)
{
	json_number(json, "classes", row->classes);
	if (by == ROLLUP_SUPER)
		json_id(json, "class_id", row->id);
	if (by != ROLLUP_LOADER)
		return;
	json_id(json, "loader_id", row->id);
	json_string(json, "loader_class",
		    row->loader && row->id ? row->loader->class_name : NULL);
	json_string(json, "loader_name",
		    row->loader && row->id ? row->loader->name : NULL);
}

static void put_row(struct json *json, enum rollup_by by,
		    const struct rollup_row *row)
{
	static const char *const keys[] = { "class", "package", "superclass",
					    "loader" };

	json_begin_object(json, NULL, JSON_LINE);
	json_string(json, keys[by], row->name);
	json_number(json, "instances", row->instances);
	json_number(json, "bytes", row->bytes);
	json_number(json, "largest", row->largest);
	json_number(json, "data", row->data);
	if (by == ROLLUP_CLASS)
		put_class_members(json, row->class_row);
	else
		put_group_members(json, by, row);
	json_end(json);
}

static void put_classes(struct json *json, const struct report *report)
{
	static const char *const keys[] = { "classes", "packages",
					    "superclasses", "loaders" };
	const struct rollup_table *groups = report->groups;
	size_t count = render_row_count(report);

	json_begin_array(json, keys[groups->by], JSON_BLOCK);
	for (size_t i = 0; i < count; i++)
		put_row(json, groups->by, &groups->rows[i]);
	json_end(json);
	json_number(json, "rows_left_out", groups->count - count);
}

/* ---- threads, properties, profile --------------------------------------- */

static void put_thread(struct json *json, const struct report *report, size_t i)
{
	const struct hprof_thread_row *row = &report->threads->rows[i];
	const struct hprof_thread_locals *locals =
		render_find_locals(report->locals, report->threads, i);

	json_begin_object(json, NULL, JSON_BLOCK);
	json_string(json, "name", row->name);
	json_string(json, "class", row->class_name);
	json_id(json, "object_id", row->object_id);
	json_number(json, "thread_serial", row->thread_serial);
	json_number(json, "trace_serial", row->trace_serial);
	if (row->has_details) {
		json_bool(json, "daemon", row->daemon);
		json_signed(json, "priority", row->priority);
		json_number(json, "tid", row->tid);
		json_id(json, "status", row->status);
		json_string(json, "state",
			    hprof_thread_state_name(row->status));
	}
	json_begin_array(json, "frames", JSON_BLOCK);
	for (size_t k = 0; k < row->frame_count; k++)
		json_frame(json, NULL, &row->frames[k]);
	json_end(json);
	if (locals)
		render_json_locals(json, locals);
	json_end(json);
}

static void put_threads(struct json *json, const struct report *report)
{
	const struct hprof_thread_table *threads = report->threads;

	json_begin_array(json, "threads", JSON_BLOCK);
	for (size_t i = 0; i < threads->count; i++)
		put_thread(json, report, i);
	json_end(json);
}

/* A row has only the members that its kind of record has. */
static void put_profile_row(struct json *json, unsigned tag,
			    const struct hprof_profile_row *row)
{
	json_begin_object(json, NULL, JSON_BLOCK);
	if (tag == HPROF_ALLOC_SITES) {
		json_string(json, "class", row->class_name);
		json_number(json, "live_bytes", row->live_bytes);
		json_number(json, "live_instances", row->live_instances);
		json_number(json, "allocated_bytes", row->allocated_bytes);
		json_number(json, "allocated_instances",
			    row->allocated_instances);
	} else {
		json_number(json, "samples", row->samples);
	}
	json_number(json, "trace_serial", row->trace_serial);
	json_begin_array(json, "frames", JSON_BLOCK);
	for (size_t i = 0; i < row->frame_count; i++)
		json_frame(json, NULL, &row->frames[i]);
	json_end(json);
	json_end(json);
}

static void put_profile_section(struct json *json,
				const struct hprof_profile_section *section)
{
	json_begin_object(json, NULL, JSON_BLOCK);
	json_string(json, "record", hprof_tag_name(section->tag));
	json_id(json, "offset", section->offset);
	json_number(json, "time_us", section->time_us);
	if (section->tag != HPROF_HEAP_SUMMARY &&
	    section->tag != HPROF_CPU_SAMPLES)
		json_number(json, "flags", section->flags);
	if (section->tag == HPROF_CONTROL_SETTINGS)
		json_number(json, "depth", section->depth);
	if (section->tag == HPROF_CPU_SAMPLES)
		json_number(json, "samples", section->samples);
	if (section->tag == HPROF_HEAP_SUMMARY ||
	    section->tag == HPROF_ALLOC_SITES) {
		json_number(json, "live_bytes", section->live_bytes);
		json_number(json, "live_instances", section->live_instances);
		json_number(json, "allocated_bytes", section->allocated_bytes);
		json_number(json, "allocated_instances",
			    section->allocated_instances);
	}
	json_begin_array(json, "rows", JSON_BLOCK);
	for (size_t i = 0; i < section->row_count; i++)
		put_profile_row(json, section->tag, &section->rows[i]);
	json_end(json);
	json_end(json);
}

static void put_profile(struct json *json,
			const struct hprof_profile_table *profile)
{
	json_begin_array(json, "profile", JSON_BLOCK);
	for (size_t i = 0; i < profile->count; i++)
		put_profile_section(json, &profile->sections[i]);
	json_end(json);
}

static void put_properties(struct json *json,
			   const struct hprof_property_table *properties)
{
	json_begin_object(json, "jvm", JSON_BLOCK);
	json_string(json, "name", render_property(properties, "java.vm.name"));
	json_string(json, "version",
		    render_property(properties, "java.vm.version"));
	json_string(json, "vendor",
		    render_property(properties, "java.vm.vendor"));
	json_string(json, "java_version",
		    render_property(properties, "java.version"));
	json_end(json);
	json_begin_array(json, "properties", JSON_BLOCK);
	for (size_t i = 0; i < properties->count; i++) {
		json_begin_object(json, NULL, JSON_LINE);
		json_string(json, "key", properties->rows[i].key);
		json_string(json, "value", properties->rows[i].value);
		json_end(json);
	}
	json_end(json);
}

/* ---- diagnostics -------------------------------------------------------- */

static void put_diagnostics(struct json *json,
			    const struct hprof_summary *summary)
{
	json_begin_object(json, "diagnostics", JSON_BLOCK);
	json_number(json, "errors", summary->errors);
	json_number(json, "warnings", summary->warnings);
	json_number(json, "notes", summary->notes);
	json_begin_array(json, "list", JSON_BLOCK);
	for (size_t i = 0; i < summary->diagnostic_count; i++)
		diagnostics_json(json, &summary->diagnostics[i]);
	json_end(json);
	json_end(json);
}

void render_json(FILE *out, const struct report *report)
{
	const struct hprof_summary *summary = report->summary;
	struct json json;

	json_start(&json, out);
	json_begin_object(&json, NULL, JSON_BLOCK);
	json_string(&json, "tool", "hprof-stat");
	json_number(&json, "schema", SCHEMA);
	put_dump(&json, report);
	put_sizes(&json, &summary->convention);
	put_totals(&json, summary);
	put_records(&json, summary);
	put_roots(&json, summary);
	if (report->outside)
		render_json_outside(&json, report);
	if (report->resources)
		render_json_resources(&json, report);
	put_classes(&json, report);
	if (report->threads)
		put_threads(&json, report);
	if (report->properties)
		put_properties(&json, report->properties);
	if (report->profile)
		put_profile(&json, report->profile);
	render_json_graph(&json, report);
	put_diagnostics(&json, summary);
	json_end(&json);
}
