/* SPDX-License-Identifier: MIT */
/*
 * class_code.c - see class_code.h.
 */
#include "class_code.h"

#include <criterion/criterion.h>

#include "base/wire.h"

void expect_call(const struct made_method *made, uint32_t pc, unsigned method)
{
	const uint8_t *p = made->code + pc;

	cr_assert_leq(pc + 6, made->code_size);
	cr_expect_eq(p[0], 0x13, "ldc_w at %u", pc);
	cr_expect_eq(hp_get16(p + 1), made->number);
	cr_expect_eq(p[3], 0xb8, "invokestatic at %u", pc);
	cr_expect_eq(hp_get16(p + 4), method);
}

void expect_piece(const struct made_method *made, uint32_t pc, unsigned method)
{
	expect_call(made, pc, method);
	cr_expect(made->code[pc + 6] == NOP && made->code[pc + 7] == NOP);
}

void expect_handler(const struct made_method *made, unsigned index,
		    unsigned start, unsigned end, unsigned handler)
{
	const uint8_t *p = made->handlers + 8 * (size_t)index;

	cr_assert_lt(index, made->n_handlers);
	cr_expect_eq(hp_get16(p), start, "start %u", hp_get16(p));
	cr_expect_eq(hp_get16(p + 2), end, "end %u", hp_get16(p + 2));
	cr_expect_eq(hp_get16(p + 4), handler, "%u", hp_get16(p + 4));
}

void expect_attribute(const struct made_method *made, const char *name,
		      const uint8_t *bytes, size_t size)
{
	size_t there;
	const uint8_t *p = made_attribute(made, name, &there);

	cr_assert(p != NULL, "%s", name);
	cr_assert_eq(there, size, "%s has %zu bytes", name, there);
	for (size_t i = 0; i < size; i++)
		cr_expect_eq(p[i], bytes[i], "%s, byte %zu: %u", name, i, p[i]);
}

void expect_jump(const struct made_method *made, uint32_t pc, int32_t target)
{
	cr_expect_eq((int32_t)pc + (int16_t)hp_get16(made->code + pc + 1),
		     target);
}
