/* SPDX-License-Identifier: MIT */
/*
 * class_layout.h - from JVMTI's number of a field to its place.
 */
#ifndef AG_CLASS_LAYOUT_H
#define AG_CLASS_LAYOUT_H

#include "agent/dump/class_table.h"

/*
 * Fills slots, body and first_field of C, and of its superclasses and
 * interfaces where these are not known yet. Nothing for arrays and classes
 * that are not linked. NULL, or why it failed.
 */
const char *ag_class_lay_out(struct ag_classes *classes, struct ag_class *c);

#endif
