/* SPDX-License-Identifier: MIT */
/*
 * class_record.h - CLASS_DUMP records of what the walk over the classes found.
 */
#ifndef AG_CLASS_RECORD_H
#define AG_CLASS_RECORD_H

#include "agent/dump/class_mirrors.h"

/*
 * Writes records of all classes in the table that have none yet, each after
 * that of its superclass; those that are not linked or were added late only if
 * LATE is set. With CONSTANTS, the references of the constant pool are included.
 * False if the walk has failed.
 */
bool ag_class_dumps(struct ag_walk *walk, const struct ag_mirrors *mirrors,
		    bool constants, bool late);

#endif
