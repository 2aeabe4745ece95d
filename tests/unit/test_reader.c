/* SPDX-License-Identifier: MIT */
/*
 * test_reader.c - what the reader yields of each recipe: how many records,
 * which diagnostics and where; all ways to open a dump; long bodies.
 */
#include "fixture.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../trace.h"
#include "../inputs.h"
#include "maker.h"

/* ---- every recipe -------------------------------------------------------- */

struct outcome {
	unsigned records, subs;
	char said[512]; /* "code@offset " ..., offset - if none */
	struct hprof_reader_info info;
	enum hprof_status status;
};

static void note(void *user, const struct hprof_diagnostic *d)
{
	struct outcome *outcome = user;
	size_t at = strlen(outcome->said);

	cr_assert(d->text[0] != '\0');
	cr_assert(d->text[strlen(d->text) - 1] != '.');
	snprintf(outcome->said + at, sizeof outcome->said - at, "%s%s@%lld",
		 at ? " " : "", d->code, (long long)d->offset);
}

static struct hprof_reader_options options_for(struct outcome *outcome)
{
	return (struct hprof_reader_options){
		.size = sizeof(struct hprof_reader_options),
		.diagnostic = note,
		.user = outcome,
	};
}

static void read_all(struct hprof_reader *reader, struct outcome *outcome)
{
	struct hprof_record record;

	while ((outcome->status = hprof_reader_next(reader, &record)) ==
	       HPROF_OK) {
		if (record.tag >= HPROF_SUB)
			outcome->subs++;
		else
			outcome->records++;
	}
	hprof_reader_get_info(reader, &outcome->info);
	cr_assert(hprof_reader_next(reader, &record) == outcome->status,
		  "the end stays the end");
	hprof_reader_close(reader);
}

static const struct expectation {
	const char *name;
	unsigned records, subs, dumps;
	bool whole, cut;
	const char *said;
} expectations[] = {
	{ "minimal", 9, 6, 1, true, false, "" },
	{ "shop_id4", 27, 19, 1, true, false, "" },
	{ "shop_id8", 27, 19, 1, true, false, "" },
	{ "standard_id4", 39, 24, 1, true, false, "" },
	{ "standard_id8", 40, 24, 1, true, false, "" },
	{ "agent", 15, 10, 1, true, false, "" },
	{ "android", 15, 20, 1, true, false, "" },
	{ "empty_segments", 32, 19, 1, true, false, "" },
	{ "segment_each", 45, 19, 1, true, false, "" },
	{ "between_segments", 32, 19, 1, true, false, "" },
	{ "class_many_fields", 7, 4, 1, true, false, "" },
	{ "shark_pairs", 31, 19, 1, true, false, "" },
	{ "two_dumps_plain", 27, 19, 2, true, false, "several-dumps@-1" },
	{ "two_dumps_segments", 31, 19, 2, true, false, "several-dumps@-1" },
	{ "header_twice", 53, 19, 2, true, false,
	  "bad-record@1641 several-dumps@-1" },
	{ "header_version", 27, 19, 1, true, false, "unknown-version@0" },
	{ "header_only", 0, 0, 0, false, true, "no-heap@31" },
	{ "header_end", 1, 0, 0, false, false, "no-heap@40" },
	{ "no_end", 26, 19, 1, false, false, "no-end@1632" },
	{ "length_short", 28, 19, 1, true, false, "bad-length@1236" },
	{ "length_long", 27, 19, 1, true, false, "bad-length@725" },
	{ "length_past_eof", 27, 19, 1, false, true, "truncated@1641" },
	{ "length_short_far", 28, 14, 1, true, false,
	  "sub-record-crosses@1516 bad-record@1551" },
	{ "length_zero_to_eof", 26, 19, 1, false, false, "length-zero@725" },
	{ "length_zero_segment", 27, 19, 1, false, false,
	  "length-zero@1236 no-end@1641" },
	{ "length_zero_cut", 26, 19, 1, false, true,
	  "length-zero@725 truncated@1632" },
	{ "length_huge", 2, 0, 0, false, true, "truncated@64 no-heap@94" },
	{ "length_fixed_short", 2, 0, 0, false, true,
	  "bad-length@64 bad-length@85 bad-length@106 bad-length@119 "
	  "bad-length@128 bad-length@160 bad-length@174 bad-length@186 "
	  "bad-length@223 bad-length@244 bad-length@312 no-heap@370" },
	{ "length_fixed_long", 6, 0, 0, false, false,
	  "extra-bytes@64 extra-bytes@101 extra-bytes@124 extra-bytes@161 "
	  "extra-bytes@294 no-heap@306" },
	{ "straddle", 28, 6, 1, true, false,
	  "sub-record-crosses@1236 unknown-sub-record@1278" },
	{ "cut_record_header", 26, 19, 1, false, true, "truncated@1632" },
	{ "cut_record", 16, 0, 0, false, true, "truncated@428 no-heap@452" },
	{ "cut_sub", 26, 6, 1, false, true, "truncated@1236" },
	{ "cut_array", 26, 7, 1, false, true, "truncated@1236" },
	{ "unknown_records", 31, 19, 1, true, false,
	  "unknown-record@31 unknown-record@56 unknown-record@759 "
	  "unknown-record@1975" },
	{ "unknown_sub", 28, 20, 1, true, false, "unknown-sub-record@1281" },
	{ "trailing_garbage", 27, 19, 1, true, false, "stray-bytes@1641" },
	{ "trailing_zeros", 27, 19, 1, true, false, "zero-padding@1641" },
	{ "trailing_few", 27, 19, 1, true, false, "stray-bytes@1641" },
	{ "utf8_short", 2, 0, 0, false, true,
	  "bad-length@31 bad-length@43 no-heap@118" },
	{ "class_bad_static", 29, 9, 1, true, false, "bad-type@1245" },
	{ "class_bad_field", 29, 9, 1, true, false,
	  "bad-type@1236 bad-type@1325" },
	{ "class_huge_counts", 29, 19, 1, true, false, "bad-type@1245" },
	{ "huge_instance", 29, 19, 1, true, false, "sub-record-crosses@1245" },
	{ "huge_obj_array", 29, 19, 1, true, false, "sub-record-crosses@1245" },
	{ "huge_prim_array", 30, 19, 1, true, false,
	  "sub-record-crosses@1245 sub-record-crosses@1275" },
	{ "prim_array_bad_type", 29, 9, 1, true, false, "bad-type@1245" },
	{ "prim_array_objects", 27, 20, 1, true, false, "bad-type@1236" },
};

Test(reader, recipes)
{
	for (size_t i = 0; i < sizeof expectations / sizeof *expectations;
	     i++) {
		const struct expectation *e = &expectations[i];
		struct fixture f = fixture_load(e->name);
		struct outcome o = { 0 };
		struct hprof_reader_options options = options_for(&o);
		struct hprof_reader *reader;

		cr_assert(hprof_reader_open(INPUT_MEMORY(f.bytes, f.size),
					    &options, &reader,
					    NULL) == HPROF_OK);
		read_all(reader, &o);
		cr_expect_eq(o.status, HPROF_END, "%s", e->name);
		cr_expect_str_eq(o.said, e->said, "%s: %s", e->name, o.said);
		cr_expect(o.records == e->records && o.subs == e->subs,
			  "%s: %u records, %u sub-records", e->name, o.records,
			  o.subs);
		cr_expect_eq(o.info.dump_count, e->dumps, "%s", e->name);
		cr_expect_eq(o.info.complete, e->whole, "%s", e->name);
		cr_expect_eq(o.info.truncated, e->cut, "%s", e->name);
		cr_expect_eq(o.info.bytes_read, f.size, "%s", e->name);
		fixture_free(&f);
	}
}

/* All other recipes: reading ends, with a reason. */
Test(reader, other_recipes)
{
	for (char **name = fixture_names(); *name; name++) {
		struct fixture f = fixture_load(*name);
		struct outcome o = { 0 };
		struct hprof_reader_options options = options_for(&o);
		struct hprof_reader *reader;

		if (hprof_reader_open(INPUT_MEMORY(f.bytes, f.size), &options,
				      &reader, NULL) == HPROF_OK) {
			read_all(reader, &o);
			cr_expect_eq(o.status, HPROF_END, "%s", *name);
			cr_expect_eq(o.info.bytes_read, f.size, "%s", *name);
			cr_expect(!o.info.truncated || o.info.errors > 0, "%s",
				  *name);
		}
		fixture_free(&f);
	}
}

static const struct {
	const char *name;
	enum hprof_status status;
	const char *word;
} refused[] = {
	{ "header_empty", HPROF_E_FORMAT, "empty" },
	{ "header_other", HPROF_E_FORMAT, "ELF" },
	{ "header_ascii", HPROF_E_FORMAT, "format=a" },
	{ "header_no_nul", HPROF_E_FORMAT, "not an HPROF dump" },
	{ "header_cut", HPROF_E_TRUNCATED, "header" },
	{ "header_cut_text", HPROF_E_TRUNCATED, "header" },
	{ "header_old", HPROF_E_UNSUPPORTED, "1.0" },
	{ "header_id_0", HPROF_E_UNSUPPORTED, "0 bytes" },
	{ "header_id_3", HPROF_E_UNSUPPORTED, "3 bytes" },
	{ "header_id_16", HPROF_E_UNSUPPORTED, "16 bytes" },
	{ "header_id_huge", HPROF_E_UNSUPPORTED, "4294967295 bytes" },
	{ "shop_id1", HPROF_E_UNSUPPORTED, "1 bytes" },
	{ "shop_id2", HPROF_E_UNSUPPORTED, "2 bytes" },
};

Test(reader, refused)
{
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct fixture f = fixture_load(refused[i].name);
		struct hprof_reader *reader = (struct hprof_reader *)&f;
		struct hprof_error error = { 0 };

		cr_expect_eq(hprof_reader_open(INPUT_MEMORY(f.bytes, f.size),
					       NULL, &reader, &error),
			     refused[i].status, "%s", f.name);
		cr_expect_eq(error.status, refused[i].status, "%s", f.name);
		cr_expect(strstr(error.text, refused[i].word), "%s: %s", f.name,
			  error.text);
		cr_expect((void *)reader == (void *)&f, "out untouched");
		fixture_free(&f);
	}
}

/* ---- ways to open -------------------------------------------------------- */

static const struct {
	const char *path;
	unsigned option, dump;
	enum hprof_status status;
	unsigned subs;
} choices[] = {
	{ "two", 0, 1, HPROF_END, 19 },
	{ "two#1", 0, 1, HPROF_END, 19 },
	{ "two#2", 0, 2, HPROF_END, 19 },
	{ "two#3", 0, 3, HPROF_E_USAGE, 0 },
	{ "two", 2, 2, HPROF_END, 19 },
	{ "two#1", 2, 2, HPROF_END, 19 }, /* the option wins */
	{ "two", 9, 9, HPROF_E_USAGE, 0 },
	{ "odd#2", 0, 1, HPROF_END, 6 }, /* a file of that name */
	{ "two#0", 0, 0, HPROF_E_SYS, 0 },
	{ "two#2x", 0, 0, HPROF_E_SYS, 0 },
	{ "#2", 0, 0, HPROF_E_SYS, 0 },
	{ "none", 0, 0, HPROF_E_SYS, 0 },
};

Test(reader, chooses_a_dump)
{
	struct fixture two = fixture_load("two_dumps_segments");
	struct fixture one = fixture_load("minimal");

	maker_file("two", two.bytes, two.size);
	maker_file("odd#2", one.bytes, one.size);
	for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
		struct outcome o = { 0 };
		struct hprof_reader_options options = options_for(&o);
		struct hprof_reader *reader;
		enum hprof_status status = hprof_reader_open(
			INPUT(.path = choices[i].path,
			      .dump = choices[i].option, .threads = 1),
			&options, &reader, NULL);
		if (status == HPROF_OK)
			read_all(reader, &o);
		else
			o.status = status;
		cr_expect(o.status == choices[i].status &&
				  o.info.dump == choices[i].dump &&
				  o.subs == choices[i].subs,
			  "%zu: %d, dump %u, %u", i, o.status, o.info.dump,
			  o.subs);
	}
	unlink("two");
	unlink("odd#2");
	fixture_free(&two);
	fixture_free(&one);
}

enum way { MEMORY, PATH, FD, PIPE, STDIN, CALLBACK, WAYS };

/* A pipe with all of F in it, which is small. */
static int pipe_with(const struct fixture *f)
{
	int ends[2];

	cr_assert(pipe(ends) == 0);
	cr_assert(write(ends[1], f->bytes, f->size) == (ssize_t)f->size);
	close(ends[1]);
	return ends[0];
}

static struct trace read_way(const struct fixture *f, enum way way)
{
	struct trace trace = { 0 };
	struct hprof_reader_options options = {
		.size = sizeof options,
		.diagnostic = trace_diagnostic,
		.user = &trace,
	};
	struct pieces pieces = { f->bytes, f->size, 0, 1 };
	struct hprof_reader *reader = NULL;
	int fd = -1;

	if (way == FD)
		fd = open("way", O_RDONLY);
	else if (way == PIPE || way == STDIN)
		fd = pipe_with(f);
	if (way == STDIN)
		dup2(fd, STDIN_FILENO);
	if (way == MEMORY)
		hprof_reader_open(INPUT_MEMORY(f->bytes, f->size), &options,
				  &reader, NULL);
	else if (way == CALLBACK)
		hprof_reader_open(INPUT_CALLBACK(pieces_read, &pieces),
				  &options, &reader, NULL);
	else if (way == PATH || way == STDIN)
		hprof_reader_open(INPUT_PATH(way == PATH ? "way" : "-"),
				  &options, &reader, NULL);
	else
		hprof_reader_open(INPUT_FD(fd), &options, &reader, NULL);
	if (reader)
		trace_read(&trace, reader, true, true);
	hprof_reader_close(reader);
	if (fd >= 0)
		cr_assert(close(fd) == 0, "the descriptor is the caller's");
	return trace;
}

Test(reader, all_ways_yield_the_same)
{
	for (char **name = fixture_names(); *name; name++) {
		struct fixture f = fixture_load(*name);
		struct trace memory = read_way(&f, MEMORY);

		maker_file("way", f.bytes, f.size);
		for (enum way way = PATH; way < WAYS; way++) {
			if ((way == PIPE || way == STDIN) && f.size > 60000)
				continue;
			struct trace trace = read_way(&f, way);
			cr_expect_eq(trace_difference(&memory, &trace),
				     SIZE_MAX, "%s, way %d", *name, way);
			trace_free(&trace);
		}
		trace_free(&memory);
		fixture_free(&f);
	}
	unlink("way");
}

/* ---- strict -------------------------------------------------------------- */

Test(reader, strict_stops_at_the_first_error)
{
	for (size_t i = 0; i < sizeof expectations / sizeof *expectations;
	     i++) {
		struct fixture f = fixture_load(expectations[i].name);
		struct outcome lax = { 0 }, strict = { 0 };
		struct hprof_reader_options options = options_for(&lax);
		struct hprof_reader *reader;

		cr_assert(hprof_reader_open(INPUT_MEMORY(f.bytes, f.size),
					    &options, &reader,
					    NULL) == HPROF_OK);
		read_all(reader, &lax);
		options = options_for(&strict);
		options.strict = true;
		cr_assert(hprof_reader_open(INPUT_MEMORY(f.bytes, f.size),
					    &options, &reader,
					    NULL) == HPROF_OK);
		read_all(reader, &strict);
		cr_expect_eq(strict.info.errors, lax.info.errors > 0, "%s",
			     f.name);
		if (lax.info.errors == 0)
			cr_expect_eq(strict.status, HPROF_END, "%s", f.name);
		else
			cr_expect_eq(strict.status,
				     strstr(strict.said, "truncated")
					     ? HPROF_E_TRUNCATED
					     : HPROF_E_CORRUPT,
				     "%s", f.name);
		fixture_free(&f);
	}
}

/* ---- a source that fails ------------------------------------------------- */

static int64_t fail_behind(void *user, void *buffer, size_t room)
{
	struct pieces *pieces = user;

	if (pieces->at < pieces->size)
		return pieces_read(user, buffer, room);
	errno = EIO;
	return -1;
}

/* The failure is reported, not the damage that it seems to cause. */
Test(reader, failing_source)
{
	struct fixture f = fixture_load("shop_id8");

	for (unsigned strict = 0; strict < 2; strict++) {
		for (size_t n = 0; n <= f.size; n++) {
			struct outcome o = { 0 };
			struct pieces pieces = { f.bytes, n, 0, 100 };
			struct hprof_reader_options options = options_for(&o);
			struct hprof_error error = { 0 };
			struct hprof_reader *reader;
			options.strict = strict;
			o.status = hprof_reader_open(
				INPUT_CALLBACK(fail_behind, &pieces), &options,
				&reader, &error);
			if (o.status == HPROF_OK) {
				struct hprof_record record;
				while ((o.status = hprof_reader_next(
						reader, &record)) == HPROF_OK)
					;
				error = *hprof_reader_error(reader);
				hprof_reader_close(reader);
			}
			cr_assert_eq(o.status, HPROF_E_SYS, "%zu", n);
			cr_assert_eq(error.status, HPROF_E_SYS);
			cr_assert_eq(error.sys_errno, EIO);
			cr_assert_str_eq(o.said, "", "%zu: %s", n, o.said);
		}
	}
	fixture_free(&f);
}
