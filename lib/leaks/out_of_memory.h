/* SPDX-License-Identifier: MIT */
/*
 * out_of_memory.h - the thread at whose OutOfMemoryError a dump was written.
 */
#ifndef HP_OUT_OF_MEMORY_H
#define HP_OUT_OF_MEMORY_H

#include "base/arena.h"
#include "hprof/leaks.h"

/*
 * Sets *RET, from ARENA, or to NULL if there is none. *RET_THREADS, which is to be freed in
 * any case, has its texts.
 */
enum hprof_status hp_out_of_memory_find(const struct hprof_summary *summary,
					struct hp_arena *arena,
					struct hprof_thread_table **ret_threads,
					struct hprof_path_root **ret,
					struct hprof_error *error);

#endif
