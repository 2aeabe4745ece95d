/* SPDX-License-Identifier: MIT */
/*
 * profile_output.c - see profile_output.h.
 */
#include "tools/capture/profile_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <hprof.h>

#include "tools/common/compression.h"
#include "tools/common/output_file.h"
#include "tools/export/export.h"
#include "tools/export/export_stacks.h"
#include "tools/report/profile_top.h"
#include "tools/stacks/monitor_stacks.h"
#include "tools/stacks/stack_source.h"

/* A profile, and what is wanted of it. */
struct prof {
	const struct profile_output *output;
	const struct profile_taken *taken;
};

/* ---- forms --------------------------------------------------------------- */

/* In the order of the words of --to. */
static const struct export_form *const forms[] = {
	&export_hprof, &export_text,	   &export_collapsed,
	&export_pprof, &export_flamegraph,
};

/* TEXT has SIZE characters. */
static bool ends_with(const char *text, size_t size, const char *end)
{
	size_t tail = strlen(end);

	return size > tail && memcmp(text + size - tail, end, tail) == 0;
}

static const struct export_form *choose_form(const struct profile_output *o)
{
	static const struct {
		const char *suffix;
		const struct export_form *form;
	} suffixes[] = {
		{ ".txt", &export_text },
		{ ".collapsed", &export_collapsed },
		{ ".folded", &export_collapsed },
		{ ".pb", &export_pprof },
		{ ".pprof", &export_pprof },
		{ ".html", &export_flamegraph },
	};

	/* Without a suffix that stands for a compression. */
	const size_t stem = compression_stem(o->path);

	if (o->to.given)
		return forms[o->to.value];
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (ends_with(o->path, stem, suffixes[i].suffix))
			return suffixes[i].form;
	return o->monitor ? &export_text : &export_hprof;
}

/* By the suffix; what reads pprof wants gzip in any case. */
static struct hprof_writer_options
choose_packing(const struct profile_output *o, const struct export_form *form)
{
	const struct cli_choice by_suffix = { 0 };
	const struct cli_number none = { 0 };
	enum hprof_compression compression =
		form->packs ? compression_of(&by_suffix, o->path) : HPROF_PLAIN;
	struct hprof_writer_options packing;

	if (form == &export_pprof)
		compression = HPROF_GZIP;
	packing = compression_options(compression, &none, &none);
	packing.mode = 0600; /* names are secrets, too */
	return packing;
}

/* ---- tables -------------------------------------------------------------- */

/* NULL after a message. */
static struct hprof_profile_table *read_table(const struct prof *p,
					      struct hprof_summary **ret)
{
	struct hprof_input input = hprof_input_path(p->taken->path);
	struct hprof_profile_table *table = NULL;
	struct hprof_error error = { 0 };

	input.threads = 1;
	*ret = NULL;
	if (hprof_summary_read(&input, NULL, ret, &error) == HPROF_OK &&
	    hprof_summary_profile(*ret, &table, &error) == HPROF_OK)
		return table;
	cli_message("the profile: %s", error.text);
	hprof_summary_free(*ret);
	return NULL;
}

static void begin_json(const struct prof *p, struct json *json)
{
	json_start(json, stdout);
	json_begin_object(json, NULL, JSON_BLOCK);
	json_string(json, "tool", "hprof-prof");
	json_number(json, "schema", 1);
	json_number(json, "pid", (uint64_t)p->taken->process.pid);
	json_number(json, "milliseconds",
		    p->taken->end_ms - p->taken->start_ms);
}

static void put_json(const struct prof *p,
		     const struct hprof_profile_table *table)
{
	struct json json;

	begin_json(p, &json);
	profile_top_json(&json, table, p->output->rows, p->output->live);
	json_end(&json);
}

/* The tree of a profile of monitors, to be freed; false after a message. */
static bool read_monitors(const struct prof *p, struct stack_tree *tree)
{
	FILE *in = fopen(p->taken->path, "r");
	bool found;

	stack_tree_init(tree, false);
	found = in && monitor_stacks_read(tree, in);
	if (in)
		fclose(in);
	if (!found) {
		stack_tree_free(tree);
		cli_message("the profile: there are no monitors in it");
	}
	return found;
}

static bool print_monitors(const struct prof *p)
{
	const struct profile_output *o = p->output;
	struct stack_tree tree;
	struct json json;

	if (!read_monitors(p, &tree))
		return false;
	if (o->json) {
		begin_json(p, &json);
		profile_top_monitors_json(&json, &tree, o->rows);
		json_end(&json);
	} else {
		profile_top_monitors(stdout, &tree, o->rows);
	}
	fflush(stdout);
	stack_tree_free(&tree);
	return true;
}

static bool print_samples(const struct prof *p)
{
	struct hprof_summary *summary;
	struct hprof_profile_table *table = read_table(p, &summary);

	if (!table)
		return false;
	if (p->output->json)
		put_json(p, table);
	else
		profile_top_text(stdout, table, p->output->rows,
				 p->output->live);
	fflush(stdout);
	hprof_profile_table_free(table);
	hprof_summary_free(summary);
	return true;
}

static bool print_table(const struct prof *p)
{
	return p->output->monitor ? print_monitors(p) : print_samples(p);
}

/* ---- files --------------------------------------------------------------- */

/* The text of monitors, as it came. */
static int copy_text(struct export_job *job)
{
	FILE *in = fopen(job->in, "r");
	struct hprof_output *output = in ? export_output(job) : NULL;
	char bytes[4096];
	size_t n;

	if (!output) {
		if (in)
			fclose(in);
		return CLI_TROUBLE;
	}
	while ((n = fread(bytes, 1, sizeof(bytes), in)) > 0)
		if (hprof_output_write(output, bytes, n) < 0)
			break;
	fclose(in);
	if (n > 0)
		export_output_failed(job, hprof_output_error(output));
	return export_output_end(job, output, n > 0 ? CLI_TROUBLE : CLI_FINE);
}

static int export_monitors(const struct prof *p, struct export_job *job,
			   const struct export_form *form)
{
	struct export_stacks stacks = { .measure = MONITOR_NS };
	int status = CLI_TROUBLE;

	if (form == &export_text)
		return copy_text(job);
	stacks.time_ms = (uint64_t)time(NULL) * 1000;
	if (read_monitors(p, &stacks.tree)) {
		job->stacks = &stacks;
		status = form->run(job);
		export_stacks_free(&stacks);
	}
	return status;
}

static int export(const struct prof *p)
{
	const struct profile_output *o = p->output;
	const struct export_form *form = choose_form(o);
	struct progress progress;
	struct export_job job = {
		.in = p->taken->path,
		.out = o->path,
		.quiet = true,
		.force = o->force,
		.weight = o->cpu    ? STACK_SAMPLES
			  : o->live ? STACK_LIVE_BYTES
				    : STACK_ALLOCATED_BYTES,
		.changes = { .size = sizeof(job.changes) },
		.packing = choose_packing(o, form),
		.progress = &progress,
	};
	int status;

	progress_begin(&progress, "hprof-prof", PROGRESS_NEVER);
	output_file_signals(o->path, export_part_remove);
	status = o->monitor ? export_monitors(p, &job, form) : form->run(&job);
	progress_end(&progress);
	return status == CLI_NO ? CLI_FINE : status;
}

static void say_written(const struct prof *p)
{
	cli_message("%s: profile of %.1f s", p->output->path,
		    (double)(p->taken->end_ms - p->taken->start_ms) / 1000);
}

int profile_output_put(const struct profile_output *o,
		       const struct profile_taken *taken)
{
	const struct prof prof = { o, taken };
	const struct prof *p = &prof;
	int status = o->path ? export(p) : CLI_FINE;

	if (status == CLI_FINE && (o->json || (!o->quiet && !o->path)) &&
	    !print_table(p))
		status = CLI_TROUBLE;
	if (status == CLI_FINE && o->path && !o->quiet &&
	    strcmp(o->path, "-") != 0)
		say_written(p);
	return status;
}

bool profile_output_table(const struct profile_output *o,
			  const struct profile_taken *taken)
{
	const struct prof p = { o, taken };

	return print_table(&p);
}

bool profile_output_has_form(unsigned to, bool monitor)
{
	return !monitor || forms[to] != &export_hprof;
}
