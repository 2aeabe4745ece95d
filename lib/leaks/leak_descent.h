/* SPDX-License-Identifier: MIT */
/*
 * leak_descent.h - the way down the dominator tree to where objects pile up.
 */
#ifndef HP_LEAK_DESCENT_H
#define HP_LEAK_DESCENT_H

#include "leaks/leak_tree.h"

/* Where a way down ends. */
struct hp_leak_end {
	enum hprof_leak_kind kind;
	uint32_t node;
	bool is_container; /* to be looked at again, as one */
	bool is_parted;	   /* follow its large children */
};

/*
 * Goes down from NODE as long as one child retains most, but not to objects
 * that retain less than LEAST, and with STOP_AT_CONTAINERS not beyond one.
 */
struct hp_leak_end hp_leak_descend(struct hp_leak_search *search, uint32_t node,
				   uint64_t least, bool stop_at_containers);

#endif
