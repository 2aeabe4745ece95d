/* SPDX-License-Identifier: MIT */
/*
 * class_code.h - code for the classes of class_maker.h, and what tests expect of the
 * code that the agent makes of it.
 */
#ifndef CLASS_CODE_H
#define CLASS_CODE_H

#include "class_maker.h"

/* Append bytes to the code of M, and an attribute of it. */
#define CODE(m, ...)                                                     \
	ag_out_bytes(&(m)->code, (const uint8_t[]){ __VA_ARGS__ },       \
		     sizeof((const uint8_t[]){ __VA_ARGS__ }))
#define ATTRIBUTE(m, name, ...)                                          \
	class_maker_attribute(m, name, (const uint8_t[]){ __VA_ARGS__ },       \
			sizeof((const uint8_t[]){ __VA_ARGS__ }))

enum { NOP = 0, ICONST_0 = 3, IFEQ = 0x99, GOTO = 0xa7, RETURN = 0xb1 };
enum { IRETURN = 0xac, ATHROW = 0xbf, NEW = 0xbb, DUP = 0x59, ALOAD_0 = 0x2a };
/* Bytes that are inserted: for a call, and for the handler at the end. */
enum { PIECE = 8, HANDLER = 7 };

/* ---- what is expected of a method that was rewritten ----------------------- */

/* Is there a call of METHOD at PC? */
void expect_call(const struct made_method *made, uint32_t pc, unsigned method);

/* The same, filled up with NOPs to PIECE bytes. */
void expect_piece(const struct made_method *made, uint32_t pc, unsigned method);

void expect_handler(const struct made_method *made, unsigned index,
		    unsigned start, unsigned end, unsigned handler);

#define EXPECT_ATTRIBUTE(made, name, ...)                                \
	expect_attribute(made, name, (const uint8_t[]){ __VA_ARGS__ },   \
			 sizeof((const uint8_t[]){ __VA_ARGS__ }))
void expect_attribute(const struct made_method *made, const char *name,
		      const uint8_t *bytes, size_t size);

/* The jump of 16 bits at PC leads there. */
void expect_jump(const struct made_method *made, uint32_t pc, int32_t target);

#endif
