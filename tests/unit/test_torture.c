/* SPDX-License-Identifier: MIT */
/*
 * test_torture.c - the Nth allocation fails, for every N: each call either
 * fails cleanly or does all that it should.
 */
#include "fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "../same.h"
#include "../trace.h"
#include "maker.h"
#include "../inputs.h"
#include "base/mem.h"

static const char *const names[] = { "shop_id8", "unknown_sub", "class_twice",
				     "trailing_garbage", "heap_odd" };
enum {
	NAMES = sizeof names / sizeof *names,
	QUIET = 300,  /* successes in a row: no allocation is left */
	MANY = 100000 /* something is wrong */
};

/* Repeats CALL until failing allocations make no difference any more. */
static void torture(const char *what,
		    enum hprof_status (*call)(void *user,
					      struct hprof_error *error),
		    void *user)
{
	unsigned successes = 0, failures = 0;

	for (int64_t n = 0; successes < QUIET; n++) {
		struct hprof_error error = { 0 };
		cr_assert(n < MANY, "%s", what);
		hp_mem_fail_after(n);
		enum hprof_status status = call(user, &error);
		hp_mem_fail_after(-1);
		if (status >= 0) {
			successes++;
			continue;
		}
		successes = 0;
		failures++;
		cr_assert_eq(status, HPROF_E_NOMEM, "%s, %d: %d", what, (int)n,
			     status);
		cr_assert_eq(error.status, HPROF_E_NOMEM, "%s, %d", what,
			     (int)n);
	}
	cr_expect(failures > 0, "%s: no allocation failed", what);
}

/* ---- the reader ---------------------------------------------------------- */

struct reading {
	const char *path;
	unsigned threads;
	struct hprof_reader_options options;
	struct trace trace, good;
};

static enum hprof_status read_path(void *user, struct hprof_error *error)
{
	struct reading *reading = user;
	struct hprof_reader_options options = reading->options;
	struct hprof_reader *reader;
	enum hprof_status status;

	trace_free(&reading->trace);
	options.diagnostic = trace_diagnostic;
	options.user = &reading->trace;
	status = hprof_reader_open(
		INPUT(.path = reading->path, .threads = reading->threads),
		&options, &reader, error);
	if (status < 0)
		return status;
	trace_read(&reading->trace, reader, true, true);
	status = reading->trace.status;
	*error = *hprof_reader_error(reader);
	hprof_reader_close(reader);
	if (status >= 0 && reading->good.words)
		cr_assert_eq(trace_difference(&reading->trace, &reading->good),
			     SIZE_MAX, "another outcome");
	return status;
}

static void torture_reader(const char *what, const char *path, bool strict,
			   unsigned threads)
{
	struct reading reading = { .path = path, .threads = threads };
	struct hprof_error error;

	reading.options = (struct hprof_reader_options){
		.size = sizeof reading.options,
		.strict = strict,
	};
	if (read_path(&reading, &error) < 0) { /* strict, and damaged */
		trace_free(&reading.trace);
		return;
	}
	reading.good = reading.trace;
	reading.trace = (struct trace){ 0 };
	torture(what, read_path, &reading);
	trace_free(&reading.trace);
	trace_free(&reading.good);
}

/* ---- the summary --------------------------------------------------------- */

struct summing {
	const char *path;
	unsigned threads;
	struct hprof_summary_options options;
	struct hprof_summary *good;
};

static enum hprof_status sum_path(void *user, struct hprof_error *error)
{
	struct summing *summing = user;
	struct hprof_summary *summary;
	enum hprof_status status = hprof_summary_read(
		INPUT(.path = summing->path, .threads = summing->threads),
		&summing->options, &summary, error);

	if (status < 0)
		return status;
	if (!summing->good) {
		summing->good = summary;
		return status;
	}
	hp_mem_fail_after(-1);
	const char *other = summary_difference(summing->good, summary);
	cr_assert(other == NULL, "another %s", other);
	hprof_summary_free(summary);
	return status;
}

static void torture_summary(const char *what, const char *path,
			    unsigned threads)
{
	struct summing summing = { .path = path, .threads = threads };
	struct hprof_error error;

	summing.options = (struct hprof_summary_options){
		.size = sizeof summing.options,
		.objects = true,
	};
	cr_assert(sum_path(&summing, &error) >= 0);
	torture(what, sum_path, &summing);
	hprof_summary_free(summing.good);
}

/* ---- the heap ------------------------------------------------------------ */

struct heaping {
	const char *path;
	unsigned threads;
	uint64_t good; /* a hash of all objects; 0: not known */
};

static void add(uint64_t *sum, uint64_t value)
{
	*sum = (*sum ^ value) * 0x9e3779b97f4a7c15;
}

/* HPROF_END after the last value of the object at the cursor. */
static enum hprof_status ask_object(struct hprof_cursor *cursor, uint64_t *sum)
{
	enum hprof_status status = HPROF_OK;
	struct hprof_edge edge;
	const char *text;

	for (uint64_t i = 0; status == HPROF_OK; i++) {
		status = hprof_cursor_edge(cursor, i, &edge);
		if (status == HPROF_OK)
			add(sum, edge.to_id);
	}
	if (status < 0)
		return status;
	status = hprof_cursor_text(cursor, 0, &text, NULL);
	for (; status == HPROF_OK && *text; text++)
		add(sum, (unsigned char)*text);
	return status < 0 ? status : HPROF_OK;
}

static enum hprof_status ask_all(const struct hprof_heap *heap, uint64_t *sum,
				 struct hprof_error *error)
{
	struct hprof_cursor *cursor;
	struct hprof_object object;
	enum hprof_status status = hprof_cursor_new(heap, &cursor, error);

	if (status < 0)
		return status;
	for (uint64_t i = 0; status >= 0 && i < hprof_heap_count(heap); i++) {
		status = hprof_cursor_seek(cursor, i, &object);
		if (status >= 0)
			status = ask_object(cursor, sum);
		add(sum, object.id);
	}
	if (status < 0)
		*error = *hprof_cursor_error(cursor);
	hprof_cursor_free(cursor);
	return status;
}

static bool add_object(void *user, uint64_t object)
{
	add(user, object);
	return true;
}

static enum hprof_status ask_graph(const struct hprof_heap *heap, uint64_t *sum,
				   struct hprof_error *error)
{
	struct hprof_graph_options options = {
		.size = sizeof options,
		.unreachable = true,
		.dominators = true,
		.referrers = true,
		.strengths = true,
	};
	struct hprof_graph *graph;
	struct hprof_shortest_paths *ways;
	enum hprof_status status =
		hprof_graph_build(heap, &options, &graph, error);

	if (status < 0)
		return status;
	for (uint64_t i = 0; i < hprof_heap_count(heap) && status >= 0; i++) {
		add(sum, hprof_graph_retained(graph, i));
		status =
			hprof_graph_referrers(graph, i, add_object, sum, error);
		if (status >= 0)
			status = hprof_graph_retained_set(graph, i, add_object,
							  sum, error);
	}
	if (status >= 0)
		status = hprof_shortest_paths_build(graph, &ways, error);
	if (status >= 0)
		hprof_shortest_paths_free(ways);
	hprof_graph_free(graph);
	return status;
}

static enum hprof_status open_heap(void *user, struct hprof_error *error)
{
	struct heaping *heaping = user;
	struct hprof_heap *heap;
	uint64_t sum = 1;
	enum hprof_status status = hprof_heap_open(
		INPUT(.path = heaping->path, .threads = heaping->threads), NULL,
		&heap, error);

	if (status < 0)
		return status;
	status = ask_all(heap, &sum, error);
	if (status >= 0)
		status = ask_graph(heap, &sum, error);
	hprof_heap_close(heap);
	if (status < 0)
		return status;
	cr_assert(heaping->good == 0 || heaping->good == sum,
		  "another outcome");
	heaping->good = sum;
	return status;
}

static void torture_heap(const char *what, const char *path, unsigned threads)
{
	struct heaping heaping = { .path = path, .threads = threads };
	struct hprof_error error;

	cr_assert(open_heap(&heaping, &error) >= 0);
	torture(what, open_heap, &heaping);
}

/* ---- files --------------------------------------------------------------- */

static void make_file(const char *path, unsigned i, bool compressed)
{
	struct fixture f = fixture_load(names[i]);

	if (compressed) {
		gzFile file = gzopen(path, "wb");
		cr_assert(file != NULL);
		cr_assert(gzwrite(file, f.bytes, (unsigned)f.size) > 0);
		cr_assert(gzclose(file) == Z_OK);
	} else {
		maker_file(path, f.bytes, f.size);
	}
	fixture_free(&f);
}

static void torture_all(const char *path, bool compressed, unsigned threads)
{
	/* What threads and zlib do depends little on what is read. */
	size_t step = threads > 1 || compressed ? sweep_step(1, 3) : 1;

	for (unsigned i = 0; i < NAMES; i += (unsigned)step) {
		make_file(path, i, compressed);
		torture_reader(names[i], path, false, threads);
		torture_reader(names[i], path, true, threads);
		torture_summary(names[i], path, threads);
		torture_heap(names[i], path, threads);
	}
	unlink(path);
}

Test(torture, plain)
{
	torture_all("plain", false, 1);
}

Test(torture, plain_with_threads)
{
	torture_all("plain2", false, 2);
}

Test(torture, gzip)
{
	torture_all("gzip", true, 1);
}

Test(torture, gzip_with_threads)
{
	torture_all("gzip2", true, 2);
}
