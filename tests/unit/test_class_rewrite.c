/* SPDX-License-Identifier: MIT */
/*
 * test_class_rewrite.c - the rewriter of class files: what it inserts, and that
 * everything that names a place in the code still names the same instruction.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/mem.h"
#include "base/wire.h"
#include "agent/instrument/instructions.h"
#include "class_maker.h"

#define CODE(m, ...)                                                     \
	ag_out_bytes(&(m)->code, (const uint8_t[]){ __VA_ARGS__ },       \
		     sizeof((const uint8_t[]){ __VA_ARGS__ }))
#define ATTRIBUTE(m, name, ...)                                          \
	class_maker_attribute(m, name, (const uint8_t[]){ __VA_ARGS__ },       \
			sizeof((const uint8_t[]){ __VA_ARGS__ }))
#define EXPECT_ATTRIBUTE(made, name, ...)                                \
	expect_attribute(made, name, (const uint8_t[]){ __VA_ARGS__ },   \
			 sizeof((const uint8_t[]){ __VA_ARGS__ }))

enum { NOP = 0, ICONST_0 = 3, IFEQ = 0x99, GOTO = 0xa7, RETURN = 0xb1 };
enum { IRETURN = 0xac, ATHROW = 0xbf, NEW = 0xbb, DUP = 0x59, ALOAD_0 = 0x2a };
enum { PIECE = 8, HANDLER = 7 };

/* Is there a call of METHOD at PC? */
static void expect_call(const struct made_method *made, uint32_t pc,
			unsigned method)
{
	const uint8_t *p = made->code + pc;

	cr_assert_leq(pc + 6, made->code_size);
	cr_expect_eq(p[0], 0x13, "ldc_w at %u", pc);
	cr_expect_eq(hp_get16(p + 1), made->number);
	cr_expect_eq(p[3], 0xb8, "invokestatic at %u", pc);
	cr_expect_eq(hp_get16(p + 4), method);
}

static void expect_piece(const struct made_method *made, uint32_t pc,
			 unsigned method)
{
	expect_call(made, pc, method);
	cr_expect(made->code[pc + 6] == NOP && made->code[pc + 7] == NOP);
}

static void expect_handler(const struct made_method *made, unsigned index,
			   unsigned start, unsigned end, unsigned handler)
{
	const uint8_t *p = made->handlers + 8 * (size_t)index;

	cr_assert_lt(index, made->n_handlers);
	cr_expect_eq(hp_get16(p), start, "start %u", hp_get16(p));
	cr_expect_eq(hp_get16(p + 2), end, "end %u", hp_get16(p + 2));
	cr_expect_eq(hp_get16(p + 4), handler, "%u", hp_get16(p + 4));
}

static void expect_attribute(const struct made_method *made, const char *name,
			     const uint8_t *bytes, size_t size)
{
	size_t there;
	const uint8_t *p = made_attribute(made, name, &there);

	cr_assert(p != NULL, "%s", name);
	cr_assert_eq(there, size, "%s has %zu bytes", name, there);
	for (size_t i = 0; i < size; i++)
		cr_expect_eq(p[i], bytes[i], "%s, byte %zu: %u", name, i, p[i]);
}

/* The jump of 16 bits at PC leads there. */
static void expect_jump(const struct made_method *made, uint32_t pc,
			int32_t target)
{
	cr_expect_eq((int32_t)pc + (int16_t)hp_get16(made->code + pc + 1),
		     target);
}

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

/* ---- frames -------------------------------------------------------------- */

/* Each kind there is. */
Test(class_rewrite, frames_move)
{
	struct class_maker m = { .max_stack = 2, .max_locals = 9 };
	struct made_method made;

	for (int i = 0; i < 8; i++)
		CODE(&m, NOP, NOP, NOP, NOP, RETURN);
	ATTRIBUTE(&m, "StackMapTable", 0, 7, 5, 64 + 4, 1, 247, 0, 4, 1, 252, 0,
		  4, 1, 250, 0, 4, 251, 0, 4, 255, 0, 4, 0, 1, 3, 0, 1, 8, 0,
		  5);
	made = class_maker_rewrite(&m);
	/* Each is 13 after the one before; the first at 8 + 13. */
	EXPECT_ATTRIBUTE(&made, "StackMapTable", 0, 8, 21, 64 + 12, 1, 64 + 12,
			 1, 252, 0, 12, 1, 250, 0, 12, 12, 255, 0, 12, 0, 1, 3,
			 0, 1, 8, 0, 21, 255, 0, 12, 0, 0, 0, 1, 7, 0,
			 (uint8_t)made.throwable);
	made_done(&made);
}

/* A short frame becomes a long one when it is too far. */
Test(class_rewrite, frames_grow)
{
	struct class_maker m = { .max_stack = 2 };
	struct made_method made;

	for (int i = 0; i < 60; i++)
		CODE(&m, NOP);
	CODE(&m, RETURN);
	for (int i = 0; i < 60; i++)
		CODE(&m, NOP);
	CODE(&m, RETURN);
	ATTRIBUTE(&m, "StackMapTable", 0, 2, 60, 64 + 59, 1);
	made = class_maker_rewrite(&m);
	EXPECT_ATTRIBUTE(&made, "StackMapTable", 0, 3, 251, 0, 68, 247, 0, 67,
			 1, 255, 0, 9, 0, 0, 0, 1, 7, 0,
			 (uint8_t)made.throwable);
	made_done(&made);
}

/* Verification by inference: no frames, and everything is covered. */
Test(class_rewrite, old_classes_have_no_frames)
{
	struct class_maker m = { .major = 49, .method = "<init>" };
	struct made_method made;
	size_t size;

	CODE(&m, NOP, RETURN);
	made = class_maker_rewrite(&m);
	cr_expect_null(made_attribute(&made, "StackMapTable", &size));
	cr_expect_eq(made.n_handlers, 1);
	made_done(&made);
}

/* ---- constructors -------------------------------------------------------- */

/* super(new B(new B())): the third call is for this. */
Test(class_rewrite, constructors_are_covered_after_super)
{
	struct class_maker m = { .method = "<init>",
				 .max_stack = 5,
				 .max_locals = 1 };
	unsigned b = class_maker_type(&m, "B");
	unsigned make = class_maker_method(&m, b, "<init>", "()V");
	struct made_method made;

	CODE(&m, ALOAD_0, NEW, 0, (uint8_t)b, DUP, NEW, 0, (uint8_t)b, DUP);
	for (int i = 0; i < 3; i++)
		CODE(&m, 0xb7, 0, (uint8_t)make);
	CODE(&m, NOP, RETURN); /* at 18 */
	made = class_maker_rewrite(&m);
	cr_expect_eq(made.n_handlers, 1);
	expect_handler(&made, 0, 26, 36, 36);
	made_done(&made);
}

/* this(x ? new B() : null), with a frame in between. */
Test(class_rewrite, frames_tell_of_objects_that_are_not_initialized)
{
	struct class_maker m = { .method = "<init>",
				 .descriptor = "(I)V",
				 .max_stack = 4,
				 .max_locals = 2 };
	unsigned b = class_maker_type(&m, "B");
	unsigned make = class_maker_method(&m, b, "<init>", "()V");
	struct made_method made;

	/* 0 aload_0, 1 new B, 4 dup, 5 iload_1, 6 ifeq 10, 9 nop, 10 ... */
	CODE(&m, ALOAD_0, NEW, 0, (uint8_t)b, DUP, 0x1b, IFEQ, 0, 4, NOP);
	for (int i = 0; i < 2; i++)
		CODE(&m, 0xb7, 0, (uint8_t)make);
	CODE(&m, RETURN); /* at 16 */
	ATTRIBUTE(&m, "StackMapTable", 0, 1, 255, 0, 10, 0, 2, 6, 1, 0, 3, 6, 8,
		  0, 1, 8, 0, 1);
	made = class_maker_rewrite(&m);
	cr_expect_eq(made.n_handlers, 1);
	expect_handler(&made, 0, 24, 33, 33);
	made_done(&made);
}

/* Counting and frames disagree: an object was made and thrown away. */
Test(class_rewrite, odd_constructors_are_not_covered)
{
	struct class_maker m = { .method = "<init>",
				 .max_stack = 2,
				 .max_locals = 1 };
	unsigned b = class_maker_type(&m, "B");
	unsigned make = class_maker_method(&m, b, "<init>", "()V");
	struct made_method made;
	size_t size;

	CODE(&m, NEW, 0, (uint8_t)b, 0x57 /* pop */, ALOAD_0, 0xb7, 0,
	     (uint8_t)make, RETURN);
	made = class_maker_rewrite(&m);
	cr_expect_eq(made.n_handlers, 0);
	cr_expect_null(made_attribute(&made, "StackMapTable", &size));
	cr_expect_eq(made.code_size, 2 * PIECE + 9);
	made_done(&made);
}

/* ---- tables -------------------------------------------------------------- */

Test(class_rewrite, lines_and_variables)
{
	struct class_maker m = { .max_locals = 2 };
	struct made_method made;

	CODE(&m, NOP, RETURN, NOP, RETURN);
	ATTRIBUTE(&m, "LineNumberTable", 0, 2, 0, 0, 0, 7, 0, 2, 0, 9);
	ATTRIBUTE(&m, "LocalVariableTable", 0, 2, 0, 0, 0, 4, 0, 5, 0, 6, 0, 0,
		  0, 2, 0, 2, 0, 5, 0, 6, 0, 1);
	ATTRIBUTE(&m, "LocalVariableTypeTable", 0, 1, 0, 2, 0, 1, 0, 5, 0, 6, 0,
		  1);
	made = class_maker_rewrite(&m);
	EXPECT_ATTRIBUTE(&made, "LineNumberTable", 0, 2, 0, 0, 0, 7, 0, 18, 0,
			 9);
	EXPECT_ATTRIBUTE(&made, "LocalVariableTable", 0, 2, 0, 0, 0, 28, 0, 5,
			 0, 6, 0, 0, 0, 18, 0, 10, 0, 5, 0, 6, 0, 1);
	EXPECT_ATTRIBUTE(&made, "LocalVariableTypeTable", 0, 1, 0, 18, 0, 1, 0,
			 5, 0, 6, 0, 1);
	made_done(&made);
}

/* Each kind of target, and every kind of value to pass over. */
Test(class_rewrite, type_annotations)
{
	struct class_maker m = { .max_locals = 2 };
	struct made_method made;

	CODE(&m, NOP, RETURN, NOP, RETURN);
	ATTRIBUTE(&m, "RuntimeVisibleTypeAnnotations", 0, 4,	     /* */
		  0x40, 0, 1, 0, 2, 0, 2, 0, 1, 1, 0, 0, 0, 5, 0, 0, /* */
		  0x42, 0, 0, 0, 0, 5, 0, 0,			     /* */
		  0x44, 0, 2, 0, 0, 5, 0, 2, 0, 6, '[', 0, 2, 'I', 0, 6, 's', 0,
		  6, 0, 6, '@', 0, 5, 0, 1, 0, 6, 'e', 0, 5, 0, 6, /* */
		  0x47, 0, 3, 1, 0, 0, 5, 0, 0);
	made = class_maker_rewrite(&m);
	/* An instruction itself, not what was inserted before it. */
	EXPECT_ATTRIBUTE(&made, "RuntimeVisibleTypeAnnotations", 0, 4, 0x40, 0,
			 1, 0, 18, 0, 10, 0, 1, 1, 0, 0, 0, 5, 0, 0, 0x42, 0, 0,
			 0, 0, 5, 0, 0, 0x44, 0, 18, 0, 0, 5, 0, 2, 0, 6, '[',
			 0, 2, 'I', 0, 6, 's', 0, 6, 0, 6, '@', 0, 5, 0, 1, 0,
			 6, 'e', 0, 5, 0, 6, 0x47, 0, 27, 1, 0, 0, 5, 0, 0);
	made_done(&made);
}

Test(class_rewrite, what_cannot_be_moved_is_left_out)
{
	struct class_maker m = { .max_locals = 2 };
	struct made_method made;
	uint8_t deep[4 + 3 + 2 + 40 * 3 + 8] = { 0, 1, 0x42, 0, 0, 0, 0, 5 };
	size_t size;

	CODE(&m, 0x10, 0, RETURN);
	ATTRIBUTE(&m, "LineNumberTable", 0, 1, 0, 1, 0, 7); /* in bipush */
	ATTRIBUTE(&m, "LocalVariableTable", 0, 1, 0, 0, 0, 9, 0, 5, 0, 6, 0, 0);
	ATTRIBUTE(&m, "LocalVariableTypeTable", 0, 1, 0); /* is cut */
	ATTRIBUTE(&m, "Unknown", 0, 1);
	deep[9] = 1; /* one value: a list in a list in a list ... */
	for (size_t i = 12; i + 3 < sizeof deep; i += 3) {
		deep[i] = '[';
		deep[i + 2] = 1;
	}
	class_maker_attribute(&m, "RuntimeInvisibleTypeAnnotations", deep,
			      sizeof deep);
	made = class_maker_rewrite(&m);
	cr_expect_null(made_attribute(&made, "LineNumberTable", &size));
	cr_expect_null(made_attribute(&made, "LocalVariableTable", &size));
	cr_expect_null(made_attribute(&made, "LocalVariableTypeTable", &size));
	cr_expect_null(made_attribute(&made, "Unknown", &size));
	cr_expect_null(made_attribute(&made, "RuntimeInvisibleTypeAnnotations",
				      &size));
	made_done(&made);
}

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

Test(class_rewrite, methods_without_code)
{
	struct class_maker m = { .access = 0x100 };

	expect_untouched(&m, AG_METHOD_NO_CODE);
}

Test(class_rewrite, methods_that_would_be_too_long)
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

Test(class_rewrite, jumps_that_would_be_too_far)
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

static bool nothing_is_wanted(struct ag_utf8 class_name,
			      const struct ag_class_method *method,
			      struct ag_calls *calls)
{
	(void)class_name;
	(void)method;
	(void)calls;
	return false;
}

Test(class_rewrite, methods_that_are_not_wanted)
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

Test(class_rewrite, no_room_for_constants)
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

Test(class_rewrite, cut_classes_are_refused)
{
	struct ag_out file = rich_class();

	cr_assert_eq(rewrite(file.bytes, file.size), HPROF_OK);
	for (size_t size = 0; size < file.size; size++)
		cr_expect_neq(rewrite(file.bytes, size), HPROF_OK, "%zu", size);
	hp_free(file.bytes);
}

/* The second index of a long is beyond the constants. */
Test(class_rewrite, half_a_long_is_refused)
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
Test(class_rewrite, damaged_classes_do_no_harm)
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

Test(class_rewrite, memory_runs_out)
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
