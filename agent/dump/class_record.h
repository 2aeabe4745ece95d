/* SPDX-License-Identifier: MIT */
/*
 * class_record.h - CLASS_DUMP records from what the walk over the classes told.
 */
#ifndef AG_CLASS_RECORD_H
#define AG_CLASS_RECORD_H

#include "agent/dump/class_mirrors.h"

/*
 * Records of all classes in the table that have none yet, each behind that of
 * its superclass; those that are not linked only if UNLINKED. CONSTANTS: with
 * the references of the constant pool. False: the walk has failed.
 */
bool ag_class_dumps(struct ag_walk *walk, const struct ag_mirrors *mirrors,
		    bool constants, bool unlinked);

#endif
