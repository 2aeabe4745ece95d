/* SPDX-License-Identifier: MIT */
/*
 * test_census.c - what a summary counts: totals, classes, arrays of every
 * kind, and what it says where records do not fit together.
 */
#include "fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../inputs.h"
#include "maker.h"

static const char *scratch(void)
{
	static char path[32];

	snprintf(path, sizeof path, "census.%d", (int)getpid());
	return path;
}

static struct hprof_summary *summarise(const void *bytes, size_t size,
				       struct hprof_summary_options options)
{
	struct hprof_summary *summary;

	options.size = sizeof options;
	maker_file(scratch(), bytes, size);
	cr_assert(hprof_summary_read(INPUT_PATH(scratch()), &options, &summary,
				     NULL) >= 0);
	unlink(scratch());
	return summary;
}

static const struct hprof_class_row *find(const struct hprof_summary *s,
					  const char *name)
{
	const struct hprof_class_row *found = NULL;

	for (size_t i = 0; i < s->class_count; i++) {
		if (strcmp(s->class_rows[i].name, name) != 0)
			continue;
		cr_assert(found == NULL, "two rows of %s", name);
		found = &s->class_rows[i];
	}
	cr_assert(found != NULL, "no row of %s", name);
	return found;
}

/* ---- recipes ------------------------------------------------------------- */

static const struct {
	const char *name;
	uint64_t instances, obj_arrays, prim_arrays, class_objects;
	uint64_t strings, threads, roots, data;
	const char *said; /* codes, by offset */
} recipes[] = {
	{ "minimal", 1, 0, 1, 2, 4, 0, 2, 12, "" },
	{ "shop_id8", 6, 1, 3, 6, 16, 1, 3, 124, "" },
	{ "shop_id4", 6, 1, 3, 6, 16, 1, 3, 80, "" },
	{ "standard_id8", 2, 1, 8, 3, 19, 1, 10, 166, "" },
	{ "standard_id4", 2, 1, 8, 3, 19, 1, 10, 150, "" },
	{ "segment_each", 6, 1, 3, 6, 16, 1, 3, 124, "" },
	{ "order_strings_last", 6, 1, 3, 6, 16, 1, 3, 124, "" },
	{ "order_objects_first", 6, 1, 3, 6, 16, 1, 3, 124, "" },
	{ "shark_pairs", 6, 1, 3, 6, 16, 1, 3, 124, "" },
	{ "two_dumps_plain", 6, 1, 3, 6, 16, 1, 3, 124, "several-dumps" },
	{ "only_roots", 0, 0, 0, 0, 0, 1, 3, 0, "" },
	{ "agent", 2, 1, 0, 3, 5, 2, 4, 8, "" },
	{ "class_twice", 6, 1, 3, 6, 16, 1, 3, 124,
	  "duplicate-class instance-size" },
	{ "class_missing", 6, 1, 3, 0, 16, 1, 3, 124,
	  "unknown-class unknown-class unknown-class" },
	{ "class_super_missing", 7, 1, 3, 7, 16, 1, 3, 132, "missing-super" },
	{ "class_super_cycle", 8, 1, 3, 9, 16, 1, 3, 136, "super-cycle" },
	{ "instance_long", 9, 1, 3, 6, 16, 1, 3, 164, "instance-size" },
	{ "instance_of_array", 7, 2, 3, 6, 16, 1, 3, 140, "instance-of-array" },
	{ "object_zero", 7, 1, 4, 7, 16, 1, 4, 128, "duplicate-id id-zero" },
	{ "object_twice", 8, 1, 4, 6, 16, 1, 3, 149, "duplicate-id" },
	{ "utf8_duplicate", 0, 0, 0, 0, 3, 0, 0, 0,
	  "duplicate-string no-heap" },
	{ "utf8_missing", 1, 0, 0, 1, 0, 0, 0, 4, "missing-string" },
	{ "huge_obj_array", 6, 1, 3, 6, 16, 1, 3, 124, "sub-record-crosses" },
	{ "cut_array", 0, 0, 0, 6, 16, 0, 0, 0, "truncated" },
};

static void join_codes(const struct hprof_summary *s, char *said, size_t room)
{
	size_t at = 0;

	said[0] = '\0';
	for (size_t i = 0; i < s->diagnostic_count; i++)
		at += (size_t)snprintf(said + at, room - at, "%s%s",
				       at ? " " : "", s->diagnostics[i].code);
}

Test(census, recipes)
{
	for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
		struct fixture f = fixture_load(recipes[i].name);
		struct hprof_summary *s = summarise(
			f.bytes, f.size, (struct hprof_summary_options){ 0 });
		char said[1000];

		join_codes(s, said, sizeof said);
		cr_expect_str_eq(said, recipes[i].said, "%s: %s", f.name, said);
		cr_expect_eq(s->instances, recipes[i].instances, "%s", f.name);
		cr_expect_eq(s->obj_arrays, recipes[i].obj_arrays, "%s",
			     f.name);
		cr_expect_eq(s->prim_arrays, recipes[i].prim_arrays, "%s",
			     f.name);
		cr_expect_eq(s->objects,
			     s->instances + s->obj_arrays + s->prim_arrays +
				     recipes[i].class_objects,
			     "%s", f.name);
		cr_expect_eq(s->strings, recipes[i].strings, "%s", f.name);
		cr_expect_eq(s->threads, recipes[i].threads, "%s", f.name);
		cr_expect_eq(s->roots, recipes[i].roots, "%s", f.name);
		cr_expect_eq(s->data, recipes[i].data, "%s", f.name);
		hprof_summary_free(s);
		fixture_free(&f);
	}
}

/* The table of records accounts for all of the file but its header. */
Test(census, record_table_adds_up)
{
	static const char *const names[] = {
		"minimal",	"shop_id8",	    "android",
		"standard_id4", "segment_each",	    "unknown_records",
		"strings",	"length_fixed_long"
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct fixture f = fixture_load(names[i]);
		struct hprof_summary *s = summarise(
			f.bytes, f.size, (struct hprof_summary_options){ 0 });
		uint64_t bytes = 31;

		for (size_t k = 0; k < s->tag_count; k++) {
			bytes += s->tag_rows[k].bytes;
			cr_expect(k == 0 ||
				  s->tag_rows[k].tag > s->tag_rows[k - 1].tag);
		}
		cr_expect_eq(bytes, f.size, "%s", names[i]);
		hprof_summary_free(s);
		fixture_free(&f);
	}
}

/* ---- diagnostics that are kept ------------------------------------------- */

Test(census, keeps_the_first_of_many_diagnostics)
{
	struct maker m = maker_begin(4);
	struct hprof_record end = { .tag = HPROF_HEAP_DUMP_END };

	for (unsigned i = 0; i < 25; i++) {
		maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
		buffer_add(&m.out, "\x77", 1); /* not a sub-record */
	}
	maker_heap_end(&m);
	maker_put(&m, &end);
	struct hprof_summary *s = summarise(
		m.out.bytes, m.out.size, (struct hprof_summary_options){ 0 });
	cr_expect_eq(s->errors, 25);
	cr_assert_eq(s->diagnostic_count, 10);
	cr_expect_eq(s->diagnostics[0].count, 25);
	cr_expect_eq(s->diagnostics[1].count, 0);
	for (unsigned i = 0; i < 10; i++)
		cr_expect_eq(s->diagnostics[i].offset, 31 + 9 + i * 10);
	hprof_summary_free(s);
	buffer_free(&m.out);
}

/* ---- arrays -------------------------------------------------------------- */

/* Names as the JVM gives them, by type code. */
static const char *const prim_names[] = {
	[4] = "[Z", [5] = "[C", [6] = "[F",  [7] = "[D",
	[8] = "[B", [9] = "[S", [10] = "[I", [11] = "[J"
};
static const char *const prim_rows[] = {
	[4] = "boolean[]", [5] = "char[]",  [6] = "float[]", [7] = "double[]",
	[8] = "byte[]",	   [9] = "short[]", [10] = "int[]",  [11] = "long[]"
};

/* All kinds of arrays; LOADED of them with a class, that of int last. */
static struct maker array_dump(bool loaded)
{
	struct maker m = maker_begin(8);

	for (unsigned type = 4; loaded && type < 12; type++)
		maker_load(&m, 0x1000 + type * 8, prim_names[type]);
	maker_load(&m, 0x2000, "[Ljava/lang/String;");
	maker_load(&m, 0x2008, "java/lang/String");
	maker_load(&m, 0x2010, "[[I");
	maker_heap(&m, HPROF_HEAP_DUMP);
	for (unsigned type = 4; type < 12; type++) {
		maker_prims(&m, 0x10000 + type * 0x1000, type, 0);
		maker_prims(&m, 0x10800 + type * 0x1000, type, type);
	}
	maker_objects(&m, 0x20000, 0x2000, 0);
	maker_objects(&m, 0x20100, 0x2000, 3);
	maker_objects(&m, 0x20200, 0x2010, 1);
	/* The class of the elements in place of the array's (JVMPI). */
	maker_objects(&m, 0x20300, 0x2008, 2);
	if (loaded)
		maker_objects(&m, 0x20400, 0x1000 + 10 * 8, 5);
	maker_heap_end(&m);
	return m;
}

static void check_row(const struct hprof_summary *s, const char *name,
		      uint64_t count, uint64_t data, enum hprof_class_kind kind)
{
	const struct hprof_class_row *row = find(s, name);

	cr_expect_eq(row->instances, count, "%s", name);
	cr_expect_eq(row->data, data, "%s", name);
	cr_expect_eq(row->kind, kind, "%s", name);
}

Test(census, arrays_of_every_kind)
{
	struct maker m = array_dump(false);
	struct hprof_summary *s = summarise(
		m.out.bytes, m.out.size, (struct hprof_summary_options){ 0 });

	for (unsigned type = 4; type < 12; type++) {
		check_row(s, prim_rows[type], 2,
			  (uint64_t)type * hprof_type_size(type, 0),
			  HPROF_CLASS_PRIM_ARRAY);
		cr_expect_eq(find(s, prim_rows[type])->class_id, 0);
	}
	cr_expect_eq(s->prim_arrays, 16);
	cr_expect_eq(s->obj_arrays, 4);
	cr_expect_eq(s->errors + s->warnings, 0);
	hprof_summary_free(s);
	buffer_free(&m.out);
}

/* "String[]" by its own class and by that of its elements are two rows. */
Test(census, arrays_by_the_class_of_their_elements)
{
	struct maker m = array_dump(true);
	struct hprof_summary *s = summarise(
		m.out.bytes, m.out.size, (struct hprof_summary_options){ 0 });
	unsigned strings = 0, ints = 0;

	check_row(s, "int[]", 2, 40, HPROF_CLASS_PRIM_ARRAY);
	check_row(s, "java.lang.String", 0, 0, HPROF_CLASS_PLAIN);
	for (size_t i = 0; i < s->class_count; i++) {
		const struct hprof_class_row *row = &s->class_rows[i];
		if (strcmp(row->name, "java.lang.String[]") == 0) {
			strings++;
			cr_expect_eq(row->instances, row->class_id ? 2 : 1);
			cr_expect_eq(row->data, row->class_id ? 24 : 16);
		}
		if (strcmp(row->name, "int[][]") == 0) {
			ints++;
			cr_expect_eq(row->instances, 1);
			cr_expect_eq(row->data, row->class_id ? 8 : 40);
		}
	}
	cr_expect(strings == 2 && ints == 2);
	hprof_summary_free(s);
	buffer_free(&m.out);
}

/* ---- sizes of arrays, one by one ----------------------------------------- */

static uint64_t align_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

struct sum {
	uint64_t shallow, largest;
};

static void add_array(struct sum *sum, unsigned header, unsigned alignment,
		      unsigned width, uint64_t count)
{
	uint64_t start = width == 8 ? align_up(header + 4, 8) : header + 4;
	uint64_t size = align_up(start + count * width, alignment);

	sum->shallow += size;
	if (size > sum->largest)
		sum->largest = size;
}

static void check_sizes(unsigned header, unsigned ref, unsigned alignment)
{
	struct maker m = maker_begin(8);
	struct sum sums[12] = { 0 };

	for (unsigned type = 4; type < 12; type++)
		maker_load(&m, 0x1000 + type * 8, prim_names[type]);
	maker_load(&m, 0x2000, "[LA;");
	maker_heap(&m, HPROF_HEAP_DUMP);
	for (unsigned i = 0; i < 3000; i++) {
		unsigned type = 3 + (unsigned)maker_random(&m, 9);
		/* Some are longer than what the reader returns in memory. */
		uint32_t n = (uint32_t)maker_random(&m, i % 100 ? 400 : 20000);
		if (type == 3) {
			maker_objects(&m, 0x100001 + i, 0x2000, n);
			add_array(&sums[2], header, alignment, ref, n);
			continue;
		}
		maker_prims(&m, 0x100001 + i, type, n);
		add_array(&sums[type], header, alignment,
			  hprof_type_size(type, 0), n);
	}
	maker_heap_end(&m);
	struct hprof_summary *s = summarise(
		m.out.bytes, m.out.size,
		(struct hprof_summary_options){ .header = header,
						.ref_width = ref,
						.alignment = alignment });
	for (unsigned type = 4; type < 12; type++) {
		const struct hprof_class_row *row = find(s, prim_rows[type]);
		cr_expect_eq(row->shallow, sums[type].shallow);
		cr_expect_eq(row->largest, sums[type].largest);
	}
	cr_expect_eq(find(s, "A[]")->shallow, sums[2].shallow);
	cr_expect_eq(find(s, "A[]")->largest, sums[2].largest);
	hprof_summary_free(s);
	buffer_free(&m.out);
}

Test(census, array_sizes_one_by_one)
{
	static const unsigned headers[] = { 8, 12, 16 };
	static const unsigned alignments[] = { 8, 16, 64, 256 };

	for (unsigned h = 0; h < 3; h++)
		for (unsigned ref = 4; ref <= 8; ref += 4)
			for (unsigned a = 0; a < 4; a++)
				check_sizes(headers[h], ref, alignments[a]);
}

/* ---- usage --------------------------------------------------------------- */

Test(census, wrong_options)
{
	static const struct hprof_summary_options wrong[] = {
		{ .size = 0 },
		{ .size = sizeof wrong[0] + 8 },
		{ .size = sizeof wrong[0], .ref_width = 5 },
		{ .size = sizeof wrong[0], .header = 65 },
		{ .size = sizeof wrong[0], .alignment = 12 },
		{ .size = sizeof wrong[0], .alignment = 512 },
	};
	struct hprof_summary *s;
	struct hprof_error error;

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		cr_expect_eq(hprof_summary_read(INPUT_PATH("none"), &wrong[i],
						&s, &error),
			     HPROF_E_USAGE, "%zu", i);
	cr_expect_eq(hprof_summary_read(NULL, NULL, &s, NULL), HPROF_E_USAGE);
	cr_expect_eq(hprof_summary_read(INPUT_PATH("none"), NULL, &s, &error),
		     HPROF_E_SYS);
	hprof_summary_free(NULL);
}
