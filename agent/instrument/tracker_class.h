/* SPDX-License-Identifier: MIT */
/*
 * tracker_class.h - the class that instrumented methods call, compiled from
 * HprofTracker.java when the agent is built.
 */
#ifndef AG_TRACKER_CLASS_H
#define AG_TRACKER_CLASS_H

#include <stddef.h>

#define AG_TRACKER_CLASS "java/lang/HprofTracker"
#define AG_TRACKER_ENTER "enter"
#define AG_TRACKER_CAUGHT "caught"
#define AG_TRACKER_EXIT "exit"
/* Its native methods; see there why they are not its own. */
#define AG_TRACKER_NATIVES "hprof/Native"

struct ag_class_file {
	const char *name;
	const unsigned char *bytes;
	size_t size;
};

/* The class and those nested in it. */
extern const struct ag_class_file ag_tracker_files[];
extern const size_t ag_tracker_file_count;

#endif
