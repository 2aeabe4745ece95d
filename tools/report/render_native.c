/* SPDX-License-Identifier: MIT */
/*
 * render_native.c - memory outside of the heap, as text and as JSON.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/json_graph.h"
#include "tools/common/prose.h"
#include "tools/common/table.h"
#include "tools/common/units.h"
#include "tools/report/render.h"

static const struct {
	const char *text, *one, *word;
} kinds[HPROF_NATIVE_KINDS] = {
	[HPROF_NATIVE_DIRECT] = { "direct buffers", "direct buffer", "direct" },
	[HPROF_NATIVE_UNMANAGED] = { "unmanaged buffers", "unmanaged buffer",
				     "unmanaged" },
	[HPROF_NATIVE_MAPPED] = { "mapped files", "mapped file", "mapped" },
	[HPROF_NATIVE_SEGMENT] = { "memory segments", "memory segment",
				   "segment" },
	[HPROF_NATIVE_INFLATER] = { "inflaters (estimated)",
				    "inflater (estimated)", "inflater" },
	[HPROF_NATIVE_DEFLATER] = { "deflaters (estimated)",
				    "deflater (estimated)", "deflater" },
	[HPROF_NATIVE_STACK] = { "thread stacks", "thread stack", "stack" },
	[HPROF_NATIVE_MODULES] = { "the JVM's own modules file",
				   "the JVM's own modules file", "modules" },
};

const char *render_native_kind(enum hprof_native_kind kind)
{
	return kinds[kind].text;
}

/* ---- in the report without options --------------------------------------- */

static const struct {
	const char *one, *many, *word;
} outside_kinds[HPROF_OUTSIDE_KINDS] = {
	[HPROF_OUTSIDE_DIRECT] = { "direct buffer", "direct buffers",
				   "direct" },
	[HPROF_OUTSIDE_MAPPED] = { "mapped file", "mapped files", "mapped" },
	[HPROF_OUTSIDE_NETTY] = { NULL, NULL, "netty" },
};

/* "1.00 MiB in 3 direct buffers" */
static char *outside_label(unsigned kind, const struct hprof_outside_sum *sum)
{
	char bytes[UNITS_MAX], *buffers, *label;

	units_bytes(sum->bytes, bytes);
	if (!outside_kinds[kind].one)
		return describe_format("%s of %s", bytes,
				       outside_kinds[kind].word);
	buffers = describe_count(sum->buffers, outside_kinds[kind].one,
				 outside_kinds[kind].many);
	label = describe_format("%s in %s", bytes, buffers);
	free(buffers);
	return label;
}

char *render_outside_text(const struct hprof_outside_table *outside)
{
	char bytes[UNITS_MAX], *text;

	if (!outside || !outside->bytes)
		return NULL;
	text = describe_format("%s outside of the heap that the dump knows of:",
			       units_bytes(outside->bytes, bytes));
	for (unsigned i = 0; i < HPROF_OUTSIDE_KINDS; i++) {
		char *label, *longer;

		if (!outside->kinds[i].bytes)
			continue;
		label = outside_label(i, &outside->kinds[i]);
		longer = describe_format("%s %s,", text, label);
		free(label);
		free(text);
		text = longer;
	}
	text[strlen(text) - 1] = '\0'; /* the last comma */
	return text;
}

void render_json_outside(struct json *json, const struct report *report)
{
	const struct hprof_outside_table *outside = report->outside;

	json_begin_object(json, "outside", JSON_BLOCK);
	json_number(json, "bytes", outside->bytes);
	json_begin_array(json, "kinds", JSON_BLOCK);
	for (unsigned i = 0; i < HPROF_OUTSIDE_KINDS; i++) {
		const struct hprof_outside_sum *sum = &outside->kinds[i];

		json_begin_object(json, NULL, JSON_LINE);
		json_string(json, "kind", outside_kinds[i].word);
		json_number(json, "bytes", sum->bytes);
		if (outside_kinds[i].one)
			json_number(json, "buffers", sum->buffers);
		json_end(json);
	}
	json_end(json);
	json_end(json);
}

/* ---- text ---------------------------------------------------------------- */

enum { MAIN_OWNER_LEAST = 1 << 20 };

/* "com.acme.Pool@0x7f.buffers", "static com.acme.Pool.buffers"; free it. */
char *render_native_owner(const struct hprof_native_owner *row)
{
	char *field, *owner, *text;

	if (!row->field)
		return describe_object(&row->owner);
	field = describe_edge(HPROF_EDGE_FIELD, row->field, 0, false);
	owner = row->is_static ? describe_kind(row->owner.class_name, false)
			       : describe_object(&row->owner);
	text = describe_format("%s%s%s", row->is_static ? "static " : "", owner,
			       field);
	free(field);
	free(owner);
	return text;
}

const struct hprof_native_owner *
render_native_most(const struct hprof_native_table *native)
{
	for (size_t i = 0; i < native->owner_count; i++)
		if (native->owners[i].kind != HPROF_NATIVE_MODULES)
			return native->owners[i].bytes >= MAIN_OWNER_LEAST
				       ? &native->owners[i]
				       : NULL;
	return NULL;
}

char *render_native_held(const struct hprof_native_owner *row)
{
	char bytes[UNITS_MAX], *owner = render_native_owner(row);
	char *count = describe_count(row->objects, kinds[row->kind].one,
				     kinds[row->kind].text);
	char *text =
		describe_format("%s in %s held by %s",
				units_bytes(row->bytes, bytes), count, owner);

	free(owner);
	free(count);
	return text;
}

char *render_native_sum(const struct hprof_native_table *native)
{
	uint64_t modules = native->kinds[HPROF_NATIVE_MODULES].bytes;
	char bytes[UNITS_MAX], file[UNITS_MAX];

	units_bytes(native->bytes, bytes);
	if (!modules)
		return cli_strdup(bytes);
	return describe_format("%s, and %s, %s", bytes,
			       kinds[HPROF_NATIVE_MODULES].text,
			       units_bytes(modules, file));
}

void render_native_line(FILE *out, const struct report *report)
{
	const struct hprof_native_table *native = report->native;
	const struct hprof_native_owner *most;
	char bytes[UNITS_MAX], *line;
	uint64_t modules;

	if (!native || !native->bytes || report->all_native)
		return;
	most = render_native_most(native);
	line = describe_format(
		"Outside of the heap: %s that the dump knows of (--native)",
		units_bytes(native->bytes, bytes));
	if (most) {
		char *held = render_native_held(most), *all = line;

		line = describe_format("%s, of it %s", all, held);
		free(held);
		free(all);
	}
	modules = native->kinds[HPROF_NATIVE_MODULES].bytes;
	if (modules) {
		char *all = line;

		line = describe_format("%s; and %s, %s", all,
				       kinds[HPROF_NATIVE_MODULES].text,
				       units_bytes(modules, bytes));
		free(all);
	}
	putc('\n', out);
	prose_lines(out, 0, line);
	free(line);
}

static void put_kinds(FILE *out, const struct hprof_native_table *native)
{
	static const struct table_column columns[] = {
		{ "objects", TABLE_RIGHT },
		{ "bytes", TABLE_RIGHT },
		{ "unreachable", TABLE_RIGHT },
		{ "of it", TABLE_LEFT },
	};
	struct table *table = table_new(columns, 4);

	for (unsigned i = 0; i < HPROF_NATIVE_KINDS; i++) {
		const struct hprof_native_sum *sum = &native->kinds[i];

		if (!sum->objects || i == HPROF_NATIVE_MODULES)
			continue;
		table_count(table, sum->objects);
		table_count(table, sum->bytes);
		table_count(table, sum->unreachable_bytes);
		table_words(table, kinds[i].text);
	}
	table_print(table, out, 0);
	table_free(table);
}

static void put_pools(FILE *out, const struct report *report)
{
	static const struct table_column columns[] = {
		{ "arenas", TABLE_RIGHT },   { "chunks", TABLE_RIGHT },
		{ "bytes", TABLE_RIGHT },    { "free", TABLE_RIGHT },
		{ "allocator", TABLE_LEFT },
	};
	const struct hprof_native_table *native = report->native;
	size_t count = render_rows(report, native->pool_count);
	struct table *table = table_new(columns, 5);

	for (size_t i = 0; i < count; i++) {
		const struct hprof_native_pool *pool = &native->pools[i];
		char *allocator = describe_object(&pool->allocator);

		table_count(table, pool->arenas);
		table_count(table, pool->chunks);
		table_count(table, pool->bytes);
		table_count(table, pool->free);
		table_text(table, allocator);
		free(allocator);
	}
	fputs("\nOf this, netty's pools have\n\n", out);
	table_print(table, out, 0);
	table_free(table);
}

static void put_owners(FILE *out, const struct report *report)
{
	static const struct table_column columns[] = {
		{ "objects", TABLE_RIGHT },
		{ "bytes", TABLE_RIGHT },
		{ "what", TABLE_LEFT },
		{ "held by", TABLE_LEFT },
	};
	const struct hprof_native_table *native = report->native;
	size_t count = render_rows(report, native->owner_count);
	struct table *table = table_new(columns, 4);

	for (size_t i = 0; i < count; i++) {
		const struct hprof_native_owner *row = &native->owners[i];
		char *owner;

		if (row->kind == HPROF_NATIVE_MODULES)
			continue;
		owner = render_native_owner(row);
		table_count(table, row->objects);
		table_count(table, row->bytes);
		table_words(table, kinds[row->kind].text);
		table_text(table, owner);
		free(owner);
	}
	fputs("\nWhat holds it, by class; of each, the object with the largest "
	      "piece\n\n",
	      out);
	table_print(table, out, 0);
	table_free(table);
}

void render_native(FILE *out, const struct report *report)
{
	const struct hprof_native_table *native = report->native;
	char *sum, *line;

	if (!native || !report->all_native)
		return;
	sum = render_native_sum(native);
	line = describe_format(
		"Memory outside of the heap that the dump knows of: %s", sum);
	putc('\n', out);
	prose_lines(out, 0, line);
	free(line);
	free(sum);
	if (!native->bytes)
		return;
	fputc('\n', out);
	put_kinds(out, native);
	if (native->pool_count)
		put_pools(out, report);
	if (native->owner_count)
		put_owners(out, report);
}

/* ---- JSON ---------------------------------------------------------------- */

static void put_json_kinds(struct json *json,
			   const struct hprof_native_table *native)
{
	json_begin_array(json, "kinds", JSON_BLOCK);
	for (unsigned i = 0; i < HPROF_NATIVE_KINDS; i++) {
		const struct hprof_native_sum *sum = &native->kinds[i];

		json_begin_object(json, NULL, JSON_LINE);
		json_string(json, "kind", kinds[i].word);
		json_number(json, "objects", sum->objects);
		json_number(json, "bytes", sum->bytes);
		json_number(json, "unreachable_objects",
			    sum->unreachable_objects);
		json_number(json, "unreachable_bytes", sum->unreachable_bytes);
		json_end(json);
	}
	json_end(json);
}

static void put_json_pools(struct json *json, const struct report *report)
{
	const struct hprof_native_table *native = report->native;
	size_t count = render_rows(report, native->pool_count);

	json_begin_array(json, "pools", JSON_BLOCK);
	for (size_t i = 0; i < count; i++) {
		const struct hprof_native_pool *pool = &native->pools[i];

		json_begin_object(json, NULL, JSON_LINE);
		json_number(json, "arenas", pool->arenas);
		json_number(json, "chunks", pool->chunks);
		json_number(json, "bytes", pool->bytes);
		json_number(json, "free", pool->free);
		json_object_info(json, "allocator", &pool->allocator);
		json_end(json);
	}
	json_end(json);
}

static void put_json_owners(struct json *json, const struct report *report)
{
	const struct hprof_native_table *native = report->native;
	size_t count = render_rows(report, native->owner_count);

	json_begin_array(json, "owners", JSON_BLOCK);
	for (size_t i = 0; i < count; i++) {
		const struct hprof_native_owner *row = &native->owners[i];

		json_begin_object(json, NULL, JSON_LINE);
		json_string(json, "kind", kinds[row->kind].word);
		json_number(json, "objects", row->objects);
		json_number(json, "bytes", row->bytes);
		json_number(json, "largest", row->largest);
		json_string(json, "field", row->field);
		json_object_info(json, "owner", &row->owner);
		json_end(json);
	}
	json_end(json);
}

void render_json_native(struct json *json, const struct report *report)
{
	const struct hprof_native_table *native = report->native;

	json_begin_object(json, "native", JSON_BLOCK);
	json_number(json, "bytes", native->bytes);
	put_json_kinds(json, native);
	put_json_pools(json, report);
	put_json_owners(json, report);
	json_end(json);
}
