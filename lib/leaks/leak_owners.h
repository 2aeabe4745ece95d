/* SPDX-License-Identifier: MIT */
/*
 * leak_owners.h - suspects of the same description are told apart by who has their owner.
 */
#ifndef HP_LEAK_OWNERS_H
#define HP_LEAK_OWNERS_H

#include "hprof/leaks.h"
#include "report/object_info.h"

/*
 * Moves owner_step up in the paths of those of COUNT leaks which are held by the same
 * fields of the same classes, as far as they need to differ.
 */
void hp_leak_owners_tell_apart(const struct hp_look *look,
			       struct hprof_leak *leaks, size_t count);

#endif
