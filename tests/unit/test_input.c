/* SPDX-License-Identifier: MIT */
/*
 * test_input.c - every entry gives the same for every kind of input, and names what is
 * wrong with an input.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../inputs.h"
#include "entries.h"
#include "maker.h"
#include "writing.h"

enum way {
	MEMORY,
	PATH,
	NUMBERED_PATH,
	FILE_FD,
	LATE_FD,
	PIPE_FD,
	CALLBACK,
	WAYS
};
enum { PIPE_ROOM = 60000 };

/* A descriptor with BYTES; for LATE_FD a file that does not stand at 0. */
static int descriptor(enum way way, const struct buffer *bytes)
{
	int ends[2];

	if (way == PIPE_FD) {
		cr_assert_eq(pipe(ends), 0);
		cr_assert_eq(write(ends[1], bytes->bytes, bytes->size),
			     (ssize_t)bytes->size);
		close(ends[1]);
		return ends[0];
	}
	int fd = open("fd", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	cr_assert(way != LATE_FD || write(fd, "before", 6) == 6);
	cr_assert_eq(write(fd, bytes->bytes, bytes->size),
		     (ssize_t)bytes->size);
	cr_assert(lseek(fd, way == LATE_FD ? 6 : 0, SEEK_SET) >= 0);
	return fd;
}

static struct answer ask_by(const struct entry *entry, enum way way,
			    const struct buffer *bytes, unsigned threads)
{
	struct stream stream = { bytes, 0 };
	struct hprof_input input = hprof_input_callback(read_stream, &stream);
	struct hprof_error error = { 0 };
	struct answer a;
	int fd = -1;

	if (way == MEMORY)
		input = hprof_input_memory(bytes->bytes, bytes->size);
	else if (way == PATH || way == NUMBERED_PATH)
		input = hprof_input_path(
			maker_file("path", bytes->bytes, bytes->size));
	else if (way != CALLBACK)
		input = hprof_input_fd(fd = descriptor(way, bytes));
	/* A recipe is of all dumps. */
	if (way == NUMBERED_PATH && entry->ask != ask_recipe &&
	    entry->ask != ask_copy)
		input.path = "path#1";
	input.threads = threads;
	a = entry->ask(&input, &error);
	cr_assert(a.status >= 0 || error.status == a.status);
	cr_assert(fd < 0 || close(fd) == 0, "the descriptor stays open");
	return a;
}

static void check_all_ways(const char *name, const char *form,
			   const struct buffer *bytes,
			   const struct answer *expected)
{
	for (unsigned i = 0; i < WAYS * ENTRIES; i++) {
		enum way way = (enum way)(i % WAYS);
		const struct entry *entry = &entries[i / WAYS];
		const struct answer *good = &expected[i / WAYS];

		if (way == PIPE_FD && bytes->size > PIPE_ROOM)
			continue;
		for (unsigned threads = 1; threads <= 2; threads++) {
			struct answer a = ask_by(entry, way, bytes, threads);
			cr_expect(a.status == good->status &&
					  a.hash == good->hash,
				  "%s of %s, %s, way %u, %u threads: %d",
				  entry->name, name, form, way, threads,
				  a.status);
		}
	}
}

static void check_fixture_ways(const char *name)
{
	static const enum hprof_compression packed[] = { HPROF_GZIP,
							 HPROF_ZSTD };
	struct fixture f = fixture_load(name);
	struct buffer plain = { 0 };
	struct answer expected[ENTRIES];

	buffer_add(&plain, f.bytes, f.size);
	for (unsigned i = 0; i < ENTRIES; i++) {
		expected[i] = ask_by(&entries[i], MEMORY, &plain, 1);
		cr_assert(expected[i].status >= 0, "%s", entries[i].name);
	}
	check_all_ways(name, "plain", &plain, expected);
	for (unsigned i = 0; i < 2; i++) {
		const struct hprof_writer_options output = {
			.size = sizeof output, .compression = packed[i]
		};
		cr_assert_eq(hprof_convert(INPUT_MEMORY(f.bytes, f.size),
					   "packed", -1, &output, NULL, NULL,
					   NULL),
			     HPROF_OK);
		struct buffer bytes = read_file("packed");
		unlink("packed");
		check_all_ways(name, i ? "zstd" : "gzip", &bytes, expected);
		buffer_free(&bytes);
	}
	buffer_free(&plain);
	fixture_free(&f);
}

/* Twice where it takes that: instances before classes, references to nothing. */
Test(input, all_kinds_give_the_same)
{
	enter_directory();
	check_fixture_ways("check-late");
	check_fixture_ways("shop_id8");
	check_fixture_ways("dangling");
}

Test(input, assembles_from_all_kinds)
{
	static const char text[] = "header \"JAVA PROFILE 1.0.2\"\n"
				   "UTF8 string_id=1 text=\"a\"\n";
	struct answer good = { 0 };
	struct buffer recipe = { 0 };

	enter_directory();
	buffer_add(&recipe, text, sizeof text - 1);
	cr_assert_eq(hprof_recipe_assemble(text, sizeof text - 1, take_bytes,
					   &good, NULL),
		     HPROF_OK);
	for (enum way way = MEMORY; way < WAYS; way++) {
		struct stream stream = { &recipe, 0 };
		struct hprof_input input =
			hprof_input_callback(read_stream, &stream);
		struct answer a = { 0 };
		int fd = -1;

		if (way == MEMORY)
			input = hprof_input_memory(recipe.bytes, recipe.size);
		else if (way == PATH || way == NUMBERED_PATH)
			input = hprof_input_path(
				maker_file("recipe", text, sizeof text - 1));
		else if (way != CALLBACK)
			input = hprof_input_fd(fd = descriptor(way, &recipe));
		/* An input that can be read only once is not touched. */
		cr_expect_eq(hprof_recipe_is(&input), way <= FILE_FD, "%u",
			     way);
		cr_expect_eq(hprof_recipe_assemble_input(&input, take_bytes, &a,
							 NULL),
			     HPROF_OK, "%u", way);
		cr_expect_eq(a.hash, good.hash, "%u", way);
		if (fd >= 0)
			close(fd);
	}
	buffer_free(&recipe);
}

/* With no_copy, an input that can be read only once is not copied. */
Test(input, no_copy)
{
	struct fixture f = fixture_load("check-late");
	struct buffer bytes = { 0 };
	struct hprof_error error;

	enter_directory();
	buffer_add(&bytes, f.bytes, f.size);
	for (unsigned i = 0; i < ENTRIES; i++) {
		struct stream stream = { &bytes, 0 };
		struct hprof_input input =
			hprof_input_callback(read_stream, &stream);
		enum hprof_status status;

		input.no_copy = true;
		setenv("TMPDIR", "/there/is/no/such/folder", 1);
		status = entries[i].ask(&input, &error).status;
		if (entries[i].ask == ask_heap || entries[i].ask == ask_convert)
			cr_expect_eq(status, HPROF_E_UNSUPPORTED, "%s",
				     entries[i].name);
		else
			cr_expect(status >= 0, "%s: %s", entries[i].name,
				  error.text);
	}
	buffer_free(&bytes);
	fixture_free(&f);
}

/* ---- wrong inputs --------------------------------------------------------- */

Test(input, wrong)
{
	static const struct {
		struct hprof_input input;
		const char *text;
	} wrong[] = {
		{ { .size = 4 }, "argument input: size" },
		{ { .size = sizeof(struct hprof_input), .path = NULL },
		  "argument input: path is NULL" },
		{ { .size = sizeof(struct hprof_input),
		    .kind = (enum hprof_input_kind)9,
		    .path = "x" },
		  "argument input: kind" },
		{ { .size = sizeof(struct hprof_input),
		    .kind = HPROF_INPUT_FD,
		    .fd = -1 },
		  "argument input: fd is negative" },
		{ { .size = sizeof(struct hprof_input),
		    .kind = HPROF_INPUT_MEMORY,
		    .byte_count = 1 },
		  "argument input: bytes is NULL" },
		{ { .size = sizeof(struct hprof_input),
		    .kind = HPROF_INPUT_MEMORY,
		    .bytes = "x",
		    .byte_count = UINT64_MAX },
		  "argument input: byte_count" },
		{ { .size = sizeof(struct hprof_input),
		    .kind = HPROF_INPUT_CALLBACK },
		  "argument input: read is NULL" },
		{ { .size = sizeof(struct hprof_input),
		    .path = "x",
		    .reserved = { 1 } },
		  "argument input: reserved" },
	};

	enter_directory();
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong * ENTRIES; i++) {
		const struct entry *entry = &entries[i % ENTRIES];
		struct hprof_error error = { 0 };

		cr_expect_eq(
			entry->ask(&wrong[i / ENTRIES].input, &error).status,
			HPROF_E_USAGE, "%s, %u", entry->name, i / ENTRIES);
		cr_expect(strstr(error.text, wrong[i / ENTRIES].text) ==
				  error.text,
			  "%s, %u: %s", entry->name, i / ENTRIES, error.text);
		cr_expect_eq(entry->ask(NULL, &error).status, HPROF_E_USAGE);
		cr_expect_str_eq(error.text, "argument input: is NULL");
	}
}
