/* SPDX-License-Identifier: MIT */
/*
 * test_class_rewrite.c - the rewriter of class files: what it inserts at the entry, the
 * exits and where exceptions are caught, and that jumps still lead to the same
 * instructions.
 */
#include <criterion/criterion.h>

#include "base/mem.h"
#include "agent/instrument/instructions.h"
#include "base/wire.h"
#include "class_code.h"

static int32_t word(const struct made_method *made, uint32_t at)
{
	return (int32_t)hp_get32(made->code + at);
}

Test(class_rewrite, entry_and_exits)
{
	struct class_maker m = { .max_stack = 0 };
	struct made_method made;
	const uint8_t *p;
	struct ag_utf8 name;

	CODE(&m, NOP, RETURN);
	made = class_maker_rewrite(&m);
	cr_expect_eq(made.rewritten.methods[0].state, AG_METHOD_TRACKED);
	cr_assert_eq(made.code_size, 2 * PIECE + 2 + HANDLER);
	expect_piece(&made, 0, made.enter);
	cr_expect_eq(made.code[PIECE], NOP);
	expect_piece(&made, PIECE + 1, made.exit);
	cr_expect_eq(made.code[2 * PIECE + 1], RETURN);
	expect_call(&made, 18, made.exit);
	cr_expect_eq(made.code[24], ATHROW);
	cr_expect_eq(made.max_stack, 2);
	cr_expect_eq(made.n_handlers, 1);
	expect_handler(&made, 0, PIECE, 18, 18);
	/* The constants are what they should be. */
	cr_assert(ag_pool_method_name(&made.pool, made.enter, &name));
	cr_expect(ag_utf8_is(name, "in"));
	cr_assert(ag_pool_method_name(&made.pool, made.exit, &name));
	cr_expect(ag_utf8_is(name, "out"));
	cr_assert(ag_pool_class_name(&made.pool, made.throwable, &name));
	cr_expect(ag_utf8_is(name, "java/lang/Throwable"));
	p = made.pool.bytes + made.pool.offsets[made.number] - 1;
	cr_expect(p[0] == 3 && hp_get32(p + 1) == MADE_NUMBER);
	EXPECT_ATTRIBUTE(&made, "StackMapTable", 0, 1, 255, 0, 18, 0, 0, 0, 1,
			 7, 0, (uint8_t)made.throwable);
	made_done(&made);
}

/* It throws nothing: a handler would have nothing to cover. */
Test(class_rewrite, only_a_return_has_no_handler)
{
	struct class_maker m = { .max_stack = 0 };
	struct made_method made;

	CODE(&m, RETURN);
	made = class_maker_rewrite(&m);
	cr_assert_eq(made.code_size, 2 * PIECE + 1);
	expect_piece(&made, 0, made.enter);
	expect_piece(&made, PIECE, made.exit);
	cr_expect_eq(made.code[2 * PIECE], RETURN);
	cr_expect_eq(made.n_handlers, 0);
	made_done(&made);
}

Test(class_rewrite, names_of_class_and_methods)
{
	static const struct ag_tracking tracking = {
		"T", "i", "c", "o", 1, NULL
	};
	struct class_maker m = { .class_name = "a/B",
				 .method = "run",
				 .descriptor = "(I)V" };
	struct ag_rewritten r;
	struct ag_out file;

	CODE(&m, RETURN);
	file = class_maker_finish(&m);
	cr_assert_eq(ag_class_rewrite(file.bytes, file.size, &tracking, &r), 0);
	cr_expect(ag_utf8_is(r.name, "a/B"));
	cr_expect(ag_utf8_is(r.source, "A.java"));
	cr_expect(ag_utf8_is(r.methods[0].name, "run"));
	cr_expect(ag_utf8_is(r.methods[0].descriptor, "(I)V"));
	ag_rewritten_done(&r);
	hp_free(file.bytes);
}

/* A jump to a return goes to the call before it; one to the entry, past it. */
Test(class_rewrite, jumps)
{
	struct class_maker m = { .max_stack = 1 };
	struct made_method made;

	/* 0 iconst_0, 1 ifeq 7, 4 goto 0, 7 return */
	CODE(&m, ICONST_0, IFEQ, 0, 6, GOTO, 0xff, 0xfc, RETURN);
	made = class_maker_rewrite(&m);
	cr_expect_eq(made.code[8], ICONST_0);
	expect_jump(&made, 9, 15);
	expect_jump(&made, 12, 8);
	expect_piece(&made, 15, made.exit);
	cr_expect_eq(made.code[23], RETURN);
	made_done(&made);
}

Test(class_rewrite, wide_jump)
{
	struct class_maker m = { 0 };
	struct made_method made;

	/* 0 return, 1 goto_w 0 */
	CODE(&m, RETURN, 0xc8, 0xff, 0xff, 0xff, 0xff);
	made = class_maker_rewrite(&m);
	cr_expect_eq(made.code[17], 0xc8);
	cr_expect_eq(17 + word(&made, 18), 8);
	made_done(&made);
}

Test(class_rewrite, table_switch)
{
	struct class_maker m = { .max_stack = 1 };
	struct made_method made;

	/* 0 return; 1 iconst_0; 2 tableswitch 5..6: 24, 0; default 1; 24 */
	CODE(&m, RETURN, ICONST_0, 0xaa, 0);
	CODE(&m, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 5, 0, 0, 0, 6);
	CODE(&m, 0, 0, 0, 22, 0xff, 0xff, 0xff, 0xfe, RETURN);
	made = class_maker_rewrite(&m);
	/* 8 piece, 16 return, 17 iconst_0, 18 tableswitch */
	cr_assert_eq(made.code[18], 0xaa);
	cr_expect_eq(18 + word(&made, 20), 17);
	cr_expect_eq(word(&made, 24), 5);
	cr_expect_eq(word(&made, 28), 6);
	cr_expect_eq(18 + word(&made, 32), 40);
	cr_expect_eq(18 + word(&made, 36), 8);
	expect_piece(&made, 40, made.exit);
	made_done(&made);
}

Test(class_rewrite, lookup_switch)
{
	struct class_maker m = { .max_stack = 1 };
	struct made_method made;

	/* 0 nop 1 iconst_0; 2 lookupswitch 7 -> 20; default 0; 20 return */
	CODE(&m, NOP, ICONST_0, 0xab, 0);
	CODE(&m, 0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 1);
	CODE(&m, 0, 0, 0, 7, 0, 0, 0, 18, RETURN);
	made = class_maker_rewrite(&m);
	cr_assert_eq(made.code[10], 0xab);
	cr_expect_eq(10 + word(&made, 12), 8);
	cr_expect_eq(word(&made, 16), 1);
	cr_expect_eq(word(&made, 20), 7);
	cr_expect_eq(10 + word(&made, 24), 28);
	made_done(&made);
}

/* Where an exception is caught, the tracker is told; ours comes last. */
Test(class_rewrite, handlers)
{
	struct class_maker m = { .max_stack = 1, .max_locals = 1 };
	struct made_method made;

	/* 0 nop, 1 return; 2 catches 0 to 1: astore_0, 3 return */
	CODE(&m, NOP, RETURN, 0x4b, RETURN);
	ag_out_bytes(&m.handlers, (const uint8_t[]){ 0, 0, 0, 1, 0, 2, 0, 0 },
		     8);
	ATTRIBUTE(&m, "StackMapTable", 0, 1, 64 + 2, 7, 0, 4);
	made = class_maker_rewrite(&m);
	cr_expect_eq(made.code[8], NOP);
	expect_piece(&made, 9, made.exit);
	expect_piece(&made, 18, made.caught);
	cr_expect_eq(made.code[26], 0x4b);
	expect_piece(&made, 27, made.exit);
	cr_expect_eq(made.n_handlers, 2);
	expect_handler(&made, 0, 8, 9, 18);
	expect_handler(&made, 1, 8, 36, 36);
	EXPECT_ATTRIBUTE(&made, "StackMapTable", 0, 2, 64 + 18, 7, 0, 4, 255, 0,
			 17, 0, 0, 0, 1, 7, 0, (uint8_t)made.throwable);
	made_done(&made);
}

/* ---- one part alone ------------------------------------------------------ */

/* A loop to the first instruction, and a handler at the return. */
static struct made_method make_parts(unsigned parts)
{
	struct class_maker m = { .parts = parts };

	CODE(&m, NOP, ICONST_0, IFEQ, 0xff, 0xfe, NOP, RETURN);
	ag_out_u2(&m.handlers, 0);
	ag_out_u2(&m.handlers, 1);
	ag_out_u2(&m.handlers, 6);
	ag_out_u2(&m.handlers, 0);
	return class_maker_rewrite(&m);
}

Test(class_rewrite, entry_alone)
{
	struct made_method made = make_parts(AG_AT_ENTRY);

	cr_assert_eq(made.code_size, PIECE + 7);
	expect_piece(&made, 0, made.enter);
	expect_jump(&made, PIECE + 2, PIECE);
	cr_expect_eq(made.code[PIECE + 6], RETURN);
	cr_expect_eq(made.n_handlers, 1);
	expect_handler(&made, 0, PIECE, PIECE + 1, PIECE + 6);
	made_done(&made);
}

Test(class_rewrite, exits_alone)
{
	struct made_method made = make_parts(AG_AT_EXIT);

	cr_assert_eq(made.code_size, 7 + PIECE + HANDLER);
	expect_jump(&made, 2, 0);
	expect_piece(&made, 6, made.exit);
	cr_expect_eq(made.code[6 + PIECE], RETURN);
	expect_call(&made, 7 + PIECE, made.exit);
	cr_expect_eq(made.n_handlers, 2);
	expect_handler(&made, 0, 0, 1, 6);
	expect_handler(&made, 1, 0, 7 + PIECE, 7 + PIECE);
	made_done(&made);
}

Test(class_rewrite, catches_alone)
{
	struct made_method made = make_parts(AG_AT_CATCH);

	cr_assert_eq(made.code_size, 7 + PIECE);
	expect_piece(&made, 6, made.caught);
	cr_expect_eq(made.n_handlers, 1);
	made_done(&made);
}
