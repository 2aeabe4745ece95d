/* SPDX-License-Identifier: MIT */
/*
 * redact.c - see redact.h.
 */
#include "tools/page/redact.h"

#include <string.h>

static const char left_out[] = "(left out)";

/* What has no name is still said to have none. */
static void redact_name(const char **name)
{
	if (*name && **name)
		*name = left_out;
}

static bool is_kept(const char *key)
{
	static const char *const kept[] = {
		"java.version", "java.vm.name", "java.vm.version",
		"java.vendor",	"os.name",	"os.arch",
	};

	for (size_t i = 0; key && i < sizeof(kept) / sizeof(*kept); i++)
		if (!strcmp(key, kept[i]))
			return true;
	return false;
}

static void redact_properties(struct hprof_property_table *table)
{
	for (size_t i = 0; table && i < table->count; i++)
		if (!is_kept(table->rows[i].key))
			table->rows[i].value = left_out;
}

/* A key of a map is a part of where something is: that there is one is said. */
static void redact_key(struct hprof_path_step *step)
{
	if (step->key)
		step->key = left_out;
}

static void redact_path(struct hprof_path *path)
{
	redact_name(&path->root.thread_name);
	for (size_t i = 0; i < path->count; i++)
		redact_key(&path->steps[i]);
}

static void redact_leaks(struct hprof_leak *leaks, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct hprof_leak *leak = &leaks[i];

		for (size_t k = 0; k < leak->path_count; k++)
			redact_path(&leak->paths[k]);
		for (size_t k = 0; k < leak->reason_count; k++)
			redact_path(&leak->reasons[k].path);
		for (size_t k = 0; k < leak->part_count; k++)
			redact_key(&leak->parts[k].step);
		if (leak->kind == HPROF_LEAK_THREADS && leak->crowd_name)
			leak->crowd_name = left_out;
		if (leak->local && leak->local->thread_name)
			leak->local->thread_name = left_out;
	}
}

static void redact_backlogs(struct hprof_leak_table *leaks)
{
	for (size_t i = 0; i < leaks->backlog_count; i++)
		for (size_t k = 0; k < leaks->backlogs[i].path_count; k++)
			redact_path(&leaks->backlogs[i].paths[k]);
}

/* The boot loader and those of the system have names that are always the same. */
static void redact_loaders(struct hprof_loader_use_table *loaders)
{
	for (size_t i = 0; i < loaders->count; i++) {
		struct hprof_loader_use *use = &loaders->rows[i];

		if (use->state != HPROF_LOADER_SYSTEM)
			use->name = NULL;
		redact_path(&use->path);
	}
}

void redact_report(struct report_data *data)
{
	redact_properties(data->properties);
	for (size_t i = 0; data->threads && i < data->threads->count; i++)
		redact_name(&data->threads->rows[i].name);
	if (data->leaks) {
		redact_leaks(data->leaks->leaks, data->leaks->count);
		redact_leaks(data->leaks->next, data->leaks->next_count);
		redact_backlogs(data->leaks);
		if (data->leaks->out_of_memory)
			redact_name(&data->leaks->out_of_memory->thread_name);
	}
	if (data->loader_use)
		redact_loaders(data->loader_use);
	for (size_t i = 0; data->waste && i < data->waste->string_count; i++)
		data->waste->strings[i].text = NULL;
}
