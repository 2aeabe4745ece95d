/* SPDX-License-Identifier: MIT */
/*
 * test_check.c - hprof_check: sound dumps have no errors, pipes say what they
 * leave out, memory fails cleanly and does not grow with what a file claims.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checking.h"
#include "fixture.h"
#include "base/mem.h"
#include "../inputs.h"
#include "maker.h"

/* ---- sound dumps --------------------------------------------------------- */

Test(check, good)
{
	static const char *const names[] = {
		"minimal",	"shop_id4",	    "shop_id8",
		"segment_each", "high_ids_id4",	    "order_strings_last",
		"no_end",	"no_roots",	    "order_objects_first",
		"agent",	"android",	    "two_dumps_segments",
		"shark_pairs",	"between_segments", "standard_id4",
		"standard_id8",
	};
	struct hprof_check_result *result = check_fixture("check-good", ALL);

	cr_assert(result != NULL);
	cr_expect_eq(result->code_count, 0);
	cr_expect_eq(result->objects, 4);
	cr_expect_eq(result->references, 3);
	hprof_check_result_free(result);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		result = check_fixture(names[i], 0);
		cr_assert(result != NULL, "%s", names[i]);
		cr_expect_eq(result->errors, 0, "%s", names[i]);
		hprof_check_result_free(result);
	}
}

/* The second dump is checked on its own. */
Test(check, second_dump)
{
	struct hprof_input input = hprof_input_path(check_dump_path());
	struct fixture f = fixture_load("stat-two-dumps");
	struct hprof_check_result *result = NULL;
	struct hprof_error error;

	maker_file(check_dump_path(), f.bytes, f.size);
	input.dump = 2;
	cr_assert(hprof_check(&input, NULL, &result, NULL) == HPROF_OK);
	cr_expect_eq(result->input.dump, 2);
	hprof_check_result_free(result);
	input.dump = 9;
	result = NULL;
	cr_expect(hprof_check(&input, NULL, &result, &error) == HPROF_E_USAGE);
	cr_expect(result == NULL);
	unlink(check_dump_path());
	fixture_free(&f);
}

Test(check, arguments)
{
	struct hprof_check_options options = { .size = 1 << 20 };
	struct hprof_check_result *result = NULL;
	struct hprof_error error;

	cr_expect(hprof_check(NULL, NULL, &result, &error) == HPROF_E_USAGE);
	cr_expect(hprof_check(INPUT_PATH("x"), NULL, NULL, &error) ==
		  HPROF_E_USAGE);
	cr_expect(hprof_check(INPUT_PATH("x"), &options, &result, NULL) ==
		  HPROF_E_USAGE);
	cr_expect(hprof_check(INPUT_PATH("there is no such file"), NULL,
			      &result, &error) == HPROF_E_SYS);
	cr_expect(result == NULL);
	hprof_check_result_free(NULL);
}

/* ---- what a pipe leaves out ---------------------------------------------- */

Test(check, pipe)
{
	struct fixture f = fixture_load("check-late");
	struct hprof_check_result *result = check_piped(f.bytes, f.size, 0);

	cr_assert(result != NULL);
	/* What comes in order is checked; the rest is counted as not checked. */
	cr_expect_eq(code_count(result, "dangling-reference"), 0);
	cr_expect_eq(code_count(result, "missing-super"), 1);
	struct code_search s = { .code = "dangling-ids", .text = "1 id is" };
	hprof_check_result_list(result, search_code, &s);
	cr_expect(s.in_text);
	s = (struct code_search){ .code = "not-checked", .text = ": 3" };
	hprof_check_result_list(result, search_code, &s);
	cr_expect(s.in_text);
	hprof_check_result_free(result);
	fixture_free(&f);
}

/* Instances before and after their class are counted once. */
Test(check, late)
{
	struct hprof_check_result *result = check_fixture("check-late", 0);

	cr_assert(result != NULL);
	cr_expect_eq(result->objects, 4);
	cr_expect_eq(result->references, 4);
	hprof_check_result_free(result);
}

/* References behind the part of an instance that is held in memory. */
Test(check, long_instance)
{
	enum { FIELDS = 20000, ENTRY = 9 };
	uint8_t *fields = calloc(FIELDS, ENTRY);
	struct maker m = maker_begin(8);
	struct hprof_record class_dump = {
		.tag = HPROF_CLASS_DUMP,
		.id_size = 8,
		.u.class_dump = { .class_id = 0x1000,
				  .field_count = FIELDS,
				  .fields = { fields, FIELDS * ENTRY } },
	};

	for (size_t i = 0; i < FIELDS; i++)
		fields[i * ENTRY + 8] = HPROF_TYPE_LONG;
	fields[8] = HPROF_TYPE_BYTE; /* so that one crosses a piece's end */
	fields[1025 * ENTRY + 8] = HPROF_TYPE_OBJECT;
	fields[(FIELDS - 1) * ENTRY + 8] = HPROF_TYPE_OBJECT;
	maker_load(&m, 0x1000, "Large");
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_put(&m, &class_dump);
	maker_instance(&m, 0x2000, 0x1000, 1 + 8 * (FIELDS - 1));
	m.out.bytes[m.out.size - 1] = 0x10;
	m.out.bytes[m.out.size - 8 * (FIELDS - 1026) - 1] = 0x20;
	maker_heap_end(&m);
	struct hprof_check_result *result =
		check_bytes(m.out.bytes, m.out.size, 0);
	struct code_search s = { .code = "dangling-reference",
				 .text = "refers to 0x10," };
	hprof_check_result_list(result, search_code, &s);
	cr_expect(s.in_text);
	s = (struct code_search){ .code = "dangling-reference",
				  .text = "refers to 0x20," };
	hprof_check_result_list(result, search_code, &s);
	cr_expect(s.in_text);
	cr_expect_eq(result->references, 2);
	hprof_check_result_free(result);
	buffer_free(&m.out);
	free(fields);
}

/* ---- torture ------------------------------------------------------------- */

/* The Nth allocation fails: HPROF_E_NOMEM, or a complete result. */
static void torture(const char *name)
{
	enum { QUIET = 50, MANY = 20000 };
	struct fixture f = fixture_load(name);
	struct hprof_check_result *good, *result;
	unsigned successes = 0, failures = 0;

	good = check_bytes(f.bytes, f.size, ALL);
	maker_file(check_dump_path(), f.bytes, f.size);
	for (int64_t n = 0; successes < QUIET; n++) {
		struct hprof_check_options options = { .size = sizeof options,
						       .readers = ALL };
		struct hprof_error error = { 0 };
		cr_assert(n < MANY, "%s", name);
		result = NULL;
		hp_mem_fail_after(n);
		enum hprof_status status =
			hprof_check(INPUT_PATH(check_dump_path()), &options,
				    &result, &error);
		hp_mem_fail_after(-1);
		if (status == HPROF_OK) {
			successes++;
			cr_expect_eq(result->errors, good->errors, "%s", name);
			cr_expect_eq(result->warnings, good->warnings, "%s",
				     name);
			cr_expect_eq(result->notes, good->notes, "%s", name);
			hprof_check_result_free(result);
			continue;
		}
		successes = 0;
		failures++;
		cr_assert_eq(status, HPROF_E_NOMEM, "%s, %d", name, (int)n);
		cr_assert_eq(error.status, HPROF_E_NOMEM, "%s", name);
		cr_assert(result == NULL);
	}
	cr_expect(failures > 50, "%s", name);
	unlink(check_dump_path());
	hprof_check_result_free(good);
	fixture_free(&f);
}

Test(check, torture)
{
	static const char *const names[] = { "check-late",    "check-many",
					     "roots_threads", "class_missing",
					     "dangling",      "objects_jdk8" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		torture(names[i]);
}
