/* SPDX-License-Identifier: MIT */
/*
 * hook_class.h - the class that intercepted methods call, and where its calls
 * go on.
 */
#ifndef PF_HOOK_CLASS_H
#define PF_HOOK_CLASS_H

#include "agent/instrument/class_files.h"
#include "agent/instrument/own_classes.h"

#define PF_HOOK_ENTER "enter"
#define PF_HOOK_EXIT "exit"

/* Compiled from java/ when the library is built. */
extern const struct ag_class_files pf_hook_files;

#endif
