/* SPDX-License-Identifier: MIT */
/*
 * path_folds.h - which steps of a path are printed: of a chain, as the links of a
 * list, the first and the last one.
 */
#ifndef TOOLS_PATH_FOLDS_H
#define TOOLS_PATH_FOLDS_H

#include <hprof.h>

/*
 * The step to print after step AT, of those before END; END: there is none. It is the
 * next one unless several are by the same field to the same class as step AT.
 */
size_t path_folds_next(const struct hprof_path *path, size_t at, size_t end);

/* How many steps are printed from FIRST on, END not among them. */
size_t path_folds_count(const struct hprof_path *path, size_t first,
			size_t end);

/*
 * What is between the printed steps AT and NEXT: "1,998 more .next", "40 objects left
 * out", or both; NULL: nothing. Free it.
 */
char *path_folds_text(const struct hprof_path *path, size_t at, size_t next);

/* The number of all objects between two steps. */
uint64_t path_folds_hidden(const struct hprof_path *path, size_t at,
			   size_t next);

#endif
