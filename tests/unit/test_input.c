/* SPDX-License-Identifier: MIT */
/*
 * test_input.c - every entry gives the same for every kind of input, can be
 * cancelled at any time, and names what is wrong with an input.
 */
#include "converting.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <hprof.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../inputs.h"
#include "../visit.h"
#include "maker.h"

/* ---- entries -------------------------------------------------------------- */

/* What a function returns: its status, and a hash of its results. */
struct answer {
	enum hprof_status status;
	uint64_t hash;
};

static void mix(struct answer *a, uint64_t value)
{
	a->hash = (a->hash ^ value) * 0x9e3779b97f4a7c15;
	a->hash ^= a->hash >> 29;
}

static void mix_text(struct answer *a, const char *text)
{
	for (; *text; text++)
		mix(a, (unsigned char)*text);
}

static struct answer ask_reader(const struct hprof_input *input,
				struct hprof_error *error)
{
	struct answer a = { 0 };
	struct hprof_reader *reader = NULL;
	struct hprof_reader_info info;
	struct hprof_record record;
	enum hprof_status status;

	a.status = hprof_reader_open(input, NULL, &reader, error);
	if (a.status < 0) {
		cr_assert(!reader, "untouched on failure");
		return a;
	}
	while ((status = hprof_reader_next(reader, &record)) == HPROF_OK) {
		mix(&a, record.tag);
		mix(&a, record.offset);
	}
	hprof_reader_get_info(reader, &info);
	mix(&a, info.errors);
	mix(&a, info.dump);
	if (status < 0) {
		a.status = status;
		*error = *hprof_reader_error(reader);
	}
	hprof_reader_close(reader);
	return a;
}

static struct answer ask_summary(const struct hprof_input *input,
				 struct hprof_error *error)
{
	const struct hprof_summary_options options = { .size = sizeof options,
						       .objects = true };
	struct answer a = { 0 };
	struct hprof_summary *s = NULL;
	struct hprof_loader_table *loaders;

	a.status = hprof_summary_read(input, &options, &s, error);
	if (a.status < 0) {
		cr_assert(!s, "untouched on failure");
		return a;
	}
	mix(&a, s->objects);
	mix(&a, s->shallow);
	mix(&a, s->errors);
	mix(&a, s->class_count);
	if (hprof_summary_loaders(s, &loaders, NULL) == HPROF_OK) {
		mix(&a, loaders->count);
		hprof_loader_table_free(loaders);
	}
	hprof_summary_free(s);
	return a;
}

static struct answer ask_heap(const struct hprof_input *input,
			      struct hprof_error *error)
{
	struct answer a = { 0 };
	struct hprof_heap *heap = NULL;

	a.status = hprof_heap_open(input, NULL, &heap, error);
	if (a.status < 0) {
		cr_assert(!heap, "untouched on failure");
		return a;
	}
	const char *wrong = heap_visit(heap, &a.hash);
	cr_assert(!wrong, "%s", wrong);
	hprof_heap_close(heap);
	return a;
}

static struct answer ask_check(const struct hprof_input *input,
			       struct hprof_error *error)
{
	struct answer a = { 0 };
	struct hprof_check_result *result = NULL;

	a.status = hprof_check(input, NULL, &result, error);
	if (a.status < 0) {
		cr_assert(!result, "untouched on failure");
		return a;
	}
	mix(&a, result->objects);
	mix(&a, result->references);
	for (size_t i = 0; i < result->code_count; i++) {
		mix_text(&a, result->codes[i].code);
		mix(&a, result->codes[i].count);
	}
	hprof_check_result_free(result);
	return a;
}

static int take_bytes(void *user, const void *bytes, size_t size)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < size; i++)
		mix(user, p[i]);
	return 0;
}

static struct answer ask_recipe(const struct hprof_input *input,
				struct hprof_error *error)
{
	struct answer a = { 0 };

	a.status = hprof_recipe_write_input(input, take_bytes, &a, error);
	return a;
}

static struct answer convert_to(const struct hprof_input *input,
				enum hprof_format format,
				struct hprof_error *error)
{
	const struct hprof_convert_options options = { .size = sizeof options,
						       .format = format };
	struct answer a = { 0 };
	struct buffer out;

	a.status = hprof_convert(input, "out", -1, NULL, &options, NULL, error);
	if (a.status < 0) {
		cr_assert(!exists("out") && !exists("out.part"));
		return a;
	}
	out = read_file("out");
	unlink("out");
	take_bytes(&a, out.bytes, out.size);
	buffer_free(&out);
	return a;
}

static struct answer ask_copy(const struct hprof_input *input,
			      struct hprof_error *error)
{
	return convert_to(input, HPROF_FORMAT_SAME, error);
}

static struct answer ask_convert(const struct hprof_input *input,
				 struct hprof_error *error)
{
	return convert_to(input, HPROF_FORMAT_101, error);
}

static const struct entry {
	const char *name;
	struct answer (*ask)(const struct hprof_input *input,
			     struct hprof_error *error);
} entries[] = {
	{ "reader", ask_reader },   { "summary", ask_summary },
	{ "heap", ask_heap },	    { "check", ask_check },
	{ "recipe", ask_recipe },   { "copy", ask_copy },
	{ "convert", ask_convert },
};
enum { ENTRIES = sizeof entries / sizeof *entries };

/* ---- kinds ---------------------------------------------------------------- */

struct stream {
	const struct buffer *bytes;
	size_t at;
};

static int64_t read_stream(void *user, void *buffer, size_t room)
{
	struct stream *s = user;
	size_t n = s->bytes->size - s->at;

	n = n < room ? n : room;
	n = n < 1000 ? n : 1000;
	if (n)
		memcpy(buffer, s->bytes->bytes + s->at, n);
	s->at += n;
	return (int64_t)n;
}

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

/* ---- cancelling ----------------------------------------------------------- */

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

Test(input, cancel_plain)
{
	cancel_form(HPROF_PLAIN);
}

Test(input, cancel_gzip)
{
	cancel_form(HPROF_GZIP);
}

Test(input, cancel_graph)
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
