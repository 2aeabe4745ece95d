/* SPDX-License-Identifier: MIT */
/* class_layout.h - maps JVMTI's field numbers to places in a body. */
#ifndef AG_CLASS_LAYOUT_H
#define AG_CLASS_LAYOUT_H

#include "agent/dump/class_table.h"

/*
 * Fills slots, body and first_field of C, and of its superclasses and
 * interfaces where these are not known yet. Does nothing for arrays and
 * unlinked classes. Returns NULL, or why it failed.
 */
const char *ag_class_lay_out(struct ag_classes *classes, struct ag_class *c);

#endif
