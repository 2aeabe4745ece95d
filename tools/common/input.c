/* SPDX-License-Identifier: MIT */
/*
 * input.c - see input.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cache_folder.h"
#include "tools/common/input.h"

/*
 * Static, since the passes of a heap report to it as long as the heap is open.
 */
static struct progress progress;

void input_print_failure(const char *path, enum hprof_status status,
			 const struct hprof_error *error)
{
	bool in_dump = status == HPROF_E_CORRUPT || status == HPROF_E_TRUNCATED;

	if (in_dump && error->offset != UINT64_MAX)
		cli_message("%s: 0x%" PRIx64 ": error: %s", path, error->offset,
			    error->text);
	else
		cli_message("%s: %s%s", path, error->text,
			    status == HPROF_E_AMBIGUOUS ? " (by --member)"
							: "");
}

void input_words_check(const struct input_words *words)
{
	uint64_t alignment = words->alignment.value;

	if (alignment & (alignment - 1))
		cli_usage_error("option '--align': %llu is not a power of two",
				(unsigned long long)alignment);
}

struct input_options input_words_take(const struct input_words *words,
				      const char *program)
{
	struct input_options how = {
		.program = program,
		.quiet = words->quiet,
		.progress = (enum progress_when)words->progress.value,
		.member = words->member,
		.threads = (unsigned)words->jobs.value,
		.cache = words->cache,
		.heap = {
			.strict = words->strict,
			.sizes = (enum hprof_sizes)words->sizes.value,
			.header = (unsigned)words->header.value,
			.alignment = (unsigned)words->alignment.value,
		},
		.graph = {
			.threads = (unsigned)words->jobs.value,
			.hold = input_hold(words->soft, words->weak),
			.memory = words->memory.value,
		},
	};

	if (words->ref_width.given)
		how.heap.ref_width = words->ref_width.value ? 8 : 4;
	return how;
}

/* The copy may need as much room as the dump without compression. */
void input_say_copying(void *user, const char *folder)
{
	cli_message("%s: is copied to a temporary file in '%s', since it is "
		    "read twice",
		    (const char *)user, folder);
}

bool input_is_file(const char *path, struct stat *ret)
{
	const char *mark = strrchr(path, '#');
	char *file;
	bool found = stat(path, ret) == 0;

	if (!found && mark) {
		file = cli_strdup(path);
		file[mark - path] = '\0';
		found = stat(file, ret) == 0;
		free(file);
	}
	return found && S_ISREG(ret->st_mode);
}

struct hprof_input input_make(const char *path,
			      const struct input_options *options)
{
	struct hprof_input input = hprof_input_path(path);

	input.member = options->member;
	input.threads = options->threads;
	return input;
}

/* The folder that things are kept in; empty: nothing has to be said about it. */
static char kept_in[512];

void input_note_cache(const struct hprof_heap *heap)
{
	int failure = hprof_heap_cache_failure(heap);

	if (failure && *kept_in)
		cli_message("%s: %s; not everything is kept", kept_in,
			    strerror(failure));
	if (failure)
		*kept_in = 0;
}

struct hprof_heap *input_heap(const char *path,
			      const struct input_options *options)
{
	struct hprof_input input = input_make(path, options);
	struct hprof_heap_options how = options->heap;
	struct hprof_error error = { 0 };
	struct hprof_heap *heap = NULL;
	enum hprof_status status;

	char *cache =
		options->cache ? cache_folder(options->cache, path) : NULL;

	how.size = sizeof(how);
	how.cache = cache;
	input.progress = progress_phase;
	input.progress_user = &progress;
	how.copying = options->quiet ? NULL : input_say_copying;
	how.copying_user = (void *)(uintptr_t)path;
	progress_begin(&progress, options->program, options->progress);
	status = hprof_heap_open(&input, &how, &heap, &error);
	progress_end(&progress);
	snprintf(kept_in, sizeof kept_in, "%s",
		 cache && !options->quiet ? cache : "");
	free(cache);
	if (status >= 0) {
		input_note_cache(heap);
		return heap;
	}
	input_print_failure(path, status, &error);
	return NULL;
}

struct hprof_graph *input_graph(const char *path, const struct hprof_heap *heap,
				const struct input_options *options)
{
	struct hprof_graph_options how = options->graph;
	struct hprof_error error = { 0 };
	struct hprof_graph *graph = NULL;
	enum hprof_status status;

	how.size = sizeof(how);
	how.progress = progress_phase;
	how.progress_user = &progress;
	progress_begin(&progress, options->program, options->progress);
	status = hprof_graph_build(heap, &how, &graph, &error);
	progress_end(&progress);
	if (status >= 0) {
		input_note_cache(heap);
		return graph;
	}
	input_print_failure(path, status, &error);
	return NULL;
}

unsigned input_hold(bool soft, bool weak)
{
	unsigned hold = soft ? HPROF_HOLD_SOFT : 0;

	if (weak)
		hold |= HPROF_HOLD_SOFT | HPROF_HOLD_WEAK | HPROF_HOLD_PHANTOM |
			HPROF_HOLD_FINAL;
	return hold;
}
