/* SPDX-License-Identifier: MIT */
/*
 * leak_parts.h - which objects are to be looked at one by one, though together they are
 * most of what one object retains.
 */
#ifndef HP_LEAK_PARTS_H
#define HP_LEAK_PARTS_H

#include "leaks/leak_tree.h"

/*
 * Whether a few children of NODE that retain search->least hold most of what it retains,
 * or many for each of which it has a field.
 */
bool hp_leak_is_parted(struct hp_leak_search *search, uint32_t node);

/*
 * Whether NODE has a field for most of its children with KEY that retain search->least,
 * which hold most of what all with KEY do.
 */
bool hp_leak_has_fields(struct hp_leak_search *search, uint32_t node,
			uint32_t key);

#endif
