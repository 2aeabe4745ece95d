/* SPDX-License-Identifier: MIT */
/*
 * code_rewrite.h - the Code attribute of a method, with calls at its entry,
 * where it catches exceptions, and at each exit.
 */
#ifndef AG_CODE_REWRITE_H
#define AG_CODE_REWRITE_H

#include "agent/instrument/constant_pool.h"
#include "agent/instrument/instructions.h"

/* What the inserted code needs in the constant pool: indices. */
struct ag_code_constants {
	unsigned enter, caught, exit; /* methods of one int */
	unsigned throwable;	      /* a class */
	unsigned stack_map;	      /* the name of a StackMapTable */
	unsigned number;	      /* an int: what those are called with */
};

struct ag_code_context {
	const struct ag_pool *pool;
	struct ag_code_constants constants;
	unsigned parts;	      /* AG_AT_... */
	unsigned major;	      /* version of the class file */
	bool is_constructor;  /* of another class than Object */
	uint32_t n_arguments; /* including this */
};

/*
 * Reads CODE, the bytes of the attribute, and appends the new ones to OUT.
 * HPROF_E_LIMIT: the code would be too long, or a jump too far. OUT is of no
 * use unless HPROF_OK.
 */
enum hprof_status ag_code_rewrite(struct ag_in code,
				  const struct ag_code_context *context,
				  struct ag_out *out);

#endif
