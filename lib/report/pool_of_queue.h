/* SPDX-License-Identifier: MIT */
/* pool_of_queue.h - the pool of threads that a queue belongs to, by its roots. */
#ifndef HP_POOL_OF_QUEUE_H
#define HP_POOL_OF_QUEUE_H

#include "report/root_paths.h"

/*
 * The pool that refers to OBJECT, a queue for which threads wait, if only their stacks
 * hold it, as when nothing else is left of it; or HPROF_NO_OBJECT.
 */
enum hprof_status hp_pool_of_queue(const struct hp_root_paths *paths,
				   uint64_t object, uint64_t *ret_pool,
				   struct hprof_error *error);

#endif
