/* SPDX-License-Identifier: MIT */
/*
 * test_class_refusals.c - class files that the rewriter leaves as they are, and damaged
 * ones.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/mem.h"
#include "class_code.h"

/* ---- what is left as it is ----------------------------------------------- */

static void expect_untouched(struct class_maker *m, enum ag_method_state state)
{
	struct made_method made = class_maker_rewrite(m);

	cr_expect_null(made.rewritten.bytes);
	cr_expect_eq(made.rewritten.methods[0].state, state);
	made_done(&made);
}

static void put_nops(struct class_maker *m, size_t count)
{
	while (count-- > 0)
		CODE(m, NOP);
}

Test(class_refusals, methods_without_code)
{
	struct class_maker m = { .access = 0x100 };

	expect_untouched(&m, AG_METHOD_NO_CODE);
}

Test(class_refusals, methods_that_would_be_too_long)
{
	struct class_maker m = { 0 }, longest = { 0 };
	struct made_method made;

	put_nops(&longest, 65535 - 1 - 2 * PIECE - HANDLER);
	CODE(&longest, RETURN);
	made = class_maker_rewrite(&longest);
	cr_expect_eq(made.code_size, 65535);
	made_done(&made);
	put_nops(&m, 65535 - 2 * PIECE - HANDLER);
	CODE(&m, RETURN);
	expect_untouched(&m, AG_METHOD_TOO_LONG);
}

Test(class_refusals, jumps_that_would_be_too_far)
{
	struct class_maker m = { 0 }, farthest = { 0 };
	struct made_method made;

	/* Over one return: 8 more. */
	CODE(&farthest, GOTO, 0x7f, 0xf7, RETURN);
	put_nops(&farthest, 0x7ff7 - 4);
	CODE(&farthest, RETURN);
	made = class_maker_rewrite(&farthest);
	expect_jump(&made, 8, 8 + 0x7fff);
	made_done(&made);
	CODE(&m, GOTO, 0x7f, 0xf8, RETURN);
	put_nops(&m, 0x7ff8 - 4);
	CODE(&m, RETURN);
	expect_untouched(&m, AG_METHOD_TOO_LONG);
}

static bool nothing_is_wanted(struct ag_utf8 class_name,
			      const struct ag_class_method *method,
			      struct ag_calls *calls)
{
	(void)class_name;
	(void)method;
	(void)calls;
	return false;
}

Test(class_refusals, methods_that_are_not_wanted)
{
	static const struct ag_tracking tracking = {
		"T", "i", "c", "o", 1, nothing_is_wanted
	};
	struct class_maker m = { 0 };
	struct ag_rewritten r;
	struct ag_out file;

	CODE(&m, RETURN);
	file = class_maker_finish(&m);
	cr_assert_eq(ag_class_rewrite(file.bytes, file.size, &tracking, &r), 0);
	cr_expect_null(r.bytes);
	cr_expect_eq(r.methods[0].state, AG_METHOD_UNWANTED);
	ag_rewritten_done(&r);
	hp_free(file.bytes);
}

Test(class_refusals, no_room_for_constants)
{
	static const struct ag_tracking tracking = {
		"T", "i", "c", "o", 1, NULL
	};
	struct class_maker m = { 0 }, full = { 0 };
	struct ag_rewritten r;
	struct ag_out file;

	CODE(&m, RETURN);
	CODE(&full, RETURN);
	/* 18 more make 65535, which is the largest count. */
	while (m.constants < 65535 - 18 - FIRST_CONSTANT)
		class_maker_utf8(&m, "");
	while (full.constants <= 65535 - 18 - FIRST_CONSTANT)
		class_maker_utf8(&full, "");
	file = class_maker_finish(&m);
	cr_expect_eq(ag_class_rewrite(file.bytes, file.size, &tracking, &r), 0);
	ag_rewritten_done(&r);
	hp_free(file.bytes);
	file = class_maker_finish(&full);
	cr_expect_eq(ag_class_rewrite(file.bytes, file.size, &tracking, &r),
		     HPROF_E_LIMIT);
	hp_free(file.bytes);
}

/* ---- damage -------------------------------------------------------------- */

static struct ag_out rich_class(void)
{
	struct class_maker m = { .method = "<init>",
				 .max_stack = 4,
				 .max_locals = 3 };
	unsigned b = class_maker_type(&m, "B");
	unsigned make = class_maker_method(&m, b, "<init>", "()V");

	CODE(&m, ALOAD_0, 0xb7, 0, (uint8_t)make, ICONST_0, 0xaa, 0, 0);
	CODE(&m, 0, 0, 0, 19, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 19);
	CODE(&m, RETURN, NEW, 0, (uint8_t)b, RETURN);
	ag_out_bytes(&m.handlers, (const uint8_t[]){ 0, 4, 0, 24, 0, 28, 0, 0 },
		     8);
	ATTRIBUTE(&m, "StackMapTable", 0, 2, 255, 0, 24, 0, 1, 6, 0, 1, 8, 0,
		  25, 252, 0, 3, 1);
	ATTRIBUTE(&m, "LineNumberTable", 0, 1, 0, 4, 0, 9);
	ATTRIBUTE(&m, "LocalVariableTable", 0, 1, 0, 0, 0, 29, 0, 5, 0, 6, 0,
		  0);
	ATTRIBUTE(&m, "RuntimeVisibleTypeAnnotations", 0, 1, 0x44, 0, 25, 0, 0,
		  5, 0, 1, 0, 6, '[', 0, 1, 'e', 0, 5, 0, 6);
	return class_maker_finish(&m);
}

static enum hprof_status rewrite(const uint8_t *bytes, size_t size)
{
	static const struct ag_tracking tracking = {
		"T", "i", "c", "o", 1, NULL
	};
	uint8_t *copy = hp_alloc(size + !size);
	struct ag_rewritten r;
	enum hprof_status status;

	cr_assert_not_null(copy);
	/* Its own memory, so that a sanitizer sees what is read after it. */
	memcpy(copy, bytes, size);
	status = ag_class_rewrite(copy, size, &tracking, &r);
	if (status == HPROF_OK)
		ag_rewritten_done(&r);
	hp_free(copy);
	return status;
}

Test(class_refusals, cut_classes_are_refused)
{
	struct ag_out file = rich_class();

	cr_assert_eq(rewrite(file.bytes, file.size), HPROF_OK);
	for (size_t size = 0; size < file.size; size++)
		cr_expect_neq(rewrite(file.bytes, size), HPROF_OK, "%zu", size);
	hp_free(file.bytes);
}

/* The second index of a long is beyond the constants. */
Test(class_refusals, half_a_long_is_refused)
{
	struct class_maker m = { 0 }, good = { 0 };
	struct ag_out file;

	CODE(&good, RETURN);
	ag_out_bytes(&good.pool, "\5abcdefgh", 9);
	good.constants = 2;
	file = class_maker_finish(&good);
	cr_expect_eq(rewrite(file.bytes, file.size), HPROF_OK);
	hp_free(file.bytes);
	CODE(&m, RETURN);
	ag_out_bytes(&m.pool, "\5abcdefgh", 9);
	m.constants = 1;
	file = class_maker_finish(&m);
	cr_expect_eq(rewrite(file.bytes, file.size), HPROF_E_CORRUPT);
	hp_free(file.bytes);
}

/* Nothing but that it returns; most of these are refused. */
Test(class_refusals, damaged_classes_do_no_harm)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct ag_out file = rich_class();
	unsigned refused = 0;
	uint8_t was;

	for (size_t i = 0; i < file.size; i++) {
		was = file.bytes[i];
		for (size_t k = 0; k < sizeof values; k++) {
			file.bytes[i] = values[k];
			refused += rewrite(file.bytes, file.size) != HPROF_OK;
		}
		file.bytes[i] = was;
	}
	cr_expect_gt(refused, file.size);
	hp_free(file.bytes);
}

Test(class_refusals, memory_runs_out)
{
	struct ag_out file = rich_class();
	enum hprof_status status = HPROF_E_NOMEM;
	int n = 0;

	/* The copy is allocated first. */
	for (; status == HPROF_E_NOMEM; n++) {
		static const struct ag_tracking tracking = { "T", "i", "c",
							     "o", 1,   NULL };
		struct ag_rewritten r;

		hp_mem_fail_after(n);
		status = ag_class_rewrite(file.bytes, file.size, &tracking, &r);
		hp_mem_fail_after(-1);
		if (status == HPROF_OK)
			ag_rewritten_done(&r);
	}
	cr_expect_eq(status, HPROF_OK);
	cr_expect_gt(n, 8);
	hp_free(file.bytes);
}
