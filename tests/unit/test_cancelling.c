/* SPDX-License-Identifier: MIT */
/*
 * test_cancelling.c - every entry, and building a graph, can be cancelled at each call of
 * progress.
 */
#include <criterion/criterion.h>
#include <unistd.h>

#include "../inputs.h"
#include "entries.h"
#include "maker.h"
#include "writing.h"

struct patience {
	unsigned left; /* calls that are answered by true */
	bool over;
};

static bool lose_patience(void *user, const char *phase, uint64_t done,
			  uint64_t total)
{
	struct patience *p = user;

	cr_assert(phase && *phase);
	cr_assert(total == 0 || done <= total, "%s: %llu of %llu", phase,
		  (unsigned long long)done, (unsigned long long)total);
	p->over = p->left == 0;
	p->left -= !p->over;
	return !p->over;
}

/* Cancels at each call of progress; returns their number. */
static unsigned cancel(const struct entry *entry, struct hprof_input input,
		       struct stream *stream)
{
	struct hprof_error error;

	input.progress = lose_patience;
	for (unsigned n = 0;; n++) {
		struct patience patience = { .left = n };
		struct answer a;

		stream->at = 0;
		input.progress_user = &patience;
		a = entry->ask(&input, &error);
		if (!patience.over) {
			cr_assert(a.status >= 0, "%s: %s", entry->name,
				  error.text);
			return n;
		}
		cr_assert_eq(a.status, HPROF_E_CANCELLED, "%s, %u: %d",
			     entry->name, n, a.status);
		cr_assert_eq(error.status, HPROF_E_CANCELLED);
	}
}

static void cancel_all(const struct buffer *bytes, unsigned threads)
{
	for (unsigned i = 0; i < ENTRIES; i++) {
		struct stream stream = { bytes, 0 };
		struct hprof_input input =
			hprof_input_memory(bytes->bytes, bytes->size);

		input.threads = threads;
		cr_expect_gt(cancel(&entries[i], input, &stream), 0, "%s",
			     entries[i].name);
		input = hprof_input_callback(read_stream, &stream);
		input.threads = threads;
		cr_expect_gt(cancel(&entries[i], input, &stream), 0, "%s",
			     entries[i].name);
	}
}

/* Some megabytes, so that each pass calls progress several times. */
static struct buffer some_megabytes(enum hprof_compression compression)
{
	enum { COUNT = 90, SIZE = 100000 };
	const struct hprof_writer_options output = { .size = sizeof output,
						     .compression =
							     compression };
	struct maker m = maker_begin(8);
	struct buffer bytes;

	maker_heap(&m, HPROF_HEAP_DUMP);
	for (unsigned i = 1; i <= COUNT; i++)
		maker_prims(&m, 0x1000 * (uint64_t)i, HPROF_TYPE_BYTE, SIZE);
	maker_heap_end(&m);
	cr_assert_eq(hprof_convert(INPUT_MEMORY(m.out.bytes, m.out.size),
				   "packed", -1, &output, NULL, NULL, NULL),
		     HPROF_OK);
	bytes = read_file("packed");
	unlink("packed");
	buffer_free(&m.out);
	return bytes;
}

static void cancel_form(enum hprof_compression compression)
{
	struct buffer bytes;

	enter_directory();
	bytes = some_megabytes(compression);
	cancel_all(&bytes, 1);
	cancel_all(&bytes, 3);
	buffer_free(&bytes);
}

Test(cancelling, cancel_plain)
{
	cancel_form(HPROF_PLAIN);
}

Test(cancelling, cancel_gzip)
{
	cancel_form(HPROF_GZIP);
}

Test(cancelling, cancel_graph)
{
	struct fixture f = fixture_load("shop_id8");
	struct hprof_graph_options options = { .size = sizeof options,
					       .dominators = true,
					       .edges = true,
					       .progress = lose_patience };
	struct hprof_graph *graph = NULL;
	struct hprof_heap *heap;
	struct hprof_error error;
	unsigned n = 0;

	cr_assert_eq(hprof_heap_open(INPUT_MEMORY(f.bytes, f.size), NULL, &heap,
				     NULL),
		     HPROF_OK);
	for (;; n++) {
		struct patience patience = { .left = n };
		enum hprof_status status;

		options.progress_user = &patience;
		options.threads = 1 + n % 2;
		status = hprof_graph_build(heap, &options, &graph, &error);
		if (!patience.over) {
			cr_assert_eq(status, HPROF_OK);
			break;
		}
		cr_assert_eq(status, HPROF_E_CANCELLED, "%u", n);
		cr_assert_eq(error.status, HPROF_E_CANCELLED);
		cr_assert(!graph);
	}
	cr_expect_gt(n, 5);
	hprof_graph_free(graph);
	hprof_heap_close(heap);
	fixture_free(&f);
}
