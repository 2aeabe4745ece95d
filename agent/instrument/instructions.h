/* SPDX-License-Identifier: MIT */
/*
 * instructions.h - the instructions of a method, and where each of them is once
 * code has been inserted.
 *
 * Code is inserted at the entry, where exceptions are caught and before each
 * return, in pieces of AG_PIECE bytes. That is a multiple of 4, so the padding of
 * switches stays.
 */
#ifndef AG_INSTRUCTIONS_H
#define AG_INSTRUCTIONS_H

#include "agent/instrument/class_bytes.h"
#include "hprof/error.h"

enum { AG_PIECE = 8 };

/* Where a piece is inserted, of a method that is not left as it is. */
enum {
	AG_AT_ENTRY = 1,
	AG_AT_CATCH = 2,
	AG_AT_EXIT = 4,
	AG_EVERYWHERE = AG_AT_ENTRY | AG_AT_CATCH | AG_AT_EXIT
};

enum {
	AG_OP_NOP = 0x00,
	AG_OP_LDC_W = 0x13,
	AG_OP_INVOKESPECIAL = 0xb7,
	AG_OP_INVOKESTATIC = 0xb8,
	AG_OP_NEW = 0xbb,
	AG_OP_ATHROW = 0xbf
};

/* The code of a method, and where its instructions move to. */
struct ag_moves {
	const uint8_t *code;
	uint32_t size;	   /* of the old code: 1 to 65535 */
	unsigned parts;	   /* AG_AT_... */
	uint32_t *targets; /* by old pc; the last one is the end */
	uint8_t *catches;  /* by old pc: is it where a handler begins? */
	uint32_t new_size; /* of the old code and the pieces */
};

/*
 * Finds the instructions; HANDLERS is the exception table, 8 bytes each, and
 * PARTS says where code is to be inserted.
 * HPROF_E_CORRUPT: these bytes are no code. RET is freed by ag_moves_done.
 */
enum hprof_status ag_moves_find(const uint8_t *code, uint32_t size,
				struct ag_in handlers, unsigned parts,
				struct ag_moves *ret);
void ag_moves_done(struct ag_moves *moves);

/*
 * Where a jump to the old PC goes: to what was inserted before that
 * instruction, but never to the one at the entry. False if no instruction
 * begins at PC.
 */
bool ag_moves_target(const struct ag_moves *moves, uint32_t pc,
		     uint32_t *ret_pc);
/* Where that instruction itself is. */
bool ag_moves_instruction(const struct ag_moves *moves, uint32_t pc,
			  uint32_t *ret_pc);
/* As ag_moves_target, for the beginning or end of a range of code. */
bool ag_moves_limit(const struct ag_moves *moves, uint32_t pc,
		    uint32_t *ret_pc);

bool ag_is_return(unsigned opcode);

/* The length of the instruction at PC; there is one. */
uint32_t ag_instruction_size(const struct ag_moves *moves, uint32_t pc);

/*
 * Writes the instruction at PC with its jumps, as it is at its new place.
 * HPROF_E_LIMIT: a jump of 16 bits is too short now. HPROF_E_CORRUPT: a jump
 * to where no instruction begins.
 */
enum hprof_status ag_instruction_move(const struct ag_moves *moves, uint32_t pc,
				      struct ag_out *out);

#endif
