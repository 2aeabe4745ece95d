/* SPDX-License-Identifier: MIT */
/*
 * dump_choice.h - which engine makes a dump: the one that is wanted if the JVM
 * can be dumped by it, otherwise the JVM's own.
 */
#ifndef TOOLS_DUMP_CHOICE_H
#define TOOLS_DUMP_CHOICE_H

#include "tools/capture/dump.h"

enum dump_wish { DUMP_AUTO, DUMP_FORK, DUMP_VM, DUMP_WALK };

/*
 * MAX_PAUSE_MS: how long the JVM may stand still, with DUMP_AUTO; 0: any time.
 * Uses the process and the agent of ORDER. A message tells if it is not the one
 * that is wanted.
 */
const struct dump_engine *dump_choose(const struct dump_order *order,
				      enum dump_wish wish,
				      uint64_t max_pause_ms);

#endif
