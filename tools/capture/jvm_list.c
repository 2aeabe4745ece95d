/* SPDX-License-Identifier: MIT */
/*
 * jvm_list.c - see jvm_list.h. It only reads files; the JVMs are not affected.
 */
#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/capture/dump.h"
#include "tools/common/escape.h"
#include "tools/common/json.h"
#include "tools/capture/jvm_list.h"
#include "tools/common/table.h"
#include "tools/common/units.h"

struct row {
	struct jvm_process process;
	char user[64];
	bool has_heap;
	struct perfdata_heap heap;
	char version[64]; /* "" if unknown */
	bool vm, walk;	  /* the engines that can dump it */
	struct reason why_not, why_no_walk;
};

/* ---- collecting --------------------------------------------------------- */

static bool has_name(pid_t pid, const char *name)
{
	char path[64], text[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	text[strcspn(text, "\n")] = '\0';
	return strcmp(text, name) == 0;
}

/* If the process may not be inspected, its name has to do. */
static bool is_jvm(const struct jvm_process *p)
{
	if (p->kind == JVM_UNSEEN)
		return has_name(p->pid, "java");
	/* What engine fork leaves for a while is a copy of a JVM. */
	return p->kind != JVM_NONE && p->state != 'Z' &&
	       !has_name(p->pid, "hprof-fork");
}

static void fill_user(struct row *row)
{
	const struct passwd *user = getpwuid(row->process.ids.uid);

	if (user)
		snprintf(row->user, sizeof(row->user), "%s", user->pw_name);
	else
		snprintf(row->user, sizeof(row->user), "%u",
			 (unsigned)row->process.ids.uid);
}

static void fill_counters(struct row *row)
{
	struct perfdata perfdata;
	void *bytes;

	if (!jvm_process_perfdata(&row->process, &perfdata, &bytes))
		return;
	row->has_heap = perfdata_get_heap(&perfdata, &row->heap);
	if (!perfdata_text(&perfdata, "java.property.java.vm.version",
			   row->version, sizeof(row->version)))
		row->version[0] = '\0';
	free(bytes);
}

/* A JVM that listens already needs no signal. */
static void fill_means(struct row *row)
{
	const struct jvm_process *p = &row->process;
	struct attach attach;

	if (!attach_open(&attach, p, 1, &row->why_not))
		return;
	row->vm = attach_is_possible(&attach, &row->why_not);
	attach_close(&attach);
	row->walk = row->vm && dump_can_walk(p, NULL, &row->why_no_walk);
}

static struct row *collect(size_t *ret_count, struct reason *reason)
{
	DIR *proc = opendir("/proc");
	struct row *rows = NULL, row;
	const struct dirent *entry;
	size_t count = 0;

	if (!proc) {
		reason_errno(reason, "cannot read /proc");
		return NULL;
	}
	while ((entry = readdir(proc)) != NULL) {
		struct reason unused;
		char *end;
		long pid = strtol(entry->d_name, &end, 10);
		if (*end || pid <= 0)
			continue;
		row = (struct row){ 0 };
		if (!jvm_process_read((pid_t)pid, &row.process, &unused) ||
		    !is_jvm(&row.process))
			continue;
		fill_user(&row);
		fill_counters(&row);
		fill_means(&row);
		rows = cli_realloc(rows, count + 1, sizeof(*rows));
		rows[count++] = row;
	}
	closedir(proc);
	*ret_count = count;
	return rows ? rows : cli_calloc(1, sizeof(*rows));
}

static int by_pid(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->process.pid > y->process.pid) -
	       (x->process.pid < y->process.pid);
}

/* ---- printing ----------------------------------------------------------- */

static void print_heap(struct table *table, const struct row *row)
{
	char used[UNITS_MAX], most[UNITS_MAX], text[2 * UNITS_MAX + 8];

	if (!row->has_heap) {
		table_text(table, "-");
		return;
	}
	units_bytes(row->heap.used, used);
	units_bytes(row->heap.most, most);
	snprintf(text, sizeof(text), row->heap.most ? "%s of %s" : "%s", used,
		 most);
	table_text(table, text);
}

static void print_escaped(struct table *table, const char *text)
{
	char *escaped = escape_copy(text, 0);

	if (!escaped)
		cli_message("out of memory");
	table_text(table, escaped ? escaped : "-");
	free(escaped);
}

static void print_means(struct table *table, const struct row *row)
{
	char text[sizeof(row->why_not.text) + 8], *escaped;

	if (row->vm) {
		table_text(table, row->walk ? "vm, walk" : "vm");
		return;
	}
	snprintf(text, sizeof(text), "no: %s", row->why_not.text);
	escaped = escape_copy(text, 0);
	table_tail(table, escaped);
	free(escaped);
}

static void print_table(const struct row *rows, size_t count)
{
	static const struct table_column columns[] = {
		{ "PID", TABLE_RIGHT },	   { "USER", TABLE_LEFT },
		{ "UPTIME", TABLE_RIGHT }, { "HEAP", TABLE_RIGHT },
		{ "PROGRAM", TABLE_LEFT }, { "DUMP", TABLE_LEFT },
	};
	struct table *table = table_new(columns, 6);
	char text[UNITS_MAX];

	for (size_t i = 0; i < count; i++) {
		const struct jvm_process *p = &rows[i].process;
		snprintf(text, sizeof(text), "%d", (int)p->pid);
		table_text(table, text);
		print_escaped(table, rows[i].user);
		table_text(table, units_duration(p->uptime_s, text));
		print_heap(table, &rows[i]);
		print_escaped(table, p->command[0] ? p->command : "-");
		print_means(table, &rows[i]);
	}
	table_print(table, stdout, 0);
	table_free(table);
}

static void json_text(struct json *json, const char *key, const char *text)
{
	json_string(json, key, text[0] ? text : NULL);
}

static void json_heap(struct json *json, const struct row *row)
{
	if (!row->has_heap) {
		json_null(json, "heap_used");
		json_null(json, "heap_capacity");
	} else {
		json_number(json, "heap_used", row->heap.used);
		json_number(json, "heap_capacity", row->heap.capacity);
	}
	if (row->has_heap && row->heap.most)
		json_number(json, "heap_most", row->heap.most);
	else
		json_null(json, "heap_most");
}

static void json_row(struct json *json, const struct row *row)
{
	const struct jvm_process *p = &row->process;

	json_begin_object(json, NULL, JSON_LINE);
	json_number(json, "pid", (uint64_t)p->pid);
	json_number(json, "inner_pid", (uint64_t)p->inner_pid);
	json_string(json, "user", row->user);
	json_number(json, "uptime_s", p->uptime_s);
	json_heap(json, row);
	json_text(json, "program", p->command);
	json_text(json, "version", row->version);
	json_begin_array(json, "engines", JSON_LINE);
	if (row->vm)
		json_string(json, NULL, "vm");
	if (row->walk)
		json_string(json, NULL, "walk");
	json_end(json);
	json_string(json, "why_not", row->vm ? NULL : row->why_not.text);
	json_string(json, "why_no_walk",
		    row->vm && !row->walk ? row->why_no_walk.text : NULL);
	json_end(json);
}

static void print_json(const struct row *rows, size_t count)
{
	struct json json;

	json_start(&json, stdout);
	json_begin_object(&json, NULL, JSON_BLOCK);
	json_string(&json, "tool", "hprof-dump");
	json_number(&json, "schema", 1);
	json_begin_array(&json, "jvms", JSON_BLOCK);
	for (size_t i = 0; i < count; i++)
		json_row(&json, &rows[i]);
	json_end(&json);
	json_end(&json);
}

bool jvm_list_print(bool json, struct reason *reason)
{
	size_t count;
	struct row *rows = collect(&count, reason);

	if (!rows)
		return false;
	qsort(rows, count, sizeof(*rows), by_pid);
	if (json)
		print_json(rows, count);
	else if (count)
		print_table(rows, count);
	else
		cli_message("no JVM is running, or none that can be seen");
	free(rows);
	return true;
}
