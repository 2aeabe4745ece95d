/* SPDX-License-Identifier: MIT */
/*
 * leak_crowd_join.h - crowds among the suspects of the search, which may have
 * found the same by its size: then both are one.
 */
#ifndef HP_LEAK_CROWD_JOIN_H
#define HP_LEAK_CROWD_JOIN_H

#include "leaks/leak_crowds.h"
#include "leaks/leak_search.h"

/*
 * Sets what crowds retain, drops suspects that consist of members of a crowd,
 * and adds crowds to what is explained. Fails only with HPROF_E_NOMEM.
 */
enum hprof_status hp_leak_crowds_join(struct hp_leak_crowds *crowds,
				      struct hp_leak_search *search);

/*
 * Makes LEAK one about CROWD. It may describe a suspect that is the same one,
 * or be empty.
 */
enum hprof_status hp_leak_crowd_describe(struct hp_root_paths *paths,
					 const struct hp_leak_crowd *crowd,
					 struct hprof_leak *leak,
					 struct hprof_error *error);

#endif
