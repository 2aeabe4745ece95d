/* SPDX-License-Identifier: MIT */
/*
 * test_class_tables.c - the rewriter of class files: everything that names a place in
 * the code still names the same instruction, in frames of the stack, in the handlers of
 * constructors and in tables.
 */
#include <criterion/criterion.h>

#include "class_code.h"

/* ---- frames -------------------------------------------------------------- */

/* Each kind there is. */
Test(class_tables, frames_move)
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
Test(class_tables, frames_grow)
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
Test(class_tables, old_classes_have_no_frames)
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
Test(class_tables, constructors_are_covered_after_super)
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
Test(class_tables, frames_tell_of_objects_that_are_not_initialized)
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
Test(class_tables, odd_constructors_are_not_covered)
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

Test(class_tables, lines_and_variables)
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
Test(class_tables, type_annotations)
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

Test(class_tables, what_cannot_be_moved_is_left_out)
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
