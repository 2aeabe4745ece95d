/* SPDX-License-Identifier: MIT */
/*
 * life.h - the collector of heap=life: how many collections the objects of each
 * site live through.
 */
#ifndef AG_LIFE_H
#define AG_LIFE_H

#include "agent/profile/session.h"

/* NULL, with a message logged, on failure. */
struct ag_collector *ag_life_new(const struct ag_options *options);

#endif
