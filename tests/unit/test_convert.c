/* SPDX-License-Identifier: MIT */
/*
 * test_convert.c - what hprof_convert makes, by each of its options.
 */
#include "converting.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <hprof/check.h>
#include <hprof/convert.h>
#include <hprof/graph.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "checking.h"
#include "../inputs.h"
#include "maker.h"

static bool same_file(const char *a, const char *b)
{
	struct buffer left = read_file(a), right = read_file(b);
	bool equal = same(&left, &right);

	buffer_free(&left);
	buffer_free(&right);
	return equal;
}

/* How many records of TAG there are. */
static unsigned count_records(const char *path, unsigned tag)
{
	struct hprof_reader *reader;
	struct hprof_record r;
	unsigned count = 0;

	cr_assert_eq(hprof_reader_open(INPUT_PATH(path), NULL, &reader, NULL),
		     HPROF_OK);
	while (hprof_reader_next(reader, &r) == HPROF_OK)
		count += r.tag == tag;
	hprof_reader_close(reader);
	return count;
}

/* ---- copies --------------------------------------------------------------- */

Test(convert, copies_are_exact)
{
	static const char *const names[] = { "shop_id8",	"shop_id4",
					     "android",		"agent",
					     "two_dumps_plain", "minimal" };

	enter_directory();
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		put_input(names[i]);
		cr_assert(converted(NULL).exact, "%s", names[i]);
		cr_assert(same_file("in", "out"), "%s", names[i]);
	}
}

/* A damaged dump becomes a complete one, and its faults are counted. */
Test(convert, damaged)
{
	struct hprof_convert_result result = RESULT;

	enter_directory();
	put_input("cut_array");
	result = converted(NULL);
	cr_assert(!result.exact);
	cr_assert_gt(result.errors, 0);
	cr_assert_eq(result.lost, 0);
	rename("out", "in");
	cr_assert_eq(converted(NULL).errors, 0);
}

static void convert_dump(unsigned dump)
{
	struct hprof_convert_result result = RESULT;

	unlink("out");
	cr_assert_eq(hprof_convert(INPUT(.path = "in", .dump = dump), "out", -1,
				   NULL, NULL, &result, NULL),
		     HPROF_OK);
	cr_assert(!result.exact);
}

/* Of several dumps one is chosen, by number or by name. */
Test(convert, one_of_several)
{
	enter_directory();
	put_input("two_dumps_plain");
	convert_dump(2);
	rename("out", "second");
	cr_assert_eq(hprof_convert(INPUT_PATH("in#2"), "out", -1, NULL, NULL,
				   NULL, NULL),
		     HPROF_OK);
	cr_assert(same_file("out", "second"));
	convert_dump(1);
	cr_assert(!same_file("out", "second"));
}

Test(convert, to_descriptors)
{
	struct hprof_convert_result result = RESULT;
	int fd;

	enter_directory();
	put_input("shop_id8");
	fd = open("out", O_RDWR | O_CREAT | O_TRUNC, 0600);
	cr_assert_eq(hprof_convert(INPUT_PATH("in"), NULL, fd, NULL, NULL,
				   &result, NULL),
		     HPROF_OK);
	cr_assert(result.exact && same_file("in", "out"));
	cr_assert_eq(close(fd), 0); /* it is the caller's */
}

/* Compressing keeps the dump; decompressing gives the same bytes. */
Test(convert, compressed)
{
	enter_directory();
	put_input("shop_id8");
	for (size_t i = 0; i < FORMS; i++) {
		unlink("packed");
		cr_assert_eq(hprof_convert(INPUT_PATH("in"), "packed", -1,
					   &forms[i], NULL, NULL, NULL),
			     HPROF_OK);
		unlink("out");
		cr_assert_eq(hprof_convert(INPUT_PATH("packed"), "out", -1,
					   NULL, NULL, NULL, NULL),
			     HPROF_OK);
		cr_assert(same_file("in", "out"), "%zu", i);
	}
}

/* ---- what changes ---------------------------------------------------------- */

Test(convert, widths_of_identifiers)
{
	struct hprof_convert_options o = OPTIONS;
	struct hprof_check_result *was, *is;

	enter_directory();
	put_input("shop_id8");
	was = check_path("in", 0);
	o.id_size = 4;
	cr_assert(!converted(&o).exact);
	cr_assert_eq(header_of("out").id_size, 4);
	is = check_path("out", 0);
	cr_assert_eq(is->objects, was->objects);
	cr_assert_eq(is->references, was->references);
	cr_assert_eq(is->errors, 0);
	hprof_check_result_free(is);
	/* Back again. */
	rename("out", "in");
	o.id_size = 8;
	converted(&o);
	cr_assert_eq(header_of("out").id_size, 8);
	is = check_path("out", 0);
	cr_assert_eq(is->references, was->references);
	hprof_check_result_free(is);
	hprof_check_result_free(was);
}

Test(convert, versions)
{
	struct hprof_convert_options o = OPTIONS;

	enter_directory();
	put_input("android");
	cr_assert_gt(count_records("in", HPROF_HEAP_DUMP_INFO), 0);
	o.format = HPROF_FORMAT_102;
	converted(&o);
	cr_assert_str_eq(header_of("out").version, "JAVA PROFILE 1.0.2");
	cr_assert_eq(count_records("out", HPROF_HEAP_DUMP_INFO), 0);
	o.format = HPROF_FORMAT_101;
	converted(&o);
	cr_assert_str_eq(header_of("out").version, "JAVA PROFILE 1.0.1");
	cr_assert_eq(count_records("out", HPROF_HEAP_DUMP), 1);
	cr_assert_eq(count_records("out", HPROF_HEAP_DUMP_SEGMENT), 0);
	o = (struct hprof_convert_options)OPTIONS;
	o.no_zygote = true;
	converted(&o);
	cr_assert_lt(count_records("out", HPROF_INSTANCE_DUMP) +
			     count_records("out", HPROF_PRIM_ARRAY_DUMP),
		     count_records("in", HPROF_INSTANCE_DUMP) +
			     count_records("in", HPROF_PRIM_ARRAY_DUMP));
}

Test(convert, repaired)
{
	static const char *const names[] = { "order_objects_first",
					     "class_not_dumped",
					     "object_twice",
					     "cut_sub",
					     "header_only",
					     "unknown_records",
					     "dangling" };
	struct hprof_convert_options o = OPTIONS;

	enter_directory();
	o.repair = true;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct hprof_check_result *is;
		put_input(names[i]);
		converted(&o);
		is = check_path("out", ALL);
		cr_expect_eq(is->errors, 0, "%s: %s", names[i],
			     is->code_count ? is->codes[0].code : "");
		hprof_check_result_free(is);
	}
}

Test(convert, alive)
{
	struct hprof_convert_options o = OPTIONS;
	struct hprof_graph_options how = {
		.size = sizeof how, .hold = HPROF_HOLD_SOFT | HPROF_HOLD_FINAL
	};
	struct hprof_heap *heap;
	struct hprof_graph *graph;
	uint64_t alive;

	enter_directory();
	put_input("stat-shop");
	o.live = true;
	cr_assert_eq(hprof_heap_open(INPUT_PATH("in"), NULL, &heap, NULL),
		     HPROF_OK);
	cr_assert_eq(hprof_graph_build(heap, &how, &graph, NULL), HPROF_OK);
	alive = hprof_graph_totals(graph)->reachable;
	cr_assert_lt(alive, hprof_heap_count(heap));
	hprof_graph_free(graph);
	hprof_heap_close(heap);
	converted(&o);
	cr_assert_eq(hprof_heap_open(INPUT_PATH("out"), NULL, &heap, NULL),
		     HPROF_OK);
	cr_assert_eq(hprof_heap_count(heap), alive);
	hprof_heap_close(heap);
}

/* The body of an array, in memory or read in pieces. */
static unsigned count_bytes(struct hprof_reader *reader,
			    const struct hprof_bytes *elements)
{
	uint8_t piece[256];
	const uint8_t *p = elements->data;
	size_t n = p ? (size_t)elements->size : 0;
	unsigned count = 0;

	do {
		for (size_t i = 0; i < n; i++)
			count += p[i] != 0;
		p = piece;
	} while (!elements->data &&
		 hprof_reader_body(reader, piece, sizeof piece, &n) ==
			 HPROF_OK &&
		 n);
	return count;
}

/* Bytes of primitive arrays that are not 0: text, and the others. */
static void count_contents(const char *path, unsigned *text, unsigned *rest)
{
	struct hprof_reader *reader;
	struct hprof_record r;

	*text = *rest = 0;
	cr_assert_eq(hprof_reader_open(INPUT_PATH(path), NULL, &reader, NULL),
		     HPROF_OK);
	while (hprof_reader_next(reader, &r) == HPROF_OK) {
		unsigned type = r.u.prim_array_dump.type;
		if (r.tag != HPROF_PRIM_ARRAY_DUMP)
			continue;
		*(type == HPROF_TYPE_BYTE || type == HPROF_TYPE_CHAR ? text
								     : rest) +=
			count_bytes(reader, &r.u.prim_array_dump.elements);
	}
	hprof_reader_close(reader);
}

Test(convert, redacted)
{
	static const char *const all[] = { "*" };
	struct hprof_convert_options o = OPTIONS;
	unsigned had_text, had_rest, text, rest;

	enter_directory();
	put_input("standard_id8");
	count_contents("in", &had_text, &had_rest);
	cr_assert(had_text && had_rest);
	o.redact = HPROF_REDACT_STRINGS;
	converted(&o);
	count_contents("out", &text, &rest);
	cr_assert(text == 0 && rest == had_rest);
	o.redact = HPROF_REDACT_PRIMITIVES;
	converted(&o);
	count_contents("out", &text, &rest);
	cr_assert(text == had_text && rest == 0);
	o.redact |= HPROF_REDACT_STRINGS;
	converted(&o);
	count_contents("out", &text, &rest);
	cr_assert(text == 0 && rest == 0);
	put_input("shop_id8");
	o.keep = all;
	o.keep_count = 1;
	converted(&o);
	count_contents("out", &text, &rest);
	cr_assert(text > 0);
}

/* ---- to a writer ------------------------------------------------------------- */

/* What convert_into made of BYTES: as a file that the caller finished. */
static struct hprof_convert_result into_writer(const void *bytes, size_t size,
					       struct hprof_convert_options o)
{
	struct hprof_convert_result result = RESULT;
	const struct hprof_input input = hprof_input_memory(bytes, size);
	struct hprof_writer *writer;
	struct hprof_error error = { 0 };

	unlink("out");
	cr_assert_eq(hprof_writer_create("out", NULL, &writer, NULL), HPROF_OK);
	cr_assert_eq(hprof_convert_into(&input, writer, &o, &result, &error),
		     HPROF_OK, "%s", error.text);
	cr_assert(!exists("out"), "the caller finishes it");
	cr_assert_eq(hprof_writer_finish(writer), HPROF_OK);
	hprof_writer_free(writer);
	return result;
}

Test(convert, into_a_writer)
{
	struct fixture f = fixture_load("shop_id8");
	struct hprof_convert_options o = OPTIONS;
	struct hprof_convert_result whole, cut;
	struct hprof_check_result *check;

	enter_directory();
	o.redact = HPROF_REDACT_STRINGS;
	whole = into_writer(f.bytes, f.size, o);
	cr_assert(whole.complete);
	cr_assert_eq(whole.errors, 0);
	check = check_path("out", 0);
	cr_assert_eq(whole.objects, check->objects);
	cr_assert_eq(check->errors, 0);
	hprof_check_result_free(check);
	cut = into_writer(f.bytes, f.size - 40, o);
	cr_assert(!cut.complete || cut.errors > 0);
	fixture_free(&f);
}

/* The second of two dumps is not read. */
Test(convert, to_the_end_of_a_heap)
{
	struct fixture f = fixture_load("shop_id8");
	struct hprof_convert_options o = OPTIONS;
	struct hprof_convert_result once;
	uint8_t *more = malloc(f.size + 4);

	enter_directory();
	memcpy(more, f.bytes, f.size);
	memcpy(more + f.size, "\xff\xff\xff", 4); /* no record */
	o.to_heap_end = true;
	once = into_writer(more, f.size + 4, o);
	cr_assert(once.complete);
	cr_assert_eq(once.errors, 0);
	o.to_heap_end = false;
	cr_assert(into_writer(more, f.size + 4, o).errors +
			  into_writer(more, f.size + 4, o).warnings >
		  0);
	free(more);
	fixture_free(&f);
}

Test(convert, no_writer_for_it)
{
	const struct hprof_writer_options exact = { .size = sizeof exact,
						    .exact = true };
	struct hprof_convert_options o = OPTIONS;
	struct hprof_writer *writer;

	enter_directory();
	put_input("shop_id8");
	cr_assert_eq(hprof_writer_create("out", &exact, &writer, NULL),
		     HPROF_OK);
	cr_assert_eq(
		hprof_convert_into(INPUT_PATH("in"), writer, &o, NULL, NULL),
		HPROF_E_USAGE);
	hprof_writer_free(writer);
	cr_assert_eq(hprof_writer_create("out", NULL, &writer, NULL), HPROF_OK);
	o.format = HPROF_FORMAT_101;
	cr_assert_eq(
		hprof_convert_into(INPUT_PATH("in"), writer, &o, NULL, NULL),
		HPROF_E_USAGE);
	hprof_writer_free(writer);
}

Test(convert, other_names_and_back)
{
	struct hprof_convert_options o = OPTIONS;
	struct buffer map, out;

	enter_directory();
	put_input("stat-shop");
	o.obfuscate = "map";
	converted(&o);
	map = read_file("map");
	out = read_file("out");
	cr_assert_not_null(memmem(map.bytes, map.size, "acme", 4));
	cr_assert_null(memmem(out.bytes, out.size, "com/acme", 8));
	buffer_free(&map);
	buffer_free(&out);
	cr_assert_eq(rename("out", "in"), 0);
	o.obfuscate = NULL;
	o.deobfuscate = "map";
	converted(&o);
	out = read_file("out");
	cr_assert_not_null(memmem(out.bytes, out.size, "com/acme", 8));
	buffer_free(&out);
}

/* ---- what it says meanwhile ------------------------------------------------ */

static void count_told(void *user, const struct hprof_diagnostic *diagnostic)
{
	unsigned *told = user;

	told[diagnostic->severity]++;
}

static bool count_progress(void *user, const char *phase, uint64_t done,
			   uint64_t total)
{
	unsigned *calls = user;

	cr_assert(phase && *phase);
	cr_assert(total == 0 || done <= total);
	(*calls)++;
	return true;
}

/* Each fault is reported once, however often the file is read. */
Test(convert, diagnostics_and_progress)
{
	struct hprof_convert_options o = OPTIONS;
	struct hprof_convert_result result = RESULT;
	unsigned told[3], calls = 0;

	enter_directory();
	put_input("stat-damaged");
	o.diagnostic = count_told;
	o.user = told;
	for (unsigned i = 0; i < 3; i++) {
		memset(told, 0, sizeof told);
		o.id_size = i == 1 ? 8 : 0;
		o.format = i == 2 ? HPROF_FORMAT_101 : HPROF_FORMAT_SAME;
		cr_assert_eq(hprof_convert(INPUT(.path = "in",
						 .progress = count_progress,
						 .progress_user = &calls),
					   "out", -1, NULL, &o, &result, NULL),
			     HPROF_OK);
		cr_assert_gt(result.errors, 0);
		cr_assert_eq(told[HPROF_ERROR], result.errors, "%u", i);
		cr_assert_eq(told[HPROF_WARNING], result.warnings, "%u", i);
		cr_assert_eq(told[HPROF_NOTE], result.notes, "%u", i);
	}
	cr_assert_gt(calls, 0);
}
