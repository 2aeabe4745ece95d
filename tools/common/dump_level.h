/* SPDX-License-Identifier: MIT */
/*
 * dump_level.h - what CLI_OPTION_LEVEL means: the levels of JVMPI's heap dumps.
 */
#ifndef TOOLS_DUMP_LEVEL_H
#define TOOLS_DUMP_LEVEL_H

#include <hprof.h>

#include "tools/common/cli.h"

static inline enum hprof_omit dump_level_omits(const struct cli_choice *level)
{
	static const enum hprof_omit omits[] = { HPROF_OMIT_CONTENTS,
						 HPROF_OMIT_PRIMITIVES,
						 HPROF_OMIT_NOTHING };

	return level->given ? omits[level->value] : HPROF_OMIT_NOTHING;
}

#endif
