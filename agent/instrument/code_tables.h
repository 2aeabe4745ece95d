/* SPDX-License-Identifier: MIT */
/*
 * code_tables.h - tables about code for tools and debuggers: lines, local
 * variables, annotations of types. Their places are made anew.
 */
#ifndef AG_CODE_TABLES_H
#define AG_CODE_TABLES_H

#include "agent/instrument/constant_pool.h"
#include "agent/instrument/instructions.h"

/*
 * Copies the attribute of that NAME, without its head, to OUT. False, with OUT
 * as it was, if it is of an unknown kind, which may have places that cannot be
 * moved, or names places that there are not: no program needs it to run.
 */
bool ag_code_table_move(struct ag_utf8 name, struct ag_in table,
			const struct ag_moves *moves, struct ag_out *out);

#endif
