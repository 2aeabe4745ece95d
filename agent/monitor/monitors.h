/* SPDX-License-Identifier: MIT */
/*
 * monitors.h - the collector of monitor=y|all: who waits for monitors, and how
 * long.
 */
#ifndef AG_MONITORS_H
#define AG_MONITORS_H

#include "agent/profile/session.h"

/* For a session with monitor=y or all. NULL, with a message logged, on failure. */
struct ag_collector *ag_monitors_new(void);

#endif
