/* SPDX-License-Identifier: MIT */
/*
 * test_cache.c - what is kept of a dump in a folder: the same answers as
 * without it, and no trust in what is found there.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "fixture.h"
#include "heap/heap.h"
#include "keeping.h"

Test(cache, every_fixture)
{
	unsigned used = 0;
	bool kept;

	for (char **name = fixture_names(); *name; name++) {
		use_fixture(*name);
		uint64_t sum = sum_dump(NULL, &kept);
		cr_expect_eq(sum_dump("kept", &kept), sum, "%s", *name);
		cr_expect_not(kept, "%s", *name);
		cr_expect_eq(sum_dump("kept", &kept), sum, "%s", *name);
		used += kept;
	}
	cr_expect_gt(used, 20);
}

/* ---- files that are not what they were ----------------------------------- */

static const char *const suffixes[] = { ".heap", ".graph", ".paths" };

/*
 * The next place to try: each byte of a header, then samples, since most of a
 * file are tables whose bytes are all alike, and a dump is read for each.
 */
static size_t next_place(size_t place)
{
	enum { HEADER = 512 };

	return place +
	       (place < HEADER ? sweep_step(1, 37) : sweep_step(13, 61));
}

Test(cache, cut_anywhere)
{
	const uint64_t sum = keep("graph");
	bool kept;

	for (unsigned s = 0; s < 3; s++) {
		char *name = strdup(file_named(suffixes[s]));
		size_t size;
		uint8_t *bytes = file_bytes(name, &size);
		for (size_t cut = 0; cut < size; cut = next_place(cut)) {
			write_file(name, bytes, cut);
			cr_expect_eq(sum_dump("kept", &kept), sum,
				     "%s cut at %zu", suffixes[s], cut);
			cr_expect(s == 2 || !kept);
		}
		free(bytes);
		free(name);
	}
}

/* What was read stays, and there is no SIGBUS. */
Test(cache, cut_while_in_use)
{
	const uint64_t sum = keep("graph");
	struct hprof_graph *graph = build_graph("kept");

	cr_assert(graph && hprof_graph_heap(graph)->restored);
	for (unsigned s = 0; s < 3; s++)
		cr_assert_eq(truncate(file_named(suffixes[s]), 0), 0);
	cr_expect_eq(sum_graph(graph), sum);
	free_graph(graph);
}

Test(cache, flipped_anywhere)
{
	const uint64_t sum = keep("graph");
	bool kept;

	for (unsigned s = 0; s < 3; s++) {
		char *name = strdup(file_named(suffixes[s]));
		size_t size;
		uint8_t *bytes = file_bytes(name, &size);
		for (size_t i = 0; i < size; i = next_place(i)) {
			bytes[i] ^= 1u << i % 8;
			write_file(name, bytes, size);
			bytes[i] ^= 1u << i % 8;
			cr_expect_eq(sum_dump("kept", &kept), sum,
				     "%s flipped at %zu", suffixes[s], i);
		}
		free(bytes);
		free(name);
	}
}

/* Fields whose references are not null are named alike with a file and without. */
Test(cache, fields_cut_or_flipped)
{
	keep("graph");
	const uint64_t sum = sum_of_merged(NULL);
	char *name = strdup(file_named(".fields"));
	size_t size;
	uint8_t *bytes = file_bytes(name, &size);

	cr_assert(sum);
	cr_expect_eq(sum_of_merged("kept"), sum);
	for (size_t i = 0; i < size; i = next_place(i)) {
		write_file(name, bytes, i);
		cr_expect_eq(sum_of_merged("kept"), sum, "cut at %zu", i);
		bytes[i] ^= 1u << i % 8;
		write_file(name, bytes, size);
		bytes[i] ^= 1u << i % 8;
		cr_expect_eq(sum_of_merged("kept"), sum, "flipped at %zu", i);
	}
	free(bytes);
	free(name);
}

Test(cache, of_another_dump)
{
	uint64_t sum = keep("graph"), other;
	char *name = strdup(file_named(".graph"));
	size_t size;
	uint8_t *bytes = file_bytes(name, &size);
	bool kept;

	unlink(name);
	other = keep("stat-shop");
	cr_assert_neq(sum, other);
	write_file(file_named(".graph"), bytes, size);
	cr_expect_eq(sum_dump("kept", &kept), other);
	cr_expect_not(kept);
	free(bytes);
	free(name);
}

Test(cache, only_private_files)
{
	const uint64_t sum = keep("graph");
	char *name = file_named(".heap");
	bool kept;

	chmod(name, 0620);
	cr_expect_eq(sum_dump("kept", &kept), sum);
	cr_expect_not(kept);
	/* It was replaced by one that is private. */
	cr_expect_eq(sum_dump("kept", &kept), sum);
	cr_expect(kept);
	rename(name, "elsewhere");
	cr_assert_eq(symlink("../elsewhere", name), 0);
	cr_expect_eq(sum_dump("kept", &kept), sum);
	cr_expect_not(kept);
}

/* Without memory there is no file, and no answer is lost but for that. */
Test(cache, no_memory)
{
	bool kept;
	const uint64_t sum = keep("graph");

	for (int64_t n = 0; n < 400; n++) {
		const struct hprof_heap_options how = { .size = sizeof how,
							.cache = "kept" };
		struct hprof_input input = hprof_input_path("dump.hprof");
		struct hprof_heap *heap = NULL;
		input.threads = 1;
		hp_mem_fail_after(n);
		enum hprof_status status =
			hprof_heap_open(&input, &how, &heap, NULL);
		hp_mem_fail_after(-1);
		cr_expect(status == HPROF_OK || status == HPROF_E_NOMEM);
		hprof_heap_close(heap);
	}
	cr_expect_eq(sum_dump("kept", &kept), sum);
}
