/* SPDX-License-Identifier: MIT */
/*
 * instructions.c - lengths and operands of instructions (JVMS 6.5), from one
 * table.
 */
#include "agent/instrument/instructions.h"

#include <assert.h>

#include "base/mem.h"
#include "base/wire.h"

/*
 * What follows each opcode: 0 to 4 bytes; j, J a jump of 16 or 32 bits; t, l
 * a tableswitch or lookupswitch; w the rest of wide; r nothing, a return.
 */
static const char operands[] = "0000000000000000" /* 00 nop, constants */
			       "1212211111000000" /* 10 bipush, ldc, loads */
			       "0000000000000000" /* 20 loads */
			       "0000001111100000" /* 30 array loads, stores */
			       "0000000000000000" /* 40 stores */
			       "0000000000000000" /* 50 array stores, stack */
			       "0000000000000000" /* 60 arithmetic */
			       "0000000000000000" /* 70 arithmetic */
			       "0000200000000000" /* 80 iinc, conversions */
			       "000000000jjjjjjj" /* 90 compare, if */
			       "jjjjjjjjj1tlrrrr" /* a0 if, goto, jsr, switch */
			       "rr22222224421200" /* b0 fields, calls, new */
			       "2200w3jjJJ";	  /* c0 wide, ifnull, goto_w */

enum { IINC = 0x84 };
enum { NONE = UINT32_MAX };

static char operand_kind(unsigned opcode)
{
	return opcode < sizeof operands - 1 ? operands[opcode] : '\0';
}

bool ag_is_return(unsigned opcode)
{
	return operand_kind(opcode) == 'r';
}

/* ---- lengths ------------------------------------------------------------- */

static uint32_t padding(uint32_t pc)
{
	return 3 - pc % 4;
}

/* The numbers of 32 bits in the tableswitch at PC; 0 if it has no such head. */
static uint64_t table_words(const uint8_t *code, uint32_t size, uint32_t pc)
{
	uint32_t at = pc + 1 + padding(pc);
	int64_t low, high;

	if (at > size || size - at < 12)
		return 0;
	low = (int32_t)hp_get32(code + at + 4);
	high = (int32_t)hp_get32(code + at + 8);
	return high < low ? 0 : 3 + (uint64_t)(high - low + 1);
}

static uint64_t lookup_words(const uint8_t *code, uint32_t size, uint32_t pc)
{
	uint32_t at = pc + 1 + padding(pc);
	int32_t pairs;

	if (at > size || size - at < 8)
		return 0;
	pairs = (int32_t)hp_get32(code + at + 4);
	return pairs < 0 ? 0 : 2 + 2 * (uint64_t)pairs;
}

static uint64_t wide_size(const uint8_t *code, uint32_t size, uint32_t pc)
{
	if (size - pc < 2)
		return 0;
	return code[pc + 1] == IINC ? 6 : 4;
}

/* 0 if there is no instruction at PC, or it does not end within the code. */
static uint32_t measure(const uint8_t *code, uint32_t size, uint32_t pc)
{
	char kind = operand_kind(code[pc]);
	uint64_t n = 0, words;

	switch (kind) {
	case 'r':
		n = 1;
		break;
	case 'j':
		n = 3;
		break;
	case 'J':
		n = 5;
		break;
	case 'w':
		n = wide_size(code, size, pc);
		break;
	case 't':
	case 'l':
		words = kind == 't' ? table_words(code, size, pc)
				    : lookup_words(code, size, pc);
		n = words ? 1 + padding(pc) + 4 * words : 0;
		break;
	case '\0':
		break;
	default:
		n = 1 + (uint64_t)(kind - '0');
	}
	return n <= size - pc ? (uint32_t)n : 0;
}

/* ---- moves --------------------------------------------------------------- */

static bool find_catches(struct ag_moves *m, struct ag_in handlers)
{
	uint32_t pc;

	while (ag_in_left(&handlers) > 0) {
		ag_in_u4(&handlers); /* what it covers */
		pc = ag_in_u2(&handlers);
		ag_in_u2(&handlers);
		if (pc >= m->size)
			return false;
		m->catches[pc] = 1;
	}
	return true;
}

/* The bytes inserted before the instruction at PC. */
static uint32_t inserted(const struct ag_moves *m, uint32_t pc)
{
	uint32_t pieces = 0;

	if (m->parts & AG_AT_EXIT)
		pieces += ag_is_return(m->code[pc]);
	if (m->parts & AG_AT_CATCH)
		pieces += m->catches[pc];
	return pieces * AG_PIECE;
}

static bool find_targets(struct ag_moves *m)
{
	uint32_t length, moved = m->parts & AG_AT_ENTRY ? AG_PIECE : 0;

	for (uint32_t pc = 0; pc < m->size; pc++)
		m->targets[pc] = NONE;
	for (uint32_t pc = 0; pc < m->size; pc += length) {
		length = measure(m->code, m->size, pc);
		if (length == 0)
			return false;
		m->targets[pc] = moved;
		moved += inserted(m, pc) + length;
	}
	m->targets[m->size] = m->new_size = moved;
	return true;
}

enum hprof_status ag_moves_find(const uint8_t *code, uint32_t size,
				struct ag_in handlers, unsigned parts,
				struct ag_moves *ret)
{
	struct ag_moves m = { .code = code, .size = size, .parts = parts };
	enum hprof_status status = HPROF_OK;

	if (size == 0 || size > UINT16_MAX)
		return HPROF_E_CORRUPT;
	m.targets = hp_alloc(((size_t)size + 1) * sizeof *m.targets);
	m.catches = hp_calloc(size, 1);
	if (!m.targets || !m.catches)
		status = HPROF_E_NOMEM;
	else if (!find_catches(&m, handlers) || !find_targets(&m))
		status = HPROF_E_CORRUPT;
	if (status == HPROF_OK)
		*ret = m;
	else
		ag_moves_done(&m);
	return status;
}

void ag_moves_done(struct ag_moves *moves)
{
	hp_free(moves->targets);
	hp_free(moves->catches);
}

bool ag_moves_target(const struct ag_moves *moves, uint32_t pc,
		     uint32_t *ret_pc)
{
	if (pc >= moves->size || moves->targets[pc] == NONE)
		return false;
	*ret_pc = moves->targets[pc];
	return true;
}

bool ag_moves_instruction(const struct ag_moves *moves, uint32_t pc,
			  uint32_t *ret_pc)
{
	if (!ag_moves_target(moves, pc, ret_pc))
		return false;
	*ret_pc += inserted(moves, pc);
	return true;
}

bool ag_moves_limit(const struct ag_moves *moves, uint32_t pc, uint32_t *ret_pc)
{
	if (pc > moves->size || moves->targets[pc] == NONE)
		return false;
	*ret_pc = moves->targets[pc];
	return true;
}

uint32_t ag_instruction_size(const struct ag_moves *moves, uint32_t pc)
{
	assert(pc < moves->size && moves->targets[pc] != NONE);
	return measure(moves->code, moves->size, pc);
}

/* ---- jumps --------------------------------------------------------------- */

/* An instruction on its way: old and new place. */
struct move {
	const struct ag_moves *moves;
	uint32_t old_pc, new_pc;
};

static bool new_jump(const struct move *m, int32_t jump, int32_t *ret)
{
	int64_t old_target = (int64_t)m->old_pc + jump;
	uint32_t target;

	if (old_target < 0 || old_target >= m->moves->size ||
	    !ag_moves_target(m->moves, (uint32_t)old_target, &target))
		return false;
	*ret = (int32_t)target - (int32_t)m->new_pc;
	return true;
}

static enum hprof_status move_short(const struct move *m, struct ag_out *out)
{
	const uint8_t *p = m->moves->code + m->old_pc;
	int32_t jump;

	if (!new_jump(m, (int16_t)hp_get16(p + 1), &jump))
		return HPROF_E_CORRUPT;
	if (jump < INT16_MIN || jump > INT16_MAX)
		return HPROF_E_LIMIT;
	ag_out_u1(out, p[0]);
	ag_out_u2(out, (uint16_t)jump);
	return HPROF_OK;
}

/* Copies the jump of 32 bits at P. */
static enum hprof_status move_word(const struct move *m, const uint8_t *p,
				   struct ag_out *out)
{
	int32_t jump;

	if (!new_jump(m, (int32_t)hp_get32(p), &jump))
		return HPROF_E_CORRUPT;
	ag_out_u4(out, (uint32_t)jump);
	return HPROF_OK;
}

/*
 * A switch: its default; then low and high, or the number of pairs; then jumps,
 * each of which follows a key in a lookupswitch.
 */
static enum hprof_status move_switch(const struct move *m, uint32_t size,
				     struct ag_out *out)
{
	bool is_table = operand_kind(m->moves->code[m->old_pc]) == 't';
	const uint8_t *p = m->moves->code + m->old_pc;
	const uint8_t *end = p + size;
	enum hprof_status status;

	assert(m->old_pc % 4 == m->new_pc % 4);
	ag_out_bytes(out, p, 1 + padding(m->old_pc));
	p += 1 + padding(m->old_pc);
	status = move_word(m, p, out);
	ag_out_bytes(out, p + 4, is_table ? 8 : 4);
	p += is_table ? 12 : 8;
	while (status == HPROF_OK && p < end) {
		if (!is_table) {
			ag_out_bytes(out, p, 4);
			p += 4;
		}
		status = move_word(m, p, out);
		p += 4;
	}
	return status;
}

enum hprof_status ag_instruction_move(const struct ag_moves *moves, uint32_t pc,
				      struct ag_out *out)
{
	uint32_t size = ag_instruction_size(moves, pc);
	const uint8_t *p = moves->code + pc;
	struct move m = { moves, pc, moves->targets[pc] + inserted(moves, pc) };

	switch (operand_kind(p[0])) {
	case 'j':
		return move_short(&m, out);
	case 'J':
		ag_out_u1(out, p[0]);
		return move_word(&m, p + 1, out);
	case 't':
	case 'l':
		return move_switch(&m, size, out);
	default:
		ag_out_bytes(out, p, size);
		return HPROF_OK;
	}
}
