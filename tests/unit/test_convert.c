/*
 * test_convert.c - what hprof_convert makes, by each of its options, and what
 * it refuses.
 */
#include "writing.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <hprof/check.h>
#include <hprof/convert.h>
#include <hprof/graph.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checking.h"
#include "maker.h"

#define OPTIONS { .size = sizeof(struct hprof_convert_options) }

/* The fixture NAME as the file "in", in a directory of its own. */
static void make_input(const char *name)
{
	struct fixture f = fixture_load(name);

	unlink("in");
	maker_file("in", f.bytes, f.size);
	fixture_free(&f);
}

/* "in" to "out", which is as it should be. */
static struct hprof_convert_result
converted(const struct hprof_convert_options *options)
{
	struct hprof_convert_result result = { 0 };
	struct hprof_error error = { 0 };
	struct stat info;

	unlink("out");
	cr_assert_eq(hprof_convert("in", "out", -1, NULL, options, &result,
				   &error),
		     HPROF_OK, "%s", error.text);
	cr_assert(!exists("out.part"));
	cr_assert_eq(stat("out", &info), 0);
	cr_assert_eq(result.size, (uint64_t)info.st_size);
	return result;
}

static struct hprof_header header_of(const char *path)
{
	struct hprof_reader *reader;
	struct hprof_header header;

	cr_assert_eq(hprof_reader_open(path, NULL, &reader, NULL), HPROF_OK);
	header = *hprof_reader_header(reader);
	hprof_reader_close(reader);
	return header;
}

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

	cr_assert_eq(hprof_reader_open(path, NULL, &reader, NULL), HPROF_OK);
	while (hprof_reader_next(reader, &r) == HPROF_OK)
		count += r.tag == tag;
	hprof_reader_close(reader);
	return count;
}

/* ---- copies --------------------------------------------------------------- */

Test(convert, copies_are_exact)
{
	static const char *const names[] = { "shop_id8",     "shop_id4",
					     "android",	     "agent",
					     "two_dumps_plain", "minimal" };

	enter_directory();
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		make_input(names[i]);
		cr_assert(converted(NULL).exact, "%s", names[i]);
		cr_assert(same_file("in", "out"), "%s", names[i]);
	}
}

/* A damaged one is whole afterwards, and the faults are counted. */
Test(convert, damaged)
{
	struct hprof_convert_result result;

	enter_directory();
	make_input("cut_array");
	result = converted(NULL);
	cr_assert(!result.exact);
	cr_assert_gt(result.errors, 0);
	cr_assert_eq(result.lost, 0);
	rename("out", "in");
	cr_assert_eq(converted(NULL).errors, 0);
}

/* Of several dumps one is chosen, by number or by name. */
Test(convert, one_of_several)
{
	struct hprof_convert_options o = OPTIONS;

	enter_directory();
	make_input("two_dumps_plain");
	o.dump = 2;
	cr_assert(!converted(&o).exact);
	rename("out", "second");
	cr_assert_eq(hprof_convert("in#2", "out", -1, NULL, NULL, NULL, NULL),
		     HPROF_OK);
	cr_assert(same_file("out", "second"));
	o.dump = 1;
	converted(&o);
	cr_assert(!same_file("out", "second"));
}

Test(convert, to_descriptors)
{
	struct hprof_convert_result result;
	int fd;

	enter_directory();
	make_input("shop_id8");
	fd = open("out", O_RDWR | O_CREAT | O_TRUNC, 0600);
	cr_assert_eq(hprof_convert("in", NULL, fd, NULL, NULL, &result, NULL),
		     HPROF_OK);
	cr_assert(result.exact && same_file("in", "out"));
	cr_assert_eq(close(fd), 0); /* it is the caller's */
}

/* Compressed it is the same dump, and back the same bytes. */
Test(convert, compressed)
{
	enter_directory();
	make_input("shop_id8");
	for (size_t i = 0; i < FORMS; i++) {
		unlink("packed");
		cr_assert_eq(hprof_convert("in", "packed", -1, &forms[i], NULL,
					   NULL, NULL),
			     HPROF_OK);
		unlink("out");
		cr_assert_eq(hprof_convert("packed", "out", -1, NULL, NULL,
					   NULL, NULL),
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
	make_input("shop_id8");
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
	make_input("android");
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
					     "class_not_dumped", "object_twice",
					     "cut_sub", "header_only",
					     "unknown_records", "dangling" };
	struct hprof_convert_options o = OPTIONS;

	enter_directory();
	o.repair = true;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct hprof_check_result *is;
		make_input(names[i]);
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
	make_input("stat-shop");
	o.live = true;
	cr_assert_eq(hprof_heap_open("in", NULL, &heap, NULL), HPROF_OK);
	cr_assert_eq(hprof_graph_build(heap, &how, &graph, NULL), HPROF_OK);
	alive = hprof_graph_totals(graph)->reachable;
	cr_assert_lt(alive, hprof_heap_count(heap));
	hprof_graph_free(graph);
	hprof_heap_close(heap);
	converted(&o);
	cr_assert_eq(hprof_heap_open("out", NULL, &heap, NULL), HPROF_OK);
	cr_assert_eq(hprof_heap_count(heap), alive);
	hprof_heap_close(heap);
}

/* The body of an array, which is there or comes in pieces. */
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
	cr_assert_eq(hprof_reader_open(path, NULL, &reader, NULL), HPROF_OK);
	while (hprof_reader_next(reader, &r) == HPROF_OK) {
		unsigned type = r.u.prim_array_dump.type;
		if (r.tag != HPROF_PRIM_ARRAY_DUMP)
			continue;
		*(type == HPROF_TYPE_BYTE || type == HPROF_TYPE_CHAR ? text :
								       rest) +=
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
	make_input("standard_id8");
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
	make_input("shop_id8");
	o.keep = all;
	o.keep_count = 1;
	converted(&o);
	count_contents("out", &text, &rest);
	cr_assert(text > 0);
}

Test(convert, other_names_and_back)
{
	struct hprof_convert_options o = OPTIONS;
	struct buffer map, out;

	enter_directory();
	make_input("stat-shop");
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

static void count_progress(void *user, uint64_t done, uint64_t total)
{
	unsigned *calls = user;

	cr_assert(total == 0 || done <= total);
	(*calls)++;
}

/* However often the file is read, each fault is told once. */
Test(convert, diagnostics_and_progress)
{
	struct hprof_convert_options o = OPTIONS;
	struct hprof_convert_result result;
	unsigned told[3], calls = 0;

	enter_directory();
	make_input("stat-damaged");
	o.diagnostic = count_told;
	o.user = told;
	o.progress = count_progress;
	o.progress_user = &calls;
	for (unsigned i = 0; i < 3; i++) {
		memset(told, 0, sizeof told);
		o.id_size = i == 1 ? 8 : 0;
		o.format = i == 2 ? HPROF_FORMAT_101 : HPROF_FORMAT_SAME;
		result = converted(&o);
		cr_assert_gt(result.errors, 0);
		cr_assert_eq(told[HPROF_ERROR], result.errors, "%u", i);
		cr_assert_eq(told[HPROF_WARNING], result.warnings, "%u", i);
		cr_assert_eq(told[HPROF_NOTE], result.notes, "%u", i);
	}
	cr_assert_gt(calls, 0);
}

/* ---- what it refuses -------------------------------------------------------- */

/* STATUS, and nothing is written or said. */
static void refused(enum hprof_status status, const char *in, const char *out,
		    const struct hprof_writer_options *output,
		    const struct hprof_convert_options *options)
{
	struct hprof_convert_result result, was;
	struct hprof_error error = { 0 };
	enum hprof_status got;

	memset(&result, 0xa5, sizeof result);
	was = result;
	got = hprof_convert(in, out, -1, output, options, &result, &error);
	cr_assert_eq(got, status, "%d: %s", got, error.text);
	cr_assert_eq(error.status, status);
	cr_assert(error.text[0] != '\0');
	cr_assert_eq(memcmp(&result, &was, sizeof was), 0);
	cr_assert(!exists("out") && !exists("out.part"));
	/* The same without anybody to tell. */
	cr_assert_eq(hprof_convert(in, out, -1, output, options, NULL, NULL),
		     status);
}

static void misused(struct hprof_convert_options o)
{
	refused(HPROF_E_USAGE, "in", "out", NULL, &o);
}

Test(convert, misuse)
{
	static const char *const keep[] = { "A" };
	const struct hprof_convert_options good = OPTIONS;
	struct hprof_writer_options output = { .size = sizeof output };
	struct hprof_convert_options o = good;

	enter_directory();
	make_input("minimal");
	refused(HPROF_E_USAGE, NULL, "out", NULL, NULL);
	refused(HPROF_E_USAGE, "in", NULL, NULL, NULL); /* descriptor -1 */
	o.size = 0;
	misused(o);
	o.size = sizeof o + 8;
	misused(o);
	static const unsigned sizes[] = { 1, 2, 3, 5, 16, UINT32_MAX };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		o = good;
		o.id_size = sizes[i];
		misused(o);
	}
	o = good;
	o.format = (enum hprof_format)(HPROF_FORMAT_102 + 1);
	misused(o);
	o = good;
	o.redact = 4;
	misused(o);
	o = good;
	o.keep = keep;
	o.keep_count = 1; /* of nothing that would be blanked */
	misused(o);
	o = good;
	o.redact = HPROF_REDACT_STRINGS;
	o.keep_count = 1; /* of no list */
	misused(o);
	output.size = 1;
	refused(HPROF_E_USAGE, "in", "out", &output, NULL);
	output.size = sizeof output;
	output.level = 10;
	refused(HPROF_E_USAGE, "in", "out", &output, NULL);
	output.level = 0;
	output.mode = 01000;
	refused(HPROF_E_USAGE, "in", "out", &output, NULL);
}

/* An older, shorter struct has zeros for what came later. */
Test(convert, shorter_options)
{
	struct hprof_convert_options o = OPTIONS;

	enter_directory();
	make_input("shop_id8");
	o.repair = true; /* behind the end of those that count */
	o.size = offsetof(struct hprof_convert_options, live);
	cr_assert(converted(&o).exact);
}

Test(convert, no_input)
{
	struct fixture f = fixture_load("minimal");
	struct hprof_convert_options o = OPTIONS;

	enter_directory();
	refused(HPROF_E_SYS, "none", "out", NULL, NULL);
	maker_file("text", "no dump at all, but long enough to be one", 41);
	refused(HPROF_E_FORMAT, "text", "out", NULL, NULL);
	maker_file("in", f.bytes, f.size);
	o.deobfuscate = "none";
	refused(HPROF_E_SYS, "in", "out", NULL, &o);
	fixture_free(&f);
}

Test(convert, no_output)
{
	struct hprof_writer_options output = { .size = sizeof output,
					       .new_only = true };
	struct hprof_convert_options o = OPTIONS;
	struct hprof_error error;

	enter_directory();
	make_input("minimal");
	refused(HPROF_E_SYS, "in", "none/out", NULL, NULL);
	maker_file("there", "x", 1);
	cr_assert_eq(hprof_convert("in", "there", -1, &output, NULL, NULL,
				   &error),
		     HPROF_E_SYS);
	cr_assert_eq(error.sys_errno, EEXIST);
	o.obfuscate = "there";
	refused(HPROF_E_SYS, "in", "out", NULL, &o);
	cr_assert(exists("there"));
	/* A dump of the name that the part file would have. */
	cr_assert_eq(rename("in", "out.part"), 0);
	cr_assert_eq(hprof_convert("out.part", "out", -1, NULL, NULL, NULL,
				   NULL),
		     HPROF_E_USAGE);
	cr_assert(exists("out.part") && !exists("out"));
}

Test(convert, too_wide)
{
	struct hprof_convert_options o = OPTIONS;

	enter_directory();
	make_input("high_ids_id8");
	o.id_size = 4;
	refused(HPROF_E_LIMIT, "in", "out", NULL, &o);
}

/* Standard input that cannot be read again, with the dump in it. */
static void fill_pipe(void)
{
	struct buffer in = read_file("in");
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(write(ends[1], in.bytes, in.size), (ssize_t)in.size);
	close(ends[1]);
	cr_assert_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	close(ends[0]);
	buffer_free(&in);
}

static void refused_from_pipe(struct hprof_convert_options o)
{
	struct hprof_error error;

	fill_pipe();
	cr_assert_eq(hprof_convert("-", "out", -1, NULL, &o, NULL, &error),
		     HPROF_E_UNSUPPORTED);
	cr_assert_eq(error.status, HPROF_E_UNSUPPORTED);
	cr_assert(!exists("out") && !exists("out.part") && !exists("map") &&
		  !exists("map.part"));
}

Test(convert, pipes)
{
	static const char *const keep[] = { "A" };
	const struct hprof_convert_options good = OPTIONS;
	struct hprof_convert_options o = good;
	struct hprof_convert_result result;

	enter_directory();
	make_input("shop_id8");
	fill_pipe();
	cr_assert_eq(hprof_convert("-", "out", -1, NULL, NULL, &result, NULL),
		     HPROF_OK);
	cr_assert(!result.exact && result.errors == 0);
	unlink("out");
	o.redact = HPROF_REDACT_STRINGS;
	o.id_size = 4;
	fill_pipe();
	cr_assert_eq(hprof_convert("-", "out", -1, NULL, &o, NULL, NULL),
		     HPROF_OK);
	cr_assert_eq(header_of("out").id_size, 4);
	unlink("out");
	o.keep = keep;
	o.keep_count = 1;
	refused_from_pipe(o);
	o = good;
	o.obfuscate = "map";
	refused_from_pipe(o);
	o = good;
	o.live = true;
	refused_from_pipe(o);
	o = good;
	o.repair = true;
	refused_from_pipe(o);
	o = good;
	o.format = HPROF_FORMAT_101;
	refused_from_pipe(o);
}

/* It would be copied to a temporary file as it is. */
Test(convert, alive_redacted_compressed)
{
	struct hprof_convert_options o = OPTIONS;

	enter_directory();
	make_input("shop_id8");
	cr_assert_eq(hprof_convert("in", "in.gz", -1, &forms[1], NULL, NULL,
				   NULL),
		     HPROF_OK);
	o.live = true;
	o.redact = HPROF_REDACT_STRINGS;
	refused(HPROF_E_UNSUPPORTED, "in.gz", "out", NULL, &o);
	converted(&o); /* as a file */
}
