/* SPDX-License-Identifier: MIT */
/*
 * profile_top.h - where a profile says that the most was spent: methods by CPU
 * samples, classes by what was allocated of them and where, monitors by how long
 * they were waited for and where.
 */
#ifndef TOOLS_PROFILE_TOP_H
#define TOOLS_PROFILE_TOP_H

#include <stdio.h>

#include <hprof/report.h>

#include "tools/common/json.h"
#include "tools/stacks/stack_tree.h"

/*
 * The tables of all kinds of profile that there are, at most ROWS rows each; 0:
 * all rows. LIVE: allocations by what is alive of them.
 */
void profile_top_text(FILE *out, const struct hprof_profile_table *profile,
		      size_t rows, bool live);
void profile_top_json(struct json *json,
		      const struct hprof_profile_table *profile, size_t rows,
		      bool live);

/* The same of monitors, by how long threads waited; see monitor_stacks.h. */
void profile_top_monitors(FILE *out, const struct stack_tree *tree,
			  size_t rows);
void profile_top_monitors_json(struct json *json, const struct stack_tree *tree,
			       size_t rows);

#endif
