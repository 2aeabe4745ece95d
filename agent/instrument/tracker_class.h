/* SPDX-License-Identifier: MIT */
/*
 * tracker_class.h - the class that instrumented methods call, compiled from
 * HprofTracker.java when the agent is built.
 */
#ifndef AG_TRACKER_CLASS_H
#define AG_TRACKER_CLASS_H

#include "agent/instrument/class_files.h"
#include "agent/instrument/own_classes.h"

#define AG_TRACKER_ENTER "enter"
#define AG_TRACKER_CAUGHT "caught"
#define AG_TRACKER_EXIT "exit"

/* The class, its natives' one and those nested in it. */
extern const struct ag_class_files ag_tracker_files;

#endif
