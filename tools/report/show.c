/* SPDX-License-Identifier: MIT */
/*
 * show.c - see show.h.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/common/cli.h"
#include "tools/common/json_graph.h"
#include "tools/common/describe.h"
#include "tools/report/render.h"
#include "tools/report/show.h"
#include "tools/common/table.h"
#include "tools/common/units.h"

#define SCHEMA 1
#define TEXT_MOST 10000

static int print_failure(const struct show *show,
			 const struct hprof_error *error)
{
	cli_message("%s: %s", show->path, error->text);
	return CLI_TROUBLE;
}

static void owned_line(struct show *show, const char *key, const char *label,
		       char *text)
{
	show_line(show, key, label, text);
	free(text);
}

/*
 * Prints "23,331,136 bytes (22.25 MiB)". In JSON it is a member of the object.
 */
static void size_line(const char *label, uint64_t bytes, const char *note,
		      bool left_out)
{
	char count[UNITS_MAX], human[UNITS_MAX];

	if (left_out)
		return;
	printf("%-12s%s byte%s", label, units_count(bytes, count),
	       bytes == 1 ? "" : "s");
	if (bytes >= 1024)
		printf(" (%s)", units_bytes(bytes, human));
	printf("%s\n", note);
}

static void object_line(struct show *show, const char *key, const char *label,
			const struct hprof_object_info *info)
{
	if (show->as_json)
		json_object_info(&show->json, key, info);
	else if (info->object != HPROF_NO_OBJECT)
		owned_line(show, key, label, describe_object(info));
}

static struct hprof_object_info get_info(const struct show *show,
					 uint64_t object)
{
	struct hprof_object_info info = { .object = HPROF_NO_OBJECT };

	if (object != HPROF_NO_OBJECT &&
	    hprof_object_info_get(show->cursor, show->graph, object, &info,
				  NULL) != HPROF_OK)
		info.object = HPROF_NO_OBJECT;
	return info;
}

static const struct hprof_class_row *class_row(const struct show *show,
					       size_t row)
{
	const struct hprof_summary *summary = hprof_heap_summary(show->heap);

	return row < summary->class_count ? &summary->class_rows[row] : NULL;
}

/* ---- an object ---------------------------------------------------------- */

static void roots_line(struct show *show, uint64_t object)
{
	const struct hprof_heap_root *roots = hprof_heap_roots(show->heap);
	size_t count = hprof_heap_root_count(show->heap);
	char word[32];

	if (show->as_json)
		json_begin_array(&show->json, "roots", JSON_BLOCK);
	for (size_t i = 0; i < count; i++) {
		if (roots[i].object != object)
			continue;
		if (!show->as_json) {
			printf("%-12s%s", "GC root",
			       hprof_root_name(roots[i].tag));
			if (roots[i].thread_serial)
				printf(" of thread #%" PRIu32,
				       roots[i].thread_serial);
			putchar('\n');
			continue;
		}
		json_begin_object(&show->json, NULL, JSON_LINE);
		json_string(&show->json, "kind",
			    hprof_root_word(roots[i].tag, word));
		if (roots[i].thread_serial)
			json_number(&show->json, "thread_serial",
				    roots[i].thread_serial);
		json_end(&show->json);
	}
	show_end(show);
}

static void text_line(struct show *show, uint64_t object)
{
	struct hprof_object at;
	const char *text;
	uint64_t length;

	if (hprof_cursor_seek(show->cursor, object, &at) != HPROF_OK ||
	    hprof_cursor_text(show->cursor, TEXT_MOST, &text, &length) !=
		    HPROF_OK)
		return;
	show_text(show, "text", "text", text);
	if (show->as_json)
		json_number(&show->json, "text_length", length);
	else if (length > TEXT_MOST)
		printf("%-12scut, %" PRIu64 " characters in all\n", "", length);
}

/* Where it was allocated, if the dump says so. */
static void allocation_lines(struct show *show, uint64_t object)
{
	struct hprof_allocation_table *table;

	if (hprof_allocation_of(show->graph, object, &table, NULL) < 0)
		return;
	if (table->count > 0 && show->as_json)
		render_json_site(&show->json, "allocated_at", &table->rows[0]);
	else if (table->count > 0) {
		puts("allocated at");
		render_stack(stdout, &table->rows[0], 2);
	}
	hprof_allocation_table_free(table);
}

static void reachable_line(struct show *show, bool reachable,
			   enum hprof_strength strength)
{
	static const char *const how[HPROF_STRENGTHS] = {
		[HPROF_STRENGTH_SOFT] =
			"only softly: it goes when memory runs short",
		[HPROF_STRENGTH_FINALIZER] =
			"only for a finalizer: it stays until that has run",
		[HPROF_STRENGTH_WEAK] =
			"only weakly: it goes with the next collection",
		[HPROF_STRENGTH_PHANTOM] =
			"only as a phantom: what cleans up after it is left",
	};

	if (show->as_json) {
		json_bool(&show->json, "reachable", reachable);
		json_string(&show->json, "strength",
			    hprof_strength_name(strength));
	} else if (how[strength]) {
		show_line(show, "", "reachable", how[strength]);
	} else if (!reachable) {
		show_line(show, "", "unreachable", "no path leads to it");
	}
}

static void reach_lines(struct show *show, uint64_t object,
			const struct hprof_object_info *info)
{
	const struct hprof_graph_totals *totals =
		hprof_graph_totals(show->graph);
	bool reachable = hprof_graph_is_reachable(show->graph, object);
	struct hprof_object_info dominator =
		get_info(show, hprof_graph_dominator(show->graph, object));
	char share[UNITS_MAX], *note;

	reachable_line(show, reachable,
		       hprof_graph_strength(show->graph, object));
	note = describe_format(
		", %s of the live heap",
		units_share(info->retained, totals->reachable_shallow, share));
	size_line("shallow", info->shallow, "", show->as_json);
	size_line("retained", info->retained, note,
		  show->as_json || !reachable);
	free(note);
	if (show->as_json || dominator.object != HPROF_NO_OBJECT)
		object_line(show, "dominator", "dominator", &dominator);
	else if (reachable)
		show_line(show, "", "dominator", "(roots)");
}

static void class_lines(struct show *show, const struct hprof_object_info *info)
{
	const struct hprof_class_row *row = class_row(show, info->class_row);
	struct hprof_object_info loader;

	if (!row)
		return;
	loader = get_info(show, hprof_heap_find(show->heap, row->loader_id));
	object_line(show, "loader", "loader", &loader);
}

static void head_lines(struct show *show, const struct hprof_object *object,
		       const struct hprof_object_info *info)
{
	char offset[32];

	if (show->as_json)
		json_object_info_members(&show->json, info);
	else
		owned_line(show, "", "object", describe_object(info));
	snprintf(offset, sizeof(offset), "0x%" PRIx64, object->offset);
	class_lines(show, info);
	show_line(show, "offset", "at offset", offset);
	if (show->as_json)
		json_number(&show->json, "data", object->data);
}

static int show_object(struct show *show, uint64_t number)
{
	struct hprof_object object;
	struct hprof_object_info info;
	bool good;

	if (hprof_cursor_seek(show->cursor, number, &object) != HPROF_OK)
		return print_failure(show, hprof_cursor_error(show->cursor));
	info = get_info(show, number);
	head_lines(show, &object, &info);
	reach_lines(show, number, &info);
	roots_line(show, number);
	text_line(show, number);
	allocation_lines(show, number);
	show_meaning(show, number);
	show_entries(show, number);
	if (object.kind == HPROF_OBJECT_INSTANCE)
		show_fields(show, number, false);
	else if (object.kind == HPROF_OBJECT_CLASS)
		show_fields(show, number, true);
	else
		show_elements(show, &object);
	good = show_referrers(show, number);
	return good ? CLI_FINE : CLI_TROUBLE;
}

/* ---- a class ------------------------------------------------------------ */

static void put_slot(struct show *show, struct table *table,
		     const struct hprof_field *field)
{
	const struct hprof_class_row *by = class_row(show, field->class_row);
	char *name;

	if (!show->as_json) {
		name = describe_kind(field->name, false);
		table_count(table, field->offset);
		table_text(table, hprof_type_name(field->type));
		table_text(table, name);
		free(name);
		return;
	}
	json_begin_object(&show->json, NULL, JSON_LINE);
	json_number(&show->json, "offset", field->offset);
	json_string(&show->json, "type", hprof_type_name(field->type));
	json_string(&show->json, "name", field->name);
	json_string(&show->json, "class", by ? by->name : NULL);
	json_end(&show->json);
}

static void put_layout(struct show *show, size_t row)
{
	static const struct table_column columns[] = {
		{ "offset", TABLE_RIGHT },
		{ "type", TABLE_LEFT },
		{ "name", TABLE_LEFT },
	};
	struct table *table = table_new(columns, 3);
	const struct hprof_field *fields;
	size_t count, by = row;

	if (!hprof_heap_layout(show->heap, row, &fields, &count) &&
	    !show->as_json)
		printf("\nnot all of its classes are in the dump\n");
	show_begin(show, "layout",
		   count ? "fields of an instance, in the order of the dump"
			 : "instances have no fields");
	for (size_t i = 0; i < count; i++) {
		if (!show->as_json && fields[i].class_row != by)
			show_declaring(show, table, fields[i].class_row);
		by = fields[i].class_row;
		put_slot(show, table, &fields[i]);
	}
	show_end(show);
	if (!show->as_json && count)
		table_print(table, stdout, 2);
	table_free(table);
}

static void put_instance(struct show *show, struct table *table,
			 uint64_t object)
{
	struct hprof_object_info info;
	char *label;

	info = get_info(show, object);
	if (show->as_json) {
		json_object_info(&show->json, NULL, &info);
		return;
	}
	label = describe_object(&info);
	table_count(table, info.retained);
	table_count(table, info.shallow);
	table_text(table, label);
	free(label);
}

static int put_instances(struct show *show, size_t row)
{
	static const struct table_column columns[] = {
		{ "retained", TABLE_RIGHT },
		{ "shallow", TABLE_RIGHT },
		{ "instance", TABLE_LEFT },
	};
	uint64_t room = show_limit(show, hprof_heap_count(show->heap));
	struct hprof_instance_table *instances = NULL;
	struct hprof_error error = { 0 };
	struct table *table;

	if (hprof_instances_read(show->graph, &row, 1, (size_t)room, &instances,
				 &error) < 0)
		return print_failure(show, &error);
	if (show->as_json) {
		json_number(&show->json, "instance_count", instances->total);
		json_number(&show->json, "reachable_instances",
			    instances->reachable);
		json_number(&show->json, "instance_bytes", instances->shallow);
	} else {
		char *count = describe_count(instances->total, "instance",
					     "instances");
		char bytes[UNITS_MAX], live[UNITS_MAX];

		printf("\n%s, %s reachable, %s\n", count,
		       units_count(instances->reachable, live),
		       units_bytes(instances->shallow, bytes));
		free(count);
	}
	table = table_new(columns, 3);
	if (show->as_json)
		json_begin_array(&show->json, "instances", JSON_BLOCK);
	for (size_t i = 0; i < instances->count; i++)
		put_instance(show, table, instances->objects[i]);
	show_end(show);
	if (!show->as_json && instances->count)
		table_print(table, stdout, 2);
	show_left_out(show, instances->total, instances->count);
	table_free(table);
	hprof_instance_table_free(instances);
	return CLI_FINE;
}

static void super_line(struct show *show, const struct hprof_class_row *row)
{
	struct hprof_object_info super =
		get_info(show, hprof_heap_find(show->heap, row->super_id));

	object_line(show, "superclass", "superclass", &super);
}

static int show_class(struct show *show, size_t row)
{
	const struct hprof_class_row *class =
		&hprof_heap_summary(show->heap)->class_rows[row];
	uint64_t object = hprof_heap_find(show->heap, class->class_id);
	struct hprof_object_info info = get_info(show, object);
	int status;

	if (show->as_json)
		json_string(&show->json, "name", class->name);
	if (object == HPROF_NO_OBJECT && !show->as_json) {
		owned_line(show, "", "class", describe_kind(class->name, true));
		show_line(show, "", "", "its class object is not in the dump");
	} else if (object != HPROF_NO_OBJECT) {
		struct hprof_object at;

		if (hprof_cursor_seek(show->cursor, object, &at) != HPROF_OK)
			return print_failure(show,
					     hprof_cursor_error(show->cursor));
		head_lines(show, &at, &info);
		super_line(show, class);
		reach_lines(show, object, &info);
		roots_line(show, object);
		show_fields(show, object, true);
	}
	put_layout(show, row);
	status = put_instances(show, row);
	if (object != HPROF_NO_OBJECT && !show_referrers(show, object))
		status = CLI_TROUBLE;
	return status;
}

static int show_classes(struct show *show,
			const struct object_selector *selector)
{
	int worst = CLI_FINE;

	for (size_t i = 0; i < selector->row_count; i++) {
		int status;

		if (i && !show->as_json)
			printf("\n\n");
		if (show->as_json)
			json_begin_object(&show->json, NULL, JSON_BLOCK);
		status = show_class(show, selector->rows[i]);
		show_end(show);
		if (status > worst)
			worst = status;
	}
	return worst;
}

/*
 * A value that cannot be read looks like one that is not there, so the cursor
 * is asked whether it failed; a collection that cannot be walked is no failure.
 * Incomplete JSON lacks its closing brackets.
 */
static int finish(struct show *show, int status)
{
	const struct hprof_error *error = hprof_cursor_error(show->cursor);

	if (error->status < 0 && error->status != HPROF_E_USAGE &&
	    error->status != HPROF_E_UNSUPPORTED)
		status = print_failure(show, error);
	if (status == CLI_TROUBLE && show->as_json) {
		putchar('\n');
		return status;
	}
	show_end(show);
	show_end(show);
	return status;
}

int show_report(struct show *show, const struct object_selector *selector)
{
	bool is_object = selector->object != HPROF_NO_OBJECT;
	struct hprof_error error = { 0 };
	int status;

	if (hprof_cursor_new(show->heap, &show->cursor, &error) < 0)
		return print_failure(show, &error);
	if (hprof_thread_local_names_new(show->graph, &show->locals, &error) <
	    0) {
		hprof_cursor_free(show->cursor);
		return print_failure(show, &error);
	}
	if (show->as_json) {
		json_start(&show->json, stdout);
		json_begin_object(&show->json, NULL, JSON_BLOCK);
		json_string(&show->json, "tool", "hprof-show");
		json_number(&show->json, "schema", SCHEMA);
		json_string(&show->json, "file", show->path);
		if (is_object)
			json_begin_object(&show->json, "object", JSON_BLOCK);
		else
			json_begin_array(&show->json, "classes", JSON_BLOCK);
	}
	status = is_object ? show_object(show, selector->object)
			   : show_classes(show, selector);
	status = finish(show, status);
	hprof_thread_local_names_free(show->locals);
	hprof_cursor_free(show->cursor);
	return status;
}
